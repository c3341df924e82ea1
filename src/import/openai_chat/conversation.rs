//! One run: its messages in order.

use super::call::{self, Written};
use super::recognise::{ROLES, foreign_block};
use crate::import::foreign::ids::Fingerprint;
use crate::import::foreign::record::kind;
use crate::import::foreign::{
    CallIds, Content, Out, Pairing, Unusable, check_value, identifier, once, quote,
};
use crate::trace::event::{
    Event, Outcome, RawJson, RunEnd, RunStart, RunStatus, ToolCall, ToolResult,
};
use crate::trace::fault::{FaultCode, WarningCode};
use crate::trace::json::Json;
use std::borrow::Cow;
use std::collections::VecDeque;

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
    run: Option<String>,
    flavour: Flavour,
    started: bool,
    turn: u64,
    calls: u64,
    ids: CallIds,
    /// Calls without an id that wait for their result: function and id given here.
    legacy: VecDeque<(String, String)>,
    answered: bool,
    told_ids: bool,
    told_user: bool,
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
            run,
            flavour,
            started: false,
            turn: 0,
            calls: 0,
            ids: CallIds::default(),
            legacy: VecDeque::new(),
            answered: false,
            told_ids: false,
            told_user: false,
        }
    }

    /// Begins the run, unless it has begun.
    pub fn start(
        &mut self,
        intent: Option<String>,
        meta: Option<RawJson<'static>>,
        out: &mut Out<'_>,
    ) {
        if self.started {
            return;
        }
        self.started = true;
        out.event(Event::RunStart(RunStart {
            run: self.run.as_deref().map(Cow::Borrowed),
            intent: intent.map(Cow::Owned),
            meta,
            ..RunStart::default()
        }));
    }

    /// Ends the run, if its last message answers.
    pub fn finish(self, out: &mut Out<'_>) {
        if self.answered {
            out.event(Event::RunEnd(RunEnd {
                run: self.run.map(Cow::Owned),
                status: RunStatus::Answered,
            }));
        }
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
        if let Some(intent) = prompt(message).filter(|_| !self.started) {
            self.start(Some(intent), None, out);
        }
        let calls = message.get("tool_calls").and_then(Json::as_array);
        if calls.is_some_and(|calls| !calls.is_empty()) && !self.told_user {
            self.told_user = true;
            let text = "calls of the user are not the agent's and are left out";
            out.warn(WarningCode::Assumed, text);
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
        self.start(None, None, out);
        self.turn += 1;
        for entry in entries {
            if let Ok(written) = call::read(entry, out) {
                self.call(written, false, out);
            }
        }
        // Some writers keep the older form next to the newer one: the same call twice.
        if let Some(call) = legacy.filter(|_| entries.is_empty())
            && let Ok(written) = call::read_legacy(call, out)
        {
            self.call(written, true, out);
        }
    }

    fn call(&mut self, written: Written<'_>, is_legacy: bool, out: &mut Out<'_>) {
        self.calls += 1;
        let Written { id, tool, args } = written;
        // What a call without an id is called anyway.
        let id = id.map_or_else(|| format!("call-{}", self.calls), str::to_owned);
        let unique = self.ids.add(&id, Fingerprint::of(&tool, args.bytes()));
        if unique != id && !self.told_ids {
            self.told_ids = true;
            let text = format!(
                "call ids are used more than once, the next {} is taken as {}",
                quote(&id),
                quote(&unique)
            );
            out.warn(WarningCode::Assumed, text);
        }
        if is_legacy {
            self.legacy.push_back((tool.to_string(), id));
        }
        out.event(Event::ToolCall(Box::new(ToolCall {
            run: self.run.as_deref().map(Cow::Borrowed),
            tool,
            id: Some(Cow::Owned(unique)),
            turn: Some(self.turn),
            args,
            ..ToolCall::default()
        })));
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
        let call = self.close(id, out);
        self.outcome(call, message, out);
        Ok(())
    }

    fn function(&mut self, message: &Json<'_>, out: &mut Out<'_>) {
        let Ok(name) = identifier("name", message.get("name"), out) else {
            return;
        };
        let waits = |(tool, _): &(String, String)| Some(tool.as_str()) == name;
        let position = self.legacy.iter().position(waits);
        let id = position.and_then(|at| self.legacy.remove(at));
        let call = self.close(&id.map(|(_, id)| id).unwrap_or_default(), out);
        self.outcome(call, message, out);
    }

    /// The unique id of the call that a result of this id belongs to.
    fn close(&mut self, id: &str, out: &mut Out<'_>) -> String {
        if id.is_empty() {
            let text = "a result that names no call is taken as the result of none";
            out.warn(WarningCode::Assumed, text);
            return String::new();
        }
        match self.ids.close(id) {
            Pairing::Open(call) | Pairing::Answered { id: call, .. } => call,
            Pairing::Unknown => id.to_owned(),
        }
    }

    fn outcome(&mut self, call: String, message: &Json<'_>, out: &mut Out<'_>) {
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
        out.event(Event::ToolResult(ToolResult {
            run: self.run.as_deref().map(Cow::Borrowed),
            call: Cow::Owned(call),
            outcome: Outcome {
                result: content.into_raw(),
                error,
                ..Outcome::default()
            },
            ts: None,
        }));
    }
}
