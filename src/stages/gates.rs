//! The observation-budget gates: a chain of cheap checks on the call and on what the run has
//! already observed. The first that denies decides.

use super::weigh::{All, At, First, Tried, Walk, Weighed};
use super::{BLIND, CallContext, Finding, Notes, ON, Stage, Verdict, Walked};
use std::fmt::Display;

pub(super) struct Gates;

impl Stage for Gates {
    fn id(&self) -> &'static str {
        "gates"
    }

    fn doc(&self) -> &'static str {
        "may this tool be called at all, and has the run observed enough or too long ago?"
    }

    fn rules(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("whitelist", "the tool is not in `gates.allow`"),
            (
                "regex",
                "the text of the arguments matches a pattern of `gates.refuse`, or is not known (`error`)",
            ),
            (
                "recency",
                "the latest observation is more than `gates.window` turns old",
            ),
            ("budget", "the run has observed `gates.max_tokens` tokens"),
            (
                "per_tool_budget",
                "the run has observed the tokens `gates.per_tool` gives this tool",
            ),
        ]
    }

    fn judge(&self, cx: &CallContext<'_>, _: &mut Notes) -> Verdict {
        First::of(cx.policy, |first| chain(cx, first))
    }

    fn weigh(&self, cx: &CallContext<'_>) -> Vec<Weighed> {
        All::of(cx.policy, |all| chain(cx, all))
    }
}

fn chain(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    whitelist(cx, walk)?;
    regex(cx, walk)?;
    recency(cx, walk)?;
    budget(cx, walk)?;
    per_tool_budget(cx, walk)
}

/// A gate of which a policy has one, under that setting.
fn gate<'t>(rule: &'static str, at: &'t [&'t [&'t str]], looked_at: &'t dyn Display) -> Tried<'t> {
    Tried {
        rule,
        name: &"",
        at: At::Setting(at),
        looked_at,
    }
}

fn whitelist(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    let Some(allow) = cx.policy.gates.allow else {
        return ON;
    };
    let (tool, listed) = (&cx.call.tool, cx.names.is(allow));
    let is = if listed { "is" } else { "is not" };
    walk.tried(
        gate(
            "whitelist",
            &[&["gates", "allow"]],
            &format_args!("`{tool}` {is} in the allow-set"),
        ),
        Verdict::refuse_unless(listed, || format!("`{tool}` is not in the allow-set")),
    )
}

fn regex(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    for pattern in &cx.policy.gates.refuse {
        let regex = pattern.regex.as_str();
        let tried = |looked_at| Tried {
            rule: "regex",
            name: &regex,
            at: At::Line(pattern.place.line),
            looked_at,
        };
        let Some(text) = cx.text() else {
            walk.tried(tried(&BLIND), Verdict::Error(Finding::blind()))?;
            continue;
        };
        let matches = pattern.regex.is_match(text);
        let found = if matches { "a match" } else { "no match" };
        walk.tried(
            tried(&format_args!("{found} in {} bytes of text", text.len())),
            Verdict::refuse_unless(!matches, || format!("the arguments match `{regex}`")),
        )?;
    }
    ON
}

fn recency(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    let Some(window) = cx.policy.gates.window else {
        return ON;
    };
    let tried = |looked_at| gate("recency", &[&["gates", "window"]], looked_at);
    let Some(latest) = cx.state.ledger.latest_turn else {
        let seen = format_args!("no observation yet, window {window}");
        return walk.tried(tried(&seen), Verdict::Pass);
    };
    let age = cx.turn.saturating_sub(latest);
    walk.tried(
        tried(&format_args!(
            "latest observation {age} turns ago, window {window}"
        )),
        Verdict::refuse_unless(age <= window, || {
            format!("the latest observation is {age} turns old, {window} are allowed")
        }),
    )
}

fn budget(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    let Some(max) = cx.policy.gates.max_tokens else {
        return ON;
    };
    let spent = cx.state.ledger.tokens;
    walk.tried(
        gate(
            "budget",
            &[&["gates", "max_tokens"]],
            &format_args!("{spent} of {max} tokens"),
        ),
        Verdict::refuse_unless(spent < max, || format!("{spent}/{max} tokens")),
    )
}

fn per_tool_budget(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    for (i, entry) in cx.policy.gates.per_tool.iter().enumerate() {
        if !cx.names.is(entry.tools) {
            continue;
        }
        let (name, max) = (&entry.name, entry.max_tokens);
        let spent = cx.state.ledger.per_tool.get(i).copied().unwrap_or(0);
        walk.tried(
            Tried {
                rule: "per_tool_budget",
                name,
                at: At::Setting(&[&["gates", "per_tool", name]]),
                looked_at: &format_args!("{spent} of {max} tokens"),
            },
            Verdict::refuse_unless(spent < max, || format!("{spent}/{max} tokens of `{name}`")),
        )?;
    }
    ON
}
