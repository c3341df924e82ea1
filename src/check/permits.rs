//! How many calls of a constant drop a barrier admits, one after the other.
//!
//! A kappa below 1 shrinks budgets: the nearer a barrier is to zero, the smaller the drop it lets
//! pass, so that the last part of the budget cannot be used.

use crate::policy::Alpha;

/// Steps that are tried, one by one, before counting stops.
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

    /// So many calls of a kind, in words; the kind ends in a space, or is empty.
    pub fn of(self, kind: &str) -> String {
        match self {
            Permits::Calls(1) => format!("1 {kind}call"),
            Permits::Unlimited => format!("any number of {kind}calls"),
            n => format!("{} {kind}calls", n.told()),
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

/// How calls lower a barrier that each take the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Charge {
    /// What each of them takes, at least zero, as far as a float tells.
    pub drop: f64,
    /// The sum of what else is added up in the value, each without its sign: the budget and the margin.
    pub size: f64,
}

/// Counts the calls that are admitted where the barrier is `value(k)` after k of them, which falls by
/// the charge with each, as barriers compute it.
///
/// Each step is asked of the rule: a division would be off by one where 0.6 / 0.2 falls short of 3. From
/// a negative value nothing is admitted, so that a call that leaves the safe set is the last. Steps that
/// are admitted for certain, whatever rounding does to them, are not gone along one by one.
pub fn counted(rule: Rule, charge: Charge, value: impl Fn(u64) -> f64) -> Permits {
    let refused = |k: u64| !rule.admits(value(k), value(k + 1));
    if refused(0) {
        return Permits::Calls(0);
    }
    if charge.drop == 0.0 {
        return Permits::Unlimited;
    }
    let known = last_before(|k| !certain(rule, charge, k, &value));
    let beyond = known.saturating_add(MAX_STEPS);
    match (known..beyond).find(|&k| refused(k)) {
        Some(calls) => Permits::Calls(calls),
        None => Permits::AtLeast(beyond),
    }
}

/// Whether the call after k of them is admitted for certain, and so is every one before it.
///
/// Values never rise with k, since rounding keeps order, and neither does alpha but for the last digits
/// of a power. What one call takes is the charge and twice what rounding adds to a value, at most:
/// products, differences and conversions are each off by half an epsilon of what they are made of.
fn certain(rule: Rule, charge: Charge, k: u64, value: impl Fn(u64) -> f64) -> bool {
    let h = value(k);
    let Rule::Next(alpha) = rule else {
        return h >= 0.0;
    };
    let made_of = charge.size + charge.drop * (k as f64 + 1.0);
    let most = charge.drop + 8.0 * f64::EPSILON * made_of + f64::MIN_POSITIVE;
    let finite = alpha.floor(value(0)).is_some();
    finite && alpha.at(h) * (1.0 - 64.0 * f64::EPSILON) >= most
}

/// Most calls that are counted.
const MOST: u64 = 1 << 62;

/// A number that does not fulfil a condition, while the next one does: the last such, where it stays
/// fulfilled from there on. Zero where zero fulfils it, [`MOST`] where it is not found below that.
fn last_before(reached: impl Fn(u64) -> bool) -> u64 {
    let mut above = 1;
    while above < MOST && !reached(above) {
        above *= 2;
    }
    if above == MOST {
        return MOST;
    }
    let mut below = above / 2;
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        match reached(middle) {
            true => above = middle,
            false => below = middle,
        }
    }
    below
}

/// Counts the calls that are admitted from `h0` when each lowers the barrier by `drop`.
pub fn permits(alpha: Alpha, h0: f64, drop: f64) -> Permits {
    let charge = Charge {
        drop,
        size: h0.abs(),
    };
    counted(Rule::Next(alpha), charge, |k| h0 - drop * k as f64)
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
        let fine = permits(alpha(1e-10, 1.0), 1e6, 1e-10);
        assert!(
            matches!(fine, Permits::AtLeast(_)),
            "alpha comes within rounding long before the end: {fine:?}"
        );
        let endless = permits(alpha(1.0, 1.0), 1e300, 1.0);
        assert!(matches!(endless, Permits::AtLeast(n) if n >= MOST));
    }

    /// Counts above what is tried one by one are as exact as the others.
    #[test]
    fn large_budgets_are_counted_to_the_end() {
        let whole = |kappa, h0, drop| permits(alpha(kappa, 1.0), h0, drop);
        assert_eq!(whole(1.0, 1.5e6, 1.0), Permits::Calls(1_500_000));
        assert_eq!(whole(1.0, 1e15, 1.0), Permits::Calls(1_000_000_000_000_000));
        for (k, h0) in [(50, 3_000_000), (25, 8_000_001), (100, 1_000_000_007)] {
            let admitted = whole(k as f64 / 100.0, h0 as f64, 1.0);
            assert_eq!(admitted, Permits::Calls(closed_form(k, h0, 1)), "{k} {h0}");
        }
    }

    /// Going along step by step and leaving out what is certain come to the same.
    #[test]
    fn what_is_left_out_would_have_been_admitted() {
        for kappa in [1e-4, 0.003, 0.1, 0.7, 1.0, 1.9, 30.0] {
            for power in [0.5, 0.8, 1.0, 1.3, 2.0] {
                for (h0, drop) in [
                    (50.0, 1.0),
                    (0.6, 0.2),
                    (977.7, 0.1),
                    (3.0, 7e-4),
                    (1e9, 3e5),
                ] {
                    let a = alpha(kappa, power);
                    let value = |k: u64| h0 - drop * k as f64;
                    let slow = (0..MAX_STEPS).find(|&k| !a.admits(value(k), value(k + 1)));
                    let admitted = permits(a, h0, drop);
                    assert_eq!(
                        slow.map(Permits::Calls),
                        Some(admitted),
                        "{a:?} {h0} {drop}"
                    );
                }
            }
        }
    }

    /// Where only the current state is looked at, the call that spends more than is left still passes.
    #[test]
    fn the_current_state_alone_lets_one_more_pass() {
        let value = |k: u64| 0.5 - 0.2 * k as f64;
        let charge = Charge {
            drop: 0.2,
            size: 0.5,
        };
        assert_eq!(counted(Rule::Current, charge, value), Permits::Calls(3));
        let none = |_| -0.5;
        assert_eq!(counted(Rule::Current, charge, none), Permits::Calls(0));
    }
}
