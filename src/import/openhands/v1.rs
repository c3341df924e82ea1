//! Events of the software agent SDK.

use super::args;
use super::session::{Called, Session, result, time};
use crate::import::foreign::{Answer, Out, Told, Unusable, identifier, kind, once, tool_name};
use crate::trace::event::{RunStatus, ToolCall};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// Kinds of events that hold no call and no result.
const OTHER_KINDS: &[&str] = &[
    "Condensation",
    "CondensationRequest",
    "CondensationSummaryEvent",
    "ConversationIterationLimitEvent",
    "HookExecutionEvent",
    "LLMCompletionLogEvent",
    "PauseEvent",
    "StreamingDeltaEvent",
    "SystemPromptEvent",
    "TokenEvent",
];

/// The tool by which the agent gives its answer.
const FINISH: &str = "finish";

/// Reads an event.
///
/// # Errors
/// It cannot be used; the fault has been reported.
pub fn read(
    session: &mut Session,
    event: &Json<'_>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    match identifier("kind", event.get("kind"), out)? {
        Some("ActionEvent") => action(session, event, told, out)?,
        Some("ObservationEvent") => {
            let observation = event.get("observation");
            let of = |field: &str| observation.and_then(|o| o.get(field));
            let error = match of("is_error").or_else(|| of("error")) {
                Some(Json::Bool(error)) => Some(*error),
                _ => None,
            };
            let value = of("content").or_else(|| of("output")).or(observation);
            let answer = result(value, error, event, told, out);
            answer_of(session, event, answer, out)?;
        }
        Some("AgentErrorEvent") => {
            let answer = result(event.get("error"), Some(true), event, told, out);
            answer_of(session, event, answer, out)?;
        }
        Some("UserRejectObservation") => {
            let by = event.get("rejection_source").and_then(Json::as_str);
            let by = if by == Some("hook") { "hook" } else { "user" };
            answer_of(session, event, Answer::Refusal(by), out)?;
        }
        Some("MessageEvent") => message(session, event, told, out),
        Some("InterruptEvent" | "ConversationErrorEvent") => {
            session.end = Some(RunStatus::Aborted);
        }
        Some("ConversationStateUpdateEvent") => state(session, event),
        Some("ACPToolCallEvent") => {
            let message = "a call of an agent behind the Agent Client Protocol is not read";
            out.fault(FaultCode::UnknownType, message);
        }
        Some(kind) if OTHER_KINDS.contains(&kind) => {}
        Some(kind) => told.skip_unless_call("events", kind, event, out),
        None => out.fault(FaultCode::MissingField, "an event without `kind`"),
    }
    Ok(())
}

fn text(event: &Json<'_>, field: &str, out: &mut Out<'_>) -> Result<Option<String>, Unusable> {
    let text = identifier(field, event.get(field), out)?;
    Ok(text.filter(|text| !text.is_empty()).map(str::to_owned))
}

fn action(
    session: &mut Session,
    event: &Json<'_>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    let none = Json::Null;
    let written = event.get("tool_call").unwrap_or(&none);
    once(written, &["id", "name", "arguments"], out)?;
    let name = event.get("tool_name").or_else(|| written.get("name"));
    let tool = tool_name("tool_name", name, out)?;
    let id = event.get("tool_call_id").or_else(|| written.get("id"));
    let id = identifier("tool_call_id", id, out)?.filter(|id| !id.is_empty());
    let event_id = text(event, "id", out)?;
    let valid = match event.get("action") {
        Some(valid @ Json::Object(_)) => Some(valid),
        None | Some(Json::Null) => None,
        Some(other) => {
            let message = format!("`action` has to be an object, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            None
        }
    };
    let args = match (written.get("arguments"), valid) {
        (None, Some(valid)) => {
            let valid = args::without(valid, &["kind"]);
            args::written(tool, Some(&valid), None, out)
        }
        (value, _) => args::written(tool, value, valid, out),
    };
    let called = Called {
        call: ToolCall {
            tool: Cow::Owned(tool.to_owned()),
            id: id
                .map(str::to_owned)
                .or_else(|| event_id.clone())
                .map(Cow::Owned),
            args_unknown: args.is_none(),
            args: args.unwrap_or_default(),
            ts: time(event, told, out),
            ..ToolCall::default()
        },
        event: event_id,
        answer: text(event, "llm_response_id", out)?,
    };
    session.call(called, event, told, out);
    if tool == FINISH && valid.is_some() {
        session.end = Some(RunStatus::Answered);
    }
    Ok(())
}

/// An observation is of the call it names, else of the one of the event it names.
fn answer_of(
    session: &mut Session,
    event: &Json<'_>,
    answer: Answer,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    let action = identifier("action_id", event.get("action_id"), out)?;
    let id = identifier("tool_call_id", event.get("tool_call_id"), out)?;
    let id = id.filter(|id| !id.is_empty());
    let call = match id {
        Some(id) if session.run.knows(id) => id.to_owned(),
        _ => {
            let found = session.find(action, id);
            found.or(id.map(str::to_owned)).unwrap_or_default()
        }
    };
    session.answer(action, &call, answer, out);
    Ok(())
}

fn message(session: &mut Session, event: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
    let content = event
        .get("llm_message")
        .and_then(|message| message.get("content"));
    match event.get("source").and_then(Json::as_str) {
        Some("user") => session.user(content, event, told, out),
        Some("agent") => session.end = Some(RunStatus::Answered),
        _ => {}
    }
}

/// The state of the conversation, of which only an end matters.
fn state(session: &mut Session, event: &Json<'_>) {
    let text = |field: &str| event.get(field).and_then(Json::as_str);
    let is_status = matches!(text("key"), Some("execution_status" | "agent_status"));
    match text("value").filter(|_| is_status) {
        Some("finished") => session.end = Some(RunStatus::Answered),
        Some("error" | "stuck") => session.end = Some(RunStatus::Aborted),
        _ => {}
    }
}
