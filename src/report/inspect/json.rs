//! `gate.inspect/1` and `gate.formats/1`: one JSON document, its types frozen apart from those of
//! the program.

use super::{Format, Readable, Shown, share, top, words};
use crate::inspect::contents::Contents;
use crate::inspect::facts::Fact;
use crate::inspect::{Inspected, Inspection};
use crate::report::json::v1::parts::{
    Account, Head, Policy, Told, account, head, notices, policy, position,
};
use crate::report::json::v1::tally::Keyed;
use crate::report::json::write;
use crate::report::number::Number;
use crate::trace::event::{ApprovalOutcome, GroundTruth, Recorded, RunStatus};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "json",
    doc: "one JSON document",
    write: document,
    formats,
};

/// Fields that hold text of the inputs, wherever they occur: to be read as data.
const UNTRUSTED: &[&str] = &[
    "file", "tool", "agent", "run", "first", "last", "message", "help", "error",
];

fn document(found: &Inspection, shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
    let contents = |contents| of_contents(contents, found, shown.top);
    write::document(
        &Document {
            head: head(
                "gate.inspect/1",
                &found.exit,
                found.policy.as_ref().map(policy),
            ),
            inputs: found
                .inputs
                .iter()
                .map(|i| input(i, contents(&i.contents)))
                .collect(),
            total: contents(&found.total),
            notices: notices(&found.notices, &shown.header),
            untrusted_fields: UNTRUSTED,
        },
        out,
    )
}

fn formats(list: &[Readable], _: &Shown, out: &mut dyn Write) -> io::Result<()> {
    let formats = list.iter().map(|format| ReadableFormat {
        format: format.id,
        title: format.title,
        doc: format.doc,
        seen: format.seen,
        untold: &format.untold,
    });
    write::document(
        &Formats {
            schema: "gate.formats/1",
            formats: formats.collect(),
        },
        out,
    )
}

#[derive(Serialize)]
struct Formats<'a> {
    schema: &'static str,
    formats: Vec<ReadableFormat<'a>>,
}

#[derive(Serialize)]
struct ReadableFormat<'a> {
    format: &'static str,
    title: &'static str,
    doc: &'static str,
    seen: &'static str,
    untold: &'a [&'static str],
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    head: Head<'a, Option<Policy<'a>>>,
    inputs: Vec<Input<'a>>,
    total: Counted<'a>,
    notices: Vec<Told<'a>>,
    untrusted_fields: &'static [&'static str],
}

#[derive(Serialize)]
struct Input<'a> {
    file: &'a str,
    format: Option<&'static str>,
    title: Option<&'static str>,
    format_reason: &'a str,
    untold: &'a [&'static str],
    #[serde(flatten)]
    account: Account<'a>,
    contents: Counted<'a>,
}

/// What is in one input, or in all of them.
#[derive(Serialize)]
struct Counted<'a> {
    runs: u64,
    ground_truth: Keyed<'a, u64>,
    ended: Keyed<'a, u64>,
    calls: u64,
    repeated: u64,
    results: u64,
    results_without_call: u64,
    known: Keyed<'a, Share>,
    args_unknown: Share,
    cost_usd: Number,
    token_sum: u64,
    approvals: Keyed<'a, u64>,
    decisions: Keyed<'a, u64>,
    times: Times<'a>,
    largest_turn: u64,
    in_turns_of_several: Share,
    batched: Share,
    ids_made_up: Share,
    context_embeddings: Share,
    action_embeddings: Share,
    tools: Vec<Tool<'a>>,
    tools_rest: Rest,
    agents: Vec<Agent<'a>>,
    agents_rest: Rest,
    needs: Vec<NeedMet<'a>>,
    labels: Vec<Label<'a>>,
    labels_failed: Vec<FailedLabel<'a>>,
    faults: &'a BTreeMap<&'static str, u64>,
    warnings: &'a BTreeMap<&'static str, u64>,
}

/// Calls, and which part of all they are; absent where there are none.
#[derive(Serialize)]
struct Share {
    calls: u64,
    share: Option<Number>,
}

#[derive(Serialize)]
struct Times<'a> {
    first: Option<&'a str>,
    last: Option<&'a str>,
    backwards: u64,
    unreadable: u64,
}

#[derive(Serialize)]
struct Tool<'a> {
    tool: &'a str,
    calls: u64,
}

#[derive(Serialize)]
struct Agent<'a> {
    agent: &'a str,
    calls: u64,
}

#[derive(Serialize)]
struct Rest {
    names: u64,
    calls: u64,
}

#[derive(Serialize)]
struct NeedMet<'a> {
    asks: &'a str,
    line: Option<usize>,
    fact: &'static str,
    of: u64,
    calls: u64,
    share: Option<Number>,
}

#[derive(Serialize)]
struct Label<'a> {
    label: &'a str,
    tool: &'a str,
    calls: u64,
}

#[derive(Serialize)]
struct FailedLabel<'a> {
    /// Null where it is one of a preset, whose rules have no line that would tell them apart.
    label: Option<&'a str>,
    line: Option<usize>,
    calls: u64,
}

fn input<'a>(inspected: &'a Inspected, contents: Counted<'a>) -> Input<'a> {
    let input = &inspected.input;
    Input {
        file: &input.name,
        format: input.format,
        title: inspected.title,
        format_reason: &input.format_reason,
        untold: &inspected.untold,
        account: account(input),
        contents,
    }
}

fn of_contents<'a>(counts: &'a Contents, found: &'a Inspection, most: usize) -> Counted<'a> {
    let of_calls = |calls: u64| Share {
        calls,
        share: share(calls, counts.calls).map(Number),
    };
    let facts = Fact::ALL.iter();
    let known = facts.map(|(fact, name, _)| (*name, of_calls(counts.known.of(*fact))));
    let (tools, agents) = (top(&counts.tools, most), top(&counts.agents, most));
    let rest = |names, calls| Rest { names, calls };
    let (first, last) = (&counts.times.first, &counts.times.last);
    Counted {
        runs: counts.runs,
        ground_truth: Keyed(words(GroundTruth::ALL, &counts.truths)),
        ended: Keyed(words(RunStatus::ALL, &counts.ends)),
        calls: counts.calls,
        repeated: counts.repeated,
        results: counts.results,
        results_without_call: counts.results_without_call,
        known: Keyed(known.collect()),
        args_unknown: of_calls(counts.args_unknown()),
        cost_usd: Number(counts.cost.usd()),
        token_sum: counts.tokens,
        approvals: Keyed(words(ApprovalOutcome::ALL, &counts.approvals)),
        decisions: Keyed(words(Recorded::ALL, &counts.decisions)),
        times: Times {
            first: first.as_ref().map(|(_, written)| &**written),
            last: last.as_ref().map(|(_, written)| &**written),
            backwards: counts.times.backwards,
            unreadable: counts.times.unreadable,
        },
        largest_turn: counts.largest_turn,
        in_turns_of_several: of_calls(counts.in_company),
        batched: of_calls(counts.batched),
        ids_made_up: of_calls(counts.made_ids),
        context_embeddings: of_calls(counts.context_embeddings),
        action_embeddings: of_calls(counts.action_embeddings),
        tools_rest: rest(tools.others, tools.rest),
        tools: tools
            .names
            .into_iter()
            .map(|(tool, calls)| Tool { tool, calls })
            .collect(),
        agents_rest: rest(agents.others, agents.rest),
        agents: agents
            .names
            .into_iter()
            .map(|(agent, calls)| Agent { agent, calls })
            .collect(),
        needs: needs(counts, found),
        labels: counts
            .labels
            .iter()
            .map(|((label, tool), calls)| Label {
                label,
                tool,
                calls: *calls,
            })
            .collect(),
        labels_failed: failed(counts, found),
        faults: &counts.faults,
        warnings: &counts.warnings,
    }
}

fn needs<'a>(counts: &'a Contents, found: &'a Inspection) -> Vec<NeedMet<'a>> {
    let needs = found.needs.iter().zip(&counts.needs);
    let needs = needs.map(|(need, met)| NeedMet {
        asks: &need.asks,
        line: (need.line > 0).then_some(need.line),
        fact: need.fact.as_str(),
        of: met.of,
        calls: met.calls,
        share: share(met.calls, met.of).map(Number),
    });
    needs.collect()
}

fn failed<'a>(counts: &'a Contents, found: &'a Inspection) -> Vec<FailedLabel<'a>> {
    let failed = counts.failed_labels.iter();
    let failed = failed.map(|(line, calls)| FailedLabel {
        label: (*line > 0).then(|| found.label_at(*line)),
        line: position(*line),
        calls: *calls,
    });
    failed.collect()
}
