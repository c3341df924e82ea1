//! The same for people: the ranking, what is left at the end of each run, the scales.

use super::{Format, name, names, stopped, tools};
use crate::audit::remaining::{Class, More};
use crate::audit::robustness::{At, Robustness, RunRow};
use crate::number::rounded;
use crate::report::Header;
use crate::report::table::layout::aligned;
use crate::report::table::page::{NAMES, Page, and_more};
use crate::report::table::text;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "table",
    doc: "for people: the nearest runs, and what is left at their end",
    all: false,
    write,
};

/// Columns that a list of tools takes at least beside other cells; with less it stands under them.
const LIST: usize = 24;

fn write(found: &Robustness, header: &Header, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(header);
    ranking(&mut page, found);
    remaining(&mut page, found);
    calls(&mut page, found);
    scales(&mut page, found);
    inputs(&mut page, found);
    conclusion(&mut page, found);
    page.write(out)
}

fn ranking(page: &mut Page<'_>, found: &Robustness) {
    page.section("runs, the nearest to a refusal first");
    let several = page.header.inputs.len() > 1;
    let head = [
        "run",
        "barrier",
        "nearest",
        "of its scale",
        "at",
        "calls",
        "refused",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for row in &found.listed {
        let nearest = &row.nearest.measured;
        rows.push(vec![
            run(page.header, row, several),
            text::name(name(found, nearest.barrier)),
            rounded(nearest.value),
            text::share(nearest.scaled),
            place(&row.nearest.at),
            row.calls.to_string(),
            row.refused.to_string(),
        ]);
    }
    if !found.listed.is_empty() {
        page.rows_that_fit(narrower(rows, &[7, 5, 4]));
    }
    let measured = found.runs.saturating_sub(found.unmeasured);
    let more = measured.saturating_sub(found.listed.len() as u64);
    if more > 0 {
        page.sentence(&format!("and {more} more, see --top"));
    }
    let runs = text::count(measured, "run", "runs");
    page.sentence(&format!(
        "{runs} measured, barriers refused in {}",
        found.beyond
    ));
    if found.unmeasured > 0 {
        let runs = text::count(found.unmeasured, "run", "runs");
        page.sentence(&format!("{runs} of which no call reached the barriers"));
    }
}

/// The rows with so many of their first columns, the most first: at least what names the run and how
/// near it came.
fn narrower(rows: Vec<Vec<String>>, columns: &[usize]) -> Vec<Vec<Vec<String>>> {
    let first = |most: usize| -> Vec<Vec<String>> {
        let cut = |row: &Vec<String>| row.iter().take(most).cloned().collect();
        rows.iter().map(cut).collect()
    };
    columns.iter().map(|&most| first(most)).collect()
}

fn run(header: &Header, row: &RunRow, several: bool) -> String {
    let id = text::name(&row.id);
    let doubt = if row.inconclusive { " in doubt" } else { "" };
    if several {
        let file = text::cut(&text::name(header.input(row.input)), 40);
        return format!("{file} {id}{doubt}");
    }
    format!("{id}{doubt}")
}

fn place(at: &At) -> String {
    let (call, tool) = (text::name(&at.call), text::name(&at.tool));
    format!("line {} {call} {tool}", at.line)
}

fn remaining(page: &mut Page<'_>, found: &Robustness) {
    if found.full == 0 {
        return;
    }
    page.section("more calls that the barriers would admit at the end, each class alone");
    let several = page.header.inputs.len() > 1;
    let mut rows = Vec::new();
    for row in found.listed.iter().take(found.full) {
        let mut told: Vec<(String, Vec<&Class>)> = Vec::new();
        for (class, more) in found.classes.iter().zip(&row.more) {
            let left = left(found, more);
            match told.iter_mut().find(|(same, _)| *same == left) {
                Some((_, classes)) => classes.push(class),
                None => told.push((left, vec![class])),
            }
        }
        for (i, (left, classes)) in told.into_iter().enumerate() {
            let run = match i {
                0 => run(page.header, row, several),
                _ => String::new(),
            };
            rows.push(vec![run, left, together(&classes)]);
        }
    }
    wrapped(page, rows);
}

/// Adds rows whose last cell is a list: within the width of the page, as far as its words go.
fn wrapped(page: &mut Page<'_>, rows: Vec<Vec<String>>) {
    let lists: Vec<String> = rows
        .iter()
        .map(|row| row.last().cloned().unwrap_or_default())
        .collect();
    // A mark of one column stands for each list while the other cells are lined up.
    let marked = rows.into_iter().map(|mut row| {
        row.pop();
        row.push("|".into());
        row
    });
    let lined = aligned(&marked.collect::<Vec<_>>(), 2);
    for (line, list) in lined.iter().zip(lists) {
        let lead = line.strip_suffix('|').unwrap_or(line);
        let columns = page.header.width;
        let room = columns.is_none_or(|most| text::width(lead) + LIST <= most);
        let indent = if room { text::width(lead) } else { 4 };
        if !room {
            page.lines.push(lead.trim_end().to_owned());
        }
        let first = if room { lead } else { "    " };
        let lines = text::hanging(first, indent, &list, columns);
        page.lines.extend(lines);
    }
}

/// The tools of classes with the same future.
fn together(classes: &[&Class]) -> String {
    let tools: Vec<&str> = classes.iter().flat_map(|class| tools(class)).collect();
    let shown = tools.iter().take(NAMES).map(|tool| text::name(tool));
    and_more(shown.collect(), tools.len())
}

fn left(found: &Robustness, more: &More) -> String {
    if stopped(more) {
        return format!("{} or more", more.calls);
    }
    let by: Vec<String> = names(found, &more.by).into_iter().map(text::name).collect();
    format!("{}, then {}", more.calls, by.join(", "))
}

fn calls(page: &mut Page<'_>, found: &Robustness) {
    let several = page.header.inputs.len() > 1;
    for row in found.listed.iter().filter(|row| !row.rows.is_empty()) {
        page.section(&format!("calls of {}", run(page.header, row, several)));
        let mut head = vec!["call".to_owned(), "of its scale".into(), "nearest".into()];
        head.extend(found.barriers.iter().map(|(name, _, _)| text::name(name)));
        let mut rows = vec![head];
        for call in &row.rows {
            let refused = if call.admitted { "" } else { " refused" };
            let mut cells = vec![
                format!("{}{refused}", place(&call.at)),
                text::share(call.nearest.scaled),
                text::name(name(found, call.nearest.barrier)),
            ];
            cells.extend(call.distances.iter().map(|&distance| rounded(distance)));
            rows.push(cells);
        }
        page.rows_that_fit(narrower(rows, &[usize::MAX, 3, 2]));
    }
}

fn scales(page: &mut Page<'_>, found: &Robustness) {
    page.section("barriers");
    let head = ["barrier", "scale", "unit"].map(str::to_owned).to_vec();
    let mut rows = vec![head];
    for (name, unit, scale) in &found.barriers {
        rows.push(vec![text::name(name), rounded(*scale), (*unit).to_owned()]);
    }
    page.rows(rows);
}

fn inputs(page: &mut Page<'_>, found: &Robustness) {
    page.section("inputs");
    let rows = found.inputs.iter().map(|input| {
        let what = text::read_as(input.format, input.error.as_deref());
        vec![text::name(&input.name), what, text::digest(&input.sha256)]
    });
    page.rows(rows.collect());
    page.noted(&found.noted);
    page.policy(&found.policy);
    page.doubts(&found.policy);
    page.sentence(&text::replayed(&found.replayed));
}

fn conclusion(page: &mut Page<'_>, found: &Robustness) {
    page.blank();
    let says = match found.listed.first() {
        None => "nothing measured".to_owned(),
        Some(row) => {
            let nearest = &row.nearest.measured;
            let barrier = text::name(name(found, nearest.barrier));
            format!(
                "nearest: {} of {barrier} in run {}",
                text::share(nearest.scaled),
                text::name(&row.id)
            )
        }
    };
    let exit = &found.exit;
    let line = format!(
        "{says}; exit {}: {}",
        exit.status.code(),
        text::prose(&exit.reason)
    );
    page.verdict(&line, exit.status);
}
