//! Messages: prompts, answers with calls, and results.

use super::Session;
use crate::import::foreign::{
    Answer, Content, Out, Told, Unit, Unusable, arguments, check_value, identifier, kind, once,
    timestamp, tool_name,
};
use crate::trace::event::{Outcome, RawJson, RunStatus, Timestamp, ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// Roles of messages that are neither the user's nor the agent's, or are what the user ran.
const OTHER_ROLES: &[&str] = &[
    "bashExecution",
    "branchSummary",
    "compactionSummary",
    "custom",
    "hookMessage",
    "system",
];

/// Blocks of an answer that are no calls.
const OTHER_BLOCKS: &[&str] = &["image", "text", "thinking"];

/// Error results of calls that did not run, and who kept them from it.
const NOT_RUN: &[(&str, &str)] = &[
    ("Tool execution was blocked", "extension"),
    ("Tool execution was blocked by a hook", "hook"),
    ("Tool execution was blocked by an extension", "extension"),
    ("Skipped due to queued user message.", "user"),
];

/// Reads the message of a row.
///
/// # Errors
/// It cannot be used; the fault has been reported.
pub fn read(
    session: &mut Session,
    row: &Json<'_>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    let message = match row.get("message") {
        Some(message @ Json::Object(_)) => message,
        None | Some(Json::Null) => {
            out.fault(FaultCode::MissingField, "a row without `message`");
            return Err(Unusable);
        }
        Some(other) => {
            let text = format!("`message` has to be an object, not {}", kind(other));
            out.fault(FaultCode::BadField, text);
            return Err(Unusable);
        }
    };
    once(message, &["role", "content", "toolCallId", "isError"], out)?;
    let ts = timestamp(row.get("timestamp"), Unit::Millis, told, out)
        .or_else(|| timestamp(message.get("timestamp"), Unit::Millis, told, out));
    match identifier("role", message.get("role"), out)? {
        Some("user") => user(session, message, out),
        Some("assistant") => return assistant(session, message, ts, told, out),
        Some("toolResult") => return result(session, message, ts, told, out),
        Some(role) if OTHER_ROLES.contains(&role) => {}
        Some(role) => told.skip("messages", role, out),
        None => {
            out.fault(FaultCode::MissingField, "a message without `role`");
            return Err(Unusable);
        }
    }
    Ok(())
}

fn user(session: &mut Session, message: &Json<'_>, out: &mut Out<'_>) {
    session.end = None;
    session.run.release(out);
    let content = Content::of(message.get("content"));
    let text = content
        .text()
        .map(str::trim)
        .filter(|text| !text.is_empty());
    if let Some(text) = text {
        session.start(Some(text.to_owned()), out);
    }
}

fn assistant(
    session: &mut Session,
    message: &Json<'_>,
    ts: Option<Timestamp<'static>>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    let blocks = match message.get("content") {
        Some(Json::Array(blocks)) => &blocks[..],
        Some(Json::String(_)) => &[],
        None | Some(Json::Null) => {
            out.fault(FaultCode::MissingField, "an answer without `content`");
            return Err(Unusable);
        }
        Some(other) => {
            let text = format!("`content` has to be blocks, not {}", kind(other));
            out.fault(FaultCode::BadField, text);
            return Err(Unusable);
        }
    };
    session.note(message);
    let reason = message.get("stopReason").and_then(Json::as_str);
    session.end = match reason {
        Some("stop") => Some(RunStatus::Answered),
        Some("aborted") => Some(RunStatus::Aborted),
        _ => None,
    };
    session.run.turn(None);
    let usage = message.get("usage").and_then(|usage| usage.get("cost"));
    session
        .run
        .spend(usage.and_then(|cost| cost.get("total")), out);
    for block in blocks {
        match block.get("type").and_then(Json::as_str) {
            Some("toolCall") => {
                // What makes it unusable has been reported.
                let _ = call(session, block, ts.clone(), told, out);
            }
            Some(kind) if OTHER_BLOCKS.contains(&kind) => {}
            Some(kind) => told.skip("blocks", kind, out),
            None => out.fault(FaultCode::BadField, "a content block without a type"),
        }
    }
    if session.end == Some(RunStatus::Aborted) {
        // Its calls were never made: nothing more is to be expected for them.
        session.run.release(out);
    }
    Ok(())
}

fn call(
    session: &mut Session,
    block: &Json<'_>,
    ts: Option<Timestamp<'static>>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    once(block, &["type", "id", "name", "arguments"], out)?;
    let tool = tool_name("name", block.get("name"), out)?;
    let id = identifier("id", block.get("id"), out)?;
    let is_cut = block.get("partialJson").is_some();
    if is_cut {
        let message = "calls that were cut off while they were written have unknown arguments";
        told.assume(message, out);
    }
    let value = block.get("arguments");
    let args_unknown = is_cut || value.is_none();
    let args = if args_unknown {
        RawJson::default()
    } else {
        arguments(tool, value, out)
    };
    let call = ToolCall {
        tool: Cow::Owned(tool.to_owned()),
        id: id.map(|id| Cow::Owned(id.to_owned())),
        args,
        args_unknown,
        ts,
        ..ToolCall::default()
    };
    session.start(None, out);
    session.run.call(call, out);
    Ok(())
}

fn result(
    session: &mut Session,
    message: &Json<'_>,
    ts: Option<Timestamp<'static>>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    session.end = None;
    let id = identifier("toolCallId", message.get("toolCallId"), out)?.unwrap_or_default();
    let value = message.get("content");
    let content = Content::of(value);
    let error = match message.get("isError") {
        Some(Json::Bool(error)) => Some(*error),
        None | Some(Json::Null) => None,
        Some(other) => {
            let text = format!("`isError` has to be a boolean, not {}", kind(other));
            out.fault(FaultCode::BadField, text);
            Some(true)
        }
    };
    let text = content
        .text()
        .filter(|_| error == Some(true))
        .map(str::trim);
    let not_run = NOT_RUN.iter().find(|(own, _)| text == Some(own));
    let answer = match not_run {
        Some((_, by)) => {
            let message = "calls whose error result tells so are taken as not executed";
            told.assume(message, out);
            Answer::Refusal(by)
        }
        None => {
            check_value("a result", value.unwrap_or(&Json::Null), out);
            Answer::Result(ToolResult {
                outcome: Outcome {
                    result: content.into_raw(),
                    error,
                    ..Outcome::default()
                },
                ts,
                ..ToolResult::default()
            })
        }
    };
    session.run.answer(id, answer, out);
    Ok(())
}
