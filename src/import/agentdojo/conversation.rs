//! The messages of one run.

use crate::import::foreign::{
    Answer, Content, Out, Run, Unusable, call, check_value, identifier, kind, once, quote,
};
use crate::trace::event::{Outcome, RawJson, RunStart, RunStatus, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;

/// Fields of a message that decide what it is.
const FIELDS: &[&str] = &[
    "role",
    "content",
    "tool_calls",
    "tool_call",
    "tool_call_id",
    "error",
];

/// The run that the messages are of.
pub struct Conversation {
    run: Run,
    answered: bool,
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
    /// A run without messages.
    pub fn new(name: String) -> Self {
        Conversation {
            run: Run::new(Some(name)),
            answered: false,
        }
    }

    /// Begins the run.
    pub fn begin(&mut self, start: RunStart<'static>, out: &mut Out<'_>) {
        self.run.begin(start, out);
    }

    /// Whether the last message is one of the assistant that calls nothing.
    pub fn is_answered(&self) -> bool {
        self.answered
    }

    /// Ends the run.
    pub fn finish(self, status: Option<RunStatus>, out: &mut Out<'_>) {
        self.run.finish(status, out);
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
        match message.get("role").and_then(Json::as_str) {
            Some("assistant") => self.assistant(message, out),
            Some("tool") => {
                // What makes it unusable has been reported.
                let _ = self.result(message, out);
            }
            Some("user") => self.run.release(out),
            Some("system") => {}
            Some(role) => out.fault(FaultCode::BadField, format!("unknown role {}", quote(role))),
            None => out.fault(FaultCode::MissingField, "a message without `role`"),
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
        self.answered = entries.is_empty();
        self.run.turn(None);
        for entry in entries {
            if let Ok(call) = call::object(entry, ["function", "id", "args"], out) {
                self.run.call(call, out);
            }
        }
    }

    fn result(&mut self, message: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        let call = message.get("tool_call");
        let id = identifier("tool_call_id", message.get("tool_call_id"), out)?;
        let of_call = call.and_then(|call| call.get("id"));
        let id = match id.filter(|id| !id.is_empty()) {
            Some(id) => Some(id),
            None => identifier("id", of_call, out)?.filter(|id| !id.is_empty()),
        };
        let answer = outcome(message, out);
        match id {
            Some(id) => self.run.answer(id, answer, out),
            None => {
                let function = call.and_then(|call| call.get("function"));
                let tool = identifier("function", function, out)?;
                self.run.answer_in_order(tool, answer, out);
            }
        }
        Ok(())
    }
}

/// What came back. The agent is shown the error in place of the content.
fn outcome(message: &Json<'_>, out: &mut Out<'_>) -> Answer {
    let value = message.get("content");
    let error = message.get("error");
    check_value("a result", value.unwrap_or(&Json::Null), out);
    check_value("an error", error.unwrap_or(&Json::Null), out);
    let failed = match error {
        None => None,
        Some(Json::Null) => Some(false),
        Some(Json::Bool(failed)) => Some(*failed),
        Some(text) => Some(text.as_str() != Some("")),
    };
    let content = Content::of(value);
    let is_empty = content.text().is_none_or(|text| text.trim().is_empty())
        && !matches!(content, Content::Other(_));
    let told = error.filter(|_| is_empty && failed == Some(true));
    let result = match told {
        Some(text @ Json::String(_)) => Some(RawJson::from_json(text)),
        _ => content.into_raw(),
    };
    Answer::Result(ToolResult {
        outcome: Outcome {
            result,
            error: failed,
            ..Outcome::default()
        },
        ..ToolResult::default()
    })
}
