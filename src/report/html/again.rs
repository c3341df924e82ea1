//! How to make the report again: the command, the policy and the inputs, each with its hash.

use super::Sheet;
use super::markup::Html;
use crate::audit::summary::{InputSummary, Summary};
use crate::report::table::text::replayed;

/// Inputs in the table.
const INPUTS: usize = 1000;

pub(super) fn section(out: &mut Html, sheet: &Sheet<'_>) {
    let summary = sheet.summary;
    out.section("again", "How to reproduce it");
    if !sheet.header.command.is_empty() {
        // Whole: half a command would be another one.
        out.raw("<pre tabindex=\"0\" class=\"command\"><code>")
            .text(&sheet.header.command);
        out.raw("</code></pre>\n");
    }
    out.raw("<dl class=\"again\">\n<dt>gate</dt><dd>version ");
    out.raw(env!("CARGO_PKG_VERSION"))
        .raw("</dd>\n<dt>policy</dt><dd>");
    out.name(&summary.policy.source)
        .raw(" <code class=\"hash\">sha256 ");
    out.text(&summary.policy.sha256).raw("</code></dd>\n");
    settings(out, summary);
    out.raw("</dl>\n");
    inputs(out, summary);
    out.raw("</section>\n");
}

fn settings(out: &mut Html, summary: &Summary) {
    let settings = &summary.settings;
    out.raw("<dt>replayed</dt><dd>")
        .text(&replayed(&settings.replayed));
    if settings.merge_runs {
        out.raw(", runs go on from one input into the next");
    }
    out.raw("</dd>\n<dt>status 1 for</dt><dd>");
    for (place, finding) in settings.fail_on.iter().enumerate() {
        out.raw(if place == 0 { "" } else { ", " })
            .raw(finding.as_str());
    }
    if settings.fail_on.is_empty() {
        out.raw("no finding");
    }
    if let Some(rate) = settings.max_violation_rate {
        out.raw("; violations pass up to a rate of ")
            .value("/settings/max_violation_rate", rate);
    }
    if settings.allow_faults {
        out.raw("; input faults leave the status alone");
    }
    out.raw("</dd>\n");
    if let Some(semantic) = &summary.policy.semantic {
        out.raw("<dt>scores by</dt><dd>").raw(semantic.embedder);
        if let Some(sha256) = &semantic.sha256 {
            out.raw(" <code class=\"hash\">sha256 ")
                .text(sha256)
                .raw("</code>");
        }
        out.raw(", ")
            .count(semantic.harm_exemplars as u64)
            .raw(" descriptions of harm and ");
        out.count(semantic.benign_exemplars as u64)
            .raw(" of ordinary work</dd>\n");
    }
}

fn inputs(out: &mut Html, summary: &Summary) {
    if summary.inputs.is_empty() {
        return;
    }
    out.table(
        "inputs",
        "Inputs, in the order in which they were read",
        &[
            "file",
            "format",
            "#lines",
            "#records",
            "#faulty",
            "#unknown fields",
            "#bytes",
            "read",
            "SHA-256",
        ],
    );
    for (place, input) in summary.inputs.iter().take(INPUTS).enumerate() {
        row(out, &format!("/inputs/{place}"), input);
    }
    out.end_table();
    if summary.inputs.len() > INPUTS {
        out.raw("<p class=\"note\">")
            .count((summary.inputs.len() - INPUTS) as u64);
        out.raw(" more inputs are in the machine formats.</p>\n");
    }
}

fn row(out: &mut Html, at: &str, input: &InputSummary) {
    out.raw("<tr><th scope=\"row\">")
        .name(&input.name)
        .raw("</th><td>");
    out.raw(input.format.unwrap_or("not known")).raw("</td>");
    for (field, count) in [
        ("lines", input.lines),
        ("records", input.records),
        ("faulty", input.faulty),
        ("unknown_fields", input.unknown_fields),
        ("bytes", input.bytes),
    ] {
        out.raw("<td class=\"n\">")
            .total(&format!("{at}/{field}"), count)
            .raw("</td>");
    }
    let read = match (&input.error, input.complete) {
        (Some(_), _) => "not at all",
        (None, false) => "not to its end",
        (None, true) => "to its end",
    };
    out.raw("<td>")
        .raw(read)
        .raw("</td><td><code class=\"hash\">")
        .text(&input.sha256);
    out.raw("</code></td></tr>\n");
}
