//! The report for people: a line a call as the audit goes, then what it all came to.
//!
//! Rows are laid out and written in chunks, so that an audit of any length takes the memory of one.

mod calls;
mod courses;
mod coverage;
pub(in crate::report) mod layout;
pub(in crate::report) mod outcome;
pub mod page;
mod summary;
pub mod text;

use super::args::Secrets;
use super::courses::Courses;
use super::json::v1::notice_kind;
use super::{Format, Header, Report};
use crate::audit::summary::Summary;
use crate::engine::RunReport;
use crate::engine::decision::Decision;
use crate::trace::fault::Notice;
use calls::Call;
use layout::{Layout, Rows};
use std::io::{self, Write};
use text::Tone;

/// The format.
pub const FORMAT: Format = Format {
    id: "table",
    doc: "for people: a line a call, then what the audit came to",
    lists: true,
    open,
};

/// Most faults, and most warnings, that a report repeats.
pub(in crate::report) const NOTICES: usize = 10;

/// Entries laid out together.
const CHUNK: usize = 500;

fn open<'w>(header: Header, out: Box<dyn Write + Send + 'w>) -> Box<dyn Report + 'w> {
    Box::new(Table {
        courses: Courses::new(&header, courses::RUNS),
        header,
        out,
        entries: Vec::new(),
        layout: None,
        input: None,
        legend: Legend::default(),
        secrets: None,
    })
}

struct Table<'w> {
    header: Header,
    out: Box<dyn Write + Send + 'w>,
    entries: Vec<Entry>,
    /// Absent until the first rows are laid out.
    layout: Option<Layout>,
    /// Input of the last row.
    input: Option<usize>,
    legend: Legend,
    /// Made when the first arguments are to be shown.
    secrets: Option<Secrets>,
    courses: Courses,
}

/// Something that waits to be written.
enum Entry {
    /// The headings, after the name of the input where there are several.
    Head(Option<String>),
    Call(Box<Call>),
    /// Lines that are ready.
    Lines(Vec<String>),
}

/// Signs that occurred and want explaining.
#[derive(Default)]
struct Legend {
    counterfactual: bool,
    inconclusive: bool,
    /// Whether anything at all was written.
    written: bool,
}

impl Table<'_> {
    fn push(&mut self, entry: Entry) -> io::Result<()> {
        self.entries.push(entry);
        self.legend.written = true;
        if self.entries.len() >= CHUNK {
            self.flush()?;
        }
        Ok(())
    }

    /// Lays out and writes what waits.
    fn flush(&mut self) -> io::Result<()> {
        let entries = std::mem::take(&mut self.entries);
        let calls: Vec<&Call> = entries
            .iter()
            .filter_map(|entry| match entry {
                Entry::Call(call) => Some(&**call),
                _ => None,
            })
            .collect();
        let mut out = String::new();
        let header = &self.header;
        let rows = (!calls.is_empty()).then(|| {
            let layout = self
                .layout
                .get_or_insert_with(|| Layout::new(header, &calls));
            layout.rows(header, &calls)
        });
        write_entries(&entries, rows, header, &mut out);
        self.out.write_all(out.as_bytes())
    }

    /// What the signs in the rows mean.
    fn legend(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut add = |wanted: bool, line: &str| {
            if wanted {
                lines.extend(text::wrapped("", line, self.header.width));
            }
        };
        let layout = self.layout.as_ref();
        add(
            layout.is_some_and(Layout::shows_next_only),
            "barriers stand at their value after the call",
        );
        add(
            self.legend.counterfactual,
            "* counterfactual: replay and record parted earlier in the run",
        );
        add(
            self.legend.inconclusive,
            "? inconclusive: a fault leaves the state of the run in doubt",
        );
        lines
    }
}

/// Appends entries, whose calls are the rows.
fn write_entries(entries: &[Entry], mut rows: Option<Rows<'_>>, header: &Header, out: &mut String) {
    for entry in entries {
        match entry {
            Entry::Head(file) => {
                if let Some(file) = file {
                    push_line(out, &text::paint(file, Tone::Bold, header.color));
                }
                if let Some(rows) = &rows {
                    rows.head(out);
                }
                out.push('\n');
            }
            Entry::Call(call) => {
                if let Some(rows) = &mut rows {
                    rows.next(out);
                }
                out.push('\n');
                for line in call.details(header.width) {
                    push_line(out, &line);
                }
            }
            Entry::Lines(lines) => lines.iter().for_each(|line| push_line(out, line)),
        }
    }
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

impl Report for Table<'_> {
    fn decision(&mut self, decision: &Decision, listed: bool) -> io::Result<()> {
        self.courses.decision(decision);
        if !listed {
            return Ok(());
        }
        if self.input != Some(decision.input) {
            let several = self.header.inputs.len() > 1;
            let name = || text::name(self.header.input(decision.input));
            let file = several.then(|| format!("file {}", name()));
            if self.input.is_some() {
                self.push(Entry::Lines(vec![String::new()]))?;
            }
            self.input = Some(decision.input);
            // The headings must be laid out with a row, so they never end a chunk.
            self.entries.push(Entry::Head(file));
        }
        let args = decision.args.as_ref().map(|args| {
            self.secrets
                .get_or_insert_with(Secrets::new)
                .shown(args.as_str())
        });
        let call = Call::new(decision, &self.header, args);
        self.legend.counterfactual |= decision.counterfactual;
        self.legend.inconclusive |= decision.inconclusive;
        self.push(Entry::Call(Box::new(call)))
    }

    fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        let lines = notice_lines(notice, &self.header, "");
        self.push(Entry::Lines(lines))
    }

    fn run(&mut self, run: &RunReport) -> io::Result<()> {
        self.courses.run(run);
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.flush()?;
        let mut lines = self.legend();
        if !lines.is_empty() {
            lines.insert(0, String::new());
        }
        if self.legend.written {
            lines.push(String::new());
        }
        lines.extend(summary::lines(summary, &self.courses, &self.header));
        let mut out = String::new();
        lines.iter().for_each(|line| push_line(&mut out, line));
        self.out.write_all(out.as_bytes())?;
        self.out.flush()
    }
}

/// A notice in words, what helps against it under it.
pub(in crate::report) fn notice_lines(
    notice: &Notice,
    header: &Header,
    indent: &str,
) -> Vec<String> {
    let kind = notice_kind(notice);
    let tone = if notice.kind.is_fault() {
        Tone::Bad
    } else {
        Tone::Doubt
    };
    let place = place(notice, header);
    let message = text::prose(&notice.message);
    let rest = format!("{place} {}: {message}", notice.kind.code());
    // The word is painted after wrapping, which counts columns.
    let lead = format!("{indent}{kind} ");
    let hang = indent.len() + 2;
    let mut lines = text::hanging(&lead, hang, rest.trim_start(), header.width);
    if let Some(first) = lines.first_mut() {
        let painted = text::paint(kind, tone, header.color);
        *first = first.replacen(kind, &painted, 1);
    }
    if let Some(help) = &notice.help {
        let lead = format!("{indent}  help: ");
        lines.extend(text::wrapped(&lead, &text::prose(help), header.width));
    }
    lines
}

/// Where a notice belongs: `line 7:13`, `t.jsonl:7:13` where there are several inputs, less of it
/// where less is known.
fn place(notice: &Notice, header: &Header) -> String {
    let at = notice.place;
    let mut place = if header.inputs.len() > 1 {
        text::name(header.input(at.input))
    } else {
        String::new()
    };
    if let Some(told) = at.told() {
        place += if place.is_empty() { "line " } else { ":" };
        place += &told;
    }
    place
}
