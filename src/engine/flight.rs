//! Calls between admission and settlement, and what settling does to the state.

use super::Final;
use super::run::{Caller, Run};
use crate::policy::Policy;
use crate::policy::matcher::NameSet;
use crate::stages::Siblings;
use crate::state::AgentState;
use crate::trace::event::ToolCall;
use crate::trace::money::Nano;
use std::collections::VecDeque;
use std::sync::Arc;

/// Calls in flight whose room a run keeps when they have settled: there may be many runs.
const FEW: usize = 1;

/// An admitted call.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    /// Hash of its id.
    pub(super) id: u64,
    /// Which call of the run it is.
    pub(super) by: Caller,
    pub(super) turn: u64,
    pub(super) names: Arc<NameSet>,
    pub(super) estimate: Nano,
    /// Hash of the batch it names.
    pub(super) batch: Option<u64>,
    /// Its inline outcome, where it has one.
    pub(super) outcome: Option<Settlement>,
    /// Its decision, where that waits for the result.
    pub(super) pending: Option<Box<Pending>>,
}

/// What an outcome does to the state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settlement {
    /// Tokens of the ledger row; absent where the outcome writes none.
    pub(super) row: Option<u64>,
    pub(super) cost: Nano,
    pub(super) error: bool,
}

/// A decision that waits for the call's result.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) decision: Box<Final>,
    pub(super) call: ToolCall<'static>,
}

impl InFlight {
    /// Whether the arrival of a call of this turn and batch settles it; `None` is any other record.
    fn settles_before(&self, arriving: Option<(u64, Option<u64>)>) -> bool {
        match (&self.outcome, arriving) {
            (Some(_), Some((_, batch))) => batch.is_none() || batch != self.batch,
            (Some(_), None) => true,
            (None, Some((turn, _))) => turn > self.turn,
            (None, None) => false,
        }
    }
}

impl Run {
    /// Settles what the arrival of a record settles: a call of this turn and batch, or (`None`) a
    /// record of another kind. Gives the decisions that had waited for a result in vain.
    pub(super) fn settle_before(
        &mut self,
        policy: &Policy,
        arriving: Option<(u64, Option<u64>)>,
    ) -> Vec<Pending> {
        // Most records settle nothing, however much is in flight.
        let batch_over = self.open_batch.is_some_and(|open| {
            let same = |(_, batch): (u64, Option<u64>)| batch == Some(open);
            !arriving.is_some_and(same)
        });
        let turn_over = arriving.is_some_and(|(turn, _)| turn > self.least_turn);
        if self.in_flight.is_empty() || !(batch_over || turn_over) {
            return Vec::new();
        }
        self.settle_where(policy, |flight| flight.settles_before(arriving))
    }

    /// Settles everything in flight.
    pub(super) fn settle_all(&mut self, policy: &Policy) -> Vec<Pending> {
        self.settle_where(policy, |_| true)
    }

    fn settle_where(
        &mut self,
        policy: &Policy,
        settles: impl Fn(&InFlight) -> bool,
    ) -> Vec<Pending> {
        let mut pending = Vec::new();
        let before = self.in_flight.len();
        (self.least_turn, self.open_batch) = (u64::MAX, None);
        // What stays goes to the back, so that all of them keep their order and their room.
        for _ in 0..before {
            let Some(mut flight) = self.in_flight.pop_front() else {
                break;
            };
            if settles(&flight) {
                self.settle(policy, &flight, flight.outcome.unwrap_or_default());
                if let Some(waited) = flight.pending.take() {
                    pending.push(*waited);
                }
            } else {
                self.fly(flight);
            }
        }
        if self.in_flight.len() < before {
            if self.in_flight.is_empty() && self.in_flight.capacity() > FEW {
                self.in_flight = VecDeque::new();
            }
            self.observe();
        }
        pending
    }

    /// Settles the call of that id, if it is in flight without an outcome.
    pub(super) fn settle_one(
        &mut self,
        policy: &Policy,
        id: u64,
        outcome: Settlement,
    ) -> Option<InFlight> {
        let waits = |flight: &InFlight| flight.id == id && flight.outcome.is_none();
        let index = self.in_flight.iter().position(waits)?;
        let flight = self.in_flight.remove(index)?;
        self.settle(policy, &flight, outcome);
        self.observe();
        Some(flight)
    }

    /// Admits a call: a step more.
    pub(super) fn step(&mut self) {
        self.state.step_count = self.state.step_count.saturating_add(1);
    }

    /// Settles an admitted call at once or leaves it in flight.
    pub(super) fn place(&mut self, policy: &Policy, flight: InFlight, at_once: bool) {
        if at_once {
            self.settle(policy, &flight, flight.outcome.unwrap_or_default());
            self.observe();
        } else {
            if let Some(siblings) = &mut self.siblings {
                siblings.history.push(policy, &flight.names, false);
                siblings.estimate = spent(siblings.estimate, &flight);
            }
            self.fly(flight);
        }
    }

    fn settle(&mut self, policy: &Policy, flight: &InFlight, outcome: Settlement) {
        self.state.settle(policy, flight, outcome);
        self.effect(policy, flight.by, &flight.names.tool);
    }

    fn fly(&mut self, flight: InFlight) {
        match flight.outcome {
            // Any record that does not name the batch settles it, so there is one at a time.
            Some(_) => self.open_batch = flight.batch,
            None => self.least_turn = self.least_turn.min(flight.turn),
        }
        if self.in_flight.capacity() == 0 {
            // Most runs have one call in flight at a time, and there may be many runs.
            self.in_flight.reserve_exact(FEW);
        }
        self.in_flight.push_back(flight);
    }

    /// After settling: once nothing is in flight, the run observes.
    fn observe(&mut self) {
        self.siblings = None;
        if self.in_flight.is_empty() && self.state.phase == crate::state::Phase::Acting {
            self.state.phase = crate::state::Phase::Observing;
        }
    }

    /// Works out what the state would be had the calls in flight settled, unless it is known still
    /// from the call before.
    pub(super) fn join_siblings(&mut self, policy: &Policy) {
        if self.in_flight.is_empty() {
            self.siblings = None;
        } else if self.siblings.is_none() {
            let mut joint = Siblings {
                history: self.state.history.clone(),
                estimate: Nano::ZERO,
            };
            for flight in &self.in_flight {
                joint.history.push(policy, &flight.names, false);
                joint.estimate = spent(joint.estimate, flight);
            }
            self.siblings = Some(Box::new(joint));
        }
    }
}

fn spent(before: Nano, flight: &InFlight) -> Nano {
    Nano(before.0.saturating_add(flight.estimate.0))
}

impl AgentState {
    fn settle(&mut self, policy: &Policy, call: &InFlight, outcome: Settlement) {
        self.history.push(policy, &call.names, outcome.error);
        self.account(policy, &call.names, call.turn, outcome);
    }

    /// Adds an outcome's cost and ledger row.
    pub(super) fn account(
        &mut self,
        policy: &Policy,
        names: &NameSet,
        turn: u64,
        outcome: Settlement,
    ) {
        if policy.dcbf.record_costs {
            self.cost = Nano(self.cost.0.saturating_add(outcome.cost.0));
        }
        let Some(tokens) = outcome.row else { return };
        let ledger = &mut self.ledger;
        ledger.latest_turn = Some(turn);
        ledger.tokens = ledger.tokens.saturating_add(tokens);
        let budgets = &policy.gates.per_tool;
        if ledger.per_tool.is_empty() && !budgets.is_empty() {
            ledger.per_tool = vec![0; budgets.len()];
        }
        for (sum, budget) in ledger.per_tool.iter_mut().zip(budgets) {
            if names.is(budget.tools) {
                *sum = sum.saturating_add(tokens);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::matcher::NameTable;
    use crate::testing::Random;

    /// Whatever settles, the rest stays in its order, as if the list were made anew.
    #[test]
    fn what_does_not_settle_keeps_its_order() {
        let mut random = Random::new(1);
        let policy = Policy::built_in();
        let names = NameTable::default().intern(&policy.matchers, "t", &[]);
        let mut run = Run::new(Arc::from("r"), 0, 1);
        let (mut plain, mut settled): (Vec<InFlight>, u64) = (Vec::new(), 0);
        for id in 0..5000 {
            let batch = Some(random.below(3)).filter(|&batch| batch > 0);
            let arriving = (random.below(4) > 0).then(|| (random.below(6), batch));
            run.settle_before(&policy, arriving);
            let before = plain.len();
            plain.retain(|flight| !flight.settles_before(arriving));
            settled += (before - plain.len()) as u64;
            let ids = |flights: &mut dyn Iterator<Item = &InFlight>| -> Vec<u64> {
                flights.map(|flight| flight.id).collect()
            };
            assert_eq!(ids(&mut run.in_flight.iter()), ids(&mut plain.iter()));
            assert_eq!(run.state.history.len(), settled);
            if random.below(3) > 0 {
                let outcome = batch.filter(|_| random.below(2) > 0);
                let flight = InFlight {
                    id,
                    by: Caller::default(),
                    turn: random.below(6),
                    names: Arc::clone(&names),
                    estimate: Nano::ZERO,
                    batch,
                    outcome: outcome.map(|_| Settlement::default()),
                    pending: None,
                };
                // One batch with outcomes is open at a time: another is settled by the call's arrival.
                let others = |f: &InFlight| f.outcome.is_some() && f.batch != batch;
                if !plain.iter().any(others) {
                    plain.push(flight.clone());
                    run.place(&policy, flight, false);
                }
            }
        }
        assert!(settled > 500, "{settled}");
    }
}
