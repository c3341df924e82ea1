//! Foreign bytes to events, one file a format.
//!
//! [`IMPORTERS`] is the only list of formats: detection, `--from` and the documentation walk it.
//! Whatever the format, an input comes to its importer cut into records: the lines of a JSONL file,
//! the elements of a top-level array, or the values of a file that holds one after the other.

pub mod adk;
pub mod agentdojo;
pub mod anthropic;
mod apart;
mod archive;
pub mod atif;
pub mod autogen;
pub mod bfcl;
pub mod canonical;
pub mod cases;
pub mod claude_code;
pub mod codex;
mod cut;
pub mod doc;
pub mod drive;
pub mod foreign;
pub mod gemini;
pub mod inspect_ai;
pub mod langchain;
pub mod langfuse;
pub mod langsmith;
mod mapping;
pub mod mcp;
pub mod near;
pub mod openai_agents;
pub mod openai_chat;
pub mod openai_responses;
pub mod opencode;
pub mod openhands;
pub mod otel;
pub mod pi;
pub mod pydantic_ai;
mod reading;
pub mod smolagents;
pub mod swe_agent;
pub mod syntax;
mod team;

pub use apart::{Apart, Found, Item};
pub use mapping::Mapping;

use crate::trace::event::{Event, Prepare};
use crate::trace::fault::{Notice, Place};
use crate::trace::json::Json;

/// Takes what an importer reads, in the order in which it stands in the input.
pub trait Sink: Send {
    /// A record of the trace, and where it stands.
    fn event(&mut self, place: Place, event: Event<'_>);

    /// Something wrong with the input.
    fn notice(&mut self, notice: Notice);

    /// The runs that begin from here on were held back: their records stand anywhere in the input, so
    /// that faults before, too, leave them in doubt where they name no run.
    fn reach_back(&mut self) {}

    /// What prepares the calls that are read beside others; each thread asks for its own. Absent where there
    /// is nothing to prepare.
    fn prepare(&self) -> Option<Prepare> {
        None
    }
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
    /// Whether it begins or ends with NUL bytes, which are what some file systems leave of a block that
    /// was never written.
    pub fn has_nul_bytes(&self) -> bool {
        self.text.first() == Some(&0) || self.text.last() == Some(&0)
    }

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
pub trait Importer: Send {
    /// Reads a record. What is wrong with it goes to the sink as a notice.
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink);

    /// How records are read that mean the same whatever came before them; absent in a format where they
    /// do not.
    fn apart(&self) -> Option<Box<dyn Apart>> {
        None
    }

    /// Takes, in order, something that a record came to which was read apart.
    fn take(&mut self, _item: Item<'_>, _sink: &mut dyn Sink) {}

    /// Called once after the last record.
    fn finish(&mut self, _sink: &mut dyn Sink) {}

    /// Fields met so far that the format does not define and that were ignored.
    fn unknown_fields(&self) -> u64 {
        0
    }
}

/// What an importer is told of the input that it is made for.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// Number of the input among those of the audit, from 0.
    pub input: usize,
    /// Its name without directories and endings, after which a run without a name is named.
    pub stem: &'a str,
    /// Most bytes of an input that are held back, where a format has to be seen whole to be put in
    /// order. What goes beyond is a fault.
    pub max_hold: usize,
}

/// Why a sample is of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sign {
    /// Whether nothing else writes such records. Otherwise it is only taken where no other format
    /// recognises the sample.
    pub is_decisive: bool,
    /// What was seen, in plain words.
    pub reason: String,
}

impl Sign {
    /// Nothing else writes such records.
    pub fn decisive(reason: impl Into<String>) -> Self {
        Sign {
            is_decisive: true,
            reason: reason.into(),
        }
    }

    /// Such records may be of other formats too.
    pub fn likely(reason: impl Into<String>) -> Self {
        Sign {
            is_decisive: false,
            reason: reason.into(),
        }
    }
}

/// A format that can be read.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--from` takes it and reports print it.
    pub id: &'static str,
    /// Its name among people.
    pub title: &'static str,
    /// One line about it for help and documentation.
    pub doc: &'static str,
    /// Versions of the programs that wrote the recordings it was made after.
    pub seen: &'static str,
    /// Where what gate knows of a call comes from.
    pub mapping: Mapping,
    /// What a reader of a report has to know of it: sentences in Markdown.
    pub notes: &'static [&'static str],
    /// Why the sample is of this format; `None` if it is not.
    pub recognise: fn(sample: &[Json<'_>]) -> Option<Sign>,
    /// Makes a reader for one input.
    pub importer: fn(opening: Opening<'_>) -> Box<dyn Importer>,
}

/// Every format, the most decisive signature first.
pub const IMPORTERS: &[Format] = &[
    otel::FORMAT,
    atif::FORMAT,
    mcp::FORMAT,
    codex::FORMAT,
    claude_code::FORMAT,
    agentdojo::FORMAT,
    inspect_ai::FORMAT,
    swe_agent::FORMAT,
    openhands::FORMAT,
    openai_agents::FORMAT,
    langsmith::FORMAT,
    langchain::FORMAT,
    pi::FORMAT,
    gemini::FORMAT,
    opencode::FORMAT,
    adk::FORMAT,
    langfuse::FORMAT,
    openai_responses::FORMAT,
    anthropic::FORMAT,
    autogen::FORMAT,
    smolagents::FORMAT,
    pydantic_ai::FORMAT,
    bfcl::FORMAT,
    cases::FORMAT,
    openai_chat::FORMAT,
    canonical::FORMAT,
];
