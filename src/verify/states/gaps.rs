//! States that are listed one after the other and do not follow each other: what happened between
//! them is not checked.

use super::Written;
use super::document::Document;
use super::state::{PastCall, StateSpec};
use crate::trace::fault::{Place, WarningCode};

/// How the states of a file hang together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// Neighbours that could be held against each other.
    pub links: u64,
    /// Those that do not fit.
    pub gaps: u64,
}

/// The first gap: how it shows, and where the state behind it stands.
struct Gap {
    shows: String,
    place: Place,
}

/// Holds states that each meet one action against each other, by their step counts, and warns of the
/// first two that are not next to each other. States that all leave theirs out are samples and no
/// trajectory.
pub(super) fn of_states<'s, 't: 's>(
    document: &mut Document<'_>,
    states: impl Iterator<Item = &'s StateSpec<'t>> + Clone,
) -> Chain {
    if states.clone().all(|state| state.step_count.is_none()) {
        return Chain::default();
    }
    let pairs = states.clone().zip(states.skip(1));
    tell(document, pairs.map(|(a, b)| uncounted(a, b)))
}

/// Holds the state after each transition against the state before the one that is listed next, and
/// warns of the first that is another. Where no transition gives the state after it, their step
/// counts have to do.
pub(super) fn of_transitions(document: &mut Document<'_>, list: &[Written<'_>]) -> Chain {
    if list.iter().all(|written| written.next.is_none()) {
        return of_states(document, list.iter().map(|written| &written.state));
    }
    let pairs = list.iter().zip(list.iter().skip(1));
    let known = pairs.filter_map(|(a, b)| Some(unlike(a.next.as_ref()?, &b.state)));
    tell(document, known)
}

fn tell(document: &mut Document<'_>, links: impl Iterator<Item = Option<Gap>>) -> Chain {
    let mut chain = Chain::default();
    let mut first = None;
    for gap in links {
        chain.links += 1;
        chain.gaps += u64::from(gap.is_some());
        first = first.or(gap);
    }
    if let Some(Gap { shows, place }) = first {
        let more = match chain.gaps {
            0 | 1 => String::new(),
            2 => ", and one more gap".into(),
            gaps => format!(", and {} more gaps", gaps - 1),
        };
        let message = format!("the states do not follow each other: {shows}{more}");
        document.warn_at(place, WarningCode::StateGap, message);
    }
    chain
}

fn uncounted(before: &StateSpec<'_>, after: &StateSpec<'_>) -> Option<Gap> {
    let (a, b) = (before.steps(), after.steps());
    (a.checked_add(1) != Some(b)).then(|| Gap {
        shows: format!("`step_count` goes from {a} to {b}"),
        place: after.place,
    })
}

/// What tells the state after a transition from the state before the next. Embeddings do not: they
/// are those of the call that a state meets.
fn unlike(next: &StateSpec<'_>, state: &StateSpec<'_>) -> Option<Gap> {
    let two = |field: &str, a: String, b: String| {
        (a != b).then(|| format!("`{field}` is {a} in `next` and {b} in the state listed after it"))
    };
    let count = |field, a: u64, b: u64| two(field, a.to_string(), b.to_string());
    let history = || {
        let tools = |s: &StateSpec<'_>| s.history.iter().map(tool).collect::<Vec<_>>().join("\0");
        let calls = |s: &StateSpec<'_>| format!("{} calls", s.history.len());
        let (a, b) = (tools(next), tools(state));
        (a != b).then(|| {
            two("tool_history", calls(next), calls(state))
                .unwrap_or_else(|| "`tool_history` names other tools than `next`".into())
        })
    };
    let shows = count("step_count", next.steps(), state.steps())
        .or_else(history)
        .or_else(|| two("cost_usd", next.cost.to_string(), state.cost.to_string()))
        .or_else(|| count("tokens", next.tokens, state.tokens))
        .or_else(|| count("loop_count", next.loop_count, state.loop_count))
        .or_else(|| {
            two(
                "phase",
                next.phase.as_str().into(),
                state.phase.as_str().into(),
            )
        })?;
    Some(Gap {
        shows,
        place: state.place,
    })
}

fn tool<'s>(past: &'s PastCall<'_>) -> &'s str {
    match past {
        PastCall::Name(name) => name,
        PastCall::Call(call) => &call.tool,
    }
}
