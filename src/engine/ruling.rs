//! From a decision to the state: calls that are let through, refused, or put before somebody.

use super::flight::{InFlight, Pending};
use super::marks::Fate;
use super::monitor::Monitor;
use super::run::{Brought, Run};
use super::{Dispatch, Final, Mode};
use crate::state::Embedded;
use crate::trace::event::{ApprovalOutcome, Recorded, ToolCall};

/// A call with its decision, on its way into the state.
pub(super) struct Ruling<'c> {
    pub(super) call: Box<ToolCall<'c>>,
    pub(super) decided: Box<Final>,
    /// What it is in the state if it is admitted.
    pub(super) flight: InFlight,
    /// Whether its result has to be checked if it is let through.
    pub(super) awaits_result: bool,
    /// What was embedded here to judge it.
    pub(super) embedded: Option<Embedded>,
}

impl Monitor<'_> {
    /// Somebody has to decide: the record says who did, or the call waits for the next record.
    pub(super) fn escalate(&mut self, run: &mut Run, mut ruling: Ruling<'_>) {
        if let Some(approval) = ruling.call.approval {
            ruling.decided.decision.approval = Some(approval);
            return self.resolve(run, ruling, approval == ApprovalOutcome::Approved);
        }
        run.waiting = Some(Box::new(Ruling {
            call: Box::new(ruling.call.into_owned()),
            decided: ruling.decided,
            flight: ruling.flight,
            awaits_result: ruling.awaits_result,
            embedded: ruling.embedded,
        }));
    }

    /// Decides an escalated call.
    pub(super) fn resolve(&mut self, run: &mut Run, mut ruling: Ruling<'_>, admitted: bool) {
        ruling.decided.decision.admitted = admitted;
        if admitted {
            self.allow(run, ruling);
        } else {
            self.refuse(run, ruling);
        }
    }

    /// The call that waits for somebody gets the default: the record at hand is no decision.
    pub(super) fn resolve_unanswered(&mut self, run: &mut Run) {
        if let Some(waiting) = run.waiting.take() {
            self.resolve(run, *waiting, self.options.allow_escalated);
        }
    }

    /// A call may run.
    pub(super) fn allow(&mut self, run: &mut Run, mut ruling: Ruling<'_>) {
        let (call, id) = (ruling.call, ruling.flight.id);
        run.refused_in_a_row = 0;
        let recorded_block = call.recorded == Some(Recorded::Block);
        if recorded_block && self.options.mode == Mode::Observe {
            run.set_fate(id, Fate::NotRun);
            return self.ready.push(ruling.decided);
        }
        run.set_fate(id, Fate::Admitted);
        if Brought::is_any(&call, &ruling.embedded) {
            Brought::by(&call, ruling.embedded).stays_in(&mut run.state);
        }
        run.parted |= recorded_block;
        run.step();
        run.effect(self.policy, ruling.flight.by, &ruling.flight.names.tool);
        let sequential = self.options.dispatch == Dispatch::Sequential;
        let inline = ruling.flight.outcome.is_some() && ruling.flight.batch.is_none();
        let at_once = sequential || inline;
        match (&call.outcome, ruling.awaits_result) {
            (Some(outcome), true) => {
                self.check_result(run, &call, outcome, &mut ruling.decided);
                self.ready.push(ruling.decided);
            }
            (None, true) if !at_once => {
                ruling.flight.pending = Some(Box::new(Pending {
                    decision: ruling.decided,
                    call: call.into_owned(),
                }));
            }
            _ => self.ready.push(ruling.decided),
        }
        run.place(self.policy, ruling.flight, at_once);
    }

    /// A call may not run. What the trace shows of it is taken as the mode says.
    pub(super) fn refuse(&mut self, run: &mut Run, ruling: Ruling<'_>) {
        let Ruling {
            call,
            mut decided,
            flight,
            embedded,
            ..
        } = ruling;
        // What does not run endangers nothing in flight, whichever stage refused it.
        decided.decision.hazard.clear();
        self.ready.push(decided);
        run.refused_in_a_row += 1;
        let mut stages = self.stages.iter();
        let ended = stages.find_map(|s| s.after_refusals(self.policy, run.refused_in_a_row));
        if let Some(phase) = ended.filter(|_| !run.state.phase.is_terminal()) {
            run.state.phase = phase;
        }
        if call.recorded == Some(Recorded::Block) {
            return run.set_fate(flight.id, Fate::NotRun);
        }
        run.set_fate(flight.id, Fate::Refused);
        let ran = flight.outcome.is_some();
        if !ran && (self.options.mode == Mode::Enforce || !Brought::is_any(&call, &embedded)) {
            // As it mostly is.
            return;
        }
        let brought = Brought::by(&call, embedded);
        if ran {
            self.ran_all_the_same(run, brought, flight);
        } else if brought != Brought::default() {
            run.brought.push((flight.id, brought));
        }
    }

    /// A refused call turns out to have run.
    pub(super) fn ran_all_the_same(&mut self, run: &mut Run, brought: Brought, flight: InFlight) {
        match self.options.mode {
            Mode::Enforce => run.parted = true,
            Mode::Observe => {
                run.set_fate(flight.id, Fate::Admitted);
                brought.stays_in(&mut run.state);
                run.step();
                run.effect(self.policy, flight.by, &flight.names.tool);
                run.place(self.policy, flight, true);
            }
        }
    }
}
