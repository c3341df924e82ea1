//! One page in one file, for whoever looks at an incident or decides about a policy: the verdict first,
//! then what was counted, how near the runs came to a refusal, what decided, and the calls.
//!
//! It is read without a script and without anything from elsewhere. Since the verdict stands first nothing
//! is written before the end, and what waits for it is bounded: the courses of the runs nearest a refusal,
//! and so many calls, faults and warnings. The rest is counted, and the page says so.

mod again;
mod calls;
mod counted;
mod decided;
mod markup;
mod notices;
mod pages;
mod plot;
mod rates;
mod runs;
mod shell;
mod verdict;

use super::courses::Courses;
use super::rendering::Blocks;
use super::{Format, Header, Report};
use crate::audit::summary::Summary;
use crate::engine::RunReport;
use crate::engine::decision::Decision;
use crate::trace::fault::Notice;
use markup::Html;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

/// The format.
pub const FORMAT: Format = Format {
    id: "html",
    doc: "one page for people, with charts: the verdict, the runs nearest a refusal, calls",
    lists: false,
    open,
};

/// Runs that are drawn: those nearest a refusal.
pub const DRAWN: usize = 30;

/// Runs that are told of, those drawn among them.
pub const TOLD: usize = 200;

/// Calls in the table.
pub const CALLS: usize = 2000;

/// Faults with their places, and as many warnings.
pub const NOTICES: usize = 500;

/// Most names of a list, and most rows of a table of names.
const NAMES: usize = 100;

fn open<'w>(header: Header, out: Box<dyn Write + Send + 'w>) -> Box<dyn Report + 'w> {
    Box::new(Page {
        kept: Kept {
            courses: Courses::new(&header, TOLD),
            calls: calls::Calls::default(),
            notices: notices::Notices::default(),
            first: None,
            doubtful: Vec::new(),
            contracts: BTreeMap::new(),
            pages: pages::Pages::new(),
        },
        header,
        out: Blocks::new(out),
    })
}

struct Page<'w> {
    header: Header,
    kept: Kept,
    out: Blocks<'w>,
}

/// What waits for the end.
struct Kept {
    courses: Courses,
    calls: calls::Calls,
    notices: notices::Notices,
    /// The first call that may not run.
    first: Option<First>,
    /// The first runs that a fault left in doubt.
    doubtful: Vec<Arc<str>>,
    /// Decisions by the id of the contract, where it has one: no more of them than the policy has.
    contracts: BTreeMap<String, u64>,
    /// What rules say.
    pages: pages::Pages,
}

/// A call that the verdict tells of.
struct First {
    input: usize,
    line: u64,
    run: Arc<str>,
    tool: Arc<str>,
    /// Where it stands among the calls of the table, if it does.
    row: Option<u64>,
    why: Html,
}

/// What the sections of the page are made of.
struct Sheet<'a> {
    header: &'a Header,
    summary: &'a Summary,
    kept: &'a Kept,
}

impl Sheet<'_> {
    /// Appends the place of a record: the line, behind the name of the input where there are several.
    fn place(&self, out: &mut Html, input: usize, line: u64) {
        place(out, self.header, input, &line.to_string());
    }
}

/// Appends a place: the line, behind the name of the input where there are several.
fn place(out: &mut Html, header: &Header, input: usize, line: &str) {
    if header.inputs.len() > 1 {
        out.name(header.input(input)).raw(":").text(line);
    } else {
        out.raw("line ").text(line);
    }
}

impl Report for Page<'_> {
    fn decision(&mut self, decision: &Decision, listed: bool) -> io::Result<()> {
        let kept = &mut self.kept;
        kept.courses.decision(decision);
        if let Some(contract) = &decision.policy_rule {
            *kept.contracts.entry(contract.clone()).or_default() += 1;
        }
        let row = match listed {
            true => kept.calls.add(decision, &self.header, &kept.pages),
            false => None,
        };
        if kept.first.is_none() && decision.is_refused() {
            let mut why = Html::default();
            calls::why(&mut why, decision, &self.header);
            kept.first = Some(First {
                input: decision.input,
                line: decision.line,
                run: Arc::clone(&decision.run),
                tool: Arc::clone(&decision.tool),
                row,
                why,
            });
        }
        Ok(())
    }

    fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        self.kept.notices.add(notice, &self.header);
        Ok(())
    }

    fn run(&mut self, run: &RunReport) -> io::Result<()> {
        self.kept.courses.run(run);
        if run.inconclusive && self.kept.doubtful.len() < NAMES {
            self.kept.doubtful.push(Arc::clone(&run.id));
        }
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let sheet = Sheet {
            header: &self.header,
            summary,
            kept: &self.kept,
        };
        let mut html = Html::default();
        for part in PARTS {
            part(&mut html, &sheet);
            html.move_to(&mut self.out.bytes);
            self.out.pass_on()?;
        }
        self.out.finish()
    }
}

/// The page from its head to its end.
const PARTS: &[fn(&mut Html, &Sheet<'_>)] = &[
    shell::head,
    verdict::section,
    shell::contents,
    counted::section,
    runs::section,
    decided::section,
    rates::section,
    calls::section,
    notices::section,
    again::section,
    shell::end,
];

/// Appends how many of so many are left out where [`NAMES`] are listed.
fn and_more(out: &mut Html, all: usize, what: &'static str) {
    if all > NAMES {
        out.raw("<p class=\"note\">")
            .count((all - NAMES) as u64)
            .raw(" more ");
        out.raw(what).raw(" are in the machine formats.</p>\n");
    }
}
