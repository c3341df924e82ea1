//! Which columns a table has, how wide they are, and its rows as lines.

use super::calls::{Call, Column};
use super::text::{self, Tone};
use crate::report::Header;
use comfy_table::{Table, presets};
use std::iter;

/// Blanks between columns.
const GAP: usize = 2;

/// Narrowest that a column is cut to.
const LEAST: usize = 8;

/// How a table is laid out: chosen on its first rows and kept, but for columns that have to grow.
#[derive(Clone, Debug)]
pub struct Layout {
    columns: Vec<Column>,
    /// Widest heading or cell met so far, by column.
    natural: Vec<usize>,
}

/// What a cell says, and how it stands out.
type Cell = (String, Tone);

/// A table's rows as lines.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The headings.
    pub head: String,
    /// One line a call.
    pub rows: Vec<String>,
}

impl Layout {
    /// Chooses the columns for those calls: every barrier before and after the call if that fits
    /// the width, else every barrier after it, else the tightest alone, else fewer columns.
    pub fn new(header: &Header, calls: &[&Call]) -> Layout {
        let mut choices = choices(header.barriers.len()).into_iter().peekable();
        loop {
            let choice = choices.next().unwrap_or_default();
            let layout = Layout::of(choice.columns, header, calls);
            let Some(width) = header.width else {
                return layout;
            };
            let needs = if choice.names_cut {
                total(&layout.fitted(Some(width)))
            } else {
                total(&layout.natural)
            };
            if needs <= width || choices.peek().is_none() {
                return layout;
            }
        }
    }

    fn of(columns: Vec<Column>, header: &Header, calls: &[&Call]) -> Layout {
        let natural = vec![1; columns.len()];
        let mut layout = Layout { columns, natural };
        let head = layout.head(header);
        layout.grow(&head);
        for call in calls {
            let row = layout.row(call, header);
            layout.grow(&row);
        }
        layout
    }

    /// Whether barriers are shown after the call alone.
    pub fn shows_next_only(&self) -> bool {
        self.columns.iter().any(|c| matches!(c, Column::Next(_)))
    }

    /// The calls as lines, in the columns of the layout.
    pub fn lines(&mut self, header: &Header, calls: &[&Call]) -> Lines {
        let mut cells = vec![self.head(header)];
        cells.extend(calls.iter().map(|call| self.row(call, header)));
        for row in &cells {
            self.grow(row);
        }
        let widths = self.fitted(header.width);
        let mut lines = cells
            .iter()
            .map(|row| self.line(row, &widths, header.color));
        Lines {
            head: lines.next().unwrap_or_default(),
            rows: lines.collect(),
        }
    }

    fn head(&self, header: &Header) -> Vec<Cell> {
        let columns = self.columns.iter();
        columns.map(|c| (c.heading(header), Tone::Bold)).collect()
    }

    fn row(&self, call: &Call, header: &Header) -> Vec<Cell> {
        let columns = self.columns.iter();
        columns.map(|&c| call.cell(c, header)).collect()
    }

    fn grow(&mut self, row: &[Cell]) {
        for (natural, (text, _)) in self.natural.iter_mut().zip(row) {
            *natural = (*natural).max(text::width(text));
        }
    }

    /// Widths that fit, as far as cutting what may be cut can bring that about.
    fn fitted(&self, columns: Option<usize>) -> Vec<usize> {
        let mut widths = self.natural.clone();
        while columns.is_some_and(|columns| total(&widths) > columns) {
            let widest = (0..widths.len())
                .filter(|&i| self.columns[i].may_be_cut() && widths[i] > LEAST)
                .max_by_key(|&i| widths[i]);
            match widest {
                Some(widest) => widths[widest] -= 1,
                None => break,
            }
        }
        widths
    }

    /// The cells as a line, each cut to its width and in its tone; no blanks at the end.
    fn line(&self, cells: &[Cell], widths: &[usize], color: bool) -> String {
        let mut line = String::with_capacity(total(widths) + 16);
        let mut blanks = 0;
        let columns = self.columns.iter().zip(widths);
        for ((text, tone), (column, &width)) in cells.iter().zip(columns) {
            let text = text::cut(text, width);
            let pad = width.saturating_sub(text::width(&text));
            let (before, after) = match column.is_right_aligned() {
                true => (pad, 0),
                false => (0, pad),
            };
            blanks += before;
            if !text.is_empty() {
                line.extend(iter::repeat_n(' ', blanks));
                line.push_str(&text::paint(&text, *tone, color));
                blanks = 0;
            }
            blanks += after + GAP;
        }
        line
    }
}

/// A set of columns, and whether names may be cut to make it fit.
#[derive(Clone, Debug, Default)]
struct Choice {
    columns: Vec<Column>,
    names_cut: bool,
}

/// Sets of columns, from the one that shows most. Barriers are given up before names are cut, and
/// names are cut before other columns go.
fn choices(barriers: usize) -> Vec<Choice> {
    let lead = [
        Column::Line,
        Column::Run,
        Column::Turn,
        Column::Tool,
        Column::Decision,
        Column::Rule,
    ];
    let all = (0..barriers).map(Column::Barrier).collect::<Vec<_>>();
    let next = (0..barriers).map(Column::Next).collect::<Vec<_>>();
    let least = match barriers {
        0 => vec![],
        1 => next.clone(),
        _ => vec![Column::Tightest],
    };
    let brief = lead.iter().copied().filter(|&c| c != Column::Turn);
    let brief: Vec<Column> = brief.collect();
    let choice = |lead: &[Column], more: &[Column], names_cut| Choice {
        columns: [lead, more].concat(),
        names_cut,
    };
    vec![
        choice(&lead, &all, false),
        choice(&lead, &next, false),
        choice(&lead, &least, true),
        choice(&brief, &least, true),
        choice(&brief, &[], true),
    ]
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// Rows of cells as lines, each column as wide as it takes, after `indent` blanks.
pub fn aligned(rows: &[Vec<String>], indent: usize) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).force_no_tty();
    for row in rows {
        table.add_row(row);
    }
    let gap = u16::try_from(GAP).unwrap_or(0);
    for column in table.column_iter_mut() {
        column.set_padding((0, gap));
    }
    let indent = " ".repeat(indent);
    let lines = table.lines();
    lines
        .map(|line| format!("{indent}{line}").trim_end().to_owned())
        .collect()
}
