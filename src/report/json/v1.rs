//! Version 1 of the machine records. The types are the format: fields, their order and their names
//! do not change, so they are kept apart from what the engine works with.

pub mod coverage;
pub mod parts;
pub mod summary;
pub mod tally;

use crate::engine::decision::{Decision, Reading, Semantic};
use crate::report::Header;
use crate::report::number::Number;
use crate::trace::fault::Notice;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Schema of a decision record.
pub const DECISION: &str = "gate.decision/1";

/// Schema of a fault or warning record.
pub const NOTICE: &str = "gate.notice/1";

/// Schema of the summary record and of the document that holds all records.
pub const REPORT: &str = "gate.report/1";

/// The decision about one call.
#[derive(Debug, Serialize)]
pub struct DecisionRecord<'a> {
    schema: &'static str,
    record: &'static str,
    file: &'a str,
    line: u64,
    run: &'a str,
    seq: u64,
    call: &'a str,
    turn: u64,
    tool: &'a str,
    agent: Option<&'a str>,
    decision: &'static str,
    stage: Option<&'static str>,
    rule: Option<&'static str>,
    broken: Names<'a>,
    reason: Option<&'a str>,
    standing: bool,
    checks_passed: &'a [&'static str],
    checks_failed: &'a [&'static str],
    escalated: bool,
    approval: Option<&'static str>,
    semantic_score: Option<Number>,
    counterfactual: bool,
    inconclusive: bool,
    recorded: Option<&'static str>,
    drift: bool,
    hazard: Names<'a>,
    composite: Option<Number>,
    barriers: Readings<'a>,
    policy_line: Option<usize>,
    labels: &'a [String],
    args_unknown: bool,
    policy_rule: Option<&'a str>,
    semantic: Option<SemanticRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<String>,
}

/// What is shown of a call's arguments, masked and cut already.
#[derive(Debug)]
pub struct Shown {
    /// The arguments.
    pub args: String,
    /// The text that the semantic firewall made of them; absent where it made none, or it is not
    /// to be shown.
    pub text: Option<String>,
}

/// What the semantic firewall saw.
#[derive(Debug, Serialize)]
struct SemanticRecord<'a> {
    embedder: &'static str,
    harm: Number,
    intent: Number,
    benign: Number,
    nearest: &'a str,
    gloss: &'a [String],
    blanked: usize,
    chars: usize,
    text: Option<String>,
}

fn semantic(seen: &Semantic, text: Option<String>) -> SemanticRecord<'_> {
    SemanticRecord {
        embedder: seen.embedder,
        harm: Number(seen.harm),
        intent: Number(seen.intent),
        benign: Number(seen.benign),
        nearest: &seen.nearest,
        gloss: &seen.gloss,
        blanked: seen.blanked,
        chars: seen.chars,
        text,
    }
}

impl<'a> DecisionRecord<'a> {
    /// The record of a decision. `shown` is what is shown of its arguments; absent where they are
    /// not shown.
    pub fn new(decision: &'a Decision, header: &'a Header, shown: Option<Shown>) -> Self {
        let (args, text) = match shown {
            Some(shown) => (Some(shown.args), shown.text),
            None => (None, None),
        };
        DecisionRecord {
            schema: DECISION,
            record: "decision",
            file: header.input(decision.input),
            line: decision.line,
            run: &decision.run,
            seq: decision.seq,
            call: &decision.call,
            turn: decision.turn,
            tool: &decision.tool,
            agent: decision.agent.as_deref(),
            decision: decision.kind.as_str(),
            stage: decision.stage,
            rule: decision.rule,
            broken: Names(&decision.broken, header),
            reason: decision.reason.as_deref(),
            standing: decision.standing,
            checks_passed: &decision.checks_passed,
            checks_failed: &decision.checks_failed,
            escalated: decision.escalated,
            approval: decision.approval.map(|outcome| outcome.as_str()),
            semantic_score: decision.semantic_score.map(Number),
            counterfactual: decision.counterfactual,
            inconclusive: decision.inconclusive,
            recorded: decision.recorded.map(|recorded| recorded.as_str()),
            drift: decision.is_drift(),
            hazard: Names(&decision.hazard, header),
            composite: decision.composite.map(Number),
            barriers: Readings(&decision.barriers, header),
            policy_line: decision.policy_line,
            policy_rule: decision.policy_rule.as_deref(),
            semantic: decision
                .semantic
                .as_deref()
                .map(|seen| semantic(seen, text)),
            labels: &decision.labels,
            args_unknown: decision.args_unknown,
            args,
        }
    }
}

/// Barriers by index, written by name.
#[derive(Debug)]
struct Names<'a>(&'a [usize], &'a Header);

impl Serialize for Names<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|&barrier| self.1.barrier(barrier)))
    }
}

/// Readings by the name of their barrier.
#[derive(Debug)]
struct Readings<'a>(&'a [Reading], &'a Header);

#[derive(Serialize)]
struct ReadingRecord {
    h: Number,
    next: Option<Number>,
    slack: Option<Number>,
}

impl Serialize for Readings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (barrier, reading) in self.0.iter().enumerate() {
            let record = ReadingRecord {
                h: Number(reading.h),
                next: reading.next.map(Number),
                slack: reading.slack.map(Number),
            };
            map.serialize_entry(self.1.barrier(barrier), &record)?;
        }
        map.end()
    }
}

/// A fault or a warning.
#[derive(Debug, Serialize)]
pub struct NoticeRecord<'a> {
    schema: &'static str,
    record: &'static str,
    file: &'a str,
    /// From 1; null means the input as a whole.
    line: Option<u64>,
    /// Byte, from 1; null means the line as a whole.
    column: Option<u64>,
    code: &'static str,
    run: Option<&'a str>,
    message: &'a str,
    help: Option<&'a str>,
}

impl<'a> NoticeRecord<'a> {
    /// The record of a notice.
    pub fn new(notice: &'a Notice, header: &'a Header) -> Self {
        NoticeRecord {
            schema: NOTICE,
            record: notice_kind(notice),
            file: header.input(notice.place.input),
            line: parts::position(notice.place.line),
            column: parts::position(notice.place.column),
            code: notice.kind.code(),
            run: notice.run.as_deref(),
            message: &notice.message,
            help: notice.help.as_deref(),
        }
    }
}

/// What records call a notice: `fault` or `warning`.
pub fn notice_kind(notice: &Notice) -> &'static str {
    if notice.kind.is_fault() {
        "fault"
    } else {
        "warning"
    }
}
