//! The observation-budget gates: a chain of cheap checks on the call and on what the run has
//! already observed. The first that denies decides.

use super::weigh::{All, Amount, At, Configured, First, Known, ON, Walk, Walked, Weighed};
use super::{BLIND, CallContext, Finding, Notes, Stage, Verdict};
use crate::policy::refused::RefusePattern;
use crate::policy::{Policy, ToolBudget};
use crate::trace::event::Prepare;
use std::sync::Arc;

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

    fn prepare(&self, policy: &Policy) -> Option<Prepare> {
        let refuse = Arc::clone(&policy.gates.refuse);
        let (mut text, mut room) = (String::new(), String::new());
        (!refuse.is_empty()).then(|| -> Prepare {
            Box::new(move |call| {
                if call.args_unknown {
                    return;
                }
                call.prepared.unrefused = refuse.spares(&call.args, &mut room) || {
                    text.clear();
                    call.args.leaves(&mut text);
                    refuse.candidates(&text, &mut room).is_none()
                };
            })
        })
    }

    fn judge(&self, cx: &CallContext<'_>, _: &mut Notes) -> Verdict {
        First::of(cx.policy, |first| chain(cx, first))
    }

    fn weigh(&self, cx: &CallContext<'_>) -> Vec<Weighed> {
        All::of(cx, |all| chain(cx, all))
    }

    fn configured(&self, policy: &Policy) -> Vec<Configured> {
        let gates = &policy.gates;
        let one = |is: bool, rule| is.then_some(rule);
        let rules = one(gates.allow.is_some(), WHITELIST).into_iter();
        let rules = rules
            .chain(gates.refuse.iter().map(pattern))
            .chain(one(gates.window.is_some(), RECENCY))
            .chain(one(gates.max_tokens.is_some(), BUDGET))
            .chain(gates.per_tool.iter().map(entry));
        rules.map(|rule| rule.configured(policy)).collect()
    }
}

const WHITELIST: Known<'static> = Known::one("whitelist", &["gates"], "allow");
const RECENCY: Known<'static> = Known::one("recency", &["gates"], "window");
const BUDGET: Known<'static> = Known::one("budget", &["gates"], "max_tokens");

fn pattern(pattern: &RefusePattern) -> Known<'_> {
    Known {
        rule: "regex",
        name: &pattern.regex,
        at: At::Line(pattern.place.line),
        met: None,
        measured: None,
    }
}

fn entry(entry: &ToolBudget) -> Known<'_> {
    Known {
        rule: "per_tool_budget",
        name: &entry.name,
        at: At::Setting(&["gates", "per_tool"], &entry.name, &[]),
        met: None,
        measured: None,
    }
}

fn chain(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    whitelist(cx, walk)?;
    regex(cx, walk)?;
    recency(cx, walk)?;
    budget(cx, walk)?;
    per_tool_budget(cx, walk)
}

fn whitelist(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    let Some(allow) = cx.policy.gates.allow else {
        return ON;
    };
    let (tool, listed) = (&cx.call.tool, cx.names.is(allow));
    let is = if listed { "is" } else { "is not" };
    walk.tried(
        WHITELIST,
        &format_args!("`{tool}` {is} in the allow-set"),
        Verdict::refuse_unless(listed, || format!("`{tool}` is not in the allow-set")),
    )
}

fn regex<W: Walk>(cx: &CallContext<'_>, walk: &mut W) -> Walked {
    let refuse = &cx.policy.gates.refuse;
    let spared = || {
        let told = !cx.call.args_unknown;
        cx.call.prepared.unrefused || told && refuse.spares(&cx.call.args, &mut cx.facts.small())
    };
    if refuse.is_empty() || !W::HEARS_PASSES && spared() {
        // As it mostly is.
        return ON;
    }
    let Some(text) = cx.text() else {
        let blind = || Verdict::Error(Finding::blind());
        let mut rules = refuse.iter().map(pattern);
        return rules.try_for_each(|rule| walk.tried(rule, &BLIND, blind()));
    };
    let candidates = refuse.candidates(text, &mut cx.facts.small());
    if candidates.is_none() && !W::HEARS_PASSES {
        return ON;
    }
    for (number, refused) in refuse.iter().enumerate() {
        // What cannot be tried refuses.
        let matches = candidates.has(number) && refused.regex.is_match(text).unwrap_or(true);
        let found = if matches { "a match" } else { "no match" };
        walk.tried(
            pattern(refused),
            &format_args!("{found} in {} bytes of text", text.len()),
            Verdict::refuse_unless(!matches, || {
                format!("the arguments match `{}`", refused.regex)
            }),
        )?;
    }
    ON
}

fn recency(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    let Some(window) = cx.policy.gates.window else {
        return ON;
    };
    let Some(latest) = cx.state.ledger.latest_turn else {
        let seen = format_args!("no observation yet, window {window}");
        return walk.tried(RECENCY, &seen, Verdict::Pass);
    };
    let age = cx.turn.saturating_sub(latest);
    walk.tried(
        RECENCY.on(Amount::Count(age)),
        &format_args!("latest observation {age} turns ago, window {window}"),
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
        BUDGET.on(Amount::Count(spent)),
        &format_args!("{spent} of {max} tokens"),
        Verdict::refuse_unless(spent < max, || format!("{spent}/{max} tokens")),
    )
}

fn per_tool_budget(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    for (i, tool) in cx.policy.gates.per_tool.iter().enumerate() {
        if !cx.names.is(tool.tools) {
            continue;
        }
        let max = tool.max_tokens;
        let spent = cx.state.ledger.per_tool.get(i).copied().unwrap_or(0);
        walk.tried(
            entry(tool).on(Amount::Count(spent)),
            &format_args!("{spent} of {max} tokens"),
            Verdict::refuse_unless(spent < max, || {
                format!("{spent}/{max} tokens of `{}`", tool.name)
            }),
        )?;
    }
    ON
}
