//! The leaves of a value, straight from the text that it is written with.

use super::text::unescape;
use crate::bytes::Stops;

/// Appends the strings, numbers and booleans of the value that `text` is, in document order, joined by
/// single spaces: what [`Json::leaves`](super::Json::leaves) says of it, without building a tree.
///
/// The text has been checked: it is not read once more, but gone over for where its parts begin and
/// end, which takes half of that. Of a text that is no JSON some of it is appended.
pub fn leaves(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    let mut leaves = Leaves { any: false, out };
    let (mut stops, mut at) = (Stops::default(), 0);
    while let Some(&first) = bytes.get(at) {
        match first {
            b'"' => {
                let (end, has_escapes) = string(bytes, at, &mut stops);
                if !is_key(bytes, end) {
                    let inner = text.get(at + 1..end - 1).unwrap_or_default();
                    leaves.string(inner, has_escapes);
                }
                at = end;
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            _ => {
                let end = scalar(bytes, at);
                if first != b'n' {
                    leaves.string(text.get(at..end).unwrap_or_default(), false);
                }
                at = end;
            }
        }
    }
}

struct Leaves<'o> {
    out: &'o mut String,
    /// Whether there was one already.
    any: bool,
}

impl Leaves<'_> {
    fn string(&mut self, written: &str, has_escapes: bool) {
        if std::mem::replace(&mut self.any, true) {
            self.out.push(' ');
        }
        if has_escapes {
            unescape(written, self.out);
        } else {
            self.out.push_str(written);
        }
    }
}

/// Where the string ends that begins there, behind its quote, and whether there are escapes in it.
fn string(bytes: &[u8], start: usize, stops: &mut Stops) -> (usize, bool) {
    let (mut at, mut has_escapes) = (start + 1, false);
    while let Some(stop) = stops.next(bytes, at) {
        at = stop + 1;
        match bytes.get(stop) {
            Some(b'"') => return (at, has_escapes),
            Some(b'\\') => (at, has_escapes) = (at + 1, true),
            _ => {}
        }
    }
    (bytes.len().max(start + 2), has_escapes)
}

/// Whether the string that ends there is the name of a member.
fn is_key(bytes: &[u8], end: usize) -> bool {
    let mut rest = bytes.iter().skip(end);
    rest.find(|byte| !is_space(**byte)) == Some(&b':')
}

/// Where the number or the word ends that begins there.
fn scalar(bytes: &[u8], start: usize) -> usize {
    let ends = |byte: &u8| is_space(*byte) || matches!(byte, b',' | b']' | b'}');
    let rest = bytes.get(start + 1..).unwrap_or_default();
    start + 1 + rest.iter().position(ends).unwrap_or(rest.len())
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
