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
    Ok((i128::from(*step_budget) - i128::from(view.step_count)) as f64)
}

fn cause(_: &Policy, measure: &Measure, view: &StateView<'_>) -> String {
    match measure {
        Measure::Stability { step_budget } => format!("step {} of {step_budget}", view.step_count),
        _ => String::new(),
    }
}
