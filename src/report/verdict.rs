//! What an audit came to, in a line.

use crate::audit::summary::Summary;
use crate::engine::decision::DecisionKind;
use crate::number::count;

/// The gravest that became of any call, in a word.
pub fn word(summary: &Summary) -> &'static str {
    let withheld = summary.decisions.of(DecisionKind::Withhold);
    match (summary.counts.calls, refused(summary), withheld) {
        (0, ..) => "nothing to audit",
        (_, 0, 0) => "allow",
        (_, 0, _) => "withhold",
        _ => "block",
    }
}

/// How many calls were refused, and what leaves the answer in doubt.
pub fn counts(summary: &Summary) -> String {
    let all = count(summary.counts.calls, "call", "calls");
    let mut parts = vec![format!("{} of {all} refused", refused(summary))];
    let withheld = summary.decisions.of(DecisionKind::Withhold);
    if withheld > 0 {
        parts.push(count(withheld, "result withheld", "results withheld"));
    }
    let faults = summary.counts.faults;
    if faults > 0 {
        parts.push(count(faults, "input fault", "input faults"));
    }
    if !summary.complete {
        parts.push("incomplete".to_owned());
    }
    parts.join(", ")
}

fn refused(summary: &Summary) -> u64 {
    summary.refusals.iter().map(|run| run.refused).sum()
}
