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

use vocabulary::Found;
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
            found: Found::default(),
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
    /// The word so far: its first [`LONGEST_WORD`] characters.
    word: Vec<u8>,
    /// Characters of the word so far.
    chars: usize,
    /// What the vocabulary has of the latest word.
    found: Found,
}

impl<F: FnMut(u32) -> ControlFlow<()>> Words<'_, F> {
    fn read(&mut self, text: &str) -> ControlFlow<()> {
        let mut rest = text;
        while !rest.is_empty() {
            let foreign = |b: &u8| !b.is_ascii();
            let ascii = rest.bytes().take_while(|b| !foreign(b)).count();
            let (plain, after) = rest.split_at(ascii);
            let mut plain = plain.as_bytes();
            while let Some((&byte, others)) = plain.split_first() {
                plain = others;
                match class(byte) {
                    Class::Letter => {
                        let letter = |b: &&u8| class(**b) == Class::Letter;
                        let more = others.iter().take_while(letter).count();
                        let (letters, others) = others.split_at(more);
                        self.push_ascii(&[byte]);
                        self.push_ascii(letters);
                        plain = others;
                    }
                    Class::Punctuation => {
                        self.end_word()?;
                        self.push_ascii(&[byte]);
                        self.end_word()?;
                    }
                    Class::Space => self.end_word()?,
                    Class::Control | Class::Other => {}
                }
            }
            // Control characters go before anything is decomposed, so they part nothing. Any other
            // ASCII character does: marks are not moved across it.
            let inside = |b: &u8| matches!(class(*b), Class::Other | Class::Control);
            let run = after.bytes().take_while(inside).count();
            let (foreign, after) = after.split_at(run);
            self.read_foreign(foreign)?;
            rest = after;
        }
        self.end_word()
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

    fn push_ascii(&mut self, bytes: &[u8]) {
        let room = LONGEST_WORD.saturating_sub(self.chars);
        let kept = bytes.iter().take(room);
        self.word.extend(kept.map(u8::to_ascii_lowercase));
        self.chars += bytes.len();
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
        let known = self.chars <= LONGEST_WORD && {
            let Words {
                vocabulary,
                word,
                found,
                ..
            } = self;
            vocabulary.pieces(word, found)
        };
        self.word.clear();
        self.chars = 0;
        if known {
            self.found.ids.iter().try_for_each(|&id| (self.each)(id))
        } else {
            self.unknown
                .map_or(ControlFlow::Continue(()), &mut self.each)
        }
    }
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
