//! An audit: decisions, notices and runs on their way to the reports, and what they come to.

pub mod barrier_verdict;
pub mod barriers;
pub mod coverage;
pub mod features;
pub mod filter;
pub mod records;
pub mod remaining;
pub mod robustness;
pub mod summary;
pub mod tally;
pub mod verdict;

use crate::engine::{Counted, Final, Output, RunReport};
use crate::report::Report;
use crate::trace::fault::Notice;
use filter::Filter;
use std::io;
use tally::Tally;

/// A report and what became of writing it.
pub struct Sink<'w> {
    /// The report.
    report: Box<dyn Report + 'w>,
    /// Why nothing more is written to it.
    failed: Option<io::Error>,
}

/// Hands everything to every report and counts it.
pub struct Audit<'w> {
    tally: Tally,
    filter: Filter,
    sinks: Vec<Sink<'w>>,
}

impl<'w> Audit<'w> {
    /// An audit into these reports, which list the decisions that the filter lets through.
    pub fn new(tally: Tally, filter: Filter, reports: Vec<Box<dyn Report + 'w>>) -> Self {
        let sink = |report| Sink {
            report,
            failed: None,
        };
        Audit {
            tally,
            filter,
            sinks: reports.into_iter().map(sink).collect(),
        }
    }

    /// The counts so far, to be completed with what only the caller knows.
    pub fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }

    /// Whether any report failed for another reason than that its reader went away.
    pub fn has_failed(&self) -> bool {
        let broken = |sink: &Sink<'_>| {
            let kind = sink.failed.as_ref().map(io::Error::kind);
            kind.is_some_and(|kind| kind != io::ErrorKind::BrokenPipe)
        };
        self.sinks.iter().any(broken)
    }

    /// Ends every report with the summary. Gives, for each report in order, why it could not be
    /// written, if so; a reader that went away is no failure.
    pub fn finish(mut self, summary: &summary::Summary) -> Vec<Option<io::Error>> {
        self.each(|report| report.finish(summary));
        let failure = |sink: Sink<'_>| {
            let failed = sink.failed;
            failed.filter(|e| e.kind() != io::ErrorKind::BrokenPipe)
        };
        self.sinks.into_iter().map(failure).collect()
    }

    fn each(&mut self, mut write: impl FnMut(&mut dyn Report) -> io::Result<()>) {
        for sink in self.sinks.iter_mut().filter(|sink| sink.failed.is_none()) {
            if let Err(error) = write(sink.report.as_mut()) {
                sink.failed = Some(error);
            }
        }
    }
}

impl Output for Audit<'_> {
    fn decision(&mut self, decided: &mut Final) {
        self.tally.decision(decided);
        if !self.filter.lets(&decided.decision) {
            return;
        }
        self.tally.listed();
        self.each(|report| report.decision(&decided.decision));
    }

    fn notice(&mut self, notice: Notice) {
        self.tally.notice(&notice);
        self.each(|report| report.notice(&notice));
    }

    fn run(&mut self, report: RunReport) {
        self.tally.run(&report);
    }

    fn count(&mut self, what: Counted) {
        self.tally.count(what);
    }
}
