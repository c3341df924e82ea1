//! Reports of `verify-barriers`: what checking transitions came to, one file a format.

mod csv;
mod json;
mod table;

use super::Header;
use crate::audit::barrier_verdict::BarrierVerdict;
use crate::verify::report::BarriersReport;
use std::io::{self, Write};

/// A format of these reports.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it.
    pub id: &'static str,
    /// One line about it for help and documentation.
    pub doc: &'static str,
    /// Writes a report, and flushes.
    pub write: fn(&BarriersReport, &BarrierVerdict, &Header, &mut dyn Write) -> io::Result<()>,
}

/// Every format; the first is the default.
pub const BARRIER_FORMATS: &[Format] = &[table::FORMAT, json::FORMAT, csv::FORMAT];
