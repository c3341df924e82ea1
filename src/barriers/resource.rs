//! Money left. Amounts are integers until the last step, so that a budget met exactly is zero.

use super::Definition;
use crate::policy::{Measure, Policy};
use crate::state::StateView;
use crate::trace::money::Nano;

pub(super) const DEFINITION: Definition = Definition {
    id: "resource",
    doc: "`limit_usd` less the recorded cost of settled calls; a simulated call adds its estimate",
    unit: "USD",
    raw,
    cause,
};

fn raw(_: &Policy, measure: &Measure, view: &StateView<'_>) -> Result<f64, String> {
    let Measure::Resource { limit } = measure else {
        return Err("not a resource barrier".into());
    };
    Ok(Nano(limit.0.saturating_sub(view.cost.0)).usd())
}

fn cause(_: &Policy, measure: &Measure, view: &StateView<'_>) -> String {
    match measure {
        Measure::Resource { limit } => format!("{} of {limit} USD", view.cost),
        _ => String::new(),
    }
}
