//! `hash`: counts of words and of three characters in a row, hashed to 512 numbers.
//!
//! It knows no meaning: texts are close where they share words or parts of words. It needs no data,
//! and works for any language that is written with letters.
//!
//! The text is decomposed (NFKD), marks are dropped, the rest is in lower case. Words are runs of
//! letters and digits. Features are each word, `w` before it, and of each word between `<` and `>`
//! every three characters in a row, `c` before them. A feature's hash is FNV-1a of 32 bits over its
//! UTF-8, then the finaliser of MurmurHash3. The lowest 9 bits are the component; the highest is the
//! sign: set, one is added, else taken away. A component is the square root of the amount that
//! results, with its sign, so that what is said ten times does not weigh ten times as much.

use super::cache::Limits;
use super::wordpiece::is_mark;
use super::{Embedder, Embedding};
use unicode_normalization::UnicodeNormalization;

/// Components of a vector.
pub const DIMENSIONS: usize = 512;

/// Characters that a feature of characters has.
const GRAM: usize = 3;

/// The embedder `hash`.
#[derive(Debug)]
pub struct HashEmbedder;

/// FNV-1a as far as a feature has been read.
#[derive(Clone, Copy)]
struct Fnv(u32);

impl Fnv {
    fn new(kind: char) -> Fnv {
        Fnv(0x811c_9dc5).add(kind)
    }

    fn add(self, c: char) -> Fnv {
        let step = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        Fnv(c
            .encode_utf8(&mut [0; 4])
            .as_bytes()
            .iter()
            .fold(self.0, step))
    }

    /// The hash, finished.
    fn finish(self) -> u32 {
        let hash = (self.0 ^ (self.0 >> 16)).wrapping_mul(0x85eb_ca6b);
        let hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
        hash ^ (hash >> 16)
    }
}

/// A text on its way to counts.
struct Counts {
    sums: [i64; DIMENSIONS],
    /// The word so far; absent between words.
    word: Option<Fnv>,
    /// The latest characters of the word, `<` being its first.
    latest: [Option<char>; GRAM - 1],
}

impl Counts {
    fn add(&mut self, feature: Fnv) {
        let hash = feature.finish();
        if let Some(sum) = self.sums.get_mut(hash as usize % DIMENSIONS) {
            *sum += if hash >> 31 == 1 { 1 } else { -1 };
        }
    }

    /// Takes the next character of a word, or one of its ends, into the features of characters.
    fn gram(&mut self, c: char) {
        let [first, second] = self.latest;
        self.latest = [second, Some(c)];
        if let (Some(first), Some(second)) = (first, second) {
            self.add(Fnv::new('c').add(first).add(second).add(c));
        }
    }

    fn read(&mut self, text: impl Iterator<Item = char>) {
        for c in text {
            if c.is_alphanumeric() {
                if self.word.is_none() {
                    self.latest = [None, Some('<')];
                }
                let word = self.word.unwrap_or(Fnv::new('w'));
                self.word = Some(word.add(c));
                self.gram(c);
            } else {
                self.end_word();
            }
        }
        self.end_word();
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            self.add(word);
            self.gram('>');
        }
    }
}

/// What the features of a text add up to, before roots are taken.
pub fn counts(text: &str) -> [i64; DIMENSIONS] {
    let mut counts = Counts {
        sums: [0; DIMENSIONS],
        word: None,
        latest: [None; GRAM - 1],
    };
    if text.is_ascii() {
        counts.read(
            text.bytes()
                .map(|byte| char::from(byte.to_ascii_lowercase())),
        );
    } else {
        let bare = text.nfkd().filter(|&c| !is_mark(c));
        counts.read(bare.flat_map(char::to_lowercase));
    }
    counts.sums
}

impl Embedder for HashEmbedder {
    fn id(&self) -> &'static str {
        "hash"
    }

    fn sha256(&self) -> Option<&str> {
        None
    }

    fn remembers(&self) -> Limits {
        Limits::NEAR
    }

    fn embed(&self, text: &str) -> Embedding {
        // Square roots are rounded the same way everywhere, by IEEE 754.
        let root = |&sum: &i64| (sum.unsigned_abs() as f64).sqrt() * sum.signum() as f64;
        Embedding::new(counts(text).iter().map(root).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(feature: &str) -> u32 {
        let mut chars = feature.chars();
        let kind = chars.next().expect("a kind");
        chars.fold(Fnv::new(kind), Fnv::add).finish()
    }

    fn expected(features: &[&str]) -> [i64; DIMENSIONS] {
        let mut sums = [0; DIMENSIONS];
        for feature in features {
            let hash = hash(feature);
            sums[hash as usize & 511] += if hash & 0x8000_0000 == 0 { -1 } else { 1 };
        }
        sums
    }

    /// The published test vector of FNV-1a.
    #[test]
    fn the_hash_is_fnv() {
        let hash = "oobar".chars().fold(Fnv::new('f'), Fnv::add);
        assert_eq!(hash.0, 0xbf9c_f968);
    }

    #[test]
    fn features_are_words_and_three_characters() {
        let two = expected(&["wrm", "c<rm", "crm>", "wx", "c<x>"]);
        assert_eq!(counts("rm X"), two);
        assert_eq!(counts("--RM;x\n"), two);
        assert_eq!(counts("rm x ☃"), two);
        assert_eq!(counts("☃ - 🙂"), [0; DIMENSIONS]);
        assert_eq!(counts("日本"), expected(&["w日本", "c<日本", "c日本>"]));
    }

    /// Other ways to write a letter are the same letter.
    #[test]
    fn letters_are_folded() {
        for text in ["CRÈME", "cre\u{300}me", "ｃｒｅｍｅ", "𝒄𝒓𝒆𝒎𝒆"] {
            assert_eq!(counts(text), counts("creme"), "{text}");
        }
    }

    #[test]
    fn amounts_grow_slower_than_counts() {
        let once = HashEmbedder.embed("curl");
        let often = HashEmbedder.embed(&"curl ".repeat(100));
        assert!(!once.is_zero());
        for (one, many) in once.values.iter().zip(often.values.iter()) {
            assert_eq!(10.0 * one, *many);
        }
    }
}
