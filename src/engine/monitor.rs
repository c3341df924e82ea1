//! Events to decisions, for one run at a time.

use super::decision::DecisionKind;
use super::digest;
use super::flight::{InFlight, Pending};
use super::judge::{self, Subject};
use super::marks::{Fate, Mark, Refused};
use super::run::{Escalated, Run};
use super::{Counted, Dispatch, Final, Mode, Options, Output, RunReport};
use crate::policy::Policy;
use crate::policy::lookalike::Lookalikes;
use crate::policy::matcher::NameTable;
use crate::stages::{CallContext, Stage};
use crate::state::Phase;
use crate::tokens::TokenCounter;
use crate::trace::event::{Approval, ApprovalOutcome, Recorded, RunStatus, ToolCall};
use crate::trace::fault::{FaultCode, Place, WarningCode};
use std::sync::Arc;

/// The reference monitor: the pipeline, and what happens to a run's state around it.
pub(super) struct Monitor<'a> {
    pub(super) policy: &'a Policy,
    pub(super) options: Options,
    pub(super) out: &'a mut dyn Output,
    pub(super) stages: Vec<&'static dyn Stage>,
    names: NameTable,
    lookalikes: Lookalikes,
    pub(super) tokens: TokenCounter,
    /// Decisions that became final with the event at hand, to be given in call order.
    pub(super) ready: Vec<Final>,
}

impl<'a> Monitor<'a> {
    pub(super) fn new(
        policy: &'a Policy,
        stages: &[&'static dyn Stage],
        options: Options,
        out: &'a mut dyn Output,
    ) -> Self {
        let enabled = |stage: &&&'static dyn Stage| !policy.disabled.contains(&stage.id());
        Monitor {
            policy,
            options,
            out,
            stages: stages.iter().filter(enabled).copied().collect(),
            names: NameTable::default(),
            lookalikes: Lookalikes::new(&policy.matchers),
            tokens: TokenCounter::for_policy(policy),
            ready: Vec::new(),
        }
    }

    /// A call arrives.
    pub(super) fn arrive(&mut self, run: &mut Run, place: Place, call: ToolCall<'_>) {
        let own_id = match &call.id {
            Some(id) => id.to_string(),
            None => format!("call-{}", run.seq + 1),
        };
        let id = digest::id(&own_id);
        let content = digest::content(&call);
        if let Some(mark) = run.marks.get(id) {
            let same = mark.content == content;
            return self.seen_before(run, place, &own_id, same);
        }
        if let Some(message) = clashing_embeddings(run, &call) {
            return self.fault(FaultCode::BadField, place, run, message);
        }
        self.resolve_unanswered(run);
        let turn = call.turn.unwrap_or_else(|| run.turn.saturating_add(1));
        let batch = call.batch.as_deref().map(digest::id);
        let unanswered = run.settle_before(self.policy, Some((turn, batch)));
        self.give_up_waiting(unanswered);
        run.seq += 1;
        run.turn = turn;
        self.judge(
            run,
            place,
            call,
            Identity {
                text: own_id,
                id,
                content,
                batch,
            },
        );
        self.flush(run);
    }

    fn judge(&mut self, run: &mut Run, place: Place, call: ToolCall<'_>, identity: Identity) {
        let policy = self.policy;
        let (names, label_failure) =
            judge::names(policy, &mut self.names, &call, &run.state, run.view());
        if let Some(known) = self.lookalikes.find(&names) {
            let message = format!(
                "tool `{}` looks like `{known}`, which the policy names",
                call.tool
            );
            self.warn(WarningCode::LookalikeTool, place, run, message);
        }
        self.warn_of_zeros(run, place, &call);
        let elapsed_ns = self.elapsed(run, place, &call);
        let repeats = self.count_repeats(run, &call);
        run.advance();
        let siblings = run.siblings();
        let judged = judge::precheck(&self.stages, &run.state)
            .or_else(|| label_failure.map(judge::unlabelled))
            .unwrap_or_else(|| {
                let mut cx = CallContext::new(policy, &call, &names, &run.state, run.view());
                cx.id = &identity.text;
                cx.turn = run.turn;
                cx.siblings = &siblings;
                cx.repeats = repeats;
                cx.elapsed_ns = elapsed_ns;
                judge::pipeline(&self.stages, &cx)
            });
        let outcome = call
            .outcome
            .as_ref()
            .map(|outcome| self.settlement(outcome));
        if outcome.is_some() {
            self.out.count(Counted::Result);
        }
        let flight = InFlight {
            id: identity.id,
            turn: run.turn,
            names: Arc::clone(&names),
            estimate: call.estimated_cost.unwrap_or(policy.dcbf.per_call_cost),
            batch: identity.batch,
            outcome,
            pending: None,
        };
        run.marks.insert(
            identity.id,
            Mark {
                content: identity.content,
                turn: run.turn,
                names: Arc::clone(&names),
                fate: Fate::Waiting,
                outcome: call.outcome.as_ref().map(digest::outcome),
            },
        );
        let (kind, awaits) = (judged.kind, judged.awaits_result);
        let exhausts = judged.finding.as_ref().is_some_and(|f| f.exhausts);
        let subject = Subject {
            place,
            call: &call,
            id: &identity.text,
            names: &names,
        };
        let decided = judged.decide(self, run, &subject);
        match kind {
            DecisionKind::Escalate => self.escalated(run, call, decided, flight, awaits),
            DecisionKind::Allow | DecisionKind::Withhold => {
                self.allowed(run, call, decided, flight, awaits);
            }
            DecisionKind::Block | DecisionKind::Error => {
                if exhausts {
                    run.state.phase = Phase::Exhausted;
                }
                self.refused(run, &call, decided, flight);
            }
        }
    }

    fn escalated(
        &mut self,
        run: &mut Run,
        call: ToolCall<'_>,
        mut decided: Final,
        flight: InFlight,
        awaits: bool,
    ) {
        if let Some(approval) = call.approval {
            decided.decision.approval = Some(approval);
            return self.resolve(
                run,
                call,
                decided,
                flight,
                approval == ApprovalOutcome::Approved,
                awaits,
            );
        }
        let call = call.into_owned();
        run.waiting = Some(Box::new(Escalated {
            decision: Box::new(decided),
            call,
            id: flight.id,
            flight,
            awaits_result: awaits,
        }));
    }

    /// Decides an escalated call.
    fn resolve(
        &mut self,
        run: &mut Run,
        call: ToolCall<'_>,
        mut decided: Final,
        flight: InFlight,
        admitted: bool,
        awaits: bool,
    ) {
        decided.decision.admitted = admitted;
        if admitted {
            self.allowed(run, call, decided, flight, awaits);
        } else {
            self.refused(run, &call, decided, flight);
        }
    }

    /// The call that waits for somebody gets the default: the record at hand is no decision.
    pub(super) fn resolve_unanswered(&mut self, run: &mut Run) {
        if let Some(waiting) = run.waiting.take() {
            let Escalated {
                decision,
                call,
                flight,
                awaits_result,
                ..
            } = *waiting;
            let admitted = self.options.allow_escalated;
            self.resolve(run, call, *decision, flight, admitted, awaits_result);
        }
    }

    /// A call may run.
    fn allowed(
        &mut self,
        run: &mut Run,
        call: ToolCall<'_>,
        mut decided: Final,
        mut flight: InFlight,
        awaits: bool,
    ) {
        run.refused_in_a_row = 0;
        let recorded_block = call.recorded == Some(Recorded::Block);
        if recorded_block && self.options.mode == Mode::Observe {
            self.set_fate(run, flight.id, Fate::NotRun);
            return self.ready.push(decided);
        }
        self.set_fate(run, flight.id, Fate::Admitted);
        run.state.context = own_embedding(&call.context_embedding, &run.state.context);
        run.state.action = own_embedding(&call.action_embedding, &run.state.action);
        run.parted |= recorded_block && self.options.mode == Mode::Enforce;
        let sequential = self.options.dispatch == Dispatch::Sequential;
        let at_once = sequential || (flight.outcome.is_some() && flight.batch.is_none());
        match (&call.outcome, awaits) {
            (Some(outcome), true) => {
                self.check_result(run, &call, outcome, &mut decided.decision);
                self.ready.push(decided);
            }
            (None, true) if !at_once => {
                let call = call.into_owned();
                flight.pending = Some(Box::new(Pending {
                    decision: decided,
                    call,
                }));
            }
            _ => self.ready.push(decided),
        }
        run.admit(self.policy, flight, at_once);
    }

    /// A call may not run. What the trace shows of it is taken as the mode says.
    fn refused(
        &mut self,
        run: &mut Run,
        call: &ToolCall<'_>,
        mut decided: Final,
        flight: InFlight,
    ) {
        // What does not run endangers nobody in flight, whichever stage refused it.
        decided.decision.hazard.clear();
        self.ready.push(decided);
        run.refused_in_a_row += 1;
        let mut phases = self.stages.iter();
        let broken = phases.find_map(|s| s.after_refusals(self.policy, run.refused_in_a_row));
        if let Some(phase) = broken.filter(|_| !run.state.phase.is_terminal()) {
            run.state.phase = phase;
        }
        if call.recorded == Some(Recorded::Block) {
            return self.set_fate(run, flight.id, Fate::NotRun);
        }
        let refused = Refused {
            context: call.context_embedding.as_deref().map(Arc::from),
            action: call.action_embedding.as_deref().map(Arc::from),
            estimate: flight.estimate,
        };
        self.set_fate(run, flight.id, Fate::Refused(Box::new(refused.clone())));
        if flight.outcome.is_some() {
            self.ran_all_the_same(run, &refused, flight);
        }
    }

    /// An approval arrives: it decides the call that waits, if it is that call's.
    pub(super) fn approval(&mut self, run: &mut Run, place: Place, approval: Approval<'_>) {
        let id = digest::id(&approval.call);
        if let Some(waiting) = run.waiting.take_if(|waiting| waiting.id == id) {
            let Escalated {
                mut decision,
                call,
                flight,
                awaits_result,
                ..
            } = *waiting;
            decision.decision.approval = Some(approval.decision);
            let admitted = approval.decision == ApprovalOutcome::Approved;
            self.resolve(run, call, *decision, flight, admitted, awaits_result);
        } else {
            self.resolve_unanswered(run);
        }
        let unanswered = run.settle_before(self.policy, None);
        self.give_up_waiting(unanswered);
        if run.marks.get(id).is_none() && !run.resumed {
            let name = Arc::clone(&run.id);
            self.orphan(WarningCode::OrphanApproval, place, &name, &approval.call);
        }
        self.flush(run);
    }

    /// The run ends. Says whether nothing that comes after can depend on its state.
    pub(super) fn end(&mut self, run: &mut Run, status: RunStatus) -> bool {
        self.resolve_unanswered(run);
        let unanswered = run.settle_all(self.policy);
        self.give_up_waiting(unanswered);
        self.flush(run);
        run.state.phase = match status {
            RunStatus::Answered => Phase::Answering,
            RunStatus::Aborted | RunStatus::Timeout => Phase::Rejected,
        };
        let closed = self.stages.iter().any(|s| s.precheck(&run.state).is_some());
        if closed {
            self.report(run);
        }
        closed
    }

    /// The input ends, or the run begins afresh.
    pub(super) fn finish(&mut self, run: &mut Run) {
        self.resolve_unanswered(run);
        let unanswered = run.settle_all(self.policy);
        self.give_up_waiting(unanswered);
        self.flush(run);
        self.report(run);
    }

    fn report(&mut self, run: &Run) {
        self.out.run(RunReport {
            input: run.input,
            id: Arc::clone(&run.id),
            calls: run.tally.calls,
            refused: run.tally.refused,
            judged: run.tally.judged,
            root: run.tally.root,
            standing: run.tally.standing,
            inconclusive: run.doubtful,
            continues: run.resumed,
        });
    }

    /// A call repeats an id of its run.
    fn seen_before(&mut self, run: &mut Run, place: Place, id: &str, same: bool) {
        if same {
            self.out.count(Counted::Repeat);
            let message = format!("call `{id}` was recorded before; it is evaluated once");
            self.warn(WarningCode::RepeatedCall, place, run, message);
        } else {
            let message = format!("call `{id}` was recorded before with other content");
            self.fault(FaultCode::DuplicateCallId, place, run, message);
        }
    }

    /// Decisions whose call settled without a result are final as they are.
    pub(super) fn give_up_waiting(&mut self, pending: Vec<Pending>) {
        self.ready.extend(pending.into_iter().map(|p| p.decision));
    }

    /// Gives the decisions that became final, in call order.
    pub(super) fn flush(&mut self, run: &mut Run) {
        self.ready.sort_by_key(|f| f.decision.seq);
        for decided in self.ready.drain(..) {
            run.count(&decided.decision);
            self.out.decision(decided);
        }
    }

    pub(super) fn set_fate(&self, run: &mut Run, id: u64, fate: Fate) {
        if let Some(mark) = run.marks.get_mut(id) {
            mark.fate = fate;
        }
    }

    fn count_repeats(&self, run: &mut Run, call: &ToolCall<'_>) -> u64 {
        if self.policy.dfa.max_repeats.is_none() {
            return 1;
        }
        let hash = digest::tool_and_args(call);
        let before = if run.latest.0 == hash {
            run.latest.1
        } else {
            0
        };
        run.latest = (hash, before + 1);
        run.latest.1
    }

    fn elapsed(&mut self, run: &mut Run, place: Place, call: &ToolCall<'_>) -> Option<i128> {
        let elapsed = run.elapsed(self.policy, call.ts.as_ref());
        if let (None, Some(ts), Some(_)) = (elapsed, &call.ts, self.policy.dfa.timeout_ns) {
            let message = format!(
                "`ts` is `{}`, which is no time, and a time rule is active",
                ts.0
            );
            self.fault(FaultCode::BadField, place, run, message);
        }
        elapsed
    }
}

/// By what a call is told from others of its run.
struct Identity {
    text: String,
    id: u64,
    content: u64,
    batch: Option<u64>,
}

/// The embedding a state carries once the call is admitted.
fn own_embedding(
    own: &Option<Vec<f64>>,
    before: &crate::state::Embedding,
) -> crate::state::Embedding {
    match own {
        Some(own) => Some(Arc::from(own.as_slice())),
        None => before.clone(),
    }
}

/// What is wrong with the lengths of the embeddings the call would be judged with.
fn clashing_embeddings(run: &Run, call: &ToolCall<'_>) -> Option<String> {
    let context = call
        .context_embedding
        .as_deref()
        .or(run.state.context.as_deref())?;
    let action = call
        .action_embedding
        .as_deref()
        .or(run.state.action.as_deref())?;
    let (a, b) = (context.len(), action.len());
    (a != b).then(|| format!("the context embedding has {a} components, the action embedding {b}"))
}
