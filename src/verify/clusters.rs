//! A rate whose trials come in clusters: the calls of one run are not independent of each other,
//! runs are.

use super::stats::{self, Interval};

/// Runs from which the design effect is no longer called approximate.
const ENOUGH: u64 = 30;

/// Sums over runs, from which the design effect follows. Its size does not depend on how many runs
/// there are, and the order in which they come does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    runs: u64,
    calls: u64,
    hits: u64,
    calls_squared: u128,
    hits_squared: u128,
    calls_by_hits: u128,
}

/// A rate with what clustering leaves of its trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusteredRate {
    /// Runs with at least one call.
    pub runs: u64,
    /// Calls that hit.
    pub hits: u64,
    /// All calls.
    pub of: u64,
    /// hits / of.
    pub rate: f64,
    /// Design effect, at least 1: how many calls tell as much as one independent call would.
    pub design_effect: f64,
    /// Effective number of calls: of / design_effect.
    pub n_eff: f64,
    /// Wilson interval of the rate over the effective number of calls.
    pub interval: Interval,
    /// Whether the design effect could not be estimated (a single run, or all calls or none hit)
    /// and the calls of a run were taken to be all alike.
    pub assumed: bool,
    /// Whether there are too few runs (under 30) to trust the design effect.
    pub approximate: bool,
}

impl Clusters {
    /// Adds a run of `calls` calls of which `hits` hit. A run without calls is no cluster; more
    /// hits than calls count as all of them.
    pub fn add(&mut self, calls: u64, hits: u64) {
        if calls == 0 {
            return;
        }
        let hits = hits.min(calls);
        let square = |a: u64, b: u64| u128::from(a) * u128::from(b);
        self.runs += 1;
        self.calls = self.calls.saturating_add(calls);
        self.hits = self.hits.saturating_add(hits);
        self.calls_squared = self.calls_squared.saturating_add(square(calls, calls));
        self.hits_squared = self.hits_squared.saturating_add(square(hits, hits));
        self.calls_by_hits = self.calls_by_hits.saturating_add(square(calls, hits));
    }

    /// Runs with at least one call so far.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// The cluster-robust rate; absent without calls.
    ///
    /// With G runs of m_g calls and x_g hits, n calls in all and p = hits / n, the design effect is
    /// [G / (G - 1) * sum (x_g - p m_g)^2 / n^2] / [p (1 - p) / n]: the linearized variance of a
    /// ratio over that of independent calls (Kish, Survey Sampling, 1965; Rao and Scott, Biometrics
    /// 48, 1992). Below 1 it is taken as 1. Where it is not defined (one run, or p is 0 or 1), runs
    /// are taken to be all alike inside, which gives sum m_g^2 / n: what the formula comes to for such
    /// runs. That leaves n^2 / sum m_g^2 calls, as many as there are runs where these are of one
    /// length and fewer where they are not, since a longer run weighs more in the rate than a shorter
    /// one and still tells no more.
    pub fn rate(&self) -> Option<ClusteredRate> {
        if self.calls == 0 {
            return None;
        }
        let n = self.calls as f64;
        let estimate = self.design_effect();
        let design_effect = estimate.unwrap_or(self.calls_squared as f64 / n).max(1.0);
        let (rate, n_eff) = (self.hits as f64 / n, n / design_effect);
        Some(ClusteredRate {
            runs: self.runs,
            hits: self.hits,
            of: self.calls,
            rate,
            design_effect,
            n_eff,
            interval: stats::wilson_of(rate, n_eff)?,
            assumed: estimate.is_none(),
            approximate: self.runs < ENOUGH,
        })
    }

    /// The formula of [`Clusters::rate`] multiplied out: G / (G - 1) * S / (n x (n - x)), where S is
    /// sum (n x_g - x m_g)^2.
    fn design_effect(&self) -> Option<f64> {
        let misses = self.calls - self.hits;
        if self.runs < 2 || self.hits == 0 || misses == 0 {
            return None;
        }
        let [n, x, misses] = [self.calls, self.hits, misses].map(|count| count as f64);
        let runs = self.runs as f64;
        Some(runs / (runs - 1.0) * self.residuals() / (n * x * misses))
    }

    /// sum (n x_g - x m_g)^2, in integers as long as they hold it: the terms cancel.
    fn residuals(&self) -> f64 {
        let (n, x) = (u128::from(self.calls), u128::from(self.hits));
        let exact = || {
            let plus = (n * n)
                .checked_mul(self.hits_squared)?
                .checked_add((x * x).checked_mul(self.calls_squared)?)?;
            let minus = (n * x).checked_mul(self.calls_by_hits)?.checked_mul(2)?;
            plus.checked_sub(minus)
        };
        match exact() {
            Some(sum) => sum as f64,
            None => {
                let (n, x) = (n as f64, x as f64);
                let sum = n * n * self.hits_squared as f64 + x * x * self.calls_squared as f64
                    - 2.0 * n * x * self.calls_by_hits as f64;
                sum.max(0.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn of(runs: &[(u64, u64)]) -> ClusteredRate {
        let mut clusters = Clusters::default();
        for &(calls, hits) in runs {
            clusters.add(calls, hits);
        }
        clusters.rate().expect("calls")
    }

    /// The design effect as it is written, in floats.
    fn textbook(runs: &[(u64, u64)]) -> f64 {
        let g = runs.len() as f64;
        let n: f64 = runs.iter().map(|r| r.0 as f64).sum();
        let p = runs.iter().map(|r| r.1 as f64).sum::<f64>() / n;
        let sum: f64 = runs
            .iter()
            .map(|r| (r.1 as f64 - p * r.0 as f64).powi(2))
            .sum();
        (g / (g - 1.0) * sum / (n * n)) / (p * (1.0 - p) / n)
    }

    #[test]
    fn the_sums_give_the_textbook_value() {
        let mut random = Random::new(7);
        for _ in 0..300 {
            let runs: Vec<_> = (0..2 + random.below(40))
                .map(|_| {
                    let calls = 1 + random.below(50);
                    (calls, random.below(calls + 1))
                })
                .collect();
            let rate = of(&runs);
            if rate.assumed {
                continue;
            }
            let expected = textbook(&runs).max(1.0);
            assert!(
                (rate.design_effect - expected).abs() < 1e-9 * expected,
                "{runs:?}"
            );
            assert!((rate.n_eff * rate.design_effect - rate.of as f64).abs() < 1e-6);
        }
    }

    #[test]
    fn all_or_nothing_runs_count_as_one_call_each() {
        // Two runs of m calls, one all hits and one none: deff 2m, of which one call is left.
        let rate = of(&[(8, 8), (8, 0)]);
        assert!((rate.design_effect - 16.0).abs() < 1e-12 && (rate.n_eff - 1.0).abs() < 1e-12);
        let runs: Vec<_> = (0..100)
            .map(|i| (10, if i < 30 { 10 } else { 0 }))
            .collect();
        let rate = of(&runs);
        assert!((rate.design_effect - 10.0 * 100.0 / 99.0).abs() < 1e-9 && !rate.approximate);
    }

    #[test]
    fn runs_of_equal_rates_have_no_design_effect() {
        let rate = of(&[(10, 2), (20, 4), (5, 1)]);
        assert_eq!((rate.design_effect, rate.n_eff), (1.0, 35.0));
        assert_eq!(Some(rate.interval), stats::wilson(7, 35));
        assert!(rate.approximate && !rate.assumed);
    }

    #[test]
    fn without_spread_runs_are_all_alike_inside() {
        for hits in [0, 4] {
            let rate = of(&[(4, hits), (4, hits), (4, hits)]);
            assert!(rate.assumed && rate.design_effect == 4.0 && rate.n_eff == 3.0);
            assert_eq!(Some(rate.interval), stats::wilson(3 * hits / 4, 3));
        }
        // Runs of unlike lengths tell less than as many of one length: 36 / 14 calls, and not 3.
        for hits in [0, 1] {
            let rate = of(&[(3, 3 * hits), (2, 2 * hits), (1, hits)]);
            assert!(rate.assumed && (rate.n_eff - 36.0 / 14.0).abs() < 1e-12);
            assert!((rate.design_effect - 14.0 / 6.0).abs() < 1e-12);
        }
        let one = of(&[(9, 3)]);
        assert!(one.assumed && one.n_eff == 1.0 && one.approximate);
    }

    #[test]
    fn runs_without_calls_are_no_clusters() {
        assert_eq!(Clusters::default().rate(), None);
        let mut clusters = Clusters::default();
        clusters.add(0, 0);
        assert_eq!((clusters.runs(), clusters.rate()), (0, None));
    }

    #[test]
    fn sums_beyond_integers_go_on_in_floats() {
        let small: Vec<_> = (0..40).map(|i| (3, u64::from(i % 3 == 0))).collect();
        let large: Vec<_> = small.iter().map(|&(m, x)| (m << 56, x << 56)).collect();
        let (small, large) = (of(&small), of(&large));
        assert!((large.rate - small.rate).abs() < 1e-12 && large.design_effect.is_finite());
        // Hits that only come in blocks of 2^56 multiply the design effect by as much.
        assert!(
            (large.design_effect / small.design_effect.max(0.0) / 2f64.powi(56))
                .log2()
                .abs()
                < 1.0
        );
    }
}
