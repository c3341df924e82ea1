//! Numbers of a policy that let a call through together, where none does alone.
//!
//! Limits that bind by turns ask for a little more of one, then of the other, for every earlier call
//! that comes through. So after a few such steps every number that a stopping rule goes by is opened, so
//! that it stops nothing; the state that the call meets then tells how much of each is enough. What was
//! found is made as small as replays can tell: a number that is not needed is left as it was, and of each
//! other one the least is sought, until one step less of any of them lets the call through no more.

use super::change::{Change, Key};
use super::flip::{ENDS, Rule, asked, is_ending, keys, stopping};
use super::search::{amount, tick};
use super::trial::{Case, Changed, Effort, Replayed, Trials, Tried, with};
use super::turn::next;
use crate::engine::Final;
use crate::engine::decision::DecisionKind;
use crate::policy::Policy;

/// So many changes are worked out for the state that the call meets, before numbers are opened.
const NEAR: usize = 6;

/// Numbers that let a call through together.
#[derive(Clone, Debug, PartialEq)]
pub struct Together {
    /// The changes, in the order in which rules came to stop the call. Each is needed.
    pub changes: Vec<Change>,
    /// What a replay with them says: the call is let through.
    pub replay: Replayed,
    /// How they were sought.
    pub effort: Effort,
}

/// What comes of a search for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sought {
    /// The numbers; absent where none were found.
    pub found: Option<Together>,
    /// Rules that stop the call and go by no number.
    pub stuck: Vec<Rule>,
    /// How they were sought.
    pub effort: Effort,
}

impl Case<'_> {
    /// Seeks the numbers that let the call through.
    pub fn together(&self) -> Sought {
        let mut search = Search {
            case: self,
            stuck: Vec::new(),
            trials: Trials::new(self),
        };
        let found = search.find();
        let effort = search.trials.effort;
        let mut stuck = search.stuck;
        let met = found.as_ref().map(|(_, tried)| &tried.met);
        if let Some(met) = met.or(self.played.sought.as_ref()) {
            // What still says that the run was ended, with its numbers open, goes by none: the recording
            // ended it.
            let none = |rule: &Rule| is_ending(rule) || keys(self.policy, rule, met).is_empty();
            stuck.retain(|rule| rule.stops(met) && none(rule));
        }
        let found = found.filter(|(_, tried)| self.is_through(&tried.met));
        Sought {
            found: found.map(|(changed, tried)| Together {
                changes: changed.changes,
                replay: self.replayed(&tried, true),
                effort,
            }),
            stuck,
            effort,
        }
    }

    /// Whether the call is let through: as it may run, or by the escalation that it did not get to.
    fn is_through(&self, decided: &Final) -> bool {
        let decision = &decided.decision;
        match decision.kind {
            DecisionKind::Allow => decision.admitted,
            DecisionKind::Escalate => decision.admitted && !self.asks(),
            _ => false,
        }
    }
}

struct Search<'c> {
    case: &'c Case<'c>,
    stuck: Vec<Rule>,
    trials: Trials<'c>,
}

/// A policy, and a replay under it.
type Found<'p> = (Changed<'p>, Tried);

impl<'c> Search<'c> {
    fn find(&mut self) -> Option<Found<'c>> {
        let original = self.case.policy;
        let met = self.case.played.sought.clone()?;
        let mut latest = None;
        let near = self.near(&Changed::new(original), met.clone(), NEAR, &mut latest);
        let found = near.or_else(|| self.jump(met, &mut latest));
        match found {
            Some(found) => Some(self.smallest(found)),
            // Without any change the call was replayed already; again, to tell what it met.
            None if latest.is_none() && !self.stuck.is_empty() => {
                let tried = self.trials.run(original)?;
                Some((Changed::new(original), tried))
            }
            None => latest,
        }
    }

    /// Turns the first rule that stops the call, in the state that it meets, so many times.
    fn near(
        &mut self,
        from: &Changed<'c>,
        mut met: Final,
        steps: usize,
        latest: &mut Option<Found<'c>>,
    ) -> Option<Found<'c>> {
        let mut changed = from.clone();
        for _ in 0..steps {
            let (_, change) = self.first(&changed.policy, &met, &[])?;
            changed.set(change.key, change.to);
            let tried = self.trials.run(&changed.policy)?;
            if self.reached(&tried.met) {
                return Some((changed, tried));
            }
            met = tried.met.clone();
            *latest = Some((changed.clone(), tried));
        }
        None
    }

    /// Opens the numbers that stop the call, and goes back to what is enough.
    fn jump(&mut self, met: Final, latest: &mut Option<Found<'c>>) -> Option<Found<'c>> {
        let original = self.case.policy;
        let (mut open, mut met) = (Changed::new(original), met);
        let mut widened: Vec<(Rule, Change)> = Vec::new();
        let mut wide = None;
        while !self.reached(&met) {
            let known: Vec<Key> = widened.iter().map(|(_, change)| change.key).collect();
            let Some((rule, change)) = self.first(&open.policy, &met, &known) else {
                match self.reached(&met) {
                    // What is left goes by no number.
                    true => break,
                    false => return None,
                }
            };
            open.set(
                change.key,
                self.case.opened(&open.policy, change.key, true)?,
            );
            widened.push((rule, change));
            let tried = self.trials.run(&open.policy)?;
            met = tried.met.clone();
            wide = Some(tried);
        }
        let wide = wide?;
        let mut enough = Changed::new(original);
        let mut each = Vec::new();
        for (rule, Change { key, to, .. }) in widened {
            let policy = with(&open.policy, key, key.get(original)?);
            // A score that passes is not told apart any more; it is the same in every state.
            let to = asked(&policy, &rule, key, &met, true).unwrap_or(to);
            enough.set(key, to);
            each.push((key, to));
        }
        let tried = self.trials.run(&enough.policy)?;
        if self.reached(&tried.met) {
            return Some((enough, tried));
        }
        let met = tried.met.clone();
        *latest = Some((enough.clone(), tried));
        if let Some(found) = self.near(&enough, met, NEAR, latest) {
            return Some(found);
        }
        // An earlier call asks for more than this one: those that do not matter to it stay open.
        let mut found = (open, wide);
        // The later ones first: the threshold of escalating stays below the one of blocking.
        for (key, to) in each.into_iter().rev() {
            let mut less = found.0.clone();
            less.set(key, to);
            let Some(tried) = self.trials.run(&less.policy) else {
                break;
            };
            if self.reached(&tried.met) {
                found = (less, tried);
            }
        }
        Some(found)
    }

    /// Makes what was found as small as replays can tell.
    fn smallest(&mut self, found: Found<'c>) -> Found<'c> {
        let mut found = found;
        loop {
            let before = found.0.changes.clone();
            for change in &before {
                found = self.smaller(found, change, before.len() > 1);
            }
            if found.0.changes == before || self.trials.effort.bounded {
                return found;
            }
        }
    }

    /// The same with the least of one of the numbers; where it is one of `several` it may be needless.
    fn smaller(&mut self, found: Found<'c>, change: &Change, several: bool) -> Found<'c> {
        let base = found.0.clone();
        let set = |to| {
            let mut changed = base.clone();
            changed.set(change.key, to);
            changed
        };
        let case = self.case;
        let try_at = |trials: &mut Trials<'c>, stuck: &[Rule], at: i128| {
            let changed = set(amount(at, change.to));
            let (least, most) = change.key.range(&changed.policy);
            if at < tick(least) || at > tick(most) {
                return Some(Err(()));
            }
            let tried = trials.run(&changed.policy)?;
            Some(match reached(case, stuck, &tried.met) {
                true => Ok((changed, tried)),
                false => Err(()),
            })
        };
        let stuck = &self.stuck;
        let from = tick(change.from);
        let without = match several {
            true => try_at(&mut self.trials, stuck, from),
            false => Some(Err(())),
        };
        match without {
            None => found,
            Some(Ok(without)) => without,
            Some(Err(())) => {
                let is = (tick(change.to), found);
                let least = (self.trials).least(from, is, |trials, at| try_at(trials, stuck, at));
                least.1
            }
        }
    }

    /// The first rule that stops the call, and the change that turns it in the state that it meets, of a
    /// number that is not opened yet. What ends a run for a budget goes by that budget. Rules that no
    /// number turns are noted; absent where there are no others.
    fn first(&mut self, policy: &Policy, decided: &Final, open: &[Key]) -> Option<(Rule, Change)> {
        let rules = stopping(decided).map(|(stage, weighed)| Rule::of(stage, weighed));
        let rules: Vec<Rule> = rules.collect();
        let mut budgets = rules.iter().filter(|rule| rule.stage == "dfa");
        let budget = budgets.any(|rule| !ENDS.contains(&rule.rule) && !self.is_stuck(rule));
        for rule in rules {
            if (rule.rule == "exhausted" && budget) || self.is_stuck(&rule) {
                continue;
            }
            let keys = keys(policy, &rule, decided).into_iter();
            let mut turning = keys
                .filter_map(|key| match is_ending(&rule) {
                    true => self.wider(policy, key),
                    false => next(policy, &rule, key, decided, true),
                })
                .filter(|change| !open.contains(&change.key));
            match turning.next() {
                Some(change) => return Some((rule, change)),
                None => self.stuck.push(rule),
            }
        }
        None
    }

    /// The number open, if it is not: of what ended the run before the call that alone can be tried.
    fn wider(&self, policy: &Policy, key: Key) -> Option<Change> {
        let open = self.case.opened(policy, key, true)?;
        let change = Change::of(policy, key, open)?;
        (change.from != open).then_some(change)
    }

    fn is_stuck(&self, rule: &Rule) -> bool {
        self.stuck.iter().any(|stuck| stuck.is_of(rule))
    }

    /// Whether the call is let through, or nothing stops it but what no number turns.
    fn reached(&self, decided: &Final) -> bool {
        reached(self.case, &self.stuck, decided)
    }
}

fn reached(case: &Case<'_>, stuck: &[Rule], decided: &Final) -> bool {
    if stuck.is_empty() {
        return case.is_through(decided);
    }
    let mut stops = stopping(decided).map(|(stage, weighed)| Rule::of(stage, weighed));
    stops.all(|rule| stuck.iter().any(|stuck| stuck.is_of(&rule)))
}
