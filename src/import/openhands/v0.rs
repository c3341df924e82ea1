//! Events of the first version of OpenHands.

use super::args;
use super::session::{Called, Session, result, time};
use crate::import::foreign::{Answer, Out, Told, Unusable, arguments, identifier, once, tool_name};
use crate::trace::event::{ApprovalOutcome, RawJson, RunStatus, ToolCall};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// Actions by which the program, not the agent, does something, or that do nothing.
const OTHER_ACTIONS: &[&str] = &[
    "change_agent_state",
    "condensation",
    "condensation_request",
    "initialize",
    "loop_recovery",
    "null",
    "pause",
    "recall",
    "resume",
    "stop",
    "summarize",
    "system",
];

/// Observations that are of no call.
const OTHER_OBSERVATIONS: &[&str] = &[
    "chat",
    "condense",
    "llm_response",
    "loop_detection",
    "message",
    "microagent",
    "null",
    "recall",
    "workspace_context",
];

/// What the program adds to the arguments of an action.
const BOOKKEEPING: &[&str] = &["confirmation_state", "hidden", "security_risk", "thought"];

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
    let total = event
        .get("llm_metrics")
        .and_then(|m| m.get("accumulated_cost"));
    session.cost(total, out);
    if let Some(action) = identifier("action", event.get("action"), out)? {
        return self::action(session, action, event, told, out);
    }
    if let Some(observation) = identifier("observation", event.get("observation"), out)? {
        return self::observation(session, observation, event, told, out);
    }
    let message = "an event without `action` and without `observation`";
    out.fault(FaultCode::MissingField, message);
    Err(Unusable)
}

/// The id of an event, which is a number.
fn key(field: &str, event: &Json<'_>, out: &mut Out<'_>) -> Result<Option<String>, Unusable> {
    match event.get(field) {
        Some(Json::Number(number)) => Ok(Some((*number).to_owned())),
        value => Ok(identifier(field, value, out)?.map(str::to_owned)),
    }
}

fn action(
    session: &mut Session,
    action: &str,
    event: &Json<'_>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    let args = event.get("args");
    let arg = |field: &str| args.and_then(|args| args.get(field));
    let source = event.get("source").and_then(Json::as_str);
    match action {
        "message" if source == Some("user") => session.user(arg("content"), event, told, out),
        "start" if source == Some("user") => session.user(arg("task"), event, told, out),
        "message" => session.end = Some(RunStatus::Answered),
        _ if OTHER_ACTIONS.contains(&action) => {}
        _ if matches!(source, Some("user" | "environment")) => {
            let message =
                "actions of the user and of the environment are not the agent's and are left out";
            told.assume(message, out);
            session.leave_out(key("id", event, out)?);
        }
        _ => return call(session, action, event, told, out),
    }
    Ok(())
}

fn call(
    session: &mut Session,
    action: &str,
    event: &Json<'_>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    let none = Json::Null;
    let args = event.get("args");
    let arg = |field: &str| args.and_then(|args| args.get(field));
    let metadata = event.get("tool_call_metadata").unwrap_or(&none);
    once(
        metadata,
        &["tool_call_id", "function_name", "model_response"],
        out,
    )?;
    let event_id = key("id", event, out)?;
    let id = identifier("tool_call_id", metadata.get("tool_call_id"), out)?;
    let id = id.filter(|id| !id.is_empty());
    let is_mcp = matches!(action, "call_tool_mcp" | "mcp");
    let name = metadata
        .get("function_name")
        .or(arg("name").filter(|_| is_mcp));
    let tool = match name {
        None | Some(Json::Null) => action,
        name => tool_name("function_name", name, out)?,
    };
    let response = metadata.get("model_response");
    let written = response.and_then(|response| of_response(response, id?));
    let own = if is_mcp { arg("arguments") } else { None };
    let read = match (written, own, args) {
        (Some(written), own, _) => args::written(tool, Some(written), own.or(Some(&none)), out),
        (None, Some(own), _) => Some(arguments(tool, Some(own), out)),
        (None, None, Some(args)) => {
            // What it thinks is all that `think` does.
            let left_out = match action {
                "think" => &BOOKKEEPING[..BOOKKEEPING.len() - 1],
                _ => BOOKKEEPING,
            };
            Some(arguments(tool, Some(&args::without(args, left_out)), out))
        }
        (None, None, None) => None,
    };
    let answer = response.and_then(|response| response.get("id"));
    let mut call = ToolCall {
        tool: Cow::Owned(tool.to_owned()),
        id: id
            .map(str::to_owned)
            .or_else(|| event_id.clone())
            .map(Cow::Owned),
        args_unknown: read.is_none(),
        args: read.unwrap_or_default(),
        ts: time(event, told, out),
        ..ToolCall::default()
    };
    let answer = identifier("id", answer, out)?.map(str::to_owned);
    let same = same(action, id, args);
    let state = arg("confirmation_state").and_then(Json::as_str);
    match state {
        Some("confirmed") => session.decide(&same, ApprovalOutcome::Approved, &mut call),
        Some("rejected") => session.decide(&same, ApprovalOutcome::Denied, &mut call),
        _ => {}
    }
    let called = Called {
        call,
        event: event_id,
        answer,
    };
    if state == Some("awaiting_confirmation") {
        session.begin(event, told, out);
        session.wait(called, same, out);
        return Ok(());
    }
    session.call(called, event, told, out);
    match action {
        "finish" => session.end = Some(RunStatus::Answered),
        "reject" => session.end = Some(RunStatus::Aborted),
        _ => {}
    }
    Ok(())
}

/// The arguments that the model wrote, in the whole answer that is kept with each of its calls.
fn of_response<'j>(response: &'j Json<'j>, id: &str) -> Option<&'j Json<'j>> {
    let choices = response.get("choices")?.as_array()?;
    let calls = choices.iter().filter_map(|choice| {
        let calls = choice.get("message")?.get("tool_calls")?;
        calls.as_array()
    });
    let is_it = |call: &&Json<'_>| call.get("id").and_then(Json::as_str) == Some(id);
    let call = calls.flatten().find(is_it)?;
    call.get("function")?.get("arguments")
}

/// What tells that an action is one that waited: the thought is taken out when it comes again.
fn same(action: &str, id: Option<&str>, args: Option<&Json<'_>>) -> String {
    if let Some(id) = id {
        return id.to_owned();
    }
    let args = args.map(|args| RawJson::from_json(&args::without(args, BOOKKEEPING)));
    let args = args.unwrap_or_default();
    format!("{action} {}", String::from_utf8_lossy(args.bytes()))
}

fn observation(
    session: &mut Session,
    observation: &str,
    event: &Json<'_>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    let extra = |field: &str| event.get("extras").and_then(|extras| extras.get(field));
    if observation == "agent_state_changed" {
        state(session, extra("agent_state").and_then(Json::as_str));
        return Ok(());
    }
    let cause = key("cause", event, out)?;
    let cause = cause.as_deref();
    if OTHER_OBSERVATIONS.contains(&observation) || session.is_left_out(cause) {
        return Ok(());
    }
    let metadata = event.get("tool_call_metadata");
    let id = metadata.and_then(|metadata| metadata.get("tool_call_id"));
    let id = identifier("tool_call_id", id, out)?;
    let call = match session.find(cause, id) {
        Some(call) => call,
        // Errors of the program itself are of no call.
        None if observation == "error" => return Ok(()),
        None => id.or(cause).unwrap_or_default().to_owned(),
    };
    let answer = if observation == "user_rejected" {
        Answer::Refusal("user")
    } else {
        let failed = match (event.get("success"), extra("error")) {
            _ if observation == "error" => Some(true),
            (Some(Json::Bool(success)), _) => Some(!success),
            (_, Some(Json::Bool(error))) => Some(*error),
            _ => None,
        };
        result(event.get("content"), failed, event, told, out)
    };
    session.answer(cause, &call, answer, out);
    Ok(())
}

fn state(session: &mut Session, state: Option<&str>) {
    match state {
        Some("finished") => session.end = Some(RunStatus::Answered),
        Some("error" | "rejected") => session.end = Some(RunStatus::Aborted),
        // What has answered is stopped when the program ends.
        Some("stopped") if session.end.is_none() => session.end = Some(RunStatus::Aborted),
        _ => {}
    }
}
