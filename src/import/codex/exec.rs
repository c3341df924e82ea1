//! The lines of `codex exec --json`: items that start, change and are complete.

use crate::import::foreign::{
    Answer, Content, Out, Run, Told, Unusable, arguments, check_value, identifier, once, tool_name,
};
use crate::trace::event::{Outcome, RawJson, RunStart, ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::{Damage, Json, Text};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Types of lines other than those about items.
const LINES: &[&str] = &[
    "error",
    "item.plan.delta",
    "request_user_input",
    "session.created",
    "thread.started",
    "turn.completed",
    "turn.failed",
    "turn.started",
];

/// Types of items that are no calls.
const OTHERS: &[&str] = &[
    "agent_message",
    "assistant_message",
    "error",
    "plan",
    "reasoning",
    // The state of a list that the agent keeps for itself.
    "todo_list",
    "user_message",
];

/// Fields of an item that decide what it is.
const FIELDS: &[&str] = &[
    "id",
    "type",
    "item_type",
    "command",
    "server",
    "tool",
    "arguments",
    "changes",
    "query",
    "status",
    "exit_code",
];

/// Refusals that an MCP call fails with.
const REFUSALS: &[&str] = &[
    "user cancelled MCP tool call",
    "user rejected MCP tool call",
];

/// Whether a line of this type is one of an exec stream.
pub fn is_line(kind: &str) -> bool {
    matches!(kind, "item.started" | "item.updated" | "item.completed") || LINES.contains(&kind)
}

/// Whether a line of this type begins a thread.
pub fn is_beginning(kind: &str) -> bool {
    matches!(kind, "thread.started" | "session.created")
}

/// A thread.
pub struct Stream {
    /// Its run.
    pub run: Run,
    /// Items that have started and are not complete, by id.
    open: BTreeMap<String, Started>,
}

/// An item that has started.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Started {
    /// Its call has been handed on.
    Called,
    /// It tells what it does when it is complete.
    Unsaid,
}

impl From<Stream> for Run {
    fn from(stream: Stream) -> Run {
        stream.run
    }
}

/// An item that is a call.
struct Call<'j> {
    id: &'j str,
    tool: Cow<'j, str>,
    args: Option<RawJson<'static>>,
}

impl Stream {
    /// A thread of which nothing has been seen.
    pub fn new(name: Option<String>) -> Self {
        Stream {
            run: Run::new(name),
            open: BTreeMap::new(),
        }
    }

    /// Reads a line.
    pub fn line(&mut self, kind: &str, line: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        self.run.begin(RunStart::default(), out);
        match kind {
            "item.started" | "item.completed" => {
                let Some(item @ Json::Object(_)) = line.get("item") else {
                    return out.fault(FaultCode::MissingField, "a line of an item without `item`");
                };
                // What makes an item unusable has been reported.
                let _ = self.item(item, kind == "item.completed", told, out);
            }
            // Nothing that is open will be complete.
            "turn.completed" | "turn.failed" | "turn.started" => self.close(out),
            _ if is_beginning(kind) => self.close(out),
            _ => {}
        }
    }

    fn item(
        &mut self,
        item: &Json<'_>,
        is_complete: bool,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        once(item, FIELDS, out)?;
        let field = if item.get("type").is_some() {
            "type"
        } else {
            "item_type"
        };
        let kind = identifier(field, item.get(field), out)?.unwrap_or_default();
        let id = identifier("id", item.get("id"), out)?.unwrap_or_default();
        if OTHERS.contains(&kind) {
            return Ok(());
        }
        if !is_complete && kind == "web_search" {
            // It says what it looks for when it is complete.
            self.open.insert(id.to_owned(), Started::Unsaid);
            return Ok(());
        }
        if self.open.remove(id).filter(|_| is_complete) != Some(Started::Called) {
            let Some(call) = call(item, kind, id, out)? else {
                told.skip("items", kind, out);
                return Ok(());
            };
            let unique = self.call(call, told, out);
            if id.is_empty() && is_complete {
                let unique = unique.unwrap_or_default();
                self.run.answer(&unique, answer(item, out), out);
                return Ok(());
            }
        }
        if is_complete {
            self.run.answer(id, answer(item, out), out);
        } else {
            self.open.insert(id.to_owned(), Started::Called);
        }
        Ok(())
    }

    fn call(&mut self, call: Call<'_>, told: &mut Told, out: &mut Out<'_>) -> Option<String> {
        if self.open.is_empty() {
            self.run.turn(None);
        }
        if call.args.is_none() {
            told.assume("arguments that are not recorded are not known", out);
        }
        let unknown = call.args.is_none();
        let call = ToolCall {
            tool: Cow::Owned(call.tool.into_owned()),
            id: Some(Cow::Owned(call.id.to_owned())),
            args: call.args.unwrap_or_default(),
            args_unknown: unknown,
            ..ToolCall::default()
        };
        self.run.call(call, out)
    }

    /// Nothing that has started will be complete.
    pub fn close(&mut self, out: &mut Out<'_>) {
        for (id, started) in std::mem::take(&mut self.open) {
            if started == Started::Unsaid {
                self.run.turn(None);
                let call = ToolCall {
                    tool: Cow::Borrowed("web_search"),
                    id: Some(Cow::Owned(id)),
                    args_unknown: true,
                    ..ToolCall::default()
                };
                self.run.call(call, out);
            }
        }
        self.run.release(out);
    }
}

/// The call of an item; `None` if its type is not known.
fn call<'j>(
    item: &'j Json<'j>,
    kind: &'j str,
    id: &'j str,
    out: &mut Out<'_>,
) -> Result<Option<Call<'j>>, Unusable> {
    let fields: &[&'static str] = match kind {
        "command_execution" => &["command"],
        "file_change" => &["changes"],
        "web_search" => &["query", "action"],
        "collab_tool_call" => &["prompt", "receiver_thread_ids"],
        "mcp_tool_call" => &[],
        _ => return Ok(None),
    };
    let tool = match kind {
        "mcp_tool_call" => {
            let tool = tool_name("tool", item.get("tool"), out)?;
            match identifier("server", item.get("server"), out)? {
                Some(server) => Cow::Owned(format!("mcp__{server}__{tool}")),
                None => Cow::Borrowed(tool),
            }
        }
        "collab_tool_call" => Cow::Borrowed(tool_name("tool", item.get("tool"), out)?),
        kind => Cow::Borrowed(kind),
    };
    let given = |field: &'static str| {
        let value = item.get(field).filter(|value| **value != Json::Null)?;
        let key = Text {
            text: Cow::Borrowed(field),
            damage: Damage::None,
        };
        Some((key, value.clone()))
    };
    let members: Vec<_> = fields.iter().copied().filter_map(given).collect();
    let object = Json::Object(members);
    let args = match (
        kind,
        item.get("arguments").filter(|args| **args != Json::Null),
    ) {
        ("mcp_tool_call", args) => args.map(|args| arguments(&tool, Some(args), out)),
        _ if object == Json::Object(Vec::new()) => None,
        _ => Some(arguments(&tool, Some(&object), out)),
    };
    Ok(Some(Call { id, tool, args }))
}

/// What became of a call that is complete.
fn answer(item: &Json<'_>, out: &mut Out<'_>) -> Answer {
    let given = |field: &str| item.get(field).filter(|value| **value != Json::Null);
    let status = given("status").and_then(Json::as_str);
    let error = given("error");
    let message = error.map(|error| error.get("message").unwrap_or(error));
    if status == Some("declined") {
        return Answer::Refusal("approval");
    }
    if message
        .and_then(Json::as_str)
        .is_some_and(|text| REFUSALS.contains(&text))
    {
        return Answer::Refusal("user");
    }
    let result = given("result").map(|result| result.get("content").unwrap_or(result));
    let value = message
        .or(given("aggregated_output"))
        .or(result)
        .or(given("agents_states"));
    if let Some(value) = value {
        check_value("a result", value, out);
    }
    let failed = match given("exit_code") {
        Some(Json::Number(code)) => Some(*code != "0"),
        _ => None,
    };
    let error = match status {
        _ if error.is_some() => Some(true),
        Some("failed") => Some(true),
        Some("completed") => Some(failed.unwrap_or_default()),
        _ => failed,
    };
    Answer::Result(ToolResult {
        outcome: Outcome {
            result: Content::of(value).into_raw(),
            error,
            ..Outcome::default()
        },
        ..ToolResult::default()
    })
}
