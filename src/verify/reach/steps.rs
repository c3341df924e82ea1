//! Budgets that every call takes the same from: steps, and money in estimates. They say how many calls
//! there can be at all, and are kept apart from the states, which would be many times as many with them.

use super::meter::Meter;
use super::{More, Refusal, Steps};
use crate::barriers;
use crate::policy::{BarrierSpec, Measure, Policy};
use crate::state::{AgentState, Phase, RunView};
use crate::trace::money::Nano;
use crate::verify::range::Range;
use crate::verify::soundness::{self, Soundness, judge};

/// Calls that are tried before counting stops.
const MOST: u64 = 100_000;

/// What budgets say of the calls from a state on.
pub(super) struct Budgets {
    pub(super) steps: Steps,
    /// The first call that is admitted and takes a budget below zero, from 0, and which.
    pub(super) out: Option<(u64, Vec<String>)>,
    /// Budgets that are negative at the start.
    pub(super) outside: Vec<String>,
    /// So many calls were followed, and a later one may take a budget below zero; absent where none may.
    pub(super) open: Option<u64>,
}

/// The state after `calls` more, as far as budgets look at it.
pub(super) fn after(policy: &Policy, start: &AgentState, calls: u64) -> AgentState {
    let estimate = policy.dcbf.per_call_cost.0;
    let spent = estimate.saturating_mul(i128::from(calls));
    let spent = if policy.dcbf.record_costs { spent } else { 0 };
    AgentState {
        step_count: start.step_count.saturating_add(calls),
        cost: Nano(start.cost.0.saturating_add(spent)),
        ..AgentState::default()
    }
}

impl Budgets {
    /// Counts, by a policy that has no barriers but budgets. Where the meter ends that, there are as many
    /// calls at least as were counted.
    pub(super) fn of(policy: &Policy, start: &AgentState, meter: &mut Meter) -> Budgets {
        let values = |calls| {
            let state = after(policy, start, calls);
            barriers::values(policy, &state.view(RunView::default()))
        };
        let mut budgets = Budgets {
            steps: Steps {
                left: More::AtLeast(MOST),
                by: Vec::new(),
            },
            out: None,
            outside: names(policy, &barriers::negative(&values(0))),
            open: None,
        };
        let work = 4 + 4 * policy.dcbf.barriers.len() as u64;
        for calls in 0..MOST {
            if !meter.take(work) {
                budgets.steps.left = More::AtLeast(calls);
                break;
            }
            let by = refusals(policy, start, calls);
            if !by.is_empty() {
                budgets.steps = Steps {
                    left: More::Calls(calls),
                    by,
                };
                break;
            }
            let negative = barriers::negative(&values(calls + 1));
            if budgets.out.is_none() && !negative.is_empty() {
                budgets.out = Some((calls, names(policy, &negative)));
            }
        }
        if budgets.steps.left == More::AtLeast(MOST) && budgets.out.is_none() {
            let (first, last) = (values(0), values(MOST));
            let keeps = first == last || keep(policy, &first);
            budgets.open = (!keeps).then_some(MOST);
        }
        budgets
    }

    /// How many calls there can be, as far as they were counted.
    pub(super) fn left(&self) -> u64 {
        match self.steps.left {
            More::Calls(n) | More::AtLeast(n) => n,
        }
    }
}

/// Whether no call is admitted that takes one of the budgets, from these values down, below zero.
fn keep(policy: &Policy, values: &[f64]) -> bool {
    let mut barriers = policy.dcbf.barriers.iter().zip(values);
    let low = f64::NEG_INFINITY;
    let sound = |(spec, &high): (&BarrierSpec, &f64)| {
        let steps = matches!(spec.measure, Measure::Stability { .. });
        // Every call takes one step, so that no other values come about than those of its lattice.
        let found = steps.then(|| soundness::of(spec));
        let kept = matches!(
            found,
            Some(Soundness::Sound | Soundness::Unreachable { .. })
        );
        kept || judge(spec.alpha, Range::Continuum { low, high }) == Soundness::Sound
    };
    policy.dcbf.verify && barriers.all(sound)
}

/// The loops that the first call meets: coming while another is under way it is one itself, and
/// otherwise they are counted anew.
fn loops_met(start: &AgentState) -> u64 {
    match start.phase {
        Phase::Acting => start.loop_count.saturating_add(1),
        _ => 0,
    }
}

/// What refuses the call after so many.
fn refusals(policy: &Policy, start: &AgentState, calls: u64) -> Vec<Refusal> {
    let state = after(policy, start, calls);
    let mut by = Vec::new();
    if policy.runs("dfa") {
        let rule = match start.phase {
            Phase::Answering => Some("answering"),
            Phase::Rejected => Some("rejected"),
            Phase::Exhausted => Some("exhausted"),
            _ if state.step_count >= policy.dfa.max_steps => Some("max_steps"),
            // Every other call comes after an observation.
            _ if calls == 0 && loops_met(start) > policy.dfa.max_loops => Some("max_loops"),
            _ => None,
        };
        by.extend(rule.map(|rule| Refusal {
            stage: "dfa",
            rule,
            names: Vec::new(),
        }));
    }
    let current = state.view(RunView::default());
    let next = barriers::simulate(&current, &[], policy.dcbf.per_call_cost);
    let check = barriers::check(policy, &current, policy.dcbf.verify.then_some(&next));
    by.extend(refusal(policy, &check));
    by
}

/// The barriers that refuse, if any do.
pub(super) fn refusal(policy: &Policy, check: &barriers::Check) -> Option<Refusal> {
    let names = names(policy, check.refusing());
    (!names.is_empty()).then_some(Refusal {
        stage: "dcbf",
        rule: if check.outside.is_empty() {
            "forward_invariance"
        } else {
            "outside_safe_set"
        },
        names,
    })
}

/// Names of barriers.
pub(super) fn names(policy: &Policy, indices: &[usize]) -> Vec<String> {
    let specs = indices.iter().filter_map(|&i| policy.dcbf.barriers.get(i));
    specs.map(|spec| spec.name.clone()).collect()
}
