//! How often barriers refused, with intervals: runs first, since the calls of a run hang together.

use super::Sheet;
use super::markup::Html;
use crate::audit::summary::RateSummary;
use crate::report::number::percent;

pub(super) fn section(out: &mut Html, sheet: &Sheet<'_>) {
    if sheet.summary.counts.calls == 0 {
        return;
    }
    let violations = &sheet.summary.violations;
    let rates = violations.rates();
    out.section("rates", "Violations of barriers");
    out.raw("<p>").raw("Barriers refused ");
    out.total("/violations/root", violations.root)
        .raw(" calls as the first step out, and ");
    out.total("/violations/standing", violations.standing);
    out.raw(
        " because the run was outside already. Rates are of calls that reached the barriers.</p>\n",
    );
    out.table(
        "rates",
        "Violation rates with 95% intervals",
        &[
            "of",
            "#hits",
            "#out of",
            "#rate",
            "#95% interval",
            "from 0% to 100%",
            "#design effect",
        ],
    );
    for (field, what, rate) in rates {
        row(out, &format!("/violations/{field}"), what, rate);
    }
    out.end_table();
    if rates.iter().any(|(_, _, rate)| rate.approximate) {
        out.note("Approximate: there are fewer than 30 runs.");
    }
    out.raw("</section>\n");
}

fn row(out: &mut Html, pointer: &str, what: &'static str, rate: &RateSummary) {
    out.raw("<tr><th scope=\"row\">")
        .raw(what)
        .raw("</th><td class=\"n\">");
    out.total(&format!("{pointer}/hits"), rate.hits)
        .raw("</td><td class=\"n\">");
    out.total(&format!("{pointer}/of"), rate.of).raw("</td>");
    let Some(value) = rate.rate else {
        out.raw("<td class=\"n\">no data</td><td></td><td></td><td></td></tr>\n");
        return;
    };
    out.raw("<td class=\"n\">")
        .share(&format!("{pointer}/rate"), value)
        .raw("</td><td class=\"n\">");
    if let Some(bounds) = rate.interval {
        out.share(&format!("{pointer}/interval_95/low"), bounds.low)
            .raw(" to ");
        out.share(&format!("{pointer}/interval_95/high"), bounds.high);
    }
    out.raw("</td><td>");
    whiskers(out, value, rate);
    out.raw("</td><td class=\"n\">");
    if let Some(effect) = rate.design_effect {
        out.tenths(&format!("{pointer}/design_effect"), effect);
    }
    out.raw("</td></tr>\n");
}

/// The rate as a dot within its interval.
fn whiskers(out: &mut Html, value: f64, rate: &RateSummary) {
    // Units of a percent, from 4.
    let at = |share: f64| format!("{:.1}", 4.0 + 100.0 * share.clamp(0.0, 1.0));
    out.raw("<svg class=\"whiskers\" viewBox=\"0 0 108 14\" role=\"img\" aria-label=\"");
    out.text(&percent(value));
    if let Some(bounds) = rate.interval {
        out.raw(", between ")
            .text(&percent(bounds.low))
            .raw(" and ");
        out.text(&percent(bounds.high));
    }
    out.raw("\"><path class=\"axis\" d=\"M4 3V11M104 3V11M4 7H104\"/>");
    if let Some(bounds) = rate.interval {
        let path = format!("M{} 7H{}", at(bounds.low), at(bounds.high));
        out.raw("<path class=\"interval\" d=\"")
            .text(&path)
            .raw("\"/>");
    }
    out.raw("<circle class=\"dot\" r=\"3\" cy=\"7\" cx=\"")
        .text(&at(value))
        .raw("\"/></svg>");
}
