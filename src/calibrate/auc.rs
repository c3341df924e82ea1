//! The area under the ROC curve: how often an attack scores higher than ordinary traffic.

use crate::verify::stats::{Interval, Z};

/// A score and the group of calls it belongs to.
pub type Grouped = (f64, u32);

/// An area with what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Auc {
    /// Probability that an attack scores higher than an ordinary call, ties counted half (Mann and
    /// Whitney, Annals of Mathematical Statistics 18, 1947).
    pub area: f64,
    /// The 95% interval.
    pub interval: Interval,
    /// Attacks, divided by the design effect of their groups.
    pub attacks: f64,
    /// Ordinary calls, divided by the design effect of their groups.
    pub ordinary: f64,
}

impl Auc {
    /// The area of those scores, which have to be finite; absent where there are none of either kind.
    ///
    /// The interval has the variance of Hanley and McNeil (Radiology 143, 1982), solved for the
    /// bounds as Newcombe does (Statistics in Medicine 25, 2006, method 5), so that it has a width at
    /// 0 and 1 too. It is taken over the numbers of attacks and of calls that are left when each is
    /// divided by the design effect of its placements (the share of the other kind that a score lies
    /// above): members of a group are not independent of each other.
    pub fn of(attacks: &[Grouped], ordinary: &[Grouped]) -> Option<Auc> {
        if attacks.is_empty() || ordinary.is_empty() {
            return None;
        }
        let (above, below) = (sorted(attacks), sorted(ordinary));
        let of_attacks = placements(attacks, &below, below_or_half);
        let of_ordinary = placements(ordinary, &above, above_or_half);
        let halves: u128 = of_attacks.iter().map(|(half, _)| u128::from(*half)).sum();
        let (m, n) = (attacks.len() as f64, ordinary.len() as f64);
        let area = halves as f64 / 2.0 / m / n;
        let (attacks, ordinary) = (
            m / design_effect(&of_attacks),
            n / design_effect(&of_ordinary),
        );
        Some(Auc {
            area,
            interval: interval(area, attacks, ordinary),
            attacks,
            ordinary,
        })
    }
}

/// The scores in ascending order.
pub fn sorted(scores: &[Grouped]) -> Vec<f64> {
    let mut sorted: Vec<f64> = scores.iter().map(|(score, _)| *score).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// Twice the number of sorted scores below `score`, with those equal to it counted once.
fn below_or_half(sorted: &[f64], score: f64) -> u64 {
    let below = sorted.partition_point(|other| *other < score);
    let up_to = sorted.partition_point(|other| *other <= score);
    (below + up_to) as u64
}

/// The same for those above.
fn above_or_half(sorted: &[f64], score: f64) -> u64 {
    2 * sorted.len() as u64 - below_or_half(sorted, score)
}

/// Where each score lies among those of the other kind, with its group.
fn placements(
    scores: &[Grouped],
    others: &[f64],
    place: fn(&[f64], f64) -> u64,
) -> Vec<(u64, u32)> {
    let placed = scores
        .iter()
        .map(|(score, group)| (place(others, *score), *group));
    placed.collect()
}

/// How many members tell as much about the mean as one independent member would, at least 1: the
/// linearized variance of a mean of groups over that of independent members (Kish, Survey Sampling,
/// 1965). Where neither can be told (one group, or all alike) the members of a group are taken to tell
/// no more than one of them.
fn design_effect(values: &[(u64, u32)]) -> f64 {
    let n = values.len() as f64;
    let mut by_group = values.to_vec();
    by_group.sort_unstable_by_key(|(_, group)| *group);
    let groups: Vec<(f64, f64)> = by_group
        .chunk_by(|a, b| a.1 == b.1)
        .map(|members| {
            let sum: u128 = members.iter().map(|(value, _)| u128::from(*value)).sum();
            (members.len() as f64, sum as f64)
        })
        .collect();
    let mean = groups.iter().map(|(_, sum)| sum).sum::<f64>() / n;
    let square = |x: f64| x * x;
    let apart: f64 = by_group.iter().map(|(v, _)| square(*v as f64 - mean)).sum();
    let together: f64 = groups.iter().map(|(m, sum)| square(sum - m * mean)).sum();
    let count = groups.len() as f64;
    let effect = if count > 1.0 && apart > 0.0 {
        count / (count - 1.0) * together * (n - 1.0) / (n * apart)
    } else {
        groups.iter().map(|(m, _)| square(*m)).sum::<f64>() / n
    };
    effect.max(1.0)
}

/// The bounds at which the area lies [`Z`] standard errors away.
fn interval(area: f64, m: f64, n: f64) -> Interval {
    let each = (m + n) / 2.0 - 1.0;
    let error = |a: f64| {
        let more = each * ((1.0 - a) / (2.0 - a) + a / (1.0 + a));
        (a * (1.0 - a) * (1.0 + more) / (m * n)).max(0.0).sqrt()
    };
    let bound = |end: f64| {
        // Beyond the bound the area lies more than so many standard errors away.
        let (mut near, mut far) = (area, end);
        for _ in 0..100 {
            let middle = near + (far - near) / 2.0;
            if (middle - area).abs() <= Z * error(middle) {
                near = middle;
            } else {
                far = middle;
            }
        }
        far
    };
    Interval {
        low: bound(0.0),
        high: bound(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(scores: &[f64]) -> Vec<Grouped> {
        scores.iter().copied().zip(0..).collect()
    }

    fn auc(attacks: &[f64], ordinary: &[f64]) -> Auc {
        Auc::of(&alone(attacks), &alone(ordinary)).expect("scores of both kinds")
    }

    #[test]
    fn areas_are_those_counted_by_hand() {
        // Of six pairs: 0.5 beats 0.1, 0.3 and ties with 0.5; 0.3 beats 0.1 and ties with 0.3.
        assert_eq!(auc(&[0.5, 0.3], &[0.1, 0.3, 0.5]).area, 4.0 / 6.0);
        assert_eq!(auc(&[0.9], &[0.1, 0.2]).area, 1.0);
        assert_eq!(auc(&[0.1], &[0.1, 0.2]).area, 0.25);
        assert_eq!(auc(&[0.0], &[0.1]).area, 0.0);
        assert_eq!(auc(&[0.4; 7], &[0.4; 9]).area, 0.5);
    }

    #[test]
    fn one_kind_alone_has_no_area() {
        assert_eq!(Auc::of(&alone(&[0.5]), &[]), None);
        assert_eq!(Auc::of(&[], &alone(&[0.5])), None);
    }

    #[test]
    fn bounds_lie_so_many_standard_errors_away() {
        // Hanley and McNeil's variance, written out with their Q1 and Q2 and equal numbers.
        let (m, a) = (40, 0.8f64);
        let scores = |share: f64| {
            let high = (f64::from(m) * share).round() as usize;
            let mut scores = vec![1.0; high];
            scores.resize(m as usize, 0.0);
            scores
        };
        let found = auc(&scores(a), &[0.5; 40]);
        assert!((found.area - a).abs() < 1e-12);
        for bound in [found.interval.low, found.interval.high] {
            let (q1, q2) = (bound / (2.0 - bound), 2.0 * bound * bound / (1.0 + bound));
            let m = f64::from(m);
            // All ordinary calls are alike, so that they tell no more than their design effect says.
            let variance = (bound * (1.0 - bound)
                + (m - 1.0) * (q1 - bound * bound)
                + (m - 1.0) * (q2 - bound * bound))
                / (m * m);
            assert!(
                ((bound - a).abs() / variance.sqrt() - Z).abs() < 1e-6,
                "{bound}"
            );
        }
    }

    #[test]
    fn complete_separation_still_has_a_width() {
        let found = auc(&[0.9; 5], &[0.1; 5]);
        assert_eq!((found.area, found.interval.high), (1.0, 1.0));
        assert!(found.interval.low > 0.5 && found.interval.low < 0.9);
        let found = auc(&[0.1; 5], &[0.9; 5]);
        assert_eq!((found.area, found.interval.low), (0.0, 0.0));
    }

    #[test]
    fn members_of_one_group_tell_less() {
        let scores: Vec<f64> = (0..40).map(|i| f64::from(i / 4) / 10.0).collect();
        let ordinary: Vec<f64> = scores.iter().map(|s| s - 0.15).collect();
        let apart = auc(&scores, &ordinary);
        let grouped = |scores: &[f64]| -> Vec<Grouped> {
            scores.iter().copied().zip((0..).map(|i| i / 4)).collect()
        };
        let together = Auc::of(&grouped(&scores), &grouped(&ordinary)).expect("scores");
        assert_eq!(together.area, apart.area);
        assert_eq!((apart.attacks, apart.ordinary), (40.0, 40.0));
        // Calls of a group are all alike: a group tells about as much as one call.
        assert!((together.attacks - 9.2).abs() < 0.5, "{together:?}");
        let width = |auc: Auc| auc.interval.high - auc.interval.low;
        assert!(width(together) > 1.5 * width(apart));
    }

    #[test]
    fn one_group_of_many_tells_no_more_than_one_call() {
        let ordinary: Vec<Grouped> = (0..50).map(|i| (f64::from(i), 7)).collect();
        let found = Auc::of(&alone(&[60.0, 20.5]), &ordinary).expect("scores");
        assert_eq!(found.ordinary, 1.0);
    }
}
