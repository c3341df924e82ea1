//! Rows of the user and of the assistant: calls, results and prompts.

use super::session::{Session, timestamp};
use crate::import::foreign::blocks::{self, Part, prompt};
use crate::import::foreign::{Answer, Out, Told, kind, once};
use crate::trace::event::{ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;

/// Reads a row of type `user` or `assistant`.
pub fn read(
    session: &mut Session,
    row: &Json<'_>,
    is_user: bool,
    told: &mut Told,
    out: &mut Out<'_>,
) {
    let Some(message) = row.get("message") else {
        return out.fault(FaultCode::MissingField, "a row without `message`");
    };
    if !matches!(message, Json::Object(_)) {
        let text = format!("`message` has to be an object, not {}", kind(message));
        return out.fault(FaultCode::BadField, text);
    }
    if once(message, &["id", "content"], out).is_err() {
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
    let intent = prompt::of(row, content).filter(|_| is_user);
    let is_prompt = intent.is_some();
    if is_prompt {
        session.start(intent, row, out);
    }
    // What a tool gave stands beside the message too: an object where it ran, words where it did not.
    let beside = ["toolUseResult", "tool_use_result"];
    let has_run = beside
        .iter()
        .any(|field| matches!(row.get(field), Some(Json::Object(_))));
    for block in content.as_array().unwrap_or_default() {
        match blocks::read_beside(block, has_run, told, out) {
            Some(Part::Call(call)) => {
                session.start(None, row, out);
                session.turn(message);
                let ts = timestamp(row);
                session.run.call(ToolCall { ts, ..*call }, out);
            }
            Some(Part::Answer(id, Answer::Result(result))) => {
                let ts = timestamp(row);
                let answer = Answer::Result(ToolResult { ts, ..result });
                session.run.answer(id, answer, out);
            }
            Some(Part::Answer(id, refusal)) => session.run.answer(id, refusal, out),
            None => {}
        }
    }
    if is_prompt {
        // The user goes on; results in the same row have been taken.
        session.run.release(out);
    }
}
