//! States that are listed one after the other and do not follow each other: what happened between
//! them is not checked.

use super::document::Document;
use super::state::StateSpec;
use crate::trace::fault::WarningCode;

/// Warns, once a file, of the first two states whose step counts are not next to each other. States
/// that all leave theirs out are samples and no trajectory.
pub fn tell(document: &mut Document<'_>, states: &[StateSpec<'_>]) {
    if states.iter().all(|state| state.step_count == 0) {
        return;
    }
    let apart = |pair: &&[StateSpec<'_>]| match pair {
        [a, b] => a.step_count.checked_add(1) != Some(b.step_count),
        _ => false,
    };
    let mut gaps = states.windows(2).filter(apart);
    let Some([before, after]) = gaps.next() else {
        return;
    };
    let more = match gaps.count() {
        0 => String::new(),
        1 => ", and one more gap".into(),
        more => format!(", and {more} more gaps"),
    };
    let message = format!(
        "the states do not follow each other: `step_count` goes from {} to {}{more}",
        before.step_count, after.step_count
    );
    document.warn_at(after.place, WarningCode::StateGap, message);
}
