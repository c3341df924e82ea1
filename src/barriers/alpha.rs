//! The class-K function of a barrier, and the discrete forward-invariance condition it sets.
//!
//! A transition from h to h+ is admitted where h+ >= h - alpha(h), with alpha(h) = kappa * h^power
//! (Agrawal and Sreenath, Discrete Control Barrier Functions, RSS 2017). Everything is computed in
//! that form and order, so that the defaults (kappa 1, power 1) ask exactly h+ >= 0.

use crate::policy::Alpha;

impl Alpha {
    /// alpha(h), for h >= 0; NaN for any other h, where the function is not defined. Infinite where
    /// it overflows.
    ///
    /// The powers 1, 2 and 0.5 are computed without a general power, whose last digit differs
    /// between systems.
    pub fn at(self, h: f64) -> f64 {
        if h >= 0.0 {
            self.kappa * self.powered(h)
        } else {
            f64::NAN
        }
    }

    fn powered(self, h: f64) -> f64 {
        if self.power == 1.0 {
            h
        } else if self.power == 2.0 {
            h * h
        } else if self.power == 0.5 {
            h.sqrt()
        } else {
            h.powf(self.power)
        }
    }

    /// The least value that may follow h: h - alpha(h). Absent where that is not finite, and below
    /// zero, where alpha is not defined.
    pub fn floor(self, h: f64) -> Option<f64> {
        Some(h - self.at(h)).filter(|floor| floor.is_finite())
    }

    /// Whether `next` may follow h, and how far it lies above the floor: [`Alpha::admits`] and
    /// [`Alpha::slack`] by one floor.
    #[inline]
    pub fn measure(self, h: f64, next: f64) -> (bool, Option<f64>) {
        let floor = self.floor(h);
        let admitted = floor.is_some_and(|floor| next >= floor);
        // Without adding zero a difference of equal numbers could come out as -0.
        let slack = floor.map(|floor| next - floor + 0.0);
        (admitted, slack.filter(|slack| slack.is_finite()))
    }

    /// Whether `next` may follow h. Without a floor, or where either is NaN, it may not.
    pub fn admits(self, h: f64, next: f64) -> bool {
        self.measure(h, next).0
    }

    /// How far `next` lies above the floor of h, negative where it lies below; absent where there
    /// is no floor or the distance is not finite.
    pub fn slack(self, h: f64, next: f64) -> Option<f64> {
        self.measure(h, next).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn alpha(kappa: f64, power: f64) -> Alpha {
        Alpha { kappa, power }
    }

    #[test]
    fn the_default_asks_that_the_next_value_is_not_negative() {
        let a = alpha(1.0, 1.0);
        for i in 0..2000 {
            let h = f64::from(i) * 0.0173;
            for next in [-f64::MIN_POSITIVE, -0.0, 0.0, h, h + 1.0] {
                assert_eq!(a.admits(h, next), next >= 0.0, "{h} -> {next}");
            }
        }
    }

    #[test]
    fn special_powers_agree_with_the_general_one() {
        for i in 0..500 {
            let h = f64::from(i) * 0.037;
            for power in [1.0, 2.0, 0.5] {
                let (special, general) = (alpha(0.7, power).at(h), 0.7 * h.powf(power));
                assert!((special - general).abs() <= 1e-13 * general.max(1.0));
            }
        }
        assert_eq!(alpha(2.0, 2.0).at(3.0), 18.0);
        assert_eq!(alpha(2.0, 3.0).at(2.0), 16.0);
        assert_eq!(alpha(1.0, 0.5).at(0.25), 0.5);
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        let a = alpha(1.0, 1.0);
        assert!(!a.admits(f64::NAN, 1.0) && !a.admits(1.0, f64::NAN));
        assert!(!a.admits(-0.1, 1.0), "alpha is not defined below zero");
        assert_eq!(a.slack(1.0, f64::NAN), None);
        assert_eq!(a.slack(1.0, f64::INFINITY), None);
        assert!(!a.admits(f64::INFINITY, 1.0));
    }

    #[test]
    fn an_alpha_that_overflows_admits_nothing() {
        let a = alpha(1.0, 2.0);
        assert_eq!(a.at(1e200), f64::INFINITY);
        assert_eq!(a.floor(1e200), None);
        assert!(!a.admits(1e200, 1e200));
        assert_eq!(a.slack(1e200, 1e200), None);
        assert!(!alpha(0.0, 2.0).admits(1e200, 1e200), "0 * infinity");
    }

    #[test]
    fn slack_is_measured_from_the_floor_and_never_minus_zero() {
        assert_eq!(alpha(0.5, 1.0).slack(10.0, 7.0), Some(2.0));
        assert_eq!(alpha(0.5, 1.0).slack(10.0, 4.0), Some(-1.0));
        let zero = alpha(1.0, 1.0).slack(0.0, -0.0).expect("finite");
        assert!(zero == 0.0 && zero.is_sign_positive());
    }

    /// By one floor or by two: as the condition and the distance are defined.
    #[test]
    fn one_floor_does_for_both() {
        let mut random = Random::new(1);
        let odd = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            -0.0,
            1e-320,
        ];
        for _ in 0..20_000 {
            let mut number = || match random.below(8) {
                0 => *random.pick(&odd),
                _ => random.below(4000) as f64 / 1000.0 - 1.0,
            };
            let a = alpha(number(), [1.0, 2.0, 0.5, 1.5][number().abs() as usize % 4]);
            let (h, next) = (number(), number());
            let admitted = a.floor(h).is_some_and(|floor| next >= floor);
            let slack = a.floor(h).map(|floor| next - floor + 0.0);
            let slack = slack.filter(|slack| slack.is_finite());
            let (is, far) = a.measure(h, next);
            assert_eq!(
                (is, far.map(f64::to_bits)),
                (admitted, slack.map(f64::to_bits))
            );
        }
    }

    #[test]
    fn admission_and_slack_agree() {
        for k in 0..12 {
            for p in [0.5, 1.0, 1.5, 2.0] {
                let a = alpha(f64::from(k) * 0.25, p);
                for i in 0..40 {
                    for j in -20..40 {
                        let (h, next) = (f64::from(i) * 0.25, f64::from(j) * 0.25);
                        let slack = a.slack(h, next).expect("finite");
                        assert_eq!(a.admits(h, next), slack >= 0.0, "{k} {p} {h} {next}");
                    }
                }
            }
        }
    }
}
