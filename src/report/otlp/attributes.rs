//! Attributes of spans and events, and ids, as OTLP spells them in JSON: integers of 64 bits as strings,
//! ids in hexadecimal.

use crate::report::json::write::{self, Item};
use crate::report::number;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// A list of attributes that is being appended. Those that are absent are left out.
pub struct Attributes<'o> {
    out: &'o mut Vec<u8>,
    begun: bool,
}

impl<'o> Attributes<'o> {
    /// Begins a list, as the member `attributes` of an object.
    pub fn new(out: &'o mut Vec<u8>) -> Attributes<'o> {
        out.extend_from_slice(b"\"attributes\":[");
        Attributes { out, begun: false }
    }

    /// Ends it.
    pub fn end(self) {
        self.out.push(b']');
    }

    fn value(&mut self, key: &str, append: impl FnOnce(&mut Vec<u8>)) {
        if std::mem::replace(&mut self.begun, true) {
            self.out.push(b',');
        }
        self.out.extend_from_slice(b"{\"key\":");
        write::text(key, self.out);
        self.out.extend_from_slice(b",\"value\":{");
        append(self.out);
        self.out.extend_from_slice(b"}}");
    }

    /// A text.
    pub fn text(&mut self, key: &str, value: &str) {
        self.value(key, |out| string(value, out));
    }

    /// A text, if there is one.
    pub fn maybe(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    /// A whole number.
    pub fn count(&mut self, key: &str, value: u64) {
        self.value(key, |out| {
            out.extend_from_slice(b"\"intValue\":\"");
            value.append(out);
            out.push(b'"');
        });
    }

    /// A number. One that is none has its word.
    pub fn float(&mut self, key: &str, value: f64) {
        self.value(key, |out| match value.is_finite() {
            true => {
                out.extend_from_slice(b"\"doubleValue\":");
                number::append_exact(value, out);
            }
            false => string(&value.to_string(), out),
        });
    }

    /// Yes or no.
    pub fn flag(&mut self, key: &str, value: bool) {
        self.value(key, |out| {
            out.extend_from_slice(b"\"boolValue\":");
            value.append(out);
        });
    }

    /// Texts, if there are any.
    pub fn texts<'t>(&mut self, key: &str, values: impl Iterator<Item = &'t str>) {
        let mut values = values.peekable();
        if values.peek().is_none() {
            return;
        }
        self.value(key, |out| {
            out.extend_from_slice(b"\"arrayValue\":{\"values\":[");
            for (at, value) in values.enumerate() {
                out.extend_from_slice(if at == 0 { b"{" } else { b",{" });
                string(value, out);
                out.push(b'}');
            }
            out.extend_from_slice(b"]}");
        });
    }
}

fn string(value: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"stringValue\":");
    write::text(value, out);
}

/// The first `bytes` bytes of the SHA-256 of the parts, in hexadecimal. No two lists of parts are put
/// together alike.
pub fn id(bytes: usize, parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let mut id = String::new();
    for byte in hash.finalize().iter().take(bytes) {
        // Writing to a string does not fail.
        let _ = write!(id, "{byte:02x}");
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn values_have_their_types() {
        let mut out = b"{".to_vec();
        let mut attributes = Attributes::new(&mut out);
        attributes.text("a", "\u{1b}\"");
        attributes.maybe("b", None);
        attributes.count("c", u64::MAX);
        attributes.float("d", 0.5);
        attributes.float("e", f64::NEG_INFINITY);
        attributes.flag("f", true);
        attributes.texts("g", ["x", "y"].into_iter());
        attributes.texts("h", std::iter::empty());
        attributes.end();
        out.push(b'}');
        let read: Value = serde_json::from_slice(&out).unwrap();
        let expected = json!({"attributes": [
            {"key": "a", "value": {"stringValue": "\u{1b}\""}},
            {"key": "c", "value": {"intValue": "18446744073709551615"}},
            {"key": "d", "value": {"doubleValue": 0.5}},
            {"key": "e", "value": {"stringValue": "-inf"}},
            {"key": "f", "value": {"boolValue": true}},
            {"key": "g", "value": {"arrayValue": {"values": [{"stringValue": "x"}, {"stringValue": "y"}]}}},
        ]});
        assert_eq!(read, expected);
    }

    #[test]
    fn ids_tell_their_parts_apart() {
        let ids =
            [&["ab", "c"][..], &["a", "bc"], &["abc"], &["abc", ""]].map(|parts| id(16, parts));
        assert!(ids.iter().all(|id| id.len() == 32));
        let mut unique = ids.to_vec();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), ids.len());
    }
}
