//! What others ask about single records, answered as a replay would: what tells calls apart, when
//! they were made and what they are called.

use super::{digest, judge, time};
use crate::policy::Policy;
use crate::policy::matcher::{NameSet, NameTable};
use crate::stages::{Facts, Finding};
use crate::state::{AgentState, RunView};
use crate::trace::event::{Outcome, Timestamp, ToolCall};
use std::sync::Arc;

/// By what a run is told from others: a hash of its id.
pub fn run_key(id: &str) -> u128 {
    digest::run(id)
}

/// By what a call of a run is told from others: a hash of its id.
pub fn call_key(id: &str) -> u64 {
    digest::id(id)
}

/// A hash of everything that a repeated record of the call has to say again.
pub fn content(call: &ToolCall<'_>) -> u64 {
    digest::of(call, &mut Vec::new()).0
}

/// A hash of an outcome: another one for the same call is a second result.
pub fn outcome(outcome: &Outcome<'_>) -> u64 {
    digest::outcome(outcome)
}

/// Nanoseconds since 1970; `None` where the time cannot be read.
pub fn instant(ts: &Timestamp<'_>) -> Option<i128> {
    time::read(ts).map(|reading| reading.ns)
}

/// The names of a call: its tool, its own labels and those that the policy's rules give it. The
/// finding tells of the first rule that could not be evaluated; such a rule gives its label.
pub fn names(
    policy: &Policy,
    table: &mut NameTable,
    call: &ToolCall<'_>,
    run: RunView<'_>,
) -> (Arc<NameSet>, Option<Box<Finding>>) {
    // A label belongs to the call: its rule cannot ask for the state.
    let state = AgentState::default();
    let facts = Facts::default();
    judge::names(policy, table, call, &state, run, &facts, |_, _| {})
}
