//! Settings under which every call is refused, whatever is called.
//!
//! Of a policy that lets nothing pass no count of calls means anything: what stands here is said instead.
//! A stage looks at a call only where none before it has refused it, also where nothing is enforced and
//! refused calls run: what comes behind a setting of this kind decides nothing.

use super::limits;
use super::patterns::{List, Pattern};
use super::permits::{Permits, Rule};
use crate::number::rounded;
use crate::policy::{BarrierSpec, Measure, Policy, PolicyPlace, STAGE_IDS, ToolBudget};
use crate::verify::reach::{self, Limits, Near, Refusal};
use crate::verify::start;

/// Why no call is admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dead {
    /// The stage that refuses them, by its id.
    pub stage: &'static str,
    /// Why, in plain words. Names in it are the policy's.
    pub why: String,
    /// Where it is set; line 0 where it is a default.
    pub place: PolicyPlace,
    /// What to do about it; absent where the words say it.
    pub help: Option<&'static str>,
    /// Whether a finding of another kind tells of it already.
    pub told: bool,
}

/// Every reason, in pipeline order: the first is what calls are refused for. What follows from no single
/// setting was found by a look at the start.
pub(super) fn reasons(policy: &Policy, near: &Near, limits: Limits) -> Vec<Dead> {
    let mut found = settings(policy);
    if found.is_empty() {
        found.extend(refused(policy, &near.refused));
    } else if found
        .first()
        .is_some_and(|first| rank(first.stage) >= rank("dcbf"))
    {
        // Where barriers start outside of the safe set nothing was looked at.
        let mut before = policy.clone();
        before.dcbf.barriers.clear();
        before.semantic = None;
        let refusals = reach::near(&before, limits).refused;
        found.splice(0..0, refused(policy, &refusals));
    }
    found
}

/// That every call is refused at the start, by what refuses the classes of tools there. No call comes
/// past the last of these stages.
fn refused(policy: &Policy, refusals: &[Refusal]) -> Option<Dead> {
    let last = refusals.iter().max_by_key(|by| rank(by.stage))?;
    let mut by: Vec<String> = Vec::new();
    for told in refusals.iter().map(Refusal::told) {
        if !by.contains(&told) {
            by.push(told);
        }
    }
    let more = by.len().saturating_sub(NAMED);
    by.truncate(NAMED);
    if more > 0 {
        by.push(format!("{more} more"));
    }
    let mut barriers = policy.dcbf.barriers.iter();
    let barrier = barriers.find(|spec| last.stage == "dcbf" && last.names.contains(&spec.name));
    let place = match barrier {
        Some(spec) => spec.place,
        None => policy.lines.place([last.stage]),
    };
    let why = format!("at the start every call is refused, by {}", by.join(" or "));
    Some(Dead {
        // `reachable_deadlock` says so.
        told: true,
        ..dead(last.stage, place, why, None)
    })
}

/// Most of what refuses that is named.
const NAMED: usize = 4;

/// Where a stage stands in the pipeline.
fn rank(stage: &str) -> usize {
    let at = STAGE_IDS.iter().position(|id| *id == stage);
    at.unwrap_or(STAGE_IDS.len())
}

/// The settings that refuse every call, each by itself.
fn settings(policy: &Policy) -> Vec<Dead> {
    let mut found = Vec::new();
    if policy.runs("gates") {
        gates(policy, &mut found);
    }
    if policy.runs("privilege") {
        found.extend(nobody(policy));
    }
    if policy.runs("dfa") && policy.dfa.max_steps == 0 {
        let place = policy.lines.place(["dfa", "max_steps"]);
        found.push(dead("dfa", place, "a run may take 0 steps".into(), None));
    }
    if policy.runs("dcbf") {
        let barriers = policy.dcbf.barriers.iter();
        found.extend(barriers.filter_map(|spec| barrier(policy, spec)));
    }
    found.extend(semantic(policy));
    found
}

/// Whether no call comes as far as the barriers, also where refused calls run. What a look at the start
/// found is told already, and may change by such calls, or by labels that records bring.
pub(super) fn is_before_barriers(dead: &Dead) -> bool {
    !dead.told && rank(dead.stage) < rank("contracts")
}

fn dead(stage: &'static str, place: PolicyPlace, why: String, help: Option<&'static str>) -> Dead {
    Dead {
        stage,
        why,
        place,
        help,
        told: false,
    }
}

fn gates(policy: &Policy, found: &mut Vec<Dead>) {
    const NO_LIMIT: Option<&str> = Some("leave it out for no such limit");
    let gates = &policy.gates;
    let place = |key: &str| policy.lines.place(["gates", key]);
    let empty = |id| policy.matchers.get(id).patterns.is_empty();
    if gates.allow.is_some_and(empty) {
        let why = "`gates.allow` is empty".into();
        found.push(dead("gates", place("allow"), why, NO_LIMIT));
    }
    if gates.max_tokens == Some(0) {
        let why = "a run that has observed nothing has observed `max_tokens` = 0 tokens".into();
        found.push(dead("gates", place("max_tokens"), why, NO_LIMIT));
    }
    let all = |budget: &&ToolBudget| budget.max_tokens == 0 && is_for_all(policy, budget);
    for budget in gates.per_tool.iter().filter(all) {
        let name = &budget.name;
        let why = format!(
            "a run that has observed nothing has observed the 0 tokens that `gates.per_tool` gives `{name}`"
        );
        let place = policy.lines.place(["gates", "per_tool", name]);
        found.push(dead("gates", place, why, NO_LIMIT));
    }
}

/// Whether a budget is for every tool that can be called.
pub(super) fn is_for_all(policy: &Policy, budget: &ToolBudget) -> bool {
    let list = List::of(policy, budget.tools);
    let allowed = policy.gates.allow.map(|id| List::of(policy, id));
    let all = |allowed: &List| !allowed.patterns.is_empty() && list.covers_list(allowed);
    list.covers(&Pattern::new("*")) || allowed.is_some_and(|allowed| all(&allowed))
}

fn nobody(policy: &Policy) -> Option<Dead> {
    let privilege = policy.privilege.as_ref()?;
    (privilege.agents.is_empty() && !privilege.allow_unknown).then(|| {
        let why = "no agent is listed, and unknown ones are denied".into();
        let help = "list agents in `[privilege.agents.NAME]`, or set `unknown_agent = \"allow\"`";
        let place = policy.lines.place(["privilege"]);
        dead("privilege", place, why, Some(help))
    })
}

fn barrier(policy: &Policy, spec: &BarrierSpec) -> Option<Dead> {
    let name = &spec.name;
    let start = start::value(policy, spec)?;
    if start < 0.0 {
        let why = format!("`{name}` is {} before the first call", rounded(start));
        return Some(Dead {
            // `unsafe_at_start` says so.
            told: true,
            ..dead("dcbf", spec.place, why, None)
        });
    }
    let place = place_of(policy, spec);
    if let Rule::Next(alpha) = limits::rule(policy, spec)
        && alpha.floor(start).is_none()
    {
        let why = format!(
            "alpha of the barrier `{name}` is not finite at {}, where it starts",
            rounded(start)
        );
        return Some(dead(
            "dcbf",
            place,
            why,
            Some("lower its `kappa` or `power`"),
        ));
    }
    let stands = matches!(spec.measure, Measure::Stability { .. })
        && limits::calls(policy, spec) == Some(Permits::Calls(0));
    stands.then(|| {
        let why = format!("the barrier `{name}` does not admit a single step");
        let help = "raise its `step_budget`, its `kappa`, or lower its margin";
        dead("dcbf", place, why, Some(help))
    })
}

/// Where a barrier is set. A default one may be as it is because of what holds for all of them.
pub(super) fn place_of(policy: &Policy, spec: &BarrierSpec) -> PolicyPlace {
    let shared = ["kappa", "power"].map(|key| policy.lines.place(["dcbf", key]));
    let mut places = std::iter::once(spec.place).chain(shared);
    places.find(|place| place.line > 0).unwrap_or(spec.place)
}

/// A threshold that every score reaches, where every call has one: recorded scores may be missing.
fn semantic(policy: &Policy) -> Option<Dead> {
    start::every_score_blocks(policy).then(|| {
        let why = "every score is at least `semantic.block`, 0".into();
        let help = Some("raise it: scores lie between 0 and 1");
        dead("semantic", semantic_place(policy), why, help)
    })
}

/// Where the threshold of the semantic stage is set.
pub(super) fn semantic_place(policy: &Policy) -> PolicyPlace {
    policy.lines.place(["semantic", "block"])
}

impl Dead {
    /// Says that it is about a fresh start, where an exploration was given another one: what a barrier is
    /// there may be otherwise.
    pub(super) fn of_fresh_start(&mut self) {
        if self.stage == "dcbf" {
            self.why = format!("from a fresh start {}", self.why);
        }
    }

    /// That no call is admitted, and why.
    pub fn told(&self) -> String {
        format!("no call is admitted: {}", self.why)
    }
}
