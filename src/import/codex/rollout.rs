//! What is remembered of a session while its lines pass.

use super::copied::Copied;
use super::event::{self, Came};
use super::output::Words;
use super::{output, prompt};
use crate::import::foreign::items::{self, Item, ItemCall, ItemOutput};
use crate::import::foreign::{Answer, Out, Run, Told, Unusable, identifier, meta};
use crate::trace::event::{Outcome, RunStart, Timestamp, ToolResult};
use crate::trace::json::Json;
use std::borrow::Cow;
use std::collections::HashMap;

/// What lines tell about the run: the name it gets, and where it is found.
const META: &[(&str, &[&str])] = &[
    ("cwd", &["cwd"]),
    ("cli_version", &["cli_version"]),
    ("originator", &["originator"]),
    ("source", &["source"]),
    ("forked_from_id", &["forked_from_id"]),
    ("model_provider", &["model_provider"]),
    ("model", &["model"]),
    ("approval_policy", &["approval_policy"]),
    ("sandbox_policy", &["sandbox_policy", "permission_profile"]),
];

/// A session.
pub struct Session {
    /// Its run.
    pub run: Run,
    id: Option<String>,
    copied: Copied,
    intent: Option<String>,
    ts: Option<Timestamp<'static>>,
    meta: Vec<(&'static str, String)>,
    /// Calls whose result is to come.
    open: HashMap<String, Open>,
}

/// A call whose result is to come.
#[derive(Clone, Copy)]
struct Open {
    /// Whose words its output is.
    words: Words,
    /// What an event has told of it.
    came: Option<Came>,
}

impl From<Session> for Run {
    fn from(session: Session) -> Run {
        session.run
    }
}

impl Session {
    /// One whose lines come without a beginning.
    pub fn nameless() -> Self {
        Session::of(Run::new(None), None, Copied::default())
    }

    /// One that begins with this `session_meta`, in this line.
    ///
    /// # Errors
    /// An id of it is damaged or no string; the fault has been reported.
    pub fn new(
        id: Option<&str>,
        meta: &Json<'_>,
        line: &Json<'_>,
        out: &mut Out<'_>,
    ) -> Result<Self, Unusable> {
        let id = id.unwrap_or_default();
        let origin = origin(meta, out)?;
        let name = match &origin.parent {
            Some(parent) if origin.is_subagent => format!("{parent}/{id}"),
            _ => id.to_owned(),
        };
        let forked = meta
            .get("forked_from_id")
            .is_some_and(|id| id.as_str().is_some());
        let is_child = origin.is_subagent || origin.parent.is_some() || forked;
        let run = Run::new(Some(name)).with_agent(origin.agent);
        let copied = Copied::new(id, meta, line, is_child);
        let mut session = Session::of(run, Some(id.to_owned()), copied);
        session.ts = timestamp(line);
        session.note(meta);
        Ok(session)
    }

    fn of(run: Run, id: Option<String>, copied: Copied) -> Self {
        Session {
            run,
            id,
            copied,
            intent: None,
            ts: None,
            meta: Vec::new(),
            open: HashMap::new(),
        }
    }

    /// Takes another `session_meta`. `false` means that a session of its own begins with it.
    pub fn takes(
        &mut self,
        id: Option<&str>,
        meta: &Json<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> bool {
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            self.note(meta);
            return true;
        };
        let Some(own) = &self.id else {
            return false;
        };
        if own == id {
            return true;
        }
        let has_lines = self.intent.is_some() || self.run.has_begun();
        let takes = !has_lines && self.copied.takes(id);
        if !takes {
            told.assume("several sessions in one file are runs of their own", out);
        }
        takes
    }

    /// Looks at a line for whether it is the copy of another session's.
    pub fn look(
        &mut self,
        kind: &str,
        payload: &Json<'_>,
        line: &Json<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        self.copied.look(kind, payload, line, told, out);
        if matches!(kind, "turn_context" | "token_usage_record") {
            self.run.turn(None);
        }
    }

    /// Takes what a line tells about the run, as long as that can still go into its beginning.
    pub fn note(&mut self, payload: &Json<'_>) {
        if self.run.has_begun() || self.copied.is_copy() {
            return;
        }
        for (name, fields) in META {
            if self.meta.iter().all(|(known, _)| known != name)
                && let Some(text) = fields.iter().find_map(|f| word(payload.get(f)?))
            {
                self.meta.push((name, text));
            }
        }
    }

    fn begin(&mut self, out: &mut Out<'_>) {
        if self.run.has_begun() {
            return;
        }
        let known: Vec<_> = std::mem::take(&mut self.meta)
            .into_iter()
            .map(|(name, text)| (name, Json::from(text)))
            .collect();
        let start = RunStart {
            intent: self.intent.take().map(Cow::Owned),
            ts: self.ts.take(),
            meta: meta(known.iter().map(|(name, value)| (*name, Some(value)))),
            ..RunStart::default()
        };
        self.run.begin(start, out);
    }

    /// Takes a prompt of the user, which may be written twice.
    fn prompt(&mut self, words: Option<String>, out: &mut Out<'_>) {
        let Some(words) = words.filter(|_| !self.copied.is_copy()) else {
            return;
        };
        self.run.release(out);
        self.run.turn(None);
        if !self.run.has_begun() && self.intent.is_none() {
            self.intent = Some(words);
        }
    }

    /// Reads an item.
    pub fn item(&mut self, item: &Json<'_>, line: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        match items::read(item, told, out) {
            Ok(Item::Call(call)) => self.call(call, timestamp(line), out),
            Ok(Item::Output(output)) => self.output(&output, timestamp(line), told, out),
            Ok(Item::Message) if item.get("role").and_then(Json::as_str) == Some("user") => {
                self.prompt(prompt::of_message(item), out);
            }
            Ok(Item::Request(_)) => told.skip("items", "mcp_approval_request", out),
            // What makes an item unusable has been reported.
            Ok(Item::Message | Item::Response | Item::Other) | Err(_) => {}
        }
    }

    fn call(&mut self, call: ItemCall<'_>, ts: Option<Timestamp<'static>>, out: &mut Out<'_>) {
        if self.copied.takes_call(call.id, out.place()) {
            return;
        }
        self.begin(out);
        let open = Open {
            words: Words::of(&call.tool),
            came: None,
        };
        let waits = call.outcome.is_none();
        let id = call.id.map(str::to_owned);
        call.send(&mut self.run, false, ts, out);
        if let Some(id) = id.filter(|_| waits) {
            self.open.insert(id, open);
        }
    }

    fn output(
        &mut self,
        item: &ItemOutput<'_>,
        ts: Option<Timestamp<'static>>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        if self.copied.takes_result(item.id) {
            return;
        }
        self.run.turn(None);
        let open = self.open.remove(item.id);
        let came = open.and_then(|open| open.came);
        let output = output::read(item.value, open.map(|open| open.words).unwrap_or_default());
        if output.refused.is_some() && came != Some(Came::Declined) {
            let message = "calls whose output tells of a refusal are taken as not executed";
            told.assume(message, out);
        }
        let declined = (came == Some(Came::Declined)).then_some("approval");
        if let Some(by) = output.refused.or(declined) {
            return self.run.answer(item.id, Answer::Refusal(by), out);
        }
        let result = ToolResult {
            outcome: Outcome {
                result: output.result,
                error: item
                    .error
                    .or(output.error)
                    .or(came.map(|came| came == Came::Failed)),
                ..Outcome::default()
            },
            ts,
            ..ToolResult::default()
        };
        self.run.answer(item.id, Answer::Result(result), out);
    }

    /// Reads an event.
    pub fn event(&mut self, event: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        let Ok(kind) = identifier("type", event.get("type"), out) else {
            return;
        };
        let kind = kind.unwrap_or_default();
        let item = event.get("item").filter(|_| kind == "item_completed");
        let says = |word: &str| item.and_then(|item| item.get("type")?.as_str()) == Some(word);
        match kind {
            "user_message" => self.prompt(prompt::of_event(event), out),
            "task_started" | "turn_started" => self.run.turn(None),
            _ if says("UserMessage") => self.prompt(item.and_then(prompt::of_message), out),
            _ => {
                if let Some(told_of) = event::read(kind, event) {
                    self.came(&told_of, told, out);
                } else if item.is_none() && !event::IGNORED.contains(&kind) {
                    told.skip("events", kind, out);
                }
            }
        }
    }

    fn came(&mut self, event: &event::Told<'_>, told: &mut Told, out: &mut Out<'_>) {
        if self.copied.is_copy() || event.is_users {
            return;
        }
        if let Some(open) = self.open.get_mut(event.call) {
            open.came = Some(event.came);
        } else if !self.run.knows(event.call) && !self.copied.knows(event.call) {
            told.assume("calls that are only in events are left out", out);
        }
    }

    /// Called after the last line.
    pub fn close(&mut self, out: &mut Out<'_>) {
        if self.id.is_some() || self.intent.is_some() || !self.meta.is_empty() {
            self.begin(out);
        }
        self.copied.tell(out);
    }
}

/// Where a session comes from.
struct Origin {
    is_subagent: bool,
    parent: Option<String>,
    agent: Option<String>,
}

fn origin(meta: &Json<'_>, out: &mut Out<'_>) -> Result<Origin, Unusable> {
    let subagent = meta.get("source").and_then(|source| source.get("subagent"));
    let spawn = subagent.and_then(|subagent| subagent.get("thread_spawn"));
    let is_subagent =
        subagent.is_some() || meta.get("thread_source").and_then(Json::as_str) == Some("subagent");
    let mut text = |field: &str| {
        let value = spawn
            .and_then(|spawn| spawn.get(field))
            .or_else(|| meta.get(field));
        let text = identifier(field, value, out)?;
        Ok(text.filter(|text| !text.is_empty()).map(str::to_owned))
    };
    let parent = text("parent_thread_id")?;
    let role = text("agent_role")?;
    let nickname = text("agent_nickname")?;
    let kind = subagent.and_then(Json::as_str).map(str::to_owned);
    Ok(Origin {
        is_subagent,
        parent,
        agent: role.or(nickname).or(kind),
    })
}

/// A value in a word: a policy is an object that tells its kind.
fn word(value: &Json<'_>) -> Option<String> {
    match value {
        Json::String(text) => Some(text.text.to_string()),
        Json::Object(_) => {
            let kind = value.get("type").or_else(|| value.get("mode"));
            let kind = kind.and_then(Json::as_str).map(str::to_owned);
            Some(kind.unwrap_or_else(|| value.to_compact()))
        }
        _ => None,
    }
}

/// When a line was written.
fn timestamp(line: &Json<'_>) -> Option<Timestamp<'static>> {
    let text = line.get("timestamp")?.as_str()?;
    Some(Timestamp(Cow::Owned(text.to_owned())))
}
