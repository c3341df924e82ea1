//! A row a fact for spreadsheets: every run, each of its barriers, what is left, calls, notices, the
//! status.

use super::{Format, name, names, stopped, tools};
use crate::audit::robustness::{At, Point, Robustness, RunRow};
use crate::report::Header;
use crate::report::csv::rows::{Row, begin, doubt_rows, exit_row, notice_row, write_rows};
use crate::report::csv::{cell, list};
use crate::report::number::exact;
use crate::verify::robustness::Measured;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "csv",
    doc: "a row a fact: every run, its barriers, what is left, calls, notices, the status",
    all: true,
    write,
};

/// The columns.
const COLUMNS: &[&str] = &[
    "record",
    "rank",
    "file",
    "line",
    "column",
    "run",
    "seq",
    "call",
    "tool",
    "barrier",
    "value",
    "scaled",
    "least_h",
    "least_h_scaled",
    "end",
    "scale",
    "unit",
    "calls",
    "measured",
    "refused",
    "admitted",
    "at_least",
    "status",
    "message",
];

fn write(found: &Robustness, header: &Header, out: &mut dyn Write) -> io::Result<()> {
    let scales = found.barriers.iter().map(|(name, unit, scale)| {
        let mut row = begin("scale");
        row.push(("barrier", cell(name).into_owned()));
        row.push(("unit", (*unit).to_owned()));
        row.push(("scale", exact(*scale)));
        row
    });
    let runs = found.listed.iter().enumerate();
    let runs = runs.flat_map(|(i, row)| run(found, header, i + 1, row));
    let rows = scales.chain(runs).chain(closing(found, header));
    write_rows(COLUMNS, rows, out)
}

fn run(found: &Robustness, header: &Header, rank: usize, row: &RunRow) -> Vec<Row> {
    let of_run = |record: &str| -> Row {
        let mut begun = begin(record);
        begun.push(("rank", rank.to_string()));
        begun.push(("file", cell(header.input(row.input)).into_owned()));
        begun.push(("run", cell(&row.id).into_owned()));
        begun
    };
    let mut first = of_run("run");
    first.extend(at(&row.nearest.at));
    first.extend(measured(found, &row.nearest.measured));
    first.push(("least_h_scaled", exact(row.robustness.scaled)));
    first.push(("calls", row.calls.to_string()));
    first.push(("measured", row.measured.to_string()));
    first.push(("refused", row.refused.to_string()));
    let mut rows = vec![first];
    for barrier in &row.barriers {
        let Point {
            measured: least, ..
        } = &barrier.least_h;
        let mut next = of_run("barrier");
        next.extend(at(&barrier.nearest.at));
        next.extend(measured(found, &barrier.nearest.measured));
        next.push(("least_h", exact(least.value)));
        next.push(("least_h_scaled", exact(least.scaled)));
        next.push(("end", exact(barrier.end)));
        rows.push(next);
    }
    for (class, more) in found.classes.iter().zip(&row.more) {
        let mut next = of_run("more");
        next.push(("tool", list(&tools(class), ", ")));
        next.push(("calls", more.calls.to_string()));
        next.push(("at_least", stopped(more).to_string()));
        let by = names(found, &more.by);
        next.push(("barrier", list(&by, ", ")));
        rows.push(next);
    }
    for call in &row.rows {
        for (i, &distance) in call.distances.iter().enumerate() {
            let mut next = of_run("call");
            next.extend(at(&call.at));
            next.push(("barrier", cell(name(found, i)).into_owned()));
            next.push(("value", exact(distance)));
            next.push(("admitted", call.admitted.to_string()));
            rows.push(next);
        }
    }
    rows
}

fn at(at: &At) -> Row {
    vec![
        ("line", at.line.to_string()),
        ("seq", at.seq.to_string()),
        ("call", cell(&at.call).into_owned()),
        ("tool", cell(&at.tool).into_owned()),
    ]
}

fn measured(found: &Robustness, measured: &Measured) -> Row {
    vec![
        ("barrier", cell(name(found, measured.barrier)).into_owned()),
        ("value", exact(measured.value)),
        ("scaled", exact(measured.scaled)),
    ]
}

fn closing(found: &Robustness, header: &Header) -> Vec<Row> {
    let notices = found.noted.kept.iter();
    let notices = notices.map(|notice| notice_row(notice, header.input(notice.place.input)));
    notices
        .chain(doubt_rows(&found.policy))
        .chain([exit_row(&found.exit)])
        .collect()
}
