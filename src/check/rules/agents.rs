//! Privileges: lists that shut each other out, and limits that are too low for the default estimate.

use super::lists::element;
use crate::check::codes::{Code, Findings};
use crate::check::patterns::{List, Pattern};
use crate::check::tools::Tools;
use crate::policy::{Agent, Policy, Privilege};

pub(super) fn look(policy: &Policy, tools: &Tools, findings: &mut Findings) {
    let Some(privilege) = policy
        .privilege
        .as_ref()
        .filter(|_| policy.runs("privilege"))
    else {
        return;
    };
    for agent in &privilege.agents {
        allowed(policy, agent, tools, findings);
        denied(policy, agent, tools, findings);
        limits(policy, agent, findings);
    }
    nobody(policy, privilege, findings);
}

fn path<'a>(agent: &'a Agent, key: &'a str) -> [&'a str; 4] {
    ["privilege", "agents", agent.name.as_str(), key]
}

/// Entries of `tools` that let nothing through.
fn allowed(policy: &Policy, agent: &Agent, tools: &Tools, findings: &mut Findings) {
    let Some(id) = agent.tools else { return };
    let denied = agent.deny_tools.map(|id| List::of(policy, id));
    let is_denied = |p: &Pattern| denied.as_ref().is_some_and(|list| list.covers(p));
    let list = List::of(policy, id).patterns;
    let mut usable = 0;
    for (n, pattern) in list.iter().enumerate() {
        let place = element(policy, &path(agent, "tools"), n);
        let text = &pattern.text;
        if !tools.may_be_tool(pattern) {
            let message = format!(
                "`{text}` is allowed to agent `{}`, but `gates.allow` lets no such tool through",
                agent.name
            );
            let help = "add it to `gates.allow`, or leave it out";
            findings.add(Code::ShutOut, place, message, Some(help));
        } else if !is_denied(pattern) {
            usable += 1;
        } else if !pattern.is_name() {
            // A name is told of when the policy is read.
            let message = format!("`{text}` is both allowed and denied: all of it is denied");
            let help = "leave one of them out";
            findings.add(Code::DeniedPattern, place, message, Some(help));
        }
    }
    if usable == 0 {
        let place = policy.lines.place(path(agent, "tools"));
        let message = format!("agent `{}` may call nothing", agent.name);
        let help = "without `tools` it may call every tool that is not denied";
        findings.add(Code::AgentWithoutTools, place, message, Some(help));
    }
}

/// Entries of `deny_tools` for what the agent could not call anyway.
fn denied(policy: &Policy, agent: &Agent, tools: &Tools, findings: &mut Findings) {
    let own = tools.of_agent(policy, agent);
    let Some(id) = agent.deny_tools else { return };
    for (n, pattern) in List::of(policy, id).patterns.iter().enumerate() {
        let place = element(policy, &path(agent, "deny_tools"), n);
        if !own.may_be_called(pattern) {
            let by = match tools.may_be_called(pattern) {
                true => "its `tools` do not let it through",
                false => "`gates.allow` does not let it through",
            };
            let message = format!(
                "`{}` is denied to agent `{}`, which could not call it anyway: {by}",
                pattern.text, agent.name
            );
            findings.add(
                Code::DeadDeny,
                place,
                message,
                Some(super::lists::BUT_LABELS),
            );
        }
    }
    let all = |list: &List| list.covers(&Pattern::new("*"));
    if agent.tools.is_none() && all(&List::of(policy, id)) {
        let place = policy.lines.place(path(agent, "deny_tools"));
        let message = format!(
            "agent `{}` may call nothing: every tool is denied",
            agent.name
        );
        findings.add(Code::AgentWithoutTools, place, message, None);
    }
}

fn limits(policy: &Policy, agent: &Agent, findings: &mut Findings) {
    let estimate = policy.dcbf.per_call_cost;
    let keys = [
        ("max_call_cost_usd", agent.max_call_cost),
        ("max_total_cost_usd", agent.max_total_cost),
    ];
    for (key, max) in keys {
        if let Some(max) = max.filter(|max| estimate > *max) {
            let message = format!(
                "a call of agent `{}` without an estimate of its own is refused: it counts as {estimate} USD, and {max} is allowed",
                agent.name
            );
            let help = "raise the limit, or lower `per_call_cost_usd` of the barrier `resource`";
            let place = policy.lines.place(path(agent, key));
            findings.add(Code::EstimateRefused, place, message, Some(help));
        }
    }
    if let (Some(call), Some(total)) = (agent.max_call_cost, agent.max_total_cost)
        && call >= total
    {
        let message = format!(
            "it never decides alone: a call above {call} USD is above `max_total_cost_usd`, {total} USD, too"
        );
        let place = policy.lines.place(path(agent, "max_call_cost_usd"));
        findings.add(
            Code::ShadowedLimit,
            place,
            message,
            Some("leave it out, or lower it"),
        );
    }
}

/// Tools of `gates.allow` that every agent is kept from.
fn nobody(policy: &Policy, privilege: &Privilege, findings: &mut Findings) {
    let allow = policy.gates.allow.filter(|_| policy.runs("gates"));
    let Some(id) = allow.filter(|_| !privilege.allow_unknown && !privilege.agents.is_empty())
    else {
        return;
    };
    let lists = privilege.agents.iter().map(|agent| {
        let list = |id: Option<_>| id.map(|id| List::of(policy, id));
        (list(agent.tools), list(agent.deny_tools))
    });
    let lists: Vec<(Option<List>, Option<List>)> = lists.collect();
    for (n, pattern) in List::of(policy, id).patterns.iter().enumerate() {
        let kept = |(tools, denied): &(Option<List>, Option<List>)| {
            let apart = |list: &List| list.patterns.iter().all(|p| p.is_apart(pattern));
            denied.as_ref().is_some_and(|list| list.covers(pattern))
                || tools.as_ref().is_some_and(apart)
        };
        if lists.iter().all(kept) {
            let message = format!(
                "`{}` is let through here, but no agent may call it",
                pattern.text
            );
            let place = element(policy, &["gates", "allow"], n);
            let help = "add it to the `tools` of an agent, or leave it out";
            findings.add(Code::AllowedToNobody, place, message, Some(help));
        }
    }
}
