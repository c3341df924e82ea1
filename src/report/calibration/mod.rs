//! What `gate calibrate` found, one file a format.

mod csv;
mod json;
mod table;

use super::Header;
use crate::calibrate::found::Calibration;
use std::io::{self, Write};

/// A format of these reports.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it.
    pub id: &'static str,
    /// One line about it for help and documentation.
    pub doc: &'static str,
    /// Writes what was found, and flushes.
    pub write: fn(&Calibration, &Header, &mut dyn Write) -> io::Result<()>,
}

/// Every format; the first is the default.
pub const CALIBRATION_FORMATS: &[Format] = &[table::FORMAT, json::FORMAT, csv::FORMAT];
