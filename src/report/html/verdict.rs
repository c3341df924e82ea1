//! The verdict: the exit status and why, the one sentence that matters, and how far it can be relied on.

use super::Sheet;
use super::markup::{Html, grouped, minus};
use crate::audit::summary::Summary;
use crate::engine::decision::DecisionKind;
use crate::exit::Exit;
use crate::report::table::text::share;

/// Names of runs in doubt.
const DOUBTFUL: usize = 10;

pub(super) fn section(out: &mut Html, sheet: &Sheet<'_>) {
    let summary = sheet.summary;
    let exit = &summary.exit;
    let (class, sign, word) = match exit.status {
        Exit::Clean => ("clean", CLEAN, "No finding"),
        Exit::Findings => ("findings", FINDINGS, "Findings"),
        Exit::Unusable | Exit::Signal(_) => ("unusable", UNUSABLE, "Not to be relied on"),
    };
    out.raw("<header id=\"verdict\" class=\"")
        .raw(class)
        .raw("\">\n");
    out.raw("<p class=\"kicker\">gate audit</p>\n<h1>")
        .raw(sign)
        .raw(word)
        .raw("</h1>\n");
    out.raw("<p class=\"status\">Exit status ");
    out.total("/exit/status", exit.status.code().into());
    if !exit.reason.is_empty() {
        out.raw(": ").prose(&exit.reason);
    }
    out.raw("</p>\n<p class=\"lead\">");
    lead(out, summary);
    out.raw("</p>\n<ul class=\"facts\">\n");
    facts(out, sheet);
    out.raw("</ul>\n</header>\n");
}

/// A tick, a cross and a question mark, each in a shape of its own.
const CLEAN: &str = concat!(
    "<svg class=\"sign\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><circle cx=\"12\" cy=\"12\" r=\"11\"/>",
    "<path d=\"M6.5 12.5l4 4l7 -8\"/></svg>"
);
const FINDINGS: &str = concat!(
    "<svg class=\"sign\" viewBox=\"0 0 24 24\" aria-hidden=\"true\">",
    "<path class=\"ground\" d=\"M7.4 1h9.2l6.4 6.4v9.2l-6.4 6.4h-9.2l-6.4 -6.4v-9.2z\"/>",
    "<path d=\"M8 8l8 8M16 8l-8 8\"/></svg>"
);
const UNUSABLE: &str = concat!(
    "<svg class=\"sign\" viewBox=\"0 0 24 24\" aria-hidden=\"true\">",
    "<path class=\"ground\" d=\"M12 1.5l11 20h-22z\"/><path d=\"M12 9v6M12 17.6v1\"/></svg>"
);

/// What became of the calls, as far as it is known.
fn lead(out: &mut Html, summary: &Summary) {
    let calls = summary.counts.calls;
    let refused: u64 = summary.refusals.iter().map(|run| run.refused).sum();
    let withheld = summary.decisions.of(DecisionKind::Withhold);
    if calls == 0 {
        out.raw("No call was audited: nothing is known of what was done.");
        return;
    }
    let calls = counted(calls, "call", "calls");
    let runs = counted(summary.counts.runs, "run", "runs");
    let mut says = match refused {
        0 if is_doubtful(summary) => {
            format!("None of {calls} that could be read, in {runs}, is refused")
        }
        0 => format!("None of {calls} in {runs} is refused under this policy"),
        _ => {
            let are = if refused == 1 { "is" } else { "are" };
            let among = grouped(summary.refusals.len() as u64);
            let refused = grouped(refused);
            format!("{refused} of {calls}, in {among} of {runs}, {are} refused under this policy")
        }
    };
    if withheld > 0 {
        let results = counted(withheld, "result is", "results are");
        says += &format!("; {results} withheld");
    }
    out.text(&says);
    if is_doubtful(summary) {
        out.raw(". What could not be read is not known: nothing says that it is allowed");
    }
    out.raw(".");
}

/// Whether part of what was to be audited is not known.
fn is_doubtful(summary: &Summary) -> bool {
    let counts = &summary.counts;
    !summary.complete || counts.faults > 0 || counts.inconclusive_runs > 0
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

fn facts(out: &mut Html, sheet: &Sheet<'_>) {
    let summary = sheet.summary;
    for law in &summary.broken_laws {
        fact(out, false, |out| {
            out.raw("<b>gate is wrong</b>: it does not hold that ")
                .prose(law);
        });
    }
    let inputs = summary.inputs.len() as u64;
    let unread = summary
        .inputs
        .iter()
        .filter(|input| !input.complete)
        .count() as u64;
    fact(out, summary.complete, |out| {
        if summary.complete {
            out.raw("<b>Complete</b>: ")
                .counted(inputs, "input", "inputs");
            out.raw(" read to the end");
        } else {
            out.raw("<b>Incomplete</b>: ").count(unread).raw(" of ");
            out.counted(inputs, "input was", "inputs were");
            out.raw(" not read to the end");
        }
    });
    let counts = &summary.counts;
    if counts.faults + counts.warnings > 0 {
        fact(out, counts.faults == 0, |out| {
            out.raw("<a href=\"#notices\">")
                .counted(counts.faults, "input fault", "input faults");
            out.raw(", ")
                .counted(counts.warnings, "warning", "warnings")
                .raw("</a>");
        });
    }
    if counts.inconclusive_runs > 0 {
        fact(out, false, |out| inconclusive(out, sheet));
    }
    if let Some(first) = &sheet.kept.first {
        fact(out, false, |out| {
            match first.row {
                // Rows of refused calls stay where they are, whatever comes.
                Some(row) => out
                    .raw("<a href=\"#d")
                    .number(row)
                    .raw("\">First refusal</a>: "),
                None => out.raw("<b>First refusal</b>: "),
            };
            out.name(&first.tool)
                .raw(", run ")
                .name(&first.run)
                .raw(", ");
            sheet.place(out, first.input, first.line);
            out.raw(": ").piece(&first.why);
        });
    }
    if let Some(nearest) = &summary.nearest {
        let measured = &nearest.approach.measured;
        let within = nearest.at.value >= 0.0;
        fact(out, within, |out| {
            out.raw(match within {
                true => "<b>Nearest to a refusal</b> by a barrier: ",
                false => "<b>Farthest past a barrier</b>: ",
            });
            out.name(sheet.header.barrier(measured.barrier)).raw(" ");
            out.value("/nearest/value", nearest.at.value);
            out.raw(" (").text(&minus(&share(measured.scaled)));
            out.raw(" of its start), run ")
                .name(&nearest.at.run)
                .raw(", ");
            sheet.place(out, nearest.at.input, nearest.at.line);
        });
    }
}

/// Appends a fact; one that is not good is told by its sign too.
fn fact(out: &mut Html, good: bool, says: impl FnOnce(&mut Html)) {
    out.raw(if good { "<li>" } else { "<li class=\"mind\">" });
    says(out);
    out.raw("</li>\n");
}

fn inconclusive(out: &mut Html, sheet: &Sheet<'_>) {
    let counts = &sheet.summary.counts;
    out.raw("<b>Inconclusive</b>: ")
        .count(counts.inconclusive_runs)
        .raw(" of ");
    out.counted(counts.runs, "run", "runs");
    out.raw(", whose state a fault leaves in doubt");
    let shown = sheet.kept.doubtful.iter().take(DOUBTFUL);
    for (place, run) in shown.enumerate() {
        out.raw(if place == 0 { ": " } else { ", " }).name(run);
    }
    if counts.inconclusive_runs > DOUBTFUL as u64 && !sheet.kept.doubtful.is_empty() {
        let more = counts.inconclusive_runs - DOUBTFUL as u64;
        out.raw(" and ").count(more).raw(" more");
    }
}
