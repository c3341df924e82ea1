//! Results that were read before their calls. They are held until the call comes, whose outcome they
//! are then, or until its run is over. How much is held is bounded: what goes beyond is an orphan at
//! once.

use super::digest;
use crate::trace::event::{Outcome, RawJson, ToolResult};
use crate::trace::fault::Place;
use std::collections::BTreeMap;

/// Most results held.
const MOST: usize = 4096;

/// Most bytes of them.
const MOST_BYTES: usize = 16 << 20;

/// A result without its call.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// Where it stands.
    pub(super) place: Place,
    /// Name of its run.
    pub(super) run: Box<str>,
    /// Id of the call.
    pub(super) call: Box<str>,
    /// What it says.
    pub(super) outcome: Outcome<'static>,
}

impl Held {
    fn bytes(&self) -> usize {
        let result = self.outcome.result.as_ref();
        self.run.len() + self.call.len() + result.map_or(0, |r| r.bytes().len())
    }

    /// The result again.
    pub(super) fn result(self) -> ToolResult<'static> {
        ToolResult {
            run: None,
            call: self.call.into_string().into(),
            outcome: self.outcome,
            ts: None,
        }
    }
}

/// The results that are held, by run and call.
#[derive(Debug, Default)]
pub(super) struct Early {
    held: BTreeMap<(u128, u64), Vec<Held>>,
    count: usize,
    bytes: usize,
}

impl Early {
    /// Holds a result; `false` if there is no room.
    pub(super) fn hold(&mut self, place: Place, run: &str, result: &ToolResult<'_>) -> bool {
        let size = |r: &RawJson<'_>| r.bytes().len();
        let bytes = run.len() + result.call.len() + result.outcome.result.as_ref().map_or(0, size);
        if self.count >= MOST || self.bytes + bytes > MOST_BYTES {
            return false;
        }
        self.count += 1;
        self.bytes += bytes;
        let key = (digest::run(run), digest::id(&result.call));
        self.held.entry(key).or_default().push(Held {
            place,
            run: run.into(),
            call: (*result.call).into(),
            outcome: result.outcome.clone().into_owned(),
        });
        true
    }

    /// The results of a call, in the order of the trace.
    pub(super) fn of_call(&mut self, run: &str, call: u64) -> Vec<Held> {
        if self.held.is_empty() {
            // As it mostly is: the hash of the run is not worked out.
            return Vec::new();
        }
        let found = self.held.remove(&(digest::run(run), call));
        self.let_go(found.unwrap_or_default())
    }

    /// What is left of a run that is over, in the order of the trace.
    pub(super) fn of_run(&mut self, run: &str) -> Vec<Held> {
        if self.held.is_empty() {
            return Vec::new();
        }
        let run = digest::run(run);
        let of_run = self.held.range((run, 0)..=(run, u64::MAX));
        let calls: Vec<_> = of_run.map(|(&key, _)| key).collect();
        let left = calls.iter().filter_map(|key| self.held.remove(key));
        let left = left.flatten().collect();
        self.let_go(left)
    }

    /// Everything that is left, in the order of the trace.
    pub(super) fn all(&mut self) -> Vec<Held> {
        let left = std::mem::take(&mut self.held);
        self.let_go(left.into_values().flatten().collect())
    }

    fn let_go(&mut self, mut held: Vec<Held>) -> Vec<Held> {
        self.count -= held.len();
        self.bytes -= held.iter().map(Held::bytes).sum::<usize>();
        held.sort_by_key(|held| held.place);
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_bounded_and_let_go_in_order() {
        let mut early = Early::default();
        let hold = |early: &mut Early, line: u64, result: &str| {
            let place = Place {
                line,
                ..Place::default()
            };
            let result = ToolResult {
                call: format!("c{}", line % 3).into(),
                outcome: Outcome {
                    result: Some(RawJson::from_string(result)),
                    ..Outcome::default()
                },
                ..ToolResult::default()
            };
            early.hold(place, "r", &result)
        };
        for line in 1..=9 {
            assert!(hold(&mut early, line, "x"));
        }
        let lines = |held: Vec<Held>| held.iter().map(|h| h.place.line).collect::<Vec<_>>();
        assert_eq!(lines(early.of_call("r", digest::id("c1"))), [1, 4, 7]);
        assert!(early.of_call("s", digest::id("c2")).is_empty());
        assert_eq!(lines(early.of_run("r")), [2, 3, 5, 6, 8, 9]);
        assert_eq!((early.count, early.bytes), (0, 0));
        assert!(!hold(&mut early, 1, &"x".repeat(MOST_BYTES)));
        for line in 0..MOST as u64 {
            assert!(hold(&mut early, line, ""));
        }
        assert!(!hold(&mut early, 1, ""));
        assert_eq!(early.all().len(), MOST);
    }
}
