//! A text as a reader means it: wide letters made plain, what cannot be seen left out.

use crate::escape::is_hidden;
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// A folded text that knows where each of its bytes came from.
#[derive(Debug)]
pub struct Folded<'t> {
    /// The text, its letters in the case they were written in.
    pub text: Cow<'t, str>,
    /// Where the character of each byte begins in the text as written, and its end; absent where the
    /// two are the same.
    at: Option<Vec<usize>>,
}

impl<'t> Folded<'t> {
    /// Folds a text: compatibility forms such as full-width letters become the letters they stand
    /// for, hidden characters go; line ends and tabs stay.
    pub fn new(text: &'t str) -> Self {
        let stays = |b: u8| matches!(b, b' '..=b'~' | b'\t' | b'\n' | b'\r');
        if text.bytes().all(stays) {
            let text = Cow::Borrowed(text);
            return Folded { text, at: None };
        }
        let mut folded = String::with_capacity(text.len());
        let mut at = Vec::with_capacity(text.len() + 1);
        for (place, c) in text.char_indices() {
            let white = matches!(c, '\t' | '\n' | '\r');
            if is_hidden(c) && !white {
                continue;
            }
            folded.extend(std::iter::once(c).nfkc());
            at.resize(folded.len(), place);
        }
        at.push(text.len());
        Folded {
            text: Cow::Owned(folded),
            at: Some(at),
        }
    }

    /// Where a piece of the folded text stands in the text as written.
    pub fn place(&self, piece: Range<usize>) -> Range<usize> {
        match &self.at {
            None => piece,
            Some(at) => {
                let of = |offset: usize| at.get(offset).or(at.last()).copied().unwrap_or(0);
                of(piece.start)..of(piece.end)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_found_where_they_were_written() {
        let text = "é pa\u{200b}ss ｗｄ\n";
        let folded = Folded::new(text);
        assert_eq!(folded.text, "é pass wd\n");
        let at = folded.text.find("pass").expect("there");
        assert_eq!(&text[folded.place(at..at + 4)], "pa\u{200b}ss");
        let at = folded.text.find("wd").expect("there");
        assert_eq!(&text[folded.place(at..at + 2)], "ｗｄ");
        let all = folded.place(0..folded.text.len());
        assert_eq!(all, 0..text.len());
    }
}
