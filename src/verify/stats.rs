//! Intervals for a rate: k hits of n independent trials, at 95%.

use statrs::function::factorial::ln_binomial;

/// Standard normal quantile of 0.975.
pub(crate) const Z: f64 = 1.959963984540054;

/// Probability in each tail of a 95% interval.
const TAIL: f64 = 0.025;

/// Trials from which the exact interval is taken to be Wilson's: both lie within a few times 1/n of
/// each other, which from here on is below 1e-9.
const LARGE: u64 = 10_000_000_000;

/// An interval of probabilities, 0 <= low <= high <= 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// A rate with its intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Trials that hit.
    pub hits: u64,
    /// All trials.
    pub of: u64,
    /// hits / of; absent without trials, which is no data and not a rate of zero.
    pub rate: Option<f64>,
    /// Wilson score interval; absent as the rate.
    pub wilson: Option<Interval>,
    /// Clopper-Pearson interval; absent as the rate.
    pub clopper_pearson: Option<Interval>,
}

impl Rate {
    /// The rate of `hits` in `of` trials. More hits than trials are no rate.
    pub fn new(hits: u64, of: u64) -> Rate {
        Rate {
            hits,
            of,
            rate: (of > 0 && hits <= of).then(|| hits as f64 / of as f64),
            wilson: wilson(hits, of),
            clopper_pearson: clopper_pearson(hits, of),
        }
    }
}

/// The 95% Wilson score interval without continuity correction (Wilson, JASA 22, 1927). `None`
/// without trials or with more hits than trials. Exactly 0 below where nothing hit, exactly 1 above
/// where everything did.
pub fn wilson(hits: u64, n: u64) -> Option<Interval> {
    if n == 0 || hits > n {
        return None;
    }
    wilson_of(hits as f64 / n as f64, n as f64)
}

/// The Wilson interval for a proportion `p` of `n` trials, which need not be whole: an effective
/// number of trials is not. `None` unless 0 <= p <= 1 and n is positive and finite.
pub fn wilson_of(p: f64, n: f64) -> Option<Interval> {
    if !((0.0..=1.0).contains(&p) && n > 0.0 && n.is_finite()) {
        return None;
    }
    let square = Z * Z / n;
    let centre = (p + square / 2.0) / (1.0 + square);
    let half = (p * (1.0 - p) * square + square * square / 4.0).sqrt() / (1.0 + square);
    Some(Interval {
        low: if p == 0.0 {
            0.0
        } else {
            (centre - half).max(0.0)
        },
        high: if p == 1.0 {
            1.0
        } else {
            (centre + half).min(1.0)
        },
    })
}

/// The 95% Clopper-Pearson interval (Biometrika 26, 1934), to 1e-9. `None` without trials or with
/// more hits than trials. Exactly 0 below where nothing hit, exactly 1 above where everything did.
pub fn clopper_pearson(hits: u64, n: u64) -> Option<Interval> {
    if n == 0 || hits > n {
        return None;
    }
    if n >= LARGE {
        return wilson(hits, n);
    }
    Some(Interval {
        low: lower_bound(hits, n),
        // Hits and misses change places.
        high: 1.0 - lower_bound(n - hits, n),
    })
}

/// The p at which `hits` or more of `n` have probability [`TAIL`].
///
/// Solved by bisection on the sum of the binomial tail, which always ends. The quantile of the beta
/// distribution, which is the same number, is found by Newton steps in the statrs library, and they
/// do not end for one hit in 1e7 trials.
fn lower_bound(hits: u64, n: u64) -> f64 {
    if hits == 0 {
        return 0.0;
    }
    // At p = hits / n the tail is about a half, so the bound lies below.
    let (mut low, mut high) = (0.0, hits as f64 / n as f64);
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high || high - low <= 1e-14 * high {
            return middle;
        }
        if upper_tail(hits, n, middle) < TAIL {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// P(X >= hits) for X binomial with `n` trials of 0 < p < hits / n: its terms fall from the first,
/// so that a few standard deviations of them are all there is.
fn upper_tail(hits: u64, n: u64, p: f64) -> f64 {
    let (k, all) = (hits as f64, n as f64);
    let first = (ln_binomial(n, hits) + k * p.ln() + (all - k) * (-p).ln_1p()).exp();
    let odds = p / (1.0 - p);
    let (mut sum, mut term, mut k) = (1.0, 1.0, k);
    while k < all && term > 1e-17 * sum {
        term *= (all - k) / (k + 1.0) * odds;
        sum += term;
        k += 1.0;
    }
    first * sum
}

/// The one-sided 95% upper bound where none of `n` trials hit: 1 - 0.05^(1/n). `None` without
/// trials.
pub fn zero_hit_upper(n: u64) -> Option<f64> {
    (n > 0).then(|| -(0.05f64.ln() / n as f64).exp_m1())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9
    }

    #[test]
    fn known_intervals_are_met() {
        for (hits, n, w, c) in [
            (0, 10, (0.0, 0.2775327999), (0.0, 0.3084971078)),
            (0, 100, (0.0, 0.0369934982), (0.0, 0.0362166926)),
            (
                1,
                10,
                (0.0178762131, 0.4041500268),
                (0.0025285785, 0.4450161170),
            ),
            (
                5,
                10,
                (0.2365930905, 0.7634069095),
                (0.1870860284, 0.8129139716),
            ),
            (
                7,
                200,
                (0.0170555420, 0.0704706115),
                (0.0141855259, 0.0707809984),
            ),
            (10, 10, (0.7224672001, 1.0), (0.6915028922, 1.0)),
            (
                999,
                1000,
                (0.9943574414, 0.9998234536),
                (0.9944410757, 0.9999746825),
            ),
        ] {
            let (wilson, exact) = (
                wilson(hits, n).expect(""),
                clopper_pearson(hits, n).expect(""),
            );
            assert!(
                close(wilson.low, w.0) && close(wilson.high, w.1),
                "{hits}/{n} {wilson:?}"
            );
            assert!(
                close(exact.low, c.0) && close(exact.high, c.1),
                "{hits}/{n} {exact:?}"
            );
        }
    }

    #[test]
    fn bounds_without_hits_or_misses_have_a_closed_form() {
        for n in [1u64, 2, 17, 1000, 123_456, 9_999_999_999] {
            let none = clopper_pearson(0, n).expect("");
            let all = clopper_pearson(n, n).expect("");
            let closed = (TAIL.ln() / n as f64).exp();
            assert_eq!((none.low, all.high), (0.0, 1.0));
            assert!(
                close(all.low, closed) && close(none.high, 1.0 - closed),
                "{n}"
            );
            let (none, all) = (wilson(0, n).expect(""), wilson(n, n).expect(""));
            assert_eq!((none.low, all.high), (0.0, 1.0));
        }
    }

    #[test]
    fn exact_bounds_leave_a_fortieth_in_each_tail() {
        // The tail is summed here from its far end, without the logarithm of a binomial.
        for n in [1u64, 3, 12, 40] {
            for hits in 1..=n {
                let p = clopper_pearson(hits, n).expect("").low;
                let mut choose = 1.0;
                let tail: f64 = (0..=n - hits)
                    .map(|misses| {
                        let term =
                            choose * p.powi((n - misses) as i32) * (1.0 - p).powi(misses as i32);
                        choose = choose * (n - misses) as f64 / (misses + 1) as f64;
                        term
                    })
                    .sum();
                assert!((tail - TAIL).abs() < 1e-12, "{hits}/{n} {tail}");
            }
        }
    }

    #[test]
    fn intervals_hold_the_rate_and_mirror() {
        for n in [1u64, 2, 7, 30, 101] {
            for hits in 0..=n {
                let p = hits as f64 / n as f64;
                for f in [wilson, clopper_pearson] {
                    let (here, there) = (f(hits, n).expect(""), f(n - hits, n).expect(""));
                    assert!(0.0 <= here.low && here.low <= p && p <= here.high);
                    assert!(here.high <= 1.0);
                    assert!(close(here.low, 1.0 - there.high));
                }
            }
        }
    }

    #[test]
    fn large_numbers_are_met_and_take_no_time() {
        // The beta quantile to within 1/n of the normal one, and Wilson from LARGE on.
        for (hits, n) in [
            (500_000, 1_000_000),
            (3, 5_000_000_000),
            (2_500_000_000, 5_000_000_000),
        ] {
            let (w, c) = (
                wilson(hits, n).expect(""),
                clopper_pearson(hits, n).expect(""),
            );
            assert!(
                (w.low - c.low).abs() < 4.0 / n as f64,
                "{hits}/{n} {w:?} {c:?}"
            );
            assert!((w.high - c.high).abs() < 4.0 / n as f64);
        }
        assert_eq!(clopper_pearson(7, LARGE), wilson(7, LARGE));
        assert!(clopper_pearson(u64::MAX, u64::MAX).is_some());
    }

    #[test]
    fn no_trials_are_no_data() {
        let none = Rate::new(0, 0);
        assert_eq!(
            (none.rate, none.wilson, none.clopper_pearson),
            (None, None, None)
        );
        assert_eq!(Rate::new(2, 1).rate, None);
        assert_eq!(Rate::new(1, 4).rate, Some(0.25));
        assert_eq!(zero_hit_upper(0), None);
        assert_eq!(wilson_of(f64::NAN, 3.0), None);
        assert_eq!(wilson_of(0.5, f64::NAN), None);
    }

    #[test]
    fn no_hit_in_n_trials_bounds_the_rate() {
        for (n, bound) in [
            (1, 0.95),
            (2, 0.7763932023),
            (10, 0.2588655509),
            (100, 0.0295130496),
        ] {
            assert!((zero_hit_upper(n).expect("") - bound).abs() < 5e-10, "{n}");
        }
        let rough = zero_hit_upper(1_000_000).expect("");
        assert!((rough * 1e6 - 2.9957).abs() < 1e-3, "rule of three");
    }
}
