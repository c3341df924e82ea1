//! Money left. Amounts are integers until the last step, so that a budget met exactly is zero.

use super::Definition;
use crate::policy::{Measure, Policy};
use crate::state::StateView;
use crate::trace::money::Nano;
use std::fmt::Write;

pub(super) const DEFINITION: Definition = Definition {
    id: "resource",
    doc: "`limit_usd` less the recorded cost of settled calls; a simulated call adds its estimate",
    unit: "USD",
    cause,
};

#[inline]
pub(super) fn raw(limit: Nano, view: &StateView<'_>) -> f64 {
    Nano(limit.0.saturating_sub(view.cost.0)).usd()
}

fn cause(_: &Policy, measure: &Measure, view: &StateView<'_>, out: &mut String) {
    if let Measure::Resource { limit } = measure {
        // Writing to a string does not fail.
        let _ = write!(out, "{} of {limit} USD", view.cost);
    }
}
