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
