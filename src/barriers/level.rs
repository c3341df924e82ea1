//! What a barrier measures of a state, before any number of the policy has its say: so that its value
//! can be told for other budgets, limits and windows without another replay.

use super::UNKNOWN;
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
    let raw = || super::raw(policy, &spec.measure, view);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{PolicySource, parse};

    fn specs(margin: f64) -> Vec<BarrierSpec> {
        let text = format!(
            "dcbf.barriers.safety = {{ window = 3, margin = 0 }}\n\
             dcbf.barriers.privacy = {{ budget = 1.0, per_call = 0.25, margin = {margin:?} }}\n\
             dcbf.barriers.resource.limit_usd = 2\ndcbf.barriers.scope.max_drift = 0.75\n\
             dcbf.barriers.stability.step_budget = 9\n\
             dcbf.barriers.own.expr = '1.0'\n"
        );
        let nothing = |_: &str| Err("no file".to_owned());
        let policy = parse(&text, "p.toml", PolicySource::BuiltIn, &nothing);
        policy.expect("a policy").dcbf.barriers
    }

    fn at(name: &str, level: Level) -> f64 {
        at_margin(name, level, 0.0)
    }

    fn at_margin(name: &str, level: Level, margin: f64) -> f64 {
        let specs = specs(margin);
        let spec = specs.iter().find(|spec| spec.name == name);
        value_at(spec.expect("a barrier"), level)
    }

    /// By hand, from the definition of each barrier: what is left of its budget.
    #[test]
    fn values_are_what_the_level_leaves_of_the_budget() {
        let dollars = |usd: i128| Level::Spent(Nano(usd * 1_000_000_000));
        for (name, level, value) in [
            ("privacy", Level::Outbound(0), 1.0),
            ("privacy", Level::Outbound(3), 0.25),
            ("privacy", Level::Outbound(5), -0.25),
            ("resource", dollars(0), 2.0),
            ("resource", dollars(3), -1.0),
            ("stability", Level::Steps(9), 0.0),
            ("stability", Level::Steps(11), -2.0),
            ("scope", Level::Drift(Some(0.5)), 0.25),
            ("scope", Level::Drift(None), 0.75),
            ("safety", Level::Met(None), 1.0),
            ("safety", Level::Met(Some(4)), 1.0),
            ("safety", Level::Met(Some(3)), -1.0),
            ("own", Level::Raw(0.5), 0.5),
        ] {
            assert_eq!(at(name, level), value, "{name} {level:?}");
        }
    }

    /// The margin is taken off, and zero has no sign.
    #[test]
    fn a_margin_is_taken_off() {
        assert_eq!(at_margin("privacy", Level::Outbound(2), 0.25), 0.25);
        assert_eq!(at_margin("privacy", Level::Outbound(2), -0.25), 0.75);
        let zero = at_margin("privacy", Level::Outbound(2), 0.5);
        assert!(zero == 0.0 && zero.is_sign_positive());
    }

    /// What is not measured, not finite, or measured of another barrier is unknown: no call passes.
    #[test]
    fn what_cannot_be_told_is_unknown() {
        for (name, level) in [
            ("privacy", Level::Unknown),
            ("privacy", Level::Steps(0)),
            ("scope", Level::Unknown),
            ("scope", Level::Drift(Some(f64::NAN))),
            ("own", Level::Raw(f64::NAN)),
            ("own", Level::Raw(f64::INFINITY)),
            ("own", Level::Unknown),
        ] {
            assert_eq!(at(name, level), UNKNOWN, "{name} {level:?}");
        }
        assert_eq!(
            at_margin("privacy", Level::Outbound(0), -f64::MAX),
            f64::MAX
        );
    }

    /// Numbers at the ends of their ranges neither wrap nor panic.
    #[test]
    fn great_levels_do_not_wrap() {
        assert!(at("privacy", Level::Outbound(u64::MAX)) < -1e18);
        assert!(at("stability", Level::Steps(u64::MAX)) < -1e18);
        assert!(at("resource", Level::Spent(Nano(i128::MAX))) < -1e18);
    }
}
