//! Foreign bytes to events, one file a format.
//!
//! [`IMPORTERS`] is the only list of formats: detection, `--from` and the documentation walk it.
//! Whatever the format, an input comes to its importer cut into records: the lines of a JSONL file,
//! the elements of a top-level array, or the values of a file that holds one after the other.

pub mod canonical;
pub mod claude_code;
mod cut;
pub mod drive;
pub mod foreign;
pub mod openai_chat;
mod reading;
pub mod syntax;

use crate::trace::event::Event;
use crate::trace::fault::{Notice, Place};
use crate::trace::json::Json;

/// Takes what an importer reads, in the order in which it stands in the input.
pub trait Sink {
    /// A record of the trace, and where it stands.
    fn event(&mut self, place: Place, event: Event<'_>);

    /// Something wrong with the input.
    fn notice(&mut self, notice: Notice);
}

/// One record of an input.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Where its first byte stands.
    pub place: Place,
    /// Its bytes: not blank, without byte order mark, carriage return and line end. Neither UTF-8
    /// nor JSON has been checked.
    pub text: &'a [u8],
    /// Whether the input ends right after it without a line end, so that it may be torn.
    pub last: bool,
}

impl Record<'_> {
    /// Where the byte at `offset` of the text stands.
    pub fn at(&self, offset: usize) -> Place {
        let before = &self.text[..offset.min(self.text.len())];
        let Some(newline) = memchr::memrchr(b'\n', before) else {
            return Place {
                column: self.place.column + before.len() as u64,
                ..self.place
            };
        };
        Place {
            line: self.place.line + memchr::memchr_iter(b'\n', before).count() as u64,
            column: (before.len() - newline) as u64,
            ..self.place
        }
    }
}

/// Reads the records of one input.
pub trait Importer {
    /// Reads a record. What is wrong with it goes to the sink as a notice.
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink);

    /// Called once after the last record.
    fn finish(&mut self, _sink: &mut dyn Sink) {}

    /// Fields met so far that the format does not define and that were ignored.
    fn unknown_fields(&self) -> u64 {
        0
    }
}

/// A format that can be read.
pub struct Format {
    /// Its name, as `--from` takes it and reports print it.
    pub id: &'static str,
    /// One line about it for help and documentation.
    pub doc: &'static str,
    /// Why the sample is of this format, in plain words; `None` if it is not.
    pub recognise: fn(sample: &[Json<'_>]) -> Option<String>,
    /// Makes a reader for one input, whose name without directories and endings is `stem`.
    pub importer: fn(input: usize, stem: &str) -> Box<dyn Importer>,
}

/// Every format, the most decisive signature first.
pub const IMPORTERS: &[Format] = &[claude_code::FORMAT, openai_chat::FORMAT, canonical::FORMAT];
