//! One step of an exploration: a call of a class meets a state.

use super::classes::{Class, Classes};
use super::effort::Effort;
use super::meter::Meter;
use super::quotient::{Key, Quotient};
use super::scope::Scope;
use super::steps::{self, Budgets};
use super::{Refusal, Start, Step, Uncovered};
use crate::barriers;
use crate::policy::expr::Query;
use crate::policy::matcher::{ListSet, MatcherId};
use crate::policy::{Contract, Measure, Policy};
use crate::state::bindings::StateBindings;
use crate::state::{AgentState, RunView, StateView};
use std::collections::HashMap;
use std::sync::Arc;

/// A policy made ready to be explored.
pub(super) struct Explorer {
    pub(super) scope: Scope,
    pub(super) classes: Vec<Class>,
    pub(super) budgets: Budgets,
    start: AgentState,
    /// Whether that was given.
    pub(super) from_state: bool,
    /// The barriers that are negative at the start, budgets among them, in policy order.
    pub(super) outside: Vec<String>,
    quotient: Quotient,
    /// Classes of whose calls a condition asks whether they had an error.
    may_fail: Vec<bool>,
    /// By class, the contracts that are for its calls, in order.
    demands: Vec<Vec<usize>>,
    /// By class, what looking at one call of it in one state comes to.
    effort: Vec<Effort>,
    /// What making one state of another comes to.
    settling: Effort,
    /// What the barriers' values in one state come to.
    measuring: Effort,
    /// Settled calls that the start remembers.
    remembered: usize,
    /// Whether there was work left to look at the start.
    pub(super) begun: bool,
    /// How many names and sets of labels were looked at where there are more; else absent.
    pub(super) left_out: Option<usize>,
}

/// A state, with what all calls that meet it have in common.
pub(super) struct Here<'s> {
    state: &'s AgentState,
    view: StateView<'s>,
    values: Vec<f64>,
}

/// What becomes of a call.
pub(super) enum Met {
    /// It is refused.
    Refused(Refusal),
    /// It is admitted, with the barriers' values in the simulated state where it was looked at.
    Admitted(Option<Vec<f64>>),
}

impl Explorer {
    pub(super) fn new(policy: &Policy, start: &Start, meter: &mut Meter) -> Explorer {
        let mut scope = Scope::of(policy);
        // What names leave over is for the states.
        let found = meter.within(2, |meter| Classes::of(policy, &scope, &start.tools, meter));
        let Classes { list, left_out } = found;
        if left_out.is_some() {
            scope.uncovered.push(Uncovered {
                what: "names that match several globs, and sets of labels".into(),
                why: "there are too many: some of them were left out",
            });
        }
        let budgets = Budgets::of(&scope.budgets, &start.state, meter);
        let ahead = (&start.state.history, budgets.left());
        let quotient = Quotient::of(&scope, &list, ahead, meter);
        let queries = scope.expressions().flat_map(|expr| expr.queries());
        let asked = queries.filter(|query| matches!(query, Query::LastOk(_)));
        let asked: ListSet = asked.map(Query::tools).collect();
        let fails = |class: &Class| !class.names.among(&asked).is_empty();
        let demands = demands(&scope.contracts, &list, meter);
        let measuring = Effort::measuring(&scope.history);
        let effort = demands.iter().map(|own| {
            let contracts = own.iter().filter_map(|&at| scope.contracts.get(at));
            let conditions = contracts.flat_map(|contract| &contract.require);
            let mut all = measuring.clone();
            conditions.for_each(|condition| all.evaluate(condition));
            all
        });
        let mut settling = Effort::of(8 + scope.history.tallied.len() as u64);
        settling.look(scope.history.recent, 1);
        quotient.weigh(&mut settling);
        let remembered = start.state.history.last(usize::MAX, &[]).count();
        // It is measured here, where it is first met, and as a state like all others.
        let begun = meter.take(measuring.after(remembered).saturating_mul(3));
        Explorer {
            left_out,
            effort: effort.collect(),
            settling,
            measuring,
            remembered,
            begun,
            demands,
            may_fail: list.iter().map(fails).collect(),
            outside: outside(policy, &scope, &budgets, begun.then_some(&start.state)),
            start: start.state.clone(),
            from_state: start.from_state,
            classes: list,
            scope,
            budgets,
            quotient,
        }
    }

    /// What looking at one call of a class comes to, in a state so many calls from the start.
    pub(super) fn effort(&self, class: usize, depth: u64) -> u64 {
        let effort = self.effort.get(class);
        effort.map_or(1, |effort| effort.after(self.settled(depth)))
    }

    /// What making a state comes to that is so many calls from the start, out of the one before it.
    pub(super) fn settling(&self, depth: u64) -> u64 {
        self.settling.after(self.settled(depth))
    }

    /// What the values of all barriers come to there.
    pub(super) fn measuring(&self, depth: u64) -> u64 {
        self.measuring.after(self.settled(depth))
    }

    /// Settled calls that a state remembers at most.
    fn settled(&self, depth: u64) -> usize {
        let made = usize::try_from(depth).unwrap_or(usize::MAX);
        self.remembered.saturating_add(made)
    }

    /// The state it starts in.
    pub(super) fn start(&self) -> &AgentState {
        &self.start
    }

    /// A class that is admitted in every safe state while calls are left: no state remembers its calls, so
    /// that no barrier falls by one. A barrier is never higher than at the start, and its alpha finite
    /// there. None where the start is not safe, or was not looked at.
    pub(super) fn free(&self) -> Option<usize> {
        if !self.begun || self.measures_counts() || !self.outside.is_empty() {
            return None;
        }
        let here = self.here(&self.start);
        let free = |(at, class): &(usize, &Class)| {
            class.unasked && matches!(self.meet(&here, *at), Met::Admitted(_))
        };
        let free = self.classes.iter().enumerate().find(free);
        free.map(|(at, _)| at)
    }

    /// Whether there are conditions.
    pub(super) fn asks(&self) -> bool {
        self.scope.expressions().next().is_some()
    }

    /// Whether a barrier goes by what any call may change.
    fn measures_counts(&self) -> bool {
        let barriers = &self.scope.history.dcbf.barriers;
        let custom = |measure: &Measure| matches!(measure, Measure::Custom(_));
        barriers.iter().any(|spec| custom(&spec.measure))
    }

    pub(super) fn key(&self, state: &AgentState) -> Key {
        self.quotient.key(&self.scope, state)
    }

    /// A state, ready to be met.
    pub(super) fn here<'s>(&self, state: &'s AgentState) -> Here<'s> {
        let view = state.view(RunView::default());
        let values = barriers::values(&self.scope.history, &view);
        Here {
            state,
            view,
            values,
        }
    }

    /// The ways in which a call of a class can be made and come back.
    pub(super) fn ways(&self, class: usize) -> impl Iterator<Item = Step> + use<> {
        let fails = self.may_fail.get(class).copied().unwrap_or(false);
        let ways = [false, true]
            .into_iter()
            .filter(move |failed| fails || !failed);
        ways.map(move |failed| Step { class, failed })
    }

    /// What barriers come to in a state, budgets aside.
    pub(super) fn values(&self, state: &AgentState) -> Vec<f64> {
        barriers::values(&self.scope.history, &state.view(RunView::default()))
    }

    /// What one barrier comes to in a state, budgets included.
    pub(super) fn value(&self, state: &AgentState, name: &str) -> Option<f64> {
        let policies = [&self.scope.history, &self.scope.budgets].into_iter();
        let mut specs = policies.flat_map(|own| own.dcbf.barriers.iter().map(move |s| (own, s)));
        let (own, spec) = specs.find(|(_, spec)| spec.name == name)?;
        Some(barriers::value(own, spec, &state.view(RunView::default())).0)
    }

    /// The barriers that are negative by those values.
    pub(super) fn negative(&self, values: &[f64]) -> Vec<String> {
        steps::names(&self.scope.history, &barriers::negative(values))
    }

    /// The state that an admitted call leads to, and what barriers come to there.
    pub(super) fn lead(
        &self,
        here: &Here<'_>,
        step: Step,
        simulated: Option<Vec<f64>>,
    ) -> (AgentState, Vec<f64>) {
        let next = self.settle(here.state, step);
        let values = simulated.filter(|_| self.simulates(step));
        let values = values.unwrap_or_else(|| self.values(&next));
        (next, values)
    }

    /// Whether what was simulated is what came: it has no error, and costs what was expected.
    pub(super) fn simulates(&self, step: Step) -> bool {
        let policy = &self.scope.history;
        policy.dcbf.verify && !step.failed && (policy.dcbf.record_costs || !self.scope.asks_steps)
    }

    /// What becomes of a call of a class in a state while budgets last.
    pub(super) fn meet(&self, here: &Here<'_>, class: usize) -> Met {
        let none = || Met::Refused(Refusal::default());
        let Some(own) = self.classes.get(class) else {
            return none();
        };
        if let Some(never) = &own.never {
            return Met::Refused(never.clone());
        }
        let policy = &self.scope.history;
        if let Some(refusal) = self.broken(&here.view, class).next() {
            return Met::Refused(refusal);
        }
        let check = self.check(here, own);
        match steps::refusal(policy, &check) {
            Some(refusal) => Met::Refused(refusal),
            None => Met::Admitted(check.next()),
        }
    }

    /// Everything that refuses a call of a class in a state, each for itself: contracts, then barriers, in
    /// policy order.
    pub(super) fn reasons(&self, here: &Here<'_>, class: usize) -> Vec<Refusal> {
        let Some(own) = self.classes.get(class) else {
            return Vec::new();
        };
        let mut reasons: Vec<Refusal> = self.broken(&here.view, class).collect();
        if let Some(all) = steps::refusal(&self.scope.history, &self.check(here, own)) {
            let each = all.names.iter().map(|name| Refusal {
                names: vec![name.clone()],
                ..all
            });
            reasons.extend(each);
        }
        reasons
    }

    /// What the barriers say of a call of a class.
    fn check(&self, here: &Here<'_>, class: &Class) -> barriers::Check {
        let policy = &self.scope.history;
        let call = [Arc::clone(&class.names)];
        let next = barriers::simulate(&here.view, &call, policy.dcbf.per_call_cost);
        let next = policy.dcbf.verify.then_some(&next);
        barriers::transition(policy, here.values.iter().copied(), next)
    }

    /// The contracts whose conditions do not hold, or cannot be evaluated.
    fn broken<'e>(
        &'e self,
        current: &'e StateView<'_>,
        class: usize,
    ) -> impl Iterator<Item = Refusal> + 'e {
        let bindings = StateBindings {
            policy: &self.scope.history,
            view: current,
        };
        let holds = move |contract: &Contract| {
            let mut conditions = contract.require.iter();
            conditions.all(|c| c.test(&bindings) == Ok(true))
        };
        let own = self.demands.get(class).into_iter().flatten();
        let own = own.filter_map(|&at| self.scope.contracts.get(at));
        let broken = own.filter(move |contract| !holds(contract));
        broken.map(|contract| Refusal {
            stage: "contracts",
            rule: "require",
            names: contract.id.iter().cloned().collect(),
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

/// The barriers that are negative in a state, in policy order; budgets alone where there is none to look at.
fn outside(
    policy: &Policy,
    scope: &Scope,
    budgets: &Budgets,
    state: Option<&AgentState>,
) -> Vec<String> {
    let values =
        |state: &AgentState| barriers::values(&scope.history, &state.view(RunView::default()));
    let values = state.map(values).unwrap_or_default();
    let mut all = steps::names(&scope.history, &barriers::negative(&values));
    all.extend(budgets.outside.iter().cloned());
    let barriers = policy.dcbf.barriers.iter();
    let names = barriers.map(|spec| &spec.name);
    names.filter(|name| all.contains(name)).cloned().collect()
}

/// By class, the contracts that are for its calls, in order; none where the meter has run out, so that
/// nothing is explored.
fn demands(contracts: &[Contract], classes: &[Class], meter: &mut Meter) -> Vec<Vec<usize>> {
    let mut by_list: HashMap<MatcherId, Vec<usize>> = HashMap::new();
    for (at, contract) in contracts.iter().enumerate() {
        by_list.entry(contract.tools).or_default().push(at);
    }
    let lists: ListSet = by_list.keys().copied().collect();
    let mut all = Vec::new();
    for class in classes {
        let own = class.names.among(&lists);
        let own = own.iter().filter_map(|list| by_list.get(&list)).flatten();
        let mut own: Vec<usize> = own.copied().collect();
        if !meter.take((4 + contracts.len() / 64 + own.len()) as u64) {
            return Vec::new();
        }
        own.sort_unstable();
        all.push(own);
    }
    all
}
