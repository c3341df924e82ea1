//! Bytes looked at eight at a time, as the digits of one number.
//!
//! Each test marks the top bit of a byte that it is looking for. A borrow or a carry may mark bytes
//! above one that is marked rightly, so that the lowest mark is always right, and it is the only one
//! that is used.

/// One in every byte.
const ONES: u64 = u64::MAX / 0xff;

/// The top bit of every byte.
const TOPS: u64 = ONES << 7;

/// Where the first byte stands that ends a plain stretch of a JSON string: a quote, a backslash or a
/// control character below U+0020.
pub fn string_stop(bytes: &[u8]) -> Option<usize> {
    first(bytes, |word| {
        is(word, b'"') | is(word, b'\\') | below_space(word)
    })
}

/// Where the first byte stands that may end a JSON string that has been checked: a quote or a backslash.
pub fn string_end(bytes: &[u8]) -> Option<usize> {
    first(bytes, |word| is(word, b'"') | is(word, b'\\'))
}

/// Where the first byte stands that is no printable ASCII, or that JSON escapes.
pub fn not_plain(bytes: &[u8]) -> Option<usize> {
    first(bytes, |word| {
        is(word, b'"') | is(word, b'\\') | below_space(word) | above_tilde(word)
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
    // Spaces, which nothing looks for, stand for what is not there.
    let mut word = [b' '; 8];
    for (to, from) in word.iter_mut().zip(rest) {
        *to = *from;
    }
    let marked = marks(u64::from_le_bytes(word));
    (marked != 0).then(|| words.len() * 8 + place(marked))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte at every place, before and behind every other.
    #[test]
    fn the_first_is_the_first() {
        type Kind = (fn(&[u8]) -> Option<usize>, fn(u8) -> bool);
        let kinds: [Kind; 3] = [
            (string_stop, |b| b < 0x20 || b == b'"' || b == b'\\'),
            (not_plain, |b| {
                !(0x20..0x7f).contains(&b) || b == b'"' || b == b'\\'
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
}
