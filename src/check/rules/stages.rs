//! Tables of stages that are switched off, or refuse all that they judge.

use crate::check::codes::{Code, Findings};
use crate::check::dead::semantic_place;
use crate::policy::Policy;
use crate::policy::semantic::Scores;

pub(super) fn look(policy: &Policy, findings: &mut Findings) {
    for &stage in &policy.disabled {
        let place = policy.lines.place([stage]);
        let message =
            format!("the stage `{stage}` is switched off: what `{stage}` says refuses nothing");
        let help = "take it out of `pipeline.disable`, or leave the table out";
        findings.add(Code::DisabledStage, place, message, Some(help));
    }
    // Of scores that are worked out every call has one: there no call at all is admitted.
    let recorded = policy
        .semantic
        .as_ref()
        .filter(|semantic| policy.runs("semantic") && matches!(semantic.scores, Scores::Recorded));
    if recorded.is_some_and(|semantic| semantic.block <= 0.0) {
        let message =
            "every call that has a score is refused: every score is at least `semantic.block`, 0";
        let help = "raise it: scores lie between 0 and 1";
        let place = semantic_place(policy);
        findings.add(Code::RefusesEveryCall, place, message.into(), Some(help));
    }
}
