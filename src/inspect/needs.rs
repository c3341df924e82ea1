//! What a policy needs to know of calls, and how many can tell it.

use super::facts::{Fact, Facts};
use crate::policy::expr::{Expr, Variable};
use crate::policy::features::Feature;
use crate::policy::matcher::{MatcherId, NameSet};
use crate::policy::{Measure, Policy};

/// Something that a policy asks of calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// What asks: a key of the policy, or a rule by its name.
    pub asks: String,
    /// Line of the policy; 0 where it is a default or has no line of its own.
    pub line: usize,
    /// What it has to know.
    pub fact: Fact,
    /// Of which calls.
    pub of: Of,
}

/// The calls that a need is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Of {
    /// All.
    All,
    /// Those that a list of the policy names.
    Tools(MatcherId),
    /// Those whose semantic score has to be decided about: at least this one, and below that one.
    Scores(f64, f64),
}

impl Need {
    /// Whether it is about a call of these names and that semantic score.
    pub fn is_about(&self, names: &NameSet, score: Option<f64>) -> bool {
        match self.of {
            Of::All => true,
            Of::Tools(tools) => names.is(tools),
            Of::Scores(from, below) => score.is_some_and(|score| score >= from && score < below),
        }
    }
}

/// How far a need is met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Calls that it is about.
    pub of: u64,
    /// Calls among them that tell what it has to know.
    pub calls: u64,
}

/// What a policy needs. Stages that are switched off need nothing.
pub fn needs(policy: &Policy) -> Vec<Need> {
    let mut needs = Needs {
        list: Vec::new(),
        costs: policy.dcbf.record_costs,
    };
    for rule in &policy.labels {
        let asks = format!("label {}", rule.label);
        let of = rule.tools.map_or(Of::All, Of::Tools);
        needs.expressions(&asks, rule.place.line, of, rule.when.as_ref());
    }
    let on = |stage: &str| !policy.disabled.contains(&stage);
    if on("gates") {
        needs.gates(policy);
    }
    if on("privilege") {
        needs.privilege(policy);
    }
    if on("dfa") {
        let dfa = &policy.dfa;
        needs.add_if(dfa.timeout_ns.is_some(), "dfa.timeout_seconds", Fact::Time);
        needs.add_if(dfa.max_repeats.is_some(), "dfa.max_repeats", Fact::Args);
    }
    if on("contracts") {
        needs.contracts(policy);
    }
    if on("dcbf") {
        needs.barriers(policy);
    }
    if on("semantic") {
        needs.semantic(policy);
    }
    needs.list
}

/// Needs under way.
struct Needs {
    list: Vec<Need>,
    /// Whether costs are recorded at all; where they are not, nothing depends on them.
    costs: bool,
}

impl Needs {
    /// Adds a need, unless it is there: two expressions of a rule may ask for one thing.
    fn add(&mut self, asks: &str, line: usize, fact: Fact, of: Of) {
        let need = Need {
            asks: asks.to_owned(),
            line,
            fact,
            of,
        };
        let idle = fact == Fact::Cost && !self.costs;
        if !idle && !self.list.contains(&need) {
            self.list.push(need);
        }
    }

    fn add_if(&mut self, wanted: bool, asks: &str, fact: Fact) {
        if wanted {
            self.add(asks, 0, fact, Of::All);
        }
    }

    fn expressions<'e>(
        &mut self,
        asks: &str,
        line: usize,
        of: Of,
        expressions: impl IntoIterator<Item = &'e Expr>,
    ) {
        let variables = expressions.into_iter().flat_map(Expr::variables);
        for fact in variables.filter_map(known_by) {
            self.add(asks, line, fact, of);
        }
    }

    fn gates(&mut self, policy: &Policy) {
        let gates = &policy.gates;
        self.add_if(!gates.refuse.is_empty(), "gates.refuse", Fact::Args);
        let window = gates.window.is_some();
        self.add_if(window, "gates.window", Fact::Observation);
        let tokens = gates.max_tokens.is_some();
        self.add_if(tokens, "gates.max_tokens", Fact::Observation);
        for budget in &gates.per_tool {
            let asks = format!("gates.per_tool {}", budget.name);
            self.add(&asks, 0, Fact::Observation, Of::Tools(budget.tools));
        }
    }

    fn privilege(&mut self, policy: &Policy) {
        let Some(privilege) = &policy.privilege else {
            return;
        };
        self.add("privilege.agents", 0, Fact::Agent, Of::All);
        for agent in &privilege.agents {
            let (call, total) = (agent.max_call_cost, agent.max_total_cost);
            for (wanted, key, fact) in [
                (agent.resources.is_some(), "resources", Fact::Resources),
                (call.is_some(), "max_call_cost_usd", Fact::Estimate),
                (total.is_some(), "max_total_cost_usd", Fact::Cost),
            ] {
                // One row for all agents: which calls are whose is counted by agent.
                self.add_if(wanted, &format!("privilege.agents.*.{key}"), fact);
            }
        }
    }

    fn contracts(&mut self, policy: &Policy) {
        for contract in &policy.contracts {
            let tools = &policy.matchers.get(contract.tools).patterns;
            let line = contract.place.line;
            let of = Of::Tools(contract.tools);
            let name = contract.id.clone().unwrap_or_else(|| tools.join(", "));
            let asks = |what: &str| format!("contract {name}: {what}");
            if contract.schema.is_some() {
                self.add(&asks("schema"), line, Fact::Args, of);
            }
            self.expressions(&asks("require"), line, of, &contract.require);
            if !contract.ensure.is_empty() {
                self.add(&asks("ensure"), line, Fact::Outcome, of);
                self.expressions(&asks("ensure"), line, of, &contract.ensure);
            }
        }
    }

    fn barriers(&mut self, policy: &Policy) {
        for barrier in &policy.dcbf.barriers {
            let asks = format!("barrier {}", barrier.name);
            let line = barrier.place.line;
            match &barrier.measure {
                Measure::Resource { .. } => self.add(&asks, line, Fact::Cost, Of::All),
                Measure::Scope { embed: None, .. } => {
                    self.add(&asks, line, Fact::Embeddings, Of::All);
                }
                Measure::Scope { .. } => {
                    self.add(&asks, line, Fact::Intent, Of::All);
                    self.add(&asks, line, Fact::Args, Of::All);
                }
                Measure::Custom(expr) => self.expressions(&asks, line, Of::All, [expr]),
                Measure::Neural(neural) => {
                    let takes =
                        |wanted: &[Feature]| neural.features.iter().any(|f| wanted.contains(f));
                    if takes(&[Feature::Cost, Feature::CostRatio]) {
                        self.add(&asks, line, Fact::Cost, Of::All);
                    }
                    if takes(&[Feature::Drift, Feature::DriftKnown]) {
                        self.add(&asks, line, Fact::Embeddings, Of::All);
                    }
                    if takes(&[Feature::Tokens]) {
                        self.add(&asks, line, Fact::Observation, Of::All);
                    }
                }
                // They go by the names of calls and their number, which every trace tells.
                Measure::Safety { .. } | Measure::Privacy { .. } | Measure::Stability { .. } => {}
            }
        }
    }

    fn semantic(&mut self, policy: &Policy) {
        let Some(semantic) = &policy.semantic else {
            return;
        };
        if semantic.computed().is_some() {
            // Which calls are escalated is not known before they are scored.
            self.add("semantic.embedder", 0, Fact::Args, Of::All);
            return self.add("semantic.embedder", 0, Fact::Intent, Of::All);
        }
        self.add("semantic.embedder", 0, Fact::Score, Of::All);
        let escalated = Of::Scores(semantic.escalate, semantic.block);
        self.add("semantic.escalate", 0, Fact::Approval, escalated);
    }
}

/// What has to be known for a variable to have its value.
fn known_by(variable: Variable) -> Option<Fact> {
    match variable {
        Variable::CallArgs
        | Variable::CallText
        | Variable::CallCommands
        | Variable::CallReads
        | Variable::CallWrites
        | Variable::CallDeletes
        | Variable::CallUrls
        | Variable::CallHosts => Some(Fact::Args),
        Variable::CallResources => Some(Fact::Resources),
        Variable::CallAgent | Variable::RunAgent => Some(Fact::Agent),
        Variable::CallEstimatedCostUsd => Some(Fact::Estimate),
        Variable::StateCostUsd => Some(Fact::Cost),
        Variable::StateTokens => Some(Fact::Observation),
        Variable::RunIntent => Some(Fact::Intent),
        Variable::RunMeta => Some(Fact::Meta),
        Variable::Result | Variable::Error => Some(Fact::Outcome),
        // Given or made, every call and run has them.
        Variable::CallId
        | Variable::CallTool
        | Variable::CallTurn
        | Variable::CallLabels
        | Variable::StatePhase
        | Variable::StateStepCount
        | Variable::StateLoopCount
        | Variable::RunId => None,
    }
}

/// Counts a call by the needs that are about it.
pub fn count(needs: &[Need], met: &mut [Met], names: &NameSet, score: Option<f64>, facts: Facts) {
    for (need, met) in needs.iter().zip(met) {
        if need.is_about(names, score) {
            met.of += 1;
            met.calls += u64::from(facts.has(need.fact));
        }
    }
}

/// Counts what has become known of a call that was counted before.
pub fn count_late(
    needs: &[Need],
    met: &mut [Met],
    names: &NameSet,
    score: Option<f64>,
    facts: Facts,
) {
    for (need, met) in needs.iter().zip(met) {
        met.calls += u64::from(facts.has(need.fact) && need.is_about(names, score));
    }
}
