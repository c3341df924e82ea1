//! The table of calls: those that are refused before those that only stand out, and these before the rest,
//! as many as there is room for; in the order of the audit.

use super::markup::Html;
use super::pages::Pages;
use super::{CALLS, Sheet, place};
use crate::engine::decision::{Decision, DecisionKind, Semantic};
use crate::report::Header;
use crate::report::args::Secrets;
use crate::verify::robustness::distance;

/// The calls that are kept.
#[derive(Default)]
pub(super) struct Calls {
    /// By rank, those of each in order.
    ranks: [Vec<Row>; 3],
    /// Listed calls by rank, kept or not.
    met: [u64; 3],
    /// Made when the first arguments are to be shown.
    secrets: Option<Secrets>,
}

/// A call that is kept.
struct Row {
    number: u64,
    html: Html,
}

/// Which calls go before others: 0 may not run, 1 stands out otherwise, 2 is plainly allowed.
fn rank(decision: &Decision) -> usize {
    let stands_out = decision.kind != DecisionKind::Allow
        || decision.is_drift()
        || decision.inconclusive
        || !decision.hazard.is_empty();
    match (decision.is_refused(), stands_out) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    }
}

impl Calls {
    /// A listed call. Gives its number if it has a row, which one of a refused call keeps.
    pub(super) fn add(
        &mut self,
        decision: &Decision,
        header: &Header,
        pages: &Pages,
    ) -> Option<u64> {
        let rank = rank(decision);
        self.met[rank] += 1;
        let number = self.met.iter().sum();
        let kept: usize = self.ranks.iter().map(Vec::len).sum();
        if kept == CALLS {
            let lower = self.ranks.iter_mut().skip(rank + 1).rev();
            let mut lower = lower.filter(|rows| !rows.is_empty());
            // The latest of the lowest rank makes room.
            lower.next()?.pop();
        }
        let args = decision.args.as_deref().map(|args| {
            let secrets = self.secrets.get_or_insert_with(Secrets::new);
            secrets.shown(args)
        });
        let mut html = Html::default();
        row(&mut html, decision, args, number, header, pages);
        self.ranks[rank].push(Row { number, html });
        Some(number)
    }

    fn listed(&self) -> u64 {
        self.met.iter().sum()
    }
}

pub(super) fn section(out: &mut Html, sheet: &Sheet<'_>) {
    let calls = &sheet.kept.calls;
    let counts = &sheet.summary.counts;
    if counts.calls == 0 {
        return;
    }
    out.section("calls", "Calls");
    let mut rows: Vec<&Row> = calls.ranks.iter().flatten().collect();
    rows.sort_by_key(|row| row.number);
    let [refused, others, _] = calls.met;
    out.raw("<p>")
        .total("/counts/listed", counts.listed)
        .raw(" of ");
    out.counted(counts.calls, "call is", "calls are")
        .raw(" listed: ");
    out.count(refused).raw(" refused, ").count(others);
    out.raw(" that stand out otherwise, the rest allowed. ");
    if (rows.len() as u64) < calls.listed() {
        out.raw("The table has ").count(rows.len() as u64);
        out.raw(" of them, those refused before all others; the machine formats have all.");
    } else {
        out.raw("The table has all of them.");
    }
    out.raw("</p>\n");
    if rows.is_empty() {
        out.raw("</section>\n");
        return;
    }
    out.raw(FILTER);
    let file = if sheet.header.inputs.len() > 1 {
        "place"
    } else {
        "#line"
    };
    out.table(
        "calls",
        "Calls in the order in which their decisions became final",
        &[
            file,
            "run",
            "#call",
            "tool",
            "decision",
            "rule",
            "nearest barrier",
            "why, and what else there is to it",
        ],
    );
    for row in rows {
        out.piece(&row.html);
    }
    out.end_table();
    out.raw("</section>\n");
}

/// What the script shows once it runs.
const FILTER: &str = concat!(
    "<div class=\"filter\" hidden>\n",
    "<label>Search <input type=\"search\" id=\"f-text\" autocomplete=\"off\"></label>\n",
    "<label>Decision <select id=\"f-kind\"><option value=\"\">all</option></select></label>\n",
    "<label>Rule <select id=\"f-rule\"><option value=\"\">all</option></select></label>\n",
    "<output id=\"f-shown\"></output>\n</div>\n"
);

fn row(
    out: &mut Html,
    decision: &Decision,
    args: Option<String>,
    number: u64,
    header: &Header,
    pages: &Pages,
) {
    let kind = decision.kind.as_str();
    out.raw("<tr id=\"d")
        .number(number)
        .raw("\" class=\"")
        .raw(kind)
        .raw("\"><td class=\"n\">");
    match header.inputs.len() {
        0 | 1 => _ = out.number(decision.line),
        _ => place(out, header, decision.input, &decision.line.to_string()),
    }
    out.raw("</td><td>")
        .name(&decision.run)
        .raw("</td><td class=\"n\">")
        .number(decision.seq);
    out.raw("</td><th scope=\"row\">")
        .name(&decision.tool)
        .raw("</th><td class=\"kind\"><span>");
    out.raw(kind).raw("</span></td><td>");
    match (decision.stage, decision.rule) {
        (Some(stage), Some(rule)) => pages.link(out, &format!("{stage}/{rule}"), |out| {
            out.raw(stage).raw(".<wbr>").raw(rule);
        }),
        (stage, rule) => _ = out.raw(stage.or(rule).unwrap_or("")),
    }
    out.raw("</td><td class=\"near\">");
    nearest(out, decision, header);
    out.raw("</td><td class=\"why\">");
    why(out, decision, header);
    what_else(out, decision, header, pages);
    if let Some(args) = args {
        out.raw("<div class=\"args\">args <code>")
            .text(&args)
            .raw("</code></div>");
    }
    out.raw("</td></tr>\n");
}

/// The barriers that refused, else the one that the call came nearest.
fn nearest(out: &mut Html, decision: &Decision, header: &Header) {
    let distances = decision.barriers.iter();
    let distances = distances.map(|reading| distance(reading.h, reading.next, reading.slack));
    let least = header
        .scales
        .least(distances)
        .map(|measured| measured.barrier);
    let shown = match decision.broken.is_empty() {
        true => least.as_slice(),
        false => &decision.broken,
    };
    for &barrier in shown {
        let Some(reading) = decision.barriers.get(barrier) else {
            continue;
        };
        out.raw("<div>")
            .name(header.barrier(barrier))
            .raw(" ")
            .float(reading.h);
        if let Some(next) = reading.next {
            out.raw("\u{a0}\u{2192}\u{a0}").float(next);
        }
        out.raw("</div>");
    }
}

/// Appends the reason; a call that nothing refuses has none.
pub(super) fn why(out: &mut Html, decision: &Decision, header: &Header) {
    if let Some(reason) = &decision.reason {
        out.prose(reason);
        return;
    }
    for (place, &barrier) in decision.broken.iter().enumerate() {
        out.raw(if place == 0 { "" } else { ", " })
            .name(header.barrier(barrier));
    }
}

/// What else sets the call apart.
fn what_else(out: &mut Html, decision: &Decision, header: &Header, pages: &Pages) {
    let mut note = |says: &dyn Fn(&mut Html)| {
        out.raw(" <span class=\"tag\">");
        says(out);
        out.raw("</span>");
    };
    if decision.standing {
        note(&|out| _ = out.raw("standing"));
    }
    if let Some(line) = decision.policy_line {
        note(&|out| _ = out.raw("policy line ").number(line as u64));
    }
    if let Some(id) = &decision.policy_rule {
        note(&|out| pages.link(out, id, |out| _ = out.name(id)));
    }
    match decision.approval {
        Some(outcome) => note(&|out| _ = out.raw("approval ").raw(outcome.as_str())),
        None if decision.escalated => note(&|out| _ = out.raw("no approval recorded")),
        None => {}
    }
    if let Some(recorded) = decision.recorded.filter(|_| decision.is_drift()) {
        note(&|out| _ = out.raw("drift: recorded ").raw(recorded.as_str()));
    }
    if !decision.hazard.is_empty() {
        note(&|out| {
            out.raw("batch hazard");
            for &barrier in &decision.hazard {
                out.raw(" ").name(header.barrier(barrier));
            }
        });
    }
    if decision.counterfactual {
        note(&|out| _ = out.raw("counterfactual"));
    }
    if decision.inconclusive {
        note(&|out| _ = out.raw("inconclusive"));
    }
    if decision.args_unknown {
        note(&|out| _ = out.raw("arguments not known"));
    }
    if let (Some(score), Some(seen)) = (decision.semantic_score, &decision.semantic) {
        note(&|out| semantic(out, score, seen));
    }
}

fn semantic(out: &mut Html, score: f64, seen: &Semantic) {
    out.raw("score ")
        .float(score)
        .raw(", by ")
        .raw(seen.embedder);
    out.raw(": nearest harm \u{201c}")
        .prose(&seen.nearest)
        .raw("\u{201d}");
}
