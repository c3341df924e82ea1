//! Privileges of agents: which tools they may call, what they may touch and what they may spend.

use super::weigh::{All, At, First, Tried, Walk, Weighed};
use super::{BLIND, CallContext, Finding, Notes, ON, Stage, Verdict, Walked};
use crate::policy::Agent;
use std::fmt::Display;

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
        First::of(cx.policy, |first| rights(cx, first))
    }

    fn weigh(&self, cx: &CallContext<'_>) -> Vec<Weighed> {
        All::of(cx.policy, |all| rights(cx, all))
    }
}

fn rights(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    let Some(privilege) = &cx.policy.privilege else {
        return ON;
    };
    let listed = |name: &str| privilege.agents.iter().find(|agent| agent.name == name);
    let agent = cx.agent.and_then(listed);
    if !privilege.allow_unknown {
        known(cx, agent, walk)?;
    }
    let Some(agent) = agent else {
        return ON;
    };
    tool(cx, agent, walk)?;
    resource(cx, agent, walk)?;
    call_cost(cx, agent, walk)?;
    total_cost(cx, agent, walk)
}

fn known(cx: &CallContext<'_>, agent: Option<&Agent>, walk: &mut impl Walk) -> Walked {
    let is = if agent.is_some() { "is" } else { "is not" };
    let tried = |looked_at| Tried {
        rule: "unknown_agent",
        name: &"",
        at: At::Setting(&[&["privilege", "unknown_agent"], &["privilege"]]),
        looked_at,
    };
    match cx.agent {
        Some(name) => walk.tried(
            tried(&format_args!("agent `{name}` {is} listed")),
            Verdict::refuse_unless(agent.is_some(), || format!("agent `{name}` is not listed")),
        ),
        None => {
            let reason = "neither the call nor its run names an agent";
            walk.tried(tried(&reason), Verdict::Refuse(Finding::why(reason.into())))
        }
    }
}

/// A limit of an agent under one of these keys.
fn limit<'t>(
    rule: &'static str,
    agent: &'t Agent,
    at: &'t [&'t [&'t str]],
    looked_at: &'t dyn Display,
) -> Tried<'t> {
    Tried {
        rule,
        name: &agent.name,
        at: At::Setting(at),
        looked_at,
    }
}

fn tool(cx: &CallContext<'_>, agent: &Agent, walk: &mut impl Walk) -> Walked {
    let (name, tool) = (&agent.name, &cx.call.tool);
    let denied = agent.deny_tools.is_some_and(|denied| cx.names.is(denied));
    let left_out = agent.tools.is_some_and(|allowed| !cx.names.is(allowed));
    let says = match (denied, left_out) {
        (true, _) => "is denied",
        (false, true) => "is not among the tools",
        (false, false) if agent.tools.is_some() => "is among the tools",
        (false, false) => "is not denied",
    };
    walk.tried(
        limit(
            "tool",
            agent,
            &[
                &["privilege", "agents", name, "deny_tools"],
                &["privilege", "agents", name, "tools"],
                &["privilege", "agents", name],
            ],
            &format_args!("`{tool}` {says}"),
        ),
        Verdict::refuse_unless(!denied && !left_out, || match denied {
            true => format!("`{tool}` is denied to agent `{name}`"),
            false => format!("`{tool}` is not among the tools of agent `{name}`"),
        }),
    )
}

fn resource(cx: &CallContext<'_>, agent: &Agent, walk: &mut impl Walk) -> Walked {
    let Some(allowed) = &agent.resources else {
        return ON;
    };
    let name = &agent.name;
    let at: &[&[&str]] = &[&["privilege", "agents", name, "resources"]];
    let tried = |looked_at| limit("resource", agent, at, looked_at);
    let Some(resources) = cx.resources() else {
        return walk.tried(tried(&BLIND), Verdict::Error(Finding::blind()));
    };
    let mut others = resources.iter().filter(|r| !allowed.is_match(r));
    let Some(denied) = others.next() else {
        let seen = format_args!("{} resources, all of them allowed", resources.len());
        return walk.tried(tried(&seen), Verdict::Pass);
    };
    let reason = if cx.call.resources.is_empty() {
        // It stands in the arguments, which are not to be shown.
        format!("agent `{name}` may not touch what the arguments name")
    } else {
        format!("agent `{name}` may not touch `{denied}`")
    };
    walk.tried(
        tried(&format_args!(
            "{} of {} resources not allowed",
            1 + others.count(),
            resources.len()
        )),
        Verdict::Refuse(Finding::why(reason)),
    )
}

fn call_cost(cx: &CallContext<'_>, agent: &Agent, walk: &mut impl Walk) -> Walked {
    let (Some(max), name) = (agent.max_call_cost, &agent.name) else {
        return ON;
    };
    let estimate = cx.estimate;
    walk.tried(
        limit(
            "call_cost",
            agent,
            &[&["privilege", "agents", name, "max_call_cost_usd"]],
            &format_args!("{estimate} of {max} USD for a call"),
        ),
        Verdict::refuse_unless(estimate <= max, || {
            format!("{estimate} USD, a call of agent `{name}` may cost {max}")
        }),
    )
}

fn total_cost(cx: &CallContext<'_>, agent: &Agent, walk: &mut impl Walk) -> Walked {
    let (Some(max), name) = (agent.max_total_cost, &agent.name) else {
        return ON;
    };
    let (spent, estimate) = (cx.state.cost, cx.estimate);
    let total = spent.checked_add(estimate);
    walk.tried(
        limit(
            "total_cost",
            agent,
            &[&["privilege", "agents", name, "max_total_cost_usd"]],
            &format_args!("{spent} USD so far and {estimate} for the call, of {max} in all"),
        ),
        Verdict::refuse_unless(total.is_some_and(|total| total <= max), || {
            let total = total.map_or("more than can be added up".into(), |t| format!("{t} USD"));
            format!("{total} in all, a run of agent `{name}` may cost {max}")
        }),
    )
}
