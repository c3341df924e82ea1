//! The rows of `--output-format stream-json`: a session as it goes on.

use crate::import::foreign::{
    Answer, Content, Out, Run, Told, Unit, Unusable, arguments, check_value, identifier, meta,
    once, timestamp, tool_name,
};
use crate::trace::event::{Outcome, RunStart, RunStatus, Timestamp, ToolCall, ToolResult};
use crate::trace::json::Json;
use std::borrow::Cow;

/// Types of rows. `error` tells of what went wrong between calls.
pub const TYPES: &[&str] = &[
    "error",
    "init",
    "message",
    "result",
    "tool_result",
    "tool_use",
];

/// A session.
pub struct Stream {
    run: Run,
    ts: Option<Timestamp<'static>>,
    model: Option<String>,
    /// Whether a result or a prompt has come since the last call.
    is_answered: bool,
}

impl Stream {
    /// One that begins with this row, if it is a first one.
    pub fn new(name: Option<String>, row: &Json<'_>, told: &mut Told, out: &mut Out<'_>) -> Self {
        let model = row.get("model").and_then(Json::as_str);
        Stream {
            run: Run::new(name),
            ts: timestamp(row.get("timestamp"), Unit::Millis, told, out),
            model: model.map(str::to_owned),
            is_answered: true,
        }
    }

    /// Name of its run; `None` is the run named after the file.
    pub fn name(&self) -> Option<&str> {
        self.run.name()
    }

    /// Reads a row. Returns how the session ended, if it is its last.
    pub fn row(
        &mut self,
        kind: &str,
        row: &Json<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Option<RunStatus> {
        // What makes a row unusable has been reported.
        match kind {
            "message" => self.message(row, out),
            "tool_use" => {
                let _ = self.call(row, told, out);
            }
            "tool_result" => {
                let _ = self.result(row, told, out);
            }
            "result" => {
                let status = row.get("status").and_then(Json::as_str);
                return Some(if status == Some("success") {
                    RunStatus::Answered
                } else {
                    RunStatus::Aborted
                });
            }
            _ => {}
        }
        None
    }

    fn start(&mut self, intent: Option<&str>, out: &mut Out<'_>) {
        if self.run.has_begun() {
            return;
        }
        let model = self.model.take().map(Json::from);
        let start = RunStart {
            intent: intent.map(|text| Cow::Owned(text.to_owned())),
            ts: self.ts.take(),
            meta: meta([("model", model.as_ref())]),
            ..RunStart::default()
        };
        self.run.begin(start, out);
    }

    fn message(&mut self, row: &Json<'_>, out: &mut Out<'_>) {
        if row.get("role").and_then(Json::as_str) == Some("user") {
            let content = Content::of(row.get("content"));
            let text = content
                .text()
                .map(str::trim)
                .filter(|text| !text.is_empty());
            self.start(text, out);
            self.run.release(out);
            self.is_answered = true;
        }
    }

    fn call(&mut self, row: &Json<'_>, told: &mut Told, out: &mut Out<'_>) -> Result<(), Unusable> {
        once(row, &["tool_name", "tool_id", "parameters"], out)?;
        let tool = tool_name("tool_name", row.get("tool_name"), out)?;
        let id = identifier("tool_id", row.get("tool_id"), out)?;
        self.start(None, out);
        if std::mem::take(&mut self.is_answered) {
            self.run.turn(None);
        }
        let call = ToolCall {
            tool: Cow::Owned(tool.to_owned()),
            id: id.map(|id| Cow::Owned(id.to_owned())),
            args: arguments(tool, row.get("parameters"), out),
            ts: timestamp(row.get("timestamp"), Unit::Millis, told, out),
            ..ToolCall::default()
        };
        self.run.call(call, out);
        Ok(())
    }

    fn result(
        &mut self,
        row: &Json<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        once(row, &["tool_id", "status", "output", "error"], out)?;
        let id = identifier("tool_id", row.get("tool_id"), out)?.unwrap_or_default();
        self.is_answered = true;
        let status = identifier("status", row.get("status"), out)?;
        if status == Some("cancelled") {
            self.run.answer(id, Answer::Refusal("user"), out);
            return Ok(());
        }
        let message = row.get("error").and_then(|error| error.get("message"));
        let value = message.or_else(|| row.get("output"));
        check_value("a result", value.unwrap_or(&Json::Null), out);
        let result = ToolResult {
            outcome: Outcome {
                result: Content::of(value).into_raw(),
                error: Some(status != Some("success")),
                ..Outcome::default()
            },
            ts: timestamp(row.get("timestamp"), Unit::Millis, told, out),
            ..ToolResult::default()
        };
        self.run.answer(id, Answer::Result(result), out);
        Ok(())
    }

    /// Ends the session.
    pub fn finish(self, status: Option<RunStatus>, out: &mut Out<'_>) {
        self.run.finish(status, out);
    }
}
