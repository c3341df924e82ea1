//! Version 1 of the machine records. The types are the format: fields, their order and their names
//! do not change, so they are kept apart from what the engine works with.

pub mod coverage;
pub mod decision;
pub mod parts;
pub mod summary;
pub mod tally;

use crate::report::Header;
use crate::trace::fault::Notice;
use serde::Serialize;

/// Schema of a decision record.
pub const DECISION: &str = "gate.decision/1";

/// Schema of a fault or warning record.
pub const NOTICE: &str = "gate.notice/1";

/// Schema of the summary record and of the document that holds all records.
pub const REPORT: &str = "gate.report/1";

/// A fault or a warning.
#[derive(Debug, Serialize)]
pub struct NoticeRecord<'a> {
    schema: &'static str,
    record: &'static str,
    file: &'a str,
    /// From 1; null means the input as a whole.
    line: Option<u64>,
    /// Byte, from 1; null means the line as a whole.
    column: Option<u64>,
    code: &'static str,
    run: Option<&'a str>,
    message: &'a str,
    help: Option<&'a str>,
}

impl<'a> NoticeRecord<'a> {
    /// The record of a notice.
    pub fn new(notice: &'a Notice, header: &'a Header) -> Self {
        NoticeRecord {
            schema: NOTICE,
            record: notice_kind(notice),
            file: header.input(notice.place.input),
            line: parts::position(notice.place.line),
            column: parts::position(notice.place.column),
            code: notice.kind.code(),
            run: notice.run.as_deref(),
            message: &notice.message,
            help: notice.help.as_deref(),
        }
    }
}

/// What records call a notice: `fault` or `warning`.
pub fn notice_kind(notice: &Notice) -> &'static str {
    if notice.kind.is_fault() {
        "fault"
    } else {
        "warning"
    }
}
