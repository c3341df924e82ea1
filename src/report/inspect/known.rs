//! What is known of the calls of an input, as rows for people.

use super::{share, words};
use crate::inspect::contents::Contents;
use crate::inspect::facts::Fact;
use crate::report::number::percent;
use crate::report::table::text;
use crate::trace::event::{ApprovalOutcome, Recorded};

/// A row: what, how many calls, which part of all, and what else there is to say.
pub(super) struct Row {
    /// What, number and share.
    pub(super) cells: Vec<String>,
    /// A sentence; empty where there is nothing to say.
    pub(super) note: String,
}

/// The rows of an input.
pub(super) fn rows(counts: &Contents) -> Vec<Row> {
    let row = |what: &str, calls: u64, note: String| Row {
        cells: vec![
            what.to_owned(),
            calls.to_string(),
            share(calls, counts.calls).map_or("-".to_owned(), percent),
        ],
        note,
    };
    let known = |what: &str, fact, note: String| row(what, counts.known.of(fact), note);
    let none = String::new;
    let costs = counts.known.of(Fact::Cost) > 0;
    let tokens = counts.known.of(Fact::Tokens) > 0;
    vec![
        known("that came back", Fact::Outcome, none()),
        known("with a result", Fact::Result, none()),
        known("that failed", Fact::Failure, none()),
        known(
            "with a cost",
            Fact::Cost,
            said(costs, || format!("{} USD together", counts.cost)),
        ),
        known("with an estimated cost", Fact::Estimate, none()),
        known(
            "with recorded tokens",
            Fact::Tokens,
            said(tokens, || format!("{} together", counts.tokens)),
        ),
        known("with a time", Fact::Time, times(counts)),
        known(
            "with an approval",
            Fact::Approval,
            listed(&words(ApprovalOutcome::ALL, &counts.approvals)),
        ),
        known(
            "with a decision",
            Fact::Decision,
            listed(&words(Recorded::ALL, &counts.decisions)),
        ),
        known("with a semantic score", Fact::Score, none()),
        known("with embeddings", Fact::Embeddings, embeddings(counts)),
        known("with an agent", Fact::Agent, none()),
        row("arguments not told", counts.args_unknown(), none()),
        row("id made up", counts.made_ids, none()),
        row(
            "in turns of several",
            counts.in_company,
            said(counts.calls > 0, || {
                let calls = text::count(counts.largest_turn, "call", "calls");
                format!("largest turn {calls}")
            }),
        ),
        row("in a batch", counts.batched, none()),
    ]
}

fn said(wanted: bool, says: impl FnOnce() -> String) -> String {
    if wanted { says() } else { String::new() }
}

/// Words with their counts, those that occur.
pub(super) fn listed(counts: &[(&str, u64)]) -> String {
    let some = counts.iter().filter(|(_, count)| *count > 0);
    let some = some.map(|(word, count)| format!("{word} {count}"));
    some.collect::<Vec<_>>().join(", ")
}

fn times(counts: &Contents) -> String {
    let times = &counts.times;
    let mut says = Vec::new();
    if let (Some((_, first)), Some((_, last))) = (&times.first, &times.last) {
        let (first, last) = (text::name(first), text::name(last));
        says.push(format!("first {first}, last {last}"));
        says.push(match times.backwards {
            0 => "never going backwards".to_owned(),
            1 => "going backwards once".to_owned(),
            n => format!("going backwards {n} times"),
        });
    }
    if times.unreadable > 0 {
        says.push(format!("{} more that cannot be read", times.unreadable));
    }
    says.join(", ")
}

fn embeddings(counts: &Contents) -> String {
    let (context, action) = (counts.context_embeddings, counts.action_embeddings);
    said(context + action > 0, || {
        format!("brought along: context {context}, action {action}")
    })
}
