//! Numbers as machines and as people read them.
//!
//! Every float of a decision is finite by construction: a barrier that is NaN or infinite counts
//! as -1, scores are checked when they are read. What is derived from them, such as a difference of
//! two settings near the greatest float, need not be: machines read `null` or an empty cell then,
//! never a word that is no JSON.

use serde::{Serialize, Serializer};
use serde_json::ser::{CompactFormatter, Formatter};
use std::io;

/// A float on its way to a machine format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // What is not finite is written as `null`.
        serializer.serialize_f64(self.0)
    }
}

/// The fewest digits that read back the same, as JSON: `50`, `0.09999999999999998`, `1e20`; never
/// `-0`. A value that is not finite is `null`.
pub fn exact(value: f64) -> String {
    let mut bytes = Vec::with_capacity(24);
    // Writing to memory does not fail, and what is written is ASCII.
    let _ = write_exact(value, &mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}

/// Writes what [`exact`] returns.
///
/// # Errors
/// The output cannot be written.
pub fn write_exact<W: io::Write + ?Sized>(value: f64, out: &mut W) -> io::Result<()> {
    if !value.is_finite() {
        return out.write_all(b"null");
    }
    if value == 0.0 {
        return out.write_all(b"0");
    }
    // No float takes more than 24 bytes.
    let mut digits = [0; 32];
    let mut rest = &mut digits[..];
    CompactFormatter.write_f64(&mut rest, value)?;
    let used = 32 - rest.len();
    let digits = &digits[..used];
    let digits = digits.strip_suffix(b".0").unwrap_or(digits);
    // A positive exponent needs no sign.
    for part in digits.split(|&byte| byte == b'+') {
        out.write_all(part)?;
    }
    Ok(())
}

/// Appends what [`exact`] returns.
pub fn append_exact(value: f64, out: &mut Vec<u8>) {
    // Whole numbers take fewest digits as what they are.
    let whole = value as i64;
    // Writing to memory does not fail.
    let _ = if whole.unsigned_abs() < 1 << 50 && whole as f64 == value {
        CompactFormatter.write_i64(out, whole)
    } else if (1e-4..1e15).contains(&value.abs()) {
        // Neither an exponent nor a fraction of nothing: spelled alike everywhere.
        CompactFormatter.write_f64(out, value)
    } else {
        write_exact(value, out)
    };
}

/// Floats as they were spelled before. The same few come again and again: `next` of one call is `h` of
/// the following, and some barriers hardly move. Looking one up takes 25 instructions, finding its
/// fewest digits 140 and more.
#[derive(Debug)]
pub struct Digits {
    spell: fn(f64, &mut Vec<u8>),
    known: Box<[Spelled; 256]>,
    /// What was spelled last.
    fresh: Vec<u8>,
}

/// A float, by its bits, and its text.
#[derive(Clone, Copy, Debug)]
struct Spelled {
    bits: u64,
    length: u8,
    text: [u8; MOST],
}

/// Most bytes that a float takes.
const MOST: usize = 24;

impl Digits {
    /// Nothing is known yet. `spell` appends a float in at most 24 bytes of ASCII, always the same for
    /// the same bits.
    pub fn new(spell: fn(f64, &mut Vec<u8>)) -> Digits {
        // Before anything is known every place is that of zero.
        let mut fresh = Vec::with_capacity(MOST);
        spell(0.0, &mut fresh);
        let known = Box::new([Spelled::of(0, &fresh); 256]);
        Digits {
            spell,
            known,
            fresh,
        }
    }

    /// Appends the float as it is spelled.
    #[inline]
    pub fn append(&mut self, value: f64, out: &mut Vec<u8>) {
        let known = self.known(value);
        let end = out.len() + usize::from(known.length);
        // Copied whole and then cut: a copy whose length is known beforehand needs no call.
        out.extend_from_slice(&known.text);
        out.truncate(end);
    }

    /// Appends it to a string.
    pub fn push(&mut self, value: f64, out: &mut String) {
        let known = self.known(value);
        let text = known.text.get(..usize::from(known.length));
        out.push_str(str::from_utf8(text.unwrap_or_default()).unwrap_or_default());
    }

    #[inline]
    fn known(&mut self, value: f64) -> &Spelled {
        let bits = value.to_bits();
        // The upper bits of the product depend on all bits of the float. Two floats of one place cost
        // time, nothing else.
        let place = (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
        let known = &mut self.known[usize::from(place)];
        if known.bits != bits {
            self.fresh.clear();
            (self.spell)(value, &mut self.fresh);
            *known = Spelled::of(bits, &self.fresh);
        }
        known
    }
}

impl Spelled {
    fn of(bits: u64, spelled: &[u8]) -> Spelled {
        debug_assert!(spelled.len() <= MOST, "{spelled:?}");
        let mut text = [0; MOST];
        for (to, from) in text.iter_mut().zip(spelled) {
            *to = *from;
        }
        let length = spelled.len().min(MOST) as u8;
        Spelled { bits, length, text }
    }
}

/// A proportion as a percentage with one decimal; what is neither none nor all never reads as
/// 0% or 100%.
pub fn percent(proportion: f64) -> String {
    let value = proportion * 100.0;
    if proportion > 0.0 && value < 0.05 {
        return "<0.1%".to_owned();
    }
    if proportion < 1.0 && value >= 99.95 {
        return ">99.9%".to_owned();
    }
    let digits = format!("{value:.1}");
    format!("{}%", digits.strip_suffix(".0").unwrap_or(&digits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn exact_reads_back_the_same() {
        for (value, text) in [
            (50.0, "50"),
            (-0.0, "0"),
            (0.9, "0.9"),
            (0.5 - 0.2 * 2.0, "0.09999999999999998"),
            (-0.10000000000000009, "-0.10000000000000009"),
            (999_999_999_999_999.0, "999999999999999"),
            (1e20, "1e20"),
            (-1.5e-300, "-1.5e-300"),
            (f64::NAN, "null"),
            (f64::NEG_INFINITY, "null"),
        ] {
            assert_eq!(exact(value), text);
        }
        for value in [1e15, 1e20, 1e300, 5e-324, f64::MAX, 0.1 + 0.2, 1.5e-7] {
            assert_eq!(exact(value).parse::<f64>(), Ok(value), "{}", exact(value));
            assert!(exact(value).len() < 25);
        }
    }

    /// What is looked up is what would be spelled, whatever stood in its place before.
    #[test]
    fn digits_are_those_of_the_float() {
        let mut digits = Digits::new(|value, out| out.extend_from_slice(exact(value).as_bytes()));
        let mut random = Random::new(7);
        for n in 0..100_000_u64 {
            let value = match random.below(4) {
                0 => f64::from_bits(random.next()),
                1 => f64::from(random.below(500)) / 100.0,
                2 => -f64::from(random.below(1 << 14)),
                _ => [0.0, -0.0, f64::NAN, f64::MIN, 5e-324][(n % 5) as usize],
            };
            let mut out = b"x".to_vec();
            digits.append(value, &mut out);
            assert_eq!(out, format!("x{}", exact(value)).into_bytes());
        }
    }

    #[test]
    fn percent_keeps_some_apart_from_none_and_all() {
        for (value, text) in [
            (0.0, "0%"),
            (1.0, "100%"),
            (1.0 / 3.0, "33.3%"),
            (0.0001, "<0.1%"),
            (0.99999, ">99.9%"),
        ] {
            assert_eq!(percent(value), text);
        }
    }
}
