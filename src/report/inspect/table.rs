//! The same for people: a section an input, all of them together, and what the policy makes of it.

use super::known::{self, Row, listed};
use super::{Format, Readable, Shown, share, top, words};
use crate::inspect::contents::Contents;
use crate::inspect::{Inspected, Inspection};
use crate::report::number::percent;
use crate::report::table::layout::aligned;
use crate::report::table::page::Page;
use crate::report::table::text;
use crate::trace::event::{GroundTruth, RunStatus};
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "table",
    doc: "for people: a section an input",
    write,
    formats,
};

fn write(found: &Inspection, shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(&shown.header);
    for inspected in &found.inputs {
        input(&mut page, inspected, found, shown);
    }
    if found.inputs.len() > 1 {
        page.section("all inputs together");
        described(&mut page, sums(&found.total));
        calls(&mut page, &found.total, shown);
    }
    policy(&mut page, found, shown);
    notices(&mut page, found, true);
    notices(&mut page, found, false);
    conclusion(&mut page, found);
    page.write(out)
}

fn formats(list: &[Readable], shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(&shown.header);
    let rows = list.iter().map(|format| {
        let untold = match &*format.untold {
            [] => "nothing".to_owned(),
            parts => parts.join(", "),
        };
        Row {
            cells: vec![format.id.to_owned(), format.title.to_owned()],
            note: format!("cannot tell: {untold}"),
        }
    });
    rows_with_notes(&mut page, rows.collect(), 0);
    page.write(out)
}

/// Narrowest column that notes are wrapped in; else they go on under their row.
const LEAST: usize = 30;

/// Adds rows, aligned, each followed by its note, which is wrapped.
fn rows_with_notes(page: &mut Page<'_>, rows: Vec<Row>, indent: usize) {
    let cells: Vec<Vec<String>> = rows.iter().map(|row| row.cells.clone()).collect();
    let lines = aligned(&cells, indent);
    let widest = lines.iter().map(|line| text::width(line)).max();
    let column = widest.unwrap_or(0) + 2;
    let narrow = page.header.width.is_some_and(|w| w < column + LEAST);
    let hang = if narrow { indent + 2 } else { column };
    for (line, row) in lines.iter().zip(&rows) {
        let pad = column - text::width(line);
        let lead = format!("{line}{}", " ".repeat(pad));
        let wrapped = text::hanging(&lead, hang, &row.note, page.header.width);
        page.lines.extend(wrapped);
    }
}

/// Adds sentences, each under a word.
fn described(page: &mut Page<'_>, rows: Vec<(&str, String)>) {
    let rows = rows.into_iter().filter(|(_, says)| !says.is_empty());
    let rows = rows.map(|(what, note)| Row {
        cells: vec![what.to_owned()],
        note,
    });
    rows_with_notes(page, rows.collect(), 2);
}

fn input(page: &mut Page<'_>, inspected: &Inspected, found: &Inspection, shown: &Shown) {
    let input = &inspected.input;
    page.section(&text::name(&input.name));
    if let Some(error) = &input.error {
        return page.sentence(&format!("cannot be read: {}", text::prose(error)));
    }
    let format = match input.format.zip(inspected.title) {
        Some((id, title)) => format!("{id} ({title}): {}", text::prose(&input.format_reason)),
        None => format!("not known: {}", text::prose(&input.format_reason)),
    };
    let mut size = text::count(input.bytes, "byte", "bytes");
    if input.decompressed_bytes != input.bytes {
        size += &format!(", {} unpacked", input.decompressed_bytes);
    }
    let mut lines = format!(
        "{} = records {} + blank {} + faulty {}",
        input.lines, input.records, input.blank, input.faulty
    );
    if input.unknown_fields > 0 {
        lines += &format!("; unknown fields {}", input.unknown_fields);
    }
    if !input.complete {
        lines += "; not read to its end";
    }
    let mut rows = vec![
        ("format", format),
        ("cannot tell", inspected.untold.join(", ")),
        ("sha256", input.sha256.clone()),
        ("size", size),
        ("lines", lines),
    ];
    rows.extend(sums(&inspected.contents));
    described(page, rows);
    calls(page, &inspected.contents, shown);
    if found.inputs.len() > 1 && found.policy.is_some() {
        page.sentence(&short_of(&inspected.contents, found));
    }
}

/// What an input comes to, or all of them.
fn sums(counts: &Contents) -> Vec<(&'static str, String)> {
    let mut runs = vec![counts.runs.to_string()];
    let truths = listed(&words(GroundTruth::ALL, &counts.truths));
    let ends = listed(&words(RunStatus::ALL, &counts.ends));
    for (what, list) in [("ground truth", truths), ("ended", ends)] {
        if !list.is_empty() {
            runs.push(format!("{what}: {list}"));
        }
    }
    let also = |count: u64, what: &str| match count {
        0 => String::new(),
        n => format!("; {what} {n}"),
    };
    let repeated = also(counts.repeated, "repeated");
    let lost = also(counts.results_without_call, "without a call");
    vec![
        ("runs", runs.join("; ")),
        ("calls", format!("{}{repeated}", counts.calls)),
        ("results", format!("{}{lost}", counts.results)),
        ("faults", codes(&counts.faults)),
        ("warnings", codes(&counts.warnings)),
    ]
}

/// What is known of the calls, and whose they are.
fn calls(page: &mut Page<'_>, counts: &Contents, shown: &Shown) {
    if counts.calls == 0 {
        return;
    }
    page.lines.push("  of the calls".to_owned());
    rows_with_notes(page, known::rows(counts), 4);
    names(page, "by tool", &counts.tools, counts.calls, shown);
    names(page, "by agent", &counts.agents, counts.calls, shown);
}

fn codes(counts: &BTreeMap<&'static str, u64>) -> String {
    let codes: Vec<_> = counts.iter().map(|(code, count)| (*code, *count)).collect();
    listed(&codes)
}

fn names(
    page: &mut Page<'_>,
    title: &str,
    counts: &BTreeMap<Box<str>, u64>,
    calls: u64,
    shown: &Shown,
) {
    if counts.is_empty() {
        return;
    }
    page.lines.push(format!("  {title}"));
    let list = top(counts, shown.top);
    let part = |count| share(count, calls).map_or("-".to_owned(), percent);
    let room = shown
        .header
        .width
        .map_or(usize::MAX, |w| w.saturating_sub(24).max(8));
    let mut rows: Vec<Vec<String>> = list
        .names
        .iter()
        .map(|(name, count)| {
            let name = text::cut(&text::name(name), room);
            vec![name, count.to_string(), part(*count)]
        })
        .collect();
    if list.others > 0 {
        let others = format!("{} more", list.others);
        rows.push(vec![others, list.rest.to_string(), part(list.rest)]);
    }
    page.lines.extend(aligned(&rows, 4));
}

/// How far one of several inputs meets the policy's needs.
fn short_of(counts: &Contents, found: &Inspection) -> String {
    let needs = found.needs.iter().zip(&counts.needs);
    let short = needs
        .filter(|(_, met)| met.calls < met.of)
        .map(|(need, met)| {
            let part = share(met.calls, met.of).map_or(String::new(), percent);
            format!(
                "{} {part} for {}",
                need.fact.words(),
                text::prose(&need.asks)
            )
        });
    let short: Vec<_> = short.collect();
    if short.is_empty() {
        "the policy's needs are met".to_owned()
    } else {
        format!(
            "the policy's needs are not met by all calls: {}",
            short.join(", ")
        )
    }
}

fn policy(page: &mut Page<'_>, found: &Inspection, shown: &Shown) {
    let Some(policy) = &found.policy else { return };
    page.policy(policy);
    page.doubts(policy);
    page.section("what the policy needs, and calls that tell it");
    let needs = found.needs.iter().zip(&found.total.needs);
    let needs: Vec<Row> = needs
        .map(|(need, met)| {
            let line = match need.line {
                0 => String::new(),
                line => format!("line {line}"),
            };
            let told = match share(met.calls, met.of) {
                Some(part) => format!("{} of {}, {}", met.calls, met.of, percent(part)),
                None => "no such call".to_owned(),
            };
            Row {
                cells: vec![text::prose(&need.asks), need.fact.words().to_owned(), told],
                note: line,
            }
        })
        .collect();
    if needs.is_empty() {
        page.sentence("nothing that a recording could leave out");
    }
    rows_with_notes(page, needs, 2);
    labels(page, found, shown);
}

fn labels(page: &mut Page<'_>, found: &Inspection, shown: &Shown) {
    let counts = &found.total;
    if found.label_rules.is_empty() {
        return;
    }
    page.section("labels that the policy gives, with their calls");
    let labels = counts.labels.iter();
    let mut rows: Vec<Vec<String>> = labels
        .map(|((label, tool), calls)| vec![text::name(label), text::name(tool), calls.to_string()])
        .collect();
    let most = if shown.top == 0 {
        rows.len()
    } else {
        shown.top
    };
    let more = rows.split_off(most.min(rows.len()));
    page.rows(rows);
    if !more.is_empty() {
        page.sentence(&format!("and {} more; see --top", more.len()));
    }
    for (label, line) in &found.label_rules {
        let given = counts.labels.keys().any(|(name, _)| **name == **label);
        if !given {
            let rule = rule(label, *line);
            page.sentence(&format!("{rule}: no call has it"));
        }
    }
    for (line, calls) in &counts.failed_labels {
        // Rules of a preset have no line that would tell them apart.
        let rule = match line {
            0 => "labels of the preset".to_owned(),
            line => rule(found.label_at(*line), *line),
        };
        let calls = text::count(*calls, "call", "calls");
        page.sentence(&format!(
            "{rule}: could not be evaluated for {calls}, which count as having it"
        ));
    }
}

/// A label rule by its label and its line, where it has one.
fn rule(label: &str, line: usize) -> String {
    match line {
        0 => text::name(label),
        line => format!("{}, line {line}", text::name(label)),
    }
}

fn notices(page: &mut Page<'_>, found: &Inspection, faults: bool) {
    let counts = if faults {
        &found.total.faults
    } else {
        &found.total.warnings
    };
    let total: u64 = counts.values().sum();
    if total == 0 {
        return;
    }
    page.section(if faults { "faults" } else { "warnings" });
    let more = page.notices(&found.notices, faults, total);
    if more > 0 {
        page.sentence(&format!("and {more} more"));
    }
}

fn conclusion(page: &mut Page<'_>, found: &Inspection) {
    page.blank();
    page.lines.extend(text::wrapped(
        "",
        "names and reasons are the inputs' own words: data, not to be trusted",
        page.header.width,
    ));
    let total = &found.total;
    let line = format!(
        "{} in {}; exit {}: {}",
        text::count(total.calls, "call", "calls"),
        text::count(total.runs, "run", "runs"),
        found.exit.status.code(),
        text::prose(&found.exit.reason)
    );
    page.verdict(&line, found.exit.status);
}
