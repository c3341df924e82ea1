//! How JSON is spelled: the fewest digits, and nothing hidden inside a string.
//!
//! A string reads back as it was. Beyond what JSON demands, every hidden character is written as an
//! escape, so that a record can be looked at in a terminal.

use crate::bytes;
use crate::escape;
use crate::report::number;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use std::io;

/// Appends a value to a buffer, compact and without a line end.
///
/// # Errors
/// The value cannot be told in JSON; none of the wire types is like that.
pub fn append<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Spelling);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// Writes a value on a line of its own.
///
/// # Errors
/// Those of [`append`]; the output cannot be written.
pub fn line<T: Serialize>(value: &T, out: &mut dyn io::Write) -> io::Result<()> {
    let mut buffer = Vec::new();
    append(value, &mut buffer)?;
    buffer.push(b'\n');
    out.write_all(&buffer)
}

/// Writes a value that is all there is, and flushes.
///
/// # Errors
/// Those of [`line()`].
pub fn document<T: Serialize>(value: &T, out: &mut dyn io::Write) -> io::Result<()> {
    line(value, out)?;
    out.flush()
}

/// A value that is appended to a buffer as JSON, which does not fail: what stands many times in a
/// record of which there are many. It is spelled as [`append()`] does it.
pub trait Item {
    /// Appends it.
    fn append(&self, out: &mut Vec<u8>);
}

/// Appends a text.
pub fn text(text: &str, out: &mut Vec<u8>) {
    let from = out.len();
    out.push(b'"');
    if bytes::copy_plain(text.as_bytes(), out) {
        return out.push(b'"');
    }
    out.truncate(from);
    // Writing to memory does not fail.
    let _ = append(text, out);
}

impl Item for str {
    fn append(&self, out: &mut Vec<u8>) {
        text(self, out);
    }
}

/// A word of our own, in which there is nothing to escape.
pub struct Word(pub &'static str);

impl Item for Word {
    fn append(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        out.extend_from_slice(self.0.as_bytes());
        out.push(b'"');
    }
}

impl Item for String {
    fn append(&self, out: &mut Vec<u8>) {
        text(self, out);
    }
}

impl Item for f64 {
    fn append(&self, out: &mut Vec<u8>) {
        number::append_exact(*self, out);
    }
}

impl Item for bool {
    fn append(&self, out: &mut Vec<u8>) {
        match self {
            true => out.extend_from_slice(b"true"),
            false => out.extend_from_slice(b"false"),
        }
    }
}

impl Item for i64 {
    fn append(&self, out: &mut Vec<u8>) {
        // Writing to memory does not fail.
        let _ = CompactFormatter.write_i64(out, *self);
    }
}

impl Item for u64 {
    fn append(&self, out: &mut Vec<u8>) {
        // Writing to memory does not fail.
        let _ = CompactFormatter.write_u64(out, *self);
    }
}

impl Item for usize {
    fn append(&self, out: &mut Vec<u8>) {
        (*self as u64).append(out);
    }
}

impl<T: Item + ?Sized> Item for &T {
    fn append(&self, out: &mut Vec<u8>) {
        (**self).append(out);
    }
}

impl<T: Item> Item for Option<T> {
    fn append(&self, out: &mut Vec<u8>) {
        match self {
            Some(value) => value.append(out),
            None => out.extend_from_slice(b"null"),
        }
    }
}

impl<T: Item> Item for [T] {
    fn append(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (at, item) in self.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            item.append(out);
        }
        out.push(b']');
    }
}

struct Spelling;

impl Formatter for Spelling {
    fn write_f64<W: io::Write + ?Sized>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        number::write_exact(value, out)
    }

    fn write_string_fragment<W: io::Write + ?Sized>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if escape::is_plain(fragment) {
            return out.write_all(fragment.as_bytes());
        }
        let mut written = 0;
        for (at, c) in fragment.char_indices() {
            if escape::is_hidden(c) {
                out.write_all(&fragment.as_bytes()[written..at])?;
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
                written = at + c.len_utf8();
            }
        }
        out.write_all(&fragment.as_bytes()[written..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::number::Number;

    impl Item for Number {
        fn append(&self, out: &mut Vec<u8>) {
            number::append_exact(self.0, out);
        }
    }

    fn json<T: Serialize + ?Sized>(value: &T) -> String {
        let mut out = Vec::new();
        append(value, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn hidden_characters_are_escaped_and_read_back() {
        let text = "é\u{1b}\u{9b}\u{7f}\u{202e}\u{200b}\u{e0041}\u{2028}🙂\"\\\n";
        let written = json(&text);
        assert_eq!(
            written,
            r#""é\u001b\u009b\u007f\u202e\u200b\udb40\udc41\u2028🙂\"\\\n""#
        );
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
    }

    /// Items are spelled as everything else.
    #[test]
    fn items_are_spelled_alike() {
        fn same<T: Item + Serialize + ?Sized>(item: &T) {
            let mut out = Vec::new();
            item.append(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), json(&item));
        }
        for text in [
            "", "a b", "\"", "a\\b", "\u{7f}", "é", "\u{200b}", "\n", "~ !",
        ] {
            same(text);
        }
        let edge = (1_u64 << 50) as f64;
        for value in [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            -0.1,
            1e15,
            1e16,
            -1e300,
            5e-324,
            edge,
            -edge,
            edge - 1.0,
            edge + 1.0,
            2.0 * edge,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            9e18,
        ] {
            same(&Number(value));
            same(&Some(Number(-value)));
        }
        same(&[true, false][..]);
        same(&[0, u64::MAX][..]);
        same(&Some("x"));
        same(&None::<&str>);
    }

    #[test]
    fn floats_take_the_fewest_digits() {
        assert_eq!(json(&[50.0, -0.0, 0.1, 1e300]), "[50,0,0.1,1e300]");
        assert_eq!(json(&f64::NAN), "null");
    }
}
