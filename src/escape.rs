//! Text that nobody vouches for, made safe to look at.
//!
//! A terminal obeys control characters, and a reader cannot see what takes no room: both are
//! shown as escapes. Everything that leaves ink or a plain space stays as it is.

use crate::bytes;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write;

/// Whether a character acts on a terminal or hides from a reader.
///
/// These are the control characters (C0, DEL, C1), the line and paragraph separators, and what
/// Unicode calls default-ignorable: zero-width and bidirectional controls, tags, variation
/// selectors, fillers and the like; beside them the interlinear annotation and hieroglyph controls,
/// and the code points that are no characters, of which XML forbids some.
pub fn is_hidden(c: char) -> bool {
    let ends_a_plane = u32::from(c) & 0xfffe == 0xfffe;
    ends_a_plane
        || matches!(c,
        '\0'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fdd0}'..='\u{fdef}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{13430}'..='\u{1343f}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Whether the text is printable ASCII throughout: the common case, told without decoding.
pub fn is_plain(text: &str) -> bool {
    bytes::not_printable(text.as_bytes()).is_none()
}

/// The text with every hidden character as `\u{…}`; printable text comes back untouched.
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain(text) || !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            // Writing to a string does not fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The name of a file as a text, never the same for two names. One that is no UTF-8 has `\xff` for every
/// byte that is none, and then `\\` for a backslash; so has one that would look like it. Every other is
/// itself.
pub fn file_name<N: AsRef<OsStr> + ?Sized>(name: &N) -> Cow<'_, str> {
    let name = name.as_ref();
    if let Some(text) = name.to_str().filter(|text| !holds_byte(text)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        out.push_str(&chunk.valid().replace('\\', r"\\"));
        for byte in chunk.invalid() {
            // Writing to a string does not fail.
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    Cow::Owned(out)
}

/// Whether something in the text looks like the escape of a byte.
fn holds_byte(text: &str) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.as_bytes()
        .windows(4)
        .any(|bytes| matches!(bytes, [b'\\', b'x', digits @ ..] if digits.iter().all(is_digit)))
}

/// The text without what a build server would take for a command in the log: `::` that begins a
/// word, and `##` before `[`, with or without a word between.
pub fn tamed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['#', ':']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let begins = out.chars().next_back().is_none_or(char::is_whitespace);
        let (sign, escaped) = if rest.starts_with("::") && begins {
            ("::", ":\\u{3a}")
        } else if is_command(rest) {
            ("##", "#\\u{23}")
        } else {
            (&rest[..1], &rest[..1])
        };
        out.push_str(escaped);
        rest = &rest[sign.len()..];
    }
    out.push_str(rest);
    out
}

fn is_command(text: &str) -> bool {
    text.strip_prefix("##").is_some_and(|after| {
        after
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric())
            .starts_with('[')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_text_is_borrowed() {
        for text in ["", "send_email", "naïve – 日本語 🙂 \u{a0}", r"a\u{1b}\b"] {
            assert!(matches!(visible(text), Cow::Borrowed(t) if t == text));
        }
    }

    #[test]
    fn hidden_characters_are_shown() {
        assert_eq!(visible("a\u{1b}[2Jb"), r"a\u{1b}[2Jb");
        assert_eq!(visible("\u{9b}31m\u{7f}"), r"\u{9b}31m\u{7f}");
        assert_eq!(
            visible("\r\n\t\u{2028}\u{2029}"),
            r"\u{d}\u{a}\u{9}\u{2028}\u{2029}"
        );
        assert_eq!(
            visible("x\u{202e}y\u{200b}\u{feff}"),
            r"x\u{202e}y\u{200b}\u{feff}"
        );
        assert_eq!(visible("\u{e0041}\u{e0100}"), r"\u{e0041}\u{e0100}");
        assert_eq!(
            visible("\u{fdd0}\u{fffd}\u{fffe}\u{10ffff}"),
            "\\u{fdd0}\u{fffd}\\u{fffe}\\u{10ffff}"
        );
    }

    #[test]
    fn names_of_files_are_themselves_where_they_can_be() {
        for name in ["", "a/b.jsonl", r"C:\xylo\x", r"a\xFF", "\u{1b}é"] {
            assert!(matches!(file_name(name), Cow::Borrowed(n) if n == name));
        }
        assert_eq!(file_name(r"a\xff"), r"a\\xff");
    }

    /// Every name of up to five of these pieces.
    #[cfg(unix)]
    #[test]
    fn no_two_files_have_one_name() {
        use std::os::unix::ffi::OsStrExt;
        let mut names: Vec<Vec<u8>> = vec![Vec::new()];
        let mut shown = std::collections::HashSet::new();
        for _ in 0..5 {
            let longer = names.iter().flat_map(|name| {
                let pieces = [
                    &b"\\"[..],
                    b"x",
                    b"ff",
                    b"\xff",
                    b"\xfe",
                    "\u{fffd}".as_bytes(),
                ];
                pieces.map(|piece| [name, piece].concat())
            });
            names = longer.collect();
            for name in &names {
                let name = file_name(OsStr::from_bytes(name)).into_owned();
                assert!(shown.insert(name.clone()), "{name}");
            }
        }
        assert!(shown.contains(r"\xff") && shown.contains(r"\\xff"));
    }

    #[test]
    fn every_control_character_is_hidden() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            assert!(!c.is_control() || is_hidden(c), "{:x}", u32::from(c));
        }
    }
}
