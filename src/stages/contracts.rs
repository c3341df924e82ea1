//! Contracts of tools: what must hold of a call before it runs, and of its result before the agent
//! sees it.

use super::bindings::CallBindings;
use super::{CallContext, Finding, Notes, Stage, Verdict};
use crate::policy::expr::Expr;
use crate::policy::{Contract, Schema};
use crate::trace::event::Outcome;
use crate::trace::json::Json;

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

    fn judge(&self, cx: &CallContext<'_>, _: &mut Notes) -> Verdict {
        for contract in binding(cx) {
            if let Some(schema) = &contract.schema {
                let Some(args) = cx.args() else {
                    return Verdict::Error(Finding::blind("schema").at(contract.place.line));
                };
                if let Some(finding) = misfit(args, schema) {
                    return Verdict::Refuse(told(finding, contract));
                }
            }
            let bindings = CallBindings { cx, outcome: None };
            for condition in &contract.require {
                match condition.test(&bindings) {
                    Ok(true) => {}
                    Ok(false) => {
                        return Verdict::Refuse(told(untrue("require", condition), contract));
                    }
                    Err(why) => {
                        return Verdict::Error(failed("require", condition, &why, contract));
                    }
                }
            }
        }
        Verdict::Pass
    }

    fn awaits_result(&self, cx: &CallContext<'_>) -> bool {
        binding(cx).any(|contract| !contract.ensure.is_empty())
    }

    fn check_result(&self, cx: &CallContext<'_>, outcome: &Outcome<'_>) -> Option<Finding> {
        let bindings = CallBindings {
            cx,
            outcome: Some(outcome),
        };
        for contract in binding(cx) {
            for condition in &contract.ensure {
                match condition.test(&bindings) {
                    Ok(true) => {}
                    Ok(false) => return Some(told(untrue("ensure", condition), contract)),
                    Err(why) => return Some(failed("ensure", condition, &why, contract)),
                }
            }
        }
        None
    }
}

/// The contracts of the call's tool, in file order.
fn binding<'a>(cx: &'a CallContext<'_>) -> impl Iterator<Item = &'a Contract> {
    cx.policy
        .contracts
        .iter()
        .filter(|contract| cx.names.is(contract.tools))
}

fn untrue(rule: &'static str, condition: &Expr) -> Finding {
    Finding::new(rule, format!("`{}` does not hold", shown(condition)))
}

/// Longest condition that a reason repeats, in characters.
const SHOWN: usize = 80;

/// The condition on one line, cut where it is long.
fn shown(condition: &Expr) -> String {
    let words: Vec<&str> = condition.source().split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn failed(rule: &'static str, condition: &Expr, why: &str, contract: &Contract) -> Finding {
    let reason = format!("`{}` could not be evaluated: {why}", shown(condition));
    Finding::new(rule, reason).by(contract)
}

/// The contract's own message in front, where it has one.
fn told(mut finding: Finding, contract: &Contract) -> Finding {
    if let Some(message) = &contract.message {
        finding.reason = format!("{message} ({})", finding.reason);
    }
    finding.by(contract)
}

impl Finding {
    fn by(mut self, contract: &Contract) -> Finding {
        self.policy_rule.clone_from(&contract.id);
        self.at(contract.place.line)
    }
}

fn misfit(args: &Json<'_>, schema: &Schema) -> Option<Finding> {
    let args: serde_json::Value = match serde_json::from_str(&args.to_compact()) {
        Ok(args) => args,
        Err(_) => {
            let reason = "the arguments hold a number that a schema cannot look at";
            return Some(Finding::new("schema", reason.into()));
        }
    };
    // Told by the schema's own words: those of the arguments are not to be shown.
    let error = schema.validator.iter_errors(&args).next()?;
    let reason = format!(
        "the arguments do not fit `{}` at `{}`",
        schema.file,
        error.schema_path()
    );
    Some(Finding::new("schema", reason))
}
