//! One conversation: its messages in order, which requests repeat from the beginning.

use super::record::ROLES;
use crate::import::Sink;
use crate::import::foreign::blocks::{self, Part, prompt};
use crate::import::foreign::{Out, Run, Told, kind, meta, once, quote};
use crate::trace::event::{RunStart, RunStatus};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::{Damage, Json};
use std::borrow::Cow;

/// Fields of a message that decide what it is.
const FIELDS: &[&str] = &["role", "content"];

/// Why a model stops that has given its answer.
const ENDS: &[&str] = &["end_turn", "stop_sequence"];

/// A conversation.
pub struct Dialogue {
    run: Run,
    /// The first prompt.
    pub intent: Option<String>,
    /// Whether a tool has been called.
    pub has_calls: bool,
    /// Whether the message before is the assistant's: what follows it of the assistant is the same
    /// answer of the model.
    is_answering: bool,
    answers: u64,
    is_answered: bool,
    /// Where its last message stands.
    pub place: Place,
}

impl Dialogue {
    /// One without messages. Without a name it is the run named after the file.
    pub fn new(name: Option<String>) -> Self {
        Dialogue {
            run: Run::new(name).rewriting_history(),
            intent: None,
            has_calls: false,
            is_answering: false,
            answers: 0,
            is_answered: false,
            place: Place::default(),
        }
    }

    /// Name of its run; `None` is the run named after the file.
    pub fn name(&self) -> Option<&str> {
        self.run.name()
    }

    /// Whether it has the call of this id.
    pub fn knows(&self, id: &str) -> bool {
        self.run.knows(id)
    }

    /// Begins the run, unless it has begun.
    pub fn start(&mut self, intent: Option<String>, model: Option<&Json<'_>>, out: &mut Out<'_>) {
        if self.run.has_begun() {
            return;
        }
        self.intent.clone_from(&intent);
        let start = RunStart {
            intent: intent.map(Cow::Owned),
            meta: meta([("model", model)]),
            ..RunStart::default()
        };
        self.run.begin(start, out);
    }

    /// Reads a list of messages from its first. Those that have been read before are told by their
    /// calls and repeat nothing.
    pub fn list(&mut self, messages: &[Json<'_>], told: &mut Told, out: &mut Out<'_>) {
        let known = |message: &Json<'_>| calls(message).any(|id| self.knows(id));
        let old = messages.iter().rposition(known).map_or(0, |last| last + 1);
        self.is_answering = false;
        for (i, message) in messages.iter().enumerate() {
            self.message(message, i < old, told, out);
        }
    }

    /// Reads a message. `is_old` says that it is history, so that what it says ends no wait.
    pub fn message(
        &mut self,
        message: &Json<'_>,
        is_old: bool,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        self.place = out.place();
        if !matches!(message, Json::Object(_)) {
            let text = format!("a message has to be an object, not {}", kind(message));
            return out.fault(FaultCode::BadField, text);
        }
        if once(message, FIELDS, out).is_err() {
            return;
        }
        let content = match message.get("content") {
            Some(content @ (Json::String(_) | Json::Array(_))) => content,
            None | Some(Json::Null) => {
                return out.fault(FaultCode::MissingField, "a message without `content`");
            }
            Some(other) => {
                let text = format!("`content` has to be text or blocks, not {}", kind(other));
                return out.fault(FaultCode::BadField, text);
            }
        };
        let role = message.get("role").and_then(Json::as_str);
        match role {
            Some(role) if ROLES.contains(&role) => {}
            Some(role) => {
                return out.fault(FaultCode::BadField, format!("unknown role {}", quote(role)));
            }
            None => return out.fault(FaultCode::MissingField, "a message without `role`"),
        }
        let is_assistant = role == Some("assistant");
        if is_assistant && !self.is_answering {
            self.answers += 1;
        }
        self.is_answering = is_assistant;
        let prompt = prompt::of(message, content).filter(|_| role == Some("user"));
        if prompt.is_some() {
            self.start(prompt.clone(), None, out);
        }
        let stop = message.get("stop_reason").and_then(Json::as_str);
        self.is_answered = is_assistant && stop.is_none_or(|stop| ENDS.contains(&stop));
        for block in content.as_array().unwrap_or_default() {
            self.block(block, message, told, out);
        }
        if prompt.is_some() && !is_old {
            // The user goes on; results in the same message have been taken.
            self.run.release(out);
        }
    }

    fn block(&mut self, block: &Json<'_>, message: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        match blocks::read(block, told, out) {
            Some(Part::Call(call)) => {
                self.has_calls = true;
                // A tool of the server is called and answered within an answer.
                let kind = block.get("type").and_then(Json::as_str);
                self.is_answered &= kind != Some("tool_use");
                let model = message.get("model");
                self.start(None, model, out);
                match message.get("id") {
                    // A repaired id could be that of another response.
                    Some(Json::String(id)) if id.damage == Damage::None => {
                        self.run.turn(Some(&id.text));
                    }
                    _ => self.run.turn(Some(&format!("\0{}", self.answers))),
                }
                self.run.call(*call, out);
            }
            Some(Part::Answer(id, answer)) => self.run.answer(id, answer, out),
            None => {}
        }
    }

    /// Ends the run: as answered, if its last message answers. `stem` names a run without a name,
    /// for notices.
    pub fn finish(self, stem: &str, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, self.place);
        out.set_run(self.name().unwrap_or(stem));
        let status = self.is_answered.then_some(RunStatus::Answered);
        self.run.finish(status, &mut out);
    }
}

/// Ids of the calls in a message.
pub fn calls<'j>(message: &'j Json<'j>) -> impl Iterator<Item = &'j str> {
    let blocks = message.get("content").and_then(Json::as_array);
    let is_call = |block: &&Json<'_>| {
        let kind = block.get("type").and_then(Json::as_str);
        kind.is_some_and(blocks::is_call)
    };
    let blocks = blocks.unwrap_or_default().iter().filter(is_call);
    blocks.filter_map(|block| block.get("id")?.as_str())
}
