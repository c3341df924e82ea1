//! pi: the session files under `~/.pi/agent/sessions`, and the lines of `pi --mode json`.
//!
//! **Runs.** The row of type `session` begins a run that is named by its `id`. Rows without one
//! before them are the run named after the file. Rows form a tree, which is not followed: whatever
//! the user went back to later, the calls of a branch that was left have been made. A session that
//! was branched off into a file of its own begins with a copy of the rows before it; nothing in the
//! file tells where the copy ends, so its calls count there too.
//!
//! **Turns.** One message of the assistant is one turn. Its results are messages of their own.
//!
//! **Calls without results.** An answer that was aborted, or that ran into an error, has calls that
//! never ran. Where such a call was cut off while it was written, its arguments are not known.
//!
//! **Refusals.** What an extension blocks is an error result. Where the extension gave no reason,
//! pi's own words tell so; a reason is any text, and not told from a failure. A call that was skipped
//! because the user wrote meanwhile did not run, and is recorded as blocked too.
//!
//! What the user ran by `!` (`bashExecution`) is not the agent's and is left out.

mod message;
mod recognise;

use super::foreign::{
    Out, Run, Told, Unit, Unusable, check_bytes, identifier, meta, once, open, timestamp,
};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::event::{RunStart, RunStatus, Timestamp};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use std::borrow::Cow;

/// pi.
pub const FORMAT: Format = Format {
    id: "pi",
    title: "pi",
    doc: "pi coding agent: session files (JSONL), and the lines of `pi --mode json`",
    seen: "session versions 1 to 3",
    mapping: Mapping {
        run: "`id` of the row `session`, else the file",
        intent: "the first text of the user",
        meta: "`cwd`, `version`, `provider`, `model`",
        turn: "a message of the assistant",
        id: "`id` of the `toolCall` block",
        args: "`arguments`",
        result: "`content` of the `toolResult` message",
        error: "`isError`",
        cost: "`usage.cost.total` of the model: the next result bears it",
        decision: "blocked and skipped calls, by the text of an error result",
        end: "answered, where the last message stopped by itself; aborted, where it was",
        ts: "`timestamp` of the row, else of its message",
        ..Mapping::NOTHING
    },
    notes: &[
        "Calls of an aborted answer have no result; one that was cut off has unknown arguments.",
        "Commands that the user ran (`bashExecution`) are left out.",
        "Branches of a session are read in file order, also those that were left.",
    ],
    recognise: recognise::recognise,
    importer: |opening| Box::new(Pi::new(opening)),
};

/// Fields of a row that decide what becomes of it.
const FIELDS: &[&str] = &["type", "id", "message"];

/// Types of rows that hold no call and no result, or repeat those that do.
const OTHER_ROWS: &[&str] = &[
    "agent_end",
    "agent_start",
    "auto_compaction_end",
    "auto_compaction_start",
    "auto_retry_end",
    "auto_retry_start",
    "branch_summary",
    "compaction",
    "compaction_end",
    "compaction_start",
    "context_transform",
    "custom",
    "custom_message",
    "ephemeral",
    "label",
    "message_start",
    "message_update",
    "queue_update",
    "session_info",
    "thinking_level_change",
    "tool_execution_end",
    "tool_execution_start",
    "tool_execution_update",
    "turn_end",
    "turn_start",
];

/// What a row tells about the run: the name it gets, and where it is found.
const META: &[(&str, &[&str])] = &[
    ("cwd", &["cwd"]),
    ("version", &["version"]),
    ("provider", &["provider"]),
    ("model", &["modelId", "model"]),
];

/// Reader of one input.
pub struct Pi {
    stem: String,
    session: Session,
    told: Told,
}

/// What is remembered of a run while its rows pass.
struct Session {
    run: Run,
    meta: Vec<(&'static str, Json<'static>)>,
    began: Option<Timestamp<'static>>,
    /// How the run ends if nothing follows.
    end: Option<RunStatus>,
    /// Where its last message stood.
    place: Place,
}

impl Session {
    fn new(name: Option<String>) -> Self {
        Session {
            run: Run::new(name),
            meta: Vec::new(),
            began: None,
            end: None,
            place: Place::default(),
        }
    }

    /// Takes what a row tells about the run, as long as that can still go into its beginning.
    fn note(&mut self, row: &Json<'_>) {
        if self.run.has_begun() {
            return;
        }
        for (name, fields) in META {
            let value = match fields.iter().find_map(|field| row.get(field)) {
                Some(Json::String(text)) => Json::from(text.text.to_string()),
                Some(Json::Number(number)) => Json::from((*number).to_owned()),
                _ => continue,
            };
            self.meta.retain(|(known, _)| known != name);
            self.meta.push((name, value));
        }
    }

    /// Begins the run with its first prompt, or with its first call if that comes before.
    fn start(&mut self, intent: Option<String>, out: &mut Out<'_>) {
        if self.run.has_begun() {
            return;
        }
        let known = std::mem::take(&mut self.meta);
        let start = RunStart {
            intent: intent.map(Cow::Owned),
            ts: self.began.take(),
            meta: meta(known.iter().map(|(name, value)| (*name, Some(value)))),
            ..RunStart::default()
        };
        self.run.begin(start, out);
    }
}

impl Pi {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        Pi {
            stem: opening.stem.to_owned(),
            session: Session::new(None),
            told: Told::default(),
        }
    }

    fn row(&mut self, row: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        once(row, FIELDS, out)?;
        match identifier("type", row.get("type"), out)? {
            Some("session") => self.header(row, out),
            Some("message" | "message_end") => {
                self.session.place = out.place();
                message::read(&mut self.session, row, &mut self.told, out)
            }
            Some("model_change") => {
                self.session.note(row);
                Ok(())
            }
            Some(kind) => {
                if !OTHER_ROWS.contains(&kind) {
                    self.told.skip_unless_call("rows", kind, row, out);
                }
                Ok(())
            }
            None => {
                out.fault(FaultCode::MissingField, "a row without `type`");
                Err(Unusable)
            }
        }
    }

    fn header(&mut self, row: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        let id = identifier("id", row.get("id"), out)?;
        let name = id.filter(|id| !id.is_empty()).map(str::to_owned);
        let before = std::mem::replace(&mut self.session, Session::new(name));
        before.run.finish(before.end, out);
        if let Some(name) = self.session.run.name() {
            out.set_run(name);
        }
        self.session.began = timestamp(row.get("timestamp"), Unit::Millis, &mut self.told, out);
        self.session.note(row);
        Ok(())
    }
}

impl Importer for Pi {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, record.place);
        let Some(row) = open(&record, &mut out) else {
            return;
        };
        out.set_run(self.session.run.name().unwrap_or(&self.stem));
        check_bytes(&record, &mut out);
        // What makes it unusable has been reported.
        let _ = self.row(&row, &mut out);
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        let session = std::mem::replace(&mut self.session, Session::new(None));
        let mut out = Out::new(sink, session.place);
        out.set_run(session.run.name().unwrap_or(&self.stem));
        session.run.finish(session.end, &mut out);
    }
}
