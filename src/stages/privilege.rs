//! Privileges of agents: which tools they may call, what they may touch and what they may spend.

use super::weigh::{All, Amount, At, Configured, First, Known, ON, Walk, Walked, Weighed};
use super::{BLIND, CallContext, Finding, Notes, Stage, Verdict};
use crate::policy::{Agent, Policy};

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

    fn is_idle(&self, policy: &Policy) -> bool {
        policy.privilege.is_none()
    }

    fn judge(&self, cx: &CallContext<'_>, _: &mut Notes) -> Verdict {
        First::of(cx.policy, |first| rights(cx, first))
    }

    fn weigh(&self, cx: &CallContext<'_>) -> Vec<Weighed> {
        All::of(cx, |all| rights(cx, all))
    }

    fn configured(&self, policy: &Policy) -> Vec<Configured> {
        let Some(privilege) = &policy.privilege else {
            return Vec::new();
        };
        let listed = (!privilege.allow_unknown).then_some(LISTED);
        let limits = |agent| {
            let one = |is: bool, rule| is.then_some(rule);
            [
                Some(tools(agent)),
                one(agent.resources.is_some(), resources(agent)),
                one(agent.max_call_cost.is_some(), cost(agent)),
                one(agent.max_total_cost.is_some(), total(agent)),
            ]
        };
        let limits = privilege.agents.iter().flat_map(limits).flatten();
        let rules = listed.into_iter().chain(limits);
        rules.map(|rule| rule.configured(policy)).collect()
    }
}

const LISTED: Known<'static> = Known {
    rule: "unknown_agent",
    name: &"",
    at: At::Setting(&[], "privilege", &["unknown_agent"]),
    met: None,
    measured: None,
};

fn tools(agent: &Agent) -> Known<'_> {
    limit("tool", agent, &["deny_tools", "tools"])
}

fn resources(agent: &Agent) -> Known<'_> {
    limit("resource", agent, &["resources"])
}

fn cost(agent: &Agent) -> Known<'_> {
    limit("call_cost", agent, &["max_call_cost_usd"])
}

fn total(agent: &Agent) -> Known<'_> {
    limit("total_cost", agent, &["max_total_cost_usd"])
}

/// A limit of an agent, set by one of these keys.
fn limit<'p>(rule: &'static str, agent: &'p Agent, keys: &'static [&'static str]) -> Known<'p> {
    Known {
        rule,
        name: &agent.name,
        at: At::Setting(&["privilege", "agents"], &agent.name, keys),
        met: None,
        measured: None,
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
    match cx.agent {
        Some(name) => walk.tried(
            LISTED,
            &format_args!("agent `{name}` {is} listed"),
            Verdict::refuse_unless(agent.is_some(), || format!("agent `{name}` is not listed")),
        ),
        None => {
            let reason = "neither the call nor its run names an agent";
            let finding = Finding::why(reason.into());
            walk.tried(LISTED, &reason, Verdict::Refuse(finding))
        }
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
        tools(agent),
        &format_args!("`{tool}` {says}"),
        Verdict::refuse_unless(!denied && !left_out, || match denied {
            true => format!("`{tool}` is denied to agent `{name}`"),
            false => format!("`{tool}` is not among the tools of agent `{name}`"),
        }),
    )
}

fn resource(cx: &CallContext<'_>, agent: &Agent, walk: &mut impl Walk) -> Walked {
    let (Some(allowed), name) = (&agent.resources, &agent.name) else {
        return ON;
    };
    let rule = resources(agent);
    let Some(touched) = cx.resources() else {
        return walk.tried(rule, &BLIND, Verdict::Error(Finding::blind()));
    };
    let mut others = touched.iter().filter(|r| !allowed.is_match(r));
    let Some(denied) = others.next() else {
        let seen = format_args!("none of {} resources not allowed", touched.len());
        return walk.tried(rule, &seen, Verdict::Pass);
    };
    let reason = if cx.call.resources.is_empty() {
        // It stands in the arguments, which are not to be shown.
        format!("agent `{name}` may not touch what the arguments name")
    } else {
        format!("agent `{name}` may not touch `{denied}`")
    };
    let (denied, all) = (1 + others.count(), touched.len());
    walk.tried(
        rule,
        &format_args!("{denied} of {all} resources not allowed"),
        Verdict::Refuse(Finding::why(reason)),
    )
}

fn call_cost(cx: &CallContext<'_>, agent: &Agent, walk: &mut impl Walk) -> Walked {
    let (Some(max), name) = (agent.max_call_cost, &agent.name) else {
        return ON;
    };
    let estimate = cx.estimate;
    walk.tried(
        cost(agent).on(Amount::Money(estimate)),
        &format_args!("{estimate} of {max} USD for a call"),
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
    let sum = spent.checked_add(estimate);
    let rule = match sum {
        Some(sum) => total(agent).on(Amount::Money(sum)),
        None => total(agent),
    };
    walk.tried(
        rule,
        &format_args!("{spent} USD so far and {estimate} for the call, of {max} in all"),
        Verdict::refuse_unless(sum.is_some_and(|sum| sum <= max), || {
            let sum = sum.map_or("more than can be added up".into(), |sum| {
                format!("{sum} USD")
            });
            format!("{sum} in all, a run of agent `{name}` may cost {max}")
        }),
    )
}
