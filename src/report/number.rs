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
