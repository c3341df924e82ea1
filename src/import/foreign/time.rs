//! Times, which formats write as text or as a number of seconds or parts of seconds.

use super::out::Out;
use super::told::Told;
use crate::trace::event::Timestamp;
use crate::trace::json::Json;
use std::borrow::Cow;

/// What a number of a format counts since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Thousandths of a second.
    Millis,
    /// Millionths of a second.
    Micros,
    /// Billionths of a second.
    Nanos,
}

impl Unit {
    /// The unit in which a number of this size is a time of our days: 1973 to 5138 in seconds.
    fn by_size(number: f64) -> Unit {
        match number.abs() {
            n if n < 1e11 => Unit::Seconds,
            n if n < 1e14 => Unit::Millis,
            n if n < 1e17 => Unit::Micros,
            _ => Unit::Nanos,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Unit::Seconds => "seconds",
            Unit::Millis => "milliseconds",
            Unit::Micros => "microseconds",
            Unit::Nanos => "nanoseconds",
        }
    }

    /// Nanoseconds of one.
    fn nanos(self) -> i128 {
        match self {
            Unit::Seconds => 1_000_000_000,
            Unit::Millis => 1_000_000,
            Unit::Micros => 1_000,
            Unit::Nanos => 1,
        }
    }
}

/// Reads a time: text stays as it is written, a number, or a text of digits alone, becomes RFC 3339.
/// `expected` is the unit that the format writes; a number whose size speaks for another one is
/// taken in that one, and it is said once. Absent, null and what is no time give `None`.
pub fn timestamp(
    value: Option<&Json<'_>>,
    expected: Unit,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Option<Timestamp<'static>> {
    let text = match value? {
        Json::Number(number) => number,
        Json::String(text) if text.text.trim().is_empty() => return None,
        Json::String(text) if is_number(&text.text) => text.text.as_ref(),
        Json::String(text) => return Some(Timestamp(Cow::Owned(text.text.to_string()))),
        _ => return None,
    };
    let number: f64 = text.parse().ok()?;
    let unit = if number == 0.0 {
        expected
    } else {
        Unit::by_size(number)
    };
    if unit != expected {
        let message = format!(
            "times are taken for {} since 1970, by their size, not {}",
            unit.word(),
            expected.word()
        );
        told.assume(&message, out);
    }
    let nanos = nanoseconds(text, unit)?;
    let at = jiff::Timestamp::from_nanosecond(nanos).ok()?;
    Some(Timestamp(Cow::Owned(at.to_string())))
}

fn is_number(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-'))
        && text.parse::<f64>().is_ok()
}

/// Exact where the number is a decimal without an exponent, to its ninth place.
fn nanoseconds(text: &str, unit: Unit) -> Option<i128> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let (Ok(count), true) = (
        whole.parse::<i128>(),
        part.bytes().all(|b| b.is_ascii_digit()),
    ) else {
        let number: f64 = text.parse().ok()?;
        return Some((number * unit.nanos() as f64) as i128);
    };
    let digits: i128 = format!("{:0<9.9}", part).parse().ok()?;
    let part = digits * unit.nanos() / 1_000_000_000;
    let count = count.checked_mul(unit.nanos())?;
    let negative = text.starts_with('-');
    count.checked_add(if negative { -part } else { part })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Sink;
    use crate::trace::event::Event;
    use crate::trace::fault::{Notice, Place};
    use crate::trace::json;

    #[derive(Default)]
    struct Notices(Vec<String>);

    impl Sink for Notices {
        fn event(&mut self, _: Place, _: Event<'_>) {}
        fn notice(&mut self, n: Notice) {
            self.0.push(n.message);
        }
    }

    fn read(value: &str, expected: Unit) -> (String, usize) {
        let value = json::parse(value.as_bytes()).expect("valid");
        let mut sink = Notices::default();
        let mut out = Out::new(&mut sink, Place::default());
        let ts = timestamp(Some(&value), expected, &mut Told::default(), &mut out);
        let text = ts.map_or("-".to_owned(), |ts| ts.0.into_owned());
        (text, sink.0.len())
    }

    #[test]
    fn the_size_of_a_number_tells_its_unit() {
        let day = |text: &str| text.to_owned();
        let at = |value, expected| read(value, expected);
        let new_year = day("2026-01-01T00:00:00Z");
        assert_eq!(at("1767225600", Unit::Seconds), (new_year.clone(), 0));
        assert_eq!(at("1767225600000", Unit::Millis), (new_year.clone(), 0));
        assert_eq!(at("1767225600000", Unit::Seconds), (new_year.clone(), 1));
        let nanos = "\"1767225600000000000\"";
        assert_eq!(at(nanos, Unit::Nanos), (new_year, 0));
        let part = day("2026-01-01T00:00:00.25Z");
        assert_eq!(at("1767225600.25", Unit::Seconds), (part, 0));
        assert_eq!(at("-0.5", Unit::Seconds).0, "1969-12-31T23:59:59.5Z");
    }

    #[test]
    fn text_stays_and_what_is_no_time_is_none() {
        let naive = "2026-01-01 00:00:00";
        assert_eq!(
            read(&format!("\"{naive}\""), Unit::Seconds),
            (naive.into(), 0)
        );
        for nothing in ["null", "\"\"", "[]", "1e300"] {
            assert_eq!(read(nothing, Unit::Nanos), ("-".into(), 0));
        }
    }
}
