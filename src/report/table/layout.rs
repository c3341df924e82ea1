//! Which columns a table has, how wide they are, and its rows as lines.

use super::calls::{Call, Column};
use super::text::{self, Tone};
use crate::report::Header;
use comfy_table::{CellAlignment, ColumnConstraint, Table, Width, presets};

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
        for row in &mut cells {
            for ((text, _), &width) in row.iter_mut().zip(&widths) {
                *text = text::cut(text, width);
            }
        }
        let table = self.table(&cells, &widths);
        let mut lines = table.lines().zip(&cells).map(|(line, cells)| {
            if header.color {
                self.painted(&line, cells, &widths)
            } else {
                line.trim_end().to_owned()
            }
        });
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

    fn table(&self, cells: &[Vec<Cell>], widths: &[usize]) -> Table {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).force_no_tty();
        for row in cells {
            table.add_row(row.iter().map(|(text, _)| text));
        }
        for (index, column) in self.columns.iter().enumerate() {
            set_column(&mut table, index, widths[index], column.is_right_aligned());
        }
        table
    }

    /// The line with its cells in their tones. Where a cell stands follows from the widths.
    fn painted(&self, line: &str, cells: &[Cell], widths: &[usize]) -> String {
        let mut out = String::with_capacity(line.len() + 32);
        let (mut written, mut at) = (0, 0);
        for (index, (text, tone)) in cells.iter().enumerate() {
            let pad = widths[index].saturating_sub(text::width(text));
            let right = self.columns[index].is_right_aligned();
            let start = at + if right { pad } else { 0 };
            let end = start + text.len();
            let (Some(before), Some(cell)) = (line.get(written..start), line.get(start..end))
            else {
                return line.trim_end().to_owned();
            };
            out.push_str(before);
            out.push_str(&text::paint(cell, *tone, !cell.is_empty()));
            written = end;
            at = end + GAP + if right { 0 } else { pad };
        }
        out
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

fn set_column(table: &mut Table, index: usize, width: usize, right: bool) {
    let Some(column) = table.column_mut(index) else {
        return;
    };
    let gap = u16::try_from(GAP).unwrap_or(0);
    let width = u16::try_from(width).unwrap_or(u16::MAX).saturating_add(gap);
    column
        .set_padding((0, gap))
        .set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
    if right {
        column.set_cell_alignment(CellAlignment::Right);
    }
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
