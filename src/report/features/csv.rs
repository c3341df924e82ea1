//! A row a call for numpy, pandas and spreadsheets. Text is kept from being a formula, numbers stay
//! numbers.

use super::{Format, Rows};
use crate::audit::features::FeatureRow;
use crate::policy::features::FEATURES;
use crate::report::csv::{cell, write_record};
use crate::report::{Header, number};
use ::csv::{StringRecord, Writer};
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "csv",
    doc: "a row a call, the features of the next state behind `next_`; flags are 0 and 1",
    open,
};

/// Columns before those of the features.
const COLUMNS: &[&str] = &[
    "file",
    "line",
    "run",
    "seq",
    "call",
    "tool",
    "label",
    "recorded",
    "inconclusive",
    "safe",
    "next_safe",
];

fn open<'w>(header: Header, out: Box<dyn Write + Send + 'w>) -> Box<dyn Rows + 'w> {
    Box::new(Table {
        header,
        out: Writer::from_writer(out),
        begun: false,
    })
}

struct Table<'w> {
    header: Header,
    out: Writer<Box<dyn Write + Send + 'w>>,
    begun: bool,
}

impl Table<'_> {
    fn begin(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        let mut names: StringRecord = COLUMNS.iter().collect();
        FEATURES.iter().for_each(|f| names.push_field(f.name));
        let next = FEATURES.iter().map(|f| format!("next_{}", f.name));
        next.for_each(|name| names.push_field(&name));
        write_record(&mut self.out, &names)
    }
}

impl Rows for Table<'_> {
    fn row(&mut self, row: &FeatureRow) -> io::Result<()> {
        self.begin()?;
        let mut cells = StringRecord::new();
        let flag = |flag: bool| if flag { "1" } else { "0" };
        cells.push_field(&cell(self.header.input(row.input)));
        cells.push_field(&row.line.to_string());
        cells.push_field(&cell(&row.run));
        cells.push_field(&row.seq.to_string());
        cells.push_field(&cell(&row.call));
        cells.push_field(&cell(&row.tool));
        cells.push_field(row.label.map_or("", |label| label.as_str()));
        cells.push_field(row.recorded.map_or("", |recorded| recorded.as_str()));
        cells.push_field(flag(row.inconclusive));
        cells.push_field(flag(row.safe));
        cells.push_field(flag(row.next_safe));
        for value in row.features.iter().chain(&row.next) {
            match value.is_finite() {
                true => cells.push_field(&number::exact(*value)),
                false => cells.push_field(""),
            }
        }
        write_record(&mut self.out, &cells)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.begin()?;
        self.out.flush()
    }
}
