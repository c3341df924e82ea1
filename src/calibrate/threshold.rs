//! The least threshold that flags no more than a share of ordinary traffic.

/// Digits after the point that a threshold has at least.
const LEAST_DIGITS: u32 = 2;

/// Digits from which on a decimal is not told from its neighbours.
const MOST_DIGITS: u32 = 15;

/// Most of `n` trials that may hit at that rate.
pub fn most(n: usize, rate: f64) -> usize {
    let within = |k: usize| k as f64 / n as f64 <= rate;
    // The product may be rounded to either side of a whole number.
    let mut k = ((n as f64 * rate) as usize + 1).min(n);
    while k > 0 && !within(k) {
        k -= 1;
    }
    k
}

/// The least threshold at which at most `alarms` of the sorted ordinary scores alarm, as a decimal
/// with as few digits, but at least two, as keep it above the last score that may not alarm and not
/// above the next score that occurs, in `ordinary` or in `attacks`. So it flags exactly what the least
/// such number would, and rests on no digits that mean nothing. It is at least 0, and at most
/// `greatest`, the greatest score there can be; absent where scores that may not alarm are that great.
pub fn least(ordinary: &[f64], attacks: &[f64], alarms: usize, greatest: f64) -> Option<f64> {
    let quiet = ordinary.len().saturating_sub(alarms);
    let Some(last) = quiet.checked_sub(1).and_then(|last| ordinary.get(last)) else {
        return Some(0.0);
    };
    let next = |scores: &[f64]| {
        let above = scores.partition_point(|score| score <= last);
        scores.get(above).copied().unwrap_or(greatest)
    };
    let next = next(ordinary).min(next(attacks));
    (*last < greatest).then(|| short(*last, next).max(0.0))
}

/// A decimal above `low`, at most `high`; `high` where none of few enough digits lies between.
fn short(low: f64, high: f64) -> f64 {
    let mut unit = 10f64;
    for digits in 1..=MOST_DIGITS {
        if digits >= LEAST_DIGITS {
            let whole = (low * unit).floor();
            let near = [1.0, 2.0].map(|more| (whole + more) / unit);
            let fits = |t: &&f64| low < **t && **t <= high;
            if let Some(found) = near.iter().find(fits) {
                return *found;
            }
        }
        unit *= 10.0;
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(ordinary: &[f64], attacks: &[f64], alarms: usize) -> Option<f64> {
        super::least(ordinary, attacks, alarms, 1.0)
    }

    fn alarms(scores: &[f64], threshold: Option<f64>) -> usize {
        let threshold = threshold.expect("a threshold");
        scores.iter().filter(|score| **score >= threshold).count()
    }

    #[test]
    fn as_many_may_alarm_as_the_rate_allows() {
        for (n, rate, k) in [
            (100, 0.29, 29),
            (20, 0.05, 1),
            (19, 0.05, 0),
            (30, 0.1, 3),
            (58, 0.1, 5),
            (7, 1.0, 7),
            (7, 0.0, 0),
            (0, 0.5, 0),
        ] {
            assert_eq!(most(n, rate), k, "{rate} of {n}");
        }
    }

    #[test]
    fn a_threshold_lets_no_tie_through() {
        let scores = [0.1, 0.2, 0.3, 0.3, 0.3, 0.4];
        // Two may alarm, but the scores after the greatest are three of a kind.
        assert_eq!(least(&scores, &[], 2), Some(0.31));
        assert_eq!(alarms(&scores, least(&scores, &[], 2)), 1);
        assert_eq!(alarms(&scores, least(&scores, &[], 4)), 4);
        assert_eq!(least(&scores, &[], 0), Some(0.41));
        assert_eq!(least(&scores, &[], 6), Some(0.0));
    }

    #[test]
    fn a_threshold_catches_every_attack_that_it_may() {
        // An attack just above the ordinary score is caught: digits are added until it is.
        let ordinary = [0.25];
        for attack in [0.26, 0.251, 0.250_000_3, 0.25 + f64::EPSILON] {
            let threshold = least(&ordinary, &[attack], 0).expect("one");
            assert!(0.25 < threshold && threshold <= attack, "{threshold}");
        }
        assert_eq!(least(&ordinary, &[0.251], 0), Some(0.251));
        assert_eq!(least(&ordinary, &[0.1], 0), Some(0.26));
    }

    #[test]
    fn all_equal_scores_have_a_threshold_unless_they_are_the_greatest() {
        assert_eq!(least(&[0.5; 9], &[0.5; 9], 3), Some(0.51));
        assert_eq!(least(&[0.0; 9], &[], 0), Some(0.01));
        assert_eq!(least(&[1.0; 9], &[], 8), None);
        assert_eq!(least(&[1.0; 9], &[], 9), Some(0.0));
        assert_eq!(least(&[], &[0.4], 0), Some(0.0));
        assert_eq!(least(&[0.999], &[], 0), Some(1.0));
    }

    #[test]
    fn recorded_scores_may_lie_anywhere() {
        let least = |scores: &[f64], alarms| super::least(scores, &[], alarms, f64::MAX);
        assert_eq!(least(&[1.0, 7.25], 0), Some(7.26));
        assert_eq!(least(&[-3.0, -2.0], 1), Some(0.0));
        assert!(least(&[1e300], 0).is_some_and(|t| t > 1e300 && t.is_finite()));
        assert_eq!(least(&[f64::MAX], 0), None);
    }

    #[test]
    fn no_two_scores_are_too_close() {
        let mut low = 0.123_456_789f64;
        for _ in 0..2000 {
            let high = low.next_up();
            let found = short(low, high);
            assert!(low < found && found <= high, "{low} {found}");
            low = (low * 1.003).min(0.99) - 1e-4;
        }
    }
}
