//! Which numbers of the policy a rule goes by, and the nearest of each that turns what it says of a
//! call in the state that the call meets.

use super::change::Key;
use super::course::transitions;
use super::search::{amount, nearest, tick};
use crate::barriers::level::value_at;
use crate::engine::Final;
use crate::policy::semantic::Given;
use crate::policy::{Measure, Policy};
use crate::stages::weigh::{Amount, Measured, StageWeighed, Weighed, Weight};
use crate::trace::money::Nano;
use std::fmt;

/// A rule of the policy; of a barrier, its rules before and after the call are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The stage.
    pub stage: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// Which of the policy's it is. Untrusted.
    pub name: String,
    /// Line of the policy file where it stands; 0 where it is a default or a preset's.
    pub policy_line: usize,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.stage, self.rule)?;
        match &*self.name {
            "" => Ok(()),
            name => write!(f, " {name}"),
        }
    }
}

impl Rule {
    /// The rule as it was weighed.
    pub fn of(stage: &'static str, weighed: &Weighed) -> Rule {
        Rule {
            stage,
            rule: weighed.rule,
            name: weighed.name.clone(),
            policy_line: weighed.policy_line,
        }
    }

    fn is(&self, stage: &str, weighed: &Weighed) -> bool {
        self.same(stage, weighed.rule, &weighed.name)
    }

    /// Whether they are one: the same, or rules of one barrier.
    pub fn is_of(&self, other: &Rule) -> bool {
        self.same(other.stage, other.rule, &other.name)
    }

    fn same(&self, stage: &str, rule: &str, name: &str) -> bool {
        let same = self.stage == stage && self.name == name;
        same && (self.rule == rule || stage == DCBF)
    }

    /// Whether it stops the call.
    pub fn stops(&self, decided: &Final) -> bool {
        let mut stopping = stopping(decided);
        stopping.any(|(stage, weighed)| self.is(stage, weighed))
    }
}

const DCBF: &str = "dcbf";

/// Rules that end a run whatever the call: they come before all others.
pub const ENDS: [&str; 3] = ["answering", "rejected", "exhausted"];

/// Every rule that does not pass the call, with its stage; what ends the run first. Not an escalation
/// that lets it through.
pub fn stopping(decided: &Final) -> impl Iterator<Item = (&'static str, &Weighed)> {
    let weighed = decided.weighed.as_deref().unwrap_or_default();
    let all = move |ends: bool| {
        let rules = |stage: &'_ StageWeighed| stage.stage;
        weighed.iter().flat_map(move |stage| {
            let of = rules(stage);
            let some = stage
                .rules
                .iter()
                .filter(move |rule| rule.outcome.stops() && !rule.let_through)
                .filter(move |rule| ENDS.contains(&rule.rule) == ends);
            some.map(move |rule| (of, rule))
        })
    };
    all(true).chain(all(false))
}

/// The numbers that turn a rule, the most telling first. Empty where no number of the policy does.
pub fn keys(policy: &Policy, rule: &Rule, decided: &Final) -> Vec<Key> {
    let agent = |name: &str| {
        let agents = policy.privilege.iter().flat_map(|p| &p.agents);
        agents.into_iter().position(|agent| agent.name == name)
    };
    let one = |key: Option<Key>| key.into_iter().collect();
    match (rule.stage, rule.rule) {
        ("dfa", "max_steps") => vec![Key::MaxSteps],
        ("dfa", "max_loops") => vec![Key::MaxLoops],
        ("dfa", "max_repeats") => vec![Key::MaxRepeats],
        ("dfa", "timeout") => vec![Key::Timeout],
        ("dfa", _) => ending(rule, decided),
        ("gates", "recency") => vec![Key::ObservationWindow],
        ("gates", "budget") => vec![Key::MaxTokens],
        ("gates", "per_tool_budget") => {
            let mut tools = policy.gates.per_tool.iter();
            one(tools
                .position(|tool| tool.name == rule.name)
                .map(Key::ToolTokens))
        }
        ("privilege", "call_cost") => one(agent(&rule.name).map(Key::CallCost)),
        ("privilege", "total_cost") => one(agent(&rule.name).map(Key::TotalCost)),
        ("semantic", _) => semantic(policy, decided),
        (DCBF, _) => {
            let mut specs = policy.dcbf.barriers.iter();
            let index = specs.position(|spec| spec.name == rule.name);
            index.map_or(Vec::new(), |i| of_barrier(policy, i))
        }
        _ => Vec::new(),
    }
}

fn of_barrier(policy: &Policy, i: usize) -> Vec<Key> {
    let measure = policy.dcbf.barriers.get(i).map(|spec| &spec.measure);
    let own = match measure {
        // It is one sign or the other: a margin or a factor would only do away with it.
        Some(Measure::Safety { .. }) => return vec![Key::Window(i)],
        Some(Measure::Privacy { .. }) => vec![Key::Budget(i), Key::PerCall(i)],
        Some(Measure::Resource { .. }) => vec![Key::Limit(i)],
        Some(Measure::Scope { .. }) => vec![Key::MaxDrift(i)],
        Some(Measure::Stability { .. }) => vec![Key::StepBudget(i)],
        _ => Vec::new(),
    };
    [own, vec![Key::Margin(i), Key::Kappa(i)]].concat()
}

/// The numbers by which an earlier call may have ended the run. Those that stop this call as well have
/// rules of their own.
fn ending(rule: &Rule, decided: &Final) -> Vec<Key> {
    let budgets = [
        ("max_steps", Key::MaxSteps),
        ("max_loops", Key::MaxLoops),
        ("timeout", Key::Timeout),
    ];
    let stops = |name: &str| stopping(decided).any(|(_, weighed)| weighed.rule == name);
    match rule.rule {
        "rejected" => vec![Key::MaxRefusals],
        "exhausted" => {
            let others = budgets.iter().filter(|(name, _)| !stops(name));
            others.map(|(_, key)| *key).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the rule says that the run was ended before the call: no state that the call meets tells what
/// would have been enough.
pub(super) fn is_ending(rule: &Rule) -> bool {
    rule.stage == "dfa" && ENDS.contains(&rule.rule)
}

/// The threshold that the score reached, in the table that gives it; a default is that of calls like this
/// one. One that was raised to the lower of them goes by the floor.
fn semantic(policy: &Policy, decided: &Final) -> Vec<Key> {
    let Some(settings) = &policy.semantic else {
        return Vec::new();
    };
    let harm = semantic_rule(decided);
    // It was not scored, and no number makes it so.
    if harm.is_none_or(|rule| rule.met.is_none()) {
        return Vec::new();
    }
    let measured = harm.and_then(|rule| rule.measured);
    let Given {
        own,
        without_intent,
    } = settings.given;
    let unasked = measured.is_some_and(|measured| !measured.asked);
    let (escalate, block) = match unasked {
        false => (Key::Escalate, Key::Block),
        true => {
            let key = |given: Option<f64>, own: Option<f64>, here, there| match (given, own) {
                (None, Some(_)) => there,
                _ => here,
            };
            let other = without_intent;
            (
                key(
                    other.escalate,
                    own.escalate,
                    Key::EscalateUnasked,
                    Key::Escalate,
                ),
                key(other.block, own.block, Key::BlockUnasked, Key::Block),
            )
        }
    };
    let floored = settings.computed().is_some_and(|computed| {
        let reaches = |measured: Measured| measured.harm >= computed.bands.harm_floor;
        measured.is_some_and(reaches)
    });
    let blocks = harm.is_some_and(|rule| rule.outcome == Weight::Refuses);
    match (blocks, floored) {
        (true, _) => vec![block],
        (false, true) => vec![Key::HarmFloor],
        // More than what the other calls are blocked from only the table of calls like this can say.
        (false, false) if unasked && escalate == Key::Escalate => {
            vec![escalate, Key::EscalateUnasked]
        }
        (false, false) => vec![escalate],
    }
}

/// The rule of the semantic firewall, as it met the call.
fn semantic_rule(decided: &Final) -> Option<&Weighed> {
    let weighed = decided.weighed.as_deref()?;
    let stage = weighed.iter().find(|stage| stage.stage == "semantic")?;
    stage.rules.first()
}

/// The value of that number nearest to what the policy says with which the rule would pass the call,
/// or with `pass` false would not, in the state that the call meets. Absent where there is none, or only
/// such with which the fall of a barrier is lost in rounding.
pub fn turned(
    policy: &Policy,
    rule: &Rule,
    key: Key,
    decided: &Final,
    pass: bool,
) -> Option<Amount> {
    let from = key.get(policy)?;
    let passes = verdict(policy, rule, key, decided)?;
    let end = end(policy, key, pass);
    let holds = |t| passes(amount(t, from)) == pass;
    let (from_tick, end) = (tick(from), tick(end));
    let bounded = bounded(policy, key, decided);
    let found = match pass && !bounded(from) {
        // Less of it is wanted: so much that alpha is a number.
        true => {
            let other = tick(self::end(policy, key, !pass));
            let found = nearest(from_tick, other, |t| bounded(amount(t, from)))?;
            holds(found).then_some(found)
        }
        false => {
            let beyond = nearest(from_tick, end, |t| !bounded(amount(t, from)));
            let end = beyond.map_or(end, |t| t - (end - from_tick).signum());
            nearest(from_tick, end, holds)
        }
    }?;
    let to = amount(found, from);
    (!pass || !vanishes(policy, key, decided, to)).then_some(to)
}

/// What has to change first where a threshold of escalating has no room: the one of blocking that calls
/// without an intent have of their own, raised to what is asked for.
pub(super) fn beyond(
    policy: &Policy,
    rule: &Rule,
    key: Key,
    decided: &Final,
    pass: bool,
) -> Option<(Key, Amount)> {
    if !pass || key != Key::Escalate {
        return None;
    }
    let asked = amount(tick(met(rule, decided)?) + 1, key.get(policy)?);
    let (own, others) = (Key::Block.get(policy)?, Key::BlockUnasked.get(policy)?);
    let binds = tick(others) < tick(asked) && tick(asked) <= tick(own);
    binds.then_some((Key::BlockUnasked, asked))
}

/// Whether a barrier with another value of that number has a floor that is a number, or none since it is
/// below zero; of other numbers always.
fn bounded<'d>(policy: &'d Policy, key: Key, decided: &'d Final) -> impl Fn(Amount) -> bool + 'd {
    let spec = key.barrier().and_then(|i| policy.dcbf.barriers.get(i));
    let index = key.barrier().unwrap_or_default();
    let met = transitions(decided).and_then(|all| all.get(index));
    let known = spec.zip(met).filter(|_| policy.dcbf.verify);
    move |to| {
        known.is_none_or(|(spec, met)| {
            let mut spec = spec.clone();
            key.set_barrier(&mut spec, to);
            let h = value_at(&spec, met.before);
            let below = h < 0.0;
            below || spec.alpha.floor(h).is_some()
        })
    }
}

/// The same where the policy's own value may do as well.
pub fn asked(
    policy: &Policy,
    rule: &Rule,
    key: Key,
    decided: &Final,
    pass: bool,
) -> Option<Amount> {
    let from = key.get(policy)?;
    match verdict(policy, rule, key, decided)?(from) == pass {
        true => Some(from),
        false => turned(policy, rule, key, decided, pass),
    }
}

/// A value of that number with which its rule passes whatever a run comes to, or with `pass` false
/// passes as little as it can.
pub fn opened(policy: &Policy, key: Key, pass: bool) -> Option<Amount> {
    let end = end(policy, key, pass);
    let spec = key.barrier().and_then(|i| policy.dcbf.barriers.get(i));
    let wide = spec.map_or(WIDE, |spec| {
        // As far as alpha is a number.
        let mut steps = std::iter::successors(Some(WIDE), |wide| Some(wide / 2.0));
        let some = steps
            .by_ref()
            .take(60)
            .find(|&wide| spec.alpha.floor(wide).is_some());
        some.map_or(WIDE, |wide| if wide < WIDE { wide / 2.0 } else { wide })
    });
    Some(match (key.get(policy)?, end) {
        // Far beyond all that is counted, and not so far that sums and powers of it overflow.
        (Amount::Real(from), Amount::Real(to)) if from.abs() < wide => {
            Amount::Real(to.clamp(-wide, wide))
        }
        (Amount::Count(from), Amount::Count(to)) if wide < WIDE && (from as f64) < wide => {
            Amount::Count(to.min(wide as u64))
        }
        (Amount::Money(from), Amount::Money(to)) if wide < WIDE && from.usd() < wide => {
            Amount::Money(to.min(Nano((wide * 1e9) as i128)))
        }
        _ => end,
    })
}

const WIDE: f64 = 1e15;

/// The value of that number that lets most pass, or with `pass` false least.
fn end(policy: &Policy, key: Key, pass: bool) -> Amount {
    let (least, most) = key.range(policy);
    let opens_upward = !matches!(key, Key::PerCall(_) | Key::Window(_) | Key::Margin(_));
    if opens_upward == pass { most } else { least }
}

/// Whether what the call takes of a barrier is lost in rounding with that number: numbers so great, or a
/// charge so small, let anything pass, and are no settings that anybody means.
fn vanishes(policy: &Policy, key: Key, decided: &Final, to: Amount) -> bool {
    let index = key.barrier().filter(|_| !matches!(key, Key::Window(_)));
    let met =
        index.and_then(|i| Some((policy.dcbf.barriers.get(i)?, transitions(decided)?.get(i)?)));
    met.is_some_and(|(spec, met)| {
        let mut changed = spec.clone();
        key.set_barrier(&mut changed, to);
        let drop = |spec| value_at(spec, met.before) - value_at(spec, met.after);
        drop(spec) > 0.0 && drop(&changed) == 0.0
    })
}

/// Whether the rule passes the call where that number has another value.
fn verdict<'d>(
    policy: &'d Policy,
    rule: &Rule,
    key: Key,
    decided: &'d Final,
) -> Option<Box<dyn Fn(Amount) -> bool + 'd>> {
    if let Some(index) = key.barrier() {
        let transition = *transitions(decided)?.get(index)?;
        let spec = policy.dcbf.barriers.get(index)?;
        let verify = policy.dcbf.verify;
        return Some(Box::new(move |to| {
            let mut spec = spec.clone();
            key.set_barrier(&mut spec, to);
            transition.passes(&spec, verify)
        }));
    }
    let met = match key {
        Key::HarmFloor => Amount::Real(semantic_rule(decided)?.measured?.harm),
        _ => met(rule, decided)?,
    };
    let strict = matches!(
        key,
        Key::MaxSteps
            | Key::MaxTokens
            | Key::ToolTokens(_)
            | Key::HarmFloor
            | Key::Escalate
            | Key::Block
            | Key::EscalateUnasked
            | Key::BlockUnasked
    );
    Some(Box::new(move |to| match strict {
        true => tick(met) < tick(to),
        false => tick(met) <= tick(to),
    }))
}

/// What the rule held against its limit.
fn met(rule: &Rule, decided: &Final) -> Option<Amount> {
    let weighed = decided.weighed.as_deref()?;
    let stage = weighed.iter().find(|stage| stage.stage == rule.stage)?;
    let mut rules = stage
        .rules
        .iter()
        .filter(|weighed| rule.is(rule.stage, weighed));
    rules.find_map(|weighed| weighed.met)
}
