//! Why a call got its decision: what every stage looked at, where every barrier stood, what led there,
//! and what would have to be another for it to be decided otherwise.
//!
//! A [`Finder`](find::Finder) looks for the call in a replay, a [`Tape`] keeps the records of
//! its run, and [`explain`] replays that run: once as it is, and once for every change that is tried.

pub mod change;
pub mod course;
pub mod find;
pub mod flip;
pub mod search;
pub mod tape;
pub mod together;
pub mod trial;
pub mod turn;

use crate::barriers::definition;
use crate::barriers::level::{Level, Transition};
use crate::engine::decision::{Decision, DecisionKind};
use crate::engine::{Final, Options};
use crate::policy::{Alpha, BarrierSpec, Measure, Policy};
use crate::stages::weigh::StageWeighed;
use crate::trace::event::ApprovalOutcome;
use change::Change;
use course::{Track, transitions};
use flip::{Rule, stopping};
use search::nearest;
use std::collections::BTreeMap;
use tape::Tape;
use together::{Sought, Together};
use trial::{Case, Effort, most_replays};
use turn::Flip;

/// Why a call got its decision.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The decision.
    pub decision: Decision,
    /// Calls of the run before it.
    pub earlier: u64,
    /// Those of them that may not run.
    pub earlier_refused: u64,
    /// What every rule says: the label rules, then every stage of the pipeline.
    pub stages: Vec<StageWeighed>,
    /// The rules that decided: of barriers, all that refused.
    pub deciding: Vec<Rule>,
    /// The other rules that would have stopped it.
    pub also: Vec<Rule>,
    /// The barriers, in policy order; empty where no stage checks them.
    pub barriers: Vec<Standing>,
    /// What it takes to turn the rules that decided; of a call that was let through, what it takes for
    /// each rule to refuse it.
    pub flips: Vec<Flip>,
    /// Several numbers that let the call through, where no change of `flips` is enough.
    pub together: Option<Together>,
    /// Rules that stop the call and go by no number, where no change of `flips` is enough.
    pub by_no_number: Vec<Rule>,
    /// How numbers were sought that let the call through together; absent where they were not.
    pub search: Option<Effort>,
    /// What somebody decided about the call, whether it was escalated or stopped before that.
    pub approval: Option<ApprovalOutcome>,
}

/// A line of the policy, and the rules on it that the explanation names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyLine {
    /// The line, from 1.
    pub line: usize,
    /// Rules, as `stage.rule`, and keys. Untrusted.
    pub rules: Vec<String>,
}

/// What the changes of an explanation make of its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// A call that is stopped is let through.
    LetThrough,
    /// A call that is escalated and let through is not escalated.
    PlainAllow,
    /// A call that is allowed is stopped.
    Stopped,
}

impl Aim {
    /// The word of machine formats.
    pub fn as_str(self) -> &'static str {
        match self {
            Aim::LetThrough => "let_through",
            Aim::PlainAllow => "plain_allow",
            Aim::Stopped => "stopped",
        }
    }
}

/// By how many numbers of the policy a refused call is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnedBy {
    /// One alone is enough.
    One,
    /// No single one of the rules that stop it, and several together.
    Together,
    /// None of them: a rule that stops the call goes by no number.
    None,
    /// Such numbers were not found.
    Unknown,
}

impl TurnedBy {
    /// The word of machine formats.
    pub fn as_str(self) -> &'static str {
        match self {
            TurnedBy::One => "one_number",
            TurnedBy::Together => "numbers_together",
            TurnedBy::None => "no_number",
            TurnedBy::Unknown => "not_found",
        }
    }
}

impl Explanation {
    /// What its changes make of the call.
    pub fn aim(&self) -> Aim {
        let decision = &self.decision;
        match self.deciding.is_empty() {
            true => Aim::Stopped,
            false if is_escalated_through(decision) => Aim::PlainAllow,
            false => Aim::LetThrough,
        }
    }

    /// By how many numbers of the rules that stop it the call is let through; absent where it is already.
    pub fn turned_by(&self) -> Option<TurnedBy> {
        if self.aim() != Aim::LetThrough {
            return None;
        }
        let enough = self.flips.iter().any(Flip::is_enough);
        Some(match (enough, &self.together) {
            (true, _) => TurnedBy::One,
            (false, Some(_)) => TurnedBy::Together,
            (false, None) if !self.by_no_number.is_empty() => TurnedBy::None,
            (false, None) => TurnedBy::Unknown,
        })
    }

    /// The lines of the policy that are responsible: of the rules that stop the call, and of the numbers
    /// that would turn it.
    pub fn policy_lines(&self) -> Vec<PolicyLine> {
        let mut lines: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let mut add = |line: usize, what: String| {
            let of = lines.entry(line).or_default();
            if line > 0 && !of.contains(&what) {
                of.push(what);
            }
        };
        for rule in self.deciding.iter().chain(&self.also) {
            add(rule.policy_line, rule.to_string());
        }
        let turned = self.flips.iter().filter(|flip| flip.replay.turned);
        let flips = turned.flat_map(|flip| &flip.changes);
        let together = self.together.iter().flat_map(|together| &together.changes);
        for change in flips.chain(together) {
            add(change.line, change.dotted());
        }
        lines.remove(&0);
        let line = |(line, rules)| PolicyLine { line, rules };
        lines.into_iter().map(line).collect()
    }
}

/// Where a barrier stands before and after the call.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// The unit of its value.
    pub unit: &'static str,
    /// Line of the policy file where it stands; 0 where it is a default or a preset's.
    pub policy_line: usize,
    /// What the policy subtracts from the raw value.
    pub margin: f64,
    /// Its class-K function.
    pub alpha: Alpha,
    /// Value in the state that the call meets.
    pub h: f64,
    /// Value in the simulated next state.
    pub next: f64,
    /// The least that may follow; absent below zero, and where it is not finite.
    pub floor: Option<f64>,
    /// How far the next value lies above it.
    pub slack: Option<f64>,
    /// The same in calls that lower it as much as this one; absent where this one does not lower it.
    pub calls: Option<f64>,
    /// How many such calls may follow each other from before this one on; absent as above, and where
    /// they are more than 2^63 - 1.
    pub left: Option<u64>,
    /// Whether it refuses the call.
    pub refuses: bool,
    /// Its course over the run up to the call.
    pub track: Track,
}

/// Explains the call of a tape. Absent where it does not come when its run is replayed alone.
pub fn explain(tape: &Tape, policy: &Policy, options: Options) -> Option<Explanation> {
    explained(tape, policy, options, most_replays)
}

/// The same with another bound of the replays of one search, by the calls of the run.
pub fn explained(
    tape: &Tape,
    policy: &Policy,
    options: Options,
    most: impl Fn(u64) -> u64,
) -> Option<Explanation> {
    let played = tape.play(policy, options);
    let decided = played.sought.as_ref()?;
    let case = Case {
        tape,
        policy,
        options,
        played: &played,
        most: most(played.earlier.len() as u64 + 1),
    };
    let deciding = deciding(policy, decided);
    let rules = stopping(decided).map(|(stage, weighed)| Rule::of(stage, weighed));
    let also: Vec<Rule> = rules.filter(|rule| !deciding.contains(rule)).collect();
    let mut sought = None;
    let mut flips = match deciding.is_empty() {
        true => slacks(&case, decided),
        false => turns(&case, &deciding, &also),
    };
    let stopped = !deciding.is_empty() && !is_escalated_through(&decided.decision);
    if stopped && !flips.iter().any(Flip::is_enough) {
        sought = Some(case.together());
    }
    let search = sought.as_ref().map(|sought| sought.effort);
    let Sought { found, stuck, .. } = sought.unwrap_or_default();
    // One alone, of a rule that does not decide, is a change like the others.
    let (one, together): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|together| together.changes.len() == 1);
    let known = |flip: &Flip| {
        let keys = |changes: &[Change]| changes.iter().map(|c| c.key).collect::<Vec<_>>();
        one.iter()
            .any(|one| keys(&one.changes) == keys(&flip.changes))
    };
    flips.retain(|flip| flip.replay.turned || !known(flip));
    let goes_by = |rule: &Rule, changes: &[Change]| {
        let keys = flip::keys(policy, rule, decided);
        let semantic = rule.stage == "semantic";
        let by = |c: &Change| keys.contains(&c.key) || (semantic && c.key.is_semantic());
        changes.iter().all(by)
    };
    let alone = one.into_iter().filter_map(|one| {
        let by = deciding.iter().find(|rule| goes_by(rule, &one.changes));
        Some(Flip {
            rule: by.or(deciding.first())?.clone(),
            by_earlier: by.is_none(),
            changes: one.changes,
            replay: one.replay,
            effort: one.effort,
        })
    });
    flips.extend(alone);
    let refused = played.earlier.iter().filter(|(_, _, admitted)| !admitted);
    Some(Explanation {
        earlier: played.earlier.len() as u64,
        earlier_refused: refused.count() as u64,
        stages: decided.weighed.clone().map_or(Vec::new(), Vec::from),
        barriers: standings(policy, decided, &played.course.barriers),
        decision: decided.decision.clone(),
        deciding,
        also,
        flips,
        together: together.into_iter().next(),
        by_no_number: stuck,
        search,
        approval: tape.approval(),
    })
}

/// Whether the call runs though it is escalated.
fn is_escalated_through(decision: &Decision) -> bool {
    decision.kind == DecisionKind::Escalate && decision.admitted
}

/// The rules that decided.
fn deciding(policy: &Policy, decided: &Final) -> Vec<Rule> {
    let decision = &decided.decision;
    let rules = stopping(decided).map(|(stage, weighed)| Rule::of(stage, weighed));
    let name = |i: &usize| policy.dcbf.barriers.get(*i).map(|spec| &*spec.name);
    let broken: Vec<&str> = decision.broken.iter().filter_map(name).collect();
    if broken.is_empty() {
        return rules.take(1).collect();
    }
    let of = rules.filter(|rule| Some(rule.stage) == decision.stage);
    let mut of = of.filter(|rule| Some(rule.rule) == decision.rule);
    of.by_ref()
        .filter(|rule| broken.contains(&&*rule.name))
        .collect()
}

/// What it takes to turn each of the rules that decided.
fn turns(case: &Case<'_>, deciding: &[Rule], also: &[Rule]) -> Vec<Flip> {
    let mut flips = Vec::new();
    for rule in deciding {
        flips.extend(case.flips(rule, true));
        if rule.rule == "exhausted" {
            // The run was ended by a budget, which is spent still.
            let budgets = also.iter().filter(|rule| rule.stage == "dfa");
            flips.extend(budgets.flat_map(|rule| case.flips(rule, true)));
        }
    }
    flips
}

/// What it takes for each rule to stop a call that is let through, by the first number that it goes by.
fn slacks(case: &Case<'_>, decided: &Final) -> Vec<Flip> {
    let weighed = decided.weighed.as_deref().unwrap_or_default();
    let mut flips: Vec<Flip> = Vec::new();
    for stage in weighed {
        for rule in &stage.rules {
            let rule = Rule::of(stage.stage, rule);
            let known = |flip: &Flip| flip.rule.stage == rule.stage && flip.rule.name == rule.name;
            if rule.stage == "dcbf" && flips.iter().any(known) {
                continue;
            }
            let keys = flip::keys(case.policy, &rule, decided);
            let key = keys.first().copied();
            flips.extend(key.and_then(|key| case.flip(&rule, key, false)));
        }
    }
    flips
}

fn standings(policy: &Policy, decided: &Final, tracks: &[Track]) -> Vec<Standing> {
    let transitions = transitions(decided).unwrap_or_default();
    let specs = policy.dcbf.barriers.iter();
    let all = specs.zip(transitions).zip(tracks);
    all.map(|((spec, transition), track)| {
        let (h, next) = (transition.h, transition.next);
        let slack = spec.alpha.slack(h, next);
        let drop = h - next;
        Standing {
            name: spec.name.clone(),
            unit: definition(&spec.measure).unit,
            policy_line: spec.place.line,
            margin: spec.margin,
            alpha: spec.alpha,
            h,
            next,
            floor: spec.alpha.floor(h),
            slack,
            calls: slack.filter(|_| drop > 0.0).map(|slack| {
                let money = spent(spec, transition, slack);
                money.unwrap_or(slack / drop)
            }),
            left: left(spec, policy.dcbf.verify, transition),
            refuses: !transition.passes(spec, policy.dcbf.verify),
            track: track.clone(),
        }
    })
    .collect()
}

/// The slack in calls of a barrier of money: what the call takes is told in billionths of a dollar, and
/// so is what is left where the floor is zero, as differences of dollars have lost some of them.
fn spent(spec: &BarrierSpec, transition: &Transition, slack: f64) -> Option<f64> {
    let Measure::Resource { limit } = &spec.measure else {
        return None;
    };
    let (Level::Spent(before), Level::Spent(after)) = (transition.before, transition.after) else {
        return None;
    };
    let alpha = (spec.alpha.kappa, spec.alpha.power);
    let left = match spec.margin == 0.0 && alpha == (1.0, 1.0) {
        true => limit.0.saturating_sub(after.0) as f64,
        false => slack * 1e9,
    };
    Some(left / after.0.saturating_sub(before.0) as f64)
}

/// How many calls like this one may follow each other, itself the first.
fn left(spec: &BarrierSpec, verify: bool, transition: &Transition) -> Option<u64> {
    let admits = |n: u64| {
        let (h, next) = (
            transition.value_after(spec, n),
            transition.value_after(spec, n.saturating_add(1)),
        );
        h >= 0.0 && (!verify || spec.alpha.admits(h, next))
    };
    let refuses = |n: i128| !u64::try_from(n).is_ok_and(admits);
    let falls = transition.h - transition.next > 0.0;
    match (falls, admits(0)) {
        (false, _) => None,
        (true, false) => Some(0),
        // Each meets a lower value than the one before it and falls as much: once refused, always.
        (true, true) => nearest(0, i64::MAX.into(), refuses).and_then(|n| u64::try_from(n).ok()),
    }
}
