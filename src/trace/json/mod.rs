//! The one strict JSON reader: a scanner that validates a value without building it, and a small
//! tree that keeps document order, number lexemes and byte offsets.
//!
//! Everything gate reads as JSON goes through here, so that the same input means the same thing in
//! a trace, in a states file and in a foreign recording: RFC 8259 grammar, at most [`MAX_DEPTH`]
//! levels, nothing after the value. The scanner works on bytes and leaves UTF-8 to [`decode`], so a
//! record whose text holds stray bytes can still be read and its damage named.

mod leaves;
mod lexemes;
mod scan;
mod text;

pub use leaves::leaves;
pub use scan::{Scanner, check, parse, parse_tolerant, scan_object};
pub use text::{Damage, Text, decode, write_string};

/// Deepest nesting accepted, counting the outermost value as level one.
pub const MAX_DEPTH: usize = 128;

/// What is wrong with a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonErrorKind {
    /// Not JSON.
    Malformed,
    /// The text ends inside a value: what a writer that was cut off leaves behind.
    Truncated,
    /// More than [`MAX_DEPTH`] levels.
    TooDeep,
}

/// An error at a byte offset of the text that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Kind of the error.
    pub kind: JsonErrorKind,
    /// Offset of the first byte that does not fit.
    pub offset: usize,
    /// Plain words, lowercase, no full stop.
    pub message: &'static str,
}

/// A value as it stands in the document: its bytes and where they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw<'a> {
    /// The bytes of the value, without surrounding white space. Valid JSON.
    pub bytes: &'a [u8],
    /// Offset of the first byte in the text that was scanned.
    pub offset: usize,
    /// What the scanner met in it.
    pub seen: Seen,
}

/// What the scanner meets in a value by the way, so that nobody has to look for it again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// How many characters fewer the texts in it have than they are written with, quotes apart: what
    /// escapes take. 0 means that there is no escape.
    pub surplus: usize,
    /// How much in it has to be looked into by who minds: escapes of the `\u` kind, which may stand for
    /// no character, and keys that an object may have had before, byte for byte or by an escape. They
    /// are only suspects, so that looking for them takes no memory.
    pub suspects: usize,
}

impl Seen {
    /// What was met since `before`.
    #[inline]
    fn since(self, before: Seen) -> Seen {
        Seen {
            surplus: self.surplus - before.surplus,
            suspects: self.suspects - before.suspects,
        }
    }
}

/// A member of an object, its key still as written.
#[derive(Clone, Copy, Debug)]
pub struct RawMember<'a> {
    /// The key with its quotes.
    pub key: Raw<'a>,
    /// The value.
    pub value: Raw<'a>,
}

/// A parsed value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it was written.
    Number(&'a str),
    /// A decoded string.
    String(Text<'a>),
    /// An array.
    Array(Vec<Json<'a>>),
    /// An object in document order, repeated keys kept.
    Object(Vec<(Text<'a>, Json<'a>)>),
}

impl From<String> for Json<'_> {
    fn from(text: String) -> Self {
        Json::String(Text {
            text: text.into(),
            damage: Damage::None,
        })
    }
}

impl<'a> Json<'a> {
    /// The last member of that name, if this is an object that has one. Foreign formats that
    /// repeat a key mean the last one.
    pub fn get(&self, key: &str) -> Option<&Json<'a>> {
        match self {
            Json::Object(members) => members
                .iter()
                .rev()
                .find(|(k, _)| k.text == key)
                .map(|(_, v)| v),
            _ => None,
        }
    }

    /// A key that this object has more than once; absent where there is none, or this is no object.
    pub fn repeated(&self) -> Option<&str> {
        let Json::Object(members) = self else {
            return None;
        };
        let mut keys: Vec<&str> = members.iter().map(|(key, _)| &*key.text).collect();
        keys.sort_unstable();
        let mut pairs = keys.windows(2);
        pairs.find_map(|pair| match pair {
            [a, b] if a == b => Some(*a),
            _ => None,
        })
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(t) => Some(&t.text),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Json<'a>]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The value's strings, numbers and booleans in document order, joined by single spaces; keys
    /// and null are left out.
    pub fn leaves(&self) -> String {
        let mut out = String::new();
        self.append_leaves(&mut out, &mut true);
        out
    }

    fn append_leaves(&self, out: &mut String, first: &mut bool) {
        let mut push = |text: &str| {
            if !std::mem::take(first) {
                out.push(' ');
            }
            out.push_str(text);
        };
        match self {
            Json::Null => {}
            Json::Bool(b) => push(if *b { "true" } else { "false" }),
            Json::Number(n) => push(n),
            Json::String(t) => push(&t.text),
            Json::Array(items) => items.iter().for_each(|item| item.append_leaves(out, first)),
            Json::Object(members) => {
                members
                    .iter()
                    .for_each(|(_, v)| v.append_leaves(out, first));
            }
        }
    }

    /// The worst damage of any text inside, keys included.
    pub fn damage(&self) -> Damage {
        match self {
            Json::String(t) => t.damage,
            Json::Array(items) => items.iter().map(Json::damage).max().unwrap_or_default(),
            Json::Object(members) => members
                .iter()
                .map(|(k, v)| k.damage.max(v.damage()))
                .max()
                .unwrap_or_default(),
            _ => Damage::None,
        }
    }

    /// Writes the value in compact form: no white space, fewest escapes, numbers as they were
    /// written.
    pub fn write_compact(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
            Json::Number(n) => out.push_str(n),
            Json::String(t) => write_string(&t.text, out),
            Json::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    item.write_compact(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (i, (key, value)) in members.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    write_string(&key.text, out);
                    out.push(':');
                    value.write_compact(out);
                }
                out.push('}');
            }
        }
    }

    /// The value in compact form.
    pub fn to_compact(&self) -> String {
        let mut out = String::new();
        self.write_compact(&mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_stand_in_document_order() {
        let json = parse(br#"{"z":["a b",{"k":null,"n":1.50}],"a":true,"e":""}"#).expect("valid");
        assert_eq!(json.leaves(), "a b 1.50 true ");
    }

    #[test]
    fn compact_form_keeps_numbers_and_order() {
        let json = parse(br#"{ "b" : 1.50, "a" : ["x\u00e9\n", null] }"#).expect("valid");
        assert_eq!(json.to_compact(), "{\"b\":1.50,\"a\":[\"xé\\n\",null]}");
    }
}
