//! What `gate check` found out about a policy, one file a format.

mod json;
pub mod reach;
mod table;

use super::Header;
use crate::audit::summary::{ExitSummary, PolicySummary};
use crate::check::CheckReport;
use std::io::{self, Write};

/// A format of these reports.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it.
    pub id: &'static str,
    /// One line about it for help and documentation.
    pub doc: &'static str,
    /// Writes what was found, and flushes.
    pub write: fn(&CheckReport, &Shown, &mut dyn Write) -> io::Result<()>,
}

/// Every format; the first is the default.
pub const CHECK_FORMATS: &[Format] = &[table::FORMAT, json::FORMAT];

/// What a report says beside what was found.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Width and colours.
    pub header: Header,
    /// Which policy it was.
    pub policy: PolicySummary,
    /// How the program ends.
    pub exit: ExitSummary,
}
