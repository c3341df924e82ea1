//! Barriers: functions of the state that are at least zero while the run is safe.
//!
//! [`BARRIERS`] is the only list of what can be measured. A barrier's value is its raw value less
//! its margin; a raw value that is not finite, or that cannot be computed, makes it -1.

pub mod alpha;
mod custom;
pub mod level;
mod neural;
mod privacy;
mod resource;
mod safety;
mod scope;
mod stability;

use crate::policy::matcher::NameSet;
use crate::policy::{BarrierSpec, Measure, Policy};
use crate::state::{Phase, StateView};
use crate::trace::money::Nano;
use std::sync::Arc;

/// A kind of barrier.
pub struct Definition {
    /// Name of the barrier in the default set; `custom` for expressions, `neural` for models.
    pub id: &'static str,
    /// What it guards, for documentation.
    pub doc: &'static str,
    /// Unit of its value.
    pub unit: &'static str,
    /// Appends what in the state makes the value low, in plain words; nothing where there is nothing to
    /// say.
    pub cause: fn(&Policy, &Measure, &StateView<'_>, &mut String),
}

/// Every kind of barrier, the default set first, in the order of reports.
pub const BARRIERS: &[Definition] = &[
    safety::DEFINITION,
    privacy::DEFINITION,
    resource::DEFINITION,
    scope::DEFINITION,
    stability::DEFINITION,
    custom::DEFINITION,
    neural::DEFINITION,
];

/// The kind that measures this.
pub fn definition(measure: &Measure) -> &'static Definition {
    match measure {
        Measure::Safety { .. } => &BARRIERS[0],
        Measure::Privacy { .. } => &BARRIERS[1],
        Measure::Resource { .. } => &BARRIERS[2],
        Measure::Scope { .. } => &BARRIERS[3],
        Measure::Stability { .. } => &BARRIERS[4],
        Measure::Custom(_) => &BARRIERS[5],
        Measure::Neural(_) => &BARRIERS[6],
    }
}

/// The raw value of a barrier in a state, or why there is none. It is asked for ten times a call, so
/// that no table stands between.
#[inline]
pub fn raw(policy: &Policy, measure: &Measure, view: &StateView<'_>) -> Result<f64, String> {
    match measure {
        Measure::Safety { window, pairs } => Ok(safety::raw(*window, pairs, view)),
        Measure::Privacy {
            budget,
            per_call,
            outbound,
        } => {
            let count = privacy::count(policy, *outbound, view);
            Ok(budget - per_call * count as f64)
        }
        Measure::Resource { limit } => Ok(resource::raw(*limit, view)),
        Measure::Scope { max_drift, .. } => scope::raw(*max_drift, view),
        Measure::Stability { step_budget } => Ok(stability::raw(*step_budget, view)),
        Measure::Custom(expr) => custom::raw(policy, expr, view),
        Measure::Neural(neural) => Ok(neural::raw(policy, neural, view)),
    }
}

/// Value of a barrier that cannot be computed, whatever its margin.
pub const UNKNOWN: f64 = -1.0;

/// The value of a barrier in a state, and why it could not be computed where it is -1 for that.
pub fn value(policy: &Policy, spec: &BarrierSpec, view: &StateView<'_>) -> (f64, Option<String>) {
    match raw(policy, &spec.measure, view) {
        Ok(raw) => match spec.less_margin(raw) {
            Some(h) => (h, None),
            None => (UNKNOWN, Some("its value is not a finite number".into())),
        },
        Err(why) => (UNKNOWN, Some(why)),
    }
}

/// The value alone.
#[inline]
fn height(policy: &Policy, spec: &BarrierSpec, view: &StateView<'_>) -> f64 {
    let raw = raw(policy, &spec.measure, view);
    let h = raw.ok().and_then(|raw| spec.less_margin(raw));
    h.unwrap_or(UNKNOWN)
}

impl BarrierSpec {
    /// The value that a raw value makes; absent where it is not finite.
    #[inline]
    fn less_margin(&self, raw: f64) -> Option<f64> {
        let value = raw - self.margin;
        // Adding zero turns -0 into 0.
        (raw.is_finite() && value.is_finite()).then_some(value + 0.0)
    }
}

/// A barrier before and after a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Value in the state that the call meets.
    pub h: f64,
    /// Value in the simulated next state; absent where that was not looked at.
    pub next: Option<f64>,
    /// How far the next value lies above its floor; absent as above, and where alpha is not finite.
    pub slack: Option<f64>,
}

/// What the barriers say of a transition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Check {
    /// One a barrier, in policy order.
    pub steps: Vec<Step>,
    /// Whether the next state was looked at: the current one is inside the safe set, and there was a
    /// next one.
    pub simulated: bool,
    /// Barriers that are negative in the current state.
    pub outside: Vec<usize>,
    /// Barriers whose next value lies below its floor.
    pub broken: Vec<usize>,
}

impl Check {
    /// Values in the current state.
    pub fn current(&self) -> impl Iterator<Item = f64> {
        self.steps.iter().map(|step| step.h)
    }

    /// Values in the next state, where that was looked at.
    pub fn next(&self) -> Option<Vec<f64>> {
        let next = self.steps.iter().filter_map(|step| step.next);
        self.simulated.then(|| next.collect())
    }

    /// The barriers that refuse the transition.
    pub fn refusing(&self) -> &[usize] {
        if self.outside.is_empty() {
            &self.broken
        } else {
            &self.outside
        }
    }
}

/// Values of all barriers in a state.
pub fn values(policy: &Policy, view: &StateView<'_>) -> Vec<f64> {
    each(policy, view).collect()
}

fn each(policy: &Policy, view: &StateView<'_>) -> impl Iterator<Item = f64> {
    let barriers = policy.dcbf.barriers.iter();
    barriers.map(move |spec| height(policy, spec, view))
}

/// Indices of the values that are not at least zero.
pub fn negative(values: &[f64]) -> Vec<usize> {
    let out = |&i: &usize| !values[i].ge(&0.0);
    (0..values.len()).filter(out).collect()
}

/// Checks the current state, and the transition to the next one where there is one to check.
///
/// A state outside the safe set is not looked beyond: its check has no next values.
pub fn check(policy: &Policy, current: &StateView<'_>, next: Option<&StateView<'_>>) -> Check {
    check_within(Vec::new(), policy, current, next)
}

/// The same, its steps in the place of those in `room`, so that no memory is asked for.
pub fn check_within(
    room: Vec<Step>,
    policy: &Policy,
    current: &StateView<'_>,
    next: Option<&StateView<'_>>,
) -> Check {
    stepping(room, policy, each(policy, current), next)
}

/// Checks a current state whose values are known already, and the transition to the next one.
pub fn transition(
    policy: &Policy,
    current: impl IntoIterator<Item = f64>,
    next: Option<&StateView<'_>>,
) -> Check {
    stepping(Vec::new(), policy, current, next)
}

#[inline]
fn stepping(
    mut steps: Vec<Step>,
    policy: &Policy,
    current: impl IntoIterator<Item = f64>,
    next: Option<&StateView<'_>>,
) -> Check {
    let specs = &policy.dcbf.barriers;
    steps.clear();
    steps.extend(current.into_iter().map(|h| Step {
        h,
        next: None,
        slack: None,
    }));
    let mut check = Check::default();
    for (i, step) in steps.iter().enumerate() {
        if !step.h.ge(&0.0) {
            check.outside.push(i);
        }
    }
    check.steps = steps;
    let Some(view) = next.filter(|_| check.outside.is_empty()) else {
        return check;
    };
    check.simulated = true;
    for (i, (spec, step)) in specs.iter().zip(&mut check.steps).enumerate() {
        let next = height(policy, spec, view);
        let (admitted, slack) = spec.alpha.measure(step.h, next);
        (step.next, step.slack) = (Some(next), slack);
        if !admitted {
            check.broken.push(i);
        }
    }
    check
}

/// The weighted average of the values; absent where there are no barriers. It decides nothing.
pub fn composite(policy: &Policy, values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let specs = &policy.dcbf.barriers;
    let total: f64 = specs.iter().map(|s| s.weight).sum();
    let sum: f64 = specs.iter().zip(values).map(|(s, h)| s.weight * h).sum();
    let average = sum / total + 0.0;
    average.is_finite().then_some(average)
}

/// The state after the call: the call in the history, its estimated cost spent, one step more.
///
/// `appended` are the calls taken as settled before it, and the call last; `estimate` is what they
/// are charged together.
pub fn simulate<'a>(
    current: &StateView<'a>,
    appended: &'a [Arc<NameSet>],
    estimate: Nano,
) -> StateView<'a> {
    StateView {
        appended,
        cost: Nano(current.cost.0.saturating_add(estimate.0)),
        step_count: current.step_count.saturating_add(1),
        phase: Phase::Acting,
        ..current.clone()
    }
}
