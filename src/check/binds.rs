//! Whether a barrier can ever refuse a call.

use super::dead::{self, Dead};
use super::limits::{self, Limit};
use super::patterns::{List, Pattern};
use super::permits::{Permits, Rule};
use super::tools::Tools;
use crate::number::rounded;
use crate::policy::matcher::{MatcherId, Scope};
use crate::policy::{BarrierSpec, Measure, Policy};
use crate::trace::money::Nano;
use crate::verify::range::Range;

/// Whether a barrier can refuse a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binds {
    /// It can.
    Can,
    /// It can, but only so.
    Only(String),
    /// It cannot, whatever is replayed, for this reason.
    Never(String),
    /// The policy does not tell, for this reason.
    Unknown(String),
}

impl Binds {
    /// A word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Binds::Can => "can",
            Binds::Only(_) => "only",
            Binds::Never(_) => "never",
            Binds::Unknown(_) => "unknown",
        }
    }

    /// How, or why; empty where there is nothing to say.
    pub fn why(&self) -> &str {
        match self {
            Binds::Can => "",
            Binds::Only(why) | Binds::Never(why) | Binds::Unknown(why) => why,
        }
    }
}

/// Whether a barrier of a policy can refuse a call.
pub(super) fn of(policy: &Policy, spec: &BarrierSpec, tools: &Tools, dead: Option<&Dead>) -> Binds {
    if !policy.runs("dcbf") {
        return Binds::Never("the stage `dcbf` is switched off".into());
    }
    if let Some(dead) = dead.filter(|dead| dead::is_before_barriers(dead)) {
        return Binds::Never(format!("no call comes as far: {}", dead.why));
    }
    if keeps(limits::rule(policy, spec), Range::of(spec)) {
        return kept(policy, spec);
    }
    let found = match &spec.measure {
        Measure::Safety { window, pairs } => safety(policy, *window, pairs, tools),
        Measure::Privacy { outbound, .. } => privacy(policy, spec, *outbound, tools),
        Measure::Resource { .. } => Some(resource(policy, spec, tools)),
        Measure::Stability { .. } => stability(policy, spec, tools),
        Measure::Scope { embed: None, .. } => Some(Binds::Unknown(
            "without `embed` only calls of recordings that bring embeddings are compared".into(),
        )),
        Measure::Scope { .. } => None,
        Measure::Custom(_) => Some(Binds::Unknown(
            "an expression: what calls make of it is not known".into(),
        )),
        Measure::Neural(_) => Some(Binds::Unknown(
            "a model: what calls do to its features is not known".into(),
        )),
    };
    found.unwrap_or_else(|| undecided(policy, spec, tools).unwrap_or(Binds::Can))
}

/// Where the calls that a barrier admits were not counted to the end, and another limit comes after where
/// counting stopped: which of them is reached first is not known.
fn undecided(policy: &Policy, spec: &BarrierSpec, tools: &Tools) -> Option<Binds> {
    let Some(Permits::AtLeast(least)) = limits::calls(policy, spec) else {
        return None;
    };
    let all = limits::of(policy, tools);
    let limit = limits::steps(&all, &spec.name)?;
    Some(Binds::Unknown(format!(
        "it admits {least} calls at least, and {} ends a run after {}: which comes first is not known",
        quoted(limit),
        limit.of.told(limit.calls)
    )))
}

/// Whether a rule admits every step between values of a range.
fn keeps(rule: Rule, range: Range) -> bool {
    let all = |low: f64, high: f64| low >= 0.0 && highest_floor(rule, low, high) <= low;
    match range {
        Range::Constant(value) => value >= 0.0 && rule.admits(value, value),
        Range::Two { high, low } => {
            let values = [high, low];
            let admitted = |h: f64| values.iter().all(|&next| rule.admits(h, next));
            low >= 0.0 && values.into_iter().all(admitted)
        }
        Range::Fallible { high, low } => low.is_finite() && all(low, high),
        // These fall without end.
        Range::Continuum { .. } | Range::Lattice { .. } | Range::Unknown => false,
    }
}

/// The greatest value that any of the range from `low`, at least 0, to `high` asks of the next.
fn highest_floor(rule: Rule, low: f64, high: f64) -> f64 {
    let Rule::Next(alpha) = rule else {
        return f64::NEG_INFINITY;
    };
    let mut at = vec![low, high];
    if alpha.power > 1.0 {
        // h - alpha(h) is concave: it is greatest where its derivative vanishes.
        let top = (alpha.kappa * alpha.power).powf(1.0 / (1.0 - alpha.power));
        at.push(top.clamp(low, high.max(low)));
    }
    let floors = at
        .into_iter()
        .map(|h| alpha.floor(h).unwrap_or(f64::INFINITY));
    floors.fold(f64::NEG_INFINITY, f64::max)
}

/// What is to be said where no computed value is refused.
fn kept(policy: &Policy, spec: &BarrierSpec) -> Binds {
    match &spec.measure {
        Measure::Scope { embed: None, .. } => Binds::Only(
            "where a recording brings embeddings of two lengths, or does not tell the arguments"
                .into(),
        ),
        Measure::Scope { .. } => Binds::Only("where the arguments are not told".into()),
        Measure::Neural(_) => Binds::Only("where a feature is no number".into()),
        _ => {
            let least = least(spec).map_or(String::new(), |h| {
                format!(" it is {} at least:", rounded(h))
            });
            let checked = match policy.dcbf.verify {
                true => "no step of it is refused",
                false => "no state of it is refused",
            };
            Binds::Never(format!("whatever is called,{least} {checked}"))
        }
    }
}

fn least(spec: &BarrierSpec) -> Option<f64> {
    match Range::of(spec) {
        Range::Constant(value) => Some(value),
        Range::Two { low, .. } => Some(low),
        _ => None,
    }
}

fn safety(
    policy: &Policy,
    window: usize,
    pairs: &[(MatcherId, MatcherId)],
    tools: &Tools,
) -> Option<Binds> {
    if pairs.is_empty() {
        return Some(Binds::Never("it has no pairs".into()));
    }
    let possible =
        |&(a, b): &(MatcherId, MatcherId)| tools.may_match(policy, a) && tools.may_match(policy, b);
    if !pairs.iter().any(possible) {
        let why = "of each pair one side matches no call that `gates.allow` lets through";
        let lists = pairs.iter().flat_map(|&(a, b)| [a, b]);
        return Some(unlabelled(policy, lists, why));
    }
    let in_one = |&(a, b): &(MatcherId, MatcherId)| {
        let (a, b) = (List::of(policy, a), List::of(policy, b));
        let labelled = |list: &List| list.patterns.iter().any(|p| tools.may_be_label(p));
        let meets = |p: &Pattern| b.patterns.iter().any(|q| !p.is_apart(q));
        labelled(&a) || labelled(&b) || a.patterns.iter().any(meets)
    };
    let single = policy.runs("dfa") && policy.dfa.max_steps == 1;
    ((single || window == 1) && !pairs.iter().any(in_one)).then(|| {
        let why = match window {
            1 => "its window is a single call, which by its tool cannot match both sides of a pair",
            _ => {
                "behind `dfa.max_steps`: a run has 1 call at most, which by its tool cannot match both sides of a pair"
            }
        };
        let lists = pairs.iter().flat_map(|&(a, b)| [a, b]);
        unlabelled(policy, lists, why)
    })
}

/// Said where only a label that a record brings itself, and that no policy knows of, can make a call
/// match one of the lists; never, where none of them goes by labels.
fn unlabelled(policy: &Policy, lists: impl Iterator<Item = MatcherId>, why: &str) -> Binds {
    let mut lists = lists.map(|id| List::of(policy, id));
    match lists.any(|list| list.scope == Scope::Names && !list.patterns.is_empty()) {
        true => Binds::Only(format!("by labels that the record brings: {why}")),
        false => Binds::Never(why.into()),
    }
}

fn privacy(
    policy: &Policy,
    spec: &BarrierSpec,
    outbound: MatcherId,
    tools: &Tools,
) -> Option<Binds> {
    let start = limits::after(policy, spec, 0)?;
    let rests = limits::rule(policy, spec).admits(start, start);
    if rests && !tools.may_match(policy, outbound) {
        let none = policy.matchers.get(outbound).patterns.is_empty();
        let why = match none {
            true => "its list of outbound calls is empty",
            false => "`gates.allow` lets no outbound call through",
        };
        return Some(unlabelled(policy, std::iter::once(outbound), why));
    }
    let permitted = limits::calls(policy, spec)?;
    let limit = before(policy, spec, tools, permitted)?;
    Some(Binds::Never(format!(
        "behind {}: a run has {} at most, and {} of them may be outbound",
        quoted(&limit),
        limit.of.told(limit.calls),
        permitted.told()
    )))
}

/// The limit of every call that is reached before a barrier refuses one, or with it and comes first.
fn before(policy: &Policy, spec: &BarrierSpec, tools: &Tools, permitted: Permits) -> Option<Limit> {
    let all = limits::of(policy, tools);
    let limit = limits::steps(&all, &spec.name)?;
    let comes_first = limit.calls.least() < permitted.least() || limit.stage == "dfa";
    let known = matches!(limit.calls, Permits::Calls(_));
    (known && limit.calls.least() <= permitted.least() && comes_first).then(|| limit.clone())
}

fn quoted(limit: &Limit) -> String {
    format!("`{}`", limit.name)
}

fn stability(policy: &Policy, spec: &BarrierSpec, tools: &Tools) -> Option<Binds> {
    let permitted = limits::calls(policy, spec)?;
    let limit = before(policy, spec, tools, permitted)?;
    Some(Binds::Never(match limit.calls == permitted {
        true => format!("{} refuses the same call first", quoted(&limit)),
        false => format!(
            "behind {}: a run has {} at most",
            quoted(&limit),
            limit.of.told(limit.calls)
        ),
    }))
}

fn resource(policy: &Policy, spec: &BarrierSpec, tools: &Tools) -> Binds {
    let (estimate, added) = (policy.dcbf.per_call_cost, policy.dcbf.record_costs);
    if !added && !policy.dcbf.verify {
        let why = "recorded costs are not added up, and the next state is not looked at";
        return Binds::Never(why.into());
    }
    if let Some(agents) = behind_privilege(policy, spec) {
        return Binds::Never(agents);
    }
    let Some(permitted) = limits::calls(policy, spec).filter(|p| *p != Permits::Calls(0)) else {
        return Binds::Can;
    };
    if !added {
        return Binds::Only("by one call's own estimate: recorded costs are not added up".into());
    }
    match before(policy, spec, tools, permitted) {
        None if permitted == Permits::Unlimited => {
            Binds::Only("by costs that recordings tell: the default estimate takes nothing".into())
        }
        None => Binds::Can,
        Some(limit) => {
            let most = limit.calls.least();
            let spent = estimate.0.saturating_mul(most.into());
            let spent = Nano(spent);
            let calls = match most {
                1 => "the 1 call that".to_owned(),
                _ => format!("the {most} calls that"),
            };
            let come = if most == 1 { "comes" } else { "come" };
            Binds::Only(format!(
                "by costs above the default estimate: {calls} {} lets through {come} to {spent} USD",
                quoted(&limit)
            ))
        }
    }
}

/// Where no agent may spend as much in a run as the barrier lets anybody spend.
fn behind_privilege(policy: &Policy, spec: &BarrierSpec) -> Option<String> {
    let Measure::Resource { limit } = spec.measure else {
        return None;
    };
    let privilege = policy.privilege.as_ref()?;
    let plain = spec.alpha.kappa == 1.0 && spec.alpha.power == 1.0 && spec.margin <= 0.0;
    let within = |max: Nano| max <= limit;
    let mut agents = privilege.agents.iter();
    let all = agents.all(|agent| agent.max_total_cost.is_some_and(within));
    (policy.runs("privilege") && plain && all && !privilege.allow_unknown)
        .then(|| "behind `privilege`: no agent may spend more than this limit in a run".into())
}
