//! The calls of an answer, each of them once, wherever the answer has them.

use crate::import::foreign::blocks::{self, Part};
use crate::import::foreign::{
    Answer, Content, Out, Told, Unusable, arguments, check_value, identifier, kind, once, tool_name,
};
use crate::import::openai_chat::call::{self as chat, Written};
use crate::trace::event::{Outcome, RawJson, ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// Blocks of an answer that LangChain has for tools that the server runs.
const SERVER_CALL: &str = "server_tool_call";
const SERVER_RESULT: &str = "server_tool_result";

/// What an answer holds about calls.
#[derive(Debug, Default)]
pub struct Calls<'j> {
    /// Its calls, in order.
    pub calls: Vec<ToolCall<'static>>,
    /// What became of calls of tools that the server runs, by their ids.
    pub answers: Vec<(&'j str, Answer)>,
}

/// Reads the calls of an answer.
///
/// Its `tool_calls` are them, and its `invalid_tool_calls`, whose arguments are no JSON. The same calls
/// stand in `additional_kwargs` and in the blocks of the content once more, as the model wrote them:
/// these count only in recordings that have no `tool_calls`.
pub fn read<'j>(body: &'j Json<'j>, told: &mut Told, out: &mut Out<'_>) -> Calls<'j> {
    let mut found = Calls::default();
    let listed = list(body, "tool_calls", out);
    let invalid = list(body, "invalid_tool_calls", out);
    let is_told = listed.is_some() || invalid.is_some_and(|calls| !calls.is_empty());
    let calls = listed
        .unwrap_or_default()
        .iter()
        .filter_map(|entry| listed_call(entry, out));
    found.calls.extend(calls);
    for entry in invalid.unwrap_or_default() {
        found.calls.extend(invalid_call(entry, told, out));
    }
    if !is_told {
        found.calls.extend(raw_calls(body, out));
    }
    let needs_blocks = !is_told && found.calls.is_empty();
    let blocks = body.get("content").and_then(Json::as_array);
    for block in blocks.unwrap_or_default() {
        hosted(block, needs_blocks, &mut found, told, out);
    }
    found
}

fn list<'j>(body: &'j Json<'j>, field: &str, out: &mut Out<'_>) -> Option<&'j [Json<'j>]> {
    match body.get(field) {
        None | Some(Json::Null) => None,
        Some(Json::Array(entries)) => Some(entries),
        Some(other) => {
            let message = format!("`{field}` has to be an array, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            None
        }
    }
}

fn listed_call(entry: &Json<'_>, out: &mut Out<'_>) -> Option<ToolCall<'static>> {
    if entry.get("function").is_some() {
        return chat::read(entry, out).ok().map(written);
    }
    named(entry, "args", out).ok()
}

/// A call as the model wrote it, in the older form too.
fn raw_calls(body: &Json<'_>, out: &mut Out<'_>) -> Vec<ToolCall<'static>> {
    let Some(raw) = body.get("additional_kwargs") else {
        return Vec::new();
    };
    let entries = list(raw, "tool_calls", out).unwrap_or_default();
    let read = entries.iter().map(|entry| chat::read(entry, out));
    let mut calls: Vec<_> = read.filter_map(|call| call.ok().map(written)).collect();
    if let Some(call @ Json::Object(_)) = raw.get("function_call").filter(|_| entries.is_empty()) {
        calls.extend(chat::read_legacy(call, out).ok().map(written));
    }
    calls
}

fn written(call: Written<'_>) -> ToolCall<'static> {
    ToolCall {
        tool: Cow::Owned(call.tool.into_owned()),
        id: call.id.map(|id| Cow::Owned(id.to_owned())),
        args: call.args,
        ..ToolCall::default()
    }
}

fn named(entry: &Json<'_>, args: &str, out: &mut Out<'_>) -> Result<ToolCall<'static>, Unusable> {
    if !matches!(entry, Json::Object(_)) {
        let message = format!("a call has to be an object, not {}", kind(entry));
        out.fault(FaultCode::BadField, message);
        return Err(Unusable);
    }
    once(entry, &["id", "name", args], out)?;
    let tool = tool_name("name", entry.get("name"), out)?;
    let id = identifier("id", entry.get("id"), out)?.filter(|id| !id.is_empty());
    let given = entry.get(args).filter(|args| **args != Json::Null);
    Ok(ToolCall {
        tool: Cow::Owned(tool.to_owned()),
        id: id.map(|id| Cow::Owned(id.to_owned())),
        args: given.map_or_else(RawJson::default, |args| arguments(tool, Some(args), out)),
        args_unknown: given.is_none(),
        ..ToolCall::default()
    })
}

fn invalid_call(entry: &Json<'_>, told: &mut Told, out: &mut Out<'_>) -> Option<ToolCall<'static>> {
    let message = "calls whose arguments are no JSON are calls, and their arguments stay text";
    told.assume(message, out);
    named(entry, "args", out).ok()
}

/// Reads a block of the content: a call of a tool that the server runs, or what it gave. Other calls
/// are read where the answer has no list of them.
fn hosted<'j>(
    block: &'j Json<'j>,
    is_list: bool,
    found: &mut Calls<'j>,
    told: &mut Told,
    out: &mut Out<'_>,
) {
    let Some(word) = block.get("type").and_then(Json::as_str) else {
        return;
    };
    if word == SERVER_CALL {
        found.calls.extend(named(block, "args", out).ok());
    } else if word == SERVER_RESULT {
        found.answers.extend(server_result(block, out).ok());
    } else if blocks::is_result(word) || (blocks::is_call(word) && (is_list || word != "tool_use"))
    {
        match blocks::read(block, told, out) {
            Some(Part::Call(call)) => found.calls.push(*call),
            Some(Part::Answer(id, answer)) => found.answers.push((id, answer)),
            None => {}
        }
    }
}

fn server_result<'j>(
    block: &'j Json<'j>,
    out: &mut Out<'_>,
) -> Result<(&'j str, Answer), Unusable> {
    let id = identifier("tool_call_id", block.get("tool_call_id"), out)?.unwrap_or_default();
    let output = block.get("output");
    check_value("a result", output.unwrap_or(&Json::Null), out);
    let status = block.get("status").and_then(Json::as_str);
    let result = ToolResult {
        outcome: Outcome {
            result: Content::of(output).into_raw(),
            error: status.map(|status| status == "error"),
            ..Outcome::default()
        },
        ..ToolResult::default()
    };
    Ok((id, Answer::Result(result)))
}
