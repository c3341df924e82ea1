//! What decided: by stage and rule, by run, and what those rules say.

use super::markup::{Html, token};
use super::pages::inline;
use super::{NAMES, Sheet, and_more};
use crate::audit::coverage::{Coverage, Met};
use crate::audit::summary::RunRefusals;
use crate::report::number::percent;
use std::cmp::Reverse;

pub(super) fn section(out: &mut Html, sheet: &Sheet<'_>) {
    let summary = sheet.summary;
    if summary.decisions.total() == 0 {
        return;
    }
    out.section("decided", "What decided");
    decisions(out, sheet);
    contracts(out, sheet);
    refusals(out, sheet);
    if let Some(coverage) = &summary.coverage {
        covered(out, coverage);
    }
    pages(out, sheet);
    out.raw("</section>\n");
}

fn decisions(out: &mut Html, sheet: &Sheet<'_>) {
    let pages = &sheet.kept.pages;
    let deciding = || sheet.summary.rules.iter().filter(|rule| rule.count > 0);
    if deciding().next().is_none() {
        out.raw("<p>Every call passed every stage.</p>\n");
        return;
    }
    let calls = sheet.summary.counts.calls;
    out.table(
        "rules",
        "Decisions that are not plainly allowed, by stage and rule in the order of the pipeline",
        &["stage", "rule", "#decisions", "#of calls", "what it asks"],
    );
    for rule in deciding() {
        let id = format!("{}/{}", rule.stage, rule.rule);
        let pointer = format!(
            "/decisions/by_rule/{}/{}",
            token(rule.stage),
            token(rule.rule)
        );
        out.raw("<tr><td>")
            .raw(rule.stage)
            .raw("</td><th scope=\"row\">");
        pages.link(out, &id, |out| _ = out.raw(rule.rule));
        out.raw("</th><td class=\"n\">").total(&pointer, rule.count);
        out.raw("</td><td class=\"n\">");
        if calls > 0 {
            out.text(&percent(rule.count as f64 / calls as f64));
        }
        out.raw("</td><td>");
        if let Some(rule) = pages.find(&id) {
            inline(out, &rule.summary);
        }
        out.raw("</td></tr>\n");
    }
    out.end_table();
}

/// Decisions by contract, where the policy gives it an id.
fn contracts(out: &mut Html, sheet: &Sheet<'_>) {
    let contracts = &sheet.kept.contracts;
    if contracts.is_empty() {
        return;
    }
    out.table(
        "contracts",
        "Decisions by rule of a preset or contract",
        &["rule", "#decisions"],
    );
    for (id, &count) in contracts.iter().take(NAMES) {
        out.raw("<tr><th scope=\"row\">");
        sheet.kept.pages.link(out, id, |out| _ = out.name(id));
        out.raw("</th><td class=\"n\">")
            .count(count)
            .raw("</td></tr>\n");
    }
    out.end_table();
    and_more(out, contracts.len(), "rules");
}

/// Runs with refused calls, most of them first.
fn refusals(out: &mut Html, sheet: &Sheet<'_>) {
    let refusals = &sheet.summary.refusals;
    if refusals.is_empty() {
        return;
    }
    let mut runs: Vec<&RunRefusals> = refusals.iter().collect();
    runs.sort_by_key(|run| Reverse(run.refused));
    let several = sheet.header.inputs.len() > 1;
    out.raw("<details><summary>Runs with refused calls: ");
    out.count(runs.len() as u64).raw("</summary>\n");
    let columns = ["run", "file", "#refused", "#of calls"];
    let columns: Vec<&'static str> = columns
        .into_iter()
        .filter(|&c| several || c != "file")
        .collect();
    out.table(
        "refusals",
        "Runs with refused calls, those with most first",
        &columns,
    );
    for run in runs.iter().take(NAMES) {
        out.raw("<tr><th scope=\"row\">")
            .name(&run.run)
            .raw("</th>");
        if several {
            out.raw("<td>")
                .name(sheet.header.input(run.input))
                .raw("</td>");
        }
        out.raw("<td class=\"n\">")
            .count(run.refused)
            .raw("</td><td class=\"n\">");
        out.count(run.calls).raw("</td></tr>\n");
    }
    out.end_table();
    and_more(out, runs.len(), "runs");
    out.raw("</details>\n");
}

/// What calls made of each rule of the policy.
fn covered(out: &mut Html, coverage: &Coverage) {
    out.raw("<details><summary>Coverage of the policy: ");
    out.counted(coverage.rules.len() as u64, "rule", "rules")
        .raw("</summary>\n");
    out.table(
        "covered",
        "Coverage of the policy, in calls",
        &[
            "stage",
            "rule",
            "of the policy",
            "#line",
            "#evaluated",
            "#decided",
            "#stops",
            "#unique",
        ],
    );
    for rule in &coverage.rules {
        out.raw(if rule.met.evaluated == 0 {
            "<tr class=\"idle\"><td>"
        } else {
            "<tr><td>"
        });
        out.raw(rule.stage)
            .raw("</td><th scope=\"row\">")
            .raw(rule.rule)
            .raw("</th><td>");
        if !rule.name.is_empty() {
            out.name(&rule.name);
        }
        out.raw("</td><td class=\"n\">");
        if rule.policy_line > 0 {
            out.number(rule.policy_line as u64);
        }
        out.raw("</td>");
        let Met {
            evaluated,
            decided,
            stops,
            unique,
        } = rule.met;
        for count in [evaluated, decided, stops, unique] {
            out.raw("<td class=\"n\">").count(count).raw("</td>");
        }
        out.raw("</tr>\n");
    }
    out.end_table().raw("</details>\n");
}

/// Explanations of what decided, and of the barriers.
fn pages(out: &mut Html, sheet: &Sheet<'_>) {
    let decided = sheet.summary.rules.iter().filter(|rule| rule.count > 0);
    let decided = decided.map(|rule| format!("{}/{}", rule.stage, rule.rule));
    let barriers = sheet.header.barriers.iter();
    let barriers = barriers.map(|barrier| format!("barrier/{barrier}"));
    let contracts = sheet.kept.contracts.keys().cloned();
    let wanted: Vec<String> = decided.chain(barriers).chain(contracts).collect();
    out.raw("<h3>What these rules and barriers say</h3>\n<div class=\"pages\">\n");
    sheet.kept.pages.articles(out, &wanted);
    out.raw("</div>\n");
}
