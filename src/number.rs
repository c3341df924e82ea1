//! Numbers for people: digits, and counts in words.

/// That many of them, in words: `1 fault`, `2 faults`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// At most twelve significant digits, without trailing zeros: what a float means rather than how it
/// is stored (0.5 - 0.2 * 2 is 0.1). Minus zero is zero.
pub fn rounded(value: f64) -> String {
    let mut text = String::new();
    push_rounded(value, &mut text);
    text
}

/// Appends what [`rounded`] says of it.
pub fn push_rounded(value: f64, out: &mut String) {
    if !value.is_finite() {
        out.push_str("not finite");
    } else if value.fract() == 0.0 && value.abs() < WHOLE {
        if value < 0.0 {
            out.push('-');
        }
        push_whole(value.abs() as u64, out);
    } else {
        out.push_str(&short(value).unwrap_or_else(|| twelve_digits(value)));
    }
}

/// Appends a whole number: most numbers that are told are small ones.
pub fn push_whole(number: u64, out: &mut String) {
    if number > 9 {
        push_whole(number / 10, out);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}

/// Floats from here on take an exponent.
const WHOLE: f64 = 1e15;

/// Most digits of a number for people.
const DIGITS: usize = 12;

/// A float whose fewest digits that read back the same are no more than people are told: rounding it
/// gives those, since nothing else of so few digits is as near. Absent for all others, and for those
/// that take an exponent.
fn short(value: f64) -> Option<String> {
    if !(1e-6..WHOLE).contains(&value.abs()) {
        return None;
    }
    let text = value.to_string();
    let digits = text.bytes().filter(u8::is_ascii_digit);
    let significant = digits.skip_while(|digit| *digit == b'0').count();
    (significant <= DIGITS).then_some(text)
}

/// A finite float in twelve significant digits, without zeros at the end.
fn twelve_digits(value: f64) -> String {
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

/// The nearest of the values that have at most three digits after the point.
pub fn to_thousandths(value: f64) -> String {
    rounded((value * 1e3).round() / 1e3)
}

/// The same as [`rounded`], with all digits where rounding would bring it to another side of one of `others`, as
/// rounded: what is below a threshold never reads as if it had reached it.
pub fn told_apart(value: f64, others: &[f64]) -> String {
    let short = rounded(value);
    let crosses = |other: &&f64| value != **other && rounded(**other) == short;
    match others.iter().find(crosses) {
        Some(_) => format!("{value:?}"),
        None => short,
    }
}

#[cfg(test)]
mod tests {
    use super::{rounded, short, told_apart, twelve_digits};
    use crate::testing::Random;

    /// What is told by the short way is what the long one says.
    #[test]
    fn few_digits_are_told_alike() {
        let mut random = Random::new(1);
        let mut told = 0;
        for n in 0..200_000_i64 {
            let scale = 10_f64.powi(random.below(32) - 16);
            let value = random.below(10_u64.pow(1 + (n % 14) as u32)) as f64 * scale;
            for value in [
                value,
                -value,
                value.next_up(),
                (n as f64) / 8.0,
                1.0 / (n as f64),
            ] {
                if let Some(text) = short(value) {
                    assert_eq!(text, twelve_digits(value));
                    told += 1;
                }
                if value != 0.0 && value.is_finite() {
                    assert_eq!(rounded(value), twelve_digits(value));
                }
            }
        }
        assert!(told > 200_000, "{told}");
    }

    #[test]
    fn a_number_is_not_rounded_onto_another() {
        let below = 0.8f64.next_down();
        assert_eq!(told_apart(below, &[0.5, 0.8]), "0.7999999999999999");
        assert_eq!(told_apart(0.8, &[0.5, 0.8]), "0.8");
        assert_eq!(told_apart(below, &[0.5, 0.9]), "0.8");
        assert_eq!(told_apart(0.8, &[]), "0.8");
    }

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
