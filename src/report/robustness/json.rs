//! `gate.robustness/1`: one JSON document, its types frozen apart from those of the program.

use super::{Format, name, names, stopped};
use crate::audit::remaining;
use crate::audit::robustness::{At, CallRow, OfBarrier, Point, Robustness, RunRow};
use crate::report::Header;
use crate::report::json::v1::parts::{
    Head, Input, Policy, Replay, Tail, head, input, policy, replay, tail,
};
use crate::report::json::v1::tally::Keyed;
use crate::report::json::write;
use crate::report::number::Number;
use serde::Serialize;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "json",
    doc: "one JSON document",
    all: false,
    write: document,
};

/// Fields that hold text of the inputs, wherever they occur: to be read as data.
const UNTRUSTED: &[&str] = &[
    "file", "run", "call", "tool", "tools", "message", "help", "error",
];

fn document(found: &Robustness, header: &Header, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        head: head("gate.robustness/1", &found.exit, policy(&found.policy)),
        replay: replay(&found.replayed),
        inputs: found.inputs.iter().map(input).collect(),
        barriers: Keyed(barriers(found)),
        runs: found.runs,
        runs_measured: found.runs.saturating_sub(found.unmeasured),
        runs_beyond: found.beyond,
        calls: found.calls,
        classes: found.classes.iter().map(class).collect(),
        listed: found
            .listed
            .iter()
            .map(|row| run(found, header, row))
            .collect(),
        tail: tail(&found.noted, header, UNTRUSTED),
    };
    write::document(&document, out)
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    head: Head<'a, Policy<'a>>,
    #[serde(flatten)]
    replay: Replay,
    inputs: Vec<Input<'a>>,
    barriers: Keyed<'a, Barrier>,
    runs: u64,
    runs_measured: u64,
    runs_beyond: u64,
    calls: u64,
    classes: Vec<Class<'a>>,
    listed: Vec<Run<'a>>,
    #[serde(flatten)]
    tail: Tail<'a>,
}

#[derive(Serialize)]
struct Class<'a> {
    tools: &'a [String],
    any_other: bool,
}

fn class(class: &remaining::Class) -> Class<'_> {
    Class {
        tools: &class.tools,
        any_other: class.any_other,
    }
}

#[derive(Serialize)]
struct Barrier {
    unit: &'static str,
    scale: Number,
}

#[derive(Serialize)]
struct Run<'a> {
    file: &'a str,
    run: &'a str,
    calls: u64,
    calls_measured: u64,
    calls_refused: u64,
    inconclusive: bool,
    nearest: Nearest<'a>,
    robustness: Robust<'a>,
    barriers: Keyed<'a, InRun<'a>>,
    more: Vec<More<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    call_rows: Vec<Call<'a>>,
}

#[derive(Serialize)]
struct Nearest<'a> {
    barrier: &'a str,
    value: Number,
    scaled: Number,
    at: Place<'a>,
}

/// The least scaled value of all barriers over the states that calls met.
#[derive(Serialize)]
struct Robust<'a> {
    barrier: &'a str,
    scaled: Number,
}

#[derive(Serialize)]
struct InRun<'a> {
    least_h: Least<'a>,
    nearest: Least<'a>,
    end: Number,
}

#[derive(Serialize)]
struct Least<'a> {
    value: Number,
    scaled: Number,
    at: Place<'a>,
}

#[derive(Serialize)]
struct Place<'a> {
    seq: u64,
    line: u64,
    call: &'a str,
    tool: &'a str,
}

/// One entry a class.
#[derive(Serialize)]
struct More<'a> {
    calls: u64,
    at_least: bool,
    refused_by: Vec<&'a str>,
}

#[derive(Serialize)]
struct Call<'a> {
    at: Place<'a>,
    admitted: bool,
    nearest: &'a str,
    scaled: Number,
    barriers: Keyed<'a, Number>,
}

fn barriers(found: &Robustness) -> Vec<(&str, Barrier)> {
    let described = found.barriers.iter().map(|(name, unit, scale)| {
        let barrier = Barrier {
            unit,
            scale: Number(*scale),
        };
        (&**name, barrier)
    });
    described.collect()
}

fn run<'a>(found: &'a Robustness, header: &'a Header, row: &'a RunRow) -> Run<'a> {
    let nearest = &row.nearest;
    let of_barriers = row.barriers.iter().enumerate();
    let more = row.more.iter().map(|more| More {
        calls: more.calls,
        at_least: stopped(more),
        refused_by: names(found, &more.by),
    });
    Run {
        file: header.input(row.input),
        run: &row.id,
        calls: row.calls,
        calls_measured: row.measured,
        calls_refused: row.refused,
        inconclusive: row.inconclusive,
        nearest: Nearest {
            barrier: name(found, nearest.measured.barrier),
            value: Number(nearest.measured.value),
            scaled: Number(nearest.measured.scaled),
            at: place(&nearest.at),
        },
        robustness: Robust {
            barrier: name(found, row.robustness.barrier),
            scaled: Number(row.robustness.scaled),
        },
        barriers: Keyed(
            of_barriers
                .map(|(i, b)| (name(found, i), in_run(b)))
                .collect(),
        ),
        more: more.collect(),
        call_rows: row
            .rows
            .iter()
            .map(|call| self::call(found, call))
            .collect(),
    }
}

fn in_run(barrier: &OfBarrier) -> InRun<'_> {
    let least = |point: &'_ Point| (Number(point.measured.value), Number(point.measured.scaled));
    let told = |point| {
        let (value, scaled) = least(point);
        Least {
            value,
            scaled,
            at: place(&point.at),
        }
    };
    InRun {
        least_h: told(&barrier.least_h),
        nearest: told(&barrier.nearest),
        end: Number(barrier.end),
    }
}

fn place(at: &At) -> Place<'_> {
    Place {
        seq: at.seq,
        line: at.line,
        call: &at.call,
        tool: &at.tool,
    }
}

fn call<'a>(found: &'a Robustness, row: &'a CallRow) -> Call<'a> {
    let distances = row.distances.iter().enumerate();
    Call {
        at: place(&row.at),
        admitted: row.admitted,
        nearest: name(found, row.nearest.barrier),
        scaled: Number(row.nearest.scaled),
        barriers: Keyed(
            distances
                .map(|(i, &d)| (name(found, i), Number(d)))
                .collect(),
        ),
    }
}
