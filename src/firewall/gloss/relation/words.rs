//! The words of an intent, and which words of an action they name.

use super::amounts::sums;
use super::domains::{self, Domains};
use super::language::is_english;
use crate::embed::fold;
use crate::firewall::gloss::view::head;
use crate::firewall::letters::{Kind, kind};
use std::collections::BTreeSet;

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

/// A sorted set of words of two letters and more that tells of most others soon that they are not in it.
#[derive(Debug, Default)]
pub(super) struct WordSet {
    words: Vec<String>,
    /// The [`opening`]s of its words.
    openings: Bits,
    /// The [`mark`]s of its words.
    marks: Bits,
}

/// A number below 1,024, the same for words whose first two letters are; none for shorter ones.
fn opening(word: &str) -> Option<usize> {
    match word.as_bytes() {
        [first, second, ..] => Some(usize::from(first & 31) * 32 + usize::from(second & 31)),
        _ => None,
    }
}

/// A number below 1,024, the same for equal words.
fn mark(word: &str) -> usize {
    let bytes = word.as_bytes();
    let ends = [bytes.first(), bytes.last()].map(|b| b.copied().map_or(0, usize::from));
    (ends[0] * 37 + ends[1] * 5 + bytes.len() * 131) % 1024
}

impl WordSet {
    pub(super) fn contains(&self, word: &str) -> bool {
        self.marks.holds(mark(word)) && self.place(word).is_ok()
    }

    /// Whether one of its words may begin with the same two letters.
    fn may_hold(&self, word: &str) -> bool {
        opening(word).is_some_and(|number| self.openings.holds(number))
    }

    /// Whether one of its words begins with these letters.
    fn has_beginning(&self, letters: &str) -> bool {
        let (Ok(at) | Err(at)) = self.place(letters);
        let next = self.words.get(at);
        next.is_some_and(|word| word.starts_with(letters))
    }

    /// Where a word is among its own, or would be.
    fn place(&self, word: &str) -> Result<usize, usize> {
        self.words.binary_search_by(|own| own.as_str().cmp(word))
    }
}

impl FromIterator<String> for WordSet {
    fn from_iter<I: IntoIterator<Item = String>>(words: I) -> Self {
        let mut words: Vec<String> = words.into_iter().collect();
        words.sort_unstable();
        words.dedup();
        WordSet {
            openings: words.iter().filter_map(|word| opening(word)).collect(),
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
    /// The hosts that it names.
    pub(super) domains: Domains,
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
            domains: Domains::new(head(&lower, TEXT)),
            english: is_english(intent),
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

    /// Whether a word may begin with the same two letters as one of the intent's.
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
        if !self.may_hold(word) || COMMON.binary_search(&word).is_ok() {
            return false;
        }
        self.holds(word)
            || word.len() >= 4 && self.words.has_beginning(word)
            || (4..word.len()).any(|end| self.words.contains(&word[..end]))
    }

    /// Whether it names a host: the host, another of its domain, or by one word the whole name of that.
    /// A word that is part of a host of its own names no other.
    pub(super) fn names_host(&self, host: &str) -> bool {
        self.domains.has(host)
            || self.names_domain(host)
            || host.starts_with('[') && self.text.contains(host)
    }

    /// Whether one of its words is the whole name of a host's domain. A word that is the name of a
    /// host's domain itself names no other.
    fn names_domain(&self, host: &str) -> bool {
        let name = domains::name(host);
        name.bytes().any(|byte| byte.is_ascii_alphabetic())
            && COMMON.binary_search(&name).is_err()
            && self.words.contains(name)
            && !self.domains.has_name(name)
    }

    /// Whether it names a mail address of a name and a domain: the address, the domain, or a word of the
    /// name that is not that of another address.
    pub(super) fn names_address(&self, name: &str, domain: &str) -> bool {
        let by_word = |word: &str| self.names(word) && !self.domains.has_person(word);
        self.domains.has_address(name, domain)
            || self.names_domain(domain)
            || words(head(name, 256)).any(by_word)
    }

    /// Whether it names any word of a text.
    pub(super) fn names_any(&self, text: &str) -> bool {
        words(head(text, 256)).any(|word| self.names(word))
    }
}

/// The words of a text in lower case: letters and digits in a row.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    // No byte of another character is an ASCII letter or digit.
    let is_part = |byte: &u8| kind(*byte) == Kind::Part;
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.as_bytes().get(at..)?;
        let start = at + rest.iter().position(is_part)?;
        let rest = text.as_bytes().get(start..)?;
        at = start + rest.iter().position(|b| !is_part(b)).unwrap_or(rest.len());
        text.get(start..at)
    })
}

/// What is left of a word without its ending.
pub(super) fn stem(word: &str) -> &str {
    let endings = ["ing", "ies", "ed", "es", "s", "y"].iter();
    let mut stems = endings.filter_map(|end| word.strip_suffix(end));
    stems.find(|stem| stem.len() >= 3).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [STOP, COMMON] {
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
