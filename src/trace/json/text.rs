//! Strings: decoding what was scanned, and writing them again.

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

/// Decodes a scanned string, its quotes included.
pub fn decode(quoted: &[u8]) -> Text<'_> {
    let inner = &quoted[1..quoted.len().max(2) - 1];
    if !inner.contains(&b'\\') {
        return match std::str::from_utf8(inner) {
            Ok(text) => Text {
                text: Cow::Borrowed(text),
                damage: Damage::None,
            },
            Err(_) => Text {
                text: Cow::Owned(String::from_utf8_lossy(inner).into_owned()),
                damage: Damage::InvalidUtf8,
            },
        };
    }
    let mut out = String::with_capacity(inner.len());
    let mut damage = Damage::None;
    let mut rest = inner;
    while let Some(n) = rest.iter().position(|&b| b == b'\\') {
        push_bytes(&mut out, &rest[..n], &mut damage);
        rest = unescape(&rest[n + 1..], &mut out, &mut damage);
    }
    push_bytes(&mut out, rest, &mut damage);
    Text {
        text: Cow::Owned(out),
        damage,
    }
}

fn push_bytes(out: &mut String, bytes: &[u8], damage: &mut Damage) {
    match std::str::from_utf8(bytes) {
        Ok(text) => out.push_str(text),
        Err(_) => {
            *damage = Damage::InvalidUtf8;
            out.push_str(&String::from_utf8_lossy(bytes));
        }
    }
}

/// Decodes the escape that begins after a backslash; returns what follows it.
fn unescape<'a>(rest: &'a [u8], out: &mut String, damage: &mut Damage) -> &'a [u8] {
    let Some((&code, rest)) = rest.split_first() else {
        return rest;
    };
    out.push(match code {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let unit = hex4(rest);
            let after = &rest[rest.len().min(4)..];
            if let Some(c) = char::from_u32(unit) {
                out.push(c);
                return after;
            }
            // A surrogate: only a high one followed at once by an escaped low one is a character.
            if unit < 0xdc00 && after.starts_with(b"\\u") {
                let low = hex4(&after[2..]);
                if (0xdc00..0xe000).contains(&low) {
                    let scalar = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                    out.push(char::from_u32(scalar).unwrap_or('\u{fffd}'));
                    return &after[after.len().min(6)..];
                }
            }
            *damage = (*damage).max(Damage::LoneSurrogate);
            out.push('\u{fffd}');
            return after;
        }
        other => char::from(other),
    });
    rest
}

fn hex4(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |n, &b| {
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
