//! How near a run comes to what its barriers refuse.
//!
//! A call is as near as the least of its barriers: `min(h, slack)`, the value before it, or the
//! distance of the simulated value above its floor where that is less. At zero the next step down is
//! refused, below zero the call is. Barriers have units of their own, so each is divided by its scale
//! before they are compared: its value in the initial state, the whole of a budget.
//!
//! Over a run the least `h` of a barrier is the robustness of `always(h >= 0)` in signal temporal
//! logic (Fainekos and Pappas, TCS 410, 2009; Donze and Maler, FORMATS 2010), and the least scaled one
//! of all barriers that of their conjunction.

use super::soundness::rounded;
use crate::barriers::UNKNOWN;
use std::cmp::Ordering;

/// How near a call comes to one barrier, in the barrier's unit: the lesser of its value before the
/// call and of the slack. Where nothing was simulated the value alone; where something was and there
/// is no slack, alpha is not finite and nothing can satisfy it: the value of what is not known. NaN is
/// below everything.
pub fn distance(h: f64, next: Option<f64>, slack: Option<f64>) -> f64 {
    let other = match (next, slack) {
        (_, Some(slack)) => slack,
        (Some(_), None) => UNKNOWN,
        (None, None) => h,
    };
    let least = if other < h || other.is_nan() {
        other
    } else {
        h
    };
    if least.is_nan() { UNKNOWN } else { least }
}

/// Which of two values is less, by 12 significant digits: what differs in the noise of floats alone is
/// equal, so that rounding decides no tie.
pub fn compare(a: f64, b: f64) -> Ordering {
    if a.to_bits() == b.to_bits() {
        return Ordering::Equal;
    }
    // Far from a tie rounding cannot change anything, and takes its time.
    if (a - b).abs() > 1e-10 * a.abs().max(b.abs()) {
        return a.total_cmp(&b);
    }
    rounded(a).total_cmp(&rounded(b))
}

/// By what the values of barriers are divided to be compared, in policy order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scales(Vec<f64>);

/// A value of one barrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Index of the barrier.
    pub barrier: usize,
    /// The value in the barrier's unit.
    pub value: f64,
    /// The value by the barrier's scale.
    pub scaled: f64,
}

/// How near a call came to what the barriers refuse, among the calls of an audit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// The barrier that it came nearest, and how near.
    pub measured: Measured,
    /// Which of all calls it was, in the order in which they were decided.
    pub order: u64,
}

impl Approach {
    /// Which of two goes first wherever calls, or runs by their nearest calls, are ranked: the nearer; of
    /// equals that of the first barrier of the policy, then the one that was decided first.
    pub fn rank(&self, other: &Approach) -> Ordering {
        let (a, b) = (&self.measured, &other.measured);
        compare(a.scaled, b.scaled)
            .then(a.barrier.cmp(&b.barrier))
            .then(self.order.cmp(&other.order))
    }

    /// Whether it goes before what is known so far, if anything is.
    pub fn is_nearer(&self, known: Option<&Approach>) -> bool {
        known.is_none_or(|known| self.rank(known).is_lt())
    }
}

impl Scales {
    /// Scales of barriers with these values in the initial state. Where that is not above zero there
    /// is nothing to go by, and the scale is 1.
    pub fn new(initial: &[f64]) -> Scales {
        let scale = |&h: &f64| if h > 0.0 && h.is_finite() { h } else { 1.0 };
        Scales(initial.iter().map(scale).collect())
    }

    /// The scale of a barrier; 1 for an index that is none.
    pub fn of(&self, barrier: usize) -> f64 {
        self.0.get(barrier).copied().unwrap_or(1.0)
    }

    /// A value of a barrier with what it is by its scale.
    pub fn measure(&self, barrier: usize, value: f64) -> Measured {
        Measured {
            barrier,
            value,
            scaled: value / self.of(barrier) + 0.0,
        }
    }

    /// The least of these values, one a barrier, by scale: the first of those that [`compare`] finds
    /// equal. Absent without any.
    pub fn least(&self, values: impl IntoIterator<Item = f64>) -> Option<Measured> {
        let measured = values.into_iter().enumerate();
        let measured = measured.map(|(barrier, value)| self.measure(barrier, value));
        measured.reduce(|least, one| {
            if compare(one.scaled, least.scaled).is_lt() {
                one
            } else {
                least
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_as_near_as_the_lesser_of_value_and_slack() {
        for (h, next, slack, expected) in [
            (0.5, Some(0.3), Some(0.3), 0.3),
            // A barrier that rises leaves more slack than there was.
            (0.5, Some(0.9), Some(0.9), 0.5),
            (0.1, Some(-0.1), Some(-0.1), -0.1),
            // Under kappa < 1 the slack is less than the value after.
            (0.5, Some(0.3), Some(0.05), 0.05),
            // Outside nothing is simulated.
            (-0.1, None, None, -0.1),
            // An alpha that overflows.
            (1e200, Some(1e200), None, UNKNOWN),
            (-3.0, Some(1.0), None, -3.0),
            (f64::NAN, Some(1.0), Some(1.0), UNKNOWN),
            (1.0, Some(1.0), Some(f64::NAN), UNKNOWN),
        ] {
            assert_eq!(distance(h, next, slack), expected, "{h} {next:?} {slack:?}");
        }
    }

    /// 0.7 of each of three scales, as it comes out of floats.
    #[test]
    fn the_noise_of_floats_decides_no_tie() {
        let scales = Scales::new(&[0.9, 0.5, 0.8]);
        for values in [
            [0.63, 0.35, 0.56],
            [0.63, 0.35, 0.56f64.next_down()],
            [0.63, 0.35f64.next_down(), 0.56],
            [0.63f64.next_up(), 0.35, 0.56],
        ] {
            let least = scales.least(values).expect("values");
            assert_eq!(least.barrier, 0, "{values:?}");
        }
        assert_eq!(scales.least([0.63, 0.3499999, 0.56]).expect("").barrier, 1);
        for (a, b, order) in [
            (0.7, 0.7f64.next_down(), Ordering::Equal),
            (0.0, -0.0, Ordering::Equal),
            (-0.7, -0.7f64.next_up(), Ordering::Equal),
            (0.7, 0.70000000001, Ordering::Less),
            (1e-300, 0.0, Ordering::Greater),
            (-1.0, 1.0, Ordering::Less),
        ] {
            assert_eq!(compare(a, b), order, "{a} {b}");
            assert_eq!(compare(b, a), order.reverse(), "{b} {a}");
        }
    }

    #[test]
    fn barriers_compare_by_how_much_of_them_is_left() {
        // 0.1 of a budget of 0.5 is more of it than 1 USD of 10.
        let scales = Scales::new(&[0.9, 0.5, 10.0, 0.0, f64::NAN]);
        let least = scales.least([0.9, 0.1, 1.0]).expect("values");
        assert_eq!((least.barrier, least.value), (2, 1.0));
        assert!((least.scaled - 0.1).abs() < 1e-15);
        assert_eq!((scales.of(3), scales.of(4), scales.of(9)), (1.0, 1.0, 1.0));
        assert_eq!(scales.least([]), None);
        // Of equals the first in policy order, so that reports do not depend on anything else.
        let equal = Scales::new(&[1.0, 1.0]).least([0.5, 0.5]).expect("values");
        assert_eq!(equal.barrier, 0);
    }
}
