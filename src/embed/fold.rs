//! Text as every embedder reads it, whatever signs it is written with.
//!
//! Embedders see through accents, hidden characters and other forms of letters; so has everything
//! that looks for words in what they are given.

use super::wordpiece::{is_mark, is_removed};
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// The text without hidden characters and marks, letters in other forms (full width, bold, long s)
/// as plain ones, and all white space as spaces and line ends. Case is kept. A text of ASCII is
/// handed back as it is.
pub fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let seen = text.chars().filter(|&c| !is_hidden(c));
    let bare = seen.nfkd().filter(|&c| !is_mark(c));
    let plain = |c: char| match c {
        '\u{2028}' | '\u{2029}' => '\n',
        c if !c.is_ascii() && c.is_whitespace() => ' ',
        c => c,
    };
    let folded: String = bare.map(plain).collect();
    match folded == text {
        true => Cow::Borrowed(text),
        false => Cow::Owned(folded),
    }
}

/// Whether a character takes no room: formats, and letters that stand for none.
fn is_hidden(c: char) -> bool {
    let is_filler = matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}');
    is_filler || !c.is_ascii() && is_removed(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rationale: every one of these is read as the plain text by one embedder or another.
    #[test]
    fn other_ways_to_write_a_text_are_the_text() {
        for text in [
            "De\u{301}le\u{300}te it\n",
            "D\u{e9}l\u{e8}te it\n",
            "\u{202e}Delete\u{a0}it\u{202c}\n",
            "Del\u{200b}ete\u{3000}it\u{feff}\u{2028}",
            "De\u{ad}le\u{34f}te\u{fe0f} it\n",
            "Ｄｅｌｅｔｅ it\n",
            "𝐃elete 𝒊t\n",
        ] {
            assert_eq!(fold(text), "Delete it\n", "{text:?}");
        }
        assert_eq!(fold("li\u{17f}t"), "list");
    }

    #[test]
    fn what_needs_no_folding_is_borrowed() {
        for text in ["", "rm -rf\t/\n\x01", "修复测试", "тест"] {
            assert!(matches!(fold(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
