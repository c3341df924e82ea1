//! What is remembered of a session, or of a subagent, while its rows pass.

use super::row::RunId;
use crate::import::foreign::{Out, Run, meta};
use crate::trace::event::{RunStart, Timestamp};
use crate::trace::json::{Damage, Json};
use std::borrow::Cow;

/// What a row tells about the run: the name it gets, and where it is found.
const META: &[(&str, &[&str])] = &[
    ("cwd", &["cwd"]),
    ("version", &["version", "claude_code_version"]),
    ("gitBranch", &["gitBranch"]),
    ("model", &["model"]),
];

/// A session or a subagent.
pub struct Session {
    /// Its run.
    pub run: Run,
    rows: u64,
    meta: Vec<(&'static str, String)>,
}

impl From<Session> for Run {
    fn from(session: Session) -> Run {
        session.run
    }
}

impl Session {
    /// One of which nothing has been seen.
    pub fn new(id: RunId) -> Self {
        Session {
            run: Run::new(id.run).with_agent(id.agent).rewriting_history(),
            rows: 0,
            meta: Vec::new(),
        }
    }

    /// Takes what a row tells about the run, as long as that can still go into its beginning.
    pub fn note(&mut self, row: &Json<'_>) {
        self.rows += 1;
        if self.run.has_begun() {
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
        if self.run.has_begun() {
            return;
        }
        let known: Vec<_> = std::mem::take(&mut self.meta)
            .into_iter()
            .map(|(name, text)| (name, Json::from(text)))
            .collect();
        let start = RunStart {
            intent: intent.map(Cow::Owned),
            ts: timestamp(row),
            meta: meta(known.iter().map(|(name, value)| (*name, Some(value)))),
            ..RunStart::default()
        };
        self.run.begin(start, out);
    }

    /// The calls that follow are part of the message that this row is a part of.
    pub fn turn(&mut self, message: &Json<'_>) {
        let id = match message.get("id") {
            // A repaired id could be that of another message.
            Some(Json::String(id)) if id.damage == Damage::None => id.text.to_string(),
            // A message without an id is its row.
            _ => format!("\0row {}", self.rows),
        };
        self.run.turn(Some(&id));
    }
}

/// When a row was written.
pub fn timestamp(row: &Json<'_>) -> Option<Timestamp<'static>> {
    let text = row.get("timestamp")?.as_str()?;
    Some(Timestamp(Cow::Owned(text.to_owned())))
}
