//! What a barrier measures of a state, before any number of the policy has its say: so that its value
//! can be told for other budgets, limits and windows without another replay.

use super::{UNKNOWN, definition};
use crate::policy::{BarrierSpec, Measure, Policy};
use crate::state::StateView;
use crate::state::cosine::cosine;
use crate::trace::money::Nano;

/// What a barrier measures of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// Outbound calls.
    Outbound(u64),
    /// Dollars spent.
    Spent(Nano),
    /// Steps taken.
    Steps(u64),
    /// Cosine distance between what was asked and what is done; absent where the barrier is inert.
    Drift(Option<f64>),
    /// The least window in which a dangerous pair meets; absent where none meets among the calls that
    /// are remembered.
    Met(Option<usize>),
    /// The value itself, of an expression or a model.
    Raw(f64),
    /// It cannot be measured.
    Unknown,
}

/// A barrier before and after a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    /// What it measures in the state that the call meets.
    pub before: Level,
    /// The same in the simulated next state.
    pub after: Level,
    /// Its value before.
    pub h: f64,
    /// Its value after.
    pub next: f64,
}

impl Transition {
    /// Whether a barrier with these settings lets it pass: it is not negative before, and not below
    /// its floor after, where that is checked.
    pub fn passes(&self, spec: &BarrierSpec, verify: bool) -> bool {
        let h = value_at(spec, self.before);
        h >= 0.0 && (!verify || spec.alpha.admits(h, value_at(spec, self.after)))
    }

    /// The value once that many calls have done what this one does.
    pub fn value_after(&self, spec: &BarrierSpec, calls: u64) -> f64 {
        let so_many = |a: u64, b: u64| a.saturating_add(b.saturating_sub(a).saturating_mul(calls));
        let level = match (self.before, self.after) {
            (Level::Outbound(a), Level::Outbound(b)) => Level::Outbound(so_many(a, b)),
            (Level::Steps(a), Level::Steps(b)) => Level::Steps(so_many(a, b)),
            (Level::Spent(Nano(a)), Level::Spent(Nano(b))) => {
                let more = b.saturating_sub(a).saturating_mul(calls.into());
                Level::Spent(Nano(a.saturating_add(more)))
            }
            _ => return self.h - (self.h - self.next) * calls as f64,
        };
        value_at(spec, level)
    }
}

/// A barrier in two states.
pub fn transition(
    policy: &Policy,
    spec: &BarrierSpec,
    current: &StateView<'_>,
    next: &StateView<'_>,
) -> Transition {
    Transition {
        before: level(policy, spec, current),
        after: level(policy, spec, next),
        h: super::value(policy, spec, current).0,
        next: super::value(policy, spec, next).0,
    }
}

/// What a barrier measures of a state.
pub fn level(policy: &Policy, spec: &BarrierSpec, view: &StateView<'_>) -> Level {
    let raw = || (definition(&spec.measure).raw)(policy, &spec.measure, view);
    match &spec.measure {
        Measure::Privacy { outbound, .. } => {
            Level::Outbound(view.history.tally(policy, *outbound, view.appended).count)
        }
        Measure::Resource { .. } => Level::Spent(view.cost),
        Measure::Stability { .. } => Level::Steps(view.step_count),
        Measure::Safety { pairs, .. } => {
            let seen = |id| {
                let mut calls = view.history.last(policy.recent, view.appended);
                calls.position(|names| names.is(id)).map(|at| at + 1)
            };
            let meets = pairs
                .iter()
                .filter_map(|&(a, b)| Some(seen(a)?.max(seen(b)?)));
            Level::Met(meets.min())
        }
        Measure::Scope { .. } => match (raw(), view.context, view.action) {
            (Err(_), ..) => Level::Unknown,
            (Ok(_), Some(a), Some(b)) => Level::Drift(cosine(a, b).map(|c| 1.0 - c)),
            _ => Level::Drift(None),
        },
        Measure::Custom(_) | Measure::Neural(_) => raw().map_or(Level::Unknown, Level::Raw),
    }
}

/// The value of a barrier with these settings where it measures that: the twin of
/// [`value`](super::value), to the last bit.
pub fn value_at(spec: &BarrierSpec, level: Level) -> f64 {
    let raw = match (&spec.measure, level) {
        (
            Measure::Privacy {
                budget, per_call, ..
            },
            Level::Outbound(n),
        ) => budget - per_call * n as f64,
        (Measure::Resource { limit }, Level::Spent(cost)) => {
            Nano(limit.0.saturating_sub(cost.0)).usd()
        }
        (Measure::Stability { step_budget }, Level::Steps(taken)) => {
            (i128::from(*step_budget) - i128::from(taken)) as f64
        }
        (Measure::Safety { window, .. }, Level::Met(met)) => match met {
            Some(least) if least <= *window => -1.0,
            _ => 1.0,
        },
        (Measure::Scope { max_drift, .. }, Level::Drift(drift)) => {
            drift.map_or(*max_drift, |drift| max_drift - drift)
        }
        (Measure::Custom(_) | Measure::Neural(_), Level::Raw(raw)) => raw,
        _ => return UNKNOWN,
    };
    let value = raw - spec.margin;
    if raw.is_finite() && value.is_finite() {
        value + 0.0
    } else {
        UNKNOWN
    }
}
