//! Where a quoted piece of text ends, however deep the text around it is escaped.

use std::ops::Range;

/// An opening quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Backslashes before it.
    escapes: usize,
    sign: u8,
    /// Where the piece begins.
    begins: usize,
}

impl Quote {
    /// The quote that opens at this place, behind any number of backslashes.
    pub fn at(text: &str, place: usize) -> Option<Quote> {
        let rest = text.as_bytes().get(place..)?;
        let escapes = rest.iter().take_while(|&&b| b == b'\\').count();
        let sign = *rest.get(escapes)?;
        matches!(sign, b'"' | b'\'' | b'`').then_some(Quote {
            escapes,
            sign,
            begins: place + escapes + 1,
        })
    }

    /// Where the piece begins, behind the quote.
    pub fn begins(self) -> usize {
        self.begins
    }

    /// The quoted piece, and where the text goes on. Without a closing quote it is all that follows.
    ///
    /// A text that is escaped once more doubles the backslashes: with `k` of them before the opening
    /// quote, `2k + 1` are an escaped quote inside, and `k` after any number of escaped backslashes
    /// close. Fewer close a string further out.
    pub fn piece(self, text: &str) -> (Range<usize>, usize) {
        let bytes = text.as_bytes();
        let k = self.escapes;
        let (mut row, mut at) = (0, self.begins);
        while let Some(&b) = bytes.get(at) {
            if b == self.sign && (row <= k || row % (2 * (k + 1)) == k) {
                return (self.begins..at - row.min(k), at + 1);
            }
            row = if b == b'\\' { row + 1 } else { 0 };
            at += 1;
        }
        (self.begins..text.len(), text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Escaped quotes do not end a piece, at any depth of escaping; those further out do.
    #[test]
    fn pieces_end_at_their_own_depth() {
        for (text, piece, rest) in [
            (r#""a b" c"#, "a b", " c"),
            (r#""a\"b" c"#, r#"a\"b"#, " c"),
            (r#"\"a\", c"#, "a", ", c"),
            (r#"\"a\\\"b\", c"#, r#"a\\\"b"#, ", c"),
            (r#"\\\"a\\\" c"#, "a", " c"),
            (r#"\"a" c"#, "a", " c"),
            ("'open", "open", ""),
        ] {
            let quote = Quote::at(text, 0).expect("a quote");
            let (found, end) = quote.piece(text);
            assert_eq!((&text[found], &text[end..]), (piece, rest), "{text}");
        }
        assert_eq!(Quote::at("a", 0), None);
    }
}
