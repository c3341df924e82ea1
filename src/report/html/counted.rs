//! What was counted: calls and decisions, findings, barriers, tools and labels.

use super::markup::{Html, token};
use super::{NAMES, Sheet, and_more};
use crate::audit::summary::{Extreme, KindCounts, Summary};
use crate::engine::decision::DecisionKind;
use crate::report::table::outcome::found;
use std::cmp::Reverse;
use std::collections::BTreeMap;

pub(super) fn section(out: &mut Html, sheet: &Sheet<'_>) {
    out.section("counted", "What was counted");
    tiles(out, sheet.summary);
    findings(out, sheet.summary);
    barriers(out, sheet);
    tools(out, sheet.summary);
    labels(out, sheet.summary);
    names(
        out,
        "Tools that no rule of the policy names, with their calls",
        &sheet.summary.unnamed_tools,
    );
    names(
        out,
        "Tools outside the boundary of the policy, with their calls",
        &sheet.summary.unmediated,
    );
    out.raw("</section>\n");
}

fn tiles(out: &mut Html, summary: &Summary) {
    let counts = &summary.counts;
    out.raw("<dl class=\"tiles\">\n");
    tile(out, "calls", "calls", "/counts/calls", counts.calls);
    for &kind in DecisionKind::ALL {
        let pointer = format!("/decisions/by_kind/{}", kind.as_str());
        let count = summary.decisions.of(kind);
        tile(out, kind.as_str(), kind.as_str(), &pointer, count);
    }
    for (what, pointer, count) in [
        ("runs", "/counts/runs", counts.runs),
        (
            "inconclusive runs",
            "/counts/inconclusive_runs",
            counts.inconclusive_runs,
        ),
        ("faults", "/counts/faults", counts.faults),
        ("warnings", "/counts/warnings", counts.warnings),
    ] {
        tile(out, "", what, pointer, count);
    }
    out.raw("</dl>\n");
    bar(out, summary);
    out.raw("<p class=\"note\">");
    for (place, (what, pointer, count)) in [
        ("lines ", "/counts/lines", counts.lines),
        (" = records ", "/counts/records", counts.records),
        (" + blank ", "/counts/blank", counts.blank),
        (" + faulty ", "/counts/faulty", counts.faulty),
        ("; results ", "/counts/results", counts.results),
        (
            "; calls repeated with the same content, judged once: ",
            "/counts/repeats",
            counts.repeats,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        out.raw(if place == 0 { "Bookkeeping: " } else { "" });
        out.raw(what).total(pointer, count);
    }
    out.raw(".</p>\n");
}

fn tile(out: &mut Html, class: &'static str, what: &'static str, pointer: &str, count: u64) {
    out.raw("<div class=\"")
        .raw(class)
        .raw(if count == 0 { " none" } else { "" });
    out.raw("\"><dt>").raw(what).raw("</dt><dd>");
    out.total(pointer, count).raw("</dd></div>\n");
}

/// Decisions by kind as parts of a bar; the numbers stand above it.
fn bar(out: &mut Html, summary: &Summary) {
    let total = summary.decisions.total();
    if total == 0 {
        return;
    }
    out.raw("<svg class=\"parts\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let mut from = 0.0;
    for &kind in DecisionKind::ALL {
        let width = summary.decisions.of(kind) as f64 / total as f64 * 1000.0;
        if width > 0.0 {
            out.raw("<rect class=\"")
                .raw(kind.as_str())
                .raw("\" height=\"10\" x=\"");
            out.text(&format!("{from:.1}")).raw("\" width=\"");
            out.text(&format!("{:.1}", width.max(2.0))).raw("\"/>");
        }
        from += width;
    }
    out.raw("</svg>\n");
}

fn findings(out: &mut Html, summary: &Summary) {
    let found = found(summary);
    if found.is_empty() {
        return;
    }
    out.raw("<h3>Findings beside the decisions</h3>\n<dl class=\"found\">\n");
    for (what, says) in found {
        out.raw("<dt>")
            .raw(what)
            .raw("</dt><dd>")
            .text(&says)
            .raw("</dd>\n");
    }
    out.raw("</dl>\n");
}

fn barriers(out: &mut Html, sheet: &Sheet<'_>) {
    let summary = sheet.summary;
    if summary
        .barriers
        .iter()
        .all(|barrier| barrier.least_h.is_none())
    {
        return;
    }
    out.table(
        "barriers",
        "Barriers: the least value and the least slack that a call met, and what each refused",
        &[
            "barrier",
            "#least h",
            "at",
            "#least slack",
            "at",
            "#root",
            "#standing",
            "#hazards",
        ],
    );
    for barrier in &summary.barriers {
        let at = format!("/barriers/{}", token(&barrier.name));
        out.raw("<tr><th scope=\"row\">");
        sheet
            .kept
            .pages
            .link(out, &format!("barrier/{}", barrier.name), |out| {
                out.name(&barrier.name);
            });
        out.raw("</th>");
        for (field, least) in [
            ("least_h", &barrier.least_h),
            ("least_slack", &barrier.least_slack),
        ] {
            extreme(out, sheet, &format!("{at}/{field}/value"), least.as_ref());
        }
        for (field, count) in [
            ("root", barrier.root),
            ("standing", barrier.standing),
            ("hazards", barrier.hazards),
        ] {
            out.raw("<td class=\"n\">")
                .total(&format!("{at}/{field}"), count)
                .raw("</td>");
        }
        out.raw("</tr>\n");
    }
    out.end_table();
}

/// The cells of an extreme value: what it is, and where it was met.
fn extreme(out: &mut Html, sheet: &Sheet<'_>, pointer: &str, extreme: Option<&Extreme>) {
    let Some(extreme) = extreme else {
        out.raw("<td class=\"n\">none met</td><td></td>");
        return;
    };
    out.raw(if extreme.value < 0.0 {
        "<td class=\"n bad\">"
    } else {
        "<td class=\"n\">"
    });
    out.value(pointer, extreme.value).raw("</td><td>");
    sheet.place(out, extreme.input, extreme.line);
    out.raw(", ").name(&extreme.run).raw("</td>");
}

/// Decisions by tool, those with most that are not allowed first.
fn tools(out: &mut Html, summary: &Summary) {
    if summary.tools.is_empty() {
        return;
    }
    let mut tools: Vec<(&String, &KindCounts)> = summary.tools.iter().collect();
    tools.sort_by_key(|(_, counts)| {
        let total = counts.total();
        Reverse((total - counts.of(DecisionKind::Allow), total))
    });
    out.raw("<details><summary>Decisions by tool: ");
    out.counted(tools.len() as u64, "tool", "tools")
        .raw("</summary>\n");
    out.table(
        "tools",
        "Decisions by tool, those with most that are not allowed first",
        &[
            "tool",
            "#calls",
            "#allow",
            "#block",
            "#escalate",
            "#withhold",
            "#error",
        ],
    );
    for (tool, counts) in tools.iter().take(NAMES) {
        out.raw("<tr><th scope=\"row\">")
            .name(tool)
            .raw("</th><td class=\"n\">");
        out.count(counts.total()).raw("</td>");
        for &kind in DecisionKind::ALL {
            out.raw("<td class=\"n\">")
                .count(counts.of(kind))
                .raw("</td>");
        }
        out.raw("</tr>\n");
    }
    out.end_table();
    and_more(out, tools.len(), "tools");
    out.raw("</details>\n");
}

fn labels(out: &mut Html, summary: &Summary) {
    if summary.labels.is_empty() {
        return;
    }
    out.raw("<details><summary>Calls by label: ");
    out.counted(summary.labels.len() as u64, "label", "labels")
        .raw("</summary>\n");
    out.table(
        "labels",
        "Calls by label, and their tools",
        &["label", "#calls", "tools"],
    );
    let mut labels: Vec<_> = summary.labels.iter().collect();
    labels.sort_by_key(|(_, label)| Reverse(label.calls));
    for (name, label) in labels.iter().take(NAMES) {
        out.raw("<tr><th scope=\"row\">")
            .name(name)
            .raw("</th><td class=\"n\">");
        out.count(label.calls).raw("</td><td>");
        listed(out, &label.tools, 10);
        out.raw("</td></tr>\n");
    }
    out.end_table();
    and_more(out, labels.len(), "labels");
    out.raw("</details>\n");
}

fn names(out: &mut Html, title: &'static str, names: &BTreeMap<String, u64>) {
    if !names.is_empty() {
        out.raw("<details><summary>").raw(title).raw(": ");
        out.counted(names.len() as u64, "tool", "tools")
            .raw("</summary>\n<p>");
        listed(out, names, NAMES);
        out.raw("</p></details>\n");
    }
}

/// Names with their counts, those that count most first.
fn listed(out: &mut Html, names: &BTreeMap<String, u64>, most: usize) {
    let mut sorted: Vec<(&String, &u64)> = names.iter().collect();
    sorted.sort_by_key(|(_, count)| Reverse(**count));
    for (place, (name, count)) in sorted.iter().take(most).enumerate() {
        out.raw(if place == 0 { "" } else { ", " }).name(name);
        out.raw("\u{a0}").count(**count);
    }
    if sorted.len() > most {
        out.raw(" and ")
            .count((sorted.len() - most) as u64)
            .raw(" more");
    }
}
