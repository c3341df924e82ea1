//! The names an expression may use, by the place in the policy where it stands.

use super::Variable;

/// Where in a policy an expression stands, and so what it may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// `when` of a label rule.
    Label,
    /// `require` of a contract.
    Require,
    /// `ensure` of a contract.
    Ensure,
    /// `expr` of a barrier.
    Barrier,
}

/// Every variable with its name in expressions.
pub const VARIABLES: &[(&str, Variable)] = &[
    ("call.id", Variable::CallId),
    ("call.tool", Variable::CallTool),
    ("call.agent", Variable::CallAgent),
    ("call.turn", Variable::CallTurn),
    ("call.args", Variable::CallArgs),
    ("call.resources", Variable::CallResources),
    ("call.labels", Variable::CallLabels),
    ("call.estimated_cost_usd", Variable::CallEstimatedCostUsd),
    ("call.text", Variable::CallText),
    ("call.commands", Variable::CallCommands),
    ("call.reads", Variable::CallReads),
    ("call.writes", Variable::CallWrites),
    ("call.deletes", Variable::CallDeletes),
    ("call.urls", Variable::CallUrls),
    ("call.hosts", Variable::CallHosts),
    ("state.phase", Variable::StatePhase),
    ("state.step_count", Variable::StateStepCount),
    ("state.loop_count", Variable::StateLoopCount),
    ("state.cost_usd", Variable::StateCostUsd),
    ("state.tokens", Variable::StateTokens),
    ("run.id", Variable::RunId),
    ("run.agent", Variable::RunAgent),
    ("run.intent", Variable::RunIntent),
    ("run.meta", Variable::RunMeta),
    ("result", Variable::Result),
    ("error", Variable::Error),
];

/// Functions over the run's settled calls.
pub const HISTORY: &[&str] = &["count", "seen", "last_ok", "since", "recent"];

/// Functions called as `f(x)`.
pub const GLOBAL: &[&str] = &[
    "size", "int", "uint", "double", "string", "bool", "bytes", "type", "dyn", "matches", "has",
];

/// Functions called as `x.f(y)`.
pub const MEMBER: &[&str] = &[
    "size",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "charAt",
    "indexOf",
    "lastIndexOf",
    "join",
    "lowerAscii",
    "upperAscii",
    "trim",
    "replace",
    "split",
    "substring",
    "reverse",
    "all",
    "exists",
    "exists_one",
    "map",
    "filter",
];

/// Names of types, to compare with `type(x)`.
pub const TYPES: &[&str] = &[
    "int",
    "uint",
    "double",
    "string",
    "bool",
    "bytes",
    "list",
    "map",
    "null_type",
    "type",
];

impl Site {
    /// How messages call the place.
    pub fn name(self) -> &'static str {
        match self {
            Site::Label => "a label's `when`",
            Site::Require => "`require`",
            Site::Ensure => "`ensure`",
            Site::Barrier => "a barrier's `expr`",
        }
    }

    /// The first parts of the variables that exist there.
    pub fn roots(self) -> &'static [&'static str] {
        match self {
            Site::Label => &["call", "run"],
            Site::Require => &["call", "state", "run"],
            Site::Ensure => &["call", "state", "run", "result", "error"],
            Site::Barrier => &["state", "run"],
        }
    }

    /// Whether the functions over the history exist there.
    pub fn has_history(self) -> bool {
        self != Site::Label
    }

    /// Why a variable that exists elsewhere does not exist there.
    pub fn why_not(self, root: &str) -> &'static str {
        match (self, root) {
            (Site::Label, _) => {
                "a label belongs to the call: its condition may use `call` and `run`"
            }
            (Site::Barrier, _) => {
                "a barrier is a function of the state: it may use `state`, `run` and the functions over the history"
            }
            _ => "`result` and `error` exist in `ensure` alone, once the call has come back",
        }
    }
}

/// The variable of that name.
pub fn variable(name: &str) -> Option<Variable> {
    VARIABLES.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
}

/// The fields of `call`, `state` or `run`; empty for other names.
pub fn fields(root: &str) -> impl Iterator<Item = &'static str> {
    VARIABLES
        .iter()
        .filter_map(move |(name, _)| name.strip_prefix(root)?.strip_prefix('.'))
}

impl Variable {
    /// Whether it is a facet: a list of what the call does, worked out from its arguments.
    pub fn is_facet(self) -> bool {
        matches!(
            self,
            Variable::CallCommands
                | Variable::CallReads
                | Variable::CallWrites
                | Variable::CallDeletes
                | Variable::CallUrls
                | Variable::CallHosts
        )
    }

    /// Whether it is read off the call's arguments, so that it does not exist where the recording
    /// does not tell them. Of resources that holds where the record names none.
    pub fn needs_arguments(self) -> bool {
        // Every variable stands here, so that a new one cannot be forgotten.
        match self {
            Variable::CallArgs
            | Variable::CallResources
            | Variable::CallText
            | Variable::CallCommands
            | Variable::CallReads
            | Variable::CallWrites
            | Variable::CallDeletes
            | Variable::CallUrls
            | Variable::CallHosts => true,
            Variable::CallId
            | Variable::CallTool
            | Variable::CallAgent
            | Variable::CallTurn
            | Variable::CallLabels
            | Variable::CallEstimatedCostUsd
            | Variable::StatePhase
            | Variable::StateStepCount
            | Variable::StateLoopCount
            | Variable::StateCostUsd
            | Variable::StateTokens
            | Variable::RunId
            | Variable::RunAgent
            | Variable::RunIntent
            | Variable::RunMeta
            | Variable::Result
            | Variable::Error => false,
        }
    }

    /// Its name in expressions.
    pub fn name(self) -> &'static str {
        VARIABLES
            .iter()
            .find(|(_, v)| *v == self)
            .map_or("", |(name, _)| name)
    }
}
