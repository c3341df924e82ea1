//! What has been said of an input already, so that it is said once.

use super::out::{Out, quote};
use crate::trace::fault::WarningCode;
use std::collections::BTreeSet;

/// Longest text that is remembered, and most texts, so that a hostile input cannot fill the memory.
const LONGEST: usize = 128;
const MOST: usize = 1024;

/// What has been said.
#[derive(Debug, Default)]
pub struct Told(BTreeSet<String>);

impl Told {
    /// Whether `what` has not been said before; it then has.
    pub fn first(&mut self, what: &str) -> bool {
        let what: String = what.chars().take(LONGEST).collect();
        (self.0.len() < MOST || self.0.contains(&what)) && self.0.insert(what)
    }

    /// Says once what was assumed of an input.
    pub fn assume(&mut self, message: &str, out: &mut Out<'_>) {
        if self.first(message) {
            out.warn(WarningCode::Assumed, message);
        }
    }

    /// Says once that messages come again which have been read, and are not read a second time.
    pub fn again(&mut self, out: &mut Out<'_>) {
        if self.first("again") {
            let message = "messages that are written again, from here on, are read once";
            out.warn(WarningCode::RepeatedCall, message);
        }
    }

    /// Says once that things of this kind and type are skipped because they are not known. `things`
    /// is their plural: "rows", "blocks".
    pub fn skip(&mut self, things: &str, kind: &str, out: &mut Out<'_>) {
        if self.first(&format!("{things}\0{kind}")) {
            let message = format!("{things} of the unknown type {} are skipped", quote(kind));
            out.warn(WarningCode::Assumed, message);
        }
    }
}
