//! What approvers and reviewers decided about a call.

use super::turns::Call;
use crate::import::foreign::{Out, Unusable, identifier, once, quote};
use crate::trace::event::{ApprovalOutcome, Recorded};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;

/// The approver that approves whatever comes.
const AUTOMATIC: &str = "auto";

/// What was decided about a call.
#[derive(Debug, Default)]
pub struct Decision<'j> {
    /// What the live system did with it; `None` where nobody decided.
    pub recorded: Option<Recorded>,
    /// What somebody said to it.
    pub approval: Option<ApprovalOutcome>,
    /// The call that ran in its place.
    pub modified: Option<&'j Json<'j>>,
    /// Whether the run ended with it.
    pub terminates: bool,
}

impl<'j> Decision<'j> {
    /// Reads the approvals and reviews of a call. `refused` says that its error is one of approval.
    ///
    /// # Errors
    /// A decision cannot be read; the fault has been reported.
    pub fn of(call: &Call<'j>, refused: bool, out: &mut Out<'_>) -> Result<Self, Unusable> {
        let mut decision = Decision::default();
        let mut escalated = false;
        for approval in &call.approvals {
            once(approval, &["decision", "call", "modified"], out)?;
            match identifier("decision", approval.get("decision"), out)? {
                Some("escalate") => escalated = true,
                Some(word) => decision.take(word, approval, escalated, out)?,
                None => {
                    out.fault(FaultCode::MissingField, "an approval without `decision`");
                    return Err(Unusable);
                }
            }
        }
        if escalated && decision.recorded.is_none() {
            decision.recorded = Some(Recorded::Escalate);
        }
        if refused {
            decision.deny();
        }
        let ends =
            |review: &&Json<'_>| review.get("decision").and_then(Json::as_str) == Some("terminate");
        if call.reviews.iter().any(ends) {
            decision.terminates = true;
            if decision.recorded != Some(Recorded::Block) {
                decision.recorded = Some(Recorded::Withhold);
            }
        }
        Ok(decision)
    }

    /// Whether the call did not run.
    pub fn is_refusal(&self) -> bool {
        self.recorded == Some(Recorded::Block)
    }

    fn deny(&mut self) {
        self.recorded = Some(Recorded::Block);
        self.approval = Some(ApprovalOutcome::Denied);
        self.modified = None;
    }

    /// Takes a decision other than to escalate: the last counts.
    fn take(
        &mut self,
        word: &str,
        approval: &'j Json<'j>,
        escalated: bool,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        match word {
            "approve" | "modify" => {
                let approver = approval.get("approver").and_then(Json::as_str);
                let somebody = approver != Some(AUTOMATIC);
                self.approval = somebody.then_some(ApprovalOutcome::Approved);
                self.recorded = Some(if escalated {
                    Recorded::Escalate
                } else {
                    Recorded::Allow
                });
                let modified = approval.get("modified");
                self.modified = modified.filter(|call| matches!(call, Json::Object(_)));
                if word == "modify" && self.modified.is_none() {
                    let message = "an approval that modifies a call and does not say how";
                    out.fault(FaultCode::MissingField, message);
                    return Err(Unusable);
                }
            }
            "reject" => self.deny(),
            "terminate" => {
                self.deny();
                self.terminates = true;
            }
            other => {
                let message = format!("unknown decision {} of an approver", quote(other));
                out.fault(FaultCode::BadField, message);
                return Err(Unusable);
            }
        }
        Ok(())
    }
}
