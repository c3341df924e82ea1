//! How far the agent's action drifts from what it was asked to do, by their embeddings.

use super::Definition;
use crate::policy::{Measure, Policy};
use crate::state::StateView;
use crate::state::cosine::cosine;
use std::fmt::Write;

pub(super) const DEFINITION: Definition = Definition {
    id: "scope",
    doc: "`max_drift` less one minus the cosine of context and action embedding; inert while either is missing or all zeros",
    unit: "cosine distance",
    cause,
};

#[inline]
pub(super) fn raw(max_drift: f64, view: &StateView<'_>) -> Result<f64, String> {
    if view.untold {
        return Err("the recording does not tell the arguments".into());
    }
    let (Some(context), Some(action)) = (view.context, view.action) else {
        return Ok(max_drift);
    };
    if context.len() != action.len() && !context.is_empty() && !action.is_empty() {
        return Err("the embeddings have different lengths".into());
    }
    Ok(match cosine(context, action) {
        Some(cosine) => max_drift - (1.0 - cosine),
        None => max_drift,
    })
}

fn cause(_: &Policy, measure: &Measure, view: &StateView<'_>, out: &mut String) {
    let by = match measure {
        Measure::Scope {
            embed: Some(embedder),
            ..
        } if view.embedded => format!(", as `{}` embeds the intent and the call", embedder.id()),
        _ => String::new(),
    };
    match (view.context, view.action) {
        (Some(a), Some(b)) if a.len() == b.len() => {
            if let Some(c) = cosine(a, b) {
                // Writing to a string does not fail.
                let _ = write!(out, "the cosine of context and action is {c:.3}{by}");
            }
        }
        (Some(a), Some(b)) if !a.is_empty() && !b.is_empty() => {
            out.push_str("the embeddings have different lengths");
        }
        _ => {}
    }
}
