//! Codex: the rollout files under `~/.codex/sessions`, and the lines of `codex exec --json`.
//!
//! | record | what it is |
//! |---|---|
//! | `{"timestamp", "type", "payload"}` | a line of a rollout: `session_meta`, `turn_context`, `response_item`, `event_msg` |
//! | `{"id", "timestamp", "instructions"}`, then bare items | a rollout of mid-2025 |
//! | `{"session": {..}, "items": [..]}` | one of early 2025, a single document |
//! | `{"type": "item.completed", "item": {..}}` and others | a line of `codex exec --json` |
//!
//! **Runs.** A thread is a run, named by the id of the first `session_meta`. A subagent is a run of its
//! own, `<parent>/<thread>`, whose agent is its role.
//!
//! **Copies.** A file that was forked off another one begins with a copy of it: the `session_meta` of
//! the parent, and its history, stamped anew. These calls are not the child's and are not counted;
//! `copied` tells where the copy ends.
//!
//! **Turns.** Calls that stand before the first result of any of them are of one answer of the model.
//! In the lines of `codex exec` those that overlap are.
//!
//! **What is written twice.** Events of type `event_msg` tell again what items tell. They count as
//! what they add: whether a call was declined or failed (`event`).
//!
//! **Results** have no flag of their own. Exit codes stand in the text that Codex puts before what a
//! command wrote, and so do refusals (`output`).

mod copied;
mod event;
mod exec;
mod output;
mod prompt;
mod recognise;
mod rollout;

use super::foreign::{Out, Runs, Told, check_bytes, identifier, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use exec::Stream;
use rollout::Session;

pub use recognise::is_older;

/// Codex.
pub const FORMAT: Format = Format {
    id: "codex",
    title: "Codex",
    doc: "Codex rollout files (JSONL), older ones too, and the lines of `codex exec --json`",
    seen: "0.104 to 0.171; older rollouts by description",
    mapping: Mapping {
        run: "`session_meta.id`, `thread_id` of an exec stream; a subagent is a run of its own, `<parent>/<thread>`",
        agent: "`agent_role` or `agent_nickname` of a subagent; not known in the session itself",
        intent: "the first prompt of the user, without what the program put in; not in exec streams",
        meta: "`cwd`, `cli_version`, `originator`, `source`, `forked_from_id`, `model_provider`, `model`, `approval_policy`, `sandbox_policy`",
        turn: "calls before the first result of any of them; in exec streams calls that overlap",
        id: "`call_id`; `item_<n>` of an exec stream",
        args: "`arguments`, `input` or `action`",
        result: "`output`",
        error: "the exit code in the output or in an event; `exit_code` and `status` of an exec stream",
        decision: "refusals only: `declined`, or the text of an output",
        ts: "`timestamp` of the line; none in exec streams",
        ..Mapping::NOTHING
    },
    notes: &[
        "A forked file begins with a copy of its parent's history. These calls are not counted, and a `repeated_call` warning says how many there are.",
        "A refused call is recorded as blocked and has no result. Approvals that were given are not recorded.",
        "Searches of the web and other tools of the server have no result. Arguments that were redacted are not known.",
        "An exec stream has no calls whose arguments could not be read or whose tool does not exist; its to-do lists are left out.",
        "Calls that the code of another call makes are only in events; a warning says that they are left out.",
    ],
    recognise: recognise::recognise,
    importer: |opening| Box::new(Codex::new(opening)),
};

/// Fields of a line that decide what it is.
const FIELDS: &[&str] = &["type", "payload", "item", "thread_id", "items", "session"];

/// Types of lines that hold no call and no result.
const IGNORED: &[&str] = &[
    // The items of a compaction are those that came before.
    "compacted",
    "inter_agent_communication",
    "token_usage_record",
    "world_state",
];

/// Reader of one input.
pub struct Codex {
    stem: String,
    sessions: Runs<Session>,
    /// The session that lines belong to.
    session: Option<String>,
    streams: Runs<Stream>,
    /// The thread that lines of an exec stream belong to.
    thread: Option<String>,
    told: Told,
    last: Place,
}

impl Codex {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        Codex {
            stem: opening.stem.to_owned(),
            sessions: Runs::default(),
            session: None,
            streams: Runs::default(),
            thread: None,
            told: Told::default(),
            last: Place::default(),
        }
    }

    fn line(&mut self, line: &Json<'_>, out: &mut Out<'_>) {
        if once(line, FIELDS, out).is_err() {
            return;
        }
        let Ok(kind) = identifier("type", line.get("type"), out) else {
            return;
        };
        match (kind, line.get("payload")) {
            (Some(kind), _) if exec::is_line(kind) => self.exec(kind, line, out),
            (Some(kind), Some(payload @ Json::Object(_))) => self.row(kind, payload, line, out),
            (Some(_), Some(_)) => out.fault(FaultCode::BadField, "`payload` has to be an object"),
            (Some(kind), None) if recognise::is_item(kind) => {
                self.row("response_item", line, line, out);
            }
            (Some(kind), None) => {
                if !IGNORED.contains(&kind) {
                    self.told.skip_unless_call("lines", kind, line, out);
                }
            }
            (None, _) if recognise::is_document(line) => self.document(line, out),
            (None, _) if recognise::is_header(line) => self.row("session_meta", line, line, out),
            (None, _) if line.get("record_type").is_some() => {}
            (None, _) => out.fault(FaultCode::MissingField, "a line without `type`"),
        }
    }

    /// Reads a recording that is one document.
    fn document(&mut self, document: &Json<'_>, out: &mut Out<'_>) {
        if let Some(header) = document.get("session") {
            self.row("session_meta", header, header, out);
        }
        let items = document.get("items").and_then(Json::as_array);
        for item in items.unwrap_or_default() {
            self.row("response_item", item, item, out);
        }
    }

    /// Reads a line of a rollout. `line` has its time.
    fn row(&mut self, kind: &str, payload: &Json<'_>, line: &Json<'_>, out: &mut Out<'_>) {
        if kind == "session_meta" {
            return self.beginning(payload, line, out);
        }
        let session = self
            .sessions
            .get(self.session.as_deref(), Session::nameless);
        out.set_run(session.run.name().unwrap_or(&self.stem));
        session.look(kind, payload, line, &mut self.told, out);
        match kind {
            "turn_context" => session.note(payload),
            "response_item" => session.item(payload, line, &mut self.told, out),
            "event_msg" => session.event(payload, &mut self.told, out),
            _ if IGNORED.contains(&kind) => {}
            _ => self.told.skip_unless_call("lines", kind, payload, out),
        }
    }

    /// Reads a `session_meta`: the beginning of a session, or the copy of another one's.
    fn beginning(&mut self, meta: &Json<'_>, line: &Json<'_>, out: &mut Out<'_>) {
        let Ok(id) = identifier("id", meta.get("id"), out) else {
            return;
        };
        let current = self
            .sessions
            .get(self.session.as_deref(), Session::nameless);
        if current.takes(id, meta, &mut self.told, out) {
            return;
        }
        let Ok(session) = Session::new(id, meta, line, out) else {
            return;
        };
        self.session = session.run.name().map(str::to_owned);
        let name = self.session.clone();
        out.set_run(name.as_deref().unwrap_or(&self.stem));
        self.sessions.get(name.as_deref(), || session);
    }

    fn exec(&mut self, kind: &str, line: &Json<'_>, out: &mut Out<'_>) {
        if exec::is_beginning(kind) {
            let field = if line.get("thread_id").is_some() {
                "thread_id"
            } else {
                "session_id"
            };
            let Ok(id) = identifier(field, line.get(field), out) else {
                return;
            };
            self.thread = id.filter(|id| !id.is_empty()).map(str::to_owned);
        }
        let name = self.thread.clone();
        out.set_run(name.as_deref().unwrap_or(&self.stem));
        let stream = self
            .streams
            .get(self.thread.as_deref(), || Stream::new(name));
        stream.line(kind, line, &mut self.told, out);
    }
}

impl Importer for Codex {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        self.last = record.place;
        let mut out = Out::new(sink, record.place);
        // A line that cannot be read belongs to what the lines before it belong to.
        if let Some(run) = self.session.as_ref().or(self.thread.as_ref()) {
            out.set_run(run);
        }
        let Some(line) = open(&record, &mut out) else {
            return;
        };
        check_bytes(&record, &mut out);
        self.line(&line, &mut out);
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, self.last);
        for session in self.sessions.each() {
            out.set_run(session.run.name().unwrap_or(&self.stem));
            session.close(&mut out);
        }
        for stream in self.streams.each() {
            out.set_run(stream.run.name().unwrap_or(&self.stem));
            stream.close(&mut out);
        }
        std::mem::take(&mut self.sessions).finish(&self.stem, sink);
        std::mem::take(&mut self.streams).finish(&self.stem, sink);
    }
}
