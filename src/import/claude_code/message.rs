//! Rows of the user and of the assistant: calls, results and prompts.

use super::session::{Session, timestamp};
use super::{prompt, refusal};
use crate::import::foreign::{
    Answer, Content, Out, Told, Unusable, arguments, check_value, identifier, kind, once, tool_name,
};
use crate::trace::event::{Outcome, ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// Blocks of a message that are neither calls nor results.
const OTHER_BLOCKS: &[&str] = &[
    "container_upload",
    "document",
    "image",
    "redacted_thinking",
    "search_result",
    "text",
    "thinking",
    "tool_reference",
];

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
    let mut rows = Reader {
        session,
        row,
        message,
        told,
    };
    for block in content.as_array().unwrap_or_default() {
        rows.block(block, out);
    }
    if is_prompt {
        // The user goes on; results in the same row have been taken.
        session.run.release(out);
    }
}

struct Reader<'r> {
    session: &'r mut Session,
    row: &'r Json<'r>,
    message: &'r Json<'r>,
    told: &'r mut Told,
}

impl Reader<'_> {
    fn block(&mut self, block: &Json<'_>, out: &mut Out<'_>) {
        let Some(name) = block.get("type").and_then(Json::as_str) else {
            return out.fault(FaultCode::BadField, "a content block without a type");
        };
        // The calls and results of tools that run on the server have names of their own:
        // `server_tool_use`, `web_search_tool_result`.
        if name.ends_with("tool_use") {
            // What makes it unusable has been reported.
            let _ = self.call(block, out);
        } else if name.ends_with("tool_result") {
            let _ = self.result(block, out);
        } else if !OTHER_BLOCKS.contains(&name) {
            self.told.skip("blocks", name, out);
        }
    }

    fn call(&mut self, block: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
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
        let args = arguments(tool, block.get("input"), out);
        self.session.start(None, self.row, out);
        self.session.turn(self.message);
        let call = ToolCall {
            tool: Cow::Owned(tool.to_owned()),
            id: id.map(|id| Cow::Owned(id.to_owned())),
            args,
            ts: timestamp(self.row),
            ..ToolCall::default()
        };
        self.session.run.call(call, out);
        Ok(())
    }

    fn result(&mut self, block: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        once(block, &["type", "tool_use_id", "content", "is_error"], out)?;
        let id = identifier("tool_use_id", block.get("tool_use_id"), out)?.unwrap_or_default();
        let value = block.get("content");
        let content = Content::of(value);
        let error = failed(block, out);
        if let Some(by) = content.text().filter(|_| error).and_then(refusal::by) {
            let message = "calls whose error result tells of a refusal are taken as not executed";
            self.told.assume(message, out);
            self.session.run.answer(id, Answer::Refusal(by), out);
            return Ok(());
        }
        check_value("a result", value.unwrap_or(&Json::Null), out);
        let result = ToolResult {
            outcome: Outcome {
                result: content.into_raw(),
                error: Some(error),
                ..Outcome::default()
            },
            ts: timestamp(self.row),
            ..ToolResult::default()
        };
        self.session.run.answer(id, Answer::Result(result), out);
        Ok(())
    }
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
