//! A session that the command line keeps: messages that are written again when they change.

use crate::import::foreign::parts::{self, Part};
use crate::import::foreign::{
    Answer, Content, Out, Run, Told, Unit, Unusable, arguments, identifier, kind, meta, once,
    timestamp, tool_name,
};
use crate::trace::event::{Outcome, RunStart, Timestamp, ToolCall, ToolResult};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use std::borrow::Cow;
use std::collections::HashMap;

/// Types of messages without calls.
const OTHER: &[&str] = &["compression", "error", "info", "warning"];

/// States of a call that has not come back.
const UNDER_WAY: &[&str] = &["awaiting_approval", "executing", "scheduled", "validating"];

/// How a text begins that the program puts before the first prompt.
const INJECTED: &[&str] = &[
    "<session_context>",
    "This is the Gemini CLI. We are setting up the context",
];

/// What a cancelled call says that had begun to run.
const BEGUN: &str = "User cancelled tool execution";

/// A call as a message writes it.
struct Written {
    call: ToolCall<'static>,
    /// What became of it; absent while it is under way.
    answer: Option<Answer>,
}

/// The message that was last written, which may be written again.
struct Message {
    id: String,
    place: Place,
    calls: Vec<Written>,
}

/// A session.
pub struct Chat {
    run: Run,
    intent: Option<String>,
    ts: Option<Timestamp<'static>>,
    meta: Vec<(&'static str, String)>,
    held: Option<Message>,
    /// Calls that have been handed on, and whether they have come back.
    seen: HashMap<String, bool>,
    /// Where its first message stands.
    place: Place,
}

impl Chat {
    /// One of which nothing has been seen. Without a name it is the run named after the file.
    pub fn new(name: Option<String>, place: Place) -> Self {
        Chat {
            run: Run::new(name),
            intent: None,
            ts: None,
            meta: Vec::new(),
            held: None,
            seen: HashMap::new(),
            place,
        }
    }

    /// Name of its run; `None` is the run named after the file.
    pub fn name(&self) -> Option<&str> {
        self.run.name()
    }

    /// Takes what the beginning of a session tells.
    pub fn header(&mut self, header: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        self.ts = timestamp(header.get("startTime"), Unit::Millis, told, out);
        self.note("kind", header);
    }

    fn note(&mut self, field: &'static str, of: &Json<'_>) {
        let text = of.get(field).and_then(Json::as_str);
        if let Some(text) = text.filter(|_| self.meta.iter().all(|(known, _)| *known != field)) {
            self.meta.push((field, text.to_owned()));
        }
    }

    /// Reads a list of messages.
    pub fn messages(&mut self, list: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        let Some(messages) = list.as_array() else {
            let message = format!("`messages` has to be an array, not {}", kind(list));
            return out.fault(FaultCode::BadField, message);
        };
        for message in messages {
            self.message(message, told, out);
        }
    }

    /// Reads a message, which may have come before.
    pub fn message(&mut self, message: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        if !matches!(message, Json::Object(_)) {
            let text = format!("a message has to be an object, not {}", kind(message));
            return out.fault(FaultCode::BadField, text);
        }
        if once(message, &["id", "type", "content", "toolCalls"], out).is_err() {
            return;
        }
        match message.get("type").and_then(Json::as_str) {
            Some("gemini") => self.answer(message, told, out),
            Some("user") => self.user(message, told, out),
            Some(kind) if OTHER.contains(&kind) => {}
            Some(kind) => told.skip_unless_call("messages", kind, message, out),
            None => out.fault(FaultCode::MissingField, "a message without `type`"),
        }
    }

    fn answer(&mut self, message: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        let Ok(id) = identifier("id", message.get("id"), out) else {
            return;
        };
        // A message without an id is never written again.
        let id = id.map_or_else(|| format!("\0{}", out.place().line), str::to_owned);
        self.note("model", message);
        if self.held.as_ref().is_none_or(|held| held.id != id) {
            self.flush(out);
        }
        let entries = match message.get("toolCalls") {
            None | Some(Json::Null) => &[][..],
            Some(Json::Array(entries)) => entries,
            Some(other) => {
                let text = format!("`toolCalls` has to be an array, not {}", kind(other));
                return out.fault(FaultCode::BadField, text);
            }
        };
        let made = timestamp(message.get("timestamp"), Unit::Millis, told, out);
        let calls: Vec<_> = entries
            .iter()
            .filter_map(|entry| written(entry, made.clone(), told, out).ok())
            .collect();
        let place = out.place();
        match &mut self.held {
            // The last copy counts; one that tells of no calls tells of other changes.
            Some(held) if !calls.is_empty() => (held.calls, held.place) = (calls, place),
            Some(_) => {}
            None => self.held = Some(Message { id, place, calls }),
        }
    }

    fn user(&mut self, message: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        let content = message.get("content");
        let items = match content {
            Some(Json::Array(items)) => items,
            _ => &[][..],
        };
        for part in items.iter().filter(|part| parts::is_about_calls(part)) {
            if let Some(Part::Answer(returned)) = parts::read(part, told, out) {
                self.again(returned, out);
            }
        }
        let texts: Vec<_> = match content {
            Some(Json::String(text)) => vec![&*text.text],
            _ => items.iter().filter_map(parts::text).collect(),
        };
        let text = texts.join("\n");
        let text = text.trim();
        if text.is_empty() || INJECTED.iter().any(|begin| text.starts_with(begin)) {
            return;
        }
        self.flush(out);
        self.run.release(out);
        if self.intent.is_none() {
            self.intent = Some(text.to_owned());
        }
    }

    /// Takes a result that stands in a message of the user. It repeats the one that its call has,
    /// unless the call has none.
    fn again(&mut self, returned: parts::Returned<'_>, out: &mut Out<'_>) {
        let held = self.held.iter_mut().flat_map(|held| &mut held.calls);
        let mut held = held.filter(|_| returned.id.is_some());
        if let Some(written) = held.find(|held| held.call.id.as_deref() == returned.id) {
            written
                .answer
                .get_or_insert(Answer::Result(returned.result));
            return;
        }
        match returned.id.and_then(|id| self.seen.get_mut(id)) {
            Some(true) => {}
            Some(has_answer) => {
                *has_answer = true;
                returned.give(&mut self.run, out);
            }
            None => returned.give(&mut self.run, out),
        }
    }

    fn start(&mut self, out: &mut Out<'_>) {
        let known: Vec<_> = std::mem::take(&mut self.meta)
            .into_iter()
            .map(|(name, text)| (name, Json::from(text)))
            .collect();
        let start = RunStart {
            intent: self.intent.take().map(Cow::Owned),
            ts: self.ts.take(),
            meta: meta(known.iter().map(|(name, value)| (*name, Some(value)))),
            ..RunStart::default()
        };
        self.run.begin(start, out);
    }

    /// Hands on the calls of the message held, and what became of them.
    fn flush(&mut self, out: &mut Out<'_>) {
        let Some(message) = self.held.take() else {
            return;
        };
        if message.calls.is_empty() {
            return;
        }
        let mut out = out.at(message.place);
        if !self.run.has_begun() {
            self.start(&mut out);
        }
        self.run.turn(Some(&message.id));
        let mut answers = Vec::new();
        for (i, Written { call, answer }) in message.calls.into_iter().enumerate() {
            let id = call.id.as_deref().map(str::to_owned);
            let key = id.clone().unwrap_or_else(|| format!("{}\0{i}", message.id));
            let called = match self.seen.get(&key) {
                Some(true) => continue,
                Some(false) => id,
                None => {
                    let unique = self.run.call(call, &mut out);
                    id.or(unique)
                }
            };
            self.seen.insert(key, answer.is_some());
            answers.extend(called.zip(answer));
        }
        for (id, answer) in answers {
            self.run.answer(&id, answer, &mut out);
        }
    }

    /// Ends the session: nothing of it follows.
    pub fn finish(mut self, out: &mut Out<'_>) {
        self.flush(out);
        let mut first = out.at(self.place);
        if !self.run.has_begun() && self.intent.is_some() {
            self.start(&mut first);
        }
        self.run.finish(None, out);
    }
}

/// Reads an element of `toolCalls`.
///
/// # Errors
/// Its name or id cannot be used; the fault has been reported.
fn written(
    entry: &Json<'_>,
    made: Option<Timestamp<'static>>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<Written, Unusable> {
    once(entry, &["id", "name", "args", "status", "result"], out)?;
    let tool = tool_name("name", entry.get("name"), out)?;
    let id = identifier("id", entry.get("id"), out)?.filter(|id| !id.is_empty());
    let call = ToolCall {
        tool: Cow::Owned(tool.to_owned()),
        id: id.map(|id| Cow::Owned(id.to_owned())),
        args: arguments(tool, entry.get("args"), out),
        ts: made,
        ..ToolCall::default()
    };
    let status = identifier("status", entry.get("status"), out)?;
    let failed = match status {
        Some("success") => Some(false),
        Some("error" | "cancelled") => Some(true),
        Some(state) if UNDER_WAY.contains(&state) => return Ok(Written { call, answer: None }),
        Some(state) => {
            told.skip("states of calls", state, out);
            None
        }
        None => None,
    };
    let outcome = outcome(entry, out);
    let answer = if status == Some("cancelled") && !is_begun(&outcome) {
        Some(Answer::Refusal("user"))
    } else if failed.is_none() && outcome.result.is_none() {
        None
    } else {
        let outcome = Outcome {
            error: failed.or(outcome.error),
            ..outcome
        };
        Some(Answer::Result(ToolResult {
            outcome,
            ts: timestamp(entry.get("timestamp"), Unit::Millis, told, out),
            ..ToolResult::default()
        }))
    };
    Ok(Written { call, answer })
}

/// Whether a cancelled call had begun to run, as far as its result tells.
fn is_begun(outcome: &Outcome<'_>) -> bool {
    let result = outcome.result.as_ref().map(|raw| raw.bytes());
    result.is_some_and(|bytes| memchr::memmem::find(bytes, BEGUN.as_bytes()).is_some())
}

/// What a call returned: the response in its `result`, which is a part or a list of parts, or what
/// was shown to the user.
fn outcome(entry: &Json<'_>, out: &mut Out<'_>) -> Outcome<'static> {
    let result = entry.get("result").filter(|result| **result != Json::Null);
    let list = match result {
        Some(Json::Array(parts)) => parts,
        _ => &[][..],
    };
    let responses: Vec<_> = list
        .iter()
        .chain(result)
        .filter_map(|part| part.get("functionResponse"))
        .collect();
    match (&responses[..], result) {
        ([one], _) => parts::outcome(one.get("response"), out),
        (_, Some(other)) => parts::outcome(Some(other), out),
        (_, None) => Outcome {
            result: Content::of(entry.get("resultDisplay")).into_raw(),
            ..Outcome::default()
        },
    }
}
