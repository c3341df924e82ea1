//! One JSON document with all records and the summary, written as the records come: a line each.

pub mod v1;
pub mod write;

use super::args::Secrets;
use super::rendering::Blocks;
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
    lists: true,
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

/// A report whose records stand one after another.
pub(super) struct Records<'w> {
    render: Render,
    out: Blocks<'w>,
    /// Whether a record was written.
    begun: bool,
}

impl<'w> Records<'w> {
    pub(super) fn new(header: Header, out: Box<dyn Write + Send + 'w>, shape: Shape) -> Self {
        Records {
            render: Render::new(header, shape),
            out: Blocks::new(out),
            begun: false,
        }
    }

    fn shape(&self) -> Shape {
        self.render.shape
    }

    /// Writes records with what stands around each of them, and before the first what stands around all.
    fn records(
        &mut self,
        append: impl FnOnce(&mut Render, &mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<()> {
        let first = self.open_document();
        append(&mut self.render, &mut self.out.bytes)?;
        if let Some(comma) = first {
            self.out.bytes.remove(comma);
        }
        self.out.pass_on()
    }

    /// Writes what comes before the first record of a document. Gives the place of the comma that the
    /// first record is led by, and no other.
    fn open_document(&mut self) -> Option<usize> {
        let first = !std::mem::replace(&mut self.begun, true) && self.shape() == Shape::Document;
        first.then(|| {
            let head = format!("{{\"schema\":\"{}\",\"records\":[", v1::REPORT);
            self.out.bytes.extend_from_slice(head.as_bytes());
            self.out.bytes.len()
        })
    }
}

impl Report for Records<'_> {
    fn decision(&mut self, decision: &Decision, listed: bool) -> io::Result<()> {
        if !listed {
            return Ok(());
        }
        self.records(|render, out| {
            render.append(decision, out);
            Ok(())
        })
    }

    fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        self.records(|render, out| render.notice(notice, out))
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let document = self.shape() == Shape::Document;
        if document {
            let none = self.open_document().is_some();
            let end: &[u8] = if none { b"" } else { b"\n" };
            self.out.bytes.extend_from_slice(end);
            self.out.bytes.extend_from_slice(b"],\"summary\":");
        }
        let record = SummaryRecord::new(summary, &self.render.header);
        write::append(&record, &mut self.out.bytes)?;
        let end: &[u8] = if document { b"}\n" } else { b"\n" };
        self.out.bytes.extend_from_slice(end);
        self.out.finish()
    }
}

/// Records with what stands around each of them: a line end behind it, or a comma and a line end before
/// it.
struct Render {
    header: Header,
    shape: Shape,
    records: decision::Records,
    /// Made when the first arguments are to be shown.
    secrets: Option<Secrets>,
}

impl Render {
    fn new(header: Header, shape: Shape) -> Self {
        Render {
            records: decision::Records::new(&header),
            header,
            shape,
            secrets: None,
        }
    }

    fn lead(&self, out: &mut Vec<u8>) {
        if self.shape == Shape::Document {
            out.extend_from_slice(b",\n");
        }
    }

    fn end(&self, out: &mut Vec<u8>) {
        if self.shape == Shape::Lines {
            out.push(b'\n');
        }
    }

    /// Appends a fault or a warning.
    fn notice(&self, notice: &Notice, out: &mut Vec<u8>) -> io::Result<()> {
        self.lead(out);
        write::append(&NoticeRecord::new(notice, &self.header), out)?;
        self.end(out);
        Ok(())
    }

    /// What is shown of the arguments, where they were kept.
    fn shown(&mut self, decision: &Decision) -> Option<Shown> {
        let args = decision.args.as_ref()?;
        let secrets = self.secrets.get_or_insert_with(Secrets::new);
        Some(Shown::of(args, decision, secrets))
    }

    /// Appends a decision.
    fn append(&mut self, decision: &Decision, out: &mut Vec<u8>) {
        self.lead(out);
        let shown = self.shown(decision);
        self.records.append(decision, &self.header, shown, out);
        self.end(out);
    }
}
