//! Rows of the user and of the assistant: calls, results and prompts.

use super::held::Answer;
use super::run::{Run, timestamp};
use super::{prompt, refusal};
use crate::import::foreign::ids::Fingerprint;
use crate::import::foreign::record::kind;
use crate::import::foreign::{
    Content, Out, Pairing, Unusable, arguments, check_value, identifier, once, quote,
};
use crate::trace::event::{Outcome, ToolCall, ToolResult};
use crate::trace::fault::{FaultCode, WarningCode};
use crate::trace::json::Json;
use std::borrow::Cow;
use std::collections::BTreeSet;

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
    run: &mut Run,
    row: &Json<'_>,
    is_user: bool,
    told: &mut BTreeSet<String>,
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
        run.start(intent, row, out);
    }
    let mut rows = Reader {
        run,
        row,
        message,
        told,
    };
    for block in content.as_array().unwrap_or_default() {
        rows.block(block, out);
    }
    if is_prompt {
        // The user goes on; results in the same row have been taken.
        run.release(out);
    }
}

struct Reader<'r> {
    run: &'r mut Run,
    row: &'r Json<'r>,
    message: &'r Json<'r>,
    told: &'r mut BTreeSet<String>,
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
        } else if !OTHER_BLOCKS.contains(&name) && self.told.insert(format!("block {name}")) {
            let message = format!("blocks of the unknown type {} are skipped", quote(name));
            out.warn(WarningCode::Assumed, message);
        }
    }

    fn call(&mut self, block: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        once(block, &["type", "id", "name", "input"], out)?;
        let tool = match identifier("name", block.get("name"), out)? {
            Some("") => {
                out.fault(FaultCode::BadField, "a call with an empty tool name");
                return Err(Unusable);
            }
            Some(tool) => tool,
            None => {
                out.fault(FaultCode::MissingField, "a call without `name`");
                return Err(Unusable);
            }
        };
        // Tools of a server that the model calls by itself go by the same names as those of one that
        // the program calls.
        let server = identifier("server_name", block.get("server_name"), out)?;
        let tool = &*match server {
            Some(server) => Cow::Owned(format!("mcp__{server}__{tool}")),
            None => Cow::Borrowed(tool),
        };
        let id = identifier("id", block.get("id"), out)?.filter(|id| !id.is_empty());
        let args = arguments(tool, block.get("input"), out);
        let print = Fingerprint::of(tool, args.bytes());
        if id.is_some_and(|id| self.run.ids.repeats(id, print)) {
            self.run.repeated(out.place());
            return Ok(());
        }
        let unique = id.map(|id| self.unique(id, print, out));
        self.run.start(None, self.row, out);
        let turn = self.run.turn(self.message);
        let call = ToolCall {
            tool: Cow::Owned(tool.to_owned()),
            id: unique.map(Cow::Owned),
            turn: Some(turn),
            args,
            ts: timestamp(self.row),
            ..ToolCall::default()
        };
        self.run.call(call, out);
        Ok(())
    }

    fn unique(&mut self, id: &str, print: Fingerprint, out: &mut Out<'_>) -> String {
        let unique = self.run.ids.add(id, print);
        if unique != id {
            let message = format!(
                "the call id {} comes back with other content, taken as {}",
                quote(id),
                quote(&unique)
            );
            out.warn(WarningCode::Assumed, message);
        }
        unique
    }

    fn result(&mut self, block: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        once(block, &["type", "tool_use_id", "content", "is_error"], out)?;
        let id = identifier("tool_use_id", block.get("tool_use_id"), out)?.unwrap_or_default();
        let call = if id.is_empty() {
            let message = "a result that names no call is taken as the result of none";
            out.warn(WarningCode::Assumed, message);
            String::new()
        } else {
            match self.run.ids.close(id) {
                Pairing::Answered { repeated: true, .. } => return Ok(()),
                Pairing::Open(call) | Pairing::Answered { id: call, .. } => call,
                Pairing::Unknown => id.to_owned(),
            }
        };
        let value = block.get("content");
        let content = Content::of(value);
        let error = failed(block, out);
        if let Some(by) = content.text().filter(|_| error).and_then(refusal::by) {
            self.tell_refusal(out);
            self.run.answer(call, Answer::Refusal(by), out);
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
        self.run.answer(call, Answer::Result(result), out);
        Ok(())
    }

    fn tell_refusal(&mut self, out: &mut Out<'_>) {
        if self.told.insert("refusal".to_owned()) {
            let message = "calls whose error result tells of a refusal are taken as not executed";
            out.warn(WarningCode::Assumed, message);
        }
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
