//! What a state and a run are called in expressions.

use super::StateView;
use crate::policy::Policy;
use crate::policy::expr::values::value_of;
use crate::policy::expr::{Bindings, Query, Variable};
use cel::Value;

/// Answers for `state`, `run` and the history functions. `call`, `result` and `error` do not exist
/// here.
pub struct StateBindings<'a> {
    /// The policy whose pattern lists the functions name.
    pub policy: &'a Policy,
    /// The state.
    pub view: &'a StateView<'a>,
}

impl Bindings for StateBindings<'_> {
    fn variable(&self, variable: Variable) -> Option<Value> {
        let view = self.view;
        Some(match variable {
            Variable::StatePhase => view.phase.as_str().into(),
            Variable::StateStepCount => int(view.step_count),
            Variable::StateLoopCount => int(view.loop_count),
            Variable::StateCostUsd => Value::Float(view.cost.usd()),
            Variable::StateTokens => int(view.tokens),
            Variable::RunId => view.run.id.into(),
            Variable::RunAgent => view.run.agent.unwrap_or_default().into(),
            Variable::RunIntent => view.run.intent.unwrap_or_default().into(),
            Variable::RunMeta => match view.run.meta {
                Some(meta) => value_of(&meta.json()),
                None => value_of(&crate::trace::json::Json::Object(Vec::new())),
            },
            _ => return None,
        })
    }

    fn query(&self, query: Query) -> Value {
        let (history, appended) = (self.view.history, self.view.appended);
        let tally = |id| history.tally(self.policy, id, appended);
        let settled = history.len() + appended.len() as u64;
        match query {
            Query::Count(id) => int(tally(id).count),
            Query::Seen(id) => Value::Bool(tally(id).count > 0),
            Query::LastOk(id) => Value::Bool(tally(id).latest_ok),
            Query::Since(id) => match tally(id).latest {
                0 => Value::Int(-1),
                latest => int(settled - latest),
            },
            Query::Recent(id, n) => {
                let recent = history.last(n, appended);
                int(recent.filter(|names| names.is(id)).count() as u64)
            }
        }
    }
}

/// A count as an expression sees it: CEL does not compare signed and unsigned literals kindly.
pub fn int(count: u64) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}
