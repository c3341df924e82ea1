//! One call and what became of it, of all that the log tells.

use super::attachments::Attachments;
use super::decision::Decision;
use super::turns::Call;
use crate::import::foreign::{
    Answer, Content, Out, Told, Unit, Unusable, arguments, check_value, identifier, kind, once,
    quote, timestamp, tool_name,
};
use crate::trace::event::{Outcome, RawJson, ToolCall, ToolResult};
use crate::trace::fault::{FaultCode, WarningCode};
use crate::trace::json::Json;
use std::borrow::Cow;

/// Fields of a call that decide what it is, and of its event what became of it.
const FIELDS: &[&str] = &["id", "function", "arguments", "result", "error", "failed"];

/// A call that can be handed on.
pub struct Read {
    /// The call. It names no run and no turn.
    pub call: ToolCall<'static>,
    /// What came back; `None` if nothing did.
    pub answer: Option<Answer>,
    /// Whether the sample was ended over it.
    pub terminates: bool,
}

/// Reads a call.
///
/// # Errors
/// Nothing of it can be used; the fault has been reported.
pub fn read<'j>(
    call: &Call<'j>,
    attachments: &mut Attachments<'j>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<Read, Unusable> {
    let seen = call.event.or(call.asked).ok_or(Unusable)?;
    if !matches!(seen, Json::Object(_)) {
        let message = format!("a call has to be an object, not {}", kind(seen));
        out.fault(FaultCode::BadField, message);
        return Err(Unusable);
    }
    once(seen, FIELDS, out)?;
    let error = call
        .event
        .or(call.message)
        .and_then(|from| from.get("error"));
    let error = error.filter(|error| **error != Json::Null);
    let of = |field: &str| error.and_then(|error| error.get(field)?.as_str());
    let decision = Decision::of(call, of("type") == Some("approval"), out)?;
    let ran = decision.modified.unwrap_or(seen);
    once(ran, FIELDS, out)?;
    let tool = tool_name("function", ran.get("function"), out)?;
    if decision.modified.is_some() {
        let message = "calls that an approver modified are taken as they ran";
        told.assume(message, out);
    }
    let id = identifier("id", seen.get("id"), out)?;
    let parse_error = call.asked.and_then(|asked| asked.get("parse_error"));
    let is_unparsed =
        of("type") == Some("parsing") || parse_error.is_some_and(|error| *error != Json::Null);
    let (args, args_unknown) = read_arguments(tool, ran, is_unparsed, attachments, told, out);
    let made = call.event.and_then(|event| event.get("timestamp"));
    let asked = call.asked_in.and_then(|event| {
        let done = event.get("completed").filter(|at| **at != Json::Null);
        done.or(event.get("timestamp"))
    });
    let ts = timestamp(made.or(asked), Unit::Seconds, told, out);
    let answer = if decision.is_refusal() {
        None
    } else {
        answer(call, error, attachments, told, out)
    };
    let call = ToolCall {
        tool: Cow::Owned(tool.to_owned()),
        id: id.map(|id| Cow::Owned(id.to_owned())),
        args,
        args_unknown,
        recorded: decision.recorded,
        approval: decision.approval,
        ts,
        ..ToolCall::default()
    };
    Ok(Read {
        call,
        answer,
        terminates: decision.terminates,
    })
}

fn read_arguments<'j>(
    tool: &str,
    call: &'j Json<'j>,
    is_unparsed: bool,
    attachments: &mut Attachments<'j>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> (RawJson<'static>, bool) {
    let unknown = (RawJson::default(), true);
    let value = match call.get("arguments") {
        None | Some(Json::Null) => return unknown,
        Some(Json::Object(members)) if is_unparsed && members.is_empty() => return unknown,
        Some(value) => value,
    };
    let value = attachments.resolve(value, told, out);
    if attachments.take_missing() {
        let tool = quote(tool);
        let message =
            format!("the arguments of {tool} refer to what is not there, and are unknown");
        out.warn(WarningCode::Assumed, message);
        return unknown;
    }
    (arguments(tool, Some(&value), out), false)
}

/// What came back; `None` where the call is still under way, or nobody says.
fn answer<'j>(
    call: &Call<'j>,
    error: Option<&'j Json<'j>>,
    attachments: &mut Attachments<'j>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Option<Answer> {
    let (value, ts) = match (call.event, call.message) {
        (Some(event), _) => {
            if event.get("pending") == Some(&Json::Bool(true)) {
                return None;
            }
            (event.get("result"), event.get("completed"))
        }
        (None, Some(message)) => (message.get("content"), None),
        (None, None) => return None,
    };
    let failed = call.event.and_then(|event| event.get("failed")) == Some(&Json::Bool(true));
    let result = value.map(|value| attachments.resolve(value, told, out));
    attachments.take_missing();
    check_value("a result", result.as_deref().unwrap_or(&Json::Null), out);
    let content = Content::of(result.as_deref());
    let is_empty = match &content {
        Content::Nothing => true,
        Content::Text(text) => text.trim().is_empty(),
        Content::Other(_) => false,
    };
    let words = error.and_then(|error| error.get("message").or(Some(error)));
    let result = match words {
        Some(words) if is_empty => {
            let words = attachments.resolve(words, told, out);
            attachments.take_missing();
            check_value("an error", &words, out);
            Some(RawJson::from_json(&words))
        }
        _ => content.into_raw(),
    };
    Some(Answer::Result(ToolResult {
        outcome: Outcome {
            result,
            error: Some(failed || error.is_some()),
            ..Outcome::default()
        },
        ts: timestamp(ts, Unit::Seconds, told, out),
        ..ToolResult::default()
    }))
}
