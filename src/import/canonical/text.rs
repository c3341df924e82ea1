//! Looks into the bytes of scanned values without decoding them: escapes that stand for no
//! character, and keys that are repeated.

use crate::trace::json::decode;
use std::borrow::Cow;

/// Escapes of a JSON text that call for a warning, at the offset of the first of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Escapes {
    /// An escaped surrogate without its partner.
    pub lone_surrogate: Option<usize>,
    /// An escaped NUL character.
    pub nul: Option<usize>,
}

/// Finds such escapes in a valid JSON text.
pub fn escapes(json: &[u8]) -> Escapes {
    let mut found = Escapes::default();
    let mut at = 0;
    while let Some(n) = json.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += n;
        let Some(code) = unit(json, at) else {
            at += 2;
            continue;
        };
        let low = |at| unit(json, at).is_some_and(|u| (0xdc00..0xe000).contains(&u));
        match code {
            0 => found.nul = found.nul.or(Some(at)),
            0xd800..0xdc00 if low(at + 6) => at += 6,
            0xd800..0xe000 => found.lone_surrogate = found.lone_surrogate.or(Some(at)),
            _ => {}
        }
        at += 6;
    }
    found
}

/// The UTF-16 unit that the escape at `at` stands for, if it is one of the `\u` kind.
fn unit(json: &[u8], at: usize) -> Option<u16> {
    let escape = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(escape).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

/// The first key, in the order of the text, that an object anywhere inside a valid JSON text has
/// had before: its offset and itself.
pub fn repeated_key(json: &[u8]) -> Option<(usize, String)> {
    let mut keys: Vec<(Cow<'_, str>, usize)> = Vec::new();
    // For each open container: where its keys begin, `None` for an array.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut first: Option<(usize, String)> = None;
    let mut expects_key = false;
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        match byte {
            b'"' => {
                let end = string_end(json, at);
                if expects_key {
                    keys.push((decode(&json[at..end]).text, at));
                }
                expects_key = false;
                at = end;
                continue;
            }
            b'{' => {
                open.push(Some(keys.len()));
                expects_key = true;
            }
            b'[' => open.push(None),
            b',' => expects_key = matches!(open.last(), Some(Some(_))),
            b'}' | b']' => {
                expects_key = false;
                if let Some(Some(from)) = open.pop() {
                    let found = repeat(&mut keys[from..]);
                    if found
                        .as_ref()
                        .is_some_and(|(o, _)| first.as_ref().is_none_or(|(f, _)| o < f))
                    {
                        first = found;
                    }
                    keys.truncate(from);
                }
            }
            _ => {}
        }
        at += 1;
    }
    first
}

/// The first repeated one of an object's keys. Sorts them.
fn repeat(keys: &mut [(Cow<'_, str>, usize)]) -> Option<(usize, String)> {
    if keys.len() < 2 {
        return None;
    }
    keys.sort_unstable();
    keys.windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .map(|pair| (pair[1].1, pair[1].0.to_string()))
        .min()
}

/// Where the string ends that begins at `at`, its quotes included.
fn string_end(json: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(n) = json
        .get(end..)
        .and_then(|r| memchr::memchr2(b'"', b'\\', r))
    {
        end += n;
        if json[end] == b'"' {
            return end + 1;
        }
        end += 2;
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_found_where_they_are_real() {
        let found = |json: &str| escapes(json.as_bytes());
        assert_eq!(found(r#""\ud83c\udf89 \\ud800 \n""#), Escapes::default());
        assert_eq!(found(r#""a\ud800""#).lone_surrogate, Some(2));
        assert_eq!(found(r#""\udf89\ud83c""#).lone_surrogate, Some(1));
        assert_eq!(found(r#""\ud83c\ud83c\udf89""#).lone_surrogate, Some(1));
        assert_eq!(found(r#""x\u0000""#).nul, Some(2));
    }

    #[test]
    fn repeated_keys_are_found_at_any_depth() {
        let found = |json: &str| repeated_key(json.as_bytes()).map(|(at, _)| at);
        assert_eq!(found(r#"{"a":1,"b":{"a":2}}"#), None);
        assert_eq!(found(r#"{"a":1,"a":2}"#), Some(7));
        assert_eq!(
            found(r#"[{"x":"a","y":["a","a"]},{"b":{"k":1,"\u006b":2}}]"#),
            Some(37)
        );
        assert_eq!(found(r#"{"a":{"c":1,"c":1},"a":2}"#), Some(12));
        assert_eq!(found(r#"{"a":"\"a\":","b":"a"}"#), None);
    }
}
