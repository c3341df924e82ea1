//! One run: its messages in order, and their parts.

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

/// Fields of a message and of a part that decide what becomes of it.
const FIELDS: &[&str] = &[
    "args",
    "content",
    "kind",
    "outcome",
    "part_kind",
    "parts",
    "tool_call_id",
    "tool_name",
];

/// Kinds of parts that are not about calls.
const OTHER: &[&str] = &[
    "compaction",
    "file",
    "instruction",
    "speech",
    "system-prompt",
    "text",
    "thinking",
];

/// A run.
pub struct Thread {
    run: Run,
    prelude: Prelude,
    seen: HashSet<Fingerprint>,
    answered: bool,
    place: Place,
}

impl Thread {
    /// A run of which nothing has been seen. Without a name it is the run named after the file.
    pub fn new(name: Option<String>) -> Self {
        Thread {
            run: Run::new(name),
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

    /// Where its first call that waits stands.
    pub fn held_from(&self) -> Option<Place> {
        self.run.held_from()
    }

    /// Reads the next message.
    ///
    /// # Errors
    /// It cannot be used; the fault has been reported.
    pub fn message(
        &mut self,
        message: &Json<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        once(message, FIELDS, out)?;
        let Some(parts) = message.get("parts").and_then(Json::as_array) else {
            out.fault(FaultCode::MissingField, "a message without `parts`");
            return Err(Unusable);
        };
        let word = identifier("kind", message.get("kind"), out)?;
        self.place = out.place();
        if is_dated(message, parts) {
            let print = Fingerprint::of("", message.to_compact().as_bytes());
            if !self.seen.insert(print) {
                told.again(out);
                return Ok(());
            }
        }
        let ts = timestamp(message.get("timestamp"), Unit::Seconds, told, out);
        match word {
            Some("request") => {}
            Some("response") => {
                self.prelude.note("model", message.get("model_name"));
                self.prelude.note("provider", message.get("provider_name"));
                self.run.turn(None);
                self.spend(message.get("usage"), out);
            }
            Some(word) => {
                told.skip("messages", word, out);
                return Ok(());
            }
            None => {
                out.fault(FaultCode::MissingField, "a message without `kind`");
                return Err(Unusable);
            }
        }
        self.answered = word == Some("response");
        for part in parts {
            // What makes it unusable has been reported.
            let _ = self.part(part, &ts, told, out);
        }
        Ok(())
    }

    /// Costs are written as text, so that they stay exact.
    fn spend(&mut self, usage: Option<&Json<'_>>, out: &mut Out<'_>) {
        match usage.and_then(|usage| usage.get("cost")) {
            Some(Json::String(cost)) => self.run.spend(Some(&Json::Number(&cost.text)), out),
            cost => self.run.spend(cost, out),
        }
    }

    fn part(
        &mut self,
        part: &Json<'_>,
        ts: &Option<Timestamp<'static>>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        if !matches!(part, Json::Object(_)) {
            let message = format!("a part has to be an object, not {}", kind(part));
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        }
        once(part, FIELDS, out)?;
        let at = timestamp(part.get("timestamp"), Unit::Seconds, told, out).or_else(|| ts.clone());
        let content = part.get("content");
        match identifier("part_kind", part.get("part_kind"), out)? {
            Some("tool-call" | "builtin-tool-call" | "native-tool-call") => {
                self.answered &= part.get("part_kind").and_then(Json::as_str) != Some("tool-call");
                self.call(part, at, out)?;
            }
            Some("tool-return" | "builtin-tool-return" | "native-tool-return") => {
                let answer = returned(part, at, told, out);
                let id = identifier("tool_call_id", part.get("tool_call_id"), out)?;
                self.run.answer(id.unwrap_or_default(), answer, out);
            }
            // Without a tool it is about the answer.
            Some("retry-prompt") if is_given(part, "tool_name") => {
                let id = identifier("tool_call_id", part.get("tool_call_id"), out)?;
                let value = content.unwrap_or(&Json::Null);
                check_value("a result", value, out);
                // Mistakes in arguments are a list, of objects that only look like blocks.
                let result = match value {
                    Json::Null => None,
                    value => Some(RawJson::from_json(value)),
                };
                let answer = answer(result, Some(true), at);
                self.run.answer(id.unwrap_or_default(), answer, out);
            }
            Some("retry-prompt") => {}
            Some("user-prompt") => {
                self.run.release(out);
                self.prelude.prompt(Content::of(content).text(), at, out);
            }
            Some(word) if OTHER.contains(&word) => {}
            Some(word) => told.skip("parts", word, out),
            None => {
                out.fault(FaultCode::MissingField, "a part without `part_kind`");
                return Err(Unusable);
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        part: &Json<'_>,
        ts: Option<Timestamp<'static>>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        let tool = tool_name("tool_name", part.get("tool_name"), out)?;
        let id = identifier("tool_call_id", part.get("tool_call_id"), out)?;
        // A call without arguments has null.
        let given = part.get("args").filter(|args| **args != Json::Null);
        let call = ToolCall {
            tool: Cow::Owned(tool.to_owned()),
            id: id.map(|id| Cow::Owned(id.to_owned())),
            args: arguments(tool, given, out),
            args_unknown: part.get("args").is_none(),
            ts,
            ..ToolCall::default()
        };
        self.prelude.begin(&mut self.run, out);
        self.run.call(call, out);
        Ok(())
    }

    /// Hands on what waits: nothing more follows.
    pub fn release(&mut self, out: &mut Out<'_>) {
        self.run.release(out);
    }

    /// Ends the run: as answered, if its last message answers.
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

fn is_given(of: &Json<'_>, field: &str) -> bool {
    of.get(field).is_some_and(|value| *value != Json::Null)
}

/// Whether a message says when it was written: then no other is the same.
fn is_dated(message: &Json<'_>, parts: &[Json<'_>]) -> bool {
    is_given(message, "timestamp") || parts.iter().any(|part| is_given(part, "timestamp"))
}

fn returned(
    part: &Json<'_>,
    ts: Option<Timestamp<'static>>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Answer {
    let value = part.get("content");
    let error = match part.get("outcome").and_then(Json::as_str) {
        Some("denied") => return Answer::Refusal("approval"),
        Some("success") => Some(false),
        Some("failed" | "retried") => Some(true),
        Some(other) => {
            told.skip("outcomes", other, out);
            None
        }
        None => None,
    };
    check_value("a result", value.unwrap_or(&Json::Null), out);
    answer(Content::of(value).into_raw(), error, ts)
}

fn answer(
    result: Option<RawJson<'static>>,
    error: Option<bool>,
    ts: Option<Timestamp<'static>>,
) -> Answer {
    Answer::Result(ToolResult {
        outcome: Outcome {
            result,
            error,
            ..Outcome::default()
        },
        ts,
        ..ToolResult::default()
    })
}
