//! Strings: decoding them, naming what was damaged, and writing them.

use simdutf8::basic::from_utf8;
use std::borrow::Cow;

/// Decoded text and what had to be repaired to decode it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// The text; damaged places read as U+FFFD.
    pub text: Cow<'a, str>,
    /// The worst damage met.
    pub damage: Damage,
}

/// Damage to a text, from none to worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Damage {
    /// As written.
    #[default]
    None,
    /// An escaped surrogate without its partner.
    LoneSurrogate,
    /// Bytes that are not UTF-8.
    InvalidUtf8,
}

impl<'a> Text<'a> {
    /// A text as it is written.
    pub fn plain(text: &'a str) -> Text<'a> {
        Text {
            text: Cow::Borrowed(text),
            damage: Damage::None,
        }
    }
}

/// Decodes a scanned string, its quotes included.
pub fn decode(quoted: &[u8]) -> Text<'_> {
    let inner = &quoted[1..quoted.len().max(2) - 1];
    match from_utf8(inner) {
        Ok(inner) => decode_inner(inner),
        // An escape is ASCII, so that what is damaged before and behind it stays apart.
        Err(_) => Text {
            text: Cow::Owned(
                decode_inner(&String::from_utf8_lossy(inner))
                    .text
                    .into_owned(),
            ),
            damage: Damage::InvalidUtf8,
        },
    }
}

/// Decodes what stands between the quotes of a scanned string.
pub(super) fn decode_inner(inner: &str) -> Text<'_> {
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Text::plain(inner);
    }
    let mut out = String::with_capacity(inner.len());
    let damage = unescape(inner, &mut out);
    Text {
        text: Cow::Owned(out),
        damage,
    }
}

/// Appends to `out` what stands between the quotes of a scanned string, decoded.
pub(super) fn unescape(inner: &str, out: &mut String) -> Damage {
    let mut damage = Damage::None;
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (plain, escape) = rest.split_at(at);
        out.push_str(plain);
        rest = unescape_one(escape, out, &mut damage);
    }
    out.push_str(rest);
    damage
}

/// Decodes the escape that a text begins with; returns what follows it.
fn unescape_one<'a>(escape: &'a str, out: &mut String, damage: &mut Damage) -> &'a str {
    let behind = |bytes: usize| escape.get(bytes..).unwrap_or_default();
    let Some(&code) = escape.as_bytes().get(1) else {
        return "";
    };
    out.push(match code {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let unit = hex4(behind(2));
            if let Some(c) = char::from_u32(unit) {
                out.push(c);
                return behind(6);
            }
            // A surrogate: only a high one followed at once by an escaped low one is a character.
            if unit < 0xdc00 && behind(6).starts_with("\\u") {
                let low = hex4(behind(8));
                if (0xdc00..0xe000).contains(&low) {
                    let scalar = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                    out.push(char::from_u32(scalar).unwrap_or('\u{fffd}'));
                    return behind(12);
                }
            }
            *damage = Damage::LoneSurrogate;
            out.push('\u{fffd}');
            return behind(6);
        }
        other => char::from(other),
    });
    behind(2)
}

/// The UTF-16 unit that a text begins with, in four hexadecimal digits.
fn hex4(digits: &str) -> u32 {
    digits.bytes().take(4).fold(0, |n, b| {
        n << 4 | char::from(b).to_digit(16).unwrap_or_default()
    })
}

/// Writes `text` as a JSON string with the fewest escapes.
pub fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> (String, Damage) {
        let t = decode(json.as_bytes());
        (t.text.into_owned(), t.damage)
    }

    #[test]
    fn strings_decode_and_name_their_damage() {
        assert_eq!(text(r#""a\u0041\n""#), ("aA\n".into(), Damage::None));
        assert_eq!(text(r#""\ud83c\udf89""#), ("🎉".into(), Damage::None));
        assert_eq!(
            text(r#""\ud83c""#),
            ("\u{fffd}".into(), Damage::LoneSurrogate)
        );
        assert_eq!(
            text(r#""\ud83cx""#),
            ("\u{fffd}x".into(), Damage::LoneSurrogate)
        );
        assert_eq!(text(r#""\udf89\ud83c""#).0, "\u{fffd}\u{fffd}");
        assert_eq!(text(r#""\ud83c\ud83c\udf89""#).0, "\u{fffd}🎉");
        assert_eq!(decode(b"\"a\xffb\"").damage, Damage::InvalidUtf8);
        assert_eq!(decode(b"\"\xed\xa0\x80\"").damage, Damage::InvalidUtf8);
        assert_eq!(decode(b"\"\xc0\xaf\"").damage, Damage::InvalidUtf8);
    }
}
