//! CEL expressions of a policy: compiled and checked once, evaluated against whatever can answer
//! for the variables they name.

use crate::policy::matcher::MatcherId;

/// A variable an expression may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(
    missing_docs,
    reason = "each is the variable it is named after, see VARIABLES"
)]
pub enum Variable {
    CallId,
    CallTool,
    CallAgent,
    CallTurn,
    CallArgs,
    CallResources,
    CallLabels,
    CallEstimatedCostUsd,
    CallText,
    CallCommands,
    CallReads,
    CallWrites,
    CallUrls,
    CallHosts,
    StatePhase,
    StateStepCount,
    StateLoopCount,
    StateCostUsd,
    StateTokens,
    RunId,
    RunAgent,
    RunIntent,
    RunMeta,
    Result,
    Error,
}

/// A question about the run's settled calls, its arguments known when the policy is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    /// How many match.
    Count(MatcherId),
    /// Whether any matches.
    Seen(MatcherId),
    /// Whether the latest that matches had no error; false if none does.
    LastOk(MatcherId),
    /// How many came after the latest that matches; -1 if none does.
    Since(MatcherId),
    /// How many of the last n match.
    Recent(MatcherId, usize),
}

/// Answers for the variables and questions of an expression.
pub trait Bindings: Send + Sync {
    /// The value of a variable; `None` where it does not exist here, which makes the evaluation
    /// fail.
    fn variable(&self, variable: Variable) -> Option<cel::Value>;

    /// The answer to a question about the history.
    fn query(&self, query: Query) -> cel::Value;
}

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct Expr {}

impl Expr {
    /// Evaluates a condition.
    ///
    /// # Errors
    /// The evaluation failed or came to something else than a boolean; plain words.
    pub fn test(&self, _bindings: &dyn Bindings) -> Result<bool, String> {
        Err("not built".into())
    }

    /// Evaluates a number.
    ///
    /// # Errors
    /// The evaluation failed or came to something else than a number; plain words.
    pub fn number(&self, _bindings: &dyn Bindings) -> Result<f64, String> {
        Err("not built".into())
    }

    /// The expression as written.
    pub fn source(&self) -> &str {
        ""
    }
}
