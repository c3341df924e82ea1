//! JUnit XML, which build servers show as test results: a suite an input, a test a run.
//!
//! A suite says before its tests how many of them failed, so that all is written at the end. Until then
//! a run is kept with its counts and the words about its first findings; what is kept in words has an
//! end, see `case`.

mod case;
mod names;
mod outcome;
mod render;
mod xml;

use super::rendering::Blocks;
use super::{Format, Header, Report};
use crate::audit::summary::Summary;
use crate::engine::RunReport;
use crate::engine::decision::Decision;
use crate::trace::fault::Notice;
use case::Cases;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    id: "junit",
    doc: "JUnit XML for build servers: a suite an input, a test a run, failed by what the exit status counts",
    lists: false,
    open,
};

fn open<'w>(header: Header, out: Box<dyn Write + Send + 'w>) -> Box<dyn Report + 'w> {
    Box::new(Suites {
        cases: Cases::new(header.merged),
        notices: Vec::new(),
        header,
        out: Blocks::new(out),
    })
}

/// Most faults and warnings of an input that are told.
const NOTICES: usize = 100;

/// A report under way.
struct Suites<'w> {
    header: Header,
    cases: Cases,
    /// By index of the input.
    notices: Vec<Notices>,
    out: Blocks<'w>,
}

/// Faults and warnings of an input.
#[derive(Clone, Debug, Default)]
struct Notices {
    faults: u64,
    warnings: u64,
    /// The first [`NOTICES`] of them, a line each.
    told: Vec<String>,
}

impl Report for Suites<'_> {
    fn decision(&mut self, decision: &Decision, listed: bool) -> io::Result<()> {
        self.cases.decision(decision, listed, &self.header);
        Ok(())
    }

    fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        let input = notice.place.input;
        if self.notices.len() <= input {
            self.notices.resize(input + 1, Notices::default());
        }
        if let Some(notices) = self.notices.get_mut(input) {
            match notice.kind.is_fault() {
                true => notices.faults += 1,
                false => notices.warnings += 1,
            }
            if notices.told.len() < NOTICES {
                notices
                    .told
                    .push(outcome::notice(notice, self.header.input(input)));
            }
        }
        if notice.kind.is_fault()
            && let Some(run) = &notice.run
        {
            self.cases.doubt(input, run);
        }
        Ok(())
    }

    fn run(&mut self, run: &RunReport) -> io::Result<()> {
        self.cases.run(run);
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let inputs = self.cases.inputs().max(self.header.inputs.len());
        self.notices
            .resize(inputs.max(self.notices.len()), Notices::default());
        render::document(
            &self.header,
            &self.cases,
            &self.notices,
            summary,
            &mut self.out,
        )?;
        self.out.finish()
    }
}
