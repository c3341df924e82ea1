//! Numbers for people.

/// At most twelve significant digits, without trailing zeros: what a float means rather than how it
/// is stored (0.5 - 0.2 * 2 is 0.1). Minus zero is zero.
pub fn rounded(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return "not finite".into();
    }
    let scientific = format!("{value:.11e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-6..15).contains(&exponent) {
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        return format!("{mantissa}e{exponent}");
    }
    let decimals = usize::try_from(11 - exponent).unwrap_or(0);
    let fixed = format!("{value:.decimals$}");
    if fixed.contains('.') {
        fixed.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        fixed
    }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn twelve_digits_are_enough() {
        let cases = [
            (0.5 - 0.2 * 2.0, "0.1"),
            (-0.100_000_000_000_000_09, "-0.1"),
            (50.0, "50"),
            (9.99, "9.99"),
            (-0.0, "0"),
            (1.0 / 3.0, "0.333333333333"),
            (1e20, "1e20"),
            (1.5e-9, "1.5e-9"),
            (123_456_789_012_345.0, "123456789012345"),
        ];
        for (value, text) in cases {
            assert_eq!(rounded(value), text);
        }
    }
}
