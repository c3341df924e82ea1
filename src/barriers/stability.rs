//! Steps left.

use super::Definition;
use crate::number::push_whole;
use crate::policy::{Measure, Policy};
use crate::state::StateView;

pub(super) const DEFINITION: Definition = Definition {
    id: "stability",
    doc: "`step_budget` less the calls admitted",
    unit: "steps",
    cause,
};

#[inline]
pub(super) fn raw(budget: u64, view: &StateView<'_>) -> f64 {
    let taken = view.step_count;
    // Floats do not have every difference; it is rounded once.
    match budget.checked_sub(taken) {
        Some(left) => left as f64,
        None => -((taken - budget) as f64),
    }
}

fn cause(_: &Policy, measure: &Measure, view: &StateView<'_>, out: &mut String) {
    if let Measure::Stability { step_budget } = measure {
        // Every call is told so once a run has no steps left.
        out.push_str("step ");
        push_whole(view.step_count, out);
        out.push_str(" of ");
        push_whole(*step_budget, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::AgentState;

    /// The difference is rounded as that of whole numbers is.
    #[test]
    fn what_is_left_is_the_difference() {
        let ends = [
            0,
            1,
            7,
            1 << 53,
            (1 << 53) + 1,
            (1 << 63) + 1025,
            u64::MAX - 1,
            u64::MAX,
        ];
        for step_budget in ends {
            for step_count in ends {
                let state = AgentState {
                    step_count,
                    ..AgentState::default()
                };
                let left = raw(step_budget, &state.view(Default::default()));
                let whole = (i128::from(step_budget) - i128::from(step_count)) as f64;
                assert_eq!(left.to_bits(), whole.to_bits());
            }
        }
    }
}
