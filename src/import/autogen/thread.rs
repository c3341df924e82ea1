//! One run: its messages in order.

use crate::import::foreign::ids::Fingerprint;
use crate::import::foreign::{
    Answer, Content, Out, Prelude, Run, Told, Unit, Unusable, arguments, check_value, identifier,
    kind, once, timestamp, tool_name,
};
use crate::trace::event::{Outcome, RawJson, RunStatus, Timestamp, ToolCall, ToolResult};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use std::borrow::Cow;
use std::collections::HashSet;

/// Fields of a message that decide what becomes of it.
const FIELDS: &[&str] = &["type", "source", "content", "id", "result"];

/// Types of messages that hold calls, results, and words.
pub const CALLS: &[&str] = &[
    "AssistantMessage",
    "ToolCallMessage",
    "ToolCallRequestEvent",
];
/// Types of messages that hold results.
pub const RESULTS: &[&str] = &[
    "FunctionExecutionResultMessage",
    "ToolCallExecutionEvent",
    "ToolCallResultMessage",
];
/// Types of messages by which somebody says something.
pub const WORDS: &[&str] = &[
    "MultiModalMessage",
    "StopMessage",
    "TextMessage",
    "ToolCallSummaryMessage",
    "UserMessage",
];
/// Types of messages that are not about calls, or repeat those that are.
pub const OTHER: &[&str] = &[
    "HandoffMessage",
    "MemoryQueryEvent",
    "ModelClientStreamingChunkEvent",
    "SelectSpeakerEvent",
    "SelectorEvent",
    "SystemMessage",
    "ThoughtEvent",
    "UserInputRequestedEvent",
];
/// Types of messages about code that an agent runs.
pub const CODE: &[&str] = &["CodeExecutionEvent", "CodeGenerationEvent"];

/// Messages of a type of their own are named after what they hold: `StructuredMessage[Plan]`.
pub const STRUCTURED: &str = "StructuredMessage";

/// What the call is named by which an agent runs code.
const EXECUTOR: &str = "code_executor";

/// Who asks.
const USER: &str = "user";

/// A run.
pub struct Thread {
    run: Run,
    prelude: Prelude,
    /// Messages that have been read.
    seen: HashSet<Fingerprint>,
    answered: bool,
    place: Place,
}

impl Thread {
    /// A run of which nothing has been seen.
    pub fn new(run: Run) -> Self {
        Thread {
            run,
            prelude: Prelude::default(),
            seen: HashSet::new(),
            answered: false,
            place: Place::default(),
        }
    }

    /// Its name; `None` is the run named after the file.
    pub fn name(&self) -> Option<&str> {
        self.run.name()
    }

    /// Takes something else that is known of the run.
    pub fn note(&mut self, name: &'static str, value: Option<&Json<'_>>) {
        self.prelude.note(name, value);
    }

    /// Whether a message has been read.
    pub fn knows(&self, message: &Json<'_>) -> bool {
        self.seen.contains(&print(message))
    }

    /// Reads a message of a list that may begin with those that have been read.
    pub fn again(&mut self, message: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        if !self.knows(message) {
            self.message(message, told, out);
        } else {
            told.again(out);
        }
    }

    /// Reads the next message. Returns how many calls were new in it.
    pub fn message(&mut self, message: &Json<'_>, told: &mut Told, out: &mut Out<'_>) -> usize {
        // What makes it unusable has been reported.
        self.read(message, told, out).unwrap_or_default()
    }

    fn read(
        &mut self,
        message: &Json<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Result<usize, Unusable> {
        if !matches!(message, Json::Object(_)) {
            let text = format!("a message has to be an object, not {}", kind(message));
            out.fault(FaultCode::BadField, text);
            return Err(Unusable);
        }
        once(message, FIELDS, out)?;
        self.place = out.place();
        self.seen.insert(print(message));
        let Some(word) = identifier("type", message.get("type"), out)? else {
            out.fault(FaultCode::MissingField, "a message without `type`");
            return Err(Unusable);
        };
        let source = identifier("source", message.get("source"), out)?;
        let content = message.get("content");
        let ts = timestamp(message.get("created_at"), Unit::Seconds, told, out);
        let by_agent = source.is_some_and(|source| source != USER);
        match (word, content) {
            // An answer in words.
            ("AssistantMessage", Some(Json::String(_))) => self.answered = true,
            _ if CALLS.contains(&word) => {
                self.answered = false;
                let calls = items(content, out)?;
                self.prelude.begin(&mut self.run, out);
                self.run.turn(None);
                let calls = calls.iter();
                let new = calls.filter(|call| self.call(call, source, ts.clone(), out).is_ok());
                return Ok(new.count());
            }
            _ if RESULTS.contains(&word) => {
                self.answered = false;
                for result in items(content, out)? {
                    // What makes it unusable has been reported.
                    let _ = self.result(result, ts.clone(), out);
                }
            }
            _ if WORDS.contains(&word) => {
                self.answered = by_agent && word != "UserMessage";
                if !by_agent {
                    self.run.release(out);
                    self.prelude.prompt(Content::of(content).text(), ts, out);
                }
            }
            ("CodeGenerationEvent", _) => {
                self.answered = false;
                return Ok(self.code(message.get("code_blocks"), source, ts, out));
            }
            ("CodeExecutionEvent", _) => return self.executed(message, source, ts, out),
            _ if word.starts_with(STRUCTURED) => self.answered = by_agent,
            _ if OTHER.contains(&word) => {}
            _ => told.skip_unless_call("messages", word, message, out),
        }
        Ok(0)
    }

    /// # Errors
    /// It is no call that can be used, or one that has come before.
    fn call(
        &mut self,
        call: &Json<'_>,
        source: Option<&str>,
        ts: Option<Timestamp<'static>>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        once(call, &["id", "name", "arguments"], out)?;
        let tool = tool_name("name", call.get("name"), out)?;
        let id = identifier("id", call.get("id"), out)?;
        let given = call.get("arguments").filter(|args| **args != Json::Null);
        let call = ToolCall {
            tool: Cow::Owned(tool.to_owned()),
            id: id.map(|id| Cow::Owned(id.to_owned())),
            args: given.map_or_else(RawJson::default, |args| arguments(tool, Some(args), out)),
            args_unknown: given.is_none(),
            agent: agent(source),
            ts,
            ..ToolCall::default()
        };
        self.run.call(call, out).map(|_| ()).ok_or(Unusable)
    }

    fn result(
        &mut self,
        result: &Json<'_>,
        ts: Option<Timestamp<'static>>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        once(result, &["call_id", "content", "is_error"], out)?;
        let id = identifier("call_id", result.get("call_id"), out)?.unwrap_or_default();
        let error = match result.get("is_error") {
            Some(Json::Bool(error)) => Some(*error),
            None | Some(Json::Null) => None,
            Some(other) => {
                let text = format!("`is_error` has to be a boolean, not {}", kind(other));
                out.fault(FaultCode::BadField, text);
                Some(true)
            }
        };
        let answer = answer(result.get("content"), error, ts, out);
        self.run.answer(id, answer, out);
        Ok(())
    }

    fn code(
        &mut self,
        blocks: Option<&Json<'_>>,
        source: Option<&str>,
        ts: Option<Timestamp<'static>>,
        out: &mut Out<'_>,
    ) -> usize {
        let blocks = match blocks {
            // It wrote none.
            Some(Json::Array(blocks)) if blocks.is_empty() => return 0,
            Some(Json::Null) | None => None,
            Some(blocks) => Some(blocks),
        };
        let args = blocks.map(|blocks| {
            check_value("the code of an agent", blocks, out);
            let text = format!("{{\"code_blocks\":{}}}", blocks.to_compact());
            RawJson::from_text(text).unwrap_or_default()
        });
        let call = ToolCall {
            tool: Cow::Borrowed(EXECUTOR),
            args_unknown: args.is_none(),
            args: args.unwrap_or_default(),
            agent: agent(source),
            ts,
            ..ToolCall::default()
        };
        self.prelude.begin(&mut self.run, out);
        self.run.turn(None);
        usize::from(self.run.call(call, out).is_some())
    }

    /// Takes what became of code. Where nothing tells the code itself, it is not known.
    fn executed(
        &mut self,
        message: &Json<'_>,
        source: Option<&str>,
        ts: Option<Timestamp<'static>>,
        out: &mut Out<'_>,
    ) -> Result<usize, Unusable> {
        self.answered = false;
        let result = message.get("result");
        let field = |name: &str| result.and_then(|result| result.get(name));
        let error = match field("exit_code") {
            Some(Json::Number(code)) => Some(*code != "0"),
            _ => None,
        };
        let new = if self.run.waits_in_order(EXECUTOR) {
            0
        } else {
            self.code(None, source, ts.clone(), out)
        };
        let answer = answer(field("output"), error, ts, out);
        self.run.answer_in_order(Some(EXECUTOR), answer, out);
        Ok(new)
    }

    /// Ends the run: as answered, if its last message is what an agent said.
    pub fn finish(mut self, out: &mut Out<'_>) {
        let mut out = out.at(self.place);
        if self.answered {
            self.prelude.begin(&mut self.run, &mut out);
        }
        self.prelude.end(&mut self.run, &mut out);
        let status = self.answered.then_some(RunStatus::Answered);
        self.run.finish(status, &mut out);
    }
}

fn agent(source: Option<&str>) -> Option<Cow<'static, str>> {
    let source = source.filter(|source| !source.is_empty())?;
    Some(Cow::Owned(source.to_owned()))
}

fn answer(
    value: Option<&Json<'_>>,
    error: Option<bool>,
    ts: Option<Timestamp<'static>>,
    out: &mut Out<'_>,
) -> Answer {
    check_value("a result", value.unwrap_or(&Json::Null), out);
    Answer::Result(ToolResult {
        outcome: Outcome {
            result: Content::of(value).into_raw(),
            error,
            ..Outcome::default()
        },
        ts,
        ..ToolResult::default()
    })
}

/// The calls or results of a message.
fn items<'j>(content: Option<&'j Json<'j>>, out: &mut Out<'_>) -> Result<&'j [Json<'j>], Unusable> {
    match content {
        Some(Json::Array(items)) => return Ok(items),
        None | Some(Json::Null) => {
            out.fault(FaultCode::MissingField, "a message without `content`");
        }
        Some(other) => {
            let text = format!("`content` has to be an array, not {}", kind(other));
            out.fault(FaultCode::BadField, text);
        }
    }
    Err(Unusable)
}

/// What a message is told by: its id, or, before they had any, all of it.
fn print(message: &Json<'_>) -> Fingerprint {
    let id = message.get("id").and_then(Json::as_str);
    match id.filter(|id| !id.is_empty()) {
        Some(id) => Fingerprint::of("id", id.as_bytes()),
        None => Fingerprint::of("", message.to_compact().as_bytes()),
    }
}
