//! WordPiece: text to the tokens of a BERT vocabulary, as uncased BERT models cut it.
//!
//! The steps are those of `BertNormalizer` (control characters out, spaces around CJK ideographs,
//! canonical decomposition, nonspacing marks out, lower case), `BertPreTokenizer` (words end at white
//! space; every punctuation character is a word) and `WordPiece` (the longest token that a word
//! begins with, then the longest that goes on, `##`, to its end; else the word is unknown).
//!
//! Two things differ on purpose. What reads `[SEP]` in a text is text, never the special token: text
//! that nobody vouches for must not speak to a model. And categories are those of a current Unicode:
//! marks and punctuation encoded after Unicode 8 are known as such.
//!
//! Time is linear in the text: a word has at most 100 characters, and at each of them as many
//! look-ups as the longest token has bytes.

mod vocabulary;

use std::ops::ControlFlow;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

pub use vocabulary::Vocabulary;

/// Longest word that is looked up, in characters; longer ones are unknown.
const LONGEST_WORD: usize = 100;

impl Vocabulary {
    /// Hands over the tokens of a text in order, until it is told to break. A word that tokens do not
    /// make up is `unknown`, or is left out where that is absent.
    pub fn tokenize(
        &self,
        text: &str,
        unknown: Option<u32>,
        each: impl FnMut(u32) -> ControlFlow<()>,
    ) {
        let mut words = Words {
            vocabulary: self,
            unknown,
            each,
            word: Vec::with_capacity(4 * LONGEST_WORD),
            chars: 0,
            pieces: Vec::new(),
        };
        // Breaking is how the caller says that it has enough.
        let _ = words.read(text);
    }
}

/// What an ASCII byte is to the tokeniser.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Letter,
    Punctuation,
    Space,
    /// A control character: not there.
    Control,
    /// Not ASCII.
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        classes[byte] = match b {
            b' ' | b'\t' | b'\n' | b'\r' => Class::Space,
            _ if b.is_ascii_control() => Class::Control,
            _ if b.is_ascii_punctuation() => Class::Punctuation,
            _ => Class::Letter,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

/// A text on its way to tokens.
struct Words<'v, F> {
    vocabulary: &'v Vocabulary,
    unknown: Option<u32>,
    each: F,
    /// The word so far, where it is no longer than [`LONGEST_WORD`].
    word: Vec<u8>,
    /// Characters of the word so far.
    chars: usize,
    /// The tokens of the latest word that is none itself.
    pieces: Vec<u32>,
}

impl<F: FnMut(u32) -> ControlFlow<()>> Words<'_, F> {
    fn read(&mut self, text: &str) -> ControlFlow<()> {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some((&byte, after)) = bytes.get(at..).and_then(<[u8]>::split_first) {
            let start = at;
            at += 1;
            match class(byte) {
                Class::Letter => {
                    at = start + self.read_letters(bytes.get(start..).unwrap_or_default())?;
                }
                Class::Punctuation => {
                    self.end_word()?;
                    let known = self.vocabulary.short_word(u64::from(byte), 1);
                    self.hand_over(known)?;
                }
                Class::Space => self.end_word()?,
                Class::Control => {}
                // Control characters go before anything is decomposed, so they part nothing. Any other
                // ASCII character does: marks are not moved across it.
                Class::Other => {
                    let inside = |b: &&u8| matches!(class(**b), Class::Other | Class::Control);
                    at += after.iter().take_while(inside).count();
                    self.read_foreign(text.get(start..at).unwrap_or_default())?;
                }
            }
        }
        self.end_word()
    }

    /// Reads up to eight of the ASCII letters and digits that the bytes begin with, and says how many.
    fn read_letters(&mut self, bytes: &[u8]) -> ControlFlow<(), usize> {
        let eight = match bytes.first_chunk() {
            Some(eight) => *eight,
            None => std::array::from_fn(|at| bytes.get(at).copied().unwrap_or(0)),
        };
        let count = leading_letters(eight);
        // The bit that makes letters small ones is set in digits.
        let small = u64::from_le_bytes(eight) | ONES << 5;
        let ends = |after: &u8| matches!(class(*after), Class::Space | Class::Punctuation);
        if self.chars == 0 && eight.get(count).is_some_and(ends) {
            let word = small & !(u64::MAX << (8 * count));
            if let Some(id) = self.vocabulary.short_word(word, count) {
                (self.each)(id)?;
                return ControlFlow::Continue(count);
            }
        }
        if self.chars <= LONGEST_WORD {
            let end = self.word.len() + count;
            self.word.extend_from_slice(&small.to_le_bytes());
            self.word.truncate(end);
        }
        self.chars += count;
        ControlFlow::Continue(count)
    }

    /// Reads text that is not ASCII, or control characters.
    fn read_foreign(&mut self, text: &str) -> ControlFlow<()> {
        let known = text.chars().filter(|&c| !is_removed(c));
        let spaced = known.flat_map(|c| {
            let around = is_ideograph(c).then_some(' ');
            [around, Some(c), around].into_iter().flatten()
        });
        let bare = spaced.nfd().filter(|&c| !is_mark(c));
        for c in bare.flat_map(char::to_lowercase) {
            if c.is_whitespace() {
                self.end_word()?;
            } else if is_punctuation(c) {
                self.end_word()?;
                self.push(c);
                self.end_word()?;
            } else {
                self.push(c);
            }
        }
        ControlFlow::Continue(())
    }

    fn push(&mut self, c: char) {
        if self.chars < LONGEST_WORD {
            let mut buffer = [0; 4];
            let bytes = c.encode_utf8(&mut buffer).as_bytes();
            self.word.extend_from_slice(bytes);
        }
        self.chars += 1;
    }

    /// Hands over the tokens of the word and begins the next.
    fn end_word(&mut self) -> ControlFlow<()> {
        if self.chars == 0 {
            return ControlFlow::Continue(());
        }
        let is_looked_up = self.chars <= LONGEST_WORD;
        self.chars = 0;
        // Most words are tokens themselves.
        let flow = match is_looked_up.then(|| self.vocabulary.word(&self.word)) {
            Some(None) if self.vocabulary.pieces(&self.word, &mut self.pieces) => {
                self.pieces.iter().try_for_each(|&id| (self.each)(id))
            }
            known => self.hand_over(known.flatten()),
        };
        self.word.clear();
        flow
    }

    /// Hands over the token of a word, if it is known.
    fn hand_over(&mut self, known: Option<u32>) -> ControlFlow<()> {
        let id = known.or(self.unknown);
        id.map_or(ControlFlow::Continue(()), &mut self.each)
    }
}

/// One in every byte.
const ONES: u64 = u64::MAX / 0xff;

/// How many of the bytes come before the first that is no ASCII letter or digit.
fn leading_letters(bytes: [u8; 8]) -> usize {
    const TOPS: u64 = ONES << 7;
    // Marks the top bit of each byte from `least` to `most`, of bytes below 128: no sum reaches the
    // next byte.
    let within = |bytes: u64, least: u8, most: u8| {
        let reach = |least: u8| bytes + ONES * u64::from(0x80 - least);
        reach(least) & !reach(most + 1)
    };
    let word = u64::from_le_bytes(bytes);
    let low = word & !TOPS;
    let found = within(low, b'0', b'9') | within(low | (ONES << 5), b'a', b'z');
    (!(found & !word) & TOPS).trailing_zeros() as usize / 8
}

/// Whether a character is taken out before anything else: controls, formats, private use, and the
/// replacement character.
pub(super) fn is_removed(c: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    c == '\u{fffd}' || matches!(get_general_category(c), Control | Format | PrivateUse)
}

/// Whether a character is a mark that takes no room of its own, as accents are.
pub(super) fn is_mark(c: char) -> bool {
    !c.is_ascii() && get_general_category(c) == GeneralCategory::NonspacingMark
}

fn is_punctuation(c: char) -> bool {
    use GeneralCategory::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation,
        InitialPunctuation, OpenPunctuation, OtherPunctuation,
    };
    c.is_ascii_punctuation()
        || matches!(
            get_general_category(c),
            ClosePunctuation
                | ConnectorPunctuation
                | DashPunctuation
                | FinalPunctuation
                | InitialPunctuation
                | OpenPunctuation
                | OtherPunctuation
        )
}

/// Whether each occurrence is a word of its own: the ideographs that Chinese is written with, not
/// the syllables of Japanese and Korean. The gap before U+2B920 is the reference's.
fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{4e00}'..='\u{9fff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2b81f}'
        | '\u{2b920}'..='\u{2ceaf}'
        | '\u{f900}'..='\u{faff}'
        | '\u{2f800}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte at every place, after letters and before others that might carry over.
    #[test]
    fn letters_are_told_from_all_other_bytes() {
        for byte in 0..=u8::MAX {
            for place in 0..8 {
                for after in [b'a', 0, 0xff] {
                    let mut bytes = [after; 8];
                    bytes[..place].copy_from_slice(&b"zZ9a0Ax"[..place]);
                    bytes[place] = byte;
                    let count = bytes.iter().take_while(|b| b.is_ascii_alphanumeric());
                    assert_eq!(leading_letters(bytes), count.count(), "{bytes:?}");
                    assert_eq!(class(byte) == Class::Letter, byte.is_ascii_alphanumeric());
                }
            }
        }
    }
}
