//! The same for people: the verdict, the barriers, the violations.

use super::Format;
use crate::audit::barrier_verdict::BarrierVerdict;
use crate::number::rounded;
use crate::report::Header;
use crate::report::number::percent;
use crate::report::table::page::Page;
use crate::report::table::text::{self, Tone};
use crate::verify::report::{BarrierRow, BarriersReport, Extreme, Found, Unit};
use crate::verify::stats::{Interval, Rate};
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "table",
    doc: "a report for people",
    write,
};

fn write(
    report: &BarriersReport,
    verdict: &BarrierVerdict,
    header: &Header,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(header);
    totals(&mut page, report);
    fourfold(&mut page, report);
    trust(&mut page, report, verdict);
    barriers(&mut page, report);
    for note in &verdict.notes {
        page.sentence(&text::prose(note));
    }
    violations(&mut page, report, verdict);
    inputs(&mut page, verdict);
    conclusion(&mut page, report, verdict);
    page.write(out)
}

fn totals(page: &mut Page<'_>, report: &BarriersReport) {
    page.section("transitions");
    let row = |what: &str, says: String| vec![what.to_owned(), says];
    page.rows(vec![
        row("seen", report.transitions.to_string()),
        row(
            "skipped, outside the safe set",
            report.skipped_unsafe.to_string(),
        ),
        row("checked", report.rate.of.to_string()),
    ]);
    page.section("violations by rate");
    let below = |of: Unit| {
        let (upper, unit) = report.zero_hit_upper()?;
        let says = format!("{} with 95% confidence", percent(upper));
        (unit == of).then(|| row("  rate below", says))
    };
    let mut rows = Vec::new();
    if let Some(runs) = report.runs {
        rows.push(row("runs with a root violation", share(runs)));
        rows.extend(below(Unit::Run));
    }
    rows.push(row("transitions", share(report.rate)));
    rows.extend(below(Unit::Check));
    if let Some(clustered) = &report.clustered {
        // States files have no runs: where there are both, what allows for runs is another rate.
        if clustered.of != report.rate.of {
            let traced = Rate::new(clustered.hits, clustered.of);
            rows.push(row("transitions of traces", share(traced)));
        }
        let interval = percents(clustered.interval);
        let effect = rounded((clustered.design_effect * 100.0).round() / 100.0);
        let approximate = if clustered.approximate {
            ", approximate"
        } else {
            ""
        };
        rows.push(row(
            "  allowing for runs",
            format!("95% {interval}, design effect {effect}{approximate}"),
        ));
    }
    let counts = format!("{} root, {} standing", report.root, report.standing);
    rows.push(row("refused by barriers", counts));
    if report.brought_out > 0 {
        let counts = format!("{} root, skipped and no check", report.brought_out);
        rows.push(row("  by what calls bring along", counts));
    }
    page.rows(rows);
}

/// Runs and states files by two questions.
fn fourfold(page: &mut Page<'_>, report: &BarriersReport) {
    let found = &report.fourfold;
    if found.total() == 0 {
        return;
    }
    page.section("runs and states files");
    let named = report.barriers.iter().any(|row| row.max_rate.is_some());
    let asked = match report.max_rate {
        _ if named => "the rates asked for".into(),
        Some(max) => format!("rate at most {}", percent(max)),
        None => "no violation".into(),
    };
    let row = |cells: [String; 3]| cells.to_vec();
    let mut rows = vec![
        row([String::new(), format!("met: {asked}"), "missed".into()]),
        row([
            "stayed in the safe set".into(),
            found.stayed_met.to_string(),
            found.stayed_missed.to_string(),
        ]),
        row([
            "were outside".into(),
            found.left_met.to_string(),
            found.left_missed.to_string(),
        ]),
    ];
    if found.unchecked > 0 {
        rows.push(vec!["nothing checked".into(), found.unchecked.to_string()]);
    }
    page.rows(rows);
}

/// What says whether the states are those of one run, and the model that of the tools.
fn trust(page: &mut Page<'_>, report: &BarriersReport, verdict: &BarrierVerdict) {
    let chain = verdict.chain();
    let mut rows = Vec::new();
    if report.observed > 0 {
        rows.push(vec!["model mismatches".to_owned(), mismatches(report)]);
    }
    if chain.links > 0 {
        let says = format!("{} of {}", chain.gaps, chain.links);
        rows.push(vec!["gaps in the chain of states".to_owned(), says]);
    }
    if !rows.is_empty() {
        page.section("states");
        page.rows(rows);
    }
}

fn mismatches(report: &BarriersReport) -> String {
    let counts = format!("{} of {}", report.model_mismatches, report.observed);
    let of = |row: &BarrierRow| {
        let name = text::name(&row.name);
        (row.mismatches > 0).then(|| format!("{name} {}", row.mismatches))
    };
    let barriers: Vec<String> = report.barriers.iter().filter_map(of).collect();
    match &report.first_mismatch {
        Some(first) => {
            let first = number(first);
            format!("{counts}, the first at {first}: {}", barriers.join(", "))
        }
        None => counts,
    }
}

fn share(rate: Rate) -> String {
    let counts = format!("{} of {}", rate.hits, rate.of);
    match (rate.rate, rate.wilson, rate.clopper_pearson) {
        (Some(r), Some(wilson), Some(exact)) => format!(
            "{counts}, {} (95%: Wilson {}, Clopper-Pearson {})",
            percent(r),
            percents(wilson),
            percents(exact)
        ),
        _ => format!("{counts}, no data"),
    }
}

fn percents(interval: Interval) -> String {
    format!("{} to {}", percent(interval.low), percent(interval.high))
}

fn barriers(page: &mut Page<'_>, report: &BarriersReport) {
    page.section("barriers");
    let head = [
        "barrier",
        "root",
        "standing",
        "least h",
        "at",
        "least slack",
        "at",
        "worst",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for row in &report.barriers {
        let least = |extreme: Option<&Extreme>| match extreme {
            Some(extreme) => [rounded(extreme.value), number(&extreme.at)],
            None => ["-".to_owned(), "-".to_owned()],
        };
        let mut cells = vec![
            text::name(&row.name),
            row.root.to_string(),
            row.standing.to_string(),
        ];
        cells.extend(least(row.least_h.as_ref()));
        cells.extend(least(row.least_slack.as_ref()));
        cells.push(row.worst.as_ref().map_or("-".to_owned(), number));
        rows.push(cells);
    }
    page.rows(rows);
}

fn number(found: &Found) -> String {
    format!("#{}", found.index)
}

fn violations(page: &mut Page<'_>, report: &BarriersReport, verdict: &BarrierVerdict) {
    if report.listed.is_empty() {
        return;
    }
    page.section("violations");
    let name = |index: usize| report.barriers.get(index).map_or("", |row| &*row.name);
    let rows = report.listed.iter().map(|violation| {
        let broken = violation.broken.iter().map(|b| {
            let name = text::name(name(b.barrier));
            match b.next {
                Some(next) => format!("{name} {} -> {}", rounded(b.h), rounded(next)),
                None => format!("{name} {} by what the call brings along", rounded(b.h)),
            }
        });
        let at = &violation.at;
        let file = text::name(verdict.name(at.input));
        vec![
            number(at),
            format!("{file}:{}", at.line),
            text::name(&at.tool),
            broken.collect::<Vec<_>>().join(", "),
        ]
    });
    page.rows(rows.collect());
    if report.unlisted > 0 {
        page.sentence(&format!("and {} more, see --max-listed", report.unlisted));
    }
}

fn inputs(page: &mut Page<'_>, verdict: &BarrierVerdict) {
    page.section("inputs");
    let rows = verdict.inputs.iter().map(|input| {
        let what = text::read_as(input.format, input.error.as_deref());
        vec![
            text::name(&input.name),
            what,
            text::count(input.transitions, "transition", "transitions"),
            text::digest(&input.sha256),
        ]
    });
    page.rows(rows.collect());
    for notice in &verdict.notices {
        page.notice(notice);
    }
    let policy = &verdict.policy;
    page.policy(policy);
    page.doubts(policy);
}

fn conclusion(page: &mut Page<'_>, report: &BarriersReport, verdict: &BarrierVerdict) {
    let (word, tone) = match report.forward_invariant {
        None => {
            let why = report.vacuous_because().unwrap_or_default();
            (format!("VACUOUS: {why}"), Tone::Doubt)
        }
        Some(true) => (
            "forward invariant on every checked transition".into(),
            Tone::Plain,
        ),
        Some(false) => ("not forward invariant".into(), Tone::Bad),
    };
    let word = text::paint(&word, tone, page.header.color);
    page.blank();
    let reason = text::prose(&verdict.exit.reason);
    page.lines.push(format!(
        "{word}; exit {}: {reason}",
        verdict.exit.status.code()
    ));
}
