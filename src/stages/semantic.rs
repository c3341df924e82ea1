//! The semantic firewall: how close the action's text is to harm and how far from what the user
//! wanted. Here the score is the one the live system recorded.

use super::{CallContext, Finding, Notes, Stage, Verdict};
use crate::number::rounded;
use crate::policy::Embedder;

pub(super) struct Semantic;

impl Stage for Semantic {
    fn id(&self) -> &'static str {
        "semantic"
    }

    fn doc(&self) -> &'static str {
        "is the action's text close to harm and far from the run's intent?"
    }

    fn rules(&self) -> &'static [(&'static str, &'static str)] {
        &[(
            "harm",
            "the score reaches `semantic.block`, or `semantic.escalate` for an escalation",
        )]
    }

    fn judge(&self, cx: &CallContext<'_>, notes: &mut Notes) -> Verdict {
        let Some(semantic) = &cx.policy.semantic else {
            return Verdict::Pass;
        };
        let score = match semantic.embedder {
            Embedder::Recorded => cx.call.semantic_score,
        };
        let Some(score) = score else {
            notes.unscored = true;
            return Verdict::Pass;
        };
        notes.semantic_score = Some(score);
        let finding = |band: &str, from: f64| {
            let reason = format!(
                "semantic score {} is at least {band} {}",
                rounded(score),
                rounded(from)
            );
            Finding::new("harm", reason)
        };
        // A score below every band passes; one that compares with none does not.
        if score < semantic.escalate && score < semantic.block {
            Verdict::Pass
        } else if score < semantic.block {
            Verdict::Escalate(finding("escalate", semantic.escalate))
        } else {
            Verdict::Refuse(finding("block", semantic.block))
        }
    }
}
