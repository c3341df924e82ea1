//! The observation-budget gates: a chain of cheap checks on the call and on what the run has
//! already observed. The first that denies decides.

use super::{CallContext, Finding, Notes, Stage, Verdict};

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
        if let Some(finding) = whitelist(cx) {
            return Verdict::Refuse(finding);
        }
        if cx.call.args_unknown
            && let Some(pattern) = cx.policy.gates.refuse.first()
        {
            return Verdict::Error(Finding::blind("regex").at(pattern.place.line));
        }
        let chain = [regex, recency, budget, per_tool_budget];
        let denied = chain.iter().find_map(|gate| gate(cx));
        denied.map_or(Verdict::Pass, Verdict::Refuse)
    }
}

fn whitelist(cx: &CallContext<'_>) -> Option<Finding> {
    let allow = cx.policy.gates.allow?;
    if cx.names.is(allow) {
        return None;
    }
    let reason = format!("`{}` is not in the allow-set", cx.call.tool);
    Some(Finding::new("whitelist", reason))
}

fn regex(cx: &CallContext<'_>) -> Option<Finding> {
    let mut patterns = cx.policy.gates.refuse.iter();
    let hit =
        patterns.find(|pattern| cx.text().is_some_and(|text| pattern.regex.is_match(text)))?;
    let reason = format!("the arguments match `{}`", hit.regex.as_str());
    Some(Finding::new("regex", reason).at(hit.place.line))
}

fn recency(cx: &CallContext<'_>) -> Option<Finding> {
    let window = cx.policy.gates.window?;
    let latest = cx.state.ledger.latest_turn?;
    let age = cx.turn.saturating_sub(latest);
    if age <= window {
        return None;
    }
    let reason = format!("the latest observation is {age} turns old, {window} are allowed");
    Some(Finding::new("recency", reason))
}

fn budget(cx: &CallContext<'_>) -> Option<Finding> {
    let max = cx.policy.gates.max_tokens?;
    let spent = cx.state.ledger.tokens;
    (spent >= max).then(|| Finding::new("budget", format!("{spent}/{max} tokens")))
}

fn per_tool_budget(cx: &CallContext<'_>) -> Option<Finding> {
    let budgets = cx.policy.gates.per_tool.iter().enumerate();
    let (entry, spent) = budgets
        .filter(|(_, entry)| cx.names.is(entry.tools))
        .map(|(i, entry)| (entry, cx.state.ledger.per_tool.get(i).copied().unwrap_or(0)))
        .find(|(entry, spent)| *spent >= entry.max_tokens)?;
    let reason = format!("{spent}/{} tokens of `{}`", entry.max_tokens, entry.name);
    Some(Finding::new("per_tool_budget", reason))
}
