//! What of a policy is explored, and what is not.

use super::Uncovered;
use crate::policy::expr::{Expr, Variable};
use crate::policy::{Contract, Measure, Policy};
use crate::verify::start;

/// A policy, taken apart by what its rules depend on.
pub(super) struct Scope {
    /// The policy with those barriers alone that go by the calls so far.
    pub(super) history: Policy,
    /// The policy with those barriers alone that every call takes the same from.
    pub(super) budgets: Policy,
    /// Contracts with those conditions alone that go by the calls so far.
    pub(super) contracts: Vec<Contract>,
    /// Whether a condition asks for the number of steps, or what they cost.
    pub(super) asks_steps: bool,
    /// The rest.
    pub(super) uncovered: Vec<Uncovered>,
}

impl Scope {
    pub(super) fn of(policy: &Policy) -> Scope {
        let (mut history, mut budgets) = (policy.clone(), policy.clone());
        let mut uncovered = Vec::new();
        if !policy.runs("dcbf") {
            history.dcbf.barriers.clear();
            budgets.dcbf.barriers.clear();
            uncovered.push(Uncovered {
                what: "barriers".into(),
                why: "the stage `dcbf` is switched off: they refuse nothing",
            });
        }
        history.dcbf.barriers.retain(|spec| match &spec.measure {
            Measure::Safety { .. } | Measure::Privacy { .. } | Measure::Scope { .. } => true,
            Measure::Resource { .. } | Measure::Stability { .. } => false,
            Measure::Custom(expr) => counts_only(expr),
            Measure::Neural(_) => false,
        });
        budgets.dcbf.barriers.retain(|spec| {
            matches!(
                spec.measure,
                Measure::Resource { .. } | Measure::Stability { .. }
            )
        });
        let barriers = policy.dcbf.barriers.iter();
        for spec in barriers.filter(|_| policy.runs("dcbf")) {
            let why = match &spec.measure {
                Measure::Custom(expr) if !counts_only(expr) => ASKS_MORE,
                Measure::Neural(_) => "a model: what calls do to its features is not known",
                Measure::Scope { .. } => {
                    "embeddings of calls are not known: it stays as it is at the start"
                }
                _ => continue,
            };
            uncovered.push(Uncovered {
                what: format!("barrier `{}`", spec.name),
                why,
            });
        }
        let mut contracts = Vec::new();
        if policy.runs("contracts") {
            contracts = policy.contracts.clone();
            for contract in &mut contracts {
                if let Some(why) = left_out(contract) {
                    uncovered.push(Uncovered {
                        what: named(policy, contract),
                        why,
                    });
                }
                contract.require.retain(counts_only);
            }
            contracts.retain(|contract| !contract.require.is_empty());
        }
        uncovered.extend(others(policy));
        let conditions = contracts.iter().flat_map(|c| &c.require);
        let measured = history.dcbf.barriers.iter();
        let measured = measured.filter_map(|spec| match &spec.measure {
            Measure::Custom(expr) => Some(expr),
            _ => None,
        });
        let asks_steps = conditions
            .chain(measured)
            .any(|expr| expr.variables().next().is_some());
        Scope {
            history,
            budgets,
            contracts,
            asks_steps,
            uncovered,
        }
    }

    /// The expressions that are explored.
    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let barriers = self.history.dcbf.barriers.iter();
        let barriers = barriers.filter_map(|spec| match &spec.measure {
            Measure::Custom(expr) => Some(expr),
            _ => None,
        });
        barriers.chain(self.contracts.iter().flat_map(|c| &c.require))
    }
}

const ASKS_MORE: &str = "asks for more than counts of calls, steps and cost";

/// Whether calls that are counted, and steps, decide what an expression comes to.
pub(crate) fn counts_only(expr: &Expr) -> bool {
    let counted = |v: Variable| matches!(v, Variable::StateStepCount | Variable::StateCostUsd);
    expr.variables().all(counted)
}

fn left_out(contract: &Contract) -> Option<&'static str> {
    if contract.schema.is_some() {
        Some("a schema of arguments: it may refuse calls that are taken as admitted")
    } else if contract.require.iter().all(counts_only) {
        // What it asks of results comes after the call.
        None
    } else {
        Some(ASKS_MORE)
    }
}

fn named(policy: &Policy, contract: &Contract) -> String {
    let tools = &policy.matchers.get(contract.tools).patterns;
    match (&contract.id, tools.first()) {
        (Some(id), _) => format!("contract `{id}`"),
        (None, Some(tool)) if tools.len() == 1 => format!("a contract of `{tool}`"),
        (None, Some(tool)) => format!("a contract of `{tool}` and others"),
        (None, None) => "a contract".into(),
    }
}

/// Rules of other stages that go by what no exploration knows.
fn others(policy: &Policy) -> Vec<Uncovered> {
    let mut found = Vec::new();
    let mut note = |stage: &str, there: bool, what: &str, why: &'static str| {
        if there && policy.runs(stage) {
            let what = what.to_owned();
            found.push(Uncovered { what, why });
        }
    };
    let gates = &policy.gates;
    let observed = "what calls observe is not known";
    note(
        "gates",
        !gates.refuse.is_empty(),
        "`gates.refuse`",
        "arguments are not known",
    );
    note("gates", gates.window.is_some(), "`gates.window`", observed);
    note(
        "gates",
        // Those of nothing are spent at the start.
        gates.max_tokens.is_some_and(|max| max > 0)
            || gates.per_tool.iter().any(|b| b.max_tokens > 0),
        "token budgets of `gates`",
        observed,
    );
    let agents = policy.privilege.iter().flat_map(|p| &p.agents);
    let limited = |agent: &crate::policy::Agent| {
        agent.resources.is_some() || agent.max_call_cost.is_some() || agent.max_total_cost.is_some()
    };
    note(
        "privilege",
        agents.clone().any(limited),
        "resources and costs of `privilege`",
        "a tool counts as callable where some agent may call it",
    );
    let dfa = &policy.dfa;
    let ends = dfa.max_repeats.is_some() || dfa.max_refusals.is_some() || dfa.timeout_ns.is_some();
    note(
        "dfa",
        ends,
        "repeats, refusals and time of `dfa`",
        "calls differ, and none is refused or late",
    );
    note(
        "semantic",
        policy.semantic.is_some() && !start::every_score_blocks(policy),
        "`semantic`",
        "texts of calls are not known",
    );
    if policy.labels.iter().any(|rule| rule.when.is_some()) {
        found.push(Uncovered {
            what: "conditions of `labels`".into(),
            why: "taken as true of some calls of every tool, and false of others",
        });
    }
    found
}
