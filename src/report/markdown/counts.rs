//! What the calls came to, in numbers.

use super::text::cell;
use super::{NAME, Page};
use crate::audit::summary::{BarrierSummary, Extreme, RateSummary, Summary};
use crate::engine::decision::DecisionKind;
use crate::number::rounded;
use crate::report::number::percent;

/// What was counted, where there is any of it.
pub fn counts(page: &mut Page, summary: &Summary) {
    let counts = &summary.counts;
    let always = [("runs", counts.runs), ("calls", counts.calls)];
    let met = [
        ("input faults", counts.faults),
        ("warnings of inputs", counts.warnings),
        (
            "warnings of the policy",
            summary.policy.warnings.len() as u64,
        ),
        (
            "runs that a fault leaves in doubt",
            counts.inconclusive_runs,
        ),
        (
            "calls that barriers refuse jointly with calls in flight",
            summary.hazards,
        ),
        ("calls whose recorded decision differs", summary.drift),
        (
            "calls after replay and record parted",
            summary.counterfactual,
        ),
        (
            "calls whose arguments are not told",
            summary.unknown_arguments,
        ),
        (
            "calls that the semantic firewall could not score",
            summary.unscored,
        ),
    ];
    let met = met.into_iter().filter(|(_, count)| *count > 0);
    let rows = always.into_iter().chain(met);
    page.table(
        &["", "#count"],
        rows.map(|(what, count)| vec![what.to_owned(), count.to_string()]),
    );
}

/// Decisions by kind, then by stage and rule.
pub fn decisions(page: &mut Page, summary: &Summary) {
    if summary.decisions.total() == 0 {
        return;
    }
    page.section("Decisions");
    let kinds = DecisionKind::ALL;
    let columns: Vec<String> = kinds
        .iter()
        .map(|kind| format!("#{}", kind.as_str()))
        .collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let counts = kinds
        .iter()
        .map(|&kind| summary.decisions.of(kind).to_string());
    page.table(&columns, [counts.collect()]);
    let rules = summary.rules.iter().filter(|rule| rule.count > 0);
    let rows: Vec<Vec<String>> = rules
        .map(|rule| {
            vec![
                format!("`{}`", rule.stage),
                format!("`{}`", rule.rule),
                rule.count.to_string(),
            ]
        })
        .collect();
    if !rows.is_empty() {
        page.table(&["stage", "rule", "#decisions"], rows);
    }
}

/// How often barriers refused.
pub fn rates(page: &mut Page, summary: &Summary) {
    if summary.counts.calls == 0 {
        return;
    }
    let rates = summary.violations.rates();
    page.section("Violations of barriers");
    let rows = rates.map(|(_, what, rate)| row(what, rate));
    page.table(&["", "#hits", "#of", "#rate", "95% interval"], rows);
    if rates.iter().any(|(_, _, rate)| rate.approximate) {
        page.paragraph("The intervals are approximate: there are fewer than 30 runs.");
    }
}

fn row(what: &str, rate: &RateSummary) -> Vec<String> {
    let known = rate.rate.filter(|_| rate.of > 0);
    let interval = rate.interval.filter(|_| known.is_some());
    vec![
        what.to_owned(),
        rate.hits.to_string(),
        rate.of.to_string(),
        known.map_or("no data".to_owned(), percent),
        interval.map_or_else(String::new, |bounds| {
            format!("{} to {}", percent(bounds.low), percent(bounds.high))
        }),
    ]
}

/// The least value and the least slack of each barrier, and where.
pub fn barriers(page: &mut Page, summary: &Summary) {
    let met =
        |barrier: &&BarrierSummary| barrier.least_h.is_some() || barrier.least_slack.is_some();
    let met: Vec<&BarrierSummary> = summary.barriers.iter().filter(met).collect();
    if met.is_empty() {
        return;
    }
    page.section("Barriers");
    let rows: Vec<Vec<String>> = met
        .into_iter()
        .map(|barrier| {
            let [h, at_h] = extreme(page, barrier.least_h.as_ref());
            let [slack, at_slack] = extreme(page, barrier.least_slack.as_ref());
            let counts = [barrier.root, barrier.standing, barrier.hazards];
            let mut row = vec![cell(&barrier.name, NAME), h, at_h, slack, at_slack];
            row.extend(counts.map(|count| count.to_string()));
            row
        })
        .collect();
    let columns = [
        "barrier",
        "#least h",
        "at",
        "#least slack",
        "at",
        "#root",
        "#standing",
        "#hazards",
    ];
    page.table(&columns, rows);
}

/// A value and where it was met.
fn extreme(page: &Page, extreme: Option<&Extreme>) -> [String; 2] {
    let Some(extreme) = extreme else {
        return [String::new(), String::new()];
    };
    let place = page.place(extreme.input, extreme.line, 0);
    let call = cell(&extreme.call, NAME);
    [
        rounded(extreme.value),
        format!("{place}, call {call} of {}", cell(&extreme.run, NAME)),
    ]
}
