//! Money as an integer: nano-dollars, read exactly from the decimal that was written.

use serde::Serialize;
use std::fmt;

/// An amount in nano-dollars (1e-9 USD). Never a float, so that sums do not depend on their order
/// and a budget can be met exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nano(pub i128);

/// Why a decimal is no amount of money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoneyError {
    /// Not a decimal number.
    NotANumber,
    /// Larger than gate can add up (1e18 USD).
    OutOfRange,
}

/// Largest amount read, in nano-dollars: 1e18 USD, so that 1e11 of them still add up in 128 bits.
const MAX: i128 = 1_000_000_000_000_000_000_000_000_000;

impl Nano {
    /// No money.
    pub const ZERO: Nano = Nano(0);

    /// Reads a JSON or TOML decimal, rounding half to even at the ninth place.
    ///
    /// The flag says whether rounding lost anything.
    ///
    /// # Errors
    /// The text is no decimal, or is beyond 1e18 USD.
    pub fn parse(decimal: &str) -> Result<(Nano, bool), MoneyError> {
        let (negative, rest) = match decimal.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, decimal.strip_prefix('+').unwrap_or(decimal)),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((m, e)) => (m, exponent(e)?),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = || whole.bytes().chain(fraction.bytes()).filter(|&b| b != b'_');
        if whole.is_empty() || !digits().all(|b| b.is_ascii_digit()) {
            return Err(MoneyError::NotANumber);
        }
        let fraction_digits = fraction.bytes().filter(|&b| b != b'_').count() as i64;
        let (units, lost) = shift(digits(), exponent.saturating_add(9 - fraction_digits))?;
        Ok((Nano(if negative { -units } else { units }), lost))
    }

    /// The sum, or `None` where it does not fit.
    pub fn checked_add(self, other: Nano) -> Option<Nano> {
        self.0.checked_add(other.0).map(Nano)
    }

    /// The amount in dollars, to the nearest float.
    pub fn usd(self) -> f64 {
        // The same float, which the processor finds by itself where 64 bits hold the amount.
        let amount = match i64::try_from(self.0) {
            Ok(small) => small as f64,
            Err(_) => wide(self.0),
        };
        amount / 1e9
    }
}

/// An amount that 64 bits do not hold: apart, since it takes a call, which would else be made for all.
#[cold]
#[inline(never)]
fn wide(amount: i128) -> f64 {
    amount as f64
}

fn exponent(text: &str) -> Result<i64, MoneyError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(MoneyError::NotANumber);
    }
    // Beyond this the amount is zero or out of range whatever the mantissa.
    let size = digits.parse::<i64>().unwrap_or(1 << 40).min(1 << 40);
    Ok(if text.starts_with('-') { -size } else { size })
}

/// The decimal `digits` times ten to the `power`, rounded half to even.
fn shift(digits: impl Iterator<Item = u8>, power: i64) -> Result<(i128, bool), MoneyError> {
    let digits: Vec<u8> = digits.map(|b| b - b'0').skip_while(|&d| d == 0).collect();
    if digits.is_empty() {
        return Ok((0, false));
    }
    let kept = (digits.len() as i64).saturating_add(power);
    if kept > 28 {
        return Err(MoneyError::OutOfRange);
    }
    if kept < 0 {
        return Ok((0, true));
    }
    let kept = kept as usize;
    let digit = |i: usize| i128::from(digits.get(i).copied().unwrap_or(0));
    let mut units = (0..kept).fold(0i128, |n, i| n * 10 + digit(i));
    let tail = digits.get(kept..).unwrap_or(&[]);
    let lost = tail.iter().any(|&d| d != 0);
    let half = tail.first() == Some(&5) && tail[1..].iter().all(|&d| d == 0);
    if (half && units % 2 == 1) || (!half && tail.first().is_some_and(|&d| d >= 5)) {
        units += 1;
    }
    if units > MAX {
        return Err(MoneyError::OutOfRange);
    }
    Ok((units, lost))
}

impl fmt::Display for Nano {
    /// Dollars as the shortest exact decimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let size = self.0.unsigned_abs();
        let (whole, part) = (size / 1_000_000_000, size % 1_000_000_000);
        let decimals = format!("{part:09}");
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{sign}{whole}"),
            decimals => write!(f, "{sign}{whole}.{decimals}"),
        }
    }
}

impl Serialize for Nano {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.usd())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However an amount comes to a float, it is the nearest one.
    #[test]
    fn dollars_are_the_nearest_float() {
        let half = i128::from(i64::MAX);
        let around = [0, 1 << 53, half, half + 1, MAX].map(|at| [at - 513, at - 1, at, at + 1]);
        for amount in around.into_iter().flatten().flat_map(|n| [n, -n]) {
            let plain = amount as f64 / 1e9;
            assert_eq!(Nano(amount).usd().to_bits(), plain.to_bits(), "{amount}");
        }
    }

    fn nano(text: &str) -> (i128, bool) {
        let (n, lost) = Nano::parse(text).expect(text);
        (n.0, lost)
    }

    #[test]
    fn decimals_are_read_exactly() {
        assert_eq!(nano("0.1"), (100_000_000, false));
        assert_eq!(nano("1e-06"), (1_000, false));
        assert_eq!(nano("-2.5E2"), (-250_000_000_000, false));
        assert_eq!(
            nano("9007199254740993"),
            (9_007_199_254_740_993_000_000_000, false)
        );
        assert_eq!(nano("0"), (0, false));
        assert_eq!(nano("0.000000000000"), (0, false));
        assert_eq!(nano("1e-999"), (0, true));
    }

    #[test]
    fn ties_go_to_even() {
        assert_eq!(nano("0.0000000005"), (0, true));
        assert_eq!(nano("0.0000000015"), (2, true));
        assert_eq!(nano("0.0000000025"), (2, true));
        assert_eq!(nano("0.00000000250001"), (3, true));
        assert_eq!(nano("0.99999999999"), (1_000_000_000, true));
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for bad in [
            "", "x", ".5", "1e", "1e+", "1.2.3", "--1", "0x10", "nan", "inf",
        ] {
            assert_eq!(Nano::parse(bad), Err(MoneyError::NotANumber), "{bad}");
        }
        assert_eq!(Nano::parse("1e999"), Err(MoneyError::OutOfRange));
        assert_eq!(Nano::parse("1e19"), Err(MoneyError::OutOfRange));
    }

    #[test]
    fn amounts_print_as_the_shortest_decimal() {
        for text in ["0", "10", "0.01", "-0.000000001", "9.99"] {
            assert_eq!(Nano::parse(text).expect(text).0.to_string(), text);
        }
    }
}
