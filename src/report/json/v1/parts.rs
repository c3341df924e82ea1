//! Parts that records and documents of several schemas have in common. They are frozen as those are:
//! a schema that comes to need another field gets a part of its own.

use super::notice_kind;
use crate::audit::summary::{ExitSummary, InputSummary, PolicySummary, Replayed};
use crate::policy::PolicyWarning;
use crate::report::Header;
use crate::report::number::Number;
use crate::trace::fault::{Noted, Notice};
use crate::verify::stats;
use serde::Serialize;

/// What a document begins with: its schema, how the program ends, and which policy it was, by its name
/// or with more.
#[derive(Debug, Serialize)]
pub struct Head<'a, P = PolicyName<'a>> {
    schema: &'static str,
    exit: Exit<'a>,
    policy: P,
}

/// What a document begins with.
pub fn head<'a, P>(schema: &'static str, ended: &'a ExitSummary, policy: P) -> Head<'a, P> {
    Head {
        schema,
        exit: exit(ended),
        policy,
    }
}

/// How the program ends.
#[derive(Debug, Serialize)]
pub struct Exit<'a> {
    status: u8,
    reason: &'a str,
}

/// How the program ends.
pub fn exit(exit: &ExitSummary) -> Exit<'_> {
    Exit {
        status: exit.status.code(),
        reason: &exit.reason,
    }
}

/// Which policy it was.
#[derive(Debug, Serialize)]
pub struct PolicyName<'a> {
    source: &'a str,
    sha256: &'a str,
}

/// Which policy it was.
pub fn policy_name(policy: &PolicySummary) -> PolicyName<'_> {
    PolicyName {
        source: &policy.source,
        sha256: &policy.sha256,
    }
}

/// A policy with the doubts about it.
#[derive(Debug, Serialize)]
pub struct Policy<'a> {
    #[serde(flatten)]
    name: PolicyName<'a>,
    warnings: Vec<Doubt<'a>>,
}

#[derive(Debug, Serialize)]
struct Doubt<'a> {
    code: &'static str,
    /// Null where the value in doubt is a default.
    line: Option<usize>,
    column: Option<usize>,
    message: &'a str,
}

/// A policy with the doubts about it.
pub fn policy(policy: &PolicySummary) -> Policy<'_> {
    Policy {
        name: policy_name(policy),
        warnings: policy.warnings.iter().map(doubt).collect(),
    }
}

fn doubt(warning: &PolicyWarning) -> Doubt<'_> {
    Doubt {
        code: warning.code,
        line: warning.place.known_line(),
        column: warning.place.known_column(),
        message: &warning.message,
    }
}

/// How calls were replayed.
#[derive(Debug, Serialize)]
pub struct Replay {
    mode: &'static str,
    dispatch: &'static str,
    on_escalate: &'static str,
}

/// How calls were replayed.
pub fn replay(replayed: &Replayed) -> Replay {
    Replay {
        mode: replayed.mode,
        dispatch: replayed.dispatch,
        on_escalate: replayed.on_escalate,
    }
}

/// An input, its format, and what became of its bytes.
#[derive(Debug, Serialize)]
pub struct Input<'a> {
    file: &'a str,
    format: Option<&'static str>,
    format_reason: &'a str,
    #[serde(flatten)]
    account: Account<'a>,
}

/// An input, its format, and what became of its bytes.
pub fn input(input: &InputSummary) -> Input<'_> {
    Input {
        file: &input.name,
        format: input.format,
        format_reason: &input.format_reason,
        account: account(input),
    }
}

/// What became of the bytes of an input.
#[derive(Debug, Serialize)]
pub struct Account<'a> {
    sha256: &'a str,
    bytes: u64,
    decompressed_bytes: u64,
    lines: u64,
    records: u64,
    blank: u64,
    faulty: u64,
    unknown_fields: u64,
    complete: bool,
    error: Option<&'a str>,
}

/// What became of the bytes of an input.
pub fn account(input: &InputSummary) -> Account<'_> {
    Account {
        sha256: &input.sha256,
        bytes: input.bytes,
        decompressed_bytes: input.decompressed_bytes,
        lines: input.lines,
        records: input.records,
        blank: input.blank,
        faulty: input.faulty,
        unknown_fields: input.unknown_fields,
        complete: input.complete,
        error: input.error.as_deref(),
    }
}

/// The bounds of an interval.
#[derive(Debug, Serialize)]
pub struct Bounds {
    low: Number,
    high: Number,
}

/// The bounds of an interval.
pub fn bounds(interval: stats::Interval) -> Bounds {
    Bounds {
        low: Number(interval.low),
        high: Number(interval.high),
    }
}

/// A fault or a warning in a document.
#[derive(Debug, Serialize)]
pub struct Told<'a> {
    kind: &'static str,
    file: &'a str,
    line: Option<u64>,
    column: Option<u64>,
    code: &'static str,
    run: Option<&'a str>,
    message: &'a str,
    help: Option<&'a str>,
}

/// A fault or a warning in a document.
fn told<'a>(notice: &'a Notice, header: &'a Header) -> Told<'a> {
    Told {
        kind: notice_kind(notice),
        file: header.input(notice.place.input),
        line: position(notice.place.line),
        column: position(notice.place.column),
        code: notice.kind.code(),
        run: notice.run.as_deref(),
        message: &notice.message,
        help: notice.help.as_deref(),
    }
}

/// Faults and warnings of a document, in order.
pub fn notices<'a>(notices: &'a [Notice], header: &'a Header) -> Vec<Told<'a>> {
    notices.iter().map(|notice| told(notice, header)).collect()
}

/// What a document about recordings ends with: what is wrong with them, and which fields hold text of
/// theirs.
#[derive(Debug, Serialize)]
pub struct Tail<'a> {
    faults: u64,
    warnings: u64,
    notices: Vec<Told<'a>>,
    untrusted_fields: &'static [&'static str],
}

/// What a document about recordings ends with.
pub fn tail<'a>(
    noted: &'a Noted,
    header: &'a Header,
    untrusted_fields: &'static [&'static str],
) -> Tail<'a> {
    Tail {
        faults: noted.faults,
        warnings: noted.warnings,
        notices: notices(&noted.kept, header),
        untrusted_fields,
    }
}

/// A line or a column from 1; 0 stands for none.
pub fn position<N: Default + PartialOrd>(position: N) -> Option<N> {
    (position > N::default()).then_some(position)
}
