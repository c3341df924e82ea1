//! What is remembered of a run while its rows pass.

use super::held::{Answer, Held};
use super::row::RunId;
use crate::import::foreign::{CallIds, Out};
use crate::trace::event::{Event, RawJson, RunStart, Timestamp, ToolCall};
use crate::trace::fault::Place;
use crate::trace::json::{Json, write_string};
use std::borrow::Cow;

/// What a row tells about the run: the name it gets, and where it is found.
const META: &[(&str, &[&str])] = &[
    ("cwd", &["cwd"]),
    ("version", &["version", "claude_code_version"]),
    ("gitBranch", &["gitBranch"]),
    ("model", &["model"]),
];

/// A run.
pub struct Run {
    /// Its name and its agent.
    pub id: RunId,
    /// Its calls.
    pub ids: CallIds,
    /// Where repeated history begins, and how many calls of it were left out.
    pub repeats: Option<(Place, u64)>,
    held: Held,
    started: bool,
    turn: u64,
    message: Option<String>,
    rows: u64,
    meta: Vec<(&'static str, String)>,
}

impl Run {
    /// A run of which nothing has been seen.
    pub fn new(id: RunId) -> Self {
        Run {
            id,
            ids: CallIds::default(),
            repeats: None,
            held: Held::default(),
            started: false,
            turn: 0,
            message: None,
            rows: 0,
            meta: Vec::new(),
        }
    }

    /// Takes what a row tells about the run, as long as that can still go into its beginning.
    pub fn note(&mut self, row: &Json<'_>) {
        self.rows += 1;
        if self.started {
            return;
        }
        for (name, fields) in META {
            let of = |from: Option<&Json<'_>>| {
                let found = fields.iter().find_map(|f| from?.get(f)?.as_str());
                found.map(str::to_owned)
            };
            if self.meta.iter().all(|(known, _)| known != name)
                && let Some(text) = of(Some(row)).or_else(|| of(row.get("message")))
            {
                self.meta.push((name, text));
            }
        }
    }

    /// Begins the run with its first prompt, or with its first call if that comes before.
    pub fn start(&mut self, intent: Option<String>, row: &Json<'_>, out: &mut Out<'_>) {
        if self.started {
            return;
        }
        self.started = true;
        out.event(Event::RunStart(RunStart {
            run: self.id.run.as_deref().map(Cow::Borrowed),
            agent: self.id.agent.as_deref().map(Cow::Borrowed),
            intent: intent.map(Cow::Owned),
            ts: timestamp(row),
            label: None,
            meta: self.meta(),
        }));
        self.meta = Vec::new();
    }

    fn meta(&self) -> Option<RawJson<'static>> {
        if self.meta.is_empty() {
            return None;
        }
        let mut text = String::from("{");
        for (i, (name, value)) in self.meta.iter().enumerate() {
            if i > 0 {
                text.push(',');
            }
            write_string(name, &mut text);
            text.push(':');
            write_string(value, &mut text);
        }
        text.push('}');
        RawJson::from_text(text).ok()
    }

    /// The turn of a call in the message that this row is a part of.
    pub fn turn(&mut self, message: &Json<'_>) -> u64 {
        let id = match message.get("id") {
            // A repaired id could be that of another message.
            Some(Json::String(id)) if id.damage == Default::default() => id.text.to_string(),
            // A message without an id is its row.
            _ => format!("\0row {}", self.rows),
        };
        if self.message.as_ref() != Some(&id) {
            self.turn += 1;
            self.message = Some(id);
        }
        self.turn
    }

    /// Takes a call, which is held until it is known whether it was let through.
    pub fn call(&mut self, call: ToolCall<'static>, out: &mut Out<'_>) {
        self.held.call(call, self.id.run.as_deref(), out);
    }

    /// Takes what became of the call of this unique id.
    pub fn answer(&mut self, call: String, answer: Answer, out: &mut Out<'_>) {
        self.held.answer(call, answer, self.id.run.as_deref(), out);
    }

    /// Hands on what is held: nothing more is to be expected for it.
    pub fn release(&mut self, out: &mut Out<'_>) {
        self.held.release(self.id.run.as_deref(), out);
    }

    /// Where the first call held stands; `None` if none is.
    pub fn held_from(&self) -> Option<Place> {
        self.held.place()
    }

    /// Counts a call of repeated history.
    pub fn repeated(&mut self, place: Place) {
        self.repeats.get_or_insert((place, 0)).1 += 1;
    }
}

/// When a row was written.
pub fn timestamp(row: &Json<'_>) -> Option<Timestamp<'static>> {
    let text = row.get("timestamp")?.as_str()?;
    Some(Timestamp(Cow::Owned(text.to_owned())))
}
