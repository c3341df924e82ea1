//! The leaves of a value, straight from the text that it is written with.

use super::text::unescape;
use crate::bytes::Stops;

/// Appends the strings, numbers and booleans of the value that `text` is, in document order, joined by
/// single spaces: what [`Json::leaves`](super::Json::leaves) says of it, without building a tree.
///
/// The text has to be one that the [`Scanner`](super::Scanner) has accepted: its grammar is not looked at
/// again, so that brackets and commas are gone over, and a string is a key where a colon follows.
pub fn leaves(text: &str, out: &mut String) {
    let (bytes, mut stops, mut at) = (text.as_bytes(), Stops::default(), 0);
    let mut leaves = Leaves { out, any: false };
    while let Some(&byte) = bytes.get(at) {
        let begins = at;
        at += 1;
        if AROUND[usize::from(byte)] {
            continue;
        }
        if byte == b'"' {
            let (end, plain) = string_end(bytes, &mut stops, at);
            at = end + 1;
            while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                at += 1;
            }
            if bytes.get(at) != Some(&b':') {
                leaves.push(text.get(begins + 1..end).unwrap_or_default(), plain);
            }
            continue;
        }
        while bytes.get(at).is_some_and(|b| !AROUND[usize::from(*b)]) {
            at += 1;
        }
        if byte != b'n' {
            leaves.push(text.get(begins..at).unwrap_or_default(), true);
        }
    }
}

/// Whether a byte outside of strings stands around values, not in them.
const AROUND: [bool; 256] = crate::bytes::among(b"{}[],: \t\n\r");

/// Where the quote stands that ends the string whose inside begins at `from`, and whether that has no
/// escape.
fn string_end(bytes: &[u8], stops: &mut Stops, from: usize) -> (usize, bool) {
    let mut at = from;
    while let Some(stop) = stops.next(bytes, at) {
        if bytes.get(stop) != Some(&b'\\') {
            return (stop, at == from);
        }
        at = stop + 2;
    }
    (bytes.len(), false)
}

struct Leaves<'o> {
    out: &'o mut String,
    /// Whether there was one already.
    any: bool,
}

impl Leaves<'_> {
    /// Adds what stands between the quotes of a string, or any other leaf.
    fn push(&mut self, inner: &str, plain: bool) {
        if std::mem::replace(&mut self.any, true) {
            self.out.push(' ');
        }
        if plain {
            self.out.push_str(inner);
        } else {
            unescape(inner, self.out);
        }
    }
}
