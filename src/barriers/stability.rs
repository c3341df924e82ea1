//! Steps left.

use super::Definition;
use crate::policy::{Measure, Policy};
use crate::state::StateView;

pub(super) const DEFINITION: Definition = Definition {
    id: "stability",
    doc: "`step_budget` less the calls admitted",
    unit: "steps",
    raw,
    cause,
};

fn raw(_: &Policy, measure: &Measure, view: &StateView<'_>) -> Result<f64, String> {
    let Measure::Stability { step_budget } = measure else {
        return Err("not a stability barrier".into());
    };
    let (budget, taken) = (*step_budget, view.step_count);
    // Floats do not have every difference; it is rounded once.
    Ok(match budget.checked_sub(taken) {
        Some(left) => left as f64,
        None => -((taken - budget) as f64),
    })
}

fn cause(_: &Policy, measure: &Measure, view: &StateView<'_>) -> String {
    match measure {
        Measure::Stability { step_budget } => format!("step {} of {step_budget}", view.step_count),
        _ => String::new(),
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
        let policy = Policy::built_in();
        for step_budget in ends {
            for step_count in ends {
                let state = AgentState {
                    step_count,
                    ..AgentState::default()
                };
                let measure = Measure::Stability { step_budget };
                let left = raw(&policy, &measure, &state.view(Default::default()));
                let whole = (i128::from(step_budget) - i128::from(step_count)) as f64;
                assert_eq!(left.map(f64::to_bits), Ok(whole.to_bits()));
            }
        }
    }
}
