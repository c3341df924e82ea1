//! What a run remembers of each of its calls until it ends: enough to tell a repeat from a second
//! call, and to place a result that comes late.
//!
//! This is all that grows with the calls of an open run, so it is kept small: 40 bytes a call, and
//! an index once there are many.

use crate::policy::matcher::NameSet;
use foldhash::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;

/// A call that has been decided.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Hash of its id.
    pub id: u64,
    /// Hash of its content.
    pub content: u64,
    /// Its turn.
    pub turn: u64,
    /// Its names.
    pub names: Arc<NameSet>,
    /// Hash of the outcome read last; absent while none was.
    pub outcome: Option<NonZeroU32>,
    /// Where it stands, and what became of it.
    pub origin: Origin,
}

/// The line of a call, whether the record says that it did not run, and its fate, in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin(u32);

impl Origin {
    /// A call on that line, stopped by the live system or not, which waits for its fate.
    pub fn on(line: u64, stopped: bool) -> Self {
        let line = u32::try_from(line).unwrap_or(0);
        Origin(line.checked_mul(8).unwrap_or(0) | u32::from(stopped) << 2)
    }

    /// The record turns out to say that it did not run.
    pub fn stop(&mut self) {
        self.0 |= 4;
    }

    /// Its line; absent where that is a number beyond half a billion.
    pub fn line(self) -> Option<u32> {
        Some(self.0 >> 3).filter(|&line| line > 0)
    }

    /// Whether the live system blocked it or somebody denied it, so that no result of it is to be
    /// expected.
    pub fn stopped(self) -> bool {
        self.0 & 4 != 0
    }

    /// Its fate.
    pub fn fate(self) -> Fate {
        match self.0 & 3 {
            0 => Fate::Waiting,
            1 => Fate::Admitted,
            2 => Fate::Refused,
            _ => Fate::NotRun,
        }
    }

    /// Settles its fate.
    pub fn set_fate(&mut self, fate: Fate) {
        let bits = match fate {
            Fate::Waiting => 0,
            Fate::Admitted => 1,
            Fate::Refused => 2,
            Fate::NotRun => 3,
        };
        self.0 = self.0 & !3 | bits;
    }
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is escalated and waits for a decision.
    Waiting,
    /// Admitted, or observed to have run all the same: in flight or settled.
    Admitted,
    /// Refused here, and the record does not say that it was blocked: a result shows that it ran.
    Refused,
    /// Did not run, by the record: a result changes nothing.
    NotRun,
}

/// The marks of a run.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    list: Vec<Mark>,
    /// Place in the list by id; empty while the list is short.
    index: HashMap<u64, usize>,
}

/// Marks up to which looking through the list is as quick as an index.
const SHORT: usize = 32;

impl Marks {
    /// The mark of a call.
    pub fn get(&self, id: u64) -> Option<&Mark> {
        self.list.get(self.find(id)?)
    }

    /// The mark of a call, to be changed.
    pub fn get_mut(&mut self, id: u64) -> Option<&mut Mark> {
        let place = self.find(id)?;
        self.list.get_mut(place)
    }

    fn find(&self, id: u64) -> Option<usize> {
        // The latest call is asked for most, and of others the late ones.
        let latest = self.list.last().is_some_and(|mark| mark.id == id);
        if latest || self.index.is_empty() {
            return self.list.iter().rposition(|mark| mark.id == id);
        }
        self.index.get(&id).copied()
    }

    /// Remembers a call that is not remembered yet.
    pub fn insert(&mut self, mark: Mark) {
        let place = self.list.len();
        if place == self.list.capacity() {
            // Many runs stay short: doubling would cost more than growing often.
            self.list.reserve_exact(2 + place / 4);
        }
        if !self.index.is_empty() {
            self.index.insert(mark.id, place);
        }
        self.list.push(mark);
        if place == SHORT {
            let places = self.list.iter().enumerate().map(|(i, mark)| (mark.id, i));
            self.index = places.collect();
        }
    }

    /// All of them, in order of arrival.
    pub fn iter(&self) -> impl Iterator<Item = &Mark> {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::matcher::{Matchers, NameTable};

    #[test]
    fn calls_are_found_with_and_without_the_index() {
        let names = NameTable::default().intern(&Matchers::default(), "t", &[]);
        let mut marks = Marks::default();
        for id in 0..200 {
            assert!(marks.get(id).is_none());
            marks.insert(Mark {
                id,
                content: id * 7,
                turn: id,
                names: Arc::clone(&names),
                outcome: None,
                origin: Origin::on(id, false),
            });
            for known in [0, id / 2, id] {
                assert_eq!(marks.get(known).map(|mark| mark.content), Some(known * 7));
            }
        }
        assert!(std::mem::size_of::<Mark>() <= 40);
    }

    #[test]
    fn a_line_and_a_fate_fit_together() {
        for (line, stopped) in [(1, false), (7, true), ((1 << 29) - 1, true)] {
            let mut origin = Origin::on(line, stopped);
            assert_eq!(origin.fate(), Fate::Waiting);
            for fate in [Fate::Admitted, Fate::NotRun, Fate::Refused, Fate::Waiting] {
                origin.set_fate(fate);
                assert_eq!(
                    (origin.fate(), origin.line().map(u64::from)),
                    (fate, Some(line))
                );
                assert_eq!(origin.stopped(), stopped);
            }
        }
        for line in [0, 1 << 29, u64::MAX] {
            assert_eq!(Origin::on(line, true).line(), None);
        }
    }
}
