//! One JSON document with all records and the summary, written as the records come: a line each.

pub mod v1;
pub mod write;

use super::args::Secrets;
use super::{Format, Header, Report};
use crate::audit::summary::Summary;
use crate::engine::decision::Decision;
use crate::trace::fault::Notice;
use std::io::{self, Write};
use v1::NoticeRecord;
use v1::decision::{self, Shown};
use v1::summary::SummaryRecord;

/// The format.
pub const FORMAT: Format = Format {
    id: "json",
    doc: "one JSON document: `records` (decisions, faults, warnings, in order) and `summary`",
    open,
};

fn open<'w>(header: Header, out: Box<dyn Write + Send + 'w>) -> Box<dyn Report + 'w> {
    Box::new(Records::new(header, out, Shape::Document))
}

/// What stands around the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing: an object a line, the summary last.
    Lines,
    /// One object with `records` and `summary`.
    Document,
}

/// Records on their way out, one write each.
pub(super) struct Records<'w> {
    header: Header,
    out: Box<dyn Write + Send + 'w>,
    shape: Shape,
    /// Whether a record was written.
    begun: bool,
    buffer: Vec<u8>,
    /// Made when the first arguments are to be shown.
    secrets: Option<Secrets>,
}

impl<'w> Records<'w> {
    pub(super) fn new(header: Header, out: Box<dyn Write + Send + 'w>, shape: Shape) -> Self {
        Records {
            header,
            out,
            shape,
            begun: false,
            buffer: Vec::with_capacity(1024),
            secrets: None,
        }
    }

    /// Begins the next record.
    fn lead_in(&mut self) {
        self.buffer.clear();
        if self.shape == Shape::Document {
            self.buffer
                .extend_from_slice(if self.begun { b",\n" } else { b"" });
            self.open_document("\n");
        }
        self.begun = true;
    }

    /// Writes what comes before the first record, unless it is written already.
    fn open_document(&mut self, end: &str) {
        if !self.begun {
            let head = format!("{{\"schema\":\"{}\",\"records\":[{end}", v1::REPORT);
            self.buffer.extend_from_slice(head.as_bytes());
        }
    }

    fn write(&mut self) -> io::Result<()> {
        if self.shape == Shape::Lines {
            self.buffer.push(b'\n');
        }
        self.out.write_all(&self.buffer)
    }
}

impl Report for Records<'_> {
    fn decision(&mut self, decision: &Decision) -> io::Result<()> {
        self.lead_in();
        let shown = decision.args.as_ref().map(|args| {
            let secrets = self.secrets.get_or_insert_with(Secrets::new);
            let seen = decision.semantic.as_ref();
            let text = seen.and_then(|seen| seen.text.as_deref());
            Shown {
                args: secrets.shown(args),
                text: text.and_then(|text| secrets.shown_text(text, args)),
            }
        });
        decision::append(decision, &self.header, shown, &mut self.buffer);
        self.write()
    }

    fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        self.lead_in();
        let record = NoticeRecord::new(notice, &self.header);
        write::append(&record, &mut self.buffer)?;
        self.write()
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.buffer.clear();
        if self.shape == Shape::Document {
            self.buffer
                .extend_from_slice(if self.begun { b"\n" } else { b"" });
            self.open_document("");
            self.buffer.extend_from_slice(b"],\"summary\":");
        }
        let record = SummaryRecord::new(summary, &self.header);
        write::append(&record, &mut self.buffer)?;
        if self.shape == Shape::Document {
            self.buffer.push(b'}');
        }
        self.buffer.push(b'\n');
        self.out.write_all(&self.buffer)?;
        self.out.flush()
    }
}
