//! Privileges of agents: which tools they may call, what they may touch and what they may spend.

use super::{CallContext, Finding, Notes, Stage, Verdict};
use crate::policy::Agent;

pub(super) struct Privilege;

impl Stage for Privilege {
    fn id(&self) -> &'static str {
        "privilege"
    }

    fn doc(&self) -> &'static str {
        "may this agent call this tool, touch these resources, spend this cost?"
    }

    fn rules(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("unknown_agent", "the policy lists no such agent"),
            (
                "tool",
                "the agent may not call this tool: `deny_tools` names it or `tools` does not",
            ),
            (
                "resource",
                "the agent may not touch a resource of the call, or these are not known (`error`)",
            ),
            (
                "call_cost",
                "the call is expected to cost more than `max_call_cost_usd`",
            ),
            (
                "total_cost",
                "with the call the run would cost more than `max_total_cost_usd`",
            ),
        ]
    }

    fn judge(&self, cx: &CallContext<'_>, _: &mut Notes) -> Verdict {
        let Some(privilege) = &cx.policy.privilege else {
            return Verdict::Pass;
        };
        let listed = |name: &str| privilege.agents.iter().find(|agent| agent.name == name);
        let Some(agent) = cx.agent.and_then(listed) else {
            return unknown(cx, privilege.allow_unknown);
        };
        let unseen = cx.call.args_unknown && agent.resources.is_some();
        if unseen && tool(cx, agent).is_none() && cx.resources().is_none() {
            return Verdict::Error(Finding::blind("resource"));
        }
        let checks = [tool, resource, call_cost, total_cost];
        let denied = checks.iter().find_map(|check| check(cx, agent));
        denied.map_or(Verdict::Pass, Verdict::Refuse)
    }
}

fn unknown(cx: &CallContext<'_>, allowed: bool) -> Verdict {
    if allowed {
        return Verdict::Pass;
    }
    let reason = match cx.agent {
        Some(name) => format!("agent `{name}` is not listed"),
        None => "neither the call nor its run names an agent".into(),
    };
    Verdict::Refuse(Finding::new("unknown_agent", reason))
}

fn tool(cx: &CallContext<'_>, agent: &Agent) -> Option<Finding> {
    let (name, tool) = (&agent.name, &cx.call.tool);
    let reason = if agent.deny_tools.is_some_and(|denied| cx.names.is(denied)) {
        format!("`{tool}` is denied to agent `{name}`")
    } else if agent.tools.is_some_and(|allowed| !cx.names.is(allowed)) {
        format!("`{tool}` is not among the tools of agent `{name}`")
    } else {
        return None;
    };
    Some(Finding::new("tool", reason))
}

fn resource(cx: &CallContext<'_>, agent: &Agent) -> Option<Finding> {
    let allowed = agent.resources.as_ref()?;
    let resources = cx.resources()?;
    let denied = resources
        .iter()
        .find(|resource| !allowed.is_match(resource))?;
    let reason = if cx.call.resources.is_empty() {
        // It stands in the arguments, which are not to be shown.
        format!(
            "agent `{}` may not touch what the arguments name",
            agent.name
        )
    } else {
        format!("agent `{}` may not touch `{denied}`", agent.name)
    };
    Some(Finding::new("resource", reason))
}

fn call_cost(cx: &CallContext<'_>, agent: &Agent) -> Option<Finding> {
    let max = agent.max_call_cost?;
    let reason = || {
        format!(
            "{} USD, a call of agent `{}` may cost {max}",
            cx.estimate, agent.name
        )
    };
    (cx.estimate > max).then(|| Finding::new("call_cost", reason()))
}

fn total_cost(cx: &CallContext<'_>, agent: &Agent) -> Option<Finding> {
    let max = agent.max_total_cost?;
    let total = cx.state.cost.checked_add(cx.estimate);
    if total.is_some_and(|total| total <= max) {
        return None;
    }
    let total = total.map_or("more than can be added up".into(), |t| format!("{t} USD"));
    let reason = format!(
        "{total} in all, a run of agent `{}` may cost {max}",
        agent.name
    );
    Some(Finding::new("total_cost", reason))
}
