//! Reads one input from its first byte to its last: what it is, how it is cut into records, and
//! what became of every line.

use super::cut::Head;
use super::reading::Reading;
use super::{Format, IMPORTERS, Sink};
use crate::trace::input::Input;
use crate::trace::magic;
use std::io::Read;
use std::num::NonZeroUsize;

/// How inputs are read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Longest line in bytes that is read, and longest document; longer ones are faults.
    pub max_line: usize,
    /// Most bytes of one input that are held back where a format has to be put in order, and most
    /// bytes of an archive; what goes beyond is a fault.
    pub max_hold: usize,
    /// Most bytes read of one input after decompression; absent means no limit. What is beyond is
    /// a fault.
    pub max_bytes: Option<u64>,
    /// Id of the format, where the user names it; absent means that it is detected.
    pub from: Option<&'static str>,
    /// Whether a last line that is cut off is a warning instead of a fault.
    pub allow_torn_tail: bool,
    /// Threads that read one input, this one included. What is read does not depend on it.
    pub threads: NonZeroUsize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            max_line: 64 << 20,
            max_hold: 256 << 20,
            max_bytes: None,
            from: None,
            allow_torn_tail: false,
            threads: NonZeroUsize::MIN,
        }
    }
}

/// How an input was cut into records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// A record a line.
    #[default]
    Lines,
    /// A document: a top-level array, or values that may each span several lines; or an archive, a
    /// record a member.
    Document,
}

/// What became of an input. Always: `lines = records + blank + faulty`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputReport {
    /// Id of its format; absent if there was nothing to tell it from, or it is of no known format.
    pub format: Option<&'static str>,
    /// Why it was taken for that format, in plain words.
    pub reason: String,
    /// SHA-256 of the raw bytes, in hexadecimal.
    pub sha256: String,
    /// Raw bytes read.
    pub raw_bytes: u64,
    /// Bytes after decompression.
    pub bytes: u64,
    /// What `lines` counts: lines; or the values of a document, each standing for the line of its
    /// first byte; or the members that are read of an archive, each standing for the line of its
    /// number in it. An input that is no text at all has none.
    pub cut: Cut,
    /// Lines, or values of a document.
    pub lines: u64,
    /// Lines that hold a good record.
    pub records: u64,
    /// Lines of white space.
    pub blank: u64,
    /// Lines with a fault, and a torn last line.
    pub faulty: u64,
    /// Fields that the format does not define.
    pub unknown_fields: u64,
    /// Whether all of the input was read, to an undamaged end. A torn last line makes it false
    /// even where it is let pass.
    pub complete: bool,
}

/// The format with that id.
pub fn format(id: &str) -> Option<&'static Format> {
    IMPORTERS.iter().find(|format| format.id == id)
}

/// Reads the input that `bytes` gives, as the `input`th of the audit, into `sink`. `name` is what
/// the user calls it, `stem` is `name` without directories and endings, after which a run without
/// a name of its own is named.
///
/// Nothing makes it fail: what cannot be read is told to the sink and counted in the report.
pub fn read(
    input: usize,
    name: &str,
    stem: &str,
    bytes: Box<dyn Read + Send + '_>,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> InputReport {
    let mut source = Input::new(bytes, options.max_bytes);
    let mut reading = Reading::new(input, options, sink);
    let mut head = Head::default();
    head.fill_sample(&mut source);
    match magic::foreign(&head.bytes) {
        Some(foreign) if foreign.is_zip() && reading.archive(stem, &mut head, &mut source) => {}
        Some(foreign) => reading.foreign(&foreign, name),
        None => reading.records(stem, head, &mut source),
    }
    reading.finish(source)
}
