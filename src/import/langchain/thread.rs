//! One run: its messages in order, each of them once.

use super::call::{self, Calls};
use super::message::{Kind, Message};
use super::pieces::Stream;
use crate::import::foreign::ids::Fingerprint;
use crate::import::foreign::{
    Answer, Content, Out, Prelude, Run, Told, Unusable, check_value, identifier, once, quote,
};
use crate::trace::event::{Outcome, RunStatus, ToolCall, ToolResult};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Fields of a message that decide what becomes of it.
const FIELDS: &[&str] = &[
    "additional_kwargs",
    "content",
    "id",
    "invalid_tool_calls",
    "name",
    "status",
    "tool_call_chunks",
    "tool_call_id",
    "tool_calls",
    "type",
];

/// How an error result begins whose call the user did not let through.
const REFUSED: &str = "User rejected the tool call for `";

/// A run.
pub struct Thread {
    run: Run,
    prelude: Prelude,
    /// Messages that have been read, by their ids, and what was in them.
    seen: HashSet<Fingerprint>,
    /// Messages without an id that have been read, in order.
    unnamed: Vec<Fingerprint>,
    stream: Option<Stream>,
    max_hold: usize,
    answered: bool,
    place: Place,
}

impl Thread {
    /// A run of which nothing has been seen. Without a name it is the run named after the file.
    pub fn new(name: Option<String>, max_hold: usize) -> Self {
        Thread {
            run: Run::new(name),
            prelude: Prelude::default(),
            seen: HashSet::new(),
            unnamed: Vec::new(),
            stream: None,
            max_hold,
            answered: false,
            place: Place::default(),
        }
    }

    /// Its name; `None` is the run named after the file.
    pub fn name(&self) -> Option<&str> {
        self.run.name()
    }

    /// Where its first call that waits stands.
    pub fn held_from(&self) -> Option<Place> {
        self.run.held_from()
    }

    /// Whether a list of messages is of this run: it has a message that has been read, or, without
    /// ids, begins with all that has been read.
    pub fn goes_on(&self, messages: &[Message<'_>]) -> bool {
        let mut unnamed = self.unnamed.iter();
        let mut matches = !self.unnamed.is_empty() && messages.len() > self.unnamed.len();
        for message in messages {
            match id(message) {
                Some(id) if self.seen.contains(&of_id(id)) => return true,
                Some(_) => matches = false,
                None if matches => {
                    // Where none is left, all that has been read came again.
                    let next = unnamed.next();
                    matches = next.is_none_or(|known| *known == of_text(message));
                }
                None => {}
            }
        }
        matches
    }

    /// Reads a list that holds all messages of the run so far, and maybe more.
    pub fn list(&mut self, messages: &[Message<'_>], told: &mut Told, out: &mut Out<'_>) {
        let known = self.unnamed.len();
        let mut at = 0;
        for message in messages {
            let is_unnamed = id(message).is_none();
            if is_unnamed && at < known && self.unnamed.get(at) == Some(&of_text(message)) {
                at += 1;
                told.again(out);
                continue;
            }
            if is_unnamed {
                at = known;
            }
            self.message(message, true, told, out);
        }
    }

    /// Reads the next message. `is_listed` means that it stands in a list of all messages, so that a
    /// result may have come before without the id that it has now.
    pub fn message(
        &mut self,
        message: &Message<'_>,
        is_listed: bool,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        // What makes it unusable has been reported.
        let _ = self.read(message, is_listed, told, out);
    }

    fn read(
        &mut self,
        message: &Message<'_>,
        is_listed: bool,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        once(message.whole, FIELDS, out)?;
        once(message.body, FIELDS, out)?;
        let id = identifier("id", message.body.get("id"), out)?.filter(|id| !id.is_empty());
        self.place = out.place();
        if message.kind == Kind::Piece {
            self.piece(id.unwrap_or_default(), message.body, told, out);
            return Ok(());
        }
        // The whole answer has everything that its pieces have.
        if id.is_some() && self.stream.as_ref().map(|stream| &*stream.id) == id {
            self.stream = None;
        }
        self.flush(told, out);
        let again = match id {
            Some(id) => !self.seen.insert(of_id(id)),
            None => {
                self.unnamed.push(of_text(message));
                false
            }
        };
        if again && message.kind != Kind::Ai {
            told.again(out);
            return Ok(());
        }
        self.answered &= again;
        match message.kind {
            Kind::Human => {
                self.run.release(out);
                let content = Content::of(message.body.get("content"));
                self.prelude.prompt(content.text(), None, out);
            }
            // The older form of a call, which this library keeps elsewhere.
            Kind::Ai if is_older(message.whole) => out.stranger("LangChain"),
            Kind::Ai => self.answer(id, message.body, again, told, out),
            Kind::Tool => return self.result(message.body, is_listed, told, out),
            Kind::Function => {
                let tool = identifier("name", message.body.get("name"), out)?;
                let answer = outcome(message.body, told, out);
                self.run.answer_in_order(tool, answer, out);
            }
            Kind::Unknown(class) => told.skip("messages", class, out),
            Kind::Other | Kind::Piece => {}
        }
        Ok(())
    }

    fn answer(
        &mut self,
        id: Option<&str>,
        body: &Json<'_>,
        again: bool,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        let Calls { calls, answers } = call::read(body, told, out);
        self.answered |= calls.is_empty() && !again;
        let data = body.get("response_metadata");
        let model = |field: &str| data.and_then(|data| data.get(field));
        self.prelude
            .note("model", model("model_name").or_else(|| model("model")));
        let agent = body.get("name").and_then(Json::as_str);
        self.calls(id, agent.filter(|name| !name.is_empty()), calls, told, out);
        for (call, answer) in answers {
            if !again {
                self.run.answer(call, answer, out);
            }
        }
    }

    /// Takes the calls of an answer; those that have been read are left out.
    fn calls(
        &mut self,
        id: Option<&str>,
        agent: Option<&str>,
        calls: Vec<ToolCall<'static>>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        if calls.is_empty() {
            return;
        }
        self.prelude.begin(&mut self.run, out);
        self.run.turn(id);
        let mut counts: HashMap<Fingerprint, u64> = HashMap::new();
        for call in calls {
            if let Some(id) = id {
                let own = call.id.as_deref().unwrap_or_default();
                let print = |count: u64| {
                    let what = format!("call\0{id}\0{own}\0{}\0{count}", call.tool);
                    Fingerprint::of(&what, call.args.bytes())
                };
                // Two calls of one answer may be alike.
                let count = counts.entry(print(0)).or_insert(0);
                *count += 1;
                if !self.seen.insert(print(*count)) {
                    told.again(out);
                    continue;
                }
            }
            let agent = agent.map(|agent| Cow::Owned(agent.to_owned()));
            self.run.call(ToolCall { agent, ..call }, out);
        }
    }

    fn result(
        &mut self,
        body: &Json<'_>,
        is_listed: bool,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        let field = "tool_call_id";
        let id = identifier(field, body.get(field), out)?.unwrap_or_default();
        let content = body.get("content").unwrap_or(&Json::Null).to_compact();
        let print = Fingerprint::of(&format!("result\0{id}"), content.as_bytes());
        if !self.seen.insert(print) && is_listed {
            told.again(out);
            return Ok(());
        }
        let answer = outcome(body, told, out);
        self.run.answer(id, answer, out);
        Ok(())
    }

    fn piece(&mut self, id: &str, body: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        self.answered = false;
        if self.stream.as_ref().is_some_and(|stream| stream.id != id) {
            self.flush(told, out);
        }
        if self.stream.is_none() && self.seen.contains(&of_pieces(id)) {
            let message = format!(
                "a piece of the answer {} that has come to its end",
                quote(id)
            );
            return out.fault(FaultCode::BadField, message);
        }
        let (place, most) = (out.place(), self.max_hold);
        let stream = self
            .stream
            .get_or_insert_with(|| Stream::new(id, place, most));
        stream.take(body, out);
    }

    /// Reads the answer that has streamed, if one has.
    fn flush(&mut self, told: &mut Told, out: &mut Out<'_>) {
        let Some(stream) = self.stream.take() else {
            return;
        };
        let id = stream.id.clone();
        if !id.is_empty() {
            self.seen.insert(of_pieces(&id));
        }
        let mut out = out.at(stream.place);
        let calls = stream.finish(&mut out);
        self.answered = calls.is_empty();
        let id = Some(&*id).filter(|id| !id.is_empty());
        self.calls(id, None, calls, told, &mut out);
    }

    /// Hands on what waits: nothing more follows.
    pub fn release(&mut self, told: &mut Told, out: &mut Out<'_>) {
        let mut out = out.at(self.place);
        self.flush(told, &mut out);
        self.run.release(&mut out);
    }

    /// Ends the run: as answered, if its last message answers.
    pub fn finish(mut self, told: &mut Told, out: &mut Out<'_>) {
        let mut out = out.at(self.place);
        self.flush(told, &mut out);
        if self.answered {
            self.prelude.begin(&mut self.run, &mut out);
        }
        self.prelude.end(&mut self.run, &mut out);
        let status = self.answered.then_some(RunStatus::Answered);
        self.run.finish(status, &mut out);
    }
}

fn outcome(body: &Json<'_>, told: &mut Told, out: &mut Out<'_>) -> Answer {
    let value = body.get("content");
    let content = Content::of(value);
    let error = match body.get("status").and_then(Json::as_str) {
        Some("error") => Some(true),
        Some("success") => Some(false),
        Some(other) => {
            told.skip("statuses", other, out);
            None
        }
        None => None,
    };
    let is_refused = |text: &str| text.starts_with(REFUSED);
    if error == Some(true) && content.text().is_some_and(is_refused) {
        let message = "calls whose error result says that the user rejected them did not run";
        told.assume(message, out);
        return Answer::Refusal("user");
    }
    check_value("a result", value.unwrap_or(&Json::Null), out);
    Answer::Result(ToolResult {
        outcome: Outcome {
            result: content.into_raw(),
            error,
            ..Outcome::default()
        },
        ..ToolResult::default()
    })
}

fn id<'j>(message: &Message<'j>) -> Option<&'j str> {
    let id = message.body.get("id").and_then(Json::as_str);
    id.filter(|id| !id.is_empty())
}

fn of_id(id: &str) -> Fingerprint {
    Fingerprint::of("id", id.as_bytes())
}

fn of_pieces(id: &str) -> Fingerprint {
    Fingerprint::of("pieces", id.as_bytes())
}

fn of_text(message: &Message<'_>) -> Fingerprint {
    Fingerprint::of("text", message.whole.to_compact().as_bytes())
}

/// Whether a message has a call in the older form of chat messages.
fn is_older(message: &Json<'_>) -> bool {
    matches!(message.get("function_call"), Some(Json::Object(_)))
}
