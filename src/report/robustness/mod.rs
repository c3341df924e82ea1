//! Runs by how near they come to what their barriers refuse, one file a format.

mod csv;
mod json;
mod table;

use super::Header;
use crate::audit::remaining::{Class, MOST, More};
use crate::audit::robustness::Robustness;
use std::io::{self, Write};

/// A format of these reports.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it.
    pub id: &'static str,
    /// One line about it for help and documentation.
    pub doc: &'static str,
    /// Whether every run is told, not only those of `--top`.
    pub all: bool,
    /// Writes what was found, and flushes.
    pub write: fn(&Robustness, &Header, &mut dyn Write) -> io::Result<()>,
}

/// Every format; the first is the default.
pub const ROBUSTNESS_FORMATS: &[Format] = &[table::FORMAT, json::FORMAT, csv::FORMAT];

/// The names of barriers with these indices.
fn names<'r>(found: &'r Robustness, barriers: &[usize]) -> Vec<&'r str> {
    barriers.iter().map(|&i| name(found, i)).collect()
}

/// The name of a barrier; empty for an index that is none.
fn name(found: &Robustness, barrier: usize) -> &str {
    found.barriers.get(barrier).map_or("", |(name, _, _)| name)
}

/// Whether counting stopped before a call was refused.
fn stopped(more: &More) -> bool {
    more.calls >= MOST && more.by.is_empty()
}

/// The tools of a class, a word each. Untrusted.
fn tools(class: &Class) -> Vec<&str> {
    let other = class.any_other.then_some("any other tool");
    let named = class.tools.iter().map(String::as_str);
    named.chain(other).collect()
}
