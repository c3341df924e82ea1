//! What the times of a run look like together. File order rules, whatever they say; what is odd
//! about them is told once a run, since it mostly holds for every record of it.

use super::time::{self, Kind, Reading};
use crate::trace::event::Timestamp;
use crate::trace::fault::{Place, WarningCode};

/// The times of a run so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    /// When the run began: the first time met of its start or a call.
    pub(super) began_ns: Option<i128>,
    /// Time of the latest call, or of the start.
    pub(super) latest: Option<Reading>,
    /// Kinds of time met, a bit each.
    pub(super) kinds: u8,
    pub(super) backwards: Seldom,
    pub(super) mixed: Seldom,
    pub(super) odd: Seldom,
    pub(super) unreadable: Seldom,
}

/// Something that is met on the records of few runs, so that most keep but the room of a pointer.
#[derive(Clone, Debug, Default)]
pub(super) struct Seldom(Option<Box<Met>>);

/// Something met on records.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    /// On how many, at least one.
    pub(super) times: u64,
    /// On which first.
    pub(super) first: Place,
}

impl Seldom {
    /// What is known of it already.
    pub(super) fn of(met: Option<Met>) -> Seldom {
        Seldom(met.map(Box::new))
    }

    /// On how many records it was met, and on which first; absent where it was on none.
    pub(super) fn met(&self) -> Option<Met> {
        self.0.as_deref().copied()
    }

    /// It is met once more.
    pub(super) fn again(&mut self, place: Place) {
        match &mut self.0 {
            Some(met) => met.times += 1,
            None => {
                *self = Seldom::of(Some(Met {
                    times: 1,
                    first: place,
                }))
            }
        }
    }
}

/// Kinds with their bits and how messages call them.
const KINDS: &[(Kind, u8, &str)] = &[
    (Kind::Offset, 1, "texts with an offset"),
    (Kind::Civil, 2, "texts without an offset"),
    (Kind::Seconds, 4, "seconds"),
    (Kind::Milliseconds, 8, "milliseconds"),
    (Kind::Microseconds, 16, "microseconds"),
    (Kind::Nanoseconds, 32, "nanoseconds"),
];

/// Kinds that are one instant whatever stands beside them, or seem to be.
const CIVIL: u8 = 2;
const NUMBERS: u8 = 4 | 8 | 16 | 32;

impl Clock {
    /// The time of a record that does not move the run on, such as a result. `None` if it cannot be
    /// read.
    pub(super) fn look(&mut self, place: Place, ts: &Timestamp<'_>) -> Option<Reading> {
        let reading = time::read(ts)?;
        let bit = KINDS.iter().find(|(kind, ..)| *kind == reading.kind);
        let bit = bit.map_or(0, |(_, bit, _)| *bit);
        if self.kinds & bit == 0 {
            self.kinds |= bit;
            if self.mixed.0.is_none() && is_mixed(self.kinds) {
                self.mixed.again(place);
            }
        }
        if reading.odd {
            self.odd.again(place);
        }
        Some(reading)
    }

    /// The time of a call, or of the run's start: nanoseconds since the run began. `None` if it
    /// cannot be read.
    pub(super) fn pass(&mut self, place: Place, ts: &Timestamp<'_>) -> Option<i128> {
        let reading = self.look(place, ts)?;
        let before = self.latest.replace(reading);
        // Times of two kinds are not held against each other.
        if before.is_some_and(|b| b.kind == reading.kind && reading.ns < b.ns) {
            self.backwards.again(place);
        }
        let began = *self.began_ns.get_or_insert(reading.ns);
        reading.ns.checked_sub(began)
    }

    /// A time cannot be read, and nothing depends on it.
    pub(super) fn unreadable(&mut self, place: Place) {
        self.unreadable.again(place);
    }

    /// What there is to tell of them: nothing, of most runs.
    pub(super) fn warnings(&self) -> Vec<(WarningCode, Place, String)> {
        let mut told = Vec::new();
        let mut tell = |code, seldom: &Seldom, message: &dyn Fn(u64) -> String| {
            told.extend(
                seldom
                    .met()
                    .map(|met| (code, met.first, message(met.times))),
            );
        };
        tell(WarningCode::ClockBackwards, &self.backwards, &|times| {
            format!(
                "{} with a `ts` before that of the call before; the order of the file holds",
                calls(times)
            )
        });
        tell(WarningCode::MixedTimes, &self.mixed, &|_| {
            let kinds = KINDS.iter().filter(|(_, bit, _)| self.kinds & bit != 0);
            let kinds: Vec<_> = kinds.map(|(.., words)| *words).collect();
            format!(
                "`ts` is written in ways that may not fit together: {}; numbers are told apart by \
                 their size, texts without an offset are read as UTC",
                kinds.join(", ")
            )
        });
        tell(WarningCode::OddTime, &self.odd, &|times| {
            format!(
                "{} with a `ts` that is a leap second, before 1970 or after 9999",
                records(times)
            )
        });
        tell(WarningCode::UnreadableTime, &self.unreadable, &|times| {
            format!("{} with a `ts` that is no time", records(times))
        });
        told
    }
}

/// Whether times of these kinds may be on different scales: numbers of several units, or texts
/// without an offset among times that have one.
fn is_mixed(kinds: u8) -> bool {
    let units = (kinds & NUMBERS).count_ones();
    units > 1 || (kinds & CIVIL != 0 && kinds & !CIVIL != 0)
}

fn calls(count: u64) -> String {
    counted(count, "call")
}

fn records(count: u64) -> String {
    counted(count, "record")
}

/// A count of something, in words.
fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(times: &[&str]) -> Vec<(WarningCode, u64)> {
        let mut clock = Clock::default();
        for (line, ts) in (1..).zip(times) {
            let place = Place {
                line,
                ..Place::default()
            };
            if clock.pass(place, &Timestamp((*ts).into())).is_none() {
                clock.unreadable(place);
            }
        }
        let told = clock.warnings().into_iter();
        told.map(|(code, place, _)| (code, place.line)).collect()
    }

    #[test]
    fn what_is_odd_is_told_where_it_was_first_met() {
        use WarningCode::{ClockBackwards, MixedTimes, OddTime, UnreadableTime};
        let day = "2026-01-01T00:00:00Z";
        for (times, told) in [
            (vec![day, day, "2026-01-01T00:00:01Z"], vec![]),
            (vec!["7", "6", "5"], vec![(ClockBackwards, 2)]),
            (vec![day, "2026-01-01T00:00:00"], vec![(MixedTimes, 2)]),
            (vec!["2026-01-01 00:00:00", "2026-01-01T00:00:01"], vec![]),
            (vec!["1767225600", "1767225600001"], vec![(MixedTimes, 2)]),
            (vec![day, "1767225600"], vec![]),
            (vec!["-5", "-4"], vec![(OddTime, 1)]),
            (vec![day, "soon", "later"], vec![(UnreadableTime, 2)]),
        ] {
            assert_eq!(codes(&times), told, "{times:?}");
        }
    }
}
