//! The words of an intent, and which words of an action they name.

use super::amounts::sums;
use crate::embed::fold;
use crate::firewall::gloss::view::head;
use std::collections::BTreeSet;
use std::ops::Bound;

/// Words of an intent that are looked at.
const INTENT_WORDS: usize = 1000;

/// Bytes of a text whose words are compared with the intent's.
pub(super) const TEXT: usize = 16 << 10;

/// Words that say nothing of what an intent is about.
pub const STOP: &[&str] = &[
    "a", "about", "all", "an", "and", "are", "as", "at", "be", "by", "can", "for", "from", "had",
    "has", "have", "her", "his", "how", "i", "in", "into", "is", "it", "its", "me", "my", "new",
    "not", "of", "on", "or", "our", "out", "please", "so", "that", "the", "their", "them", "then",
    "this", "to", "up", "was", "we", "were", "what", "which", "who", "with", "you", "your",
];

/// Words that nearly every English intent has one of.
const ENGLISH: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "are", "at", "be", "before", "by", "do", "for",
    "from", "had", "has", "have", "how", "if", "in", "is", "it", "last", "me", "my", "next", "no",
    "not", "of", "on", "or", "our", "that", "the", "this", "to", "was", "what", "when", "which",
    "will", "with", "you",
];

/// Words of other languages that are none of English.
const FOREIGN: &[&str] = &[
    "al", "att", "auf", "aus", "bei", "bir", "che", "con", "dans", "das", "de", "del", "della",
    "dem", "der", "des", "di", "du", "een", "ein", "eine", "el", "est", "et", "ett", "gli", "het",
    "il", "la", "las", "le", "les", "los", "mit", "na", "nach", "nel", "nie", "och", "og", "para",
    "por", "pour", "som", "sur", "til", "um", "uma", "und", "ve", "voor", "zum", "zur",
];

/// Parts of hosts and paths that name nothing.
const COMMON: &[&str] = &[
    "api", "app", "cloud", "co", "com", "corp", "data", "dev", "etc", "example", "home", "host",
    "http", "https", "inc", "internal", "io", "local", "ltd", "mail", "mnt", "net", "opt", "org",
    "root", "s3", "server", "site", "srv", "test", "tmp", "users", "usr", "var", "web", "www",
];

/// A set of numbers below 1,024.
#[derive(Clone, Copy, Debug, Default)]
struct Bits([u64; 16]);

impl Bits {
    fn holds(&self, number: usize) -> bool {
        let bits = self.0.get(number / 64);
        bits.is_some_and(|bits| bits >> (number % 64) & 1 == 1)
    }
}

impl FromIterator<usize> for Bits {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut set = Bits::default();
        for number in numbers {
            if let Some(bits) = set.0.get_mut(number / 64) {
                *bits |= 1 << (number % 64);
            }
        }
        set
    }
}

/// A sorted set of words that tells of most others soon that they are not in it.
#[derive(Debug, Default)]
pub(super) struct WordSet {
    words: BTreeSet<String>,
    /// The bytes that its words begin with.
    first: Bits,
    /// The [`mark`]s of its words.
    marks: Bits,
}

/// A number below 1,024, the same for equal words.
fn mark(word: &str) -> usize {
    let bytes = word.as_bytes();
    let ends = [bytes.first(), bytes.last()].map(|b| b.copied().map_or(0, usize::from));
    (ends[0] * 37 + ends[1] * 5 + bytes.len() * 131) % 1024
}

impl WordSet {
    pub(super) fn contains(&self, word: &str) -> bool {
        self.marks.holds(mark(word)) && self.words.contains(word)
    }

    /// Whether one of its words begins with the same byte.
    fn may_hold(&self, word: &str) -> bool {
        word.bytes()
            .next()
            .is_some_and(|b| self.first.holds(b.into()))
    }

    /// Whether one of its words begins with these letters.
    fn has_beginning(&self, letters: &str) -> bool {
        let from = (Bound::Included(letters), Bound::Unbounded);
        let mut from = self.words.range::<str, _>(from);
        from.next().is_some_and(|word| word.starts_with(letters))
    }
}

impl FromIterator<String> for WordSet {
    fn from_iter<I: IntoIterator<Item = String>>(words: I) -> Self {
        let words: BTreeSet<String> = words.into_iter().collect();
        let first = words.iter().filter_map(|word| word.bytes().next());
        WordSet {
            first: first.map(usize::from).collect(),
            marks: words.iter().map(|word| mark(word)).collect(),
            words,
        }
    }
}

/// The words of an intent.
#[derive(Debug, Default)]
pub struct IntentWords {
    pub(super) words: WordSet,
    /// Whether one of them is a number.
    pub(super) numbers: bool,
    english: bool,
    /// Its sums without separators and decimals.
    pub(super) sums: BTreeSet<String>,
    /// Its beginning in lower case.
    pub(super) text: String,
}

impl IntentWords {
    /// The words of an intent, and what is left of them without their endings.
    pub fn new(intent: &str) -> IntentWords {
        let lower = fold(intent).to_ascii_lowercase();
        let all = || words(&lower).take(INTENT_WORDS);
        let kept = all().filter(|word| word.len() >= 2 && STOP.binary_search(word).is_err());
        let words: WordSet = kept
            .flat_map(|w| [w.to_owned(), stem(w).to_owned()])
            .collect();
        let mut each = words.words.iter();
        IntentWords {
            numbers: each.any(|w| w.bytes().all(|b| b.is_ascii_digit())),
            words,
            sums: sums(head(&lower, TEXT)).collect(),
            text: head(&lower, TEXT).to_owned(),
            english: is_english(intent, all()),
        }
    }

    /// Whether it is in the language that the table's patterns read.
    pub fn is_english(&self) -> bool {
        self.english
    }

    /// Whether it has no word that says anything.
    pub(super) fn is_empty(&self) -> bool {
        self.words.words.is_empty()
    }

    /// Whether a word begins as one of the intent's does.
    pub(super) fn may_hold(&self, word: &str) -> bool {
        self.words.may_hold(word)
    }

    /// Whether a word, or what is left of it without its ending, is one of them.
    pub(super) fn holds(&self, word: &str) -> bool {
        if !self.may_hold(word) {
            return false;
        }
        self.words.contains(word) || self.words.contains(stem(word))
    }

    /// Whether it holds a word, or one of four letters and more that begins it or that it begins.
    pub(super) fn names(&self, word: &str) -> bool {
        if word.len() < 2 || COMMON.binary_search(&word).is_ok() {
            return false;
        }
        if self.holds(word) {
            return true;
        }
        if word.len() < 4 {
            return false;
        }
        self.words.has_beginning(word)
            || (4..word.len()).any(|end| self.words.contains(&word[..end]))
    }

    /// Whether it names any word of a text.
    pub(super) fn names_any(&self, text: &str) -> bool {
        words(head(text, 256)).any(|word| self.names(word))
    }
}

/// Whether an intent is English, as far as its words tell.
fn is_english<'w>(intent: &str, words: impl Iterator<Item = &'w str>) -> bool {
    let mut foreign = !intent.is_ascii();
    for word in words {
        if ENGLISH.binary_search(&word).is_ok() {
            return true;
        }
        foreign |= FOREIGN.binary_search(&word).is_ok();
    }
    !foreign
}

/// The words of a text in lower case: letters and digits in a row.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    // No byte of another character is an ASCII letter or digit.
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric();
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.as_bytes().get(at..)?;
        let start = at + rest.iter().position(is_part)?;
        let rest = text.as_bytes().get(start..)?;
        at = start + rest.iter().position(|b| !is_part(b)).unwrap_or(rest.len());
        text.get(start..at)
    })
}

fn stem(word: &str) -> &str {
    let endings = ["ing", "ies", "ed", "es", "s", "y"].iter();
    let mut stems = endings.filter_map(|end| word.strip_suffix(end));
    stems.find(|stem| stem.len() >= 3).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [STOP, ENGLISH, FOREIGN, COMMON] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }

    #[test]
    fn words_are_named_in_their_forms() {
        let intent = IntentWords::new("Refund the customers of order 5531 at Lisbonne");
        assert!(intent.is_english());
        for (word, named) in [
            ("customer", true),
            ("orders", true),
            ("5531", true),
            ("lisbon", true),
            ("refunding", true),
            ("the", false),
            ("553", false),
            ("example", false),
        ] {
            assert_eq!(intent.names(word), named, "{word}");
        }
        assert!(!IntentWords::new("Verleng de reservering").is_english());
    }
}
