//! Changes of a policy that turn a decision, each held against a replay of the run from its start.
//!
//! A change is worked out for the state that the call meets. Under the changed policy earlier calls may
//! be decided otherwise, and the call may meet another state: then the change is worked out anew there,
//! until the rule is turned or no change of that number turns it; after a few such changes they go
//! farther than is asked for, so that long runs take few replays. Of a change that turns it one step less
//! is tried too; where that turns it as well the least is sought by replays.

use super::change::{Change, Key};
use super::flip::{Rule, keys, stopping, turned};
use super::search::{amount, tick};
use super::tape::{Played, Tape};
use crate::engine::decision::DecisionKind;
use crate::engine::{Final, Options};
use crate::policy::Policy;
use crate::stages::weigh::Amount;

/// Most changes of one number that are tried before the least is sought.
const ROUNDS: usize = 64;

/// After so many changes of a number the next ones go farther than the state that is met asks for.
const NEAR: usize = 2;

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
}

/// What it takes to turn a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Flip {
    /// The rule.
    pub rule: Rule,
    /// The changes, of one number or of such as belong together. Where the replay is not turned they are
    /// the last that were tried, and none that turns the rule was found.
    pub changes: Vec<Change>,
    /// What a replay with them says.
    pub replay: Replayed,
}

/// What the replay of a run under a changed policy says of the call.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// Whether the rule says the other thing.
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

/// What it takes to let a call through, rule after rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Together {
    /// The changes, in the order in which rules came to stop the call.
    pub changes: Vec<Change>,
    /// What a replay with them says. Where that still stops the call no number of the policy is known
    /// to turn the first rule of `stops`.
    pub replay: Replayed,
}

/// A replay under a changed policy.
#[derive(Debug)]
struct Tried {
    said: Replayed,
    /// The call.
    met: Final,
    /// Calls before it that may not run.
    refused: u64,
}

impl Case<'_> {
    /// What it takes to turn that rule, by each number that it goes by: to pass the call where `pass`,
    /// else not to.
    pub fn flips(&self, rule: &Rule, pass: bool) -> Vec<Flip> {
        let Some(decided) = &self.played.sought else {
            return Vec::new();
        };
        let keys = keys(self.policy, rule, decided).into_iter();
        keys.filter_map(|key| self.flip(rule, key, pass)).collect()
    }

    /// The same by one number. Absent where it turns nothing even in the state that the call meets.
    pub fn flip(&self, rule: &Rule, key: Key, pass: bool) -> Option<Flip> {
        let mut decided = self.played.sought.clone()?;
        let (mut policy, mut changes) = (self.policy.clone(), Vec::new());
        let (mut replay, mut refused) = (None, 0);
        for round in 0..ROUNDS {
            let Some(change) = next(&policy, rule, key, &decided, pass) else {
                break;
            };
            let change = match round < NEAR {
                true => change,
                false => self.farther(&policy, change, refused),
            };
            let before = policy.clone();
            apply(self.policy, &mut policy, &mut changes, change.clone());
            let tried = self.tried(&policy, rule, pass)?;
            if tried.said.turned {
                let (to, said) = self.nearer(&before, &change, rule, pass, tried.said);
                let change = Change { to, ..change };
                apply(self.policy, &mut policy, &mut changes, change);
                replay = Some(said);
                break;
            }
            (replay, decided, refused) = (Some(tried.said), tried.met, tried.refused);
        }
        let replay = replay?;
        // Of a barrier's rules another may refuse the call than was weighed first.
        let mut stops = replay.stops.iter();
        let named = stops.find(|stop| stop.is_of(rule)).unwrap_or(rule);
        Some(Flip {
            rule: named.clone(),
            changes,
            replay,
        })
    }

    /// A change of the number that goes farther than the one that the state asks for, as every earlier
    /// call that it lets through asks for more: of a budget of steps, for each of those that are refused
    /// still; of other numbers twice as far as the last one.
    fn farther(&self, policy: &Policy, change: Change, refused: u64) -> Change {
        let now = change.key.get(policy).unwrap_or(change.from);
        let origin = change.key.get(self.policy).unwrap_or(now);
        let (origin, now, asked) = (tick(origin), tick(now), tick(change.to));
        let to = match change.key {
            Key::MaxSteps | Key::StepBudget(_) if asked > now => asked + i128::from(refused),
            _ => {
                let twice = now.saturating_add(now - origin);
                if asked > now {
                    asked.max(twice)
                } else {
                    asked.min(twice)
                }
            }
        };
        let (least, most) = change.key.range(policy);
        let to = amount(to.max(tick(least)).min(tick(most)), change.to);
        Change { to, ..change }
    }

    /// The least of the changes on the way to one that turns the rule, and what its replay says: where
    /// earlier calls are decided otherwise half of it may do. `policy` is the one without the change,
    /// under which the rule is not turned. What is found turns it and one step less does not.
    fn nearer(
        &self,
        policy: &Policy,
        change: &Change,
        rule: &Rule,
        pass: bool,
        said: Replayed,
    ) -> (Amount, Replayed) {
        let mut found = (change.to, said);
        let Some(from) = change.key.get(policy).map(tick) else {
            return found;
        };
        let steps = tick(change.to) - from;
        let side = steps.signum();
        let (mut not, mut is, mut at) = (0, steps.abs(), steps.abs() - 1);
        while is - not > 1 {
            let to = amount(from + side * at, change.to);
            let mut policy = policy.clone();
            change.key.set(&mut policy, to);
            let Some(tried) = self.tried(&policy, rule, pass) else {
                return found;
            };
            match tried.said.turned {
                true => (is, found) = (at, (to, tried.said)),
                false => not = at,
            }
            at = not + (is - not) / 2;
        }
        found
    }

    /// What comes of the run under another policy.
    fn tried(&self, policy: &Policy, rule: &Rule, pass: bool) -> Option<Tried> {
        let played = self.tape.play(policy, self.options);
        let refused = played.earlier.iter().filter(|(_, _, admitted)| !admitted);
        Some(Tried {
            said: self.replayed(&played, rule, pass)?,
            refused: refused.count() as u64,
            met: played.sought?,
        })
    }

    /// Turns the rules that stop the call one after the other, each by the first number that turns it.
    pub fn together(&self) -> Option<Together> {
        let mut decided = self.played.sought.clone()?;
        let (mut policy, mut changes) = (self.policy.clone(), Vec::new());
        let (mut replay, mut refused) = (None, 0);
        let mut turns: Vec<Key> = Vec::new();
        for _ in 0..ROUNDS {
            if decided.decision.admitted && decided.decision.kind == DecisionKind::Allow {
                break;
            }
            let Some((rule, change)) = first(&policy, &decided) else {
                break;
            };
            let key = change.key;
            let far = turns.iter().filter(|known| **known == key).count() >= NEAR;
            let change = match far {
                true => self.farther(&policy, change, refused),
                false => change,
            };
            turns.push(key);
            let before = policy.clone();
            apply(self.policy, &mut policy, &mut changes, change.clone());
            let mut tried = self.tried(&policy, &rule, true)?;
            if far && tried.said.turned {
                let (to, _) = self.nearer(&before, &change, &rule, true, tried.said);
                let change = Change { to, ..change };
                apply(self.policy, &mut policy, &mut changes, change);
                tried = self.tried(&policy, &rule, true)?;
            }
            (replay, decided, refused) = (Some(tried.said), tried.met, tried.refused);
        }
        Some(Together {
            changes,
            replay: replay?,
        })
    }

    fn replayed(&self, played: &Played, rule: &Rule, pass: bool) -> Option<Replayed> {
        let decided = played.sought.as_ref()?;
        let decision = &decided.decision;
        let pairs = self.played.earlier.iter().zip(&played.earlier);
        let mut changed = pairs.filter(|(was, is)| was != is).map(|(was, _)| was.0);
        let first_earlier = changed.next();
        let transitions = super::course::transitions(decided).unwrap_or_default();
        Some(Replayed {
            turned: rule.stops(decided) != pass,
            kind: decision.kind,
            admitted: decision.admitted,
            stops: stopping(decided).map(|(s, w)| Rule::of(s, w)).collect(),
            earlier: u64::from(first_earlier.is_some()) + changed.count() as u64,
            first_earlier,
            leaves: decision.admitted && transitions.iter().any(|t| t.next < 0.0),
        })
    }
}

/// The change that turns the rule in the state that the call met. Of a score, that of whichever
/// threshold it reached.
fn next(policy: &Policy, rule: &Rule, key: Key, decided: &Final, pass: bool) -> Option<Change> {
    let key = match key {
        Key::Block | Key::Escalate | Key::HarmFloor => *keys(policy, rule, decided).first()?,
        key => key,
    };
    let to = turned(policy, rule, key, decided, pass)?;
    Change::of(policy, key, to)
}

/// The first rule that stops the call, and the change that turns it. What ends a run for a budget goes
/// by that budget.
fn first(policy: &Policy, decided: &Final) -> Option<(Rule, Change)> {
    let mut rules = stopping(decided).map(|(stage, weighed)| Rule::of(stage, weighed));
    let mut rule = rules.next()?;
    if rule.rule == "exhausted" {
        rule = rules.find(|rule| rule.stage == "dfa")?;
    }
    let keys = keys(policy, &rule, decided).into_iter();
    let mut changes = keys.filter_map(|key| next(policy, &rule, key, decided, true));
    let change = changes.next()?;
    Some((rule, change))
}

/// Changes the policy, and notes it as a change of the original.
fn apply(original: &Policy, policy: &mut Policy, changes: &mut Vec<Change>, change: Change) {
    change.key.set(policy, change.to);
    match changes.iter_mut().find(|known| known.key == change.key) {
        Some(known) => known.to = change.to,
        None => {
            let from = change.key.get(original).unwrap_or(change.from);
            changes.push(Change { from, ..change });
        }
    }
}
