//! A call and what became of it, which OpenCode keeps as one part of a message.

use crate::import::foreign::{
    Answer, Content, Out, Run, Told, Unit, Unusable, arguments, check_value, identifier, kind,
    once, quote, timestamp, tool_name,
};
use crate::trace::event::{Outcome, RawJson, ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// The tool that OpenCode runs in place of a call that it cannot read.
const INVALID: &str = "invalid";

/// How error texts begin that tell of a refusal, and who refused.
const REFUSALS: &[(&str, &str)] = &[
    (
        "The user rejected permission to use this specific tool call",
        "user",
    ),
    (
        "The user has specified a rule which prevents you from using this specific tool call",
        "permissions",
    ),
];

/// Types of parts that hold no call.
pub const OTHER_PARTS: &[&str] = &[
    "agent",
    "compaction",
    "file",
    "patch",
    "reasoning",
    "retry",
    "snapshot",
    "step-finish",
    "step-start",
    "subtask",
    "text",
];

/// A part of the type `tool`.
#[derive(Debug)]
pub struct Tool {
    /// The call, which names no run and no turn yet.
    pub call: ToolCall<'static>,
    /// What became of it; absent where it has not ended.
    pub answer: Option<Answer>,
}

impl Tool {
    /// Reads a part.
    ///
    /// # Errors
    /// The call cannot be used; the fault has been reported.
    pub fn read(part: &Json<'_>, told: &mut Told, out: &mut Out<'_>) -> Result<Tool, Unusable> {
        once(part, &["type", "tool", "callID", "id", "state"], out)?;
        let none = Json::Null;
        let state = match part.get("state") {
            Some(state @ Json::Object(_)) => state,
            Some(Json::Null) | None => {
                out.fault(FaultCode::MissingField, "a `tool` part without `state`");
                &none
            }
            Some(other) => {
                let message = format!("`state` has to be an object, not {}", kind(other));
                out.fault(FaultCode::BadField, message);
                &none
            }
        };
        once(state, &["status", "input", "output", "error"], out)?;
        let written = tool_name("tool", part.get("tool"), out)?;
        let meant = if written == INVALID {
            meant(state, out)?
        } else {
            None
        };
        let id = match identifier("callID", part.get("callID"), out)? {
            Some(id) if !id.is_empty() => Some(id),
            _ => identifier("id", part.get("id"), out)?,
        };
        let tool = meant.unwrap_or(written);
        let status = state
            .get("status")
            .and_then(Json::as_str)
            .unwrap_or_default();
        let input = state.get("input");
        let unwritten = status == "pending" && input.is_none_or(is_empty);
        let args_unknown = meant.is_some() || unwritten || input.is_none();
        let args = if args_unknown {
            RawJson::default()
        } else {
            arguments(tool, input, out)
        };
        let time = |field: &str| state.get("time").and_then(|time| time.get(field));
        let call = ToolCall {
            tool: Cow::Owned(tool.to_owned()),
            id: id.map(|id| Cow::Owned(id.to_owned())),
            args,
            args_unknown,
            ts: timestamp(time("start"), Unit::Millis, told, out),
            ..ToolCall::default()
        };
        let ended = timestamp(time("end"), Unit::Millis, told, out);
        let (field, error) = match status {
            "completed" => ("output", meant.is_some()),
            "error" => ("error", true),
            "pending" | "running" => {
                return Ok(Tool { call, answer: None });
            }
            other => {
                if !matches!(state, Json::Null) {
                    let message = format!("a call in the unknown state {}", quote(other));
                    out.fault(FaultCode::BadField, message);
                }
                return Ok(Tool { call, answer: None });
            }
        };
        let value = state.get(field);
        let content = Content::of(value);
        let refused = content.text().filter(|_| error).and_then(refused);
        let answer = match refused {
            Some(by) => {
                let message = "calls whose error tells of a refusal are taken as not executed";
                told.assume(message, out);
                Answer::Refusal(by)
            }
            None => {
                check_value("a result", value.unwrap_or(&Json::Null), out);
                Answer::Result(ToolResult {
                    outcome: Outcome {
                        result: content.into_raw(),
                        error: Some(error),
                        ..Outcome::default()
                    },
                    ts: ended,
                    ..ToolResult::default()
                })
            }
        };
        let answer = Some(answer);
        Ok(Tool { call, answer })
    }

    /// When it began; `None` where the recording does not tell.
    pub fn began(&self) -> Option<jiff::Timestamp> {
        self.call.ts.as_ref()?.0.parse().ok()
    }

    /// Hands on the call. What remains is the answer, by the id of the call.
    pub fn call(self, run: &mut Run, out: &mut Out<'_>) -> Option<(String, Answer)> {
        let written = self.call.id.as_deref().unwrap_or_default().to_owned();
        let id = run.call(self.call, out)?;
        let id = if written.is_empty() { id } else { written };
        self.answer.map(|answer| (id, answer))
    }
}

/// The tool that a call was meant for that could not be read.
fn meant<'j>(state: &'j Json<'_>, out: &mut Out<'_>) -> Result<Option<&'j str>, Unusable> {
    let input = state.get("input");
    once(input.unwrap_or(&Json::Null), &["tool"], out)?;
    let name = identifier("tool", input.and_then(|input| input.get("tool")), out)?;
    // An `invalid` that tells no tool is what the model called.
    Ok(name.filter(|name| !name.is_empty()))
}

fn is_empty(input: &Json<'_>) -> bool {
    match input {
        Json::Object(members) => members.is_empty(),
        Json::String(text) => text.text.trim().is_empty(),
        Json::Null => true,
        _ => false,
    }
}

/// Who refused the call of an error with this text; `None` if nobody did.
fn refused(text: &str) -> Option<&'static str> {
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let found = REFUSALS.iter().find(|(begin, _)| text.starts_with(begin));
    found.map(|(_, by)| *by)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_told_from_failures() {
        let user = "The user rejected permission to use this specific tool call.";
        assert_eq!(refused(user), Some("user"));
        let advice = "The user rejected permission to use this specific tool call with the \
                      following feedback: use the other one";
        assert_eq!(refused(advice), Some("user"));
        let rule = "The user has specified a rule which prevents you from using this specific \
                    tool call. Here are some of the relevant rules []";
        assert_eq!(refused(rule), Some("permissions"));
        assert_eq!(refused("permission denied: /etc/shadow"), None);
        assert_eq!(refused("he said: The user rejected permission"), None);
    }
}
