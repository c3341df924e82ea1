//! Decisions, notices and the summary to bytes, one file a format.

pub mod args;
pub mod barriers;
pub mod calibration;
pub mod chart;
pub mod check;
pub mod courses;
pub mod csv;
pub mod explain;
pub mod features;
pub mod finding;
pub mod github;
pub mod html;
pub mod inspect;
pub mod json;
pub mod jsonl;
pub mod junit;
pub mod markdown;
pub mod model;
pub mod number;
pub mod otlp;
pub mod rendering;
pub mod robustness;
pub mod runs;
pub mod sarif;
pub mod table;
pub mod values;
pub mod verdict;

use crate::audit::summary::Summary;
use crate::engine::RunReport;
use crate::engine::decision::Decision;
use crate::trace::fault::Notice;
use crate::verify::robustness::Scales;
use std::io;
use std::sync::Arc;

/// What a report is told before the first record.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// Names of the inputs, by index. Untrusted.
    pub inputs: Vec<String>,
    /// Names of the barriers, in policy order.
    pub barriers: Vec<String>,
    /// By what their values are divided to be compared.
    pub scales: Scales,
    /// Whether runs go on from one input into the next.
    pub merged: bool,
    /// Columns to lay a table out for; absent means as wide as it takes.
    pub width: Option<usize>,
    /// Whether colours are wanted.
    pub color: bool,
    /// Whether a table shows the labels of calls.
    pub labels: bool,
    /// Where the policy stands: `built-in`, or the file as it was named. Untrusted.
    pub policy: String,
    /// Whether that is a file.
    pub policy_is_file: bool,
    /// An earlier report that this one is held against, where it is of a format that can be.
    pub baseline: Option<Arc<sarif::Baseline>>,
    /// SHA-256 of the effective policy, in hexadecimal.
    pub policy_sha256: String,
    /// The command that makes this report again, without what its content does not depend on. Untrusted.
    pub command: String,
}

impl Header {
    /// Name of an input; empty for an index that is none.
    pub fn input(&self, index: usize) -> &str {
        self.inputs.get(index).map_or("", String::as_str)
    }

    /// Name of a barrier; empty for an index that is none.
    pub fn barrier(&self, index: usize) -> &str {
        self.barriers.get(index).map_or("", String::as_str)
    }
}

/// A report being written, record by record, in the order of the audit.
pub trait Report: Send {
    /// A decision, its index of input known from the header. One that is not `listed` was filtered
    /// out: it may be counted and drawn, and is not told of by itself.
    ///
    /// # Errors
    /// The output cannot be written.
    fn decision(&mut self, decision: &Decision, listed: bool) -> io::Result<()>;

    /// A fault or a warning.
    ///
    /// # Errors
    /// The output cannot be written.
    fn notice(&mut self, notice: &Notice) -> io::Result<()>;

    /// The end of a run, after its decisions. Most formats have nothing to say of it.
    ///
    /// # Errors
    /// The output cannot be written.
    fn run(&mut self, _run: &RunReport) -> io::Result<()> {
        Ok(())
    }

    /// The end of the audit. Without it the output is visibly cut off.
    ///
    /// # Errors
    /// The output cannot be written.
    fn finish(&mut self, summary: &Summary) -> io::Result<()>;
}

/// A format that reports can be written in.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it and `--NAME FILE` is called.
    pub id: &'static str,
    /// One line about it for help and documentation.
    pub doc: &'static str,
    /// Whether its calls are a listing, which `--quiet` leaves out of standard output. Formats of
    /// findings are made of them.
    pub lists: bool,
    /// Begins a report on that output.
    pub open: for<'w> fn(Header, Box<dyn io::Write + Send + 'w>) -> Box<dyn Report + 'w>,
}

/// Every format; the first is the default.
pub const FORMATS: &[Format] = &[
    table::FORMAT,
    json::FORMAT,
    jsonl::FORMAT,
    csv::FORMAT,
    values::FORMAT,
    markdown::FORMAT,
    html::FORMAT,
    sarif::FORMAT,
    junit::FORMAT,
    github::FORMAT,
    otlp::FORMAT,
];
