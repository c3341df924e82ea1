//! What models were given to read and what they answered, in the many shapes in which messages are
//! put into a span.

use super::attributes::nested;
use super::{Answered, Request};
use crate::import::foreign::Content;
use crate::trace::event::RawJson;
use crate::trace::json::{Damage, Json};
use std::borrow::Cow;

/// Fields that hold messages.
const WITHIN: &[&str] = &[
    "messages",
    "generations",
    "choices",
    "output",
    "message",
    "kwargs",
    "data",
    "update",
];

/// Most fields that are gone down.
const DEEPEST: usize = 16;

/// What some messages say.
#[derive(Debug, Default, PartialEq)]
pub struct Said {
    /// The calls that are asked for.
    pub requests: Vec<Request>,
    /// The results that are given.
    pub answers: Vec<Answered>,
    /// The first text of the user.
    pub prompt: Option<String>,
}

/// A result with what it says about itself.
#[derive(Debug, Default, PartialEq)]
pub struct ToolMessage {
    /// Id of the call.
    pub call: Option<String>,
    /// What the call returned.
    pub result: Option<RawJson<'static>>,
    /// Whether it failed.
    pub error: Option<bool>,
}

/// Reads a result that is a message of the tool, bare or in one of its wrappings. `None` if it is
/// anything else.
pub fn tool_message(value: &Json<'_>) -> Option<ToolMessage> {
    let value = nested(value);
    let wrapped = ["data", "kwargs"].into_iter().find_map(|w| value.get(w));
    let message = wrapped.unwrap_or(&value);
    let is_tool = |of: &Json<'_>| of.get("type").and_then(Json::as_str) == Some("tool");
    if !is_tool(message) && !is_tool(&value) {
        return None;
    }
    let (id, content) = (message.get("tool_call_id")?, message.get("content"));
    Some(ToolMessage {
        call: sound(id).filter(|id| !id.is_empty()),
        result: Content::of(content).into_raw(),
        error: match message.get("status").and_then(Json::as_str) {
            Some("error") => Some(true),
            Some("success") => Some(false),
            _ => None,
        },
    })
}

/// The text, unless it is damaged.
fn sound(value: &Json<'_>) -> Option<String> {
    match value {
        Json::String(text) if text.damage == Damage::None => Some(text.text.to_string()),
        _ => None,
    }
}

/// The first text among these fields.
fn text_of(object: &Json<'_>, fields: &[&str]) -> Option<String> {
    fields.iter().find_map(|field| sound(object.get(field)?))
}

/// The first of these fields that is there and not null.
fn any_of<'j>(object: &'j Json<'j>, fields: &[&str]) -> Option<&'j Json<'j>> {
    let value = |field: &&str| object.get(field).filter(|value| **value != Json::Null);
    fields.iter().find_map(value)
}

impl Said {
    /// Reads a message, a list of them, something that holds them, or the text of any of these.
    pub fn read(&mut self, value: &Json<'_>) {
        self.look(value, 0);
    }

    /// Reads a list of calls, or the text of one.
    pub fn read_calls(&mut self, value: &Json<'_>) {
        let calls = nested(value);
        for call in calls.as_array().unwrap_or_default() {
            self.request(&nested(call));
        }
    }

    fn look(&mut self, value: &Json<'_>, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        // Text within a message is prose or a result, whatever it looks like.
        let value = if depth == 0 {
            nested(value)
        } else {
            Cow::Borrowed(value)
        };
        match &*value {
            Json::Array(items) => match &items[..] {
                [role, text] if role.as_str().is_some_and(is_user) => self.user(text.as_str()),
                items => items.iter().for_each(|item| self.look(item, depth + 1)),
            },
            message @ Json::Object(_) => self.message(message, depth),
            _ => {}
        }
    }

    fn message(&mut self, message: &Json<'_>, depth: usize) {
        let word = |field: &str| message.get(field).and_then(Json::as_str);
        let role = word("role").or_else(|| word("type")).unwrap_or_default();
        let before = self.requests.len();
        match role {
            role if is_user(role) => self.user(prose(message).as_deref()),
            "tool" | "function_call_output" => self.answer(message),
            "function_call" => self.request(message),
            _ => {}
        }
        for field in ["tool_calls", "toolCalls"] {
            let calls = message.get(field).map(nested);
            let calls = calls.as_deref().and_then(Json::as_array);
            calls
                .unwrap_or_default()
                .iter()
                .for_each(|c| self.request(c));
        }
        for field in ["parts", "content"] {
            let blocks = message.get(field).and_then(Json::as_array);
            blocks
                .unwrap_or_default()
                .iter()
                .for_each(|b| self.block(b));
        }
        // The same calls as the provider wrote them.
        if self.requests.len() == before
            && let Some(more) = message
                .get("additional_kwargs")
                .and_then(|m| m.get("tool_calls"))
        {
            more.as_array()
                .unwrap_or_default()
                .iter()
                .for_each(|c| self.request(c));
        }
        if role == "function_call_output" || message.get("tool_call_id").is_some() {
            return;
        }
        for field in WITHIN {
            if let Some(inner) = message.get(field) {
                self.look(inner, depth + 1);
            }
        }
    }

    fn block(&mut self, block: &Json<'_>) {
        match block.get("type").and_then(Json::as_str) {
            Some("tool_call" | "tool-call" | "tool_use") => self.request(block),
            Some("tool_call_response" | "tool-result" | "tool_result") => self.answer(block),
            Some(_) => {}
            None => {
                for field in ["toolUse", "functionCall", "function_call"] {
                    block.get(field).into_iter().for_each(|c| self.request(c));
                }
                for field in ["toolResult", "functionResponse", "function_response"] {
                    block.get(field).into_iter().for_each(|r| self.answer(r));
                }
            }
        }
    }

    fn request(&mut self, call: &Json<'_>) {
        const NAMES: &[&str] = &["name", "toolName", "tool_name"];
        const IDS: &[&str] = &["call_id", "id", "toolCallId", "tool_call_id", "toolUseId"];
        let function = call
            .get("function")
            .filter(|f| matches!(f, Json::Object(_)));
        let called = function.unwrap_or(call);
        let (name, id) = (any_of(called, NAMES), any_of(call, IDS));
        let Some(Json::String(tool)) = name else {
            return;
        };
        let args = any_of(called, &["arguments", "args", "input"]);
        let is_damaged =
            |value: Option<&Json<'_>>| value.is_some_and(|value| value.damage() != Damage::None);
        self.requests.push(Request {
            tool: tool.text.to_string(),
            id: id.and_then(sound).filter(|id| !id.is_empty()),
            args: args.map(RawJson::from_json),
            is_damaged: is_damaged(name) || is_damaged(id),
            is_repaired: is_damaged(args),
        });
    }

    fn answer(&mut self, answer: &Json<'_>) {
        const IDS: &[&str] = &[
            "tool_call_id",
            "tool_use_id",
            "toolCallId",
            "call_id",
            "toolUseId",
            "id",
        ];
        const RESULTS: &[&str] = &["content", "response", "result", "output"];
        // A message whose results are parts of it has none of its own.
        if answer.get("parts").is_some() {
            return;
        }
        let Some(call) = text_of(answer, IDS).filter(|id| !id.is_empty()) else {
            return;
        };
        let error = match (
            any_of(answer, &["is_error", "isError"]),
            answer.get("status"),
        ) {
            (Some(Json::Bool(error)), _) => Some(*error),
            (_, Some(status)) if status.as_str() == Some("error") => Some(true),
            _ => None,
        };
        self.answers.push(Answered {
            call,
            result: Content::of(any_of(answer, RESULTS)).into_raw(),
            error,
        });
    }

    /// Takes a text of the user; the first one counts.
    pub fn user(&mut self, text: Option<&str>) {
        let text = text.map(str::trim).filter(|text| !text.is_empty());
        if let (None, Some(text)) = (&self.prompt, text) {
            self.prompt = Some(text.to_owned());
        }
    }
}

fn is_user(role: &str) -> bool {
    matches!(role, "user" | "human")
}

/// The text of a message, without what is no text.
fn prose(message: &Json<'_>) -> Option<String> {
    const FIELDS: &[&str] = &["parts", "content", "text"];
    let holder = ["data", "kwargs"].into_iter().find_map(|w| message.get(w));
    let value = any_of(holder.unwrap_or(message), FIELDS)?;
    let value = match value {
        Json::String(text) => return Some(text.text.to_string()),
        value => value.as_array()?,
    };
    let text = |part: &Json<'_>| match part.get("type").and_then(Json::as_str) {
        None | Some("text" | "input_text") => {
            sound(part).or_else(|| text_of(part, &["text", "content"]))
        }
        Some(_) => None,
    };
    let texts: Vec<String> = value.iter().filter_map(text).collect();
    Some(texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn said(text: &str) -> Said {
        let mut said = Said::default();
        said.read(&parse(text.as_bytes()).expect("valid"));
        said
    }

    fn requests(text: &str) -> Vec<String> {
        let line = |r: &Request| {
            let args = r
                .args
                .as_ref()
                .map(|a| String::from_utf8_lossy(a.bytes()).into_owned());
            let id = r.id.as_deref().unwrap_or("-");
            format!("{id} {} {}", r.tool, args.unwrap_or("-".into()))
        };
        said(text).requests.iter().map(line).collect()
    }

    #[test]
    fn every_shape_of_a_request_is_read() {
        for one in [
            r#"[{"role":"assistant","parts":[{"type":"tool_call","id":"a","name":"f","arguments":{"x":1}}]}]"#,
            r#"{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}}]}"#,
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"x":1}}]}"#,
            r#"{"type":"ai","tool_calls":[{"id":"a","name":"f","args":{"x":1}}],"additional_kwargs":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}}"#,
            r#"{"additional_kwargs":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}}]}}"#,
            r#"{"generations":[[{"message":{"lc":1,"kwargs":{"tool_calls":[{"id":"a","name":"f","args":{"x":1}}]}}}]]}"#,
            r#"{"output":[{"type":"function_call","id":"fc","call_id":"a","name":"f","arguments":{"x":1}}]}"#,
            r#"{"toolCalls":[{"toolCallId":"a","toolName":"f","input":{"x":1}}]}"#,
            r#"{"content":[{"toolUse":{"toolUseId":"a","name":"f","input":{"x":1}}}]}"#,
            r#""{\"tool_calls\":[{\"id\":\"a\",\"name\":\"f\",\"args\":{\"x\":1}}]}""#,
        ] {
            assert_eq!(requests(one), [r#"a f {"x":1}"#], "{one}");
        }
    }

    #[test]
    fn prompts_and_results_are_read() {
        for one in [
            r#"{"messages":[["user","go"]]}"#,
            r#"[{"role":"system","content":"no"},{"role":"user","content":" go "},{"role":"user","content":"on"}]"#,
            r#"{"role":"user","parts":[{"type":"text","content":"go"}]}"#,
            r#"{"type":"human","data":{"content":"go"}}"#,
        ] {
            assert_eq!(said(one).prompt.as_deref(), Some("go"), "{one}");
        }
        for one in [
            r#"{"role":"tool","tool_call_id":"a","content":"r"}"#,
            r#"{"role":"tool","parts":[{"type":"tool_call_response","id":"a","response":"r"}]}"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"}]}"#,
            r#"{"type":"function_call_output","call_id":"a","output":"r"}"#,
        ] {
            let answers = said(one).answers;
            assert_eq!(answers.len(), 1, "{one}");
            assert_eq!(answers[0].call, "a");
            assert_eq!(
                answers[0].result.as_ref().map(|r| r.bytes()),
                Some(&b"\"r\""[..])
            );
        }
    }

    #[test]
    fn a_message_of_the_tool_is_unwrapped() {
        for one in [
            r#"{"type":"tool","content":"r","tool_call_id":"a","status":"success"}"#,
            r#"{"type":"tool","data":{"type":"tool","content":"r","tool_call_id":"a","status":"success"}}"#,
            r#"{"lc":1,"type":"constructor","kwargs":{"type":"tool","content":"r","tool_call_id":"a","status":"success"}}"#,
        ] {
            let message = tool_message(&parse(one.as_bytes()).expect("valid")).expect(one);
            assert_eq!(message.call.as_deref(), Some("a"));
            assert_eq!(message.error, Some(false));
        }
        let other = parse(br#"{"type":"tool","content":"r"}"#).expect("valid");
        assert_eq!(tool_message(&other), None);
    }
}
