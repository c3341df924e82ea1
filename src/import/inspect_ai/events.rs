//! The events of a sample: who asked for which call, what approvers said, and what tools did.

use super::turns::Turns;
use crate::import::foreign::{Out, Told, kind};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::collections::HashMap;

/// Events that are not about calls.
const IGNORED: &[&str] = &[
    "anchor",
    "checkpoint",
    "compaction",
    "error",
    "info",
    "input",
    "interrupt",
    "logger",
    "sample_init",
    "sandbox",
    "score",
    "score_edit",
    "span_end",
    "state",
    "step",
    "store",
];

/// Types of spans that somebody else than the agent around them acts in, `agent` apart.
const APART: &[&str] = &["scorer", "scorers", "subtask", "fork", "branch"];

/// Where an event stands.
#[derive(Clone, Copy, Default)]
struct Within {
    /// The number of the agent.
    agent: usize,
    /// Whether it is a part of what a tool of the agent does.
    tool: bool,
    /// Whether it is in a branch, which plays what it branched from again.
    branch: bool,
}

/// What the events tell.
#[derive(Default)]
pub struct Walk<'j> {
    /// Who did what.
    pub turns: Turns<'j>,
    /// The kind of limit that ended the sample.
    pub limit: Option<&'j str>,
    spans: HashMap<&'j str, Within>,
}

impl<'j> Walk<'j> {
    /// Reads events, those within events included.
    pub fn read(&mut self, events: &'j [Json<'j>], told: &mut Told, out: &mut Out<'_>) {
        let mut pending = vec![(events.iter(), Within::default())];
        while let Some((events, within)) = pending.last_mut() {
            let within = *within;
            let Some(event) = events.next() else {
                pending.pop();
                continue;
            };
            if let Some((nested, within)) = self.event(event, within, told, out) {
                pending.push((nested.iter(), within));
            }
        }
    }

    /// Reads an event. Returns those within it, and where they stand.
    fn event(
        &mut self,
        event: &'j Json<'j>,
        around: Within,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Option<(&'j [Json<'j>], Within)> {
        let text = |field: &str| event.get(field).and_then(Json::as_str);
        let span = text("span_id").and_then(|span| self.spans.get(span));
        let within = span.copied().unwrap_or(around);
        let agent = within.agent;
        match text("event") {
            Some("model") => self.model(event, agent, out),
            Some("tool") => {
                self.turns.event(agent, event);
                return self.nested(event, text("agent").or(text("function")));
            }
            Some("subtask") => return self.nested(event, text("name")),
            Some("approval") => self.approval(event, agent, out),
            Some("review") => self.turns.review(event),
            Some("span_begin") => self.span(event, around),
            Some("sample_limit") => self.limit = text("type").or(Some("unknown")),
            Some("branch") if within.branch => {
                self.turns.plays_again(agent);
                let message = "what a branch plays again of where it branched from is left out";
                told.assume(message, out);
            }
            Some("branch") => told.skip("events", "branch", out),
            Some(kind) if IGNORED.contains(&kind) => {}
            Some(kind) => told.skip("events", kind, out),
            None if matches!(event, Json::Object(_)) => {
                out.fault(FaultCode::MissingField, "an event without `event`");
            }
            None => {
                let message = format!("an event has to be an object, not {}", kind(event));
                out.fault(FaultCode::BadField, message);
            }
        }
        None
    }

    fn nested(
        &mut self,
        event: &'j Json<'j>,
        name: Option<&str>,
    ) -> Option<(&'j [Json<'j>], Within)> {
        let events = event.get("events").and_then(Json::as_array)?;
        if events.is_empty() {
            return None;
        }
        let agent = self.turns.enter(name.unwrap_or("agent"));
        let within = Within {
            agent,
            ..Within::default()
        };
        Some((events, within))
    }

    fn span(&mut self, event: &'j Json<'j>, around: Within) {
        let text = |field: &str| event.get(field).and_then(Json::as_str);
        let parent = text("parent_id").and_then(|parent| self.spans.get(parent));
        let parent = parent.copied().unwrap_or(around);
        let kind = text("type").unwrap_or_default();
        let name = text("name").filter(|name| !name.is_empty()).unwrap_or(kind);
        let first = parent.agent == 0 && !parent.tool;
        let within = match kind {
            "tool" => Within {
                tool: true,
                ..parent
            },
            "agent" if first && self.turns.name_first(name) => parent,
            "agent" => Within {
                agent: self.turns.enter(name),
                ..Within::default()
            },
            _ if APART.contains(&kind) => Within {
                agent: self.turns.enter(name),
                branch: kind == "branch",
                ..Within::default()
            },
            _ => parent,
        };
        if let Some(id) = text("id") {
            self.spans.insert(id, within);
        }
    }

    fn model(&mut self, event: &'j Json<'j>, agent: usize, out: &mut Out<'_>) {
        let output = event.get("output");
        let choices = output.and_then(|output| output.get("choices")?.as_array());
        let first = choices.unwrap_or_default().first();
        let calls = first.and_then(|choice| choice.get("message")?.get("tool_calls"));
        let calls = match calls {
            None | Some(Json::Null) => &[][..],
            Some(Json::Array(calls)) => calls,
            Some(other) => {
                let message = format!("`tool_calls` has to be an array, not {}", kind(other));
                return out.fault(FaultCode::BadField, message);
            }
        };
        let cost = output.and_then(|output| output.get("usage")?.get("total_cost"));
        if calls.is_empty() && cost.is_none() {
            return;
        }
        self.turns.turn(agent, cost);
        for call in calls {
            self.turns.ask(agent, call, Some(event));
        }
    }

    fn approval(&mut self, event: &'j Json<'j>, agent: usize, out: &mut Out<'_>) {
        match event.get("call") {
            Some(Json::Object(_)) => self.turns.approval(agent, event),
            _ => out.fault(FaultCode::MissingField, "an approval without `call`"),
        }
    }
}
