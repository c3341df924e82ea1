//! One run: its messages in order.

use super::call::{self, Written};
use super::recognise::{ROLES, foreign_block};
use crate::import::foreign::{
    Answer, Content, Out, Run, Told, Unusable, check_value, identifier, kind, once, quote,
};
use crate::trace::event::{Outcome, RawJson, RunStart, RunStatus, ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// Fields of a message that decide what it is.
const FIELDS: &[&str] = &[
    "role",
    "content",
    "tool_calls",
    "function_call",
    "tool_call_id",
    "name",
];

/// Whose recording it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Nobody's in particular.
    Plain,
    /// τ-bench: a result that begins with `Error:` is one.
    Tau,
    /// τ²-bench: a result names its call by `id`, and the simulated user calls tools too.
    Tau2,
}

/// A run.
pub struct Conversation {
    run: Run,
    flavour: Flavour,
    answered: bool,
    /// Whether the last message called tools, and no result has come since.
    waits: bool,
    told: Told,
}

/// The text of a message of the user.
pub fn prompt(message: &Json<'_>) -> Option<String> {
    if message.get("role")?.as_str()? != "user" {
        return None;
    }
    let content = Content::of(message.get("content"));
    let text = content.text()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

impl Conversation {
    /// A run without messages. Without a name it is the run named after the file.
    pub fn new(run: Option<String>, flavour: Flavour) -> Self {
        Conversation {
            run: Run::new(run),
            flavour,
            answered: false,
            waits: false,
            told: Told::default(),
        }
    }

    /// Begins the run, unless it has begun.
    pub fn start(
        &mut self,
        intent: Option<String>,
        meta: Option<RawJson<'static>>,
        out: &mut Out<'_>,
    ) {
        let start = RunStart {
            intent: intent.map(Cow::Owned),
            meta,
            ..RunStart::default()
        };
        self.run.begin(start, out);
    }

    /// Ends the run: as answered, if its last message answers.
    pub fn finish(self, out: &mut Out<'_>) {
        self.run
            .finish(self.answered.then_some(RunStatus::Answered), out);
    }

    /// Reads the next message.
    pub fn message(&mut self, message: &Json<'_>, out: &mut Out<'_>) {
        self.answered = false;
        if !matches!(message, Json::Object(_)) {
            let text = format!("a message has to be an object, not {}", kind(message));
            return out.fault(FaultCode::BadField, text);
        }
        if once(message, FIELDS, out).is_err() {
            return;
        }
        if let Some(block) = foreign_block(message) {
            let text = format!("a block of type {} in a chat message", quote(block));
            let help = "another format may fit, name it with `--from`";
            return out.fault_with_help(FaultCode::BadField, text, help);
        }
        match message.get("role").and_then(Json::as_str) {
            Some("assistant") => self.assistant(message, out),
            Some("tool") => self.tool(message, out),
            Some("function") => self.function(message, out),
            Some("user") => self.user(message, out),
            Some(role) if ROLES.contains(&role) => {}
            Some(role) => out.fault(FaultCode::BadField, format!("unknown role {}", quote(role))),
            None => out.fault(FaultCode::MissingField, "a message without `role`"),
        }
    }

    fn user(&mut self, message: &Json<'_>, out: &mut Out<'_>) {
        // Nothing else is a message of the user that names a call.
        if message.get("tool_call_id").is_some() {
            return self.tool(message, out);
        }
        if std::mem::take(&mut self.waits) {
            let text = "the user speaks where results of calls belong, they have none";
            self.told.assume(text, out);
        }
        self.run.release(out);
        if let Some(intent) = prompt(message).filter(|_| !self.run.has_begun()) {
            self.start(Some(intent), None, out);
        }
        let calls = message.get("tool_calls").and_then(Json::as_array);
        if calls.is_some_and(|calls| !calls.is_empty()) {
            let text = "calls of the user are not the agent's and are left out";
            self.told.assume(text, out);
        }
    }

    fn assistant(&mut self, message: &Json<'_>, out: &mut Out<'_>) {
        let entries = match message.get("tool_calls") {
            None | Some(Json::Null) => &[][..],
            Some(Json::Array(entries)) => entries,
            Some(other) => {
                let text = format!("`tool_calls` has to be an array, not {}", kind(other));
                return out.fault(FaultCode::BadField, text);
            }
        };
        let legacy = message.get("function_call").filter(|c| **c != Json::Null);
        if entries.is_empty() && legacy.is_none() {
            self.answered = true;
            return;
        }
        self.waits = true;
        self.run.turn(None);
        for entry in entries {
            if let Ok(written) = call::read(entry, out) {
                self.call(written, out);
            }
        }
        // Some writers keep the older form next to the newer one: the same call twice.
        if let Some(call) = legacy.filter(|_| entries.is_empty())
            && let Ok(written) = call::read_legacy(call, out)
        {
            self.call(written, out);
        }
    }

    fn call(&mut self, written: Written<'_>, out: &mut Out<'_>) {
        let call = ToolCall {
            tool: Cow::Owned(written.tool.into_owned()),
            id: written.id.map(|id| Cow::Owned(id.to_owned())),
            args: written.args,
            ..ToolCall::default()
        };
        self.run.call(call, out);
    }

    fn tool(&mut self, message: &Json<'_>, out: &mut Out<'_>) {
        if let Some(several) = message.get("tool_messages").and_then(Json::as_array) {
            for one in several {
                // What makes it unusable has been reported.
                let _ = self.result(one, out);
            }
        } else {
            let _ = self.result(message, out);
        }
    }

    fn result(&mut self, message: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        if message.get("requestor").and_then(Json::as_str) == Some("user") {
            return Ok(());
        }
        let field = match (self.flavour, message.get("tool_call_id")) {
            (Flavour::Tau2, None) => "id",
            _ => "tool_call_id",
        };
        let id = identifier(field, message.get(field), out)?.unwrap_or_default();
        let answer = self.outcome(message, out);
        self.run.answer(id, answer, out);
        Ok(())
    }

    fn function(&mut self, message: &Json<'_>, out: &mut Out<'_>) {
        let Ok(name) = identifier("name", message.get("name"), out) else {
            return;
        };
        let answer = self.outcome(message, out);
        self.run.answer_in_order(name, answer, out);
    }

    fn outcome(&mut self, message: &Json<'_>, out: &mut Out<'_>) -> Answer {
        self.waits = false;
        let value = message.get("content");
        check_value("a result", value.unwrap_or(&Json::Null), out);
        let content = Content::of(value);
        let error = match message.get("error") {
            Some(Json::Bool(error)) => Some(*error),
            _ if self.flavour == Flavour::Tau => Some(
                content
                    .text()
                    .is_some_and(|text| text.starts_with("Error:")),
            ),
            _ => None,
        };
        Answer::Result(ToolResult {
            outcome: Outcome {
                result: content.into_raw(),
                error,
                ..Outcome::default()
            },
            ..ToolResult::default()
        })
    }
}
