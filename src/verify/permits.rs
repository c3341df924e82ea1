//! How many calls of a constant drop a barrier admits, one after the other.
//!
//! A kappa below 1 shrinks budgets: the nearer a barrier is to zero, the smaller the drop it lets
//! pass, so that the last part of the budget cannot be used.

use crate::policy::{Alpha, BarrierSpec, Measure, Policy};

/// Steps that are tried before counting stops.
const MAX_STEPS: u64 = 1_000_000;

/// How many calls are admitted in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permits {
    /// So many; the next is refused.
    Calls(u64),
    /// At least so many: counting stopped.
    AtLeast(u64),
    /// Any number: the calls do not lower the barrier.
    Unlimited,
}

/// Counts the calls that are admitted from `h0` when each lowers the barrier by `drop`.
///
/// Values are computed as barriers compute them, `h0 - drop * k`, and each step is asked of alpha: a
/// division would be off by one where 0.6 / 0.2 falls short of 3. From a negative value nothing is
/// admitted, so a call that leaves the safe set is the last.
pub fn permits(alpha: Alpha, h0: f64, drop: f64) -> Permits {
    if drop <= 0.0 && alpha.admits(h0, h0) {
        return Permits::Unlimited;
    }
    let value = |k: u64| h0 - drop * k as f64;
    let refused = |&k: &u64| !alpha.admits(value(k), value(k + 1));
    match (0..MAX_STEPS).find(refused) {
        Some(calls) => Permits::Calls(calls),
        None => Permits::AtLeast(MAX_STEPS),
    }
}

/// What the policy's falling barriers permit in a run, a sentence each, in policy order.
pub fn described(policy: &Policy) -> Vec<String> {
    policy
        .dcbf
        .barriers
        .iter()
        .filter_map(|spec| permitted(policy, spec))
        .collect()
}

fn permitted(policy: &Policy, spec: &BarrierSpec) -> Option<String> {
    let (h0, drop, what) = match &spec.measure {
        Measure::Privacy {
            budget, per_call, ..
        } => (*budget, *per_call, "outbound calls"),
        Measure::Stability { step_budget } => (*step_budget as f64, 1.0, "steps"),
        Measure::Resource { limit } => (
            limit.usd(),
            policy.dcbf.per_call_cost.usd(),
            "calls that cost the default estimate",
        ),
        Measure::Safety { .. }
        | Measure::Scope { .. }
        | Measure::Custom(_)
        | Measure::Neural(_) => return None,
    };
    let count = match permits(spec.alpha, h0 - spec.margin, drop) {
        Permits::Calls(n) => n.to_string(),
        Permits::AtLeast(n) => format!("at least {n}"),
        Permits::Unlimited => "any number of".into(),
    };
    Some(format!("{} permits {count} {what} in a run", spec.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::testing::alpha;

    #[test]
    fn outbound_calls_by_kappa() {
        for (kappa, calls) in [
            (0.0, 0),
            (0.39, 0),
            (0.4, 1),
            (0.5, 1),
            (0.66, 1),
            (0.67, 2),
            (1.0, 2),
            (1.99, 2),
        ] {
            let admitted = permits(alpha(kappa, 1.0), 0.5, 0.2);
            assert_eq!(admitted, Permits::Calls(calls), "{kappa}");
        }
        assert_eq!(
            permits(alpha(2.1, 1.0), 0.5, 0.2),
            Permits::Calls(3),
            "the third leaves the safe set"
        );
    }

    #[test]
    fn unit_steps_of_fifty_by_kappa() {
        for (kappa, steps) in [
            (1.0, 50),
            (0.9, 49),
            (0.5, 49),
            (0.2, 46),
            (0.1, 41),
            (0.05, 31),
            (0.02, 1),
            (0.019, 0),
        ] {
            let admitted = permits(alpha(kappa, 1.0), 50.0, 1.0);
            assert_eq!(admitted, Permits::Calls(steps), "{kappa}");
        }
    }

    /// For power 1, in integers: kappa = k/100, a budget of h0 units, c units a call.
    fn closed_form(k: u64, h0: u64, c: u64) -> u64 {
        if k * h0 < 100 * c {
            return 0;
        }
        // floor(h0 / c - 100 / k) + 1
        (h0 * k - 100 * c) / (c * k) + 1
    }

    #[test]
    fn stepping_agrees_with_the_closed_form() {
        // Powers of two below one are exact in floats, so the edges are too.
        for k in [25, 50, 75, 100] {
            for h0 in 1..60 {
                for c in 1..10 {
                    let a = alpha(k as f64 / 100.0, 1.0);
                    let admitted = permits(a, h0 as f64, c as f64);
                    assert_eq!(
                        admitted,
                        Permits::Calls(closed_form(k, h0, c)),
                        "{k} {h0} {c}"
                    );
                }
            }
        }
    }

    #[test]
    fn counting_is_bounded_and_fails_closed() {
        assert_eq!(permits(alpha(1.0, 1.0), 1.0, 0.0), Permits::Unlimited);
        assert_eq!(permits(alpha(1.0, 1.0), -1.0, 0.0), Permits::Calls(0));
        assert_eq!(permits(alpha(1.0, 1.0), 1.0, f64::NAN), Permits::Calls(0));
        assert_eq!(permits(alpha(1.0, 2.0), 1e200, 1.0), Permits::Calls(0));
        assert_eq!(
            permits(alpha(1.0, 1.0), 1e9, 1.0),
            Permits::AtLeast(MAX_STEPS)
        );
    }
}
