//! What is remembered of a run while its events pass.

use crate::import::foreign::{Answer, Content, Out, Run, Told, Unit, check_value, timestamp};
use crate::trace::event::{
    ApprovalOutcome, Outcome, Recorded, RunStart, RunStatus, ToolCall, ToolResult,
};
use crate::trace::fault::Place;
use crate::trace::json::Json;
use crate::trace::money::Nano;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// A run.
#[derive(Default)]
pub struct Session {
    /// The run itself.
    pub run: Run,
    /// What goes into its beginning, as far as it is known.
    pub start: RunStart<'static>,
    /// How it ends if nothing follows.
    pub end: Option<RunStatus>,
    /// Open calls by the id of their event: the id that the call goes by.
    calls: HashMap<String, String>,
    /// Events that are not the agent's calls, whose observations are left out with them.
    left_out: HashSet<String>,
    /// An action of V0 that waits to be confirmed.
    waiting: Option<Waiting>,
    /// What the model had cost when that was last written.
    cost: Nano,
}

/// A call together with what its event says about it.
pub struct Called {
    /// The call, which names no run and no turn yet.
    pub call: ToolCall<'static>,
    /// Id of the event.
    pub event: Option<String>,
    /// What the answer of the model is told by.
    pub answer: Option<String>,
}

struct Waiting {
    called: Called,
    /// What tells that an action is the same one again.
    key: String,
    place: Place,
}

impl Session {
    /// A run of which nothing has been seen. Without a name it is the run named after the file.
    pub fn new(name: Option<String>) -> Self {
        Session {
            run: Run::new(name),
            ..Session::default()
        }
    }

    /// Begins the run, unless it has begun.
    pub fn begin(&mut self, event: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        if !self.run.has_begun() {
            let start = RunStart {
                ts: time(event, told, out),
                ..std::mem::take(&mut self.start)
            };
            self.run.begin(start, out);
        }
    }

    /// Takes a message of the user, which begins the run if it is the first.
    pub fn user(
        &mut self,
        content: Option<&Json<'_>>,
        event: &Json<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        self.escalate(out);
        self.end = None;
        self.run.release(out);
        let content = Content::of(content);
        let text = content
            .text()
            .map(str::trim)
            .filter(|text| !text.is_empty());
        if let Some(text) = text {
            if self.start.intent.is_none() && !self.run.has_begun() {
                self.start.intent = Some(Cow::Owned(text.to_owned()));
            }
            self.begin(event, told, out);
        }
    }

    /// Takes a call.
    pub fn call(&mut self, called: Called, event: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        self.begin(event, told, out);
        self.escalate(out);
        self.hand_on(called, out);
    }

    fn hand_on(&mut self, called: Called, out: &mut Out<'_>) {
        let Called {
            call,
            event,
            answer,
        } = called;
        self.end = None;
        self.run.turn(answer.as_deref());
        let given = call
            .id
            .as_deref()
            .filter(|id| !id.is_empty())
            .map(str::to_owned);
        let unique = self.run.call(call, out);
        if let (Some(event), Some(id)) = (event, given.or(unique)) {
            self.calls.insert(event, id);
        }
    }

    /// Takes an action that somebody has to confirm. `key` tells it when it comes again.
    pub fn wait(&mut self, called: Called, key: String, out: &mut Out<'_>) {
        self.escalate(out);
        // What is observed of it before it is decided is a preview.
        self.left_out.extend(called.event.clone());
        let place = out.place();
        self.waiting = Some(Waiting { called, key, place });
    }

    /// The decision about an action that comes again: the one that waited is this one.
    pub fn decide(&mut self, key: &str, approval: ApprovalOutcome, call: &mut ToolCall<'static>) {
        if self
            .waiting
            .as_ref()
            .is_some_and(|waiting| waiting.key == key)
        {
            self.waiting = None;
            call.approval = Some(approval);
            call.recorded = Some(match approval {
                ApprovalOutcome::Approved => Recorded::Allow,
                _ => Recorded::Block,
            });
        }
    }

    /// Hands on an action that waited and was not decided: it did not run.
    fn escalate(&mut self, out: &mut Out<'_>) {
        if let Some(waiting) = self.waiting.take() {
            let mut called = waiting.called;
            called.call.recorded = Some(Recorded::Escalate);
            self.hand_on(called, &mut out.at(waiting.place));
        }
    }

    /// Leaves out an action that is not the agent's, and what will be observed of it.
    pub fn leave_out(&mut self, event: Option<String>) {
        self.left_out.extend(event);
    }

    /// Whether an observation is of an action that was left out.
    pub fn is_left_out(&self, cause: Option<&str>) -> bool {
        cause.is_some_and(|cause| self.left_out.contains(cause))
    }

    /// The call that an observation is of: by the id of the event, else by its own id.
    pub fn find(&self, event: Option<&str>, id: Option<&str>) -> Option<String> {
        let by_event = event.and_then(|event| self.calls.get(event)).cloned();
        by_event.or_else(|| id.filter(|id| self.run.knows(id)).map(str::to_owned))
    }

    /// Takes what became of a call.
    pub fn answer(&mut self, event: Option<&str>, call: &str, answer: Answer, out: &mut Out<'_>) {
        if let Some(event) = event {
            self.calls.remove(event);
        }
        self.run.answer(call, answer, out);
    }

    /// Takes what the model has cost up to here, in dollars.
    pub fn cost(&mut self, total: Option<&Json<'_>>, out: &mut Out<'_>) {
        let number = match total {
            Some(Json::Number(number)) => number,
            // What is no cost is told in the one place for it.
            other => return self.run.spend(other, out),
        };
        let Ok((now, _)) = Nano::parse(number) else {
            return self.run.spend(total, out);
        };
        let before = std::mem::replace(&mut self.cost, now);
        if let Some(grown) = now.0.checked_sub(before.0).filter(|grown| *grown > 0) {
            let (dollars, nanos) = (grown / 1_000_000_000, grown % 1_000_000_000);
            let grown = format!("{dollars}.{nanos:09}");
            self.run.spend(Some(&Json::Number(&grown)), out);
        }
    }

    /// Ends the run.
    pub fn finish(mut self, out: &mut Out<'_>) {
        self.escalate(out);
        self.run.finish(self.end, out);
    }
}

/// When an event was written.
pub fn time(
    event: &Json<'_>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Option<crate::trace::event::Timestamp<'static>> {
    timestamp(event.get("timestamp"), Unit::Seconds, told, out)
}

/// The result that an observation is.
pub fn result(
    value: Option<&Json<'_>>,
    error: Option<bool>,
    event: &Json<'_>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Answer {
    check_value("a result", value.unwrap_or(&Json::Null), out);
    Answer::Result(ToolResult {
        outcome: Outcome {
            result: Content::of(value).into_raw(),
            error,
            ..Outcome::default()
        },
        ts: time(event, told, out),
        ..ToolResult::default()
    })
}
