//! Which decisions a report lists. The audit, its counts and its exit status are not filtered.

use crate::engine::decision::Decision;
use crate::policy::matcher::Matcher;

/// Lets decisions through.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Ids of runs; empty means any.
    pub runs: Vec<String>,
    /// Tool names, globs and labels; absent means any.
    pub tools: Option<Matcher>,
    /// Whether only calls that may not run, or whose result is withheld, are listed.
    pub only_refused: bool,
}

impl Filter {
    /// Whether the decision is listed.
    pub fn lets(&self, decision: &Decision) -> bool {
        let run = || self.runs.is_empty() || self.runs.iter().any(|id| **id == *decision.run);
        let tool = || {
            let matches = |m: &Matcher| m.matches(&decision.tool, &decision.labels);
            self.tools.as_ref().is_none_or(matches)
        };
        let kind = || !self.only_refused || decision.is_refused() || decision.is_withheld();
        run() && tool() && kind()
    }
}
