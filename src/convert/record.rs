//! One event as one line: the fields in a fixed order, each under its first spelling, those that
//! say nothing left out.

use super::text;
use crate::report::number::exact;
use crate::trace::event::{
    Approval, Event, Outcome, RawJson, RunEnd, RunStart, Timestamp, ToolCall, ToolResult,
};
use crate::trace::json::{self, Json};
use std::borrow::Cow;

/// Appends the record of an event of the run that is written as `run`, without a line end.
pub fn write(event: &Event<'_>, run: &str, out: &mut String) {
    let mut record = Record { out };
    let kind = match event {
        Event::RunStart(_) => "run_start",
        Event::ToolCall(_) => "tool_call",
        Event::ToolResult(_) => "tool_result",
        Event::Approval(_) => "approval",
        Event::RunEnd(_) => "run_end",
    };
    // The kind comes first: it is what the format is told by.
    record.out.push_str("{\"type\":\"");
    record.out.push_str(kind);
    record.out.push('"');
    record.text("run", run);
    match event {
        Event::RunStart(start) => record.run_start(start),
        Event::ToolCall(call) => record.tool_call(call),
        Event::ToolResult(result) => record.tool_result(result),
        Event::Approval(approval) => record.approval(approval),
        Event::RunEnd(end) => record.run_end(end),
    }
    record.out.push('}');
}

/// A record under way; its kind has been written.
struct Record<'o> {
    out: &'o mut String,
}

impl Record<'_> {
    fn run_start(&mut self, start: &RunStart<'_>) {
        self.maybe("agent", start.agent.as_ref());
        self.maybe("intent", start.intent.as_ref());
        self.time(start.ts.as_ref());
        self.word("label", start.label.map(|label| label.as_str()));
        if let Some(meta) = &start.meta {
            self.key("meta");
            text::compact(meta, self.out);
        }
    }

    fn tool_call(&mut self, call: &ToolCall<'_>) {
        self.maybe("id", call.id.as_ref());
        self.number("turn", call.turn);
        self.text("tool", &call.tool);
        if call.args_unknown {
            self.plain("args_unknown", "true");
        } else {
            self.arguments(&call.args);
        }
        self.maybe("agent", call.agent.as_ref());
        self.texts("resources", &call.resources);
        self.texts("labels", &call.labels);
        self.maybe("batch", call.batch.as_ref());
        self.time(call.ts.as_ref());
        self.word("decision", call.recorded.map(|recorded| recorded.as_str()));
        self.word("approval", call.approval.map(|approval| approval.as_str()));
        if let Some(score) = call.semantic_score {
            self.plain("semantic_score", &exact(score));
        }
        self.number("estimated_cost_usd", call.estimated_cost);
        self.vector("context_embedding", call.context_embedding.as_deref());
        self.vector("action_embedding", call.action_embedding.as_deref());
        if let Some(outcome) = &call.outcome {
            self.outcome(outcome);
            // A call without an outcome is in flight, one that returned null has come back.
            let says = outcome.error.is_some() || outcome.cost.is_some();
            if !says && outcome.tokens.is_none() && result(outcome).is_none() {
                self.plain("error", "false");
            }
        }
    }

    fn tool_result(&mut self, result: &ToolResult<'_>) {
        self.text("call", &result.call);
        self.time(result.ts.as_ref());
        self.outcome(&result.outcome);
    }

    fn approval(&mut self, approval: &Approval<'_>) {
        self.text("call", &approval.call);
        self.word("decision", Some(approval.decision.as_str()));
        self.maybe("by", approval.by.as_ref());
    }

    fn run_end(&mut self, end: &RunEnd<'_>) {
        self.word("status", Some(end.status.as_str()));
    }

    /// The arguments. An object that would nest too deep inside a record is written as its text,
    /// which reads as the object.
    fn arguments(&mut self, args: &RawJson<'_>) {
        self.key("args");
        let start = self.out.len();
        let depth = text::compact(args, self.out);
        if depth >= json::MAX_DEPTH && args.bytes().first() == Some(&b'{') {
            let object = self.out.split_off(start);
            text::string(&object, self.out);
        }
    }

    fn outcome(&mut self, outcome: &Outcome<'_>) {
        if let Some(result) = result(outcome) {
            self.key("result");
            // A second result is told from a repeated one by how it is written.
            text::as_written(result, self.out);
        }
        if let Some(error) = outcome.error {
            self.plain("error", if error { "true" } else { "false" });
        }
        self.number("cost_usd", outcome.cost);
        self.number("tokens", outcome.tokens);
    }

    fn key(&mut self, name: &str) {
        self.out.push_str(",\"");
        self.out.push_str(name);
        self.out.push_str("\":");
    }

    /// A value that needs no quotes.
    fn plain(&mut self, name: &str, value: &str) {
        self.key(name);
        self.out.push_str(value);
    }

    fn text(&mut self, name: &str, value: &str) {
        self.key(name);
        text::string(value, self.out);
    }

    fn maybe(&mut self, name: &str, value: Option<&Cow<'_, str>>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    fn word(&mut self, name: &str, value: Option<&'static str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    /// A number that is written exactly as it is shown.
    fn number(&mut self, name: &str, value: Option<impl std::fmt::Display>) {
        if let Some(value) = value {
            self.plain(name, &value.to_string());
        }
    }

    fn texts(&mut self, name: &str, values: &[Cow<'_, str>]) {
        if !values.is_empty() {
            self.list(name, values, |value, out| text::string(value, out));
        }
    }

    fn vector(&mut self, name: &str, values: Option<&[f64]>) {
        if let Some(values) = values {
            self.list(name, values, |value, out| out.push_str(&exact(*value)));
        }
    }

    fn list<T>(&mut self, name: &str, values: &[T], write: impl Fn(&T, &mut String)) {
        self.key(name);
        self.out.push('[');
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                self.out.push(',');
            }
            write(value, self.out);
        }
        self.out.push(']');
    }

    /// A time as it was written: one that reads as a number is a number.
    fn time(&mut self, ts: Option<&Timestamp<'_>>) {
        let Some(Timestamp(ts)) = ts else { return };
        match json::parse(ts.as_bytes()) {
            Ok(Json::Number(number)) if number.len() == ts.len() => self.plain("ts", number),
            _ => self.text("ts", ts),
        }
    }
}

/// The result, if it is one: `null` is none.
fn result<'o, 'a>(outcome: &'o Outcome<'a>) -> Option<&'o RawJson<'a>> {
    let result = outcome.result.as_ref();
    result.filter(|result| result.bytes() != b"null")
}
