//! What a call and its outcome are called in expressions; the rest is the state's.

use super::CallContext;
use crate::facets::Arguments;
use crate::policy::expr::values::value_of;
use crate::policy::expr::{Bindings, Query, Variable};
use crate::state::bindings::{StateBindings, int};
use crate::trace::event::Outcome;
use crate::trace::json::Json;
use cel::Value;
use std::borrow::Cow;

/// Answers for everything an expression about a call may name. `result` and `error` exist only
/// where there is an outcome, and what is read off the arguments only where these are known
/// and not beyond what is read.
pub struct CallBindings<'b, 'a> {
    /// The call.
    pub cx: &'b CallContext<'a>,
    /// How it came out, in postconditions.
    pub outcome: Option<&'b Outcome<'b>>,
}

impl Bindings for CallBindings<'_, '_> {
    fn variable(&self, variable: Variable) -> Option<Value> {
        let cx = self.cx;
        let tool = &*cx.call.tool;
        Some(match variable {
            Variable::CallId => cx.id.into(),
            Variable::CallTool => tool.into(),
            Variable::CallAgent => cx.agent.unwrap_or_default().into(),
            Variable::CallTurn => int(cx.turn),
            Variable::CallArgs => value_of(cx.args()?),
            Variable::CallResources => list(&cx.resources()?),
            Variable::CallLabels => list(&cx.names.labels),
            Variable::CallEstimatedCostUsd => Value::Float(cx.estimate.usd()),
            Variable::CallText => cx.text()?.into(),
            facet if facet.is_facet() => return facets(cx, facet),
            Variable::Result => {
                let outcome = self.outcome?;
                let result = outcome.result.as_ref();
                result.map_or(Value::Null, |r| value_of(&r.json()))
            }
            Variable::Error => Value::Bool(self.outcome?.error.unwrap_or(false)),
            _ => {
                let view = cx.view();
                let state = StateBindings {
                    policy: cx.policy,
                    view: &view,
                };
                return state.variable(variable);
            }
        })
    }

    fn absence(&self, variable: Variable) -> Option<&'static str> {
        // A facet is absent from arguments that are known where a limit was met alone.
        match self.cx.args() {
            None if variable.needs_arguments() => Some("the recording does not tell the arguments"),
            Some(_) if variable.is_facet() => Some("the command line goes beyond what is read"),
            _ => None,
        }
    }

    fn query(&self, query: Query) -> Value {
        let view = self.cx.view();
        let state = StateBindings {
            policy: self.cx.policy,
            view: &view,
        };
        state.query(query)
    }
}

/// The facets of a call and how each is read off its arguments.
pub(super) const FACETS: [(Variable, Facet); 6] = [
    (Variable::CallCommands, |a| a.commands()),
    (Variable::CallReads, |a| a.reads()),
    (Variable::CallWrites, |a| a.writes()),
    (Variable::CallDeletes, |a| a.deletes()),
    (Variable::CallUrls, |a| a.urls()),
    (Variable::CallHosts, |a| a.hosts()),
];

/// Reads one facet.
type Facet = for<'a, 'b> fn(&'b Arguments<'a>) -> Vec<String>;

/// A facet; absent where the arguments are not told, or go beyond what is read. Policies ask for
/// the same ones in many rules, so that each is read once.
fn facets(cx: &CallContext<'_>, facet: Variable) -> Option<Value> {
    let at = FACETS.iter().position(|(variable, _)| *variable == facet)?;
    let slots = cx.facets.get_or_init(Box::default);
    let (slot, (_, read)) = (slots.get(at)?, FACETS.get(at)?);
    let value = slot.get_or_init(|| {
        let arguments = Arguments::new(cx.tool_name(), cx.args()?);
        (!arguments.beyond()).then(|| list(&read(&arguments)))
    });
    value.clone()
}

fn list<S: AsRef<str>>(texts: &[S]) -> Value {
    let texts = texts.iter().map(|t| {
        Json::String(crate::trace::json::Text {
            text: Cow::Borrowed(t.as_ref()),
            damage: Default::default(),
        })
    });
    value_of(&Json::Array(texts.collect()))
}
