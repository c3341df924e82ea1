//! The page under the calls, section by section.

use super::layout::aligned;
use super::text::{self, Tone};
use crate::report::Header;

/// Most names listed together.
pub const NAMES: usize = 20;

/// The page so far.
pub struct Page<'a> {
    /// Of the report.
    pub header: &'a Header,
    /// Its lines.
    pub lines: Vec<String>,
}

impl Page<'_> {
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
