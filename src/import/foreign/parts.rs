//! Parts of a content as the Gemini API has them, which are written in camel case or in snake case.

use super::{
    Answer, Content, Out, Run, Told, Unusable, arguments, check_value, identifier, kind, once,
    tool_name,
};
use crate::trace::event::{Outcome, ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// What parts hold that are neither calls nor results, and what is said of a part beside that.
const OTHER: &[&str] = &[
    "fileData",
    "file_data",
    "inlineData",
    "inline_data",
    "mediaResolution",
    "media_resolution",
    "partMetadata",
    "part_metadata",
    "text",
    "thought",
    "thoughtSignature",
    "thought_signature",
    "videoMetadata",
    "video_metadata",
];

/// The tool by which the model runs code on the server.
const CODE: &str = "code_execution";

/// Fields of a part that make it a call or a result.
const CALL: (&str, &str) = ("functionCall", "function_call");
const RESPONSE: (&str, &str) = ("functionResponse", "function_response");
const CODE_CALL: (&str, &str) = ("executableCode", "executable_code");
const CODE_RESULT: (&str, &str) = ("codeExecutionResult", "code_execution_result");

/// A part that is about a call.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "answers are taken as soon as they are made"
)]
pub enum Part<'j> {
    /// A call: its tool, id and arguments.
    Call(Box<ToolCall<'static>>),
    /// What became of a call.
    Answer(Returned<'j>),
}

/// What became of a call.
#[derive(Debug)]
pub struct Returned<'j> {
    /// Id of the call; absent in recordings whose calls have none.
    pub id: Option<&'j str>,
    /// Its tool; absent where only the id tells.
    pub tool: Option<&'j str>,
    /// How it came out.
    pub result: ToolResult<'static>,
}

impl Returned<'_> {
    /// Hands the result to its call: the one of its id, or else the earliest one of its tool that has
    /// no id.
    pub fn give(self, run: &mut Run, out: &mut Out<'_>) {
        let answer = Answer::Result(self.result);
        match (self.id.filter(|id| !id.is_empty()), self.tool) {
            (Some(id), Some(tool)) if !run.knows(id) && run.waits_in_order(tool) => {
                run.answer_in_order(Some(tool), answer, out);
            }
            (Some(id), _) => run.answer(id, answer, out),
            (None, tool) => run.answer_in_order(tool, answer, out),
        }
    }
}

/// The field of an object that is written in one of two ways; null is none.
///
/// # Errors
/// It is given in both ways, or twice: readers differ in which one they believe.
pub fn spelled<'j>(
    object: &'j Json<'j>,
    (camel, snake): (&str, &str),
    out: &mut Out<'_>,
) -> Result<Option<&'j Json<'j>>, Unusable> {
    once(object, &[camel, snake], out)?;
    let of = |name: &str| object.get(name).filter(|value| **value != Json::Null);
    match (of(camel), of(snake)) {
        (Some(_), Some(_)) => {
            let message = format!("both `{camel}` and `{snake}`, what holds them is not used");
            out.fault(FaultCode::DuplicateKey, message);
            Err(Unusable)
        }
        (one, other) => Ok(one.or(other)),
    }
}

/// Whether a part is a call or a result.
pub fn is_about_calls(part: &Json<'_>) -> bool {
    let both = [CALL, RESPONSE].into_iter().flat_map(|(a, b)| [a, b]);
    both.into_iter().any(|name| part.get(name).is_some())
}

/// The text of a part, unless it is a thought.
pub fn text<'j>(part: &'j Json<'j>) -> Option<&'j str> {
    let is_thought = part.get("thought") == Some(&Json::Bool(true));
    part.get("text").filter(|_| !is_thought)?.as_str()
}

/// Reads a part. `None` is one that is not about a call, or one that cannot be used, which has been
/// reported.
pub fn read<'j>(part: &'j Json<'j>, told: &mut Told, out: &mut Out<'_>) -> Option<Part<'j>> {
    let Json::Object(members) = part else {
        let message = format!("a part has to be an object, not {}", kind(part));
        out.fault(FaultCode::BadField, message);
        return None;
    };
    if let Some(call) = spelled(part, CALL, out).ok()? {
        return self::call(call, told, out);
    }
    if let Some(response) = spelled(part, RESPONSE, out).ok()? {
        return returned(response, out).ok().map(Part::Answer);
    }
    if let Some(code) = spelled(part, CODE_CALL, out).ok()? {
        let call = ToolCall {
            tool: Cow::Borrowed(CODE),
            args: arguments(CODE, Some(code), out),
            ..ToolCall::default()
        };
        return Some(Part::Call(Box::new(call)));
    }
    if let Some(result) = spelled(part, CODE_RESULT, out).ok()? {
        return Some(Part::Answer(of_code(result, out)));
    }
    for (key, value) in members {
        if *value != Json::Null && !OTHER.contains(&&*key.text) {
            told.skip("parts", &key.text, out);
        }
    }
    None
}

fn call<'j>(call: &'j Json<'j>, told: &mut Told, out: &mut Out<'_>) -> Option<Part<'j>> {
    let has = |names: (&str, &str)| [names.0, names.1].iter().any(|n| call.get(n).is_some());
    let pieces = has(("partialArgs", "partial_args"));
    let is_piece = pieces || has(("willContinue", "will_continue"));
    if call.get("name").is_none() && (is_piece || *call == Json::Object(Vec::new())) {
        let message = "arguments that came in pieces are not put together: they are not known";
        told.assume(message, out);
        return None;
    }
    once(call, &["id", "name", "args"], out).ok()?;
    let tool = tool_name("name", call.get("name"), out).ok()?;
    let id = identifier("id", call.get("id"), out).ok()?;
    let call = ToolCall {
        tool: Cow::Owned(tool.to_owned()),
        id: id.map(|id| Cow::Owned(id.to_owned())),
        args: arguments(
            tool,
            call.get("args").filter(|args| **args != Json::Null),
            out,
        ),
        args_unknown: is_piece && call.get("args").is_none(),
        ..ToolCall::default()
    };
    Some(Part::Call(Box::new(call)))
}

/// Reads a `functionResponse`.
///
/// # Errors
/// Its name or id cannot be used; the fault has been reported.
pub fn returned<'j>(response: &'j Json<'j>, out: &mut Out<'_>) -> Result<Returned<'j>, Unusable> {
    once(response, &["id", "name", "response"], out)?;
    let id = identifier("id", response.get("id"), out)?;
    let tool = identifier("name", response.get("name"), out)?;
    Ok(Returned {
        id,
        tool,
        result: ToolResult {
            outcome: outcome(response.get("response"), out),
            ..ToolResult::default()
        },
    })
}

/// How a call came out that returned this. What a program wrapped into an object of one field, since
/// the API takes objects only, is taken out of it; a field `error`, or a `status` that says so, is a
/// failure.
pub fn outcome(response: Option<&Json<'_>>, out: &mut Out<'_>) -> Outcome<'static> {
    check_value("a result", response.unwrap_or(&Json::Null), out);
    let field = |name: &str| response?.get(name).filter(|value| **value != Json::Null);
    let failed = |status: &Json<'_>| {
        let word = status.as_str().map(str::to_ascii_lowercase);
        matches!(word.as_deref(), Some("error" | "failed" | "failure"))
    };
    let error = match field("error") {
        Some(Json::Bool(error)) => Some(*error),
        Some(_) => Some(true),
        None => field("status").map(failed),
    };
    let wrapped = match response {
        Some(Json::Object(members)) => match &members[..] {
            [(name, value)] if ["error", "output", "result"].contains(&&*name.text) => Some(value),
            _ => response,
        },
        other => other,
    };
    Outcome {
        result: Content::of(wrapped).into_raw(),
        error,
        ..Outcome::default()
    }
}

fn of_code<'j>(result: &Json<'_>, out: &mut Out<'_>) -> Returned<'j> {
    check_value("a result", result, out);
    let word = result.get("outcome").and_then(Json::as_str);
    Returned {
        id: None,
        tool: Some(CODE),
        result: ToolResult {
            outcome: Outcome {
                result: Content::of(result.get("output")).into_raw(),
                error: word.map(|word| word != "OUTCOME_OK"),
                ..Outcome::default()
            },
            ..ToolResult::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Sink;
    use crate::trace::event::Event;
    use crate::trace::fault::{Notice, Place};
    use crate::trace::json::parse;

    #[derive(Default)]
    struct Codes(Vec<&'static str>);

    impl Sink for Codes {
        fn event(&mut self, _: Place, _: Event<'_>) {}
        fn notice(&mut self, n: Notice) {
            self.0.push(n.kind.code());
        }
    }

    fn line(text: &str) -> (String, Vec<&'static str>) {
        let json = parse(text.as_bytes()).expect("valid");
        let mut sink = Codes::default();
        let mut out = Out::new(&mut sink, Place::default());
        let line = match read(&json, &mut Told::default(), &mut out) {
            None => "-".to_owned(),
            Some(Part::Call(call)) => {
                let args = String::from_utf8_lossy(call.args.bytes()).into_owned();
                let unknown = if call.args_unknown { " unknown" } else { "" };
                format!("{} {args}{unknown}", call.tool)
            }
            Some(Part::Answer(returned)) => {
                let result = returned.result.outcome.result;
                let result = result.map_or("-".into(), |r| {
                    String::from_utf8_lossy(r.bytes()).into_owned()
                });
                format!("{:?} {result}", returned.result.outcome.error)
            }
        };
        (line, sink.0)
    }

    #[test]
    fn both_spellings_are_read() {
        for name in ["functionCall", "function_call"] {
            let part = format!(r#"{{"{name}":{{"name":"f","args":{{"a":1}}}}}}"#);
            assert_eq!(line(&part), (r#"f {"a":1}"#.into(), vec![]));
        }
        let both = r#"{"functionCall":{"name":"f"},"function_call":{"name":"g"}}"#;
        assert_eq!(line(both), ("-".into(), vec!["duplicate_key"]));
        let none = r#"{"text":"x","function_call":null}"#;
        assert_eq!(line(none), ("-".into(), vec![]));
    }

    #[test]
    fn arguments_in_pieces_are_not_known() {
        let first = r#"{"functionCall":{"name":"f","willContinue":true}}"#;
        assert_eq!(line(first), ("f {} unknown".into(), vec![]));
        let next = r#"{"functionCall":{"partialArgs":[{}],"willContinue":true}}"#;
        assert_eq!(line(next), ("-".into(), vec!["assumed"]));
        assert_eq!(line(r#"{"functionCall":{"name":"f"}}"#).0, "f {}");
    }

    #[test]
    fn a_result_is_taken_out_of_its_wrapping() {
        let of = |response: &str| {
            line(&format!(
                r#"{{"functionResponse":{{"name":"f","response":{response}}}}}"#
            ))
            .0
        };
        assert_eq!(of(r#"{"output":"x"}"#), "None \"x\"");
        assert_eq!(of(r#"{"result":[1]}"#), "None [1]");
        assert_eq!(of(r#"{"error":"gone"}"#), "Some(true) \"gone\"");
        let status = r#"{"status":"error","why":"x"}"#;
        assert_eq!(of(status), format!("Some(true) {status}"));
        assert_eq!(
            of(r#"{"status":"ok","a":1}"#),
            r#"Some(false) {"status":"ok","a":1}"#
        );
    }

    #[test]
    fn code_that_the_server_runs_is_a_call() {
        let code = r#"{"executableCode":{"language":"PYTHON","code":"1+1"}}"#;
        assert_eq!(
            line(code).0,
            r#"code_execution {"language":"PYTHON","code":"1+1"}"#
        );
        let result = r#"{"code_execution_result":{"outcome":"OUTCOME_FAILED","output":"no"}}"#;
        assert_eq!(line(result).0, "Some(true) \"no\"");
        assert_eq!(line(r#"{"hologram":{}}"#).1, ["assumed"]);
    }
}
