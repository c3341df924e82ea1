//! What reports of findings tell one by one: calls that did not simply pass, batch hazards, faults and
//! warnings, each with its rule, how grave it is, and a sentence.

use super::Header;
use super::table::text;
use crate::engine::decision::{Decision, DecisionKind};
use crate::escape::visible;
use crate::policy::PolicyWarning;
use crate::trace::event::ApprovalOutcome;
use crate::trace::fault::Notice;
use std::fmt;

/// Most columns of a name in a sentence.
const NAME: usize = 120;

/// Most columns of a reason or a message; machine records have all of it.
const REASON: usize = 1000;

/// The rule that something was found by: what it is a rule of, and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleId(pub &'static str, pub &'static str);

impl RuleId {
    /// An admitted call that barriers refuse jointly with its in-flight siblings.
    pub const HAZARD: RuleId = RuleId("dcbf", "batch_hazard");
    /// A label that could not be evaluated.
    pub const LABEL: RuleId = RuleId("labels", "label");
    /// What rules about faults of inputs are rules of.
    pub const FAULT: &'static str = "fault";
    /// What rules about warnings of inputs are rules of.
    pub const WARNING: &'static str = "warning";
    /// What rules about the policy are rules of.
    pub const POLICY: &'static str = "policy";
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0, self.1)
    }
}

/// How grave something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A call may not run, or the input cannot be trusted.
    Error,
    /// Somebody has to look.
    Warning,
}

impl Level {
    /// The word that SARIF and build servers have for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
        }
    }
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// By which rule.
    pub rule: RuleId,
    /// How grave it is.
    pub level: Level,
    /// A sentence: lowercase, no full stop, hidden characters shown, names and reasons cut where they are
    /// endless. It holds untrusted text, and nothing of that stands at its start.
    pub message: String,
}

/// What a decision comes to; nothing where the call was allowed.
pub fn of_decision(decision: &Decision) -> Option<Finding> {
    let level = match decision.kind {
        DecisionKind::Allow => return None,
        DecisionKind::Block | DecisionKind::Error => Level::Error,
        DecisionKind::Escalate | DecisionKind::Withhold => Level::Warning,
    };
    let tool = name(&decision.tool);
    let what = match decision.kind {
        DecisionKind::Allow | DecisionKind::Block => format!("call of {tool} is blocked"),
        DecisionKind::Withhold => format!("result of {tool} is withheld"),
        DecisionKind::Error => format!("call of {tool} cannot be judged and is blocked"),
        DecisionKind::Escalate => format!("call of {tool} is escalated{}", outcome(decision)),
    };
    let standing = match decision.standing {
        true => ", as the run is outside already",
        false => "",
    };
    let reason = match &decision.reason {
        Some(reason) => format!(": {}", prose(reason)),
        None => String::new(),
    };
    Some(Finding {
        rule: RuleId(
            decision.stage.unwrap_or(RuleId::LABEL.0),
            decision.rule.unwrap_or("unknown"),
        ),
        level,
        message: format!("{what}{standing}{reason} ({})", place(decision)),
    })
}

/// The batch hazard of a call, if it has one.
pub fn of_hazard(decision: &Decision, header: &Header) -> Option<Finding> {
    if decision.hazard.is_empty() {
        return None;
    }
    let barriers = decision.hazard.iter().map(|&b| visible(header.barrier(b)));
    let barriers = barriers.collect::<Vec<_>>().join(", ");
    Some(Finding {
        rule: RuleId::HAZARD,
        level: Level::Warning,
        message: format!(
            "call of {} is refused jointly with calls in flight by {barriers} ({})",
            name(&decision.tool),
            place(decision)
        ),
    })
}

/// A fault or a warning of an input.
pub fn of_notice(notice: &Notice) -> Finding {
    let (group, level) = match notice.kind.is_fault() {
        true => (RuleId::FAULT, Level::Error),
        false => (RuleId::WARNING, Level::Warning),
    };
    let code = notice.kind.code();
    let run = notice.run.as_deref();
    let run = run.map_or(String::new(), |run| format!(" (run {})", name(run)));
    let help = notice.help.as_deref();
    let help = help.map_or(String::new(), |help| format!("; help: {}", prose(help)));
    Finding {
        rule: RuleId(group, code),
        level,
        message: format!("{code}: {}{run}{help}", prose(&notice.message)),
    }
}

/// A doubt about the policy.
pub fn of_doubt(doubt: &PolicyWarning) -> Finding {
    Finding {
        rule: RuleId(RuleId::POLICY, doubt.code),
        level: Level::Warning,
        message: format!("{}: {}", doubt.code, prose(&doubt.message)),
    }
}

/// What became of an escalated call.
fn outcome(decision: &Decision) -> &'static str {
    match (decision.approval, decision.admitted) {
        (Some(ApprovalOutcome::Approved), _) => " and was approved",
        (Some(ApprovalOutcome::Denied), _) => " and was denied",
        (Some(ApprovalOutcome::Expired), _) => " and nobody decided in time",
        (None, true) => ", nobody is known to have decided, and it is let through",
        (None, false) => ", nobody is known to have decided, and it is blocked",
    }
}

fn place(decision: &Decision) -> String {
    format!("run {}, call {}", name(&decision.run), name(&decision.call))
}

/// A name in backticks.
fn name(text: &str) -> String {
    format!("`{}`", text::cut(&visible(text), NAME))
}

fn prose(text: &str) -> String {
    text::cut(&visible(text), REASON)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowed_call_is_no_finding() {
        let decision = Decision {
            kind: DecisionKind::Allow,
            ..Decision::default()
        };
        assert_eq!(of_decision(&decision), None);
        assert_eq!(of_hazard(&decision, &Header::default()), None);
    }

    /// What is not known to be an allow is told as an error, also where nothing says why.
    #[test]
    fn what_nobody_decided_is_an_error() {
        let found = of_decision(&Decision::default());
        let told = found.map(|found| (found.level, found.rule.to_string()));
        assert_eq!(told, Some((Level::Error, "labels/unknown".to_owned())));
    }
}
