//! A run of SWE-agent: its steps, and the messages that were made of them.

use super::{action, array, status};
use crate::import::foreign::{
    Answer, Content, Out, Run, Told, Unusable, check_value, identifier, kind, meta, once,
};
use crate::trace::event::{Outcome, RunStart, ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// Words that stand for the last action where the program, not the agent, ended the run.
const EXITS: &[&str] = &[
    "exit_api",
    "exit_command_timeout",
    "exit_context",
    "exit_cost",
    "exit_environment",
    "exit_environment_error",
    "exit_error",
    "exit_format",
    "exit_total_cost",
    "exit_total_execution_time",
];

/// Reads a document, or one attempt of it, as the run `name`.
///
/// # Errors
/// It cannot be used; the fault has been reported.
pub fn read(
    record: &Json<'_>,
    name: Option<String>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    let history = match record.get("history") {
        Some(history) => array("history", history, out)?,
        None => &[],
    };
    let history: Vec<_> = history.iter().filter(|message| !is_demo(message)).collect();
    let agent = history
        .iter()
        .find_map(|message| message.get("agent")?.as_str());
    let mut run = Run::new(name).with_agent(agent.map(str::to_owned));
    run.begin(start(record, &history), out);
    let mut reader = Reader {
        run,
        agent,
        told,
        last: None,
    };
    match record.get("trajectory") {
        Some(steps) => {
            let steps = array("trajectory", steps, out)?;
            reader.steps(steps, &history, out);
        }
        None if record.get("history").is_some() => reader.history(&history, out),
        None => {
            let message = "a document without `trajectory` and without `history`";
            out.fault(FaultCode::MissingField, message);
        }
    }
    reader.run.finish(status(record.get("info")), out);
    Ok(())
}

fn start(record: &Json<'_>, history: &[&Json<'_>]) -> RunStart<'static> {
    let info = record.get("info");
    let info = |field: &str| info.and_then(|info| info.get(field));
    let intent = history.iter().find_map(|message| {
        let is_user = message.get("role").and_then(Json::as_str) == Some("user");
        let content = Content::of(message.get("content").filter(|_| is_user));
        let text = content.text()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    });
    let known = [
        ("environment", record.get("environment")),
        ("exit_status", info("exit_status")),
        ("version", info("swe_agent_version")),
        (
            "instance_cost",
            info("model_stats").and_then(|stats| stats.get("instance_cost")),
        ),
    ];
    RunStart {
        intent: intent.map(Cow::Owned),
        meta: meta(known),
        ..RunStart::default()
    }
}

fn is_demo(message: &Json<'_>) -> bool {
    message.get("is_demo") == Some(&Json::Bool(true))
}

struct Reader<'t> {
    run: Run,
    agent: Option<&'t str>,
    told: &'t mut Told,
    /// The call that waits for its observation, by its id in the recording or here.
    last: Option<String>,
}

impl Reader<'_> {
    /// Reads the steps, each with the next message of the history if that is of the same action.
    fn steps(&mut self, steps: &[Json<'_>], history: &[&Json<'_>], out: &mut Out<'_>) {
        let acts =
            |message: &&&Json<'_>| text(message, "action").is_some_and(|text| !text.is_empty());
        let mut messages = history.iter().filter(acts).peekable();
        for (n, step) in (1..).zip(steps) {
            let Ok(action) = written(step, out) else {
                continue;
            };
            if action.is_empty() {
                continue;
            }
            let message = messages.next_if(|message| text(message, "action") == Some(action));
            if n == steps.len() && EXITS.contains(&action) {
                continue;
            }
            self.run.turn(None);
            self.act(action, message.copied(), out);
            self.observe(step.get("observation"), out);
        }
        let unread = messages.count();
        if unread > 0 {
            let plural = if unread == 1 { "action" } else { "actions" };
            let message = format!("{unread} {plural} of `history` that no step has are not read");
            out.fault(FaultCode::BadField, message);
        }
    }

    /// Reads a history that is all there is: an action, and the message after it.
    fn history(&mut self, history: &[&Json<'_>], out: &mut Out<'_>) {
        let message = "without a `trajectory`, results are the messages after the actions";
        self.told.assume(message, out);
        for (n, message) in (1..).zip(history) {
            if once(message, &["role", "action", "tool_calls", "content"], out).is_err() {
                self.last = None;
                continue;
            }
            match text(message, "role") {
                Some("assistant") => {
                    self.last = None;
                    let action = text(message, "action").unwrap_or_default();
                    let is_exit = n == history.len() && EXITS.contains(&action);
                    if !is_exit {
                        self.run.turn(None);
                        self.act(action, Some(message), out);
                    }
                }
                Some("user" | "tool") if self.last.is_some() => {
                    self.observe(message.get("content"), out);
                }
                Some("user" | "tool" | "system") => {}
                Some(role) => self.told.skip_unless_call("messages", role, message, out),
                None => out.fault(FaultCode::MissingField, "a message without `role`"),
            }
        }
    }

    /// Hands on the calls of an action.
    fn act(&mut self, action: &str, message: Option<&Json<'_>>, out: &mut Out<'_>) {
        self.last = None;
        let agent = message.and_then(|message| message.get("agent")?.as_str());
        let agent = agent.filter(|name| Some(*name) != self.agent);
        let calls = message.and_then(|message| message.get("tool_calls")?.as_array());
        let calls = calls.unwrap_or_default();
        if calls.len() > 1 {
            let message = "the observation of several calls is taken as the result of the last one";
            self.told.assume(message, out);
        }
        if calls.is_empty() {
            if !action.is_empty() {
                self.call(action::of_text(action), agent, out);
            }
            return;
        }
        for call in calls {
            // What makes it unusable has been reported, and its observation is of no call.
            self.last = None;
            if let Ok(call) = action::structured(call, out) {
                self.call(call, agent, out);
            }
        }
    }

    fn call(&mut self, call: ToolCall<'static>, agent: Option<&str>, out: &mut Out<'_>) {
        let given = call
            .id
            .as_deref()
            .filter(|id| !id.is_empty())
            .map(str::to_owned);
        let call = ToolCall {
            agent: agent.map(|name| Cow::Owned(name.to_owned())),
            ..call
        };
        let id = self.run.call(call, out);
        self.last = given.or(id);
    }

    fn observe(&mut self, value: Option<&Json<'_>>, out: &mut Out<'_>) {
        let (Some(value), Some(id)) = (value, self.last.take()) else {
            return;
        };
        check_value("a result", value, out);
        let result = ToolResult {
            outcome: Outcome {
                result: Content::of(Some(value)).into_raw(),
                ..Outcome::default()
            },
            ..ToolResult::default()
        };
        self.run.answer(&id, Answer::Result(result), out);
    }
}

/// A text without the blanks around it.
fn text<'j>(message: &'j Json<'_>, field: &str) -> Option<&'j str> {
    message.get(field)?.as_str().map(str::trim)
}

/// The action of a step, which is empty where the model gave none.
fn written<'j>(step: &'j Json<'_>, out: &mut Out<'_>) -> Result<&'j str, Unusable> {
    if !matches!(step, Json::Object(_)) {
        let message = format!("a step has to be an object, not {}", kind(step));
        out.fault(FaultCode::BadField, message);
        return Err(Unusable);
    }
    once(step, &["action", "observation"], out)?;
    if step.get("action").is_none() {
        out.fault(FaultCode::MissingField, "a step without `action`");
        return Err(Unusable);
    }
    let action = identifier("action", step.get("action"), out)?;
    Ok(action.unwrap_or_default().trim())
}
