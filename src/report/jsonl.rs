//! One JSON object a line, the summary last: for pipes, and for files of any length.

use super::json::{Records, Shape};
use super::{Format, Header, Report};
use std::io::Write;

/// The format.
pub const FORMAT: Format = Format {
    id: "jsonl",
    doc: "one JSON object a line: decisions, faults and warnings in order, the summary last",
    lists: true,
    open,
};

fn open<'w>(header: Header, out: Box<dyn Write + Send + 'w>) -> Box<dyn Report + 'w> {
    Box::new(Records::new(header, out, Shape::Lines))
}
