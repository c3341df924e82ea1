//! CEL expressions of a policy: compiled and checked once, evaluated against whatever can answer
//! for the variables they name.

mod check;
mod compared;
mod compile;
mod eval;
mod functions;
pub mod names;
mod plain;
mod scan;
pub mod values;
mod work;

pub use compile::{Compiler, ExprError};
pub use names::Site;

use crate::policy::matcher::{MatcherId, Matchers};
use crate::policy::pattern::Pattern;
use eval::Outcome;
use std::sync::{Arc, OnceLock};

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
    CallDeletes,
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

    /// A variable that is a text, as [`Bindings::variable`] has it; `None` where it does not exist here,
    /// or is to be asked for there.
    fn text(&self, variable: Variable) -> Option<&str> {
        let _ = variable;
        None
    }

    /// A list of texts in the same way.
    fn texts(&self, variable: Variable) -> Option<&[String]> {
        let _ = variable;
        None
    }

    /// Why a variable has no value; absent where it does not exist here at all.
    fn absence(&self, variable: Variable) -> Option<&'static str> {
        let _ = variable;
        None
    }

    /// The answer to a question about the history.
    fn query(&self, query: Query) -> cel::Value;
}

/// An expression that can be used. Copies share what is compiled.
#[derive(Clone, Debug)]
pub struct Expr {
    written: Arc<Written>,
}

/// An expression as it is written, and what it is compiled to: at once, or where it is known that it can
/// be, when it is first asked for.
struct Written {
    source: String,
    site: Site,
    compiler: Compiler,
    program: OnceLock<Option<Program>>,
}

impl std::fmt::Debug for Written {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Expr").field(&self.source).finish()
    }
}

/// The parts of a compiled expression.
struct Program {
    source: String,
    tree: cel::IdedExpr,
    /// The same without the interpreter, where that knows an answer.
    plain: Option<plain::Plain>,
    slots: Vec<Slot>,
    /// About how many nodes one evaluation comes to at most.
    work: u64,
    env: Arc<cel::Env>,
}

/// Said of an expression that does not compile, though it was known to.
const UNREAD: &str = "the expression could not be read";

/// Something that an expression takes from outside, known by its number in the tree.
#[derive(Clone, Debug)]
enum Slot {
    /// A variable.
    Variable(Variable),
    /// A question about the history.
    Query(Query),
    /// A regex that was read with the policy.
    Pattern(functions::Regex),
}

impl Expr {
    /// What it is compiled to; absent if it cannot be, which reading the policy or a test ruled out.
    fn program(&self) -> Option<&Program> {
        let Written {
            source,
            site,
            compiler,
            program,
        } = &*self.written;
        // It asks nothing of the history, or it would have been compiled at once.
        let compile = || {
            compiler
                .program(source, *site, &mut Matchers::default(), Pattern::vouched)
                .ok()
        };
        program.get_or_init(compile).as_ref()
    }

    /// Whether its text has one of these words, as it has where it names one of them.
    fn has_word(&self, words: &[&str]) -> bool {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let mut found = self.written.source.split(|c: char| !is_letter(c));
        found.any(|word| words.contains(&word))
    }

    /// Evaluates a condition.
    ///
    /// # Errors
    /// The evaluation failed or came to something else than a boolean; plain words.
    pub fn test(&self, bindings: &dyn Bindings) -> Result<bool, String> {
        let program = self.program().ok_or(UNREAD)?;
        let plain = program.plain.as_ref();
        if let Some(holds) = plain.and_then(|plain| plain.holds(&program.slots, bindings)) {
            return Ok(holds);
        }
        match eval::run(program, bindings)? {
            Outcome::Bool(b) => Ok(b),
            Outcome::Number(_) => Err("it comes to a number, not to true or false".into()),
            Outcome::Other(kind) => Err(format!("it comes to {kind}, not to true or false")),
        }
    }

    /// Evaluates a number. Integers come as the nearest float.
    ///
    /// # Errors
    /// The evaluation failed or came to something else than a number; plain words.
    pub fn number(&self, bindings: &dyn Bindings) -> Result<f64, String> {
        match eval::run(self.program().ok_or(UNREAD)?, bindings)? {
            Outcome::Number(n) => Ok(n),
            Outcome::Bool(_) => Err("it comes to true or false, not to a number".into()),
            Outcome::Other(kind) => Err(format!("it comes to {kind}, not to a number")),
        }
    }

    /// The expression as written.
    pub fn source(&self) -> &str {
        &self.written.source
    }

    /// About how many nodes of its tree one evaluation comes to at most: what stands in a loop counts for
    /// every element. A list whose length is not written in it counts as one of 64, or as the longest that is.
    pub fn work(&self) -> u64 {
        self.program().map_or(u64::MAX, |program| program.work)
    }

    fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.program()
            .into_iter()
            .flat_map(|program| &program.slots)
    }

    /// Whether it names that variable.
    pub fn names(&self, variable: Variable) -> bool {
        let field = variable.name().rsplit('.').next().unwrap_or_default();
        self.has_word(&[field]) && self.variables().any(|named| named == variable)
    }

    /// The variables it names, in the order in which they first stand in it.
    pub fn variables(&self) -> impl Iterator<Item = Variable> {
        self.slots().filter_map(|slot| match slot {
            Slot::Variable(variable) => Some(*variable),
            _ => None,
        })
    }

    /// What it asks of the history, in the order in which it first does.
    pub fn queries(&self) -> impl Iterator<Item = Query> {
        let slots = self.has_word(names::HISTORY).then(|| self.slots());
        slots.into_iter().flatten().filter_map(|slot| match slot {
            Slot::Query(query) => Some(*query),
            _ => None,
        })
    }
}

impl Query {
    /// The calls it asks about.
    pub fn tools(self) -> MatcherId {
        match self {
            Query::Count(id)
            | Query::Seen(id)
            | Query::LastOk(id)
            | Query::Since(id)
            | Query::Recent(id, _) => id,
        }
    }
}
