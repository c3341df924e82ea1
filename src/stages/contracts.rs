//! Contracts of tools: what must hold of a call before it runs, and of its result before the agent
//! sees it.

use super::bindings::CallBindings;
use super::weigh::{All, At, Configured, First, Known, ON, Walk, Walked, Weighed};
use super::{BLIND, CallContext, Finding, Notes, Stage, Verdict};
use crate::policy::expr::Expr;
use crate::policy::{Contract, Policy, Schema};
use crate::trace::event::Outcome;
use crate::trace::json::Json;
use std::fmt::Display;

pub(super) struct Contracts;

impl Stage for Contracts {
    fn id(&self) -> &'static str {
        "contracts"
    }

    fn doc(&self) -> &'static str {
        "do the tool's registered conditions hold, before the call and on its result?"
    }

    fn rules(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "schema",
                "the arguments do not fit the contract's JSON Schema, or are not known (`error`)",
            ),
            (
                "require",
                "a precondition is false, or cannot be evaluated (`error`)",
            ),
            (
                "ensure",
                "a postcondition is false or cannot be evaluated: the result is withheld",
            ),
        ]
    }

    fn is_idle(&self, policy: &Policy) -> bool {
        policy.contracts.is_empty()
    }

    fn judge(&self, cx: &CallContext<'_>, _: &mut Notes) -> Verdict {
        First::of(cx.policy, |first| before(cx, first))
    }

    fn weigh(&self, cx: &CallContext<'_>) -> Vec<Weighed> {
        All::of(cx, |all| before(cx, all))
    }

    fn awaits_result(&self, cx: &CallContext<'_>) -> bool {
        binding(cx).any(|contract| !contract.ensure.is_empty())
    }

    fn check_result(&self, cx: &CallContext<'_>, outcome: &Outcome<'_>) -> Option<Finding> {
        match First::of(cx.policy, |first| after(cx, outcome, first)) {
            Verdict::Pass => None,
            Verdict::Refuse(finding) | Verdict::Escalate(finding) | Verdict::Error(finding) => {
                Some(*finding)
            }
        }
    }

    fn weigh_result(&self, cx: &CallContext<'_>, outcome: &Outcome<'_>) -> Vec<Weighed> {
        All::of(cx, |all| after(cx, outcome, all))
    }

    fn configured(&self, policy: &Policy) -> Vec<Configured> {
        let (before, after) = (policy.contracts.iter(), policy.contracts.iter());
        let has = |is: bool, contract, rule| is.then_some((contract, rule));
        let before = before.flat_map(|contract| {
            [
                has(contract.schema.is_some(), contract, "schema"),
                has(!contract.require.is_empty(), contract, "require"),
            ]
        });
        let after = after.map(|contract| has(!contract.ensure.is_empty(), contract, "ensure"));
        let rules = before.chain(after).flatten();
        let words =
            |(contract, rule)| known(rule, contract, &Called(policy, contract)).configured(policy);
        rules.map(words).collect()
    }
}

/// What must hold before the call.
fn before(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    for contract in binding(cx) {
        if let Some(schema) = &contract.schema {
            fits(cx, contract, schema, walk)?;
        }
        let bindings = CallBindings { cx, outcome: None };
        for condition in &contract.require {
            holds("require", cx, contract, condition, &bindings, walk)?;
        }
    }
    ON
}

/// What must hold of the result.
fn after(cx: &CallContext<'_>, outcome: &Outcome<'_>, walk: &mut impl Walk) -> Walked {
    let bindings = CallBindings {
        cx,
        outcome: Some(outcome),
    };
    for contract in binding(cx) {
        for condition in &contract.ensure {
            holds("ensure", cx, contract, condition, &bindings, walk)?;
        }
    }
    ON
}

fn fits(
    cx: &CallContext<'_>,
    contract: &Contract,
    schema: &Schema,
    walk: &mut impl Walk,
) -> Walked {
    let name = Called(cx.policy, contract);
    let rule = known("schema", contract, &name);
    let Some(args) = cx.args() else {
        return walk.tried(rule, &BLIND, Verdict::Error(Finding::blind()));
    };
    match misfit(args, schema) {
        None => {
            let seen = format_args!("the arguments fit `{}`", schema.file);
            walk.tried(rule, &seen, Verdict::Pass)
        }
        Some(reason) => {
            let verdict = Verdict::Refuse(told(reason.clone(), contract));
            walk.tried(rule, &reason, verdict)
        }
    }
}

fn holds(
    rule: &'static str,
    cx: &CallContext<'_>,
    contract: &Contract,
    condition: &Expr,
    bindings: &CallBindings<'_, '_>,
    walk: &mut impl Walk,
) -> Walked {
    let name = Called(cx.policy, contract);
    let rule = known(rule, contract, &name);
    let shown = Shown(condition);
    match condition.test(bindings) {
        Ok(true) => walk.tried(rule, &format_args!("`{shown}` holds"), Verdict::Pass),
        Ok(false) => {
            let reason = format!("`{shown}` does not hold");
            let verdict = Verdict::Refuse(told(reason.clone(), contract));
            walk.tried(rule, &reason, verdict)
        }
        Err(why) => {
            let reason = format!("`{shown}` could not be evaluated: {why}");
            let finding = by(contract, Finding::why(reason.clone()));
            walk.tried(rule, &reason, Verdict::Error(finding))
        }
    }
}

/// A rule of the contract of that name.
fn known<'p>(rule: &'static str, contract: &Contract, name: &'p Called<'_>) -> Known<'p> {
    Known {
        rule,
        name,
        at: At::Line(contract.place.line),
        met: None,
        measured: None,
    }
}

/// What a contract is called: its id, else the tools it is for.
struct Called<'p>(&'p Policy, &'p Contract);

impl Display for Called<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Called(policy, contract) = self;
        match &contract.id {
            Some(id) => f.write_str(id),
            None => f.write_str(&policy.matchers.get(contract.tools).patterns.join(", ")),
        }
    }
}

/// The contracts of the call's tool, in file order.
fn binding<'a>(cx: &'a CallContext<'_>) -> impl Iterator<Item = &'a Contract> {
    cx.policy
        .contracts
        .iter()
        .filter(|contract| cx.names.is(contract.tools))
}

/// Longest condition that a reason repeats, in characters.
const SHOWN: usize = 80;

/// A condition on one line, cut where it is long.
struct Shown<'e>(&'e Expr);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<&str> = self.0.source().split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(SHOWN) {
            Some((end, _)) => write!(f, "{}…", line.get(..end).unwrap_or_default()),
            None => f.write_str(&line),
        }
    }
}

/// The contract's own message in front, where it has one.
fn told(reason: String, contract: &Contract) -> Box<Finding> {
    let reason = match &contract.message {
        Some(message) => format!("{message} ({reason})"),
        None => reason,
    };
    by(contract, Finding::why(reason))
}

/// The finding of a contract.
fn by(contract: &Contract, mut finding: Box<Finding>) -> Box<Finding> {
    finding.policy_rule.clone_from(&contract.id);
    finding
}

/// What does not fit the schema, in words.
fn misfit(args: &Json<'_>, schema: &Schema) -> Option<String> {
    let args: serde_json::Value = match serde_json::from_str(&args.to_compact()) {
        Ok(args) => args,
        Err(_) => {
            let reason = "the arguments hold a number that a schema cannot look at";
            return Some(reason.into());
        }
    };
    // Told by the schema's own words: those of the arguments are not to be shown.
    let error = schema.validator.iter_errors(&args).next()?;
    Some(format!(
        "the arguments do not fit `{}` at `{}`",
        schema.file,
        error.schema_path()
    ))
}
