//! A barrier written as an expression of the state.

use super::Definition;
use crate::policy::{Measure, Policy};
use crate::state::StateView;
use crate::state::bindings::StateBindings;

pub(super) const DEFINITION: Definition = Definition {
    id: "custom",
    doc: "a CEL expression of `state`, `run` and the history functions that comes to a number",
    unit: "its own",
    raw,
    cause,
};

fn raw(policy: &Policy, measure: &Measure, view: &StateView<'_>) -> Result<f64, String> {
    match measure {
        Measure::Custom(expr) => expr.number(&StateBindings { policy, view }),
        _ => Err("not a custom barrier".into()),
    }
}

fn cause(_: &Policy, measure: &Measure, _: &StateView<'_>) -> String {
    match measure {
        Measure::Custom(expr) => format!("`{}`", expr.source()),
        _ => String::new(),
    }
}
