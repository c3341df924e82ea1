//! The summary record. What is counted by name is an object with the names as keys, so that
//! `.decisions.by_rule.dcbf.forward_invariance` and `.barriers.privacy.least_h.value` say it all;
//! what has a place is an array.

use super::REPORT;
use super::coverage::CoverageRecord;
use super::parts::{self, Exit, Input, Policy, Replay};
use super::tally::{self, Barrier, Decisions, Keyed, Nearest, Refusals, Violations};
use crate::audit::summary as audit;
use crate::report::Header;
use crate::report::number::Number;
use serde::Serialize;
use std::collections::BTreeMap;

/// Fields that hold text of the inputs, wherever they occur: to be read as data.
const UNTRUSTED: &[&str] = &[
    "file", "run", "call", "tool", "agent", "labels", "reason", "message", "help", "args", "error",
    "text",
];

/// Everything an audit came to.
#[derive(Debug, Serialize)]
pub struct SummaryRecord<'a> {
    schema: &'static str,
    record: &'static str,
    complete: bool,
    exit: Exit<'a>,
    policy: Policy<'a>,
    settings: Settings,
    inputs: Vec<Input<'a>>,
    counts: Counts,
    decisions: Decisions<'a>,
    violations: Violations,
    barriers: Keyed<'a, Barrier<'a>>,
    nearest: Option<Nearest<'a>>,
    hazards: u64,
    concurrent: u64,
    drift: u64,
    recorded: u64,
    counterfactual: u64,
    semantic: Option<Semantic<'a>>,
    scored: u64,
    scored_without_intent: u64,
    unscored: u64,
    scope_inert: u64,
    boundary: u64,
    uncosted: u64,
    unknown_arguments: u64,
    labels: Keyed<'a, u64>,
    labels_by_tool: Keyed<'a, &'a BTreeMap<String, u64>>,
    refusals: Vec<Refusals<'a>>,
    unnamed_tools: &'a BTreeMap<String, u64>,
    unmediated: &'a BTreeMap<String, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<CoverageRecord<'a>>,
    faults: &'a BTreeMap<&'static str, u64>,
    warnings: &'a BTreeMap<&'static str, u64>,
    broken_laws: &'a [String],
    untrusted_fields: &'static [&'static str],
}

/// What semantic scores are worked out with.
#[derive(Debug, Serialize)]
struct Semantic<'a> {
    embedder: &'static str,
    /// Null where it goes by no data.
    sha256: Option<&'a str>,
    harm_exemplars: usize,
    benign_exemplars: usize,
}

#[derive(Debug, Serialize)]
struct Settings {
    #[serde(flatten)]
    replay: Replay,
    fail_on: Vec<&'static str>,
    max_violation_rate: Option<Number>,
    allow_faults: bool,
    merge_runs: bool,
}

#[derive(Debug, Serialize)]
struct Counts {
    lines: u64,
    records: u64,
    blank: u64,
    faulty: u64,
    faults: u64,
    warnings: u64,
    runs: u64,
    inconclusive_runs: u64,
    calls: u64,
    results: u64,
    repeats: u64,
    listed: u64,
}

impl<'a> SummaryRecord<'a> {
    /// The record of a summary.
    pub fn new(summary: &'a audit::Summary, header: &'a Header) -> Self {
        SummaryRecord {
            schema: REPORT,
            record: "summary",
            complete: summary.complete,
            exit: parts::exit(&summary.exit),
            policy: parts::policy(&summary.policy),
            settings: settings(&summary.settings),
            inputs: summary.inputs.iter().map(parts::input).collect(),
            counts: counts(&summary.counts),
            decisions: tally::decisions(summary),
            violations: tally::violations(&summary.violations),
            barriers: tally::barriers(summary, header),
            nearest: (summary.nearest.as_ref()).map(|nearest| tally::nearest(nearest, header)),
            hazards: summary.hazards,
            concurrent: summary.concurrent,
            drift: summary.drift,
            recorded: summary.recorded,
            counterfactual: summary.counterfactual,
            semantic: summary.policy.semantic.as_ref().map(semantic),
            scored: summary.scored,
            scored_without_intent: summary.scored_without_intent,
            unscored: summary.unscored,
            scope_inert: summary.scope_inert,
            boundary: summary.boundary,
            uncosted: summary.uncosted,
            unknown_arguments: summary.unknown_arguments,
            labels: tally::labels(summary, |label| label.calls),
            labels_by_tool: tally::labels(summary, |label| &label.tools),
            refusals: summary
                .refusals
                .iter()
                .map(|run| tally::refusals(run, header))
                .collect(),
            unnamed_tools: &summary.unnamed_tools,
            unmediated: &summary.unmediated,
            coverage: summary.coverage.as_ref().map(CoverageRecord::new),
            faults: &summary.fault_codes,
            warnings: &summary.warning_codes,
            broken_laws: &summary.broken_laws,
            untrusted_fields: UNTRUSTED,
        }
    }
}

fn semantic(semantic: &audit::SemanticSummary) -> Semantic<'_> {
    Semantic {
        embedder: semantic.embedder,
        sha256: semantic.sha256.as_deref(),
        harm_exemplars: semantic.harm_exemplars,
        benign_exemplars: semantic.benign_exemplars,
    }
}

fn settings(settings: &audit::Settings) -> Settings {
    Settings {
        replay: parts::replay(&settings.replayed),
        fail_on: settings.fail_on.iter().map(|f| f.as_str()).collect(),
        max_violation_rate: settings.max_violation_rate.map(Number),
        allow_faults: settings.allow_faults,
        merge_runs: settings.merge_runs,
    }
}

fn counts(counts: &audit::Counts) -> Counts {
    Counts {
        lines: counts.lines,
        records: counts.records,
        blank: counts.blank,
        faulty: counts.faulty,
        faults: counts.faults,
        warnings: counts.warnings,
        runs: counts.runs,
        inconclusive_runs: counts.inconclusive_runs,
        calls: counts.calls,
        results: counts.results,
        repeats: counts.repeats,
        listed: counts.listed,
    }
}
