//! What an audit came to, for people: short sections, only those that have something to say, and
//! the verdict last.

use super::coverage::coverage;
use super::outcome;
use super::page::{NAMES, Page, and_more};
use super::text;
use crate::audit::summary::{InputSummary, Summary};
use crate::report::Header;
use crate::report::courses::Courses;
use crate::report::verdict;
use std::collections::BTreeMap;

/// The lines that end a report.
pub fn lines(summary: &Summary, courses: &Courses, header: &Header) -> Vec<String> {
    let mut page = Page::new(header);
    inputs(&mut page, summary);
    policy(&mut page, summary);
    outcome::decisions(&mut page, summary);
    outcome::barriers(&mut page, summary);
    super::courses::courses(&mut page, courses, summary.counts.runs);
    if summary.counts.calls > 0 {
        outcome::violations(&mut page, summary);
    }
    outcome::findings(&mut page, summary);
    notices(&mut page, summary, "faults", true);
    notices(&mut page, summary, "warnings", false);
    labels(&mut page, summary);
    let unnamed = &summary.unnamed_tools;
    names(
        &mut page,
        "tools that no rule names, with their calls",
        unnamed,
    );
    let unmediated = &summary.unmediated;
    names(
        &mut page,
        "tools outside the boundary, with their calls",
        unmediated,
    );
    coverage(&mut page, summary);
    bookkeeping(&mut page, summary);
    conclude(&mut page, summary);
    page.lines
}

fn inputs(page: &mut Page<'_>, summary: &Summary) {
    if summary.inputs.is_empty() {
        return;
    }
    page.section("inputs");
    let choice = |long: bool| {
        let inputs = summary.inputs.iter();
        inputs.map(|input| input_row(input, long)).collect()
    };
    page.rows_that_fit(vec![choice(true), choice(false)]);
    for input in &summary.inputs {
        let name = text::name(&input.name);
        match &input.error {
            Some(error) => page.sentence(&format!("{name}: {}", text::prose(error))),
            None if !input.complete => page.sentence(&format!("{name} was not read to its end")),
            None => {}
        }
    }
    page.sentence("names, ids and reasons are the inputs' own words: data, not to be trusted");
}

fn input_row(input: &InputSummary, long: bool) -> Vec<String> {
    let lines = text::count(input.lines, "line", "lines");
    let mut counts = format!(
        "{lines}, {}",
        text::count(input.records, "record", "records")
    );
    if input.unknown_fields > 0 {
        let unknown = text::count(input.unknown_fields, "unknown field", "unknown fields");
        counts += &format!(", {unknown}");
    }
    let format = input.format.unwrap_or("unread").to_owned();
    if long {
        vec![
            text::name(&input.name),
            format,
            counts,
            text::digest(&input.sha256),
        ]
    } else {
        vec![
            text::cut(&text::name(&input.name), 30),
            format,
            counts,
            text::short(&input.sha256),
        ]
    }
}

fn policy(page: &mut Page<'_>, summary: &Summary) {
    let policy = &summary.policy;
    page.policy(policy);
    let settings = &summary.settings;
    let merged = if settings.merge_runs {
        ", runs go on from one input into the next"
    } else {
        ""
    };
    let replayed = text::replayed(&settings.replayed);
    page.sentence(&format!("{replayed}{merged}"));
    if let Some(semantic) = &policy.semantic {
        let digest = semantic.sha256.as_deref();
        let digest = digest.map(|sha256| format!(" ({})", text::digest(sha256)));
        let digest = digest.unwrap_or_default();
        page.sentence(&format!(
            "semantic scores by {}{digest}, {} of harm and {} of ordinary work",
            semantic.embedder,
            text::count(
                semantic.harm_exemplars as u64,
                "description",
                "descriptions"
            ),
            semantic.benign_exemplars,
        ));
    }
    page.doubts(policy);
}

fn notices(page: &mut Page<'_>, summary: &Summary, title: &str, faults: bool) {
    let codes = if faults {
        &summary.fault_codes
    } else {
        &summary.warning_codes
    };
    if codes.is_empty() {
        return;
    }
    page.section(title);
    let counts = codes.iter().map(|(code, count)| format!("{code} {count}"));
    page.sentence(&counts.collect::<Vec<_>>().join(", "));
    let more = page.notices(&summary.notices, faults, codes.values().sum());
    if more > 0 {
        page.sentence(&format!("and {more} more"));
    }
}

/// Which calls have which labels, those of most calls first, and the labels of the policy that none
/// has.
fn labels(page: &mut Page<'_>, summary: &Summary) {
    if summary.labels.is_empty() {
        return;
    }
    page.section("labels, with their calls by tool");
    let (mut given, never): (Vec<_>, Vec<_>) = summary
        .labels
        .iter()
        .partition(|(_, label)| label.calls > 0);
    given.sort_by_key(|(_, label)| std::cmp::Reverse(label.calls));
    for (name, label) in given.iter().take(NAMES) {
        let tools = most_first(&label.tools);
        page.sentence(&format!("{} {}: {tools}", text::name(name), label.calls));
    }
    if given.len() > NAMES {
        page.sentence(&format!("and {} more", given.len() - NAMES));
    }
    if !never.is_empty() {
        let shown = never.iter().take(NAMES).map(|(name, _)| text::name(name));
        let list = and_more(shown.collect(), never.len());
        page.sentence(&format!("on no call: {list}"));
    }
}

fn names(page: &mut Page<'_>, title: &str, names: &BTreeMap<String, u64>) {
    if names.is_empty() {
        return;
    }
    page.section(title);
    page.sentence(&most_first(names));
}

/// Names with counts, those that count most first.
fn most_first(names: &BTreeMap<String, u64>) -> String {
    let mut sorted: Vec<(&String, &u64)> = names.iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    let shown = sorted.iter().take(NAMES);
    let shown = shown.map(|(name, count)| format!("{} {count}", text::name(name)));
    and_more(shown.collect(), names.len())
}

fn bookkeeping(page: &mut Page<'_>, summary: &Summary) {
    page.section("bookkeeping");
    let c = &summary.counts;
    page.sentence(&format!(
        "lines {} = records {} + blank {} + faulty {}; calls {} = decisions {}; runs {}, results {}, \
         repeats {}",
        c.lines,
        c.records,
        c.blank,
        c.faulty,
        c.calls,
        summary.decisions.total(),
        c.runs,
        c.results,
        c.repeats,
    ));
    for law in &summary.broken_laws {
        page.sentence(&format!("does not add up: {}", text::prose(law)));
    }
}

fn conclude(page: &mut Page<'_>, summary: &Summary) {
    page.blank();
    let status = summary.exit.status;
    let (word, counts) = (verdict::word(summary), verdict::counts(summary));
    let mut line = format!("{word}: {counts}; exit {}", status.code());
    if !summary.exit.reason.is_empty() {
        line += &format!(": {}", text::prose(&summary.exit.reason));
    }
    page.verdict(&line, status);
}
