//! Faults and warnings with their places, of the inputs and of the policy, and inputs that could not be
//! read.

use super::markup::Html;
use super::{NAMES, NOTICES, Sheet, place};
use crate::audit::summary::InputSummary;
use crate::report::Header;
use crate::trace::fault::Notice;
use std::collections::BTreeMap;

/// The first faults and the first warnings.
#[derive(Default)]
pub(super) struct Notices {
    faults: Vec<Html>,
    warnings: Vec<Html>,
}

impl Notices {
    pub(super) fn add(&mut self, notice: &Notice, header: &Header) {
        let list = match notice.kind.is_fault() {
            true => &mut self.faults,
            false => &mut self.warnings,
        };
        if list.len() < NOTICES {
            let mut html = Html::default();
            row(&mut html, notice, header);
            list.push(html);
        }
    }
}

pub(super) fn section(out: &mut Html, sheet: &Sheet<'_>) {
    let summary = sheet.summary;
    let (kept, counts) = (&sheet.kept.notices, &summary.counts);
    out.section("notices", "Faults and warnings");
    let doubts = summary.policy.warnings.len();
    let unread: Vec<&InputSummary> = summary
        .inputs
        .iter()
        .filter(|input| !input.complete)
        .collect();
    if counts.faults + counts.warnings == 0 && doubts == 0 && unread.is_empty() {
        out.raw("<p>There are none: every record was understood.</p>\n</section>\n");
        return;
    }
    inputs(out, &unread);
    let faults = (&summary.fault_codes, counts.faults);
    list(out, "Faults", "/faults/", faults, &kept.faults);
    let warnings = (&summary.warning_codes, counts.warnings);
    list(out, "Warnings", "/warnings/", warnings, &kept.warnings);
    if doubts > 0 {
        policy(out, sheet);
    }
    out.raw("</section>\n");
}

fn inputs(out: &mut Html, unread: &[&InputSummary]) {
    if unread.is_empty() {
        return;
    }
    out.raw("<h3>Inputs that were not read to their end</h3>\n<ul>\n");
    for input in unread.iter().take(NAMES) {
        out.raw("<li>").name(&input.name);
        if let Some(error) = &input.error {
            out.raw(": ").prose(error);
        }
        out.raw("</li>\n");
    }
    out.raw("</ul>\n");
    if unread.len() > NAMES {
        out.raw("<p class=\"note\">and ")
            .count((unread.len() - NAMES) as u64)
            .raw(" more</p>\n");
    }
}

/// Faults or warnings: how many of each kind, and the first of them.
fn list(
    out: &mut Html,
    title: &'static str,
    pointer: &'static str,
    (codes, all): (&BTreeMap<&'static str, u64>, u64),
    rows: &[Html],
) {
    if all == 0 {
        return;
    }
    out.raw("<h3>").raw(title).raw("</h3>\n<p>");
    for (place, (code, count)) in codes.iter().enumerate() {
        out.raw(if place == 0 { "<code>" } else { ", <code>" })
            .raw(code)
            .raw("</code> ");
        out.total(&format!("{pointer}{code}"), *count);
    }
    out.raw("</p>\n");
    out.table("notices", title, &["place", "code", "run", "what is wrong"]);
    for row in rows {
        out.piece(row);
    }
    out.end_table();
    if all > rows.len() as u64 {
        out.raw("<p class=\"note\">").count(all - rows.len() as u64);
        out.raw(" more are in the machine formats.</p>\n");
    }
}

fn row(out: &mut Html, notice: &Notice, header: &Header) {
    let at = notice.place;
    out.raw("<tr><td>");
    match at.told() {
        Some(told) => place(out, header, at.input, &told),
        None => _ = out.name(header.input(at.input)),
    }
    out.raw("</td><th scope=\"row\"><code>")
        .raw(notice.kind.code())
        .raw("</code></th><td>");
    if let Some(run) = &notice.run {
        out.name(run);
    }
    out.raw("</td><td class=\"why\">").prose(&notice.message);
    if let Some(help) = &notice.help {
        out.raw(" <span class=\"help\">help: ")
            .prose(help)
            .raw("</span>");
    }
    out.raw("</td></tr>\n");
}

/// Doubts about the policy.
fn policy(out: &mut Html, sheet: &Sheet<'_>) {
    let policy = &sheet.summary.policy;
    out.raw("<h3>Warnings about the policy</h3>\n");
    out.table(
        "notices",
        "Warnings about the policy",
        &["line", "code", "what is wrong"],
    );
    for doubt in policy.warnings.iter().take(NOTICES) {
        out.raw("<tr><td>")
            .text(doubt.place.told().as_deref().unwrap_or("default"));
        out.raw("</td><th scope=\"row\"><code>")
            .raw(doubt.code)
            .raw("</code></th><td class=\"why\">");
        out.prose(&doubt.message).raw("</td></tr>\n");
    }
    out.end_table();
    if policy.warnings.len() > NOTICES {
        out.raw("<p class=\"note\">")
            .count((policy.warnings.len() - NOTICES) as u64);
        out.raw(" more are in the machine formats.</p>\n");
    }
}
