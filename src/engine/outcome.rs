//! Results and approvals: what they do to calls that were decided before.

use super::digest;
use super::flight::{InFlight, Pending, Settlement};
use super::judge;
use super::marks::Fate;
use super::monitor::Monitor;
use super::run::{Caller, Run};
use super::{Final, weigh};
use crate::stages::{CallContext, Facts};
use crate::trace::event::{Approval, ApprovalOutcome, Outcome, ToolCall, ToolResult};
use crate::trace::fault::{FaultCode, Place, WarningCode};
use crate::trace::money::Nano;
use std::sync::Arc;

impl Monitor<'_> {
    /// A result arrives.
    pub(super) fn result(&mut self, run: &mut Run, place: Place, result: ToolResult<'_>) {
        self.resolve_unanswered(run);
        let unanswered = run.settle_before(self.policy, None);
        self.give_up_waiting(unanswered);
        self.look(run, place, result.ts.as_ref());
        let id = digest::id(&result.call);
        self.outcome(run, place, id, &result);
        self.flush(run);
    }

    /// A result is given to its call, or held until that comes.
    pub(super) fn outcome(
        &mut self,
        run: &mut Run,
        place: Place,
        id: u64,
        result: &ToolResult<'_>,
    ) {
        let outcome = digest::short(digest::outcome(&result.outcome));
        let mark = run.marks.get(id);
        let known = mark.and_then(|mark| Some((mark, Arc::clone(self.names.get(mark.names)?))));
        let Some((mark, names)) = known else {
            run.parted |= run.late.contains(&id);
            if !run.resumed {
                let name = Arc::clone(&run.id);
                self.without_call(place, &name, result);
            }
            return;
        };
        let (before, turn) = (mark.outcome, mark.turn);
        run.marks.change(id, |mark| mark.outcome = Some(outcome));
        let by = Caller {
            seq: 0,
            line: mark.origin.line().unwrap_or_default().into(),
        };
        let fate = mark.origin.fate();
        if before == Some(outcome) {
            let message = format!("call `{}` has this result already", result.call);
            return self.warn(WarningCode::RepeatedResult, place, run, message);
        }
        if before.is_some() {
            let message = format!("call `{}` has another result already", result.call);
            self.fault(FaultCode::DuplicateCallId, place, run, message);
        }
        let settlement = self.settlement(&result.outcome);
        match fate {
            Fate::NotRun | Fate::Waiting => {}
            Fate::Refused if before.is_some() => {}
            Fate::Refused => {
                let flight = InFlight {
                    id,
                    by,
                    turn,
                    names,
                    // Only calls in flight together are charged their estimates.
                    estimate: Nano::ZERO,
                    batch: None,
                    outcome: Some(settlement),
                    pending: None,
                };
                let brought = run.take_brought(id);
                self.ran_all_the_same(run, brought, flight);
            }
            Fate::Admitted => {
                // The postcondition sees the state before the call settles.
                self.answer(run, id, &result.outcome);
                if run.settle_one(self.policy, id, settlement).is_none() {
                    run.state.account(self.policy, &names, turn, settlement);
                    run.effect(self.policy, by, &names.tool);
                }
            }
        }
    }

    /// A result whose call has not come. It may come later; what cannot be held until then is an
    /// orphan.
    pub(super) fn without_call(&mut self, place: Place, run: &str, result: &ToolResult<'_>) {
        if !self.early.hold(place, run, result) {
            self.orphan(WarningCode::OrphanResult, place, run, &result.call);
        }
    }

    /// Makes a decision final that had waited for this result.
    fn answer(&mut self, run: &mut Run, id: u64, outcome: &Outcome<'_>) {
        let mut flights = run.in_flight.iter_mut();
        let Some(pending) = flights.find(|f| f.id == id).and_then(|f| f.pending.take()) else {
            return;
        };
        let Pending { mut decision, call } = *pending;
        self.check_result(run, &call, outcome, &mut decision);
        self.ready.push(decision);
    }

    /// An approval arrives: it decides the call that waits, if it is that call's.
    pub(super) fn approval(&mut self, run: &mut Run, place: Place, approval: Approval<'_>) {
        let id = digest::id(&approval.call);
        if let Some(mut waiting) = run.waiting.take_if(|waiting| waiting.flight.id == id) {
            waiting.decided.decision.approval = Some(approval.decision);
            let admitted = approval.decision == ApprovalOutcome::Approved;
            self.resolve(run, *waiting, admitted);
        } else {
            self.resolve_unanswered(run);
        }
        let unanswered = run.settle_before(self.policy, None);
        self.give_up_waiting(unanswered);
        let stops = approval.decision != ApprovalOutcome::Approved;
        if stops {
            run.marks.change(id, |mark| mark.origin.stop());
        }
        if !run.marks.has(id) && !run.resumed {
            let name = Arc::clone(&run.id);
            self.orphan(WarningCode::OrphanApproval, place, &name, &approval.call);
        }
        self.flush(run);
    }

    /// Decisions whose call settled without a result are final as they are.
    pub(super) fn give_up_waiting(&mut self, pending: Vec<Pending>) {
        if pending.is_empty() {
            // As it mostly is.
            return;
        }
        self.ready.extend(pending.into_iter().map(|p| p.decision));
    }

    pub(super) fn check_result(
        &self,
        run: &Run,
        call: &ToolCall<'_>,
        outcome: &Outcome<'_>,
        decided: &mut Final,
    ) {
        let decision = &mut decided.decision;
        let mark = run.marks.get(digest::id(&decision.call));
        let Some(names) = mark.and_then(|mark| self.names.get(mark.names)) else {
            return;
        };
        let view = run.view();
        let facts = Facts::default();
        let mut cx = CallContext::new(self.policy, call, names, &run.state, view, &facts);
        cx.id = &decision.call;
        cx.turn = decision.turn;
        cx.wordless = self.options.wordless;
        let rules_too = self.options.weighs_rules(decision.seq);
        if let Some(weighed) = decided.weighed.as_mut().filter(|_| rules_too) {
            weigh::result(&self.stages, weighed, &cx, outcome);
        }
        let mut stages = self.stages.iter();
        let kept = stages.find_map(|s| Some((s.id(), s.check_result(&cx, outcome)?)));
        if let Some((stage, finding)) = kept {
            judge::withhold(decision, stage, finding);
        }
    }

    pub(super) fn settlement(&self, outcome: &Outcome<'_>) -> Settlement {
        let result = outcome.result.as_ref().filter(|r| r.bytes() != b"null");
        let counted = || result.map(|result| self.tokens.count(result));
        Settlement {
            row: outcome.tokens.or_else(counted),
            cost: outcome.cost.unwrap_or_default(),
            error: outcome.error.unwrap_or(false),
        }
    }
}
