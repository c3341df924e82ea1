//! Items of OpenAI's Responses API, which Codex writes into its recordings too: a call is an item,
//! and what it gave is another one, or a part of the same item where the server ran the tool.
//!
//! A type that ends in `_call` is a call even if it is not known, so that a new kind of call cannot
//! slip by. A call of a hosted tool is named after its type without that ending.

use super::args::arguments;
use super::content::Content;
use super::held::Answer;
use super::out::{Out, quote};
use super::run::Run;
use super::stranger::may_call;
use super::text::{Unusable, check_value, identifier, once, tool_name};
use super::told::Told;
use crate::trace::event::{
    ApprovalOutcome, Outcome, RawJson, Recorded, Timestamp, ToolCall, ToolResult,
};
use crate::trace::fault::FaultCode;
use crate::trace::json::{self, Damage, Json, Text};
use std::borrow::Cow;

/// Fields of an item that decide what it is.
const FIELDS: &[&str] = &[
    "type",
    "role",
    "call_id",
    "id",
    "name",
    "namespace",
    "server_label",
    "arguments",
    "input",
    "action",
    "output",
    "error",
    "status",
];

/// Types of items that are neither calls nor results.
const OTHERS: &[&str] = &[
    "additional_tools",
    "agent_message",
    "compaction",
    "compaction_summary",
    "compaction_trigger",
    "context_compaction",
    "ghost_snapshot",
    "item_reference",
    "mcp_list_tools",
    "reasoning",
];

/// Longest text that is taken for a mark of something left out, in bytes.
const MARK: usize = 100;

/// An item.
#[derive(Debug)]
pub enum Item<'j> {
    /// A call.
    Call(ItemCall<'j>),
    /// What an earlier call gave.
    Output(ItemOutput<'j>),
    /// Somebody's words.
    Message,
    /// A request for approval of a call to a server: not a call yet.
    Request(ItemCall<'j>),
    /// The answer to such a request.
    Response,
    /// Neither, and known not to be.
    Other,
}

/// A call.
#[derive(Debug)]
pub struct ItemCall<'j> {
    /// Name of the tool, never empty.
    pub tool: Cow<'j, str>,
    /// What its result names it by; absent where the item has no id.
    pub id: Option<&'j str>,
    /// Its arguments; `None` means that the recording does not tell them.
    pub args: Option<RawJson<'static>>,
    /// How it came out, where the item says so itself.
    pub outcome: Option<Outcome<'static>>,
}

/// What a call gave.
#[derive(Debug)]
pub struct ItemOutput<'j> {
    /// The call; empty where the item names none.
    pub id: &'j str,
    /// What it gave, as recorded; absent means nothing.
    pub value: Option<&'j Json<'j>>,
    /// Whether it failed, where the item says so.
    pub error: Option<bool>,
}

/// Reads an item.
///
/// # Errors
/// It cannot be used; the fault has been reported.
pub fn read<'j>(
    item: &'j Json<'j>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<Item<'j>, Unusable> {
    once(item, FIELDS, out)?;
    let kind = match identifier("type", item.get("type"), out)? {
        Some(kind) => kind,
        None if item.get("role").is_some() => "message",
        None => {
            out.fault(FaultCode::MissingField, "an item without `type`");
            return Err(Unusable);
        }
    };
    Ok(match kind {
        "message" => check_message(item, out).map(|()| Item::Message)?,
        "mcp_approval_request" => Item::Request(call(item, kind, told, out)?),
        "mcp_approval_response" => Item::Response,
        _ if kind.ends_with("_call") => Item::Call(call(item, kind, told, out)?),
        _ if is_output(kind) => Item::Output(output(item, out)?),
        _ if OTHERS.contains(&kind) => Item::Other,
        _ => {
            told.skip_unless_call("items", kind, item, out);
            Item::Other
        }
    })
}

/// Checks that a message is one of the API, whose messages hold no calls and no results.
fn check_message(message: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
    let role = message.get("role").and_then(Json::as_str);
    if matches!(role, Some("tool" | "function")) || may_call(message) {
        let text =
            "a message with calls or results of its own, as chat messages have them, is not used";
        out.fault(FaultCode::UnknownType, text);
        return Err(Unusable);
    }
    Ok(())
}

/// Whether an item of this type is what a call gave.
pub fn is_output(kind: &str) -> bool {
    kind.ends_with("_call_output") || kind == "tool_search_output"
}

fn call<'j>(
    item: &'j Json<'j>,
    kind: &'j str,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<ItemCall<'j>, Unusable> {
    let named = identifier("call_id", item.get("call_id"), out)?.filter(|id| !id.is_empty());
    let own = identifier("id", item.get("id"), out)?.filter(|id| !id.is_empty());
    let tool = tool(item, kind, out)?;
    let args = args(&tool, item, kind, out);
    if args.is_none() {
        told.assume("arguments that are not recorded are not known", out);
    }
    Ok(ItemCall {
        tool,
        id: named.or(own),
        args,
        outcome: outcome(item, kind, out),
    })
}

fn tool<'j>(
    item: &'j Json<'j>,
    kind: &'j str,
    out: &mut Out<'_>,
) -> Result<Cow<'j, str>, Unusable> {
    match kind {
        "function_call" | "custom_tool_call" => {
            let name = tool_name("name", item.get("name"), out)?;
            let space = identifier("namespace", item.get("namespace"), out)?;
            Ok(match space.filter(|space| !name.starts_with(*space)) {
                None | Some("") => Cow::Borrowed(name),
                Some(space) if space.ends_with("__") || name.starts_with("__") => {
                    Cow::Owned(format!("{space}{name}"))
                }
                Some(space) => Cow::Owned(format!("{space}__{name}")),
            })
        }
        "mcp_call" | "mcp_approval_request" => {
            let name = tool_name("name", item.get("name"), out)?;
            Ok(
                match identifier("server_label", item.get("server_label"), out)? {
                    Some(server) => Cow::Owned(format!("mcp__{server}__{name}")),
                    None => Cow::Borrowed(name),
                },
            )
        }
        "computer_call" => Ok(Cow::Borrowed("computer")),
        _ => match kind.strip_suffix("_call") {
            Some("") | None => tool_name("type", None, out).map(Cow::Borrowed),
            Some(name) => Ok(Cow::Borrowed(name)),
        },
    }
}

fn args(tool: &str, item: &Json<'_>, kind: &str, out: &mut Out<'_>) -> Option<RawJson<'static>> {
    let given = |field: &str| item.get(field).filter(|value| **value != Json::Null);
    let what = || format!("the arguments of {}", quote(tool));
    match kind {
        "function_call" | "mcp_call" | "mcp_approval_request" => {
            let value = given("arguments").filter(|value| !is_left_out(value))?;
            Some(arguments(tool, Some(value), out))
        }
        "custom_tool_call" => {
            // Free text by design: nothing in it has to be an object.
            let text = given("input").filter(|value| !is_left_out(value))?;
            check_value(&what(), text, out);
            Some(RawJson::from_json(text))
        }
        "file_search_call" => gathered(item, &["queries"]),
        "code_interpreter_call" => gathered(item, &["code"]),
        "image_generation_call" => gathered(item, &["prompt", "revised_prompt"]),
        "computer_call" if given("action").is_none() => gathered(item, &["actions"]),
        _ => {
            let fields = ["action", "operation", "arguments", "input"];
            let value = fields.iter().find_map(|field| given(field))?;
            (!is_left_out(value)).then(|| arguments(tool, Some(value), out))
        }
    }
}

/// An object of those of the fields that are given, if one is.
fn gathered(item: &Json<'_>, fields: &[&'static str]) -> Option<RawJson<'static>> {
    let given = |field: &'static str| {
        let value = item.get(field).filter(|value| **value != Json::Null)?;
        Some((text(field), value.clone()))
    };
    let members: Vec<_> = fields.iter().copied().filter_map(given).collect();
    (!members.is_empty()).then(|| RawJson::from_json(&Json::Object(members)))
}

fn text(word: &str) -> Text<'_> {
    Text {
        text: Cow::Borrowed(word),
        damage: Damage::None,
    }
}

/// Whether a text stands where something was taken out: `[redacted]`, `***`.
pub fn is_left_out(value: &Json<'_>) -> bool {
    let Some(text) = value.as_str().map(str::trim) else {
        return false;
    };
    if text.is_empty() || text.len() > MARK {
        return false;
    }
    let says = text.to_ascii_lowercase().contains("redacted") || text.bytes().all(|b| b == b'*');
    says && !matches!(json::parse(text.as_bytes()), Ok(Json::Object(_)))
}

/// How a call of a tool that the server ran came out.
fn outcome(item: &Json<'_>, kind: &str, out: &mut Out<'_>) -> Option<Outcome<'static>> {
    let given = |field: &str| item.get(field).filter(|value| **value != Json::Null);
    let result = match kind {
        "mcp_call" => given("error").or_else(|| given("output")),
        "file_search_call" => given("results"),
        "code_interpreter_call" => given("outputs"),
        "image_generation_call" => given("result"),
        "web_search_call" => None,
        _ => return None,
    };
    let error = match item.get("status").and_then(Json::as_str) {
        _ if kind == "mcp_call" && given("error").is_some() => Some(true),
        Some("failed" | "incomplete") => Some(true),
        Some("completed") => Some(false),
        _ => None,
    };
    if let Some(value) = result {
        check_value("a result", value, out);
    }
    let result = result.and_then(|value| match kind {
        // Bare bytes, told by their size and hash like any image.
        "image_generation_call" => {
            let image = Json::Object(vec![
                (text("type"), Json::String(text("image"))),
                (text("data"), value.clone()),
            ]);
            Content::of(Some(&image)).into_raw()
        }
        "mcp_call" => Content::of(Some(value)).into_raw(),
        // Blocks of their own, whose text is not under `text`.
        _ => Some(RawJson::from_json(value)),
    });
    (result.is_some() || error.is_some()).then(|| Outcome {
        result,
        error,
        ..Outcome::default()
    })
}

fn output<'j>(item: &'j Json<'j>, out: &mut Out<'_>) -> Result<ItemOutput<'j>, Unusable> {
    let named = identifier("call_id", item.get("call_id"), out)?.filter(|id| !id.is_empty());
    let id = match named {
        Some(id) => Some(id),
        None => identifier("id", item.get("id"), out)?,
    };
    let value = item.get("output").or_else(|| item.get("tools"));
    if let Some(value) = value {
        check_value("a result", value, out);
    }
    let failed = item.get("status").and_then(Json::as_str) == Some("failed");
    Ok(ItemOutput {
        id: id.unwrap_or_default(),
        value,
        error: if failed { Some(true) } else { exits(value) },
    })
}

/// Whether the commands of a `shell_call` failed, where the output tells how they ended.
fn exits(value: Option<&Json<'_>>) -> Option<bool> {
    let ends = value?
        .as_array()?
        .iter()
        .filter_map(|one| one.get("outcome"));
    let failed = ends.map(|end| match end.get("exit_code") {
        Some(Json::Number(code)) => *code != "0",
        _ => true,
    });
    failed.reduce(|one, other| one || other)
}

impl ItemCall<'_> {
    /// Hands on the call, and how it came out if the item says so. `None` means that it is history
    /// written again. `approved` means that somebody let it through.
    pub fn send(
        self,
        run: &mut Run,
        approved: bool,
        ts: Option<Timestamp<'static>>,
        out: &mut Out<'_>,
    ) -> Option<String> {
        let unknown = self.args.is_none();
        let call = ToolCall {
            tool: Cow::Owned(self.tool.into_owned()),
            id: self.id.map(|id| Cow::Owned(id.to_owned())),
            args: self.args.unwrap_or_default(),
            args_unknown: unknown,
            recorded: approved.then_some(Recorded::Allow),
            approval: approved.then_some(ApprovalOutcome::Approved),
            ts: ts.clone(),
            ..ToolCall::default()
        };
        let unique = run.call(call, out)?;
        if let Some(outcome) = self.outcome {
            let result = ToolResult {
                outcome,
                ts,
                ..ToolResult::default()
            };
            let id = self.id.unwrap_or(&unique);
            run.answer(id, Answer::Result(result), out);
        }
        Some(unique)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Sink;
    use crate::trace::event::Event;
    use crate::trace::fault::{Notice, Place};

    #[derive(Default)]
    struct Codes(Vec<&'static str>);

    impl Sink for Codes {
        fn event(&mut self, _: Place, _: Event<'_>) {}
        fn notice(&mut self, n: Notice) {
            self.0.push(n.kind.code());
        }
    }

    /// The tool, its arguments and how it came out.
    fn called(item: &str) -> String {
        let item = json::parse(item.as_bytes()).expect("valid");
        let mut sink = Codes::default();
        let mut out = Out::new(&mut sink, Place::default());
        let text = |raw: &Option<RawJson<'_>>| {
            let raw = raw.as_ref().map(|raw| raw.bytes().to_vec());
            raw.map_or("-".into(), |raw| String::from_utf8(raw).expect("UTF-8"))
        };
        match read(&item, &mut Told::default(), &mut out) {
            Ok(Item::Call(call)) => {
                let came = call
                    .outcome
                    .map(|o| format!(" {:?} {}", o.error, text(&o.result)));
                format!(
                    "{} {}{}",
                    call.tool,
                    text(&call.args),
                    came.unwrap_or_default()
                )
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn calls_are_named_after_their_function_or_their_type() {
        for (item, expected) in [
            (
                r#"{"type":"function_call","name":"f","arguments":"{\"a\":1}"}"#,
                r#"f {"a":1}"#,
            ),
            (
                r#"{"type":"function_call","name":"f","namespace":"mcp__s","arguments":"{}"}"#,
                "mcp__s__f {}",
            ),
            (
                r#"{"type":"function_call","name":"f","namespace":"mcp__s__","arguments":"{}"}"#,
                "mcp__s__f {}",
            ),
            (
                r#"{"type":"custom_tool_call","name":"p","input":"x"}"#,
                r#"p "x""#,
            ),
            (
                r#"{"type":"local_shell_call","action":{"command":["ls"]}}"#,
                r#"local_shell {"command":["ls"]}"#,
            ),
            (
                r#"{"type":"computer_call","actions":[{"type":"wait"}]}"#,
                r#"computer {"actions":[{"type":"wait"}]}"#,
            ),
            (
                r#"{"type":"apply_patch_call","operation":{"path":"a"}}"#,
                r#"apply_patch {"path":"a"}"#,
            ),
            (
                r#"{"type":"new_thing_call","arguments":{"a":1}}"#,
                r#"new_thing {"a":1}"#,
            ),
        ] {
            assert_eq!(called(item), expected);
        }
    }

    #[test]
    fn hosted_tools_say_themselves_how_they_came_out() {
        for (item, expected) in [
            (
                r#"{"type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}}"#,
                r#"web_search {"type":"search","query":"q"} Some(false) -"#,
            ),
            (
                r#"{"type":"file_search_call","status":"completed","queries":["q"],"results":[{"text":"t"}]}"#,
                r#"file_search {"queries":["q"]} Some(false) [{"text":"t"}]"#,
            ),
            (
                r#"{"type":"mcp_call","server_label":"s","name":"f","arguments":"{}","output":"x","error":null}"#,
                r#"mcp__s__f {} None "x""#,
            ),
            (
                r#"{"type":"mcp_call","name":"f","arguments":"{}","output":null,"error":"no"}"#,
                r#"f {} Some(true) "no""#,
            ),
            (
                r#"{"type":"image_generation_call","status":"completed","revised_prompt":"a cat","result":"aGVsbG8="}"#,
                r#"image_generation {"revised_prompt":"a cat"} Some(false) "[image: 8 bytes, sha256 333d6b3a3c1f5db6]""#,
            ),
        ] {
            assert_eq!(called(item), expected);
        }
    }

    #[test]
    fn what_is_left_out_is_not_pretended_to_be_empty() {
        for item in [
            r#"{"type":"function_call","name":"f"}"#,
            r#"{"type":"function_call","name":"f","arguments":null}"#,
            r#"{"type":"function_call","name":"f","arguments":"[REDACTED]"}"#,
            r#"{"type":"custom_tool_call","name":"f","input":"<redacted 40 bytes>"}"#,
            r#"{"type":"local_shell_call","name":"f","action":"***"}"#,
        ] {
            assert!(called(item).ends_with(" -"), "{item}");
        }
        let kept = r#"{"type":"function_call","name":"f","arguments":"{\"a\":\"redacted\"}"}"#;
        assert_eq!(called(kept), r#"f {"a":"redacted"}"#);
    }

    #[test]
    fn commands_fail_if_one_does() {
        let failed = |output: &str| exits(Some(&json::parse(output.as_bytes()).expect("valid")));
        let ok = r#"{"outcome":{"type":"exit","exit_code":0}}"#;
        let bad = r#"{"outcome":{"type":"exit","exit_code":2}}"#;
        let late = r#"{"outcome":{"type":"timeout"}}"#;
        assert_eq!(failed(&format!("[{ok},{ok}]")), Some(false));
        assert_eq!(failed(&format!("[{ok},{bad}]")), Some(true));
        assert_eq!(failed(&format!("[{late},{ok}]")), Some(true));
        assert_eq!(failed(r#"[{"type":"input_text","text":"x"}]"#), None);
    }
}
