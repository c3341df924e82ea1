//! Replays of a run under changed policies, so many at most, and what they say of the call.
//!
//! How many are made depends on the run alone and on no clock, so that an explanation is the same on
//! every machine. A search that they ended says so.

use super::change::{Change, Key};
use super::flip::{Rule, opened, stopping};
use super::tape::{Played, Tape};
use crate::engine::decision::DecisionKind;
use crate::engine::{Final, Options};
use crate::policy::Policy;
use crate::stages::weigh::Amount;

/// Most replays of one search on a short run: twice as many as it takes to halve the way between any
/// two floats until they are neighbours, and some for the way there.
const MOST: u64 = 160;

/// Fewest of them, on a run however long.
const FEWEST: u64 = 32;

/// Calls that the replays of one search go through, if that leaves it as many as the fewest.
const CALLS: u64 = 400_000;

/// A run, the policy it was replayed under, and what came of it.
#[derive(Debug)]
pub struct Case<'a> {
    /// The records.
    pub tape: &'a Tape,
    /// The policy.
    pub policy: &'a Policy,
    /// How it was replayed.
    pub options: Options,
    /// What came of it.
    pub played: &'a Played,
    /// Most replays of one search.
    pub most: u64,
}

/// How many replays one search may make on a run of so many calls.
pub fn most_replays(calls: u64) -> u64 {
    (CALLS / calls.max(1)).clamp(FEWEST, MOST)
}

/// Whether an escalation stops a call of that decision also where it lets it through.
pub fn asks(kind: DecisionKind) -> bool {
    matches!(kind, DecisionKind::Allow | DecisionKind::Escalate)
}

/// What the replay of a run under a changed policy says of the call.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// Whether the rule says the other thing; of changes together, whether the call is let through.
    pub turned: bool,
    /// What is decided.
    pub kind: DecisionKind,
    /// Whether the call may run.
    pub admitted: bool,
    /// The rules that stop it.
    pub stops: Vec<Rule>,
    /// How many earlier calls of the run are decided otherwise.
    pub earlier: u64,
    /// The first of them, by its number in the run.
    pub first_earlier: Option<u64>,
    /// Whether the run would be outside the safe set after the call, which is let through.
    pub leaves: bool,
}

/// How a search went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Replays that it made.
    pub replays: u64,
    /// Whether it ended because it may not make more: then there may be changes where none was found,
    /// and smaller ones than those that were.
    pub bounded: bool,
}

impl Case<'_> {
    /// Whether an escalation stops the call also where it lets it through: it is what the call was
    /// decided by, or would be.
    pub(super) fn asks(&self) -> bool {
        let decided = self.played.sought.as_ref();
        decided.is_some_and(|decided| asks(decided.decision.kind))
    }

    /// A number opened, see [`opened`]: of what counts calls never more than the run has up to the call,
    /// as no more can be met.
    pub(super) fn opened(&self, policy: &Policy, key: Key, pass: bool) -> Option<Amount> {
        let calls = self.played.earlier.len() as u64 + 1;
        let counts_calls = matches!(
            key,
            Key::MaxSteps | Key::MaxLoops | Key::MaxRepeats | Key::MaxRefusals
        );
        match (opened(policy, key, pass)?, key.get(policy)?) {
            (Amount::Count(open), Amount::Count(from)) if counts_calls => {
                Some(Amount::Count(open.min(calls.max(from))))
            }
            (open, _) => Some(open),
        }
    }

    /// What a replay says, where `turned` tells whether that is what was sought.
    pub(super) fn replayed(&self, tried: &Tried, turned: bool) -> Replayed {
        let decided = &tried.met;
        let decision = &decided.decision;
        let pairs = self.played.earlier.iter().zip(&tried.earlier);
        let mut changed = pairs.filter(|(was, is)| was != is).map(|(was, _)| was.0);
        let first_earlier = changed.next();
        let transitions = super::course::transitions(decided).unwrap_or_default();
        Replayed {
            turned,
            kind: decision.kind,
            admitted: decision.admitted,
            stops: stopping(decided).map(|(s, w)| Rule::of(s, w)).collect(),
            earlier: u64::from(first_earlier.is_some()) + changed.count() as u64,
            first_earlier,
            leaves: decision.admitted && transitions.iter().any(|t| t.next < 0.0),
        }
    }
}

/// A replay under a changed policy.
#[derive(Debug)]
pub(super) struct Tried {
    /// The call.
    pub(super) met: Final,
    /// The calls before it, see [`Played::earlier`].
    earlier: Vec<(u64, DecisionKind, bool)>,
}

/// The replays of one search.
#[derive(Debug)]
pub(super) struct Trials<'c> {
    case: &'c Case<'c>,
    pub(super) effort: Effort,
}

impl<'c> Trials<'c> {
    pub(super) fn new(case: &'c Case<'c>) -> Trials<'c> {
        Trials {
            case,
            effort: Effort::default(),
        }
    }

    /// Replays the run under that policy. Absent where no more replays may be made.
    pub(super) fn run(&mut self, policy: &Policy) -> Option<Tried> {
        if self.effort.replays >= self.case.most {
            self.effort.bounded = true;
            return None;
        }
        self.effort.replays += 1;
        let case = self.case;
        let played = case.tape.try_under(policy, case.options, case.asks());
        Some(Tried {
            met: played.sought?,
            earlier: played.earlier,
        })
    }

    /// The tick nearest to `not` that holds, on the way there from `is`, which does, and what its replay
    /// found. One step less is tried first, as mostly that does not hold; then the way is halved. What is
    /// found holds and one step less does not, unless no more replays may be made.
    pub(super) fn least<T>(
        &mut self,
        not: i128,
        is: (i128, T),
        mut holds: impl FnMut(&mut Self, i128) -> Option<Result<T, ()>>,
    ) -> (i128, T) {
        let (is, mut found) = is;
        let side = (is - not).signum();
        let (mut less, mut enough) = (0, (is - not).abs());
        let mut at = enough - 1;
        while enough - less > 1 {
            match holds(self, not + side * at) {
                None => break,
                Some(Ok(value)) => (enough, found) = (at, value),
                Some(Err(())) => less = at,
            }
            at = less + (enough - less) / 2;
        }
        (not + side * enough, found)
    }
}

/// The policy with another value of that number.
pub(super) fn with(policy: &Policy, key: Key, to: Amount) -> Policy {
    let mut policy = policy.clone();
    key.set(&mut policy, to);
    policy
}

/// Changes of a policy, one after the other, and what it becomes by them.
#[derive(Clone, Debug)]
pub(super) struct Changed<'p> {
    original: &'p Policy,
    pub(super) policy: Policy,
    pub(super) changes: Vec<Change>,
}

impl<'p> Changed<'p> {
    pub(super) fn new(original: &'p Policy) -> Changed<'p> {
        Changed {
            original,
            policy: original.clone(),
            changes: Vec::new(),
        }
    }

    /// Sets that number; what the original says is no change.
    pub(super) fn set(&mut self, key: Key, to: Amount) {
        let at = self.changes.iter().position(|known| known.key == key);
        if key.get(self.original) == Some(to) {
            let Some(at) = at else { return };
            self.changes.remove(at);
            // To give a number is more than to leave it out: others may follow it.
            self.policy = self.original.clone();
            for change in &self.changes {
                change.key.set(&mut self.policy, change.to);
            }
            return;
        }
        key.set(&mut self.policy, to);
        match at.and_then(|at| self.changes.get_mut(at)) {
            Some(known) => known.to = to,
            None => self.changes.extend(Change::of(self.original, key, to)),
        }
    }
}
