//! What looking at a state comes to, in steps of work: known before it is done, and no more than is
//! there to be looked at. A window of a million calls takes no more than the calls that were made.

use crate::policy::expr::{Expr, Query};
use crate::policy::{Measure, Policy};

/// Steps of work that evaluating a node of an expression comes to: about a tenth of a microsecond or two,
/// where any other step is some nanoseconds.
const NODE: u64 = 24;

/// What something comes to in states with any number of settled calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Effort {
    /// In any state.
    always: u64,
    /// How many of the latest calls are looked at, and what each comes to.
    looks: Vec<(usize, u64)>,
}

impl Effort {
    /// So much in any state.
    pub(super) fn of(always: u64) -> Effort {
        Effort {
            always,
            looks: Vec::new(),
        }
    }

    /// What the values of all barriers come to.
    pub(super) fn measuring(policy: &Policy) -> Effort {
        let words = (policy.matchers.iter().count() / 64 + 1) as u64;
        let mut all = Effort::of(4);
        for spec in &policy.dcbf.barriers {
            match &spec.measure {
                Measure::Safety { window, pairs } => {
                    all.add(pairs.len() as u64);
                    all.look(*window, words);
                }
                Measure::Custom(expr) => all.evaluate(expr),
                _ => all.add(1),
            }
        }
        all
    }

    pub(super) fn add(&mut self, work: u64) {
        self.always = self.always.saturating_add(work);
    }

    /// Looks at that many of the latest calls.
    pub(super) fn look(&mut self, calls: usize, each: u64) {
        self.looks.push((calls, each));
    }

    /// Evaluates an expression.
    pub(super) fn evaluate(&mut self, expr: &Expr) {
        self.add(expr.work().saturating_mul(NODE));
        for query in expr.queries() {
            match query {
                Query::Recent(_, calls) => self.look(calls, 1),
                _ => self.add(1),
            }
        }
    }

    /// What it comes to where so many calls have settled.
    pub(super) fn after(&self, settled: usize) -> u64 {
        let looks = self.looks.iter().map(|&(calls, each)| {
            let calls = calls.min(settled) as u64;
            calls.saturating_mul(each)
        });
        looks.fold(self.always, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window counts for the calls that are in it.
    #[test]
    fn no_more_calls_are_looked_at_than_there_are() {
        let mut effort = Effort::of(3);
        effort.look(1_000_000, 2);
        effort.look(4, 1);
        assert_eq!(effort.after(0), 3);
        assert_eq!(effort.after(3), 3 + 6 + 3);
        assert_eq!(effort.after(10), 3 + 20 + 4);
        effort.add(u64::MAX);
        assert_eq!(effort.after(10), u64::MAX);
    }
}
