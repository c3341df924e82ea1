//! Why a call got its decision, one file a format.

mod json;
mod table;

use super::Header;
use crate::audit::summary::{PolicySummary, Replayed};
use crate::explain::Explanation;
use crate::report::number::exact;
use crate::stages::weigh::Amount;
use crate::trace::money::Nano;
use std::io::{self, Write};

/// A format of these reports.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it.
    pub id: &'static str,
    /// One line about it for help and documentation.
    pub doc: &'static str,
    /// Writes an explanation, and flushes.
    pub write: fn(&Explanation, &Shown, &mut dyn Write) -> io::Result<()>,
}

/// Every format; the first is the default.
pub const EXPLAIN_FORMATS: &[Format] = &[table::FORMAT, json::FORMAT];

/// How an explanation is shown, and what is told beside it.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Names of the inputs and of the barriers, width and colours.
    pub header: Header,
    /// The policy.
    pub policy: PolicySummary,
    /// How calls were replayed.
    pub replayed: Replayed,
}

/// An amount as a policy spells it: the fewest digits that read back the same.
fn spelled(amount: Amount) -> String {
    match amount {
        Amount::Count(n) => n.to_string(),
        Amount::Money(nano) => nano.to_string(),
        // Seconds have nine places as dollars do.
        Amount::Span(ns) => Nano(ns).to_string(),
        Amount::Real(x) => exact(x),
    }
}
