//! Whole numbers and floats read from the lexeme that was written.

/// Why a number is not what is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// Below zero.
    Negative,
    /// Has decimals.
    Fraction,
    /// Does not fit.
    TooLarge,
}

impl NumberError {
    /// What is wrong, in words that follow the name of the field.
    pub fn words(self) -> &'static str {
        match self {
            NumberError::Negative => "is negative",
            NumberError::Fraction => "is not a whole number",
            NumberError::TooLarge => "is too large",
        }
    }
}

/// The whole number that a JSON number stands for: `12`, and `12.0` and `1.2e1` as well.
///
/// # Errors
/// The number is negative, has decimals, or does not fit 64 bits.
pub fn whole(lexeme: &str) -> Result<u64, NumberError> {
    // Nearly all are short and plain digits.
    let plain = lexeme.len() < 19 && lexeme.bytes().all(|b| b.is_ascii_digit());
    if plain && !lexeme.is_empty() {
        let digits = lexeme.bytes().map(|b| u64::from(b - b'0'));
        return Ok(digits.fold(0, |n, digit| n * 10 + digit));
    }
    let (negative, rest) = match lexeme.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, lexeme),
    };
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{integer}{fraction}");
    let digits = digits.trim_start_matches('0');
    let kept = digits.trim_end_matches('0');
    if kept.is_empty() {
        return Ok(0);
    }
    if negative {
        return Err(NumberError::Negative);
    }
    // An exponent that does not fit is far beyond anything whole or small enough.
    let exponent = exponent
        .parse::<i64>()
        .unwrap_or(if exponent.starts_with('-') {
            i64::MIN / 2
        } else {
            i64::MAX / 2
        });
    let zeros = (digits.len() - kept.len()) as i64;
    let power = exponent.saturating_add(zeros - fraction.len() as i64);
    let Ok(power) = u32::try_from(power) else {
        let fits = power > 0;
        return Err(if fits {
            NumberError::TooLarge
        } else {
            NumberError::Fraction
        });
    };
    let scaled = |n: u64| 10u64.checked_pow(power).and_then(|p| n.checked_mul(p));
    kept.parse()
        .ok()
        .and_then(scaled)
        .ok_or(NumberError::TooLarge)
}

/// The nearest float, and whether it is a whole number that the float cannot hold.
///
/// # Errors
/// The number is beyond the range of floats.
pub fn float(lexeme: &str) -> Result<(f64, bool), NumberError> {
    let value: f64 = lexeme.parse().map_err(|_| NumberError::TooLarge)?;
    if !value.is_finite() {
        return Err(NumberError::TooLarge);
    }
    // Adding zero turns -0 into 0.
    let value = value + 0.0;
    let inexact = match lexeme.parse::<i128>() {
        Ok(exact) => value as i128 != exact,
        Err(_) => false,
    };
    Ok((value, inexact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integral_floats_are_whole() {
        for (lexeme, n) in [
            ("0", 0),
            ("-0", 0),
            ("-0.0", 0),
            ("0e999999999999999999999", 0),
            ("1.0", 1),
            ("1e2", 100),
            ("1.20E+1", 12),
            ("1200e-2", 12),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(whole(lexeme), Ok(n), "{lexeme}");
        }
    }

    #[test]
    fn what_is_not_whole_is_refused() {
        for (lexeme, why) in [
            ("-1", NumberError::Negative),
            ("1.5", NumberError::Fraction),
            ("1e-1", NumberError::Fraction),
            ("1e-99999999999999999999", NumberError::Fraction),
            ("18446744073709551616", NumberError::TooLarge),
            ("1e999", NumberError::TooLarge),
            ("1e99999999999999999999", NumberError::TooLarge),
        ] {
            assert_eq!(whole(lexeme), Err(why), "{lexeme}");
        }
    }

    #[test]
    fn floats_name_what_they_lose() {
        assert_eq!(float("9007199254740993"), Ok((9007199254740992.0, true)));
        assert_eq!(float("9007199254740992"), Ok((9007199254740992.0, false)));
        assert_eq!(float("0.1"), Ok((0.1, false)));
        assert!(float("-0").is_ok_and(|(x, _)| x.is_sign_positive()));
        assert_eq!(float("1e999"), Err(NumberError::TooLarge));
    }
}
