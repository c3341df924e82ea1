//! A barrier written as an expression of the state.

use super::Definition;
use crate::policy::expr::Expr;
use crate::policy::{Measure, Policy};
use crate::state::StateView;
use crate::state::bindings::StateBindings;
use std::fmt::Write;

pub(super) const DEFINITION: Definition = Definition {
    id: "custom",
    doc: "a CEL expression of `state`, `run` and the history functions that comes to a number",
    unit: "its own",
    cause,
};

pub(super) fn raw(policy: &Policy, expr: &Expr, view: &StateView<'_>) -> Result<f64, String> {
    expr.number(&StateBindings { policy, view })
}

fn cause(_: &Policy, measure: &Measure, _: &StateView<'_>, out: &mut String) {
    if let Measure::Custom(expr) = measure {
        // Writing to a string does not fail.
        let _ = write!(out, "`{}`", expr.source());
    }
}
