//! How JSON is spelled: the fewest digits, and nothing hidden inside a string.
//!
//! A string reads back as it was. Beyond what JSON demands, every hidden character is written as an
//! escape, so that a record can be looked at in a terminal.

use crate::escape;
use crate::report::number;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io;

/// Appends a value to a buffer, compact and without a line end.
///
/// # Errors
/// The value cannot be told in JSON; none of the wire types is like that.
pub fn append<T: Serialize>(value: &T, out: &mut Vec<u8>) -> io::Result<()> {
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

    fn json<T: Serialize>(value: &T) -> String {
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

    #[test]
    fn floats_take_the_fewest_digits() {
        assert_eq!(json(&[50.0, -0.0, 0.1, 1e300]), "[50,0,0.1,1e300]");
        assert_eq!(json(&f64::NAN), "null");
    }
}
