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
pub struct Outlet<'w> {
    /// The report.
    report: Box<dyn Report + 'w>,
    /// Whether it lists any calls.
    lists: bool,
    /// Why nothing more is written to it.
    failed: Option<io::Error>,
}

impl<'w> Outlet<'w> {
    /// A report that lists the decisions which the filter lets through, or none.
    pub fn new(report: Box<dyn Report + 'w>, lists: bool) -> Self {
        Outlet {
            report,
            lists,
            failed: None,
        }
    }
}

/// Hands everything to every report and counts it.
pub struct Audit<'w> {
    tally: Tally,
    filter: Filter,
    outlets: Vec<Outlet<'w>>,
}

impl<'w> Audit<'w> {
    /// An audit into these reports.
    pub fn new(tally: Tally, filter: Filter, outlets: Vec<Outlet<'w>>) -> Self {
        Audit {
            tally,
            filter,
            outlets,
        }
    }

    /// The counts so far, to be completed with what only the caller knows.
    pub fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }

    /// Whether any report failed for another reason than that its reader went away.
    pub fn has_failed(&self) -> bool {
        let broken = |outlet: &Outlet<'_>| {
            let kind = outlet.failed.as_ref().map(io::Error::kind);
            kind.is_some_and(|kind| kind != io::ErrorKind::BrokenPipe)
        };
        self.outlets.iter().any(broken)
    }

    /// Ends every report with the summary. Gives, for each report in order, why it could not be
    /// written, if so; a reader that went away is no failure.
    pub fn finish(mut self, mut summary: summary::Summary) -> Vec<Option<io::Error>> {
        let listed = summary.counts.listed;
        self.each(|report, lists| {
            summary.counts.listed = if lists { listed } else { 0 };
            report.finish(&summary)
        });
        let failure = |outlet: Outlet<'_>| {
            let failed = outlet.failed;
            failed.filter(|e| e.kind() != io::ErrorKind::BrokenPipe)
        };
        self.outlets.into_iter().map(failure).collect()
    }

    /// Writes to every report that can be written, told whether it lists calls.
    fn each(&mut self, mut write: impl FnMut(&mut dyn Report, bool) -> io::Result<()>) {
        for outlet in self
            .outlets
            .iter_mut()
            .filter(|outlet| outlet.failed.is_none())
        {
            if let Err(error) = write(outlet.report.as_mut(), outlet.lists) {
                outlet.failed = Some(error);
            }
        }
    }
}

impl Output for Audit<'_> {
    fn decision(&mut self, decided: &mut Final) {
        self.tally.decision(decided);
        let passes = self.filter.lets(&decided.decision);
        if passes {
            self.tally.listed();
        }
        self.each(|report, lists| report.decision(&decided.decision, lists && passes));
    }

    fn notice(&mut self, notice: Notice) {
        self.tally.notice(&notice);
        self.each(|report, _| report.notice(&notice));
    }

    fn run(&mut self, report: RunReport) {
        self.tally.run(&report);
        self.each(|outlet, _| outlet.run(&report));
    }

    fn count(&mut self, what: Counted) {
        self.tally.count(what);
    }
}
