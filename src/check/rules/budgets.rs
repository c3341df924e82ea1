//! Budgets and limits: those that another one is always reached before, and those that leave nothing.

use super::MOST;
use crate::check::codes::{Code, Findings};
use crate::check::dead;
use crate::check::limits;
use crate::check::patterns::List;
use crate::check::permits::Permits;
use crate::number::rounded;
use crate::policy::{Measure, Policy, PolicyPlace};
use crate::trace::money::Nano;

pub(super) fn look(policy: &Policy, findings: &mut Findings) {
    if policy.runs("gates") {
        nothing_left(policy, findings);
        per_tool(policy, findings);
    }
    if policy.runs("dfa") {
        steps(policy, findings);
    }
    if policy.runs("privilege") {
        totals(policy, findings);
    }
}

/// Budgets that leave a tool nothing, where they are not for every tool.
fn nothing_left(policy: &Policy, findings: &mut Findings) {
    let budgets = policy.gates.per_tool.iter();
    let none = budgets.filter(|b| b.max_tokens == 0 && !dead::is_for_all(policy, b));
    for budget in none {
        let name = budget.name.as_str();
        let message = format!(
            "every call of `{name}` is refused: a run that has observed nothing has observed its 0 tokens"
        );
        let place = policy.lines.place(["gates", "per_tool", name]);
        let help = "raise it, or keep such tools out of `gates.allow`";
        findings.add(Code::BudgetOfNothing, place, message, Some(help));
    }
}

/// Budgets of tools that others are spent before.
fn per_tool(policy: &Policy, findings: &mut Findings) {
    let budgets = &policy.gates.per_tool;
    let budgets = &budgets[..budgets.len().min(MOST)];
    let lists: Vec<List> = budgets.iter().map(|b| List::of(policy, b.tools)).collect();
    for (n, budget) in budgets.iter().enumerate() {
        let place = policy
            .lines
            .place(["gates", "per_tool", budget.name.as_str()]);
        if let Some(max) = policy
            .gates
            .max_tokens
            .filter(|&max| max <= budget.max_tokens)
        {
            let message = format!(
                "the budget of `{}` is never spent first: `gates.max_tokens`, {max}, is no greater",
                budget.name
            );
            findings.add(
                Code::ShadowedLimit,
                place,
                message,
                Some("leave it out, or lower it"),
            );
            continue;
        }
        let hides = |&(m, other): &(usize, &crate::policy::ToolBudget)| {
            m != n
                && other.max_tokens <= budget.max_tokens
                && lists[m].covers_list(&lists[n])
                && (m < n || !lists[n].covers_list(&lists[m]))
        };
        if let Some((_, other)) = budgets.iter().enumerate().find(hides) {
            let message = format!(
                "the budget of `{}` is never spent first: that of `{}`, {}, counts the same calls and is no greater",
                budget.name, other.name, other.max_tokens
            );
            findings.add(
                Code::ShadowedLimit,
                place,
                message,
                Some("leave it out, or lower it"),
            );
        }
    }
}

/// `dfa.max_steps`, where the steps of a barrier end sooner.
fn steps(policy: &Policy, findings: &mut Findings) {
    let place = policy.lines.place(["dfa", "max_steps"]);
    let max = policy.dfa.max_steps;
    let barriers = policy.dcbf.barriers.iter().filter(|_| policy.runs("dcbf"));
    for spec in barriers {
        let Measure::Stability { step_budget } = spec.measure else {
            continue;
        };
        if let Some(Permits::Calls(calls)) = limits::calls(policy, spec).filter(|c| c.least() < max)
            // Of none at all another finding tells.
            && calls > 0
        {
            let message = format!(
                "{max} steps are never taken: the barrier `{}` refuses every call after {calls}",
                spec.name
            );
            let help = match calls >= step_budget {
                true => format!("set its `step_budget`, which is {step_budget}, as well"),
                false => format!(
                    "its `step_budget` is {step_budget}: its margin and its class-K function leave {calls}"
                ),
            };
            findings.add(Code::ShadowedLimit, place, message, Some(&help));
        }
    }
}

/// What agents may spend, where the resource barrier allows less.
fn totals(policy: &Policy, findings: &mut Findings) {
    let barriers = policy.dcbf.barriers.iter().filter(|_| policy.runs("dcbf"));
    for spec in barriers {
        let Measure::Resource { limit } = spec.measure else {
            continue;
        };
        // With any other function, or without a look at the next state, it may let more pass.
        let plain = spec.alpha.kappa <= 1.0 && spec.alpha.power == 1.0 && spec.margin >= 0.0;
        if !plain || !policy.dcbf.verify {
            continue;
        }
        for agent in policy.privilege.iter().flat_map(|all| &all.agents) {
            let path = [
                "privilege",
                "agents",
                agent.name.as_str(),
                "max_total_cost_usd",
            ];
            let place: PolicyPlace = policy.lines.place(path);
            let beyond = |max: &Nano| *max > limit || max.usd() > limit.usd() - spec.margin;
            if let Some(max) = agent.max_total_cost.filter(beyond) {
                let less = match spec.margin > 0.0 {
                    true => format!(" less its margin of {}", rounded(spec.margin)),
                    false => String::new(),
                };
                let message = format!(
                    "it never decides alone: what comes to more than {max} USD is more than the barrier `{}` allows, {limit}{less}, too",
                    spec.name
                );
                let help = "lower it, or raise the `limit_usd` of the barrier";
                findings.add(Code::ShadowedLimit, place, message, Some(help));
            }
        }
    }
}
