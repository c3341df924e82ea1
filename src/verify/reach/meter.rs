//! How much work an exploration may be: names that are looked for, compared with the lists of a policy,
//! and calls that are tried in states. Work is counted, not timed, so that it ends at the same place on
//! every machine.

/// Work that is left.
#[derive(Debug)]
pub(super) struct Meter {
    left: u64,
    out: bool,
}

impl Meter {
    /// With so much.
    pub(super) fn new(most: u64) -> Meter {
        Meter {
            left: most,
            out: false,
        }
    }

    /// Takes so much. False where there is not as much left, and from then on for ever.
    pub(super) fn take(&mut self, work: u64) -> bool {
        match self.left.checked_sub(work) {
            Some(left) if !self.out => self.left = left,
            _ => self.out = true,
        }
        !self.out
    }

    /// Whether more was asked for than there was.
    pub(super) fn is_out(&self) -> bool {
        self.out
    }

    /// Does some work with the `part`th part of what is left: it may run out of that without keeping the
    /// rest from what comes later.
    pub(super) fn within<T>(&mut self, part: u64, work: impl FnOnce(&mut Meter) -> T) -> T {
        let share = self.left / part.max(1);
        let mut own = Meter::new(share);
        let done = work(&mut own);
        self.left = self.left - share + own.left;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What has run out stays so, even for work that would fit in what is left.
    #[test]
    fn once_it_has_run_out_nothing_is_given() {
        let mut meter = Meter::new(10);
        assert!(meter.take(7) && !meter.is_out());
        assert!(!meter.take(4) && meter.is_out());
        assert!(!meter.take(1) && !meter.take(0));
        assert_eq!(meter.left, 3);
    }

    #[test]
    fn a_part_that_runs_out_leaves_the_rest() {
        let mut meter = Meter::new(100);
        let ended = meter.within(4, |own| own.take(20) && own.take(10));
        assert!(!ended && !meter.is_out());
        assert_eq!(meter.left, 80, "what the part did not use comes back");
        assert!(meter.take(80) && !meter.take(1));
        assert!(!Meter::new(0).within(0, |own| own.take(1)));
    }

    #[test]
    fn great_numbers_do_not_wrap() {
        let mut meter = Meter::new(u64::MAX);
        assert!(meter.take(u64::MAX) && !meter.take(u64::MAX));
    }
}
