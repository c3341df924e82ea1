//! A run's settled calls, reduced to what the policy asks of them: tallies of the pattern lists it
//! counts and the names of the last few calls. Its size does not depend on the run's length.

use crate::policy::Policy;
use crate::policy::matcher::{ListSet, MatcherId, NameSet};
use std::collections::VecDeque;
use std::sync::Arc;

/// Settled calls of a run.
#[derive(Clone, Debug, Default)]
pub struct History {
    len: u64,
    tallies: Vec<Tally>,
    recent: VecDeque<Arc<NameSet>>,
}

/// What is kept of the calls that match one pattern list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many there were.
    pub count: u64,
    /// Place of the latest in the history, from 1; 0 while there is none.
    pub latest: u64,
    /// Whether the latest had no error; false while there is none.
    pub latest_ok: bool,
}

impl History {
    /// Appends a settled call.
    pub fn push(&mut self, policy: &Policy, names: &Arc<NameSet>, error: bool) {
        self.len += 1;
        if self.tallies.is_empty() && !policy.tallied.is_empty() {
            self.tallies = vec![Tally::default(); policy.tallied.len()];
        }
        for (tally, &id) in self.tallies.iter_mut().zip(&policy.tallied) {
            tally.append(self.len, names.is(id), error);
        }
        if policy.recent > 0 {
            if self.recent.len() == policy.recent {
                self.recent.pop_front();
            } else {
                self.recent.reserve_exact(1);
            }
            self.recent.push_back(Arc::clone(names));
        }
    }

    /// All that is kept, to be put away: how many there were, the tallies, the names of the latest.
    pub fn parts(&self) -> (u64, &[Tally], impl ExactSizeIterator<Item = &Arc<NameSet>>) {
        (self.len, &self.tallies, self.recent.iter())
    }

    /// The history of these [parts](History::parts).
    pub fn of(len: u64, tallies: Vec<Tally>, recent: VecDeque<Arc<NameSet>>) -> History {
        History {
            len,
            tallies,
            recent,
        }
    }

    /// Calls so far.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether no call has settled.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The tally of a pattern list, with `appended` taken as settled without an error after the
    /// calls of the history. A list that the policy does not count has an empty tally.
    pub fn tally(&self, policy: &Policy, id: MatcherId, appended: &[Arc<NameSet>]) -> Tally {
        let index = policy.tallied.binary_search(&id).ok();
        let mut tally = index
            .and_then(|i| self.tallies.get(i))
            .copied()
            .unwrap_or_default();
        for (i, names) in appended.iter().enumerate() {
            tally.append(self.len + i as u64 + 1, names.is(id), false);
        }
        tally
    }

    /// The tally of the list that stands there in the policy's `tallied`.
    pub fn nth(&self, index: usize) -> Tally {
        self.tallies.get(index).copied().unwrap_or_default()
    }

    /// Names of the last `n` calls, `appended` included, latest first. `n` is at most the
    /// policy's `recent`.
    pub fn last<'a>(
        &'a self,
        n: usize,
        appended: &'a [Arc<NameSet>],
    ) -> impl Iterator<Item = &'a Arc<NameSet>> {
        appended
            .iter()
            .rev()
            .chain(self.recent.iter().rev())
            .take(n)
    }

    /// The pattern lists that any of those matches, so that what is asked of all of them is a few bits.
    pub fn matched(&self, n: usize, appended: &[Arc<NameSet>]) -> ListSet {
        let first = appended.len().saturating_sub(n);
        let own = self.recent.len().min(n.saturating_sub(appended.len()));
        let calls = self.recent.range(self.recent.len() - own..);
        let calls = calls.chain(appended.iter().skip(first));
        ListSet::all_of(calls.map(|names| names.matched()))
    }
}

impl Tally {
    fn append(&mut self, place: u64, matches: bool, error: bool) {
        if matches {
            self.count += 1;
            self.latest = place;
            self.latest_ok = !error;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::matcher::NameTable;
    use crate::policy::{PolicySource, parse};
    use crate::testing::Random;

    /// The lists that the latest calls match, joined, are those that any of them matches by itself.
    #[test]
    fn lists_of_the_latest_calls_are_those_of_each() {
        let mut random = Random::new(1);
        for (window, pairs) in [(1, 2), (5, 3), (7, 90)] {
            let pair = |n| format!("['t{n}*', 'u{n}']");
            let pairs: Vec<String> = (0..pairs).map(pair).collect();
            let text = format!(
                "dcbf.barriers.safety = {{ window = {window}, pairs = [{}] }}",
                pairs.join(", ")
            );
            let nothing = |_: &str| Err("no file".to_owned());
            let policy = parse(&text, "p.toml", PolicySource::BuiltIn, &nothing).expect(&text);
            let (mut history, mut table) = (History::default(), NameTable::default());
            for _ in 0..300 {
                let more = random.below(4);
                let mut names = || {
                    let tool = format!("{}{}", random.pick(&["t", "u"]), random.below(99));
                    table.intern(
                        &policy.matchers,
                        &tool,
                        &[&format!("u{}", random.below(99))],
                    )
                };
                let appended: Vec<_> = (0..more).map(|_| names()).collect();
                for n in 0..=policy.recent {
                    let joined = history.matched(n, &appended);
                    for (id, _) in (0..).map(MatcherId).zip(policy.matchers.iter()) {
                        let each = history.last(n, &appended).any(|names| names.is(id));
                        assert_eq!(joined.holds(id), each, "{n} {id:?}");
                    }
                }
                history.push(&policy, &names(), false);
            }
        }
    }
}
