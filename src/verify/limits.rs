//! The violation rates that are let pass, and whether what was checked keeps to them.

use super::report::RunTally;

/// Greatest rates of violations that pass: one of all checks, and ones of single barriers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Of the checks that violate any barrier; absent where none was asked for.
    pub all: Option<f64>,
    /// Of the checks that violate a barrier, one entry a barrier in policy order; absent where none
    /// was asked for. Fewer entries than barriers are absent at the end.
    pub barriers: Vec<Option<f64>>,
}

impl Limits {
    /// Whether any rate was asked for.
    pub fn are_given(&self) -> bool {
        self.all.is_some() || self.barriers.iter().any(Option::is_some)
    }

    /// Whether a barrier has a limit of its own.
    pub fn names(&self, barrier: usize) -> bool {
        self.barriers.get(barrier).is_some_and(Option::is_some)
    }

    /// Whether the rates of a tally keep to the limits. Without one for all checks, nothing may
    /// violate a barrier that has none of its own. A call that brings the state outside along counts as
    /// a check that violates, of all checks and of the barriers that refuse it, and of no other. Without
    /// checks there is no rate that exceeds.
    pub fn met(&self, tally: &RunTally) -> bool {
        let within = |(hits, of): (u64, u64), max: f64| of == 0 || hits as f64 / of as f64 <= max;
        let all = match self.all {
            Some(max) => within((tally.root, tally.tested()), max),
            None => tally.unnamed == 0,
        };
        let own = |(barrier, limit): (usize, &Option<f64>)| {
            limit.is_none_or(|max| within(tally.roots_of(barrier), max))
        };
        all && self.barriers.iter().enumerate().all(own)
    }
}

/// Runs and states files by two questions: did every state stay in the safe set, and did the rate
/// of violations keep to what was asked.
///
/// They are not the same question: under kappa < 1 a call can take too much of what is left and leave
/// every barrier positive; and a run can be outside from the start, or leave within the rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fourfold {
    /// Stayed in the safe set and met the rate.
    pub stayed_met: u64,
    /// Stayed and did not meet it.
    pub stayed_missed: u64,
    /// Left, or was never in it, and met the rate.
    pub left_met: u64,
    /// Left, or was never in it, and did not meet it.
    pub left_missed: u64,
    /// Without a checked transition or a step out: no rate to ask of, and in none of the four.
    pub unchecked: u64,
}

impl Fourfold {
    /// Counts a run or a states file.
    pub fn add(&mut self, tally: &RunTally, limits: &Limits) {
        let cell = match (tally.tested(), tally.left, limits.met(tally)) {
            (0, _, _) => &mut self.unchecked,
            (_, false, true) => &mut self.stayed_met,
            (_, false, false) => &mut self.stayed_missed,
            (_, true, true) => &mut self.left_met,
            (_, true, false) => &mut self.left_missed,
        };
        *cell += 1;
    }

    /// All that were counted.
    pub fn total(&self) -> u64 {
        self.stayed_met + self.stayed_missed + self.left_met + self.left_missed + self.unchecked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten checks: `violations` of which `privacy` break the first barrier, the others the second.
    fn tally(violations: u64, privacy: u64, limits: &Limits) -> RunTally {
        let mut tally = RunTally::default();
        for i in 0..10 {
            let broken: &[usize] = match i {
                i if i < privacy => &[0],
                i if i < violations => &[1],
                _ => &[],
            };
            tally.check(i < violations, broken, limits);
        }
        tally
    }

    fn limits(all: Option<f64>, privacy: Option<f64>) -> Limits {
        Limits {
            all,
            barriers: vec![privacy, None],
        }
    }

    #[test]
    fn a_limit_of_one_barrier_says_nothing_of_the_others() {
        for (all, privacy, violations, of_privacy, met) in [
            (None, None, 0, 0, true),
            (None, None, 1, 1, false),
            (Some(0.2), None, 2, 0, true),
            (Some(0.2), None, 3, 0, false),
            (None, Some(0.3), 3, 3, true),
            (None, Some(0.3), 4, 4, false),
            (None, Some(0.3), 3, 2, false),
            (Some(0.3), Some(0.1), 3, 1, true),
            (Some(0.3), Some(0.1), 3, 2, false),
            (Some(0.3), Some(1.0), 4, 4, false),
        ] {
            let limits = limits(all, privacy);
            let tally = tally(violations, of_privacy, &limits);
            assert_eq!(
                limits.met(&tally),
                met,
                "{limits:?} {violations} {of_privacy}"
            );
        }
    }

    #[test]
    fn a_violation_of_no_barrier_is_not_let_pass_by_one_of_them() {
        // A transition without values violates, and no barrier can be named for it.
        let limits = limits(None, Some(1.0));
        let mut tally = RunTally::default();
        tally.check(true, &[], &limits);
        assert!(!limits.met(&tally));
    }

    /// What others than a barrier refuse for what calls bring along is no check of it: one violation in
    /// two checks stays a half, however many such calls come.
    #[test]
    fn calls_that_another_barrier_refuses_do_not_dilute() {
        let limits = Limits {
            all: None,
            barriers: vec![Some(0.2), Some(1.0)],
        };
        let mut tally = RunTally::default();
        tally.check(false, &[], &limits);
        tally.check(true, &[0], &limits);
        assert!(!limits.met(&tally));
        for _ in 0..100 {
            tally.skip(false, &[1], &limits);
        }
        assert_eq!((tally.roots_of(0), tally.roots_of(1)), ((1, 2), (100, 102)));
        assert!(!limits.met(&tally));
        // Nor does a transition in which nothing could be read, for which nobody vouches.
        let limits = Limits {
            all: Some(1.0),
            ..limits
        };
        for _ in 0..100 {
            tally.check(true, &[], &limits);
        }
        assert_eq!((tally.roots_of(0), tally.checks), ((1, 2), 102));
        assert!(!limits.met(&tally));
    }

    #[test]
    fn staying_and_meeting_are_two_questions() {
        let limits = limits(Some(0.1), None);
        let mut table = Fourfold::default();
        for (violations, left) in [(0, false), (2, false), (1, true), (2, true)] {
            let mut tally = tally(violations, 0, &limits);
            tally.left = left;
            table.add(&tally, &limits);
        }
        table.add(&RunTally::default(), &limits);
        let all_one = Fourfold {
            stayed_met: 1,
            stayed_missed: 1,
            left_met: 1,
            left_missed: 1,
            unchecked: 1,
        };
        assert_eq!((table, table.total()), (all_one, 5));
    }
}
