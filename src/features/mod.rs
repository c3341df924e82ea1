//! Features of a state, as neural barriers and tables for training take them.
//!
//! What there is stands in [`policy::features`](crate::policy::features). Each is computed from what a
//! barrier may see, the state alone, so that a simulated next state has its features too. All are
//! finite but those of states whose numbers are not.

use crate::policy::Policy;
use crate::policy::features::{FEATURES, Feature};
use crate::policy::matcher::{MatcherId, NameSet};
use crate::policy::parameters::Parameters;
use crate::state::cosine::cosine;
use crate::state::{Phase, StateView};
use std::sync::Arc;

/// The features of that list in a state, in its order.
pub fn of(features: &[Feature], policy: &Policy, view: &StateView<'_>) -> Vec<f64> {
    let value = |feature: &Feature| value(*feature, policy, view);
    features.iter().map(value).collect()
}

/// Every feature in a state, in the order of [`FEATURES`].
pub fn row(policy: &Policy, view: &StateView<'_>) -> Vec<f64> {
    let values = FEATURES.iter();
    values.map(|f| value(f.feature, policy, view)).collect()
}

/// A feature in a state. The policy has to have its runs count features.
fn value(feature: Feature, policy: &Policy, view: &StateView<'_>) -> f64 {
    let by = &policy.dcbf.features;
    match feature {
        Feature::Steps => view.step_count as f64,
        Feature::StepRatio => ratio(view.step_count as f64, by.step_budget as f64),
        Feature::Loops => view.loop_count as f64,
        Feature::Calls => (view.history.len() + view.appended.len() as u64) as f64,
        Feature::Outbound => outbound(policy, view),
        Feature::PrivacyLeft if by.budget > 0.0 => {
            (by.budget - by.per_call * outbound(policy, view)) / by.budget
        }
        Feature::PrivacyLeft => 0.0,
        Feature::PairMet => flag(pair_met(by, view)),
        Feature::PairHalf => flag(pair_age(by, view).is_some()),
        Feature::PairAge => pair_age(by, view).unwrap_or(by.window) as f64,
        Feature::WindowTools => window_tools(by, view) as f64,
        Feature::WindowOutbound => {
            let calls = recent(by, view);
            calls.filter(|names| is(names, by.outbound)).count() as f64
        }
        Feature::Cost => view.cost.usd(),
        Feature::CostRatio => ratio(view.cost.usd(), by.limit.usd()),
        Feature::Tokens => view.tokens as f64,
        Feature::Drift => cosine_of(view).map_or(0.0, |cosine| 1.0 - cosine),
        // What the recording does not tell, or cannot be compared, is not known.
        Feature::DriftKnown => flag(cosine_of(view).is_some_and(f64::is_finite)),
        Feature::PhaseIdle => flag(view.phase == Phase::Idle),
        Feature::PhasePlanning => flag(view.phase == Phase::Planning),
        Feature::PhaseActing => flag(view.phase == Phase::Acting),
        Feature::PhaseObserving => flag(view.phase == Phase::Observing),
        Feature::PhaseTerminal => flag(view.phase.is_terminal()),
    }
}

fn flag(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// The part of a budget that is used; all of it where there is none.
fn ratio(used: f64, budget: f64) -> f64 {
    if budget > 0.0 { used / budget } else { 1.0 }
}

fn is(names: &NameSet, id: Option<MatcherId>) -> bool {
    id.is_some_and(|id| names.is(id))
}

fn outbound(policy: &Policy, view: &StateView<'_>) -> f64 {
    let by = policy.dcbf.features.outbound;
    by.map_or(0.0, |id| {
        view.history.tally(policy, id, view.appended).count as f64
    })
}

/// The last calls, the latest first.
fn recent<'a>(by: &Parameters, view: &'a StateView<'_>) -> impl Iterator<Item = &'a Arc<NameSet>> {
    view.history.last(by.window, view.appended)
}

fn pair_met(by: &Parameters, view: &StateView<'_>) -> bool {
    let seen = |id: MatcherId| recent(by, view).any(|names| names.is(id));
    let mut pairs = by.pairs.iter().flatten();
    pairs.any(|(a, b)| seen(*a) && seen(*b))
}

/// How many calls ago the latest side of a pair came; absent where none is among the last calls.
fn pair_age(by: &Parameters, view: &StateView<'_>) -> Option<usize> {
    recent(by, view).position(|names| {
        let mut pairs = by.pairs.iter().flatten();
        pairs.any(|(a, b)| names.is(*a) || names.is(*b))
    })
}

fn window_tools(by: &Parameters, view: &StateView<'_>) -> usize {
    let mut tools: Vec<&str> = recent(by, view).map(|names| &*names.tool).collect();
    tools.sort_unstable();
    tools.dedup();
    tools.len()
}

fn cosine_of(view: &StateView<'_>) -> Option<f64> {
    if view.untold {
        // It should be known, and the recording does not tell it.
        return Some(f64::NAN);
    }
    let (context, action) = (view.context?, view.action?);
    if context.len() != action.len() && !context.is_empty() && !action.is_empty() {
        // They are of two worlds: whatever is made of that is no number either.
        return Some(f64::NAN);
    }
    cosine(context, action)
}
