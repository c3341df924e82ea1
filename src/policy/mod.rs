//! The policy: what `gate.toml` comes to once it is checked. Stages and barriers read these types
//! and nothing else of the file.

pub mod effective;
pub mod expr;
pub mod features;
pub mod glob;
pub mod lines;
pub mod lookalike;
pub mod matcher;
pub mod neural;
pub mod parameters;
pub mod pattern;
pub mod presets;
pub mod read;
pub mod refused;
pub mod semantic;
pub mod toml;

use crate::embed::Embedder;
use crate::escape::file_name;
use crate::firewall::Preparer;
use crate::trace::money::Nano;
use expr::Expr;
use lines::Lines;
use matcher::{MatcherId, Matchers};
pub use read::{parse, parse_without_models};
use refused::Refused;
use semantic::{Model, Semantic};
use std::path::PathBuf;
use std::sync::Arc;

/// The stages that a policy may switch off, in pipeline order.
pub const STAGE_IDS: &[&str] = &["gates", "privilege", "dfa", "contracts", "dcbf", "semantic"];

/// The barriers of the default table, in its order.
pub const BARRIER_IDS: &[&str] = &["safety", "privacy", "resource", "scope", "stability"];

/// The commented policy that a user starts from: every section, with its defaults.
pub const INIT: &str = include_str!("init.toml");

/// A checked policy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Where it came from.
    pub source: PolicySource,
    /// SHA-256 of its effective form, in hexadecimal.
    pub sha256: String,
    /// Every list of tool patterns, by number.
    pub matchers: Matchers,
    /// Pattern lists whose calls a run counts, sorted, without repeats: what privacy barriers and history
    /// functions ask for. `History` keeps one tally for each, in this order.
    pub tallied: Vec<MatcherId>,
    /// How many of a run's last settled calls have to be remembered by name.
    pub recent: usize,
    /// Whether runs remember what [`features`] count: where a barrier is a model, or a table of
    /// features is made.
    pub features_counted: bool,
    /// Label rules, in file order.
    pub labels: Vec<LabelRule>,
    /// Ids of the stages that are switched off.
    pub disabled: Vec<&'static str>,
    /// Observation-budget gates.
    pub gates: Gates,
    /// Who may do what; absent means the stage passes.
    pub privilege: Option<Privilege>,
    /// Where a call's resources stand in its arguments, in file order.
    pub resources: Vec<ResourceRule>,
    /// Step and loop budgets.
    pub dfa: Dfa,
    /// Contracts of tools, in file order.
    pub contracts: Vec<Contract>,
    /// Barriers.
    pub dcbf: Dcbf,
    /// Semantic firewall; absent means the stage passes.
    pub semantic: Option<Semantic>,
    /// Makes calls ready to be embedded, for all who embed them.
    pub preparer: Arc<Preparer>,
    /// Models of the embedders that it uses.
    pub models: Vec<Model>,
    /// Files that it names, relative to the folder of its own, whether they are opened or not: schemas, models
    /// and descriptions.
    pub files: Vec<String>,
    /// Tools that were mediated; absent means all.
    pub boundary: Option<MatcherId>,
    /// Where its settings stand in the file.
    pub lines: Lines,
    /// What is doubtful about the policy, without the soundness of its class-K functions.
    pub warnings: Vec<PolicyWarning>,
}

impl Policy {
    /// Whether anything in the policy asks how many tokens a run has observed.
    pub fn counts_tokens(&self) -> bool {
        self.gates.max_tokens.is_some()
            || !self.gates.per_tool.is_empty()
            || self.features_counted
            || self.names(expr::Variable::StateTokens)
    }

    /// Whether that stage is part of the pipeline.
    pub fn runs(&self, stage: &str) -> bool {
        !self.disabled.contains(&stage)
    }

    /// Whether any expression names that variable.
    pub fn names(&self, variable: expr::Variable) -> bool {
        self.expressions().any(|expr| expr.names(variable))
    }

    /// Whether anything embeds what the user of a run wanted.
    pub fn embeds_intent(&self) -> bool {
        let semantic = self.semantic.as_ref();
        semantic.is_some_and(|s| s.computed().is_some()) || self.scope_embedder().is_some()
    }

    /// What embeds intents and calls for the scope barrier, and for features where they are counted;
    /// absent where nothing does.
    pub fn scope_embedder(&self) -> Option<&Arc<dyn Embedder>> {
        let barriers = self.dcbf.barriers.iter();
        let mut embedders = barriers.filter_map(|barrier| match &barrier.measure {
            Measure::Scope { embed, .. } => embed.as_ref(),
            _ => None,
        });
        let counted = self.dcbf.features.embed.as_ref();
        embedders
            .next()
            .or(counted.filter(|_| self.features_counted))
    }

    /// Every expression of the policy.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let labels = self.labels.iter().filter_map(|rule| rule.when.as_ref());
        let contracts = self
            .contracts
            .iter()
            .flat_map(|c| c.require.iter().chain(&c.ensure));
        let barriers = self.dcbf.barriers.iter().filter_map(|b| match &b.measure {
            Measure::Custom(expr) => Some(expr),
            _ => None,
        });
        labels.chain(contracts).chain(barriers)
    }
}

/// Where a policy came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicySource {
    /// The defaults gate is built with.
    BuiltIn,
    /// A preset by itself, by its name.
    Preset(&'static str),
    /// A file, by the path that was named or found.
    File(PathBuf),
}

impl std::fmt::Display for PolicySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&match self {
            PolicySource::BuiltIn => "built-in".into(),
            PolicySource::Preset(name) => (*name).into(),
            PolicySource::File(path) => file_name(path),
        })
    }
}

/// A place in the policy file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyPlace {
    /// Line, from 1; 0 where the value is a default.
    pub line: usize,
    /// Byte column, from 1; 0 means the line as a whole.
    pub column: usize,
}

impl PolicyPlace {
    /// As it stands behind the name of a file: the line, and the column where it is known; absent for a
    /// default.
    pub fn told(&self) -> Option<String> {
        match (self.line, self.column) {
            (0, _) => None,
            (line, 0) => Some(line.to_string()),
            (line, column) => Some(format!("{line}:{column}")),
        }
    }

    /// The line, where it is known.
    pub fn known_line(&self) -> Option<usize> {
        (self.line > 0).then_some(self.line)
    }

    /// The column, where it is known.
    pub fn known_column(&self) -> Option<usize> {
        (self.line > 0 && self.column > 0).then_some(self.column)
    }
}

/// A doubt about a policy that does not keep it from being used.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyWarning {
    /// Stable code, such as `unsound_alpha`.
    pub code: &'static str,
    /// Where in the file.
    pub place: PolicyPlace,
    /// Plain words.
    pub message: String,
}

/// Gives a label to calls.
#[derive(Clone, Debug)]
pub struct LabelRule {
    /// The label.
    pub label: String,
    /// Tools it is for; absent means any.
    pub tools: Option<MatcherId>,
    /// Condition on the call; absent means always.
    pub when: Option<Expr>,
    /// Where in the file.
    pub place: PolicyPlace,
}

/// Takes a call's resources out of its arguments.
#[derive(Clone, Debug)]
pub struct ResourceRule {
    /// Calls it is for.
    pub tools: MatcherId,
    /// Keys from `args` down.
    pub path: Vec<String>,
}

/// The observation-budget gates. Each is absent unless configured.
#[derive(Clone, Debug, Default)]
pub struct Gates {
    /// Tools that may be called at all.
    pub allow: Option<MatcherId>,
    /// Regexes that no call's text may match.
    pub refuse: Arc<Refused>,
    /// Greatest age of the latest observation, in turns.
    pub window: Option<u64>,
    /// Tokens the run may observe.
    pub max_tokens: Option<u64>,
    /// Tokens the run may observe by tool, in file order.
    pub per_tool: Vec<ToolBudget>,
    /// How tokens are counted where the record does not say.
    pub tokenizer: Tokenizer,
}

/// A token budget of the calls that match.
#[derive(Clone, Debug)]
pub struct ToolBudget {
    /// The name as written.
    pub name: String,
    /// The calls it counts.
    pub tools: MatcherId,
    /// Tokens they may observe together.
    pub max_tokens: u64,
}

/// How the tokens of a result are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokenizer {
    /// A quarter of the Unicode scalar values, at least one for a text that is not empty.
    #[default]
    Chars4,
    /// The `o200k_base` byte-pair encoding.
    O200kBase,
    /// The `cl100k_base` byte-pair encoding.
    Cl100kBase,
}

impl Tokenizer {
    /// Every tokenizer with its name in a policy.
    pub const ALL: &[(Tokenizer, &'static str)] = &[
        (Tokenizer::Chars4, "chars4"),
        (Tokenizer::O200kBase, "o200k_base"),
        (Tokenizer::Cl100kBase, "cl100k_base"),
    ];

    /// Its name in a policy.
    pub fn name(self) -> &'static str {
        let found = Tokenizer::ALL.iter().find(|(t, _)| *t == self);
        found.map_or("", |(_, name)| name)
    }
}

/// What agents may do.
#[derive(Clone, Debug, Default)]
pub struct Privilege {
    /// Whether an agent that is not listed may act at all.
    pub allow_unknown: bool,
    /// The agents, in file order.
    pub agents: Vec<Agent>,
}

/// What one agent may do.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Tools it may call; absent means any.
    pub tools: Option<MatcherId>,
    /// Tools and labels it may not call.
    pub deny_tools: Option<MatcherId>,
    /// Resources it may touch; absent means any. A list without a glob allows none.
    pub resources: Option<glob::Globs>,
    /// The globs of `resources` as written; empty where it is absent.
    pub resource_patterns: Vec<String>,
    /// Most that one call may be expected to cost.
    pub max_call_cost: Option<Nano>,
    /// Most that the run may cost with the call.
    pub max_total_cost: Option<Nano>,
}

/// Budgets of the phase machine.
#[derive(Clone, Debug)]
pub struct Dfa {
    /// Steps a run may take.
    pub max_steps: u64,
    /// Self-loops a run may take in a row.
    pub max_loops: u64,
    /// Times in a row that the same call may arrive; absent means any.
    pub max_repeats: Option<u64>,
    /// Refusals in a row that end the run; absent means none do.
    pub max_refusals: Option<u64>,
    /// Nanoseconds a run may take; absent means any.
    pub timeout_ns: Option<i128>,
}

/// What must hold before and after calls of some tools.
#[derive(Clone, Debug)]
pub struct Contract {
    /// Its name in reports, in `without` and for `gate rule`; absent if it has none.
    pub id: Option<String>,
    /// The calls it is for.
    pub tools: MatcherId,
    /// Conditions before the call.
    pub require: Vec<Expr>,
    /// Conditions on the result.
    pub ensure: Vec<Expr>,
    /// Schema of the arguments.
    pub schema: Option<Schema>,
    /// Said before the condition when it does not hold.
    pub message: Option<String>,
    /// Where in the file.
    pub place: PolicyPlace,
}

/// A compiled JSON Schema.
#[derive(Clone)]
pub struct Schema {
    /// The file it was read from, as written in the policy.
    pub file: String,
    /// SHA-256 of the file, in hexadecimal; part of the effective policy.
    pub sha256: String,
    /// The validator.
    pub validator: std::sync::Arc<jsonschema::Validator>,
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schema")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

/// The barriers and how they are checked.
#[derive(Clone, Debug)]
pub struct Dcbf {
    /// Whether the next state is checked, or the current one alone.
    pub verify: bool,
    /// Whether recorded costs are added up in the state.
    pub record_costs: bool,
    /// What a call without an estimate is charged in the simulated state and in privileges.
    pub per_call_cost: Nano,
    /// What features count by.
    pub features: parameters::Parameters,
    /// The enabled barriers: those of the default table in its order, then custom ones in file
    /// order.
    pub barriers: Vec<BarrierSpec>,
}

/// One barrier of a policy.
#[derive(Clone, Debug)]
pub struct BarrierSpec {
    /// Its name.
    pub name: String,
    /// What it measures.
    pub measure: Measure,
    /// Weight in the composite; not negative, finite.
    pub weight: f64,
    /// Subtracted from the raw value; finite.
    pub margin: f64,
    /// Its class-K function.
    pub alpha: Alpha,
    /// Where in the file; line 0 where it is a default.
    pub place: PolicyPlace,
}

/// The class-K function alpha(h) = kappa * h^power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alpha {
    /// Factor, >= 0, finite.
    pub kappa: f64,
    /// Exponent, > 0, finite.
    pub power: f64,
}

/// What a barrier measures.
#[derive(Clone, Debug)]
pub enum Measure {
    /// 1, or -1 while a dangerous pair is among the last calls.
    Safety {
        /// Calls looked at.
        window: usize,
        /// Pairs that may not meet.
        pairs: Vec<(MatcherId, MatcherId)>,
    },
    /// A budget less a charge for every outbound call.
    Privacy {
        /// The budget.
        budget: f64,
        /// Charge of one call.
        per_call: f64,
        /// Calls that are charged.
        outbound: MatcherId,
    },
    /// Dollars left.
    Resource {
        /// The limit.
        limit: Nano,
    },
    /// Cosine distance left between what was asked and what is done.
    Scope {
        /// Greatest distance.
        max_drift: f64,
        /// Embeds the run's intent and the calls whose record does not; absent means nothing does.
        embed: Option<Arc<dyn Embedder>>,
    },
    /// Steps left.
    Stability {
        /// The budget.
        step_budget: u64,
    },
    /// A CEL expression of the state.
    Custom(Expr),
    /// A neural network over features of the state.
    Neural(neural::Neural),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Editors jump to a place: what is not known of it is left out, and no column is made up.
    #[test]
    fn a_place_is_told_as_far_as_it_is_known() {
        for (line, column, told) in [(3, 7, Some("3:7")), (3, 0, Some("3")), (0, 0, None)] {
            let place = PolicyPlace { line, column };
            assert_eq!(place.told().as_deref(), told);
            assert_eq!(place.known_column(), (column > 0).then_some(column));
        }
    }
}
