//! Blocks of messages as the Anthropic API has them: calls, results and what is neither.
//!
//! Session files of programs that use the API hold the same blocks as its requests and responses,
//! and so do the words that such a program puts into them: a refusal is an error result with a text
//! of its own.

pub mod prompt;
mod refusal;

use super::{
    Answer, Content, Out, Told, Unusable, arguments, check_value, identifier, kind, once, tool_name,
};
use crate::trace::event::{Outcome, ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// Blocks that are neither calls nor results.
const OTHER: &[&str] = &[
    "container_upload",
    "document",
    "image",
    "redacted_thinking",
    "search_result",
    "text",
    "thinking",
    "tool_reference",
];

/// A block that is about a call.
#[derive(Debug)]
pub enum Part<'j> {
    /// A call: its tool, id and arguments.
    Call(Box<ToolCall<'static>>),
    /// What became of the call of this id, which is empty where the block names none.
    Answer(&'j str, Answer),
}

/// Whether a block of this type is a call. Tools that run on the server have types of their own,
/// such as `server_tool_use`.
pub fn is_call(kind: &str) -> bool {
    kind.ends_with("tool_use")
}

/// Whether a block of this type is a result, such as `tool_result` or `web_search_tool_result`.
pub fn is_result(kind: &str) -> bool {
    kind.ends_with("tool_result")
}

/// Reads a block of a message. `None` is one that is not about a call, or one that cannot be used,
/// which has been reported.
pub fn read<'j>(block: &'j Json<'j>, told: &mut Told, out: &mut Out<'_>) -> Option<Part<'j>> {
    read_beside(block, false, told, out)
}

/// The same. `has_run` says that the tool has run, as what stands beside the block tells, whatever its
/// text says.
pub fn read_beside<'j>(
    block: &'j Json<'j>,
    has_run: bool,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Option<Part<'j>> {
    let Some(name) = block.get("type").and_then(Json::as_str) else {
        out.fault(FaultCode::BadField, "a content block without a type");
        return None;
    };
    if is_call(name) {
        return call(block, out).ok().map(|call| Part::Call(Box::new(call)));
    }
    if is_result(name) {
        return result(block, has_run, told, out).ok();
    }
    if !OTHER.contains(&name) {
        told.skip("blocks", name, out);
    }
    None
}

fn call(block: &Json<'_>, out: &mut Out<'_>) -> Result<ToolCall<'static>, Unusable> {
    once(block, &["type", "id", "name", "input"], out)?;
    let tool = tool_name("name", block.get("name"), out)?;
    // Tools of a server that the model calls by itself go by the same names as those of one that
    // the program calls.
    let server = identifier("server_name", block.get("server_name"), out)?;
    let tool = &*match server {
        Some(server) => Cow::Owned(format!("mcp__{server}__{tool}")),
        None => Cow::Borrowed(tool),
    };
    let id = identifier("id", block.get("id"), out)?;
    Ok(ToolCall {
        tool: Cow::Owned(tool.to_owned()),
        id: id.map(|id| Cow::Owned(id.to_owned())),
        args: arguments(tool, block.get("input"), out),
        ..ToolCall::default()
    })
}

fn result<'j>(
    block: &'j Json<'j>,
    has_run: bool,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<Part<'j>, Unusable> {
    once(block, &["type", "tool_use_id", "content", "is_error"], out)?;
    let id = identifier("tool_use_id", block.get("tool_use_id"), out)?.unwrap_or_default();
    let value = block.get("content");
    let content = Content::of(value);
    let error = failed(block, out);
    if let Some(by) = content
        .text()
        .filter(|_| error && !has_run)
        .and_then(refusal::by)
    {
        let message = "calls whose error result tells of a refusal are taken as not executed";
        told.assume(message, out);
        return Ok(Part::Answer(id, Answer::Refusal(by)));
    }
    check_value("a result", value.unwrap_or(&Json::Null), out);
    let result = ToolResult {
        outcome: Outcome {
            result: content.into_raw(),
            error: Some(error),
            ..Outcome::default()
        },
        ..ToolResult::default()
    };
    Ok(Part::Answer(id, Answer::Result(result)))
}

/// Whether a result is flagged as an error; tools of the server give an error block instead.
fn failed(block: &Json<'_>, out: &mut Out<'_>) -> bool {
    match block.get("is_error") {
        Some(Json::Bool(error)) => *error,
        None | Some(Json::Null) => {
            let content = block.get("content").and_then(|c| c.get("type"));
            content
                .and_then(Json::as_str)
                .is_some_and(|kind| kind.ends_with("_error"))
        }
        Some(other) => {
            let message = format!("`is_error` has to be a boolean, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            true
        }
    }
}
