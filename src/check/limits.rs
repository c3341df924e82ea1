//! Which limit of a policy is reached first, counted in calls of a run.

use super::patterns::List;
use super::permits::{Charge, Permits, Rule, counted};
use super::tools::Tools;
use crate::barriers::level::{Level, value_at};
use crate::policy::matcher::Scope;
use crate::policy::{BarrierSpec, Measure, Policy, PolicyPlace};
use crate::trace::money::Nano;

/// A limit that calls use up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The stage that refuses, by its id.
    pub stage: &'static str,
    /// The key of the policy, or the barrier.
    pub name: String,
    /// The agent whose runs alone it is a limit of; absent where it is one of every run.
    pub agent: Option<String>,
    /// Where it is set; line 0 where it is a default.
    pub place: PolicyPlace,
    /// How many calls come before it refuses one.
    pub calls: Permits,
    /// Which calls.
    pub of: Uses,
}

/// What refuses calls as a run goes on, and is not counted in calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The stage that refuses, by its id.
    pub stage: &'static str,
    /// The key of the policy.
    pub name: String,
    /// Where it is set; line 0 where it is a default.
    pub place: PolicyPlace,
    /// What it refuses, in plain words.
    pub says: String,
}

/// Which calls use a limit up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Uses {
    /// Every call.
    All,
    /// Every call, as long as it costs what a call without an estimate is charged.
    AtTheEstimate,
    /// Outbound calls.
    Outbound,
}

impl Uses {
    /// So many of them, in words.
    pub fn told(self, calls: Permits) -> String {
        match self {
            Uses::All => calls.of(""),
            Uses::AtTheEstimate => format!("{} at the default estimate", calls.of("")),
            Uses::Outbound => calls.of("outbound "),
        }
    }
}

/// The limits of a policy that can be counted in calls, that with the fewest first; of equal ones that
/// which refuses first in the pipeline. Those of which only a lower bound is known come last.
pub(super) fn of(policy: &Policy, tools: &Tools) -> Vec<Limit> {
    let mut limits = Vec::new();
    if policy.runs("privilege") {
        limits.extend(totals(policy));
    }
    limits.extend(max_steps(policy));
    if policy.runs("dcbf") {
        let barriers = policy.dcbf.barriers.iter();
        let used = barriers.filter(|spec| is_used(policy, spec, tools));
        limits.extend(used.filter_map(|spec| barrier(policy, spec)));
    }
    limits.retain(|limit| limit.calls != Permits::Unlimited);
    // Where counting stopped nothing is known but that those with fewer calls come before.
    let counted = |limit: &Limit| !matches!(limit.calls, Permits::AtLeast(_));
    limits.sort_by_key(|limit| (!counted(limit), limit.calls.least()));
    limits
}

fn max_steps(policy: &Policy) -> Option<Limit> {
    policy.runs("dfa").then(|| Limit {
        stage: "dfa",
        name: "dfa.max_steps".into(),
        agent: None,
        place: policy.lines.place(["dfa", "max_steps"]),
        calls: Permits::Calls(policy.dfa.max_steps),
        of: Uses::All,
    })
}

fn totals(policy: &Policy) -> impl Iterator<Item = Limit> {
    let agents = policy.privilege.iter().flat_map(|all| &all.agents);
    agents.filter_map(|agent| {
        let max = agent.max_total_cost?;
        let key = "max_total_cost_usd";
        let path = ["privilege", "agents", agent.name.as_str(), key];
        Some(Limit {
            stage: "privilege",
            name: format!("{key} of agent {}", agent.name),
            agent: Some(agent.name.clone()),
            place: policy.lines.place(path),
            calls: within(policy, max),
            of: Uses::AtTheEstimate,
        })
    })
}

/// Calls at the default estimate that an amount is enough for, in integers.
fn within(policy: &Policy, max: Nano) -> Permits {
    let estimate = policy.dcbf.per_call_cost;
    if estimate > max {
        return Permits::Calls(0);
    }
    if estimate == Nano::ZERO || !policy.dcbf.record_costs {
        return Permits::Unlimited;
    }
    Permits::Calls(u64::try_from(max.0 / estimate.0).unwrap_or(u64::MAX))
}

fn barrier(policy: &Policy, spec: &BarrierSpec) -> Option<Limit> {
    let of = match &spec.measure {
        Measure::Privacy { .. } => Uses::Outbound,
        Measure::Resource { .. } => Uses::AtTheEstimate,
        Measure::Stability { .. } => Uses::All,
        _ => return None,
    };
    Some(Limit {
        stage: "dcbf",
        name: spec.name.clone(),
        agent: None,
        place: spec.place,
        calls: calls(policy, spec)?,
        of,
    })
}

/// Whether any call can take of a barrier what the policy charges. Where `gates.allow` lets no outbound
/// call through, one with a label of its record can.
pub(super) fn is_used(policy: &Policy, spec: &BarrierSpec, tools: &Tools) -> bool {
    let Measure::Privacy { outbound, .. } = spec.measure else {
        return true;
    };
    let list = List::of(policy, outbound);
    let labelled = list.scope == Scope::Names && !list.patterns.is_empty();
    labelled || tools.may_match(policy, outbound)
}

/// How a policy checks the calls of a barrier.
pub fn rule(policy: &Policy, spec: &BarrierSpec) -> Rule {
    match policy.dcbf.verify {
        true => Rule::Next(spec.alpha),
        false => Rule::Current,
    }
}

/// How many calls a barrier admits that each lower it by what the policy charges; absent where it
/// charges nothing of the kind.
pub fn calls(policy: &Policy, spec: &BarrierSpec) -> Option<Permits> {
    let rule = rule(policy, spec);
    let added = policy.dcbf.record_costs;
    Some(match spec.measure {
        Measure::Resource { .. } if !added => {
            // The cost stays at nothing; each call is asked for its own estimate alone.
            let (start, next) = (after(policy, spec, 0)?, after(policy, spec, 1)?);
            match rule.admits(start, next) {
                true => Permits::Unlimited,
                false => Permits::Calls(0),
            }
        }
        _ => {
            let charge = charge(policy, spec)?;
            counted(rule, charge, |k| after(policy, spec, k).unwrap_or(f64::NAN))
        }
    })
}

/// What each call takes of a barrier; absent for those that no call lowers by a constant.
fn charge(policy: &Policy, spec: &BarrierSpec) -> Option<Charge> {
    let (drop, budget) = match &spec.measure {
        Measure::Privacy {
            budget, per_call, ..
        } => (*per_call, *budget),
        Measure::Stability { step_budget } => (1.0, *step_budget as f64),
        Measure::Resource { limit } => (policy.dcbf.per_call_cost.usd(), limit.usd()),
        _ => return None,
    };
    let size = budget.abs() + spec.margin.abs();
    Some(Charge { drop, size })
}

/// The value of a barrier after so many calls that each lower it, computed as the barrier does; absent
/// for those that no call lowers by a constant.
pub fn after(policy: &Policy, spec: &BarrierSpec, k: u64) -> Option<f64> {
    let level = match &spec.measure {
        Measure::Privacy { .. } => Level::Outbound(k),
        Measure::Stability { .. } => Level::Steps(k),
        Measure::Resource { .. } => {
            Level::Spent(Nano(policy.dcbf.per_call_cost.0.saturating_mul(k.into())))
        }
        _ => return None,
    };
    Some(value_at(spec, level))
}

/// The limits that every call uses up, apart from one barrier: none of its calls comes later than
/// these let any through.
pub fn steps<'l>(limits: &'l [Limit], but: &str) -> Option<&'l Limit> {
    let mut every = limits.iter().filter(|limit| limit.of == Uses::All);
    every.find(|limit| limit.name != but)
}

/// What else refuses calls as a run goes on, in pipeline order.
pub fn conditions(policy: &Policy) -> Vec<Condition> {
    let mut found = Vec::new();
    let mut add = |stage: &'static str, path: &[&str], says: String| {
        if policy.runs(stage) {
            found.push(Condition {
                stage,
                name: path.join("."),
                place: policy.lines.place(path.iter().copied()),
                says,
            });
        }
    };
    let gates = &policy.gates;
    if let Some(window) = gates.window {
        let says =
            format!("every call that comes more than {window} turns after the latest observation");
        add("gates", &["gates", "window"], says);
    }
    if let Some(max) = gates.max_tokens {
        let says = format!("every call once the run has observed {max} tokens");
        add("gates", &["gates", "max_tokens"], says);
    }
    for budget in &gates.per_tool {
        let (name, max) = (&budget.name, budget.max_tokens);
        let says = format!("calls of `{name}` once the run has observed {max} tokens of them");
        add("gates", &["gates", "per_tool", name], says);
    }
    let dfa = &policy.dfa;
    let max = dfa.max_loops;
    let says = format!(
        "every call, for the rest of the run, after {} in a row without an observation",
        max.saturating_add(1)
    );
    add("dfa", &["dfa", "max_loops"], says);
    if let Some(max) = dfa.max_repeats {
        let says = format!("the same call more than {max} times in a row");
        add("dfa", &["dfa", "max_repeats"], says);
    }
    if let Some(max) = dfa.max_refusals {
        let says = format!("every call, for the rest of the run, after {max} refusals in a row");
        add("dfa", &["dfa", "max_refusals"], says);
    }
    if let Some(timeout) = dfa.timeout_ns {
        let seconds = crate::number::rounded(timeout as f64 / 1e9);
        let says =
            format!("every call that comes more than {seconds} s after the start of the run");
        add("dfa", &["dfa", "timeout_seconds"], says);
    }
    found
}
