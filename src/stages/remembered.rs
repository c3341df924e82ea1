//! Scores of calls that are judged again and again, under policies that differ in numbers alone.
//!
//! What the semantic firewall measures of a call depends on the call, its intent and the descriptions; no
//! state has a say in it. So a run that is replayed under other thresholds and budgets need not be read
//! again by it: the similarities are the same, and only what the thresholds make of them is not.

use crate::firewall::{Firewall, Score};
use foldhash::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most scores that are remembered; others are worked out each time.
const MOST: usize = 65_536;

/// The scores of a run's calls, each by the number of its record.
#[derive(Debug, Default)]
pub struct Remembered(Mutex<Scores>);

#[derive(Debug, Default)]
struct Scores {
    at: usize,
    /// By record, and by the intent that was known of the run.
    known: HashMap<(usize, u64), Score>,
}

impl Remembered {
    /// The call that is judged next is that of the record of this number.
    pub fn begin(&self, at: usize) {
        self.scores().at = at;
    }

    /// The score of that call, measured by `measure` where that was not done before. The firewall may
    /// have other thresholds than the one that did, and nothing else that is another.
    pub(super) fn score(
        &self,
        firewall: &Firewall,
        intent: Option<&str>,
        measure: impl FnOnce() -> Option<Score>,
    ) -> Option<Score> {
        let mut scores = self.scores();
        let mut hasher = DefaultHasher::new();
        intent.hash(&mut hasher);
        let at = (scores.at, hasher.finish());
        if let Some(known) = scores.known.get(&at) {
            return Some(firewall.again(known));
        }
        let score = measure()?;
        if scores.known.len() < MOST {
            scores.known.insert(at, score.clone());
        }
        Some(score)
    }

    fn scores(&self) -> MutexGuard<'_, Scores> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
