//! Inside GitHub Actions, unless `--no-github` is given: annotations on standard error, and the report in
//! Markdown behind what the summary of the step holds already.
//!
//! Neither is what the audit is run for: where one cannot be written that is said, and the status stays.

use super::say;
use crate::audit::Outlet;
use crate::cli::inputs::Sources;
use crate::cli::place::identity;
use crate::escape::file_name;
use crate::report::{Header, github, markdown};
use anyhow::bail;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Most bytes that the summary of a step may hold, less some room.
const MOST: usize = (1 << 20) - 1024;

/// What is written for GitHub Actions.
pub(super) struct Runner {
    /// Where the summary of the step is kept, and what is to stand in it.
    summary: Option<(PathBuf, Pages)>,
}

impl Runner {
    /// What GitHub Actions asks for, if it runs the program.
    pub(super) fn of_environment() -> Option<Runner> {
        if std::env::var_os("GITHUB_ACTIONS").is_none_or(|value| value != "true") {
            return None;
        }
        let path = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty());
        Some(Runner {
            summary: path.map(|path| (path.into(), Pages::default())),
        })
    }

    /// The reports that it takes, beside those that were asked for. Annotations on standard output are
    /// enough.
    pub(super) fn outlets(&self, header: &Header, annotated: bool) -> Vec<Outlet<'static>> {
        let mut outlets = Vec::new();
        if !annotated {
            let report = (github::FORMAT.open)(header.clone(), Box::new(io::stderr()));
            outlets.push(Outlet::new(report, true));
        }
        if let Some((_, pages)) = &self.summary {
            let report = (markdown::FORMAT.open)(header.clone(), Box::new(pages.clone()));
            outlets.push(Outlet::new(report, true));
        }
        outlets
    }

    /// Makes sure that the summary of the step goes to none of these files: a report would take its place.
    ///
    /// # Errors
    /// It does.
    pub(super) fn keep_apart<'p>(
        &self,
        mut reports: impl Iterator<Item = &'p Path>,
    ) -> anyhow::Result<()> {
        let summary = self.summary.as_ref().map(|(path, _)| identity(path));
        match reports.find(|report| summary.as_ref() == Some(&identity(report))) {
            None => Ok(()),
            Some(report) => bail!(
                "`{}` is the summary of the step as well: name another file, or add --no-github",
                file_name(report)
            ),
        }
    }

    /// Writes the summary of the step, unless it is one of the files that are read.
    pub(super) fn keep(self, sources: &Sources, baseline: Option<&Path>) {
        let Some((path, pages)) = self.summary else {
            return;
        };
        let here = identity(&path);
        let is_read = sources.holds(&here) || baseline.map(identity).as_ref() == Some(&here);
        let kept = match path.exists() && is_read {
            true => Err(io::Error::other("it is an input")),
            false => append(&path, &pages.text()),
        };
        if let Err(error) = kept {
            let shown = file_name(&path);
            say(&format!(
                "gate: the step summary `{shown}` cannot be written: {error}"
            ));
        }
    }
}

/// Appends a report to the file, as much of it as there is room for.
fn append(path: &Path, report: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let held = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    let room = MOST.saturating_sub(held);
    if room < NOTE {
        return Err(io::Error::other("it is full"));
    }
    if held > 0 {
        // What stands there may not end its line.
        file.write_all(b"\n")?;
    }
    file.write_all(fitting(report, room - 1).as_bytes())?;
    file.flush()
}

/// A report and a blank line, or, where that is more than so many bytes, whole paragraphs from its
/// beginning and how much was left out.
fn fitting(report: &str, most: usize) -> String {
    if report.len() < most {
        return format!("{report}\n");
    }
    let room = most.saturating_sub(NOTE);
    let ends = report.match_indices("\n\n").map(|(at, _)| at + 1);
    let end = ends.take_while(|&end| end <= room).last().unwrap_or(0);
    let (kept, left) = report.split_at(end);
    format!(
        "{kept}\n{} bytes of the report of gate are left out: a step summary holds 1 MiB.\n\n",
        left.len()
    )
}

/// Most bytes that the note about what is left out takes.
const NOTE: usize = 120;

/// Text that is written in one place and read in another.
#[derive(Clone, Debug, Default)]
struct Pages(Arc<Mutex<Vec<u8>>>);

impl Pages {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Pages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_left_out_by_paragraphs() {
        let report = format!("## verdict\n\n{}\n\nlast\n", "x".repeat(500));
        assert_eq!(fitting(&report, 1000), format!("{report}\n"));
        let cut = fitting(&report, 400);
        assert!(cut.starts_with("## verdict\n\n508 bytes"), "{cut}");
        assert!(cut.len() <= 400);
        let none = fitting(&report, NOTE);
        assert!(none.starts_with("\n519 bytes"), "{none}");
        assert!(none.len() <= NOTE);
    }
}
