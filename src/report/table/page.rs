//! The page under the calls, section by section.

use super::layout::aligned;
use super::text::{self, Tone};
use super::{NOTICES, notice_lines};
use crate::audit::summary::PolicySummary;
use crate::exit::Exit;
use crate::report::Header;
use crate::trace::fault::{Noted, Notice};
use std::io::{self, Write};

/// Most names listed together.
pub const NAMES: usize = 20;

/// The page so far.
pub struct Page<'a> {
    /// Of the report.
    pub header: &'a Header,
    /// Its lines.
    pub lines: Vec<String>,
}

impl<'a> Page<'a> {
    /// Nothing is on it yet.
    pub fn new(header: &'a Header) -> Page<'a> {
        Page {
            header,
            lines: Vec::new(),
        }
    }

    /// Writes it, and flushes.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for line in &self.lines {
            writeln!(out, "{line}")?;
        }
        out.flush()
    }

    /// Begins a section.
    pub fn section(&mut self, title: &str) {
        self.blank();
        let title = text::paint(title, Tone::Bold, self.header.color);
        self.lines.push(title);
    }

    /// Adds rows of cells, aligned.
    pub fn rows(&mut self, rows: Vec<Vec<String>>) {
        self.lines.extend(aligned(&rows, 2));
    }

    /// Adds a sentence.
    pub fn sentence(&mut self, text: &str) {
        let lines = text::wrapped("  ", text, self.header.width);
        self.lines.extend(lines);
    }

    /// Adds the first rows that fit, else the last.
    pub fn rows_that_fit(&mut self, choices: Vec<Vec<Vec<String>>>) {
        let mut chosen = Vec::new();
        for rows in choices {
            chosen = aligned(&rows, 2);
            let widest = chosen.iter().map(|line| text::width(line)).max();
            if self.header.width.is_none_or(|w| widest.unwrap_or(0) <= w) {
                break;
            }
        }
        self.lines.extend(chosen);
    }

    /// Adds the section that says which policy it was.
    pub fn policy(&mut self, policy: &PolicySummary) {
        self.section("policy");
        let (source, hash) = (text::name(&policy.source), text::digest(&policy.sha256));
        self.sentence(&format!("{source}, {hash}"));
    }

    /// Adds the doubts about a policy.
    pub fn doubts(&mut self, policy: &PolicySummary) {
        for warning in &policy.warnings {
            let place = warning.place.told();
            let place = place.map_or(String::new(), |at| format!(" line {at}"));
            let message = text::prose(&warning.message);
            self.sentence(&format!("warning{place} {}: {message}", warning.code));
        }
    }

    /// Adds the first faults, or the first warnings. Gives how many more of the `total` there are.
    pub fn notices(&mut self, notices: &[Notice], faults: bool, total: u64) -> u64 {
        let of_kind = notices.iter().filter(|n| n.kind.is_fault() == faults);
        let mut shown = 0;
        for notice in of_kind.take(NOTICES) {
            self.notice(notice);
            shown += 1;
        }
        total.saturating_sub(shown)
    }

    /// Adds the first faults and the first warnings, and how many more there are.
    pub fn noted(&mut self, noted: &Noted) {
        let faults = self.notices(&noted.kept, true, noted.faults);
        let warnings = self.notices(&noted.kept, false, noted.warnings);
        for (more, one, many) in [
            (faults, "more fault", "more faults"),
            (warnings, "more warning", "more warnings"),
        ] {
            if more > 0 {
                self.sentence(&format!("and {}", text::count(more, one, many)));
            }
        }
    }

    /// Adds a fault or a warning.
    pub fn notice(&mut self, notice: &Notice) {
        self.lines.extend(notice_lines(notice, self.header, "  "));
    }

    /// Adds the line that ends it, in the tone of the status.
    pub fn verdict(&mut self, line: &str, status: Exit) {
        let tone = match status {
            Exit::Clean => Tone::Bold,
            _ => Tone::Bad,
        };
        for line in text::wrapped("", line, self.header.width) {
            self.lines.push(text::paint(&line, tone, self.header.color));
        }
    }

    /// Adds a blank line, unless the page is empty.
    pub fn blank(&mut self) {
        if !self.lines.is_empty() {
            self.lines.push(String::new());
        }
    }
}

/// The names shown, and how many more there are.
pub fn and_more(mut shown: Vec<String>, total: usize) -> String {
    if total > shown.len() {
        let last = format!("and {} more", total - shown.len());
        shown.push(last);
    }
    shown.join(", ")
}
