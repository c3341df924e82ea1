//! Google's Agent Development Kit: sessions, their events, and files of evaluations. Fields are
//! written in camel case or in snake case.
//!
//! | record | holds |
//! |---|---|
//! | `{"id", "appName", "userId", "events": [..]}` | a session |
//! | `{"author", "invocationId", "content", ..}` | an event |
//! | `{"eval_cases": [{"eval_id", "conversation": [..]}]}` | cases of an evaluation, with the calls in `intermediate_data` |
//!
//! **Runs.** A session is a run, and so is a case. Events that stand alone are of the session that
//! they name, else of the run named after the file. Agents that hand over to each other share the
//! session: each call names its agent.
//!
//! **Turns.** An event with calls is a turn. Agents that work side by side write events of their own:
//! those that follow each other without a result between them are one turn, if they are of different
//! branches. The lists of an evaluation do not tell: each call is a turn.
//!
//! **Events in pieces** (`partial`) are left out: the whole one follows.
//!
//! **Ids.** Older recordings have none: results go to the calls of their function in order, and
//! follow the event that asks for them.
//!
//! **Confirmations.** A tool that needs one returns a placeholder, and the framework asks the user by
//! a call of its own, `adk_request_confirmation`. Neither is told: the call waits for what the user
//! says. One that was confirmed is recorded as allowed and approved, one that was not as blocked, and
//! one without an answer as escalated. The same holds for the placeholder of a tool that asks for
//! credentials, about which nobody decides.

mod eval;
mod late;
mod recognise;
mod session;

use super::foreign::parts::spelled;
use super::foreign::{Out, Runs, Told, Unusable, check_bytes, identifier, kind, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use session::Session;

/// The Agent Development Kit.
pub const FORMAT: Format = Format {
    id: "adk",
    title: "Google ADK",
    doc: "Google Agent Development Kit: sessions, events, and calls of evaluation files",
    seen: "1.10.0, and events without call ids of earlier versions",
    mapping: Mapping {
        run: "`id` of the session, `session_id` of an event, `eval_id` of a case",
        agent: "`author` of the event",
        intent: "the first text of the user",
        meta: "`app`",
        turn: "an event with calls",
        id: "`functionCall.id`; older recordings have none",
        args: "`functionCall.args`",
        result: "`functionResponse.response`, without the object around a lone `output`, `result` or `error`",
        error: "`error` or `status` in the response",
        approval: "the answer to `adk_request_confirmation`",
        decision: "calls for which a confirmation was asked",
        end: "answered, for cases of an evaluation with a `final_response`",
        ts: "`timestamp`",
        ..Mapping::NOTHING
    },
    notes: &[
        "The placeholder that a tool returns before it is confirmed is no result, and the call that asks the user is none of the agent's.",
        "A long-running tool returns at once and again later: what it returned last is the result of its call, and comes at the end of the run.",
        "Cases of an evaluation tell which calls were expected, one after the other.",
    ],
    recognise: recognise::recognise,
    importer: |opening| Box::new(Adk::new(opening)),
};

/// Fields of a record that decide what it is.
const FIELDS: &[&str] = &["id", "events", "author", eval::CASES.0, eval::CASES.1];

/// Names of a session on an event.
const SESSION: (&str, &str) = ("sessionId", "session_id");

/// Reader of one input.
pub struct Adk {
    stem: String,
    records: u64,
    runs: Runs<Session>,
    told: Told,
    max_hold: usize,
}

impl Adk {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        Adk {
            stem: opening.stem.to_owned(),
            records: 0,
            runs: Runs::default(),
            told: Told::default(),
            max_hold: opening.max_hold,
        }
    }

    fn dispatch(&mut self, record: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        once(record, FIELDS, out)?;
        if let Some(cases) = spelled(record, eval::CASES, out)? {
            self.cases(cases, out);
        } else if let Some(events) = record.get("events") {
            self.session(record, events, out)?;
        } else if record.get("author").is_some() {
            let name = identifier(SESSION.1, spelled(record, SESSION, out)?, out)?;
            let name = name.filter(|name| !name.is_empty());
            out.set_run(name.unwrap_or(&self.stem));
            let session = self.runs.get(name, || {
                Session::new(name.map(str::to_owned), self.max_hold)
            });
            session.event(record, &mut self.told, out);
        } else {
            let message = "a record without `events` and without `author`";
            out.fault(FaultCode::MissingField, message);
        }
        Ok(())
    }

    fn session(
        &mut self,
        record: &Json<'_>,
        events: &Json<'_>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        let id = identifier("id", record.get("id"), out)?.filter(|id| !id.is_empty());
        let name = id.map_or_else(|| format!("{}-{}", self.stem, self.records), str::to_owned);
        out.set_run(&name);
        let Some(events) = events.as_array() else {
            let message = format!("`events` has to be an array, not {}", kind(events));
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        };
        let mut session = Session::new(Some(name), self.max_hold);
        session.note(spelled(record, ("appName", "app_name"), out)?);
        for event in events {
            session.event(event, &mut self.told, out);
        }
        session.finish(None, out);
        Ok(())
    }

    fn cases(&mut self, cases: &Json<'_>, out: &mut Out<'_>) {
        let Some(cases) = cases.as_array() else {
            let message = format!(
                "`{}` has to be an array, not {}",
                eval::CASES.1,
                kind(cases)
            );
            return out.fault(FaultCode::BadField, message);
        };
        for (n, case) in (1..).zip(cases) {
            let name = format!("{}-{n}", self.stem);
            // What makes it unusable has been reported.
            let _ = eval::case(case, name, self.max_hold, &mut self.told, out);
        }
    }
}

impl Importer for Adk {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        self.records += 1;
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open(&record, &mut out) {
            check_bytes(&record, &mut out);
            // What makes it unusable has been reported.
            let _ = self.dispatch(&json, &mut out);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, Place::default());
        for session in self.runs.each() {
            session.settle(&self.stem, &mut out);
        }
        std::mem::take(&mut self.runs).finish(&self.stem, sink);
    }
}
