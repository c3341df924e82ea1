//! Texts and addresses as SARIF has them.

use std::fmt::Write;

/// A message in which nothing is a link or a placeholder: SARIF takes `[text](target)` for the one and
/// `{0}` for the other.
pub fn message(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\\' | '[' | ']' => out.extend(['\\', c]),
            '{' | '}' => out.extend([c, c]),
            c => out.push(c),
        }
    }
    out
}

/// What a message was made of, as far as it was made by [`message`].
pub fn unescaped(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\\', Some(&next @ ('\\' | '[' | ']')))
            | ('{', Some(&next @ '{'))
            | ('}', Some(&next @ '}')) => {
                out.push(next);
                rest.next();
            }
            _ => out.push(c),
        }
    }
    out
}

/// Where a file stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uri {
    /// Percent-encoded.
    pub text: String,
    /// Whether it is meant from the directory that gate was run in.
    pub relative: bool,
}

/// The address of a file that was named so: relative where it was named so. Absent for a name that is
/// none.
pub fn uri(name: &str) -> Option<Uri> {
    let name = match cfg!(windows) {
        true => name.replace('\\', "/"),
        false => name.to_owned(),
    };
    let drive = cfg!(windows) && name.get(1..3) == Some(":/");
    let relative = !name.starts_with('/') && !drive;
    let mut text = String::new();
    for part in name.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if !text.is_empty() {
            text.push('/');
        }
        encode(part, &mut text);
    }
    if text.is_empty() {
        return None;
    }
    let text = match relative {
        true => text,
        false => format!("file:///{text}"),
    };
    Some(Uri { text, relative })
}

/// Appends a part of a path. What is not encoded means the same everywhere.
fn encode(part: &str, out: &mut String) {
    for byte in part.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            // Writing to a string does not fail.
            _ => drop(write!(out, "%{byte:02X}")),
        }
    }
}

/// Whether a text may be an address that [`uri`] gave.
pub fn is_uri(text: &str) -> bool {
    let path = text.strip_prefix("file:///").unwrap_or(text);
    let parts = path.split('/');
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte);
    parts
        .into_iter()
        .all(|part| !part.is_empty() && part.bytes().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// Whatever is written comes back, and no bracket that is not escaped is left to begin a link.
    #[test]
    fn messages_come_back() {
        let mut random = Random::new(5);
        let signs = ['\\', '[', ']', '(', ')', '{', '}', '0', 'a', 'é'];
        for _ in 0..50_000 {
            let text: String = (0..random.below(9)).map(|_| *random.pick(&signs)).collect();
            let written = message(&text);
            assert_eq!(unescaped(&written), text);
            let mut escaped = false;
            for c in written.chars() {
                assert!(escaped || !matches!(c, '[' | ']'), "{written}");
                escaped = c == '\\' && !escaped;
            }
            // Also of what somebody else wrote: what is escaped stays as it is.
            let taken = message(&unescaped(&text));
            assert_eq!(message(&unescaped(&taken)), taken);
        }
        assert_eq!(message("[x](1) {0} a\\"), r"\[x\](1) {{0}} a\\");
    }

    #[test]
    fn addresses_are_encoded() {
        let relative = |name: &str| uri(name).filter(|uri| uri.relative).map(|uri| uri.text);
        assert_eq!(relative("./a b/t.jsonl").as_deref(), Some("a%20b/t.jsonl"));
        assert_eq!(
            relative("../t#1?.jsonl").as_deref(),
            Some("../t%231%3F.jsonl")
        );
        assert_eq!(relative("javascript:x").as_deref(), Some("javascript%3Ax"));
        assert_eq!(relative("é\u{202e}").as_deref(), Some("%C3%A9%E2%80%AE"));
        assert_eq!(relative("a//b").as_deref(), Some("a/b"));
        assert_eq!((uri(""), uri("."), uri("/")), (None, None, None));
        let absolute = uri("//data/t.jsonl").expect("a file");
        assert_eq!(
            (absolute.text.as_str(), absolute.relative),
            ("file:///data/t.jsonl", false)
        );
        for name in ["./a b", "/x/%", "é", "a:b"] {
            assert!(is_uri(&uri(name).expect("a file").text), "{name}");
        }
        for text in ["javascript:x", "//host/x", "a b", "", "http://x/y"] {
            assert!(!is_uri(text), "{text}");
        }
    }
}
