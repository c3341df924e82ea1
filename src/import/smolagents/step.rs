//! One step of the memory: its calls, and the one observation that it has for all of them.

use crate::import::foreign::python::dictionary;
use crate::import::foreign::{Out, Told, Unit, Unusable, check_value, identifier, kind, timestamp};
use crate::import::openai_chat::call as chat;
use crate::trace::event::{Outcome, RawJson, Timestamp, ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::{self, Json, write_string};
use std::borrow::Cow;

/// The tool that runs the code of an agent that writes code.
pub const INTERPRETER: &str = "python_interpreter";

/// The tool by which an agent answers.
pub const ANSWER: &str = "final_answer";

/// Most places where the arguments in the text of an error are looked for to end.
const TRIES: usize = 16;

/// How the text of an error begins that names the tool, and what stands behind the name.
const NAMED: &[(&str, &str)] = &[
    ("Error executing tool '", "'"),
    ("Error executing request to team member '", "'"),
    ("Unknown tool ", ","),
];

/// What stands before the arguments in the text of an error.
const WITH: &str = "with arguments ";

/// What a step did.
#[derive(Debug, Default)]
pub struct Step {
    /// Its calls, in order.
    pub calls: Vec<ToolCall<'static>>,
    /// What became of them, and the place in the list of the call whose result it is.
    pub result: Option<(usize, ToolResult<'static>)>,
    /// Whether it answers the task.
    pub answers: bool,
}

/// Reads a step.
///
/// # Errors
/// It cannot be used; the fault has been reported.
pub fn read(step: &Json<'_>, told: &mut Told, out: &mut Out<'_>) -> Result<Step, Unusable> {
    let times = step.get("timing").unwrap_or(step);
    let mut at = |field: &str| timestamp(times.get(field), Unit::Seconds, told, out);
    let (began, ended) = (at("start_time"), at("end_time"));
    let entries = entries(step, told, out)?;
    let calls = entries.iter().filter_map(|entry| call(entry, &began, out));
    let calls: Vec<_> = calls.collect();
    let given = |field: &str| step.get(field).filter(|value| **value != Json::Null);
    let has_failed = given("error").is_some();
    let answers = match given("is_final_answer") {
        Some(Json::Bool(answers)) => *answers,
        _ => !has_failed && calls.iter().any(|call| call.tool == ANSWER),
    };
    let result = result(step, &calls, ended, told, out);
    Ok(Step {
        calls,
        result,
        answers,
    })
}

/// The calls as they are written. Where a tool has failed the step has none of them, but the message of
/// the model still has.
fn entries<'j>(
    step: &'j Json<'j>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<&'j [Json<'j>], Unusable> {
    let own = list(step, out)?;
    let asked = match step.get("model_output_message") {
        Some(message) if own.is_empty() => list(message, out)?,
        _ => &[],
    };
    if !asked.is_empty() {
        let message = "a step that has lost its calls has those that the model asked for";
        told.assume(message, out);
        return Ok(asked);
    }
    Ok(own)
}

fn list<'j>(of: &'j Json<'j>, out: &mut Out<'_>) -> Result<&'j [Json<'j>], Unusable> {
    match of.get("tool_calls") {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Array(calls)) => Ok(calls),
        Some(other) => {
            let message = format!("`tool_calls` has to be an array, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            Err(Unusable)
        }
    }
}

fn call(
    entry: &Json<'_>,
    began: &Option<Timestamp<'static>>,
    out: &mut Out<'_>,
) -> Option<ToolCall<'static>> {
    let written = match code(entry) {
        Some(code) => {
            check_value("the code of an agent", code, out);
            let mut args = String::from("{\"code\":");
            write_string(code.as_str().unwrap_or_default(), &mut args);
            args.push('}');
            let id = identifier("id", entry.get("id"), out).ok()?;
            chat::Written {
                id: id.filter(|id| !id.is_empty()),
                tool: Cow::Borrowed(INTERPRETER),
                args: RawJson::from_text(args).unwrap_or_default(),
            }
        }
        None => chat::read(entry, out).ok()?,
    };
    Some(ToolCall {
        tool: Cow::Owned(written.tool.into_owned()),
        id: written.id.map(|id| Cow::Owned(id.to_owned())),
        args: written.args,
        ts: began.clone(),
        ..ToolCall::default()
    })
}

/// The code of a call that has bare code for arguments.
fn code<'j>(entry: &'j Json<'j>) -> Option<&'j Json<'j>> {
    let function = entry.get("function").unwrap_or(entry);
    let is_interpreter = function.get("name").and_then(Json::as_str) == Some(INTERPRETER);
    let code = function.get("arguments").filter(|_| is_interpreter)?;
    let text = code.as_str()?;
    // Agents that call tools have it as an object, which may be written as text.
    let parsed = json::parse(text.trim().as_bytes()).ok();
    let is_object = parsed.is_some_and(|object| object.get("code").is_some());
    (!is_object).then_some(code)
}

fn result(
    step: &Json<'_>,
    calls: &[ToolCall<'static>],
    ended: Option<Timestamp<'static>>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Option<(usize, ToolResult<'static>)> {
    let last = calls.len().checked_sub(1)?;
    let given = |field: &str| step.get(field).filter(|value| **value != Json::Null);
    let error = given("error");
    let seen = given("observations").or_else(|| given("action_output").filter(|_| error.is_none()));
    if given("observations_images").is_some() {
        told.assume("images that a step observed are left out", out);
    }
    for value in [seen, error].into_iter().flatten() {
        check_value("a result", value, out);
    }
    let (index, value) = match (seen, error) {
        (None, None) => return None,
        (Some(seen), None) => (last, RawJson::from_json(seen)),
        (seen, Some(error)) => {
            let message = error.get("message").unwrap_or(error);
            let text = message.as_str().unwrap_or_default();
            let value = match (seen.and_then(Json::as_str), message.as_str()) {
                (Some(seen), Some(message)) => RawJson::from_string(&format!("{seen}\n{message}")),
                _ => RawJson::from_json(message),
            };
            (blamed(text, calls).unwrap_or(last), value)
        }
    };
    if last > 0 {
        let message = "a step has one observation for all its calls: it is the result of the last, \
                       an error that of the call that it names";
        told.assume(message, out);
    }
    let result = ToolResult {
        outcome: Outcome {
            result: Some(value),
            error: Some(error.is_some()),
            ..Outcome::default()
        },
        ts: ended,
        ..ToolResult::default()
    };
    Some((index, result))
}

/// The call that an error names: by its tool and arguments, or the last one of its tool.
fn blamed(error: &str, calls: &[ToolCall<'static>]) -> Option<usize> {
    let (tool, rest) = NAMED.iter().find_map(|(before, behind)| {
        let rest = error.strip_prefix(before)?;
        rest.split_once(behind)
    })?;
    let args = rest.trim_start().strip_prefix(WITH).and_then(arguments);
    let of_tool = |call: &&ToolCall<'_>| call.tool == tool;
    let exact = calls.iter().position(|call| {
        let same = |args: &RawJson<'_>| args.json() == call.args.json();
        of_tool(&call) && args.as_ref().is_some_and(same)
    });
    exact.or_else(|| calls.iter().rposition(|call| call.tool == tool))
}

/// The arguments that a text begins with, as Python prints them.
fn arguments(text: &str) -> Option<RawJson<'static>> {
    let ends = text.match_indices('}').take(TRIES);
    ends.filter_map(|(at, brace)| text.get(..at + brace.len()))
        .find_map(dictionary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, args: &str) -> ToolCall<'static> {
        ToolCall {
            tool: Cow::Owned(tool.to_owned()),
            args: RawJson::from_text(args).expect("valid"),
            ..ToolCall::default()
        }
    }

    #[test]
    fn an_error_is_that_of_the_call_it_names() {
        let calls = [
            call("dig", r#"{"at":"a}","deep":true}"#),
            call("dig", r#"{"at":"b"}"#),
            call("rest", "{}"),
        ];
        for (error, expected) in [
            (
                "Error executing tool 'dig' with arguments {'at': 'a}', 'deep': True}: ValueError: {'x'}",
                Some(0),
            ),
            (
                "Error executing tool 'dig' with arguments {'at': 'c'}: E: x",
                Some(1),
            ),
            (
                "Error executing tool 'dig' with arguments soon: E: x",
                Some(1),
            ),
            ("Unknown tool rest, should be one of: dig", Some(2)),
            ("Error executing tool 'sow' with arguments {}: E: x", None),
            ("Argument at has type", None),
        ] {
            assert_eq!(blamed(error, &calls), expected, "{error}");
        }
    }
}
