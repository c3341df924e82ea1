//! The table of features and its list, one file a format.

mod csv;
mod jsonl;
mod list;

use super::Header;
use crate::audit::features::FeatureRow;
pub use list::{Listed, list};
use std::io::{self, Write};

/// A table being written, row by row.
pub trait Rows: Send {
    /// A row.
    ///
    /// # Errors
    /// The output cannot be written.
    fn row(&mut self, row: &FeatureRow) -> io::Result<()>;

    /// The end of the table.
    ///
    /// # Errors
    /// The output cannot be written.
    fn finish(&mut self) -> io::Result<()>;
}

/// A format of these tables.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it.
    pub id: &'static str,
    /// One line about it for help and documentation.
    pub doc: &'static str,
    /// Begins a table of the inputs that the header names.
    pub open: for<'w> fn(Header, Box<dyn Write + Send + 'w>) -> Box<dyn Rows + 'w>,
}

/// Every format; the first is the default.
pub const FEATURE_FORMATS: &[Format] = &[csv::FORMAT, jsonl::FORMAT];
