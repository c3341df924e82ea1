//! Dangerous pairs: two kinds of calls that may not stand close together.

use super::Definition;
use crate::policy::{Measure, Policy};
use crate::state::StateView;

pub(super) const DEFINITION: Definition = Definition {
    id: "safety",
    doc: "1, or -1 while both calls of a dangerous pair are among the last `window` settled calls",
    unit: "sign",
    raw,
    cause,
};

fn raw(_: &Policy, measure: &Measure, view: &StateView<'_>) -> Result<f64, String> {
    let Measure::Safety { window, pairs } = measure else {
        return Ok(1.0);
    };
    // What any of the calls matches, so that every pair is two bits.
    let lists = view.history.matched(*window, view.appended);
    let met = pairs.iter().any(|&(a, b)| lists.holds(a) && lists.holds(b));
    Ok(if met { -1.0 } else { 1.0 })
}

/// The first pair that meets, by the tools that stand for it.
fn met<'a>(measure: &Measure, view: &'a StateView<'_>) -> Option<(&'a str, &'a str)> {
    let Measure::Safety { window, pairs } = measure else {
        return None;
    };
    let last = |id| {
        let calls = view.history.last(*window, view.appended);
        calls
            .into_iter()
            .find(|names| names.is(id))
            .map(|names| &*names.tool)
    };
    pairs.iter().find_map(|&(a, b)| Some((last(a)?, last(b)?)))
}

fn cause(_: &Policy, measure: &Measure, view: &StateView<'_>) -> String {
    let Measure::Safety { window, .. } = measure else {
        return String::new();
    };
    match met(measure, view) {
        Some((a, b)) if a == b => format!("`{a}` is a dangerous pair by itself"),
        Some((a, b)) => format!("`{a}` and `{b}` within {window} calls"),
        None => String::new(),
    }
}
