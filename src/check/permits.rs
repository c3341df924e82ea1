//! How many calls of a constant drop a barrier admits, one after the other.
//!
//! A kappa below 1 shrinks budgets: the nearer a barrier is to zero, the smaller the drop it lets
//! pass, so that the last part of the budget cannot be used.

use crate::policy::Alpha;

/// Steps that are tried before counting stops.
pub const MAX_STEPS: u64 = 1_000_000;

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

impl Permits {
    /// The number, in words.
    pub fn told(self) -> String {
        match self {
            Permits::Calls(n) => n.to_string(),
            Permits::AtLeast(n) => format!("at least {n}"),
            Permits::Unlimited => "any number".into(),
        }
    }

    /// How many calls are admitted at least.
    pub fn least(self) -> u64 {
        match self {
            Permits::Calls(n) | Permits::AtLeast(n) => n,
            Permits::Unlimited => u64::MAX,
        }
    }
}

/// How a call is checked: by what the next state comes to, or, with `verify = false`, by the current
/// state alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// The next value has to lie at or above the floor of the current one.
    Next(Alpha),
    /// The current value has to be at least zero.
    Current,
}

impl Rule {
    /// Whether a call that takes the barrier from h to `next` is admitted.
    pub fn admits(self, h: f64, next: f64) -> bool {
        match self {
            Rule::Next(alpha) => alpha.admits(h, next),
            Rule::Current => h >= 0.0,
        }
    }
}

/// Counts the calls that are admitted where the barrier is `value(k)` after k of them.
///
/// Values have to be computed as barriers compute them, and each step is asked of the rule: a division
/// would be off by one where 0.6 / 0.2 falls short of 3. From a negative value nothing is admitted, so
/// that a call that leaves the safe set is the last.
pub fn counted(rule: Rule, value: impl Fn(u64) -> f64) -> Permits {
    if value(1) >= value(0) && rule.admits(value(0), value(1)) {
        return Permits::Unlimited;
    }
    let refused = |&k: &u64| !rule.admits(value(k), value(k + 1));
    match (0..MAX_STEPS).find(refused) {
        Some(calls) => Permits::Calls(calls),
        None => Permits::AtLeast(MAX_STEPS),
    }
}

/// Counts the calls that are admitted from `h0` when each lowers the barrier by `drop`.
pub fn permits(alpha: Alpha, h0: f64, drop: f64) -> Permits {
    counted(Rule::Next(alpha), |k| h0 - drop * k as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alpha(kappa: f64, power: f64) -> Alpha {
        Alpha { kappa, power }
    }

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

    /// Where only the current state is looked at, the call that spends more than is left still passes.
    #[test]
    fn the_current_state_alone_lets_one_more_pass() {
        let value = |k: u64| 0.5 - 0.2 * k as f64;
        assert_eq!(counted(Rule::Current, value), Permits::Calls(3));
        let none = |_| -0.5;
        assert_eq!(counted(Rule::Current, none), Permits::Calls(0));
    }
}
