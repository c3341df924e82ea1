//! A row a fact for spreadsheets: all checks, barriers, runs by two questions, violations, notices,
//! the status.

use super::Format;
use crate::audit::barrier_verdict::BarrierVerdict;
use crate::report::Header;
use crate::report::csv::cell;
use crate::report::csv::rows::{Row, begin, doubt_rows, exit_row, notice_row, write_rows};
use crate::report::number::exact;
use crate::verify::clusters::ClusteredRate;
use crate::verify::limits::Fourfold;
use crate::verify::report::{BarrierRow, BarriersReport, Extreme, Found};
use crate::verify::stats::{Interval, Rate};
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "csv",
    doc: "a row a fact: all checks, each barrier, runs by two questions, violations, notices, the \
          status",
    write,
};

/// The columns.
const COLUMNS: &[&str] = &[
    "record",
    "barrier",
    "runs_hit",
    "runs",
    "runs_low",
    "runs_high",
    "violations",
    "checks",
    "rate",
    "clustered_low",
    "clustered_high",
    "design_effect",
    "wilson_low",
    "wilson_high",
    "exact_low",
    "exact_high",
    "max_rate",
    "root",
    "brought_out",
    "standing",
    "mismatches",
    "observed",
    "least_h",
    "least_h_index",
    "least_slack",
    "least_slack_index",
    "index",
    "file",
    "line",
    "column",
    "run",
    "call",
    "tool",
    "h",
    "next",
    "slack",
    "status",
    "message",
];

fn write(
    report: &BarriersReport,
    verdict: &BarrierVerdict,
    _: &Header,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rows = std::iter::once(total(report))
        .chain(report.barriers.iter().map(|row| barrier(row, report)))
        .chain(fourfold(&report.fourfold))
        .chain(violations(report, verdict))
        .chain(closing(verdict));
    write_rows(COLUMNS, rows, out)
}

fn total(report: &BarriersReport) -> Row {
    let mut row = begin("total");
    row.extend(rates(report.runs, report.rate, report.clustered.as_ref()));
    row.extend(report.max_rate.map(|max| ("max_rate", exact(max))));
    row.push(("root", report.root.to_string()));
    row.push(("brought_out", report.brought_out.to_string()));
    row.push(("standing", report.standing.to_string()));
    row.push(("mismatches", report.model_mismatches.to_string()));
    row.push(("observed", report.observed.to_string()));
    row
}

fn barrier(barrier: &BarrierRow, report: &BarriersReport) -> Row {
    let mut row = begin("barrier");
    row.push(("barrier", cell(&barrier.name).into_owned()));
    row.extend(rates(
        barrier.runs,
        barrier.rate,
        barrier.clustered.as_ref(),
    ));
    row.extend(barrier.max_rate.map(|max| ("max_rate", exact(max))));
    row.push(("root", barrier.root.to_string()));
    row.push(("standing", barrier.standing.to_string()));
    row.push(("mismatches", barrier.mismatches.to_string()));
    row.push(("observed", report.observed.to_string()));
    let mut least = |extreme: Option<&Extreme>, value: &'static str, at: &'static str| {
        let Some(extreme) = extreme else { return };
        row.push((value, exact(extreme.value)));
        row.push((at, extreme.at.index.to_string()));
    };
    least(barrier.least_h.as_ref(), "least_h", "least_h_index");
    let slack = barrier.least_slack.as_ref();
    least(slack, "least_slack", "least_slack_index");
    row.extend(
        barrier
            .worst
            .iter()
            .map(|worst| ("index", worst.index.to_string())),
    );
    row
}

fn rates(runs: Option<Rate>, rate: Rate, clustered: Option<&ClusteredRate>) -> Row {
    let mut row = Vec::new();
    let mut interval = |found: Option<Interval>, low: &'static str, high: &'static str| {
        let Some(found) = found else { return };
        row.push((low, exact(found.low)));
        row.push((high, exact(found.high)));
    };
    interval(runs.and_then(|r| r.wilson), "runs_low", "runs_high");
    interval(rate.wilson, "wilson_low", "wilson_high");
    interval(rate.clopper_pearson, "exact_low", "exact_high");
    let allowing = clustered.map(|rate| rate.interval);
    interval(allowing, "clustered_low", "clustered_high");
    if let Some(runs) = runs {
        row.push(("runs_hit", runs.hits.to_string()));
        row.push(("runs", runs.of.to_string()));
    }
    row.push(("violations", rate.hits.to_string()));
    row.push(("checks", rate.of.to_string()));
    row.extend(rate.rate.map(|rate| ("rate", exact(rate))));
    row.extend(clustered.map(|rate| ("design_effect", exact(rate.design_effect))));
    row
}

/// Runs and states files by two questions, a row each.
fn fourfold(found: &Fourfold) -> Vec<Row> {
    let cells = [
        ("stayed_met", found.stayed_met),
        ("stayed_missed", found.stayed_missed),
        ("left_met", found.left_met),
        ("left_missed", found.left_missed),
        ("unchecked", found.unchecked),
    ];
    let row = |(record, count): (&str, u64)| {
        let mut row = begin(record);
        row.push(("runs", count.to_string()));
        row
    };
    cells.into_iter().map(row).collect()
}

/// A row for each barrier of a violation, and one for a violation of none that could be named.
fn violations(report: &BarriersReport, verdict: &BarrierVerdict) -> Vec<Row> {
    let mut rows = Vec::new();
    for violation in &report.listed {
        let mut first = begin(match violation.brought_out {
            true => "brought_out",
            false => "violation",
        });
        first.extend(place(&violation.at, verdict));
        if violation.broken.is_empty() {
            rows.push(first.clone());
        }
        for broken in &violation.broken {
            let name = report.barriers.get(broken.barrier);
            let name = name.map_or("", |row| &row.name);
            let mut row = first.clone();
            row.push(("barrier", cell(name).into_owned()));
            row.push(("h", exact(broken.h)));
            row.extend(broken.next.map(|next| ("next", exact(next))));
            row.extend(broken.slack.map(|slack| ("slack", exact(slack))));
            rows.push(row);
        }
    }
    if report.unlisted > 0 {
        let mut row = begin("unlisted");
        row.push(("violations", report.unlisted.to_string()));
        rows.push(row);
    }
    rows
}

fn place(found: &Found, verdict: &BarrierVerdict) -> Row {
    let mut row = vec![
        ("index", found.index.to_string()),
        ("file", cell(verdict.name(found.input)).into_owned()),
        ("line", found.line.to_string()),
        ("tool", cell(&found.tool).into_owned()),
    ];
    row.extend(found.run.iter().map(|run| ("run", cell(run).into_owned())));
    row.extend(
        found
            .call
            .iter()
            .map(|call| ("call", cell(call).into_owned())),
    );
    row
}

fn closing(verdict: &BarrierVerdict) -> Vec<Row> {
    let notices = verdict.notices.iter();
    let notices = notices.map(|notice| notice_row(notice, verdict.name(notice.place.input)));
    let notes = verdict.notes.iter().map(|note| {
        let mut row = begin("note");
        row.push(("message", cell(note).into_owned()));
        row
    });
    notices
        .chain(notes)
        .chain(doubt_rows(&verdict.policy))
        .chain([exit_row(&verdict.exit)])
        .collect()
}
