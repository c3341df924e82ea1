//! Rows by the names of their columns, for reports whose rows are of several kinds.

use super::{cell, write_record};
use crate::audit::summary::{ExitSummary, PolicySummary};
use crate::report::json::v1::notice_kind;
use crate::trace::fault::Notice;
use ::csv::Writer;
use std::io::{self, Write};

/// A row: what stands in each column that has something.
pub(in crate::report) type Row = Vec<(&'static str, String)>;

/// A row of that kind, named in the column `record`.
pub(in crate::report) fn begin(record: &str) -> Row {
    vec![("record", record.to_owned())]
}

/// The rows of what is doubtful in the policy, its file and lines in the place of an input's.
pub(in crate::report) fn doubt_rows(policy: &PolicySummary) -> Vec<Row> {
    let doubts = policy.warnings.iter().map(|doubt| {
        let mut row = begin("warning");
        row.push(("file", cell(&policy.source).into_owned()));
        let places = [
            ("line", doubt.place.known_line()),
            ("column", doubt.place.known_column()),
        ];
        let known = places.into_iter();
        row.extend(known.filter_map(|(name, at)| Some((name, at?.to_string()))));
        let message = format!("{}: {}", doubt.code, doubt.message);
        row.push(("message", cell(&message).into_owned()));
        row
    });
    doubts.collect()
}

/// Writes the names of the columns and then the rows, and flushes.
///
/// # Errors
/// The output cannot be written.
pub(in crate::report) fn write_rows(
    columns: &[&'static str],
    rows: impl Iterator<Item = Row>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut out = Writer::from_writer(out);
    write_record(&mut out, columns)?;
    for row in rows {
        let cells = columns.iter().map(|column| {
            let known = row.iter().find(|(name, _)| name == column);
            known.map_or("", |(_, text)| text)
        });
        write_record(&mut out, cells)?;
    }
    out.flush()
}

/// A fault or a warning: where, of which run, and what it is.
pub(in crate::report) fn notice_row(notice: &Notice, file: &str) -> Row {
    let mut row = begin(notice_kind(notice));
    let place = notice.place;
    row.push(("file", cell(file).into_owned()));
    if place.line > 0 {
        row.push(("line", place.line.to_string()));
    }
    // No column stands for the line as a whole.
    if place.line > 0 && place.column > 0 {
        row.push(("column", place.column.to_string()));
    }
    row.extend(notice.run.iter().map(|run| ("run", cell(run).into_owned())));
    let message = format!("{}: {}", notice.kind.code(), notice.message);
    row.push(("message", cell(&message).into_owned()));
    row
}

/// How the program ends.
pub(in crate::report) fn exit_row(exit: &ExitSummary) -> Row {
    let mut row = begin("exit");
    row.push(("status", exit.status.code().to_string()));
    row.push(("message", cell(&exit.reason).into_owned()));
    row
}
