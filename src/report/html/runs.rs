//! The runs nearest a refusal: how each barrier went over their calls, and the others in a table.

use super::markup::{Html, minus};
use super::plot::{least, legend, plot};
use super::{DRAWN, Sheet, TOLD};
use crate::report::courses::{At, Course, MARKS, Mark};
use crate::report::table::text::share;

/// Runs whose charts are open from the start.
const OPEN: usize = 3;

/// Barriers that are drawn of a run: those it came nearest.
const PLOTS: usize = 10;

/// Calls of a run that are told of under its charts.
const MARKED: usize = 10;

pub(super) fn section(out: &mut Html, sheet: &Sheet<'_>) {
    let runs = sheet.kept.courses.nearest();
    if runs.is_empty() {
        return;
    }
    out.section("runs", "Runs nearest a refusal");
    let all = sheet.summary.counts.runs;
    let told = runs.len() as u64;
    let drawn = runs.len().min(DRAWN) as u64;
    out.raw("<p>");
    match (drawn, told) {
        (1, 1) if all == 1 => out.raw("There is one run"),
        _ if drawn == all => out.raw("All ").count(all).raw(" runs are drawn"),
        _ => out
            .raw("Of ")
            .counted(all, "run", "runs")
            .raw(", ")
            .count(drawn)
            .raw(" are drawn"),
    };
    if drawn < told {
        out.raw(", and the next ").count(told - drawn);
        out.raw(" stand in the table below them");
    }
    if all > told {
        out.raw("; ")
            .count(all - told)
            .raw(" more are counted alone");
    }
    out.raw(if told > 1 {
        ", those that came nearest a refusal first"
    } else {
        ""
    });
    out.raw(concat!(
        ". A barrier says how far a run is from what may not be: h is its value in its own unit, and the ",
        "percentage is what that is of its value at the start. Runs that no barrier was asked about come ",
        "last.</p>\n"
    ));
    legend(out);
    for (place, course) in runs.iter().take(DRAWN).enumerate() {
        card(out, sheet, course, place);
    }
    table(out, sheet, runs.get(DRAWN..).unwrap_or_default());
    out.raw("</section>\n");
}

fn card(out: &mut Html, sheet: &Sheet<'_>, course: &Course, place: usize) {
    let open = if place < OPEN { " open" } else { "" };
    out.raw("<details class=\"run\"")
        .raw(open)
        .raw("><summary><h3>");
    out.name(&course.id).raw("</h3>");
    if sheet.header.inputs.len() > 1 {
        out.raw(" <span class=\"where\">")
            .name(sheet.header.input(course.input))
            .raw("</span>");
    }
    out.raw(" <span class=\"close\">");
    nearest(out, sheet, course);
    out.raw("</span> <span class=\"many\">")
        .counted(course.kept.calls, "call", "calls");
    if course.kept.refused > 0 {
        out.raw("</span> <span class=\"bad\">")
            .count(course.kept.refused)
            .raw(" refused");
    }
    if course.kept.hazards > 0 {
        out.raw("</span> <span>")
            .counted(course.kept.hazards, "hazard", "hazards");
    }
    if course.kept.inconclusive {
        out.raw("</span> <span class=\"doubt\">inconclusive");
    }
    out.raw("</span></summary>\n");
    if course.kept.first > 1 {
        out.raw("<p class=\"note\">Known from call ")
            .number(course.kept.first);
        out.raw(" on: many other runs came nearer before.</p>\n");
    }
    plots(out, sheet, course);
    marks(out, sheet, course);
    out.raw("</details>\n");
}

/// The nearest that the run came to a refusal by a barrier.
fn nearest(out: &mut Html, sheet: &Sheet<'_>, course: &Course) {
    match &course.kept.nearest {
        None => {
            out.raw("no call reached the barriers");
        }
        Some(nearest) => {
            let measured = nearest.approach.measured;
            out.name(sheet.header.barrier(measured.barrier)).raw(" ");
            out.float(measured.value)
                .raw(" (")
                .text(&minus(&share(measured.scaled)));
            out.raw(") at call ").number(nearest.at.seq).raw(", ");
            line(out, sheet, course, nearest.at);
        }
    }
}

/// The line of a call, behind its input where that is another one than where its run began.
fn line(out: &mut Html, sheet: &Sheet<'_>, course: &Course, at: At) {
    if at.input == course.input {
        out.raw("line ").number(at.line);
    } else {
        sheet.place(out, at.input, at.line);
    }
}

/// The charts, in the order of the policy.
fn plots(out: &mut Html, sheet: &Sheet<'_>, course: &Course) {
    let reached = course.kept.series.iter().enumerate();
    let reached = reached.filter_map(|(barrier, series)| {
        let low = least(series.points())?;
        Some((barrier, sheet.header.scales.measure(barrier, low.h).scaled))
    });
    let mut reached: Vec<(usize, f64)> = reached.collect();
    let all = reached.len();
    reached.sort_by(|a, b| a.1.total_cmp(&b.1));
    reached.truncate(PLOTS);
    reached.sort_by_key(|&(barrier, _)| barrier);
    if reached.is_empty() {
        return;
    }
    out.raw("<div class=\"plots\">\n");
    for (barrier, _) in reached {
        plot(out, course, barrier, sheet.header.barrier(barrier));
    }
    out.raw("</div>\n");
    if all > PLOTS {
        out.raw("<p class=\"note\">").count((all - PLOTS) as u64);
        out.raw(" more barriers, of which the run stayed farther, are not drawn.</p>\n");
    }
    let points = course
        .kept
        .series
        .iter()
        .map(|series| series.points().len());
    let points = points.max().unwrap_or(0) as u64;
    if points > 0 && course.kept.calls > 2 * points {
        out.note("Each point stands for a stretch of calls, and is the least value among them.");
    }
}

/// The calls that are marked, in words.
fn marks(out: &mut Html, sheet: &Sheet<'_>, course: &Course) {
    if course.kept.marks.is_empty() {
        return;
    }
    out.raw("<ol class=\"marks\">\n");
    for mark in course.kept.marks.iter().take(MARKED) {
        out.raw("<li>");
        marked(out, sheet, course, mark);
        out.raw("</li>\n");
    }
    out.raw("</ol>\n");
    if course.kept.marks.len() > MARKED {
        let more = course.kept.refused.max(course.kept.marks.len() as u64) - MARKED as u64;
        out.raw("<p class=\"note\">and ").count(more).raw(" more");
        if course.kept.marks.len() == MARKS {
            out.raw("; the first ")
                .count(MARKS as u64)
                .raw(" are drawn");
        }
        out.raw("</p>\n");
    }
}

fn marked(out: &mut Html, sheet: &Sheet<'_>, course: &Course, mark: &Mark) {
    out.raw("call ").number(mark.at.seq).raw(", ");
    line(out, sheet, course, mark.at);
    out.raw(": ");
    if mark.refused {
        out.raw("refused by ").raw(mark.stage.unwrap_or("a label"));
        readings(out, sheet, mark, &mark.broken);
    }
    if !mark.hazard.is_empty() {
        out.raw(if mark.refused { "; hazard" } else { "hazard" });
        readings(out, sheet, mark, &mark.hazard);
    }
}

/// What the call would have done to these barriers.
fn readings(out: &mut Html, sheet: &Sheet<'_>, mark: &Mark, barriers: &[usize]) {
    for &barrier in barriers {
        out.raw(", ").name(sheet.header.barrier(barrier));
        if let Some(reading) = mark.readings.get(barrier) {
            out.raw("\u{a0}").float(reading.h);
            if let Some(next) = reading.next {
                out.raw("\u{a0}\u{2192}\u{a0}").float(next);
            }
        }
    }
}

fn table(out: &mut Html, sheet: &Sheet<'_>, runs: &[&Course]) {
    if runs.is_empty() {
        return;
    }
    let several = sheet.header.inputs.len() > 1;
    let columns = [
        "run",
        "file",
        "#calls",
        "#refused",
        "#hazards",
        "barrier",
        "#nearest",
        "#of its start",
        "#call",
        "#line",
    ];
    let columns: Vec<&'static str> = columns
        .into_iter()
        .filter(|&c| several || c != "file")
        .collect();
    out.raw("<h3>The next nearest</h3>\n");
    out.table(
        "next",
        "Runs after those drawn, the nearest to a refusal first",
        &columns,
    );
    for course in runs {
        out.raw("<tr><th scope=\"row\">")
            .name(&course.id)
            .raw("</th>");
        if several {
            out.raw("<td>")
                .name(sheet.header.input(course.input))
                .raw("</td>");
        }
        for count in [course.kept.calls, course.kept.refused, course.kept.hazards] {
            out.raw("<td class=\"n\">").count(count).raw("</td>");
        }
        match &course.kept.nearest {
            None => out.raw("<td>none reached</td><td></td><td></td><td></td><td></td>"),
            Some(nearest) => {
                let measured = nearest.approach.measured;
                out.raw("<td>").name(sheet.header.barrier(measured.barrier));
                out.raw("</td><td class=\"n\">").float(measured.value);
                out.raw("</td><td class=\"n\">")
                    .text(&minus(&share(measured.scaled)));
                out.raw("</td><td class=\"n\">").number(nearest.at.seq);
                out.raw("</td><td class=\"n\">");
                if nearest.at.input == course.input {
                    out.number(nearest.at.line);
                } else {
                    sheet.place(out, nearest.at.input, nearest.at.line);
                }
                out.raw("</td>")
            }
        };
        out.raw("</tr>\n");
    }
    out.end_table();
    if sheet.summary.counts.runs > TOLD as u64 {
        out.raw("<p class=\"note\">The ").count(TOLD as u64);
        out.raw(" nearest are told of by themselves.</p>\n");
    }
}
