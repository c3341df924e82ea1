//! Which columns a table has, how wide they are, and its rows as lines.

use super::calls::{Call, Column};
use super::text::{self, Tone};
use crate::number::rounded;
use crate::report::Header;
use crate::report::number::Digits;
use comfy_table::{Table, presets};
use std::borrow::Cow;

/// Blanks between columns.
const GAP: usize = 2;

/// Narrowest that a column is cut to.
const LEAST: usize = 8;

/// How a table is laid out: chosen on its first rows and kept, but for columns that have to grow.
#[derive(Debug)]
pub struct Layout {
    columns: Vec<Column>,
    /// Widest heading or cell met so far, by column.
    natural: Vec<usize>,
    digits: Digits,
}

/// The cells of rows, one after another.
#[derive(Debug, Default)]
struct Cells {
    /// What they say, without anything between.
    text: String,
    list: Vec<Cell>,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Where it ends in the text.
    end: usize,
    /// Columns of a terminal that it takes.
    width: usize,
    tone: Tone,
}

impl Cells {
    /// Ends a cell of what has been added to the text since the last one.
    fn end(&mut self, tone: Tone) {
        let begin = self.list.last().map_or(0, |cell| cell.end);
        let width = text::width(self.text.get(begin..).unwrap_or_default());
        let end = self.text.len();
        self.list.push(Cell { end, width, tone });
    }
}

/// A table's rows, ready to be written: the headings and then the calls.
#[derive(Debug)]
pub struct Rows<'l> {
    columns: &'l [Column],
    widths: Vec<usize>,
    color: bool,
    cells: Cells,
    /// Rows given so far, the headings left out.
    given: usize,
}

impl Rows<'_> {
    /// Appends the headings, as a line without its end.
    pub fn head(&self, out: &mut String) {
        self.line(0, out);
    }

    /// Appends the next call, as a line without its end; nothing where there is none.
    pub fn next(&mut self, out: &mut String) {
        self.given += 1;
        self.line(self.given, out);
    }

    /// Appends the cells of a row, each cut to its width and in its tone; no blanks at the end.
    fn line(&self, row: usize, out: &mut String) {
        let first = row * self.columns.len();
        let before = first
            .checked_sub(1)
            .and_then(|cell| self.cells.list.get(cell));
        let mut begin = before.map_or(0, |cell| cell.end);
        let mut blanks = 0;
        let cells = self.cells.list.iter().skip(first);
        for ((column, &width), cell) in self.columns.iter().zip(&self.widths).zip(cells) {
            let text = self.cells.text.get(begin..cell.end).unwrap_or_default();
            begin = cell.end;
            let text = text::fitting(text, cell.width, width);
            let taken = match text {
                Cow::Borrowed(_) => cell.width,
                Cow::Owned(_) => text::width(&text),
            };
            let pad = width.saturating_sub(taken);
            let (before, after) = match column.is_right_aligned() {
                true => (pad, 0),
                false => (0, pad),
            };
            blanks += before;
            if !text.is_empty() {
                text::blanks(blanks, out);
                text::painted(&text, cell.tone, self.color, out);
                blanks = 0;
            }
            blanks += after + GAP;
        }
    }
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
        let mut layout = Layout {
            natural: vec![1; columns.len()],
            columns,
            digits: Digits::new(|value, out| out.extend_from_slice(rounded(value).as_bytes())),
        };
        layout.cells(header, calls);
        layout
    }

    /// Whether barriers are shown after the call alone.
    pub fn shows_next_only(&self) -> bool {
        self.columns.iter().any(|c| matches!(c, Column::Next(_)))
    }

    /// The calls as rows, in the columns of the layout.
    pub fn rows(&mut self, header: &Header, calls: &[&Call]) -> Rows<'_> {
        let cells = self.cells(header, calls);
        Rows {
            widths: self.fitted(header.width),
            columns: &self.columns,
            color: header.color,
            cells,
            given: 0,
        }
    }

    /// The cells of the headings and the calls, to whose widths the columns grow.
    fn cells(&mut self, header: &Header, calls: &[&Call]) -> Cells {
        let mut cells = Cells::default();
        for column in &self.columns {
            cells.text.push_str(&column.heading(header));
            cells.end(Tone::Bold);
        }
        for call in calls {
            for column in &self.columns {
                let tone = call.cell(*column, header, &mut self.digits, &mut cells.text);
                cells.end(tone);
            }
        }
        for row in cells.list.chunks(self.columns.len().max(1)) {
            for (natural, cell) in self.natural.iter_mut().zip(row) {
                *natural = (*natural).max(cell.width);
            }
        }
        cells
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
