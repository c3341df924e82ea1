//! Tables of stages that are switched off.

use crate::check::codes::{Code, Findings};
use crate::policy::Policy;

pub(super) fn look(policy: &Policy, findings: &mut Findings) {
    for &stage in &policy.disabled {
        let place = policy.lines.place([stage]);
        let message =
            format!("the stage `{stage}` is switched off: what `{stage}` says refuses nothing");
        let help = "take it out of `pipeline.disable`, or leave the table out";
        findings.add(Code::DisabledStage, place, message, Some(help));
    }
}
