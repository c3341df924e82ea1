//! A call arrives: it is told from repeats, what it settles settles, and it is judged.

use super::decision::DecisionKind;
use super::digest;
use super::early::Held;
use super::flight::InFlight;
use super::forms::Kind;
use super::judge::{self, Judged, Subject};
use super::marks::{Mark, Origin};
use super::monitor::Monitor;
use super::ruling::Ruling;
use super::run::{Caller, Effects, Run};
use super::{Counted, Options, weigh};
use crate::policy::LabelRule;
use crate::stages::{CallContext, Facts};
use crate::state::Phase;
use crate::trace::event::{ApprovalOutcome, Recorded, ToolCall};
use crate::trace::fault::{FaultCode, Place, WarningCode};
use std::sync::Arc;

impl Monitor<'_> {
    /// A call arrives.
    pub(super) fn arrive(&mut self, run: &mut Run, place: Place, mut call: Box<ToolCall<'_>>) {
        let own_id = call.id.get_or_insert_with(|| run.default_id().into());
        let id = digest::id(own_id);
        let ascii = own_id.is_ascii();
        let prepared = call.prepared.hashes;
        let (content, outcome) = prepared.unwrap_or_else(|| digest::of(&call, &mut self.room));
        let batch = call.batch.as_deref().map(digest::id);
        if let Some(mark) = run.marks.get(id) {
            let (same, turn) = (mark.content == digest::short(content), mark.turn);
            let before = format!(
                "call `{}` was recorded before{}",
                id_of(&call),
                on_line(run, place, &mark)
            );
            if same {
                let message = format!("{before}; it is evaluated once");
                self.repeated(run, place, message, (turn, batch));
            } else {
                let message = format!("{before}, with other content");
                self.fault(FaultCode::DuplicateCallId, place, run, message);
            }
            return;
        }
        if let Some(message) = clashing_embeddings(run, &call) {
            return self.fault(FaultCode::BadField, place, run, message);
        }
        if !ascii {
            self.meet(Kind::Call, place, &run.id, id_of(&call));
        }
        self.resolve_unanswered(run);
        let turn = call.turn.unwrap_or_else(|| run.turn.saturating_add(1));
        // Label rules come before the stages and ask the call itself.
        call.turn = Some(turn);
        let unanswered = run.settle_before(self.policy, Some((turn, batch)));
        self.give_up_waiting(unanswered);
        run.seq += 1;
        run.turn = turn;
        run.moved |= place.input != run.input;
        if let Some(outcome) = &call.outcome {
            self.read_outcome(outcome);
        }
        let more = self.join_early(run, place, id, &mut call);
        let identity = Identity {
            id,
            content,
            batch,
            outcome: outcome.or_else(|| call.outcome.as_ref().map(digest::outcome)),
        };
        self.tell_arrival(run, place);
        self.judge(run, place, call, identity);
        for held in more {
            self.outcome(run, held.place, id, &held.result());
        }
        self.flush(run);
    }

    /// A result that was read before its call is the call's own outcome. Gives those that are not:
    /// further ones, and all of them where the call has one.
    fn join_early(
        &mut self,
        run: &Run,
        place: Place,
        id: u64,
        call: &mut ToolCall<'_>,
    ) -> Vec<Held> {
        let mut held = self.early.of_call(&run.id, id);
        let Some(first) = held.first() else {
            return held;
        };
        let on_line = match first.place.input == place.input {
            true => format!(", on line {}", first.place.line),
            false => String::new(),
        };
        let message = format!(
            "the result of call `{}` stands before it{on_line}",
            first.call
        );
        self.warn(WarningCode::EarlyResult, place, run, message);
        if call.outcome.is_none() {
            call.outcome = Some(held.remove(0).outcome);
        }
        held
    }

    fn judge(&mut self, run: &mut Run, place: Place, call: Box<ToolCall<'_>>, identity: Identity) {
        let (policy, remembered) = (self.policy, self.remembered);
        let Options {
            weigh: weighs,
            weigh_alone: alone,
            wordless,
            labels_given,
            ..
        } = self.options;
        let rules_too = self.options.weighs_rules(run.seq);
        let mut labels = Vec::new();
        let met = |rule: &LabelRule, holds: &Result<bool, String>| {
            if rules_too {
                labels.push(weigh::label(rule, holds, labels_given));
            }
        };
        let facts = Facts::within(std::mem::take(&mut self.rooms));
        let (names, label_failure) = judge::names(
            policy,
            &mut self.names,
            &call,
            &run.state,
            run.view(),
            &facts,
            met,
        );
        let agent = match &call.agent {
            Some(agent) => Some(self.agent(place, run, agent)),
            None => run.agent.clone(),
        };
        for label in &call.labels {
            self.meet(Kind::Label, place, &run.id, label);
        }
        let lookalike = self.lookalikes.find(&names);
        if let Some(message) = self.forms.meet_tool(policy, &call.tool) {
            self.warn(WarningCode::UnicodeForm, place, run, message);
        } else if let Some(known) = lookalike {
            let message = format!(
                "tool `{}` looks like `{known}`, which the policy names",
                call.tool
            );
            self.warn(WarningCode::LookalikeTool, place, run, message);
        }
        self.warn_of_zeros(run, place, &call);
        if call.args_unknown {
            run.blind.again(place);
        }
        let elapsed_ns = self.pass(run, place, call.ts.as_ref());
        let repeats = self.count_repeats(run, &call);
        run.state.arrive();
        run.join_siblings(policy);
        let context = |state, view| {
            let mut cx = CallContext::new(policy, &call, &names, state, view, &facts);
            cx.turn = run.turn;
            cx.siblings = run.siblings.as_deref();
            cx.repeats = repeats;
            cx.elapsed_ns = elapsed_ns;
            cx.wordless = wordless;
            cx.remembered = remembered;
            cx
        };
        let cx = context(&run.state, run.view());
        let unlabelled = label_failure.filter(|_| !labels_given);
        let mut decided = self.blank();
        let mut judged = Judged::new(std::mem::take(&mut decided.decision.barriers));
        if !judged.precheck(&self.asked, &run.state) {
            match unlabelled {
                Some(finding) => judged.unlabelled(finding),
                None => judged.pipeline(&self.asked, self.stages.len(), &cx),
            }
        }
        let weigh = |cx: &CallContext<'_>| match rules_too {
            true => weigh::call(&self.stages, labels, cx),
            false => weigh::transitions(&self.stages, cx),
        };
        judged.weighed = (weighs && (rules_too || !alone)).then(|| match &run.kept {
            Some(kept) if run.state.phase.is_terminal() => {
                weigh(&context(&kept.state, kept.view(&run.id)))
            }
            _ => weigh(&cx),
        });
        let outcome = call
            .outcome
            .as_ref()
            .map(|outcome| self.settlement(outcome));
        let flight = InFlight {
            id: identity.id,
            by: Caller {
                seq: run.seq,
                line: place.line,
            },
            turn: run.turn,
            names: Arc::clone(&names),
            estimate: call.estimated_cost.unwrap_or(policy.dcbf.per_call_cost),
            batch: identity.batch,
            outcome,
            pending: None,
        };
        let mark = Mark {
            content: digest::short(identity.content),
            turn: run.turn,
            names: names.number(),
            outcome: identity.outcome.map(digest::short),
            origin: Origin::on(place.line, stopped(&call)),
        };
        run.marks.insert(identity.id, mark);
        let (kind, awaits_result) = (judged.kind, judged.awaits_result);
        let embedded = judged.notes.embedded.take();
        let exhausts = judged.finding.as_ref().is_some_and(|f| f.exhausts);
        let subject = Subject {
            place,
            call: &call,
            agent,
            names: &names,
        };
        judged.decide(self, run, subject, &mut decided);
        self.rooms = facts.into_rooms();
        let ruling = Ruling {
            call,
            decided,
            flight,
            awaits_result,
            embedded,
        };
        match kind {
            DecisionKind::Escalate => self.escalate(run, ruling),
            DecisionKind::Allow | DecisionKind::Withhold => self.allow(run, ruling),
            DecisionKind::Block | DecisionKind::Error => {
                if exhausts {
                    run.state.phase = Phase::Exhausted;
                }
                self.refuse(run, ruling);
            }
        }
    }

    /// Meets the agent of a call. Its name as decisions share it: calls in a row are mostly of one.
    fn agent(&mut self, place: Place, run: &Run, name: &str) -> Arc<str> {
        if *self.agent != *name {
            self.meet(Kind::Agent, place, &run.id, name);
            self.agent = name.into();
        }
        Arc::clone(&self.agent)
    }

    /// A call repeats an id of its run with the same content: it is a record like any other for what
    /// waits, and no call.
    fn repeated(
        &mut self,
        run: &mut Run,
        place: Place,
        message: String,
        arriving: (u64, Option<u64>),
    ) {
        self.resolve_unanswered(run);
        let unanswered = run.settle_before(self.policy, Some(arriving));
        self.give_up_waiting(unanswered);
        self.flush(run);
        self.out.count(Counted::Repeat);
        self.warn(WarningCode::RepeatedCall, place, run, message);
    }

    /// Tells that a call arrives, after all that was done to the state before it.
    fn tell_arrival(&mut self, run: &mut Run, place: Place) {
        if !self.options.tells_course() {
            return;
        }
        if run.effects.is_none() {
            run.effects = Some(Box::new(Effects {
                stages: self.stages.clone(),
                list: Vec::new(),
            }));
            // Where the run begins.
            run.effect(self.policy, Caller::default(), "");
        }
        self.tell_effects(run);
        self.out.arrival(run.seq, place.line);
    }

    fn count_repeats(&self, run: &mut Run, call: &ToolCall<'_>) -> u64 {
        if self.policy.dfa.max_repeats.is_none() {
            return 1;
        }
        run.repeats.count(call)
    }

    fn warn_of_zeros(&mut self, run: &Run, place: Place, call: &ToolCall<'_>) {
        let own = [
            ("context_embedding", &call.context_embedding),
            ("action_embedding", &call.action_embedding),
        ];
        for (field, embedding) in own {
            if embedding
                .as_ref()
                .is_some_and(|v| v.iter().all(|&x| x == 0.0))
            {
                let then = match self.policy.scope_embedder() {
                    Some(_) => "goes by the intent and the call, where it has both",
                    None => "does not see the call",
                };
                let message = format!("`{field}` is empty or all zeros; the scope barrier {then}");
                self.warn(WarningCode::ZeroEmbedding, place, run, message);
            }
        }
    }
}

/// By what a call is told from others of its run.
struct Identity {
    id: u64,
    content: u64,
    batch: Option<u64>,
    /// Hash of its inline outcome.
    outcome: Option<u64>,
}

/// The id of a call that has arrived, given or made.
fn id_of<'c>(call: &'c ToolCall<'_>) -> &'c str {
    call.id.as_deref().unwrap_or_default()
}

/// Where the call stood that is met again, in words; empty where that is not known, as where its run
/// goes on from one input into another.
fn on_line(run: &Run, place: Place, mark: &Mark) -> String {
    let line = mark.origin.line().filter(|_| run.input == place.input);
    line.map_or_else(String::new, |line| format!(" on line {line}"))
}

/// Whether the record of a call says that it did not run.
fn stopped(call: &ToolCall<'_>) -> bool {
    let denied = call
        .approval
        .is_some_and(|approval| approval != ApprovalOutcome::Approved);
    denied || call.recorded == Some(Recorded::Block)
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
    // An empty one is none: the barrier is inert.
    (a != b && a > 0 && b > 0)
        .then(|| format!("the context embedding has {a} components, the action embedding {b}"))
}
