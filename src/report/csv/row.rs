//! A row of a listing, appended cell by cell.

use super::{cell, list};
use crate::bytes;
use crate::engine::decision::Reading;
use crate::report::Header;
use crate::report::json::write::Item;
use crate::report::number::Digits;
use crate::report::rendering::Readings;

/// A row that is being appended.
pub(in crate::report) struct Row<'a> {
    out: &'a mut Vec<u8>,
    header: &'a Header,
    /// Cells that every row has.
    columns: usize,
    /// Cells so far.
    cells: usize,
}

impl<'a> Row<'a> {
    /// A row of so many columns.
    pub(in crate::report) fn new(out: &'a mut Vec<u8>, header: &'a Header, columns: usize) -> Self {
        Row {
            out,
            header,
            columns,
            cells: 0,
        }
    }

    /// Begins a cell.
    #[inline]
    fn next(&mut self) {
        if self.cells > 0 {
            self.out.push(b',');
        }
        self.cells += 1;
    }

    /// Ends the row, its remaining columns empty.
    pub(in crate::report) fn end(&mut self) {
        self.skip(self.columns.saturating_sub(self.cells));
        self.out.push(b'\n');
    }

    /// Appends so many empty cells.
    pub(in crate::report) fn skip(&mut self, columns: usize) {
        for _ in 0..columns {
            self.next();
        }
    }

    /// Appends untrusted text.
    pub(in crate::report) fn text(&mut self, text: &str) {
        self.next();
        let begun = self.out.len();
        quoted(text, self.out);
        let bare = self.out.get(begun..).unwrap_or_default();
        if self.cells == 1 && bare.trim_ascii_start().starts_with(b"::") {
            // A build server would take the row for a command.
            self.out.insert(begun, b'"');
            self.out.push(b'"');
        }
    }

    /// Appends a word of our own, in which there is nothing to quote.
    pub(in crate::report) fn word(&mut self, word: Option<&str>) {
        self.next();
        self.out.extend_from_slice(word.unwrap_or("").as_bytes());
    }

    /// Appends a count.
    pub(in crate::report) fn count(&mut self, count: u64) {
        self.next();
        count.append(self.out);
    }

    /// Appends a float, nothing where it is not known or not finite.
    pub(in crate::report) fn float(&mut self, digits: &mut Digits, value: Option<f64>) {
        self.next();
        float(digits, value, self.out);
    }

    /// Appends what is told of all barriers, if there are any: the three cells `h`, `next` and `slack` of
    /// each.
    pub(in crate::report) fn readings(&mut self, kept: &mut Readings, readings: &[Reading]) {
        if readings.is_empty() {
            return;
        }
        self.next();
        self.cells += 3 * readings.len() - 1;
        kept.append(readings, self.out, |_, reading, digits, out| {
            float(digits, Some(reading.h), out);
            out.push(b',');
            float(digits, reading.next, out);
            out.push(b',');
            float(digits, reading.slack, out);
        });
    }

    /// Appends whether it is so.
    pub(in crate::report) fn flag(&mut self, flag: bool) {
        self.next();
        flag.append(self.out);
    }

    /// Appends barriers by name.
    pub(in crate::report) fn barriers(&mut self, barriers: &[usize]) {
        let header = self.header;
        self.list(barriers.iter().map(|&barrier| header.barrier(barrier)));
    }

    /// Appends a list of untrusted texts, with semicolons between them where that is plain.
    pub(in crate::report) fn list<'t>(&mut self, texts: impl Iterator<Item = &'t str>) {
        let texts: Vec<&str> = texts.collect();
        match texts.is_empty() {
            // As it mostly is.
            true => self.skip(1),
            false => self.text(&list(&texts, ";")),
        }
    }
}

/// Appends a float, nothing where it is not known or not finite.
fn float(digits: &mut Digits, value: Option<f64>, out: &mut Vec<u8>) {
    if let Some(value) = value.filter(|value| value.is_finite()) {
        digits.append(value, out);
    }
}

/// Appends a cell of untrusted text, in quotes where it could be taken for more than one cell.
fn quoted(text: &str, out: &mut Vec<u8>) {
    let first = text.as_bytes().first();
    if first.is_none_or(u8::is_ascii_alphanumeric) && bytes::not_cell(text.as_bytes()).is_none() {
        // Nothing hidden, no formula, one cell: as nearly every text is.
        return out.extend_from_slice(text.as_bytes());
    }
    let cell = cell(text);
    if !cell.contains([',', '"', '\r', '\n']) {
        return out.extend_from_slice(cell.as_bytes());
    }
    out.push(b'"');
    out.extend_from_slice(cell.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use ::csv::Writer;

    /// Cells are quoted where the library that reads and writes CSV quotes them.
    #[test]
    fn cells_are_quoted_as_elsewhere() {
        let mut random = Random::new(3);
        for _ in 0..20_000 {
            let signs = [
                'a', 'b', ' ', ',', ';', '"', '\'', '\n', '\r', '#', '\\', 'é', '\t',
            ];
            let text: String = (0..random.below(6)).map(|_| *random.pick(&signs)).collect();
            let mut out = b"x,".to_vec();
            quoted(&text, &mut out);
            out.push(b'\n');
            let mut writer = Writer::from_writer(Vec::new());
            writer.write_record(["x", &*cell(&text)]).unwrap();
            assert_eq!(out, writer.into_inner().unwrap(), "{text:?}");
        }
    }
}
