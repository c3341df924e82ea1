//! Points in time, read only where a rule asks for them.

use crate::trace::event::Timestamp;

/// Nanoseconds since the Unix epoch.
///
/// Texts are RFC 3339, or the same without an offset and read as UTC. Numbers are seconds,
/// milliseconds, microseconds or nanoseconds, told apart by their size. `None` where it is none of
/// these.
pub fn nanoseconds(ts: &Timestamp<'_>) -> Option<i128> {
    let text = ts.0.trim();
    if let Ok(number) = text.parse::<f64>() {
        return epoch(text, number);
    }
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(at.as_nanosecond());
    }
    let civil = text.parse::<jiff::civil::DateTime>().ok()?;
    let at = jiff::tz::Offset::UTC.to_timestamp(civil).ok()?;
    Some(at.as_nanosecond())
}

fn epoch(text: &str, number: f64) -> Option<i128> {
    if !number.is_finite() {
        return None;
    }
    let scale: i128 = match number.abs() {
        n if n < 1e11 => 1_000_000_000,
        n if n < 1e14 => 1_000_000,
        n if n < 1e17 => 1_000,
        _ => 1,
    };
    match text.parse::<i128>() {
        Ok(whole) => whole.checked_mul(scale),
        Err(_) => Some((number * scale as f64) as i128),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_and_spelling_is_one_instant() {
        let at = |text: &str| nanoseconds(&Timestamp(text.to_owned().into()));
        let expected = Some(1_767_225_600_000_000_000);
        for text in [
            "2026-01-01T00:00:00Z",
            "2026-01-01T02:00:00+02:00",
            "2026-01-01 00:00:00",
            "2026-01-01T00:00:00",
            "1767225600",
            "1767225600.0",
            "1767225600000",
            "1767225600000000",
            "1767225600000000000",
        ] {
            assert_eq!(at(text), expected, "{text}");
        }
        for text in [
            "",
            "yesterday",
            "nan",
            "2026-13-01T00:00:00Z",
            "99999-01-01",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
        assert!(at("-1").is_some());
    }
}
