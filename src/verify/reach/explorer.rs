//! One step of an exploration: a call of a class meets a state.

use super::classes::{Class, Classes};
use super::quotient::{Key, Quotient};
use super::scope::Scope;
use super::steps::{self, Budgets};
use super::{Refusal, Start, Step, Uncovered};
use crate::barriers;
use crate::policy::Policy;
use crate::policy::expr::Query;
use crate::policy::matcher::NameTable;
use crate::state::bindings::StateBindings;
use crate::state::{AgentState, RunView, StateView};
use std::sync::Arc;

/// A policy made ready to be explored.
pub(super) struct Explorer {
    pub(super) scope: Scope,
    pub(super) classes: Vec<Class>,
    pub(super) budgets: Budgets,
    start: AgentState,
    quotient: Quotient,
    /// Classes of whose calls a condition asks whether they had an error.
    may_fail: Vec<bool>,
}

/// What becomes of a call.
pub(super) enum Met {
    /// It is refused.
    Refused(Refusal),
    /// It is admitted, with the barriers' values in the simulated state where it was looked at.
    Admitted(Option<Vec<f64>>),
}

impl Explorer {
    pub(super) fn new(policy: &Policy, start: &Start) -> Explorer {
        let mut scope = Scope::of(policy);
        let mut table = NameTable::default();
        let Classes { list, complete } = Classes::of(policy, &scope, &start.tools, &mut table);
        if !complete {
            scope.uncovered.push(Uncovered {
                what: "names that match several globs, and sets of labels".into(),
                why: "there are too many: some of them were left out",
            });
        }
        let budgets = Budgets::of(&scope.budgets, &start.state);
        let quotient = Quotient::of(&scope, &list, budgets.left());
        let asked: Vec<Query> = scope
            .expressions()
            .flat_map(|expr| expr.queries())
            .collect();
        let fails = |class: &Class| {
            let mut asked = asked.iter();
            asked.any(|query| matches!(query, Query::LastOk(id) if class.names.is(*id)))
        };
        Explorer {
            may_fail: list.iter().map(fails).collect(),
            start: start.state.clone(),
            classes: list,
            scope,
            budgets,
            quotient,
        }
    }

    /// The state it starts in.
    pub(super) fn start(&self) -> &AgentState {
        &self.start
    }

    /// A class that is admitted in every safe state while calls are left: no state remembers its calls, so
    /// that no barrier falls by one. A barrier is never higher than at the start, and its alpha finite
    /// there.
    pub(super) fn free(&self) -> Option<usize> {
        let conditions = self.scope.expressions().next().is_some();
        let free = |class: &Class| {
            class.unasked && matches!(self.meet(&self.start, class), Met::Admitted(_))
        };
        let safe = !conditions && self.outside(&self.start).is_empty();
        safe.then(|| self.classes.iter().position(free)).flatten()
    }

    pub(super) fn key(&self, state: &AgentState) -> Key {
        self.quotient.key(&self.scope, &self.classes, state)
    }

    /// The ways in which a call of a class can be made and come back.
    pub(super) fn ways(&self, class: usize) -> impl Iterator<Item = Step> + use<> {
        let fails = self.may_fail.get(class).copied().unwrap_or(false);
        let ways = [false, true]
            .into_iter()
            .filter(move |failed| fails || !failed);
        ways.map(move |failed| Step { class, failed })
    }

    /// The barriers that are negative in a state, budgets aside.
    pub(super) fn outside(&self, state: &AgentState) -> Vec<String> {
        let policy = &self.scope.history;
        let values = barriers::values(policy, &state.view(RunView::default()));
        steps::names(policy, &barriers::negative(&values))
    }

    /// The state that an admitted call leads to, and the barriers that are negative there.
    pub(super) fn lead(
        &self,
        state: &AgentState,
        step: Step,
        simulated: Option<&[f64]>,
    ) -> (AgentState, Vec<String>) {
        let policy = &self.scope.history;
        let next = self.settle(state, step);
        // What was simulated has no error, and costs what was expected.
        let same = !step.failed && (policy.dcbf.record_costs || !self.scope.asks_steps);
        let outside = match simulated.filter(|_| same) {
            Some(values) => steps::names(policy, &barriers::negative(values)),
            None => self.outside(&next),
        };
        (next, outside)
    }

    /// What becomes of a call of a class in a state while budgets last.
    pub(super) fn meet(&self, state: &AgentState, class: &Class) -> Met {
        if let Some(never) = &class.never {
            return Met::Refused(never.clone());
        }
        let policy = &self.scope.history;
        let current = state.view(RunView::default());
        if let Some(refusal) = self.contract(&current, class) {
            return Met::Refused(refusal);
        }
        let call = [Arc::clone(&class.names)];
        let next = barriers::simulate(&current, &call, policy.dcbf.per_call_cost);
        let check = barriers::check(policy, &current, policy.dcbf.verify.then_some(&next));
        match steps::refusal(policy, &check) {
            Some(refusal) => Met::Refused(refusal),
            None => Met::Admitted(check.next),
        }
    }

    /// The first contract whose conditions do not hold, or cannot be evaluated.
    fn contract(&self, current: &StateView<'_>, class: &Class) -> Option<Refusal> {
        let bindings = StateBindings {
            policy: &self.scope.history,
            view: current,
        };
        let broken = self.scope.contracts.iter().find(|contract| {
            let holds = || {
                contract
                    .require
                    .iter()
                    .all(|c| c.test(&bindings) == Ok(true))
            };
            class.names.is(contract.tools) && !holds()
        })?;
        Some(Refusal {
            stage: "contracts",
            rule: "require",
            names: broken.id.iter().cloned().collect(),
        })
    }

    /// The state once the call has come back.
    pub(super) fn settle(&self, state: &AgentState, step: Step) -> AgentState {
        let policy = &self.scope.history;
        let mut next = state.clone();
        if let Some(class) = self.classes.get(step.class) {
            next.settle_estimated(policy, &class.names, step.failed);
        }
        next
    }

    /// The state at the end of a path.
    pub(super) fn follow(&self, path: &[Step]) -> AgentState {
        let first = self.start.clone();
        path.iter()
            .fold(first, |state, &step| self.settle(&state, step))
    }
}
