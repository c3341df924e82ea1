//! A run of mini-swe-agent: its messages in order.

use super::{action, array, fenced, status};
use crate::import::foreign::{
    Answer, Content, Out, Run, Told, Unit, Unusable, check_value, identifier, kind, meta, once,
    timestamp,
};
use crate::trace::event::{Outcome, RunStart, ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;
use std::collections::VecDeque;

/// Fields of a message that decide what it is.
const FIELDS: &[&str] = &[
    "role",
    "type",
    "content",
    "tool_calls",
    "tool_call_id",
    "call_id",
    "output",
    "extra",
];

/// Reads a document as the run `name`.
///
/// # Errors
/// It cannot be used; the fault has been reported.
pub fn read(
    record: &Json<'_>,
    name: Option<String>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    let messages = record.get("messages").unwrap_or(&Json::Null);
    let messages = array("messages", messages, out)?;
    let mut reader = Reader {
        run: Run::new(name),
        told,
        open: VecDeque::new(),
        typed: 0,
        answers: false,
    };
    reader.run.begin(start(record, messages), out);
    let interrupts = interrupts(messages);
    for (message, interrupt) in messages.iter().zip(interrupts) {
        // What makes it unusable has been reported.
        let _ = reader.message(message, interrupt, out);
    }
    reader.run.finish(status(record.get("info")), out);
    Ok(())
}

fn start(record: &Json<'_>, messages: &[Json<'_>]) -> RunStart<'static> {
    let info = |path: &[&str]| {
        let info = record.get("info");
        path.iter().try_fold(info?, |value, field| value.get(field))
    };
    let intent = messages.iter().find_map(|message| {
        let is_user = role(message) == Some("user");
        let content = Content::of(message.get("content").filter(|_| is_user));
        let text = content.text()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    });
    let known = [
        ("exit_status", info(&["exit_status"])),
        ("model", info(&["config", "model", "model_name"])),
        ("version", info(&["mini_version"])),
        ("instance_cost", info(&["model_stats", "instance_cost"])),
    ];
    RunStart {
        intent: intent.map(Cow::Owned),
        meta: meta(known),
        ..RunStart::default()
    }
}

fn role<'j>(message: &'j Json<'_>) -> Option<&'j str> {
    message.get("role").and_then(Json::as_str)
}

fn extra<'j>(message: &'j Json<'j>, field: &str) -> Option<&'j Json<'j>> {
    message.get("extra")?.get(field)
}

/// Why what was under way at each message was stopped: by the next message that is no result. The
/// results of calls that did not run come before the message that tells why.
fn interrupts<'j>(messages: &'j [Json<'j>]) -> Vec<Option<&'j str>> {
    let mut next = None;
    let mut found = Vec::with_capacity(messages.len());
    for message in messages.iter().rev() {
        let is_result = extra(message, "raw_output").is_some() || message.get("call_id").is_some();
        if !is_result {
            next = extra(message, "interrupt_type").and_then(Json::as_str);
        }
        found.push(next);
    }
    found.reverse();
    found
}

struct Reader<'t> {
    run: Run,
    told: &'t mut Told,
    /// Calls of the last answer that the recording gives no id and that wait for their result.
    open: VecDeque<String>,
    /// Commands of the user that wait for theirs.
    typed: u64,
    /// Whether the last message was one of the agent, whose command could not be told.
    answers: bool,
}

impl Reader<'_> {
    fn message(
        &mut self,
        message: &Json<'_>,
        interrupt: Option<&str>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        if !matches!(message, Json::Object(_)) {
            let text = format!("a message has to be an object, not {}", kind(message));
            out.fault(FaultCode::BadField, text);
            return Err(Unusable);
        }
        once(message, FIELDS, out)?;
        if message.get("type").and_then(Json::as_str) == Some("function_call_output") {
            return self.named(message, "call_id", "output", interrupt, out);
        }
        match role(message) {
            Some("function") => out.stranger("SWE-agent"),
            Some("assistant") if message.get("function_call").is_some() => {
                out.stranger("SWE-agent");
            }
            Some("assistant") => self.assistant(message, out),
            Some("tool") => return self.named(message, "tool_call_id", "content", interrupt, out),
            Some("user") => self.user(message, interrupt, out),
            Some("system" | "developer" | "exit") => {}
            Some(role) => self.told.skip_unless_call("messages", role, message, out),
            None if message.get("output").is_some() => self.assistant(message, out),
            None => {
                out.fault(FaultCode::MissingField, "a message without `role`");
                return Err(Unusable);
            }
        }
        Ok(())
    }

    fn assistant(&mut self, message: &Json<'_>, out: &mut Out<'_>) {
        self.open.clear();
        self.typed = 0;
        self.run.turn(None);
        self.run.spend(extra(message, "cost"), out);
        let is_call =
            |item: &&Json<'_>| item.get("type").and_then(Json::as_str) == Some("function_call");
        let items = message.get("output").and_then(Json::as_array);
        let items = items.unwrap_or_default().iter().filter(is_call);
        let calls = message.get("tool_calls").and_then(Json::as_array);
        let calls = calls.unwrap_or_default().iter().chain(items);
        let mut found = false;
        for call in calls {
            found = true;
            if let Ok(call) = action::structured(call, out) {
                self.call(call, message, out);
            }
        }
        if !found {
            let actions = extra(message, "actions").and_then(Json::as_array);
            for action in actions.unwrap_or_default() {
                found = true;
                self.action(action, message, out);
            }
        }
        let content = Content::of(message.get("content"));
        if !found && let Some(command) = content.text().and_then(fenced::command) {
            found = true;
            self.call(bash(command), message, out);
        }
        self.answers = !found;
    }

    fn action(&mut self, action: &Json<'_>, message: &Json<'_>, out: &mut Out<'_>) {
        if once(action, &["command", "tool_call_id"], out).is_err() {
            return;
        }
        let Some(command) = action.get("command").and_then(Json::as_str) else {
            return out.fault(FaultCode::MissingField, "an action without `command`");
        };
        let Ok(id) = identifier("tool_call_id", action.get("tool_call_id"), out) else {
            return;
        };
        let call = ToolCall {
            id: id.map(|id| Cow::Owned(id.to_owned())),
            ..bash(command)
        };
        self.call(call, message, out);
    }

    fn call(&mut self, call: ToolCall<'static>, message: &Json<'_>, out: &mut Out<'_>) {
        let unnamed = call.id.as_deref().is_none_or(str::is_empty);
        let ts = timestamp(extra(message, "timestamp"), Unit::Seconds, self.told, out);
        let id = self.run.call(ToolCall { ts, ..call }, out);
        self.open.extend(id.filter(|_| unnamed));
    }

    /// A result that names its call.
    fn named(
        &mut self,
        message: &Json<'_>,
        id: &str,
        field: &str,
        interrupt: Option<&str>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        self.answers = false;
        let id = identifier(id, message.get(id), out)?.unwrap_or_default();
        let answer = self.outcome(message, field, interrupt, out);
        self.run.answer(id, answer, out);
        Ok(())
    }

    /// A message of the user: the result of the earliest call without an id that has none, if there
    /// is one; else the user's own words.
    fn user(&mut self, message: &Json<'_>, interrupt: Option<&str>, out: &mut Out<'_>) {
        let answers = std::mem::take(&mut self.answers);
        let content = Content::of(message.get("content"));
        let text = content.text().unwrap_or_default();
        let typed = extra(message, "actions").and_then(Json::as_array);
        if typed.is_some_and(|actions| !actions.is_empty()) || is_typed(text) {
            self.open.clear();
            self.typed = typed.map_or(1, |actions| actions.len() as u64);
            return self.run.release(out);
        }
        let is_interrupt = extra(message, "interrupt_type").is_some();
        let is_refusal = is_refusal(text) || (is_interrupt && interrupt == Some("UserRejection"));
        if is_refusal && !self.open.is_empty() {
            for id in std::mem::take(&mut self.open) {
                self.run.answer(&id, Answer::Refusal("user"), out);
            }
        } else if is_interrupt {
            self.open.clear();
            self.run.release(out);
        } else if let Some(id) = self.open.pop_front() {
            let answer = self.outcome(message, "content", interrupt, out);
            self.run.answer(&id, answer, out);
        } else if self.typed > 0 {
            self.typed -= 1;
        } else if answers && is_result(message, text) {
            let text = "a result of a command that could not be told from the text before it";
            out.fault(FaultCode::BadField, text);
        } else {
            self.run.release(out);
        }
    }

    fn outcome(
        &mut self,
        message: &Json<'_>,
        field: &str,
        interrupt: Option<&str>,
        out: &mut Out<'_>,
    ) -> Answer {
        let value = message.get(field);
        let content = Content::of(value);
        let text = content.text().unwrap_or_default();
        let exception = extra(message, "exception_info").and_then(Json::as_str);
        let not_run = exception == Some("action was not executed");
        if not_run && interrupt == Some("UserRejection") {
            return Answer::Refusal("user");
        }
        let failed = exception.is_some_and(|text| !text.is_empty()) || is_timeout(text);
        let error = match (failed, returned(message, text)) {
            (true, _) => Some(true),
            (false, code) => code.map(|code| code != "0"),
        };
        check_value("a result", value.unwrap_or(&Json::Null), out);
        let ts = timestamp(extra(message, "timestamp"), Unit::Seconds, self.told, out);
        Answer::Result(ToolResult {
            outcome: Outcome {
                result: content.into_raw(),
                error,
                ..Outcome::default()
            },
            ts,
            ..ToolResult::default()
        })
    }
}

fn bash(command: &str) -> ToolCall<'static> {
    ToolCall {
        tool: Cow::Borrowed(action::BASH),
        ..action::of_text(command)
    }
}

/// What a command returned.
fn returned<'j>(message: &'j Json<'j>, text: &'j str) -> Option<&'j str> {
    match extra(message, "returncode") {
        Some(Json::Number(code)) => Some(code),
        _ => {
            let (code, _) = text
                .trim_start()
                .strip_prefix("<returncode>")?
                .split_once('<')?;
            Some(code.trim())
        }
    }
}

fn is_result(message: &Json<'_>, text: &str) -> bool {
    extra(message, "raw_output").is_some() || returned(message, text).is_some()
}

fn is_timeout(text: &str) -> bool {
    let first = text.trim_start();
    first.starts_with("The last command") && first.contains("timed out and has been killed")
}

/// Whether the user kept the commands of the agent from being run.
fn is_refusal(text: &str) -> bool {
    ["Command not executed", "Commands not executed"]
        .iter()
        .any(|begin| text.starts_with(begin))
}

/// Whether it is a command that the user typed.
fn is_typed(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("User command:") || text.starts_with("```bash")
}
