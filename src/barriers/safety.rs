//! Dangerous pairs: two kinds of calls that may not stand close together.

use super::Definition;
use crate::policy::matcher::MatcherId;
use crate::policy::{Measure, Policy};
use crate::state::StateView;
use std::fmt::Write;

pub(super) const DEFINITION: Definition = Definition {
    id: "safety",
    doc: "1, or -1 while both calls of a dangerous pair are among the last `window` settled calls",
    unit: "sign",
    cause,
};

#[inline]
pub(super) fn raw(window: usize, pairs: &[(MatcherId, MatcherId)], view: &StateView<'_>) -> f64 {
    // What any of the calls matches, so that every pair is two bits.
    let lists = view.history.matched(window, view.appended);
    let met = pairs.iter().any(|&(a, b)| lists.holds(a) && lists.holds(b));
    if met { -1.0 } else { 1.0 }
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

fn cause(_: &Policy, measure: &Measure, view: &StateView<'_>, out: &mut String) {
    let Measure::Safety { window, .. } = measure else {
        return;
    };
    // Writing to a string does not fail.
    let _ = match met(measure, view) {
        Some((a, b)) if a == b => write!(out, "`{a}` is a dangerous pair by itself"),
        Some((a, b)) => write!(out, "`{a}` and `{b}` within {window} calls"),
        None => Ok(()),
    };
}
