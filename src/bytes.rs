//! Bytes looked at many at a time: sixty-four for what stops a JSON string, else eight, as the digits
//! of one number.
//!
//! Of the eight, each test marks the top bit of a byte that it is looking for. A borrow or a carry may mark bytes
//! above one that is marked rightly, so that the lowest mark is always right, and it is the only one
//! that is used.

mod spaces;

pub use spaces::without_spaces;
use std::num::NonZero;
use wide::u8x16;

/// Which of all bytes are among these.
pub const fn among(bytes: &[u8]) -> [bool; 256] {
    let (mut among, mut i) = ([false; 256], 0);
    while i < bytes.len() {
        among[bytes[i] as usize] = true;
        i += 1;
    }
    among
}

/// Where a JSON string may stop being plain, that is quotes, backslashes and control characters below
/// U+0020, in one text that is gone through from front to back.
///
/// What was found in a block of the text is kept until another block is asked for, so that a text of
/// many short strings and escapes costs no more than one of few long ones: some 50 instructions per
/// 64 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Stops {
    /// Number of the block that `marks` is of.
    block: usize,
    /// The lowest bit is the first byte.
    marks: u64,
}

impl Default for Stops {
    /// Nothing has been looked at.
    fn default() -> Stops {
        Stops {
            block: usize::MAX,
            marks: 0,
        }
    }
}

impl Stops {
    /// Bytes of a block.
    pub const BLOCK: usize = u64::BITS as usize;

    /// Where the first stop stands at `from` or behind it, where that is known without looking.
    #[inline]
    pub fn near(&self, from: usize) -> Option<usize> {
        let ahead = NonZero::new(self.marks >> (from % Stops::BLOCK))?;
        let known = from / Stops::BLOCK == self.block;
        known.then(|| from + ahead.trailing_zeros() as usize)
    }

    /// Where the first stop stands in `text` at `from` or behind it. It is always the same text.
    #[inline]
    pub fn next(&mut self, text: &[u8], from: usize) -> Option<usize> {
        if let Some(stop) = self.near(from) {
            return Some(stop);
        }
        let mut block = from / Stops::BLOCK;
        let mut within = u64::MAX << (from % Stops::BLOCK);
        loop {
            if let Some(ahead) = NonZero::new(self.of_block(text, block)? & within) {
                return Some(block * Stops::BLOCK + ahead.trailing_zeros() as usize);
            }
            within = u64::MAX;
            block += 1;
        }
    }

    /// The stops in a block of the text, the lowest bit for its first byte; absent behind the text.
    #[inline(always)]
    pub fn of_block(&mut self, text: &[u8], block: usize) -> Option<u64> {
        if block != self.block {
            if block * Stops::BLOCK >= text.len() {
                return None;
            }
            self.look(text, block);
        }
        Some(self.marks)
    }

    /// Looks at a block that begins within the text.
    #[inline(always)]
    fn look(&mut self, text: &[u8], block: usize) {
        let rest = text.get(block * Stops::BLOCK..).unwrap_or_default();
        self.block = block;
        self.marks = match rest.first_chunk() {
            Some(whole) => marks(whole),
            None => Stops::last(text, rest),
        };
    }

    /// The stops in the last block of a text, which is short.
    #[inline(never)]
    fn last(text: &[u8], rest: &[u8]) -> u64 {
        if let Some(last) = text.last_chunk() {
            return marks(last) >> (Stops::BLOCK - rest.len());
        }
        let mut padded = [b' '; Stops::BLOCK];
        for (to, from) in padded.iter_mut().zip(rest) {
            *to = *from;
        }
        marks(&padded)
    }
}

/// A bit for each byte that is a stop.
#[inline]
fn marks(block: &[u8; Stops::BLOCK]) -> u64 {
    let (parts, _) = block.as_chunks::<16>();
    parts.iter().rev().fold(0, |marks, part| {
        let bytes = u8x16::new(*part);
        // With this bit turned over, quotes stand right behind the control characters.
        let turned = bytes ^ u8x16::splat(b'"' ^ 0x20);
        let ends = turned.min(u8x16::splat(0x20)).simd_eq(turned);
        let stops = ends | bytes.simd_eq(u8x16::splat(b'\\'));
        marks << 16 | u64::from(stops.to_bitmask())
    })
}

/// One in every byte.
const ONES: u64 = u64::MAX / 0xff;

/// The top bit of every byte.
const TOPS: u64 = ONES << 7;

/// Whether all bytes are printable ASCII that JSON does not escape; they have been appended then, and
/// perhaps some of them otherwise. It goes through short texts once, and calls nothing to copy them.
pub fn copy_plain(bytes: &[u8], out: &mut Vec<u8>) -> bool {
    let plain = |word: &[u8; 8]| {
        let word = u64::from_le_bytes(*word);
        is(word, b'"') | is(word, b'\\') | below_space(word) | above_tilde(word) == 0
    };
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        if !plain(word) {
            return false;
        }
        out.extend_from_slice(word);
    }
    if rest.is_empty() {
        return true;
    }
    let end = out.len() + rest.len();
    let word = match bytes.last_chunk() {
        Some(last) => {
            out.truncate(end - 8);
            *last
        }
        None => padded(rest),
    };
    out.extend_from_slice(&word);
    out.truncate(end);
    plain(&word)
}

/// Where the first byte stands that is no printable ASCII, or that ends or quotes a cell of CSV.
pub fn not_cell(bytes: &[u8]) -> Option<usize> {
    first(bytes, |word| {
        is(word, b'"') | is(word, b',') | below_space(word) | above_tilde(word)
    })
}

/// Where the first byte stands that is no printable ASCII.
pub fn not_printable(bytes: &[u8]) -> Option<usize> {
    first(bytes, |word| below_space(word) | above_tilde(word))
}

fn is(word: u64, byte: u8) -> u64 {
    let differs = word ^ (ONES * u64::from(byte));
    differs.wrapping_sub(ONES) & !differs & TOPS
}

fn below_space(word: u64) -> u64 {
    word.wrapping_sub(ONES * 0x20) & !word & TOPS
}

fn above_tilde(word: u64) -> u64 {
    (word | word.wrapping_add(ONES)) & TOPS
}

/// Where the first byte stands that is marked.
#[inline]
fn first(bytes: &[u8], marks: impl Fn(u64) -> u64) -> Option<usize> {
    let place = |marked: u64| marked.trailing_zeros() as usize / 8;
    let (words, rest) = bytes.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let marked = marks(u64::from_le_bytes(*word));
        if marked != 0 {
            return Some(number * 8 + place(marked));
        }
    }
    if let (false, Some(last)) = (rest.is_empty(), bytes.last_chunk::<8>()) {
        // The rest with what stands before it, in which nothing was found.
        let marked = marks(u64::from_le_bytes(*last));
        return (marked != 0).then(|| bytes.len() - 8 + place(marked));
    }
    let marked = marks(u64::from_le_bytes(padded(rest)));
    (marked != 0).then(|| words.len() * 8 + place(marked))
}

/// Fewer than eight bytes, and spaces, which nothing looks for, for what is not there.
#[inline]
fn padded(rest: &[u8]) -> [u8; 8] {
    let mut word = [b' '; 8];
    for (to, from) in word.iter_mut().zip(rest) {
        *to = *from;
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// What is plain is copied, and of what is not it is told: every byte at every place.
    #[test]
    fn what_is_plain_is_copied() {
        for byte in 0..=u8::MAX {
            let plain = (0x20..0x7f).contains(&byte) && byte != b'"' && byte != b'\\';
            for length in 0..20 {
                for at in 0..length {
                    let mut bytes = b"abcdefghijklmnopqrst"[..length].to_vec();
                    bytes[at] = byte;
                    let mut out = b"x".to_vec();
                    assert_eq!(copy_plain(&bytes, &mut out), plain, "{bytes:?}");
                    assert!(!plain || out == [b"x", &*bytes].concat(), "{bytes:?}");
                }
            }
            let mut out = Vec::new();
            assert!(copy_plain(b"", &mut out) && out.is_empty());
        }
    }

    /// Every byte at every place, before and behind every other.
    #[test]
    fn the_first_is_the_first() {
        type Kind = (fn(&[u8]) -> Option<usize>, fn(u8) -> bool);
        let kinds: [Kind; 2] = [
            (not_cell, |b| {
                !(0x20..0x7f).contains(&b) || b == b'"' || b == b','
            }),
            (not_printable, |b| !(0x20..0x7f).contains(&b)),
        ];
        for (find, is) in kinds {
            for first in 0..=u8::MAX {
                for second in 0..=u8::MAX {
                    for at in [0, 3, 6, 7, 9] {
                        let mut bytes = *b"abcdefghijk";
                        (bytes[at], bytes[at + 1]) = (first, second);
                        let expected = bytes.iter().position(|&b| is(b));
                        assert_eq!(find(&bytes), expected, "{bytes:?}");
                    }
                }
            }
            assert_eq!(find(b""), None);
            assert_eq!(find(b"abcdefgh"), None);
        }
    }

    /// Every stop is found, in every block, in texts whose last block is cut at every length.
    #[test]
    fn stops_are_found_in_every_block() {
        let mut random = Random::new(11);
        for length in 0..200_usize {
            let text: Vec<u8> = (0..length)
                .map(|_| match random.below(32) {
                    0 => b'"',
                    1 => b'\\',
                    2 => random.next() as u8,
                    3 => random.below(0x22),
                    _ => b'a',
                })
                .collect();
            let (mut onward, blocks) = (Stops::default(), length.div_ceil(Stops::BLOCK));
            for (block, bytes) in text.chunks(Stops::BLOCK).enumerate() {
                let stops = |b: &u8| *b < 0x20 || *b == b'"' || *b == b'\\';
                let marks = (0..).zip(bytes).filter(|(_, b)| stops(b));
                let expected = Some(marks.fold(0, |marks, (n, _)| marks | 1_u64 << n));
                assert_eq!(onward.of_block(&text, block), expected, "{text:?} {block}");
                let mut alone = Stops::default();
                assert_eq!(alone.of_block(&text, block), expected, "{text:?} {block}");
            }
            assert_eq!(onward.of_block(&text, blocks), None, "{text:?}");
            let mut onward = Stops::default();
            for from in 0..length + 3 {
                let rest = text.get(from..).unwrap_or_default();
                let stops = |b: &u8| *b < 0x20 || *b == b'"' || *b == b'\\';
                let expected = rest.iter().position(stops).map(|n| from + n);
                assert_eq!(onward.next(&text, from), expected, "{text:?} {from}");
                let mut alone = Stops::default();
                assert_eq!(alone.next(&text, from), expected, "{text:?} {from}");
            }
        }
    }
}
