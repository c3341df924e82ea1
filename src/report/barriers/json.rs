//! `gate.barriers/1`: one JSON document, its types frozen apart from those of the program.

use super::Format;
use crate::audit::barrier_verdict::BarrierVerdict;
use crate::report::Header;
use crate::report::json::v1::parts::{Bounds, Head, Policy, Told, bounds, head, notices, policy};
use crate::report::json::v1::tally::Keyed;
use crate::report::json::write;
use crate::report::number::Number;
use crate::verify::clusters::ClusteredRate;
use crate::verify::limits;
use crate::verify::report::{BarrierRow, BarriersReport, Extreme, Found, Unit, Violation};
use crate::verify::stats;
use serde::Serialize;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "json",
    doc: "one JSON document",
    write: document,
};

fn document(
    report: &BarriersReport,
    verdict: &BarrierVerdict,
    header: &Header,
    out: &mut dyn Write,
) -> io::Result<()> {
    write::document(&Document::new(report, verdict, header), out)
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    head: Head<'a, Policy<'a>>,
    inputs: Vec<Input<'a>>,
    total_checks: u64,
    violations: u64,
    violation_rate: Option<Number>,
    intervals: Intervals,
    /// Absent where nothing was checked or met.
    forward_invariant: Option<bool>,
    vacuous: bool,
    transitions: u64,
    skipped_unsafe: u64,
    root: u64,
    brought_out: u64,
    standing: u64,
    runs: Option<Rate>,
    fourfold: Fourfold,
    max_violation_rate: Option<Number>,
    rate_met: Option<bool>,
    clustered: Option<Clustered>,
    barriers: Keyed<'a, Barrier<'a>>,
    violations_listed: Vec<Listed<'a>>,
    violations_unlisted: u64,
    observed_next: u64,
    model_mismatches: u64,
    first_mismatch: Option<Site<'a>>,
    notices: Vec<Told<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Input<'a> {
    file: &'a str,
    format: Option<&'a str>,
    sha256: &'a str,
    transitions: u64,
    state_gaps: Option<Gaps>,
    error: Option<&'a str>,
}

/// Absent where nothing could be held against each other.
#[derive(Serialize)]
struct Gaps {
    links: u64,
    gaps: u64,
}

#[derive(Serialize)]
struct Fourfold {
    stayed_met: u64,
    stayed_missed: u64,
    left_met: u64,
    left_missed: u64,
    unchecked: u64,
}

#[derive(Serialize)]
struct Intervals {
    wilson_95: Option<Bounds>,
    clopper_pearson_95: Option<Bounds>,
    /// One-sided, where no step out was refused: the rate lies below it with 95% confidence.
    zero_hit_upper_95: Option<Number>,
    /// What that rate is of: `runs` or `checks`.
    zero_hit_unit: Option<&'static str>,
}

#[derive(Serialize)]
struct Rate {
    hits: u64,
    of: u64,
    rate: Option<Number>,
    wilson_95: Option<Bounds>,
    clopper_pearson_95: Option<Bounds>,
}

#[derive(Serialize)]
struct Clustered {
    runs: u64,
    checks: u64,
    violations: u64,
    violation_rate: Number,
    design_effect: Number,
    effective_checks: Number,
    wilson_95: Bounds,
    approximate: bool,
}

#[derive(Serialize)]
struct Barrier<'a> {
    checks: u64,
    violations: u64,
    violation_rate: Option<Number>,
    wilson_95: Option<Bounds>,
    clopper_pearson_95: Option<Bounds>,
    root: u64,
    standing: u64,
    runs: Option<Rate>,
    clustered: Option<Clustered>,
    max_violation_rate: Option<Number>,
    model_mismatches: u64,
    least_h: Option<Least<'a>>,
    least_slack: Option<Least<'a>>,
    worst_transition: Option<Site<'a>>,
}

#[derive(Serialize)]
struct Least<'a> {
    value: Number,
    at: Site<'a>,
}

#[derive(Serialize)]
struct Site<'a> {
    index: u64,
    file: &'a str,
    line: u64,
    run: Option<&'a str>,
    call: Option<&'a str>,
    tool: &'a str,
}

#[derive(Serialize)]
struct Listed<'a> {
    index: u64,
    at: Site<'a>,
    brought_out: bool,
    broken: Keyed<'a, Reading>,
}

#[derive(Serialize)]
struct Reading {
    h: Number,
    next: Option<Number>,
    slack: Option<Number>,
}

impl<'a> Document<'a> {
    fn new(report: &'a BarriersReport, verdict: &'a BarrierVerdict, header: &'a Header) -> Self {
        let site = |found: &'a Found| site(found, verdict);
        let name = |index: usize| report.barriers.get(index).map_or("", |row| &*row.name);
        let rate = report.rate;
        let upper = report.zero_hit_upper();
        Document {
            head: head("gate.barriers/1", &verdict.exit, policy(&verdict.policy)),
            inputs: inputs(verdict),
            total_checks: rate.of,
            violations: rate.hits,
            violation_rate: rate.rate.map(Number),
            intervals: Intervals {
                wilson_95: rate.wilson.map(bounds),
                clopper_pearson_95: rate.clopper_pearson.map(bounds),
                zero_hit_upper_95: upper.map(|(upper, _)| Number(upper)),
                zero_hit_unit: upper.map(|(_, unit)| match unit {
                    Unit::Run => "runs",
                    Unit::Check => "checks",
                }),
            },
            forward_invariant: report.forward_invariant,
            vacuous: report.is_vacuous(),
            transitions: report.transitions,
            skipped_unsafe: report.skipped_unsafe,
            root: report.root,
            brought_out: report.brought_out,
            standing: report.standing,
            runs: report.runs.map(plain),
            fourfold: fourfold(&report.fourfold),
            max_violation_rate: report.max_rate.map(Number),
            rate_met: report.rate_met,
            clustered: report.clustered.as_ref().map(clustered),
            barriers: Keyed(
                report
                    .barriers
                    .iter()
                    .map(|row| (&*row.name, barrier(row, verdict)))
                    .collect(),
            ),
            violations_listed: report
                .listed
                .iter()
                .map(|v| listed(v, verdict, name))
                .collect(),
            violations_unlisted: report.unlisted,
            observed_next: report.observed,
            model_mismatches: report.model_mismatches,
            first_mismatch: report.first_mismatch.as_ref().map(site),
            notices: notices(&verdict.notices, header),
            notes: &verdict.notes,
        }
    }
}

fn inputs(verdict: &BarrierVerdict) -> Vec<Input<'_>> {
    let described = verdict.inputs.iter().map(|i| Input {
        file: &i.name,
        format: i.format,
        sha256: &i.sha256,
        transitions: i.transitions,
        state_gaps: (i.chain.links > 0).then_some(Gaps {
            links: i.chain.links,
            gaps: i.chain.gaps,
        }),
        error: i.error.as_deref(),
    });
    described.collect()
}

fn fourfold(found: &limits::Fourfold) -> Fourfold {
    Fourfold {
        stayed_met: found.stayed_met,
        stayed_missed: found.stayed_missed,
        left_met: found.left_met,
        left_missed: found.left_missed,
        unchecked: found.unchecked,
    }
}

fn plain(rate: stats::Rate) -> Rate {
    Rate {
        hits: rate.hits,
        of: rate.of,
        rate: rate.rate.map(Number),
        wilson_95: rate.wilson.map(bounds),
        clopper_pearson_95: rate.clopper_pearson.map(bounds),
    }
}

fn clustered(rate: &ClusteredRate) -> Clustered {
    Clustered {
        runs: rate.runs,
        checks: rate.of,
        violations: rate.hits,
        violation_rate: Number(rate.rate),
        design_effect: Number(rate.design_effect),
        effective_checks: Number(rate.n_eff),
        wilson_95: bounds(rate.interval),
        approximate: rate.approximate,
    }
}

fn site<'a>(found: &'a Found, verdict: &'a BarrierVerdict) -> Site<'a> {
    Site {
        index: found.index,
        file: verdict.name(found.input),
        line: found.line,
        run: found.run.as_deref(),
        call: found.call.as_deref(),
        tool: &found.tool,
    }
}

fn barrier<'a>(row: &'a BarrierRow, verdict: &'a BarrierVerdict) -> Barrier<'a> {
    let least = |extreme: &'a Extreme| Least {
        value: Number(extreme.value),
        at: site(&extreme.at, verdict),
    };
    Barrier {
        checks: row.rate.of,
        violations: row.rate.hits,
        violation_rate: row.rate.rate.map(Number),
        wilson_95: row.rate.wilson.map(bounds),
        clopper_pearson_95: row.rate.clopper_pearson.map(bounds),
        root: row.root,
        standing: row.standing,
        runs: row.runs.map(plain),
        clustered: row.clustered.as_ref().map(clustered),
        max_violation_rate: row.max_rate.map(Number),
        model_mismatches: row.mismatches,
        least_h: row.least_h.as_ref().map(least),
        least_slack: row.least_slack.as_ref().map(least),
        worst_transition: row.worst.as_ref().map(|found| site(found, verdict)),
    }
}

fn listed<'a>(
    violation: &'a Violation,
    verdict: &'a BarrierVerdict,
    name: impl Fn(usize) -> &'a str,
) -> Listed<'a> {
    let reading = violation.broken.iter().map(|broken| {
        let reading = Reading {
            h: Number(broken.h),
            next: broken.next.map(Number),
            slack: broken.slack.map(Number),
        };
        (name(broken.barrier), reading)
    });
    Listed {
        index: violation.at.index,
        at: site(&violation.at, verdict),
        brought_out: violation.brought_out,
        broken: Keyed(reading.collect()),
    }
}
