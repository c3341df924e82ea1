//! Points in time: what a `ts` says, and how it says it.

use crate::trace::event::Timestamp;

/// How a time is written. Two times of different kinds may stand further apart, or the other way
/// round, than they seem to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A text with an offset.
    Offset,
    /// A text without one, read as UTC.
    Civil,
    /// A number of seconds since 1970, by its size.
    Seconds,
    /// A number of milliseconds.
    Milliseconds,
    /// A number of microseconds.
    Microseconds,
    /// A number of nanoseconds.
    Nanoseconds,
}

impl Kind {
    /// Every kind, in order.
    pub(super) const ALL: [Kind; 6] = [
        Kind::Offset,
        Kind::Civil,
        Kind::Seconds,
        Kind::Milliseconds,
        Kind::Microseconds,
        Kind::Nanoseconds,
    ];
}

/// A time that could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// Nanoseconds since the Unix epoch.
    pub(super) ns: i128,
    /// How it was written.
    pub(super) kind: Kind,
    /// Whether it is a second that clocks do not have, before 1970, or after the year 9999.
    pub(super) odd: bool,
}

/// The last nanosecond of the year 9999.
const LAST: i128 = 253_402_300_799_999_999_999;

/// Reads a time.
///
/// Texts are RFC 3339, or the same without an offset and read as UTC. Numbers are seconds,
/// milliseconds, microseconds or nanoseconds, told apart by their size. `None` where it is none of
/// these.
pub(super) fn read(ts: &Timestamp<'_>) -> Option<Reading> {
    if let Some(ns) = utc(ts.0.as_bytes()) {
        return Some(Reading {
            ns,
            kind: Kind::Offset,
            odd: !(0..=LAST).contains(&ns),
        });
    }
    let text = ts.0.trim();
    if let Ok(number) = text.parse::<f64>() {
        let (ns, kind) = epoch(text, number)?;
        return Some(reading(ns, kind, text));
    }
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(reading(at.as_nanosecond(), Kind::Offset, text));
    }
    let civil = text.parse::<jiff::civil::DateTime>().ok()?;
    let at = jiff::tz::Offset::UTC.to_timestamp(civil).ok()?;
    Some(reading(at.as_nanosecond(), Kind::Civil, text))
}

fn reading(ns: i128, kind: Kind, text: &str) -> Reading {
    // A leap second is read as the one before it.
    let leap = matches!(kind, Kind::Offset | Kind::Civil) && text.contains(":60");
    Reading {
        ns,
        kind,
        odd: leap || !(0..=LAST).contains(&ns),
    }
}

fn epoch(text: &str, number: f64) -> Option<(i128, Kind)> {
    if !number.is_finite() {
        return None;
    }
    let (scale, kind): (i128, Kind) = match number.abs() {
        n if n < 1e11 => (1_000_000_000, Kind::Seconds),
        n if n < 1e14 => (1_000_000, Kind::Milliseconds),
        n if n < 1e17 => (1_000, Kind::Microseconds),
        _ => (1, Kind::Nanoseconds),
    };
    let ns = match text.parse::<i128>() {
        Ok(whole) => whole.checked_mul(scale)?,
        Err(_) => (number * scale as f64) as i128,
    };
    Some((ns, kind))
}

/// The spelling that nearly every writer uses, `2026-01-31T10:00:00.123Z`, read without a parser:
/// there is one a call. `None` for anything else, which says nothing of whether it is a time.
fn utc(text: &[u8]) -> Option<i128> {
    let (body, fraction) = text.strip_suffix(b"Z")?.split_first_chunk::<19>()?;
    let &[
        y0,
        y1,
        y2,
        y3,
        b'-',
        m0,
        m1,
        b'-',
        d0,
        d1,
        b'T',
        h0,
        h1,
        b':',
        n0,
        n1,
        b':',
        s0,
        s1,
    ] = body
    else {
        return None;
    };
    let year = two(y0, y1)? * 100 + two(y2, y3)?;
    let (month, day) = (two(m0, m1)?, two(d0, d1)?);
    let (hour, minute, second) = (two(h0, h1)?, two(n0, n1)?, two(s0, s1)?);
    // The last days of a month are left to who knows their number.
    let usual = (1..=12).contains(&month) && (1..=28).contains(&day);
    if !usual || year < 1 || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let nanos = match fraction.split_first() {
        None => 0,
        Some((b'.', decimals)) if (1..=9).contains(&decimals.len()) => {
            let zeros = u32::try_from(9 - decimals.len()).ok()?;
            digits(decimals)? * 10_i64.pow(zeros)
        }
        Some(_) => return None,
    };
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(i128::from(seconds) * 1_000_000_000 + i128::from(nanos))
}

/// A number of two digits.
fn two(tens: u8, ones: u8) -> Option<i64> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| i64::from(tens * 10 + ones))
}

/// A number of at most nine digits.
fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0_i64, |sum, byte| {
        byte.is_ascii_digit()
            .then(|| sum * 10 + i64::from(byte - b'0'))
    })
}

/// Days from 1970-01-01 to a day of the Gregorian calendar. Years are counted from March, so that a
/// leap day ends one.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year / 4 - year / 100 + year / 400;
    let of_months = (153 * month + 2) / 5;
    year * 365 + leap_days + of_months + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn at(text: &str) -> Option<Reading> {
        read(&Timestamp(text.to_owned().into()))
    }

    #[test]
    fn every_unit_and_spelling_is_one_instant() {
        for (text, kind) in [
            ("2026-01-01T00:00:00Z", Kind::Offset),
            ("2026-01-01T00:00:00.000Z", Kind::Offset),
            ("2026-01-01T02:00:00+02:00", Kind::Offset),
            ("2026-01-01 00:00:00", Kind::Civil),
            ("2026-01-01T00:00:00", Kind::Civil),
            ("1767225600", Kind::Seconds),
            ("1767225600.0", Kind::Seconds),
            ("1767225600000", Kind::Milliseconds),
            ("1767225600000000", Kind::Microseconds),
            ("1767225600000000000", Kind::Nanoseconds),
        ] {
            let reading = at(text).expect(text);
            assert_eq!(
                (reading.ns, reading.kind, reading.odd),
                (1_767_225_600_000_000_000, kind, false),
                "{text}"
            );
        }
        for text in [
            "",
            "yesterday",
            "nan",
            "inf",
            "2026-13-01T00:00:00Z",
            "2026-02-30T00:00:00Z",
            "2026-01-01T24:00:01Z",
            "99999-01-01",
            "10000-01-01T00:00:00Z",
            "2026-01-01T00:00:00.Z",
            "170141183460469231731687303715884105728000",
        ] {
            let odd = at(text).is_none_or(|reading| reading.odd);
            assert!(odd, "{text}");
        }
    }

    #[test]
    fn times_that_no_clock_shows_are_odd() {
        for text in [
            "2016-12-31T23:59:60Z",
            "-1",
            "1969-12-31T23:59:59Z",
            "1e30",
            "-1e300",
        ] {
            assert!(at(text).is_some_and(|reading| reading.odd), "{text}");
        }
    }

    /// One wrong byte anywhere, and it is left to the parser or read as that does.
    #[test]
    fn the_short_way_reads_nothing_that_the_long_way_does_not() {
        let mut random = Random::new(1);
        let mut read = 0;
        for _ in 0..20_000 {
            let mut text = *b"2026-03-02T10:59:07.123Z";
            text[random.below(24)] = *random.pick(b"0123456789:-.TZ+ ");
            if let Some(short) = utc(&text) {
                let text = std::str::from_utf8(&text).expect("ASCII");
                let long = text.parse::<jiff::Timestamp>().map(|t| t.as_nanosecond());
                assert_eq!(long.ok(), Some(short), "{text}");
                read += 1;
            }
        }
        assert!(read > 1000, "{read}");
    }

    #[test]
    fn the_short_way_comes_to_what_the_long_way_does() {
        let mut compared = 0;
        for year in [
            "0001", "1600", "1969", "1970", "2000", "2024", "2100", "9999",
        ] {
            for day in ["01-01", "02-28", "02-29", "03-01", "12-28", "12-31"] {
                for rest in ["00:00:00Z", "23:59:59.9Z", "12:34:56.123456789Z"] {
                    let text = format!("{year}-{day}T{rest}");
                    let Some(short) = utc(text.as_bytes()) else {
                        continue;
                    };
                    let long = text.parse::<jiff::Timestamp>().map(|t| t.as_nanosecond());
                    assert_eq!(long.ok(), Some(short), "{text}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 90, "{compared}");
    }
}
