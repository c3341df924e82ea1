//! What can be found wrong with the rules of a policy, and how a finding is told.

use crate::policy::{PolicyPlace, PolicyWarning};

/// Something about a policy that wants a look. It does not keep the policy from being used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable code: one of [`Code`], or that of a warning every report has.
    pub code: &'static str,
    /// Where in the file; line 0 where it is about a default.
    pub place: PolicyPlace,
    /// What is the matter, in plain words. Names in it are the policy's.
    pub message: String,
    /// What to do about it; absent where the message says it.
    pub help: Option<String>,
}

impl From<PolicyWarning> for Finding {
    fn from(warning: PolicyWarning) -> Finding {
        Finding {
            code: warning.code,
            place: warning.place,
            message: warning.message,
            help: None,
        }
    }
}

/// A kind of finding that only `gate check` looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// An entry of a list that another entry covers.
    ShadowedPattern,
    /// A pair that another pair covers.
    ShadowedPair,
    /// A contract that another contract covers.
    ShadowedContract,
    /// A label rule that another one covers.
    ShadowedLabelRule,
    /// A limit that another limit is always reached before, or with.
    ShadowedLimit,
    /// A list or a pattern that no call can match.
    MatchesNothing,
    /// A contract for tools that `gates.allow` does not let through.
    UnreachableContract,
    /// A label rule for tools that `gates.allow` does not let through.
    DeadLabelRule,
    /// An entry of `deny_tools` for what the agent could not call anyway.
    DeadDeny,
    /// An agent's tool that `gates.allow` shuts out.
    ShutOut,
    /// An entry of an agent's `tools` that `deny_tools` denies entirely.
    DeniedPattern,
    /// An agent that can call nothing.
    AgentWithoutTools,
    /// A tool of `gates.allow` that no agent may call.
    AllowedToNobody,
    /// A condition that always holds.
    VacuousCondition,
    /// Contracts for the same calls that demand a condition and its negation.
    ContradictoryContracts,
    /// A tool that is allowed by name, and every call of which a contract refuses.
    AllowedAndRefused,
    /// A pair both sides of which every call of some tool matches.
    PairWithinItself,
    /// The default estimate of a call is above what an agent may spend.
    EstimateRefused,
    /// A setting under which every call is refused.
    RefusesEveryCall,
    /// A budget that leaves a tool no call.
    BudgetOfNothing,
    /// A barrier of the policy that can refuse no call.
    NeverBinds,
    /// A table of a stage that is switched off.
    DisabledStage,
}

impl Code {
    /// Every kind, in the order of the documentation.
    pub const ALL: &[Code] = &[
        Code::ShadowedPattern,
        Code::ShadowedPair,
        Code::ShadowedContract,
        Code::ShadowedLabelRule,
        Code::ShadowedLimit,
        Code::MatchesNothing,
        Code::UnreachableContract,
        Code::DeadLabelRule,
        Code::DeadDeny,
        Code::ShutOut,
        Code::DeniedPattern,
        Code::AgentWithoutTools,
        Code::AllowedToNobody,
        Code::VacuousCondition,
        Code::ContradictoryContracts,
        Code::AllowedAndRefused,
        Code::PairWithinItself,
        Code::EstimateRefused,
        Code::RefusesEveryCall,
        Code::BudgetOfNothing,
        Code::NeverBinds,
        Code::DisabledStage,
    ];

    /// Its stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::ShadowedPattern => "shadowed_pattern",
            Code::ShadowedPair => "shadowed_pair",
            Code::ShadowedContract => "shadowed_contract",
            Code::ShadowedLabelRule => "shadowed_label_rule",
            Code::ShadowedLimit => "shadowed_limit",
            Code::MatchesNothing => "matches_nothing",
            Code::UnreachableContract => "unreachable_contract",
            Code::DeadLabelRule => "dead_label_rule",
            Code::DeadDeny => "dead_deny",
            Code::ShutOut => "shut_out",
            Code::DeniedPattern => "denied_pattern",
            Code::AgentWithoutTools => "agent_without_tools",
            Code::AllowedToNobody => "allowed_to_nobody",
            Code::VacuousCondition => "vacuous_condition",
            Code::ContradictoryContracts => "contradictory_contracts",
            Code::AllowedAndRefused => "allowed_and_refused",
            Code::PairWithinItself => "pair_within_itself",
            Code::EstimateRefused => "estimate_refused",
            Code::RefusesEveryCall => "refuses_every_call",
            Code::BudgetOfNothing => "budget_of_nothing",
            Code::NeverBinds => "never_binds",
            Code::DisabledStage => "disabled_stage",
        }
    }
}

/// Findings as they are made.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    /// Notes something that stands on a line of the policy. What a preset or a default says is not
    /// the user's to mend, and is left out.
    pub(super) fn add(
        &mut self,
        code: Code,
        place: PolicyPlace,
        message: String,
        help: Option<&str>,
    ) {
        if place.line > 0 {
            self.list.push(Finding {
                code: code.as_str(),
                place,
                message,
                help: help.map(str::to_owned),
            });
        }
    }

    /// All of them, in the order in which they were noted.
    pub(super) fn into_list(self) -> Vec<Finding> {
        self.list
    }
}

/// Where another rule stands, in words.
pub(super) fn line(place: PolicyPlace) -> String {
    match place.line {
        0 => "of the preset or the defaults".to_owned(),
        line => format!("on line {line}"),
    }
}
