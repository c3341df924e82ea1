//! `gate.check/1`: one JSON document, its types frozen apart from those of the program.

use super::{Format, Shown, reach};
use crate::check::codes::Finding;
use crate::check::limits::{Condition, Limit, Uses};
use crate::check::permits::Permits;
use crate::check::row::BarrierRow;
use crate::check::{CheckReport, Dead};
use crate::report::json::v1::parts::{Head, head, policy_name};
use crate::report::json::write;
use crate::report::number::Number;
use crate::verify::range::Range;
use crate::verify::soundness::{self, Soundness};
use serde::Serialize;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "json",
    doc: "one JSON document",
    write: document,
};

fn document(report: &CheckReport, shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        head: head("gate.check/1", &shown.exit, policy_name(&shown.policy)),
        dead: report.dead.as_ref().map(dead),
        barriers: report.barriers.iter().map(barrier).collect(),
        limits: report.limits.iter().map(limit).collect(),
        conditions: report.conditions.iter().map(condition).collect(),
        findings: report.findings.iter().map(finding).collect(),
        reach: report.reach.as_ref().map(reach::Document::new),
    };
    write::document(&document, out)
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    /// Null where some call may be admitted.
    dead: Option<Refusing<'a>>,
    barriers: Vec<Barrier<'a>>,
    limits: Vec<Limited<'a>>,
    conditions: Vec<Conditioned<'a>>,
    findings: Vec<Found<'a>>,
    /// Null where nobody asked for it.
    reach: Option<reach::Document<'a>>,
}

/// Why every call is refused.
#[derive(Serialize)]
struct Refusing<'a> {
    stage: &'static str,
    line: Option<usize>,
    column: Option<usize>,
    why: &'a str,
}

#[derive(Serialize)]
struct Barrier<'a> {
    name: &'a str,
    unit: &'static str,
    /// Null where the barrier is a default.
    line: Option<usize>,
    column: Option<usize>,
    kappa: Number,
    power: Number,
    /// Null where it depends on the run.
    start: Option<Number>,
    range: Attained,
    /// Null where the next state is not looked at.
    soundness: Option<Judged>,
    /// Null where no call lowers the barrier by a constant.
    calls: Option<Count>,
    stranded: Option<Stranded>,
    permits: &'a [String],
    binds: Binds<'a>,
}

#[derive(Serialize)]
struct Attained {
    kind: &'static str,
    /// Null where there is none, or it is not known.
    low: Option<Number>,
    high: Option<Number>,
    step: Option<Number>,
}

#[derive(Serialize)]
struct Judged {
    verdict: &'static str,
    /// The exit that is admitted, or a value that alpha exceeds.
    h: Option<Number>,
    next: Option<Number>,
}

/// A number of calls.
#[derive(Serialize)]
pub(super) struct Count {
    /// Null where there may be any number.
    pub(super) calls: Option<u64>,
    /// Whether counting stopped there.
    pub(super) at_least: bool,
}

#[derive(Serialize)]
struct Stranded {
    left: Number,
    of: Number,
    by_alpha: Number,
}

#[derive(Serialize)]
struct Binds<'a> {
    can: &'static str,
    why: &'a str,
}

#[derive(Serialize)]
struct Limited<'a> {
    stage: &'static str,
    name: &'a str,
    /// Null where it is a limit of every run.
    agent: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    calls: Count,
    of: &'static str,
}

#[derive(Serialize)]
struct Conditioned<'a> {
    stage: &'static str,
    name: &'a str,
    line: Option<usize>,
    column: Option<usize>,
    says: &'a str,
}

#[derive(Serialize)]
struct Found<'a> {
    code: &'static str,
    /// Null where it is about a default.
    line: Option<usize>,
    column: Option<usize>,
    message: &'a str,
    help: Option<&'a str>,
}

fn dead(dead: &Dead) -> Refusing<'_> {
    Refusing {
        stage: dead.stage,
        line: dead.place.known_line(),
        column: dead.place.known_column(),
        why: &dead.why,
    }
}

fn barrier(row: &BarrierRow) -> Barrier<'_> {
    let place = row.place;
    let (line, column) = (place.known_line(), place.known_column());
    Barrier {
        name: &row.name,
        unit: row.unit,
        line,
        column,
        kappa: Number(row.alpha.kappa),
        power: Number(row.alpha.power),
        start: row.start.map(Number),
        range: attained(row.range),
        soundness: row.soundness.map(judged),
        calls: row.calls.map(count),
        stranded: row.stranded.map(|part| Stranded {
            left: Number(part.left),
            of: Number(part.of),
            by_alpha: Number(part.by_alpha),
        }),
        permits: &row.permits,
        binds: Binds {
            can: row.binds.as_str(),
            why: row.binds.why(),
        },
    }
}

fn attained(range: Range) -> Attained {
    let number = |value: f64| value.is_finite().then_some(Number(value));
    let (kind, low, high, step) = match range {
        Range::Continuum { high, low } => ("continuum", number(low), number(high), None),
        Range::Fallible { high, low } => ("fallible", number(low), number(high), None),
        Range::Lattice { top, step } => ("lattice", None, number(top), number(step)),
        Range::Two { high, low } => ("two", number(low), number(high), None),
        Range::Constant(value) => ("constant", number(value), number(value), None),
        Range::Unknown => ("unknown", None, None, None),
    };
    Attained {
        kind,
        low,
        high,
        step,
    }
}

fn judged(soundness: Soundness) -> Judged {
    let exit = |verdict, exit: soundness::Exit| Judged {
        verdict,
        h: Some(Number(exit.h)),
        next: Some(Number(exit.next)),
    };
    match soundness {
        Soundness::Sound => Judged {
            verdict: "sound",
            h: None,
            next: None,
        },
        Soundness::Unreachable { h } => Judged {
            verdict: "unreachable",
            h: Some(Number(h)),
            next: None,
        },
        Soundness::Exits(found) => exit("exits", found),
        Soundness::Uncomputed(found) => exit("uncomputed", found),
        Soundness::Between(found) => exit("between_states", found),
        Soundness::Possible(found) | Soundness::Unseen(found) => exit("possible", found),
    }
}

fn limit(limit: &Limit) -> Limited<'_> {
    let place = limit.place;
    let (line, column) = (place.known_line(), place.known_column());
    Limited {
        stage: limit.stage,
        name: &limit.name,
        agent: limit.agent.as_deref(),
        line,
        column,
        calls: count(limit.calls),
        of: match limit.of {
            Uses::All => "all",
            Uses::AtTheEstimate => "at_the_estimate",
            Uses::Outbound => "outbound",
        },
    }
}

fn condition(condition: &Condition) -> Conditioned<'_> {
    let place = condition.place;
    let (line, column) = (place.known_line(), place.known_column());
    Conditioned {
        stage: condition.stage,
        name: &condition.name,
        line,
        column,
        says: &condition.says,
    }
}

fn finding(finding: &Finding) -> Found<'_> {
    let place = finding.place;
    let (line, column) = (place.known_line(), place.known_column());
    Found {
        code: finding.code,
        line,
        column,
        message: &finding.message,
        help: finding.help.as_deref(),
    }
}

fn count(permits: Permits) -> Count {
    let (calls, at_least) = match permits {
        Permits::Calls(n) => (Some(n), false),
        Permits::AtLeast(n) => (Some(n), true),
        Permits::Unlimited => (None, false),
    };
    Count { calls, at_least }
}
