//! The lines that `opencode run --format json` writes while it runs.

use super::part::Tool;
use super::recognise::OTHER_ROWS;
use crate::import::foreign::{Out, Run, Runs, Told, Unit, identifier, once, timestamp};
use crate::import::{Record, Sink};
use crate::trace::event::RunStart;
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;

/// The sessions of an input, and the message whose calls are held.
pub struct Stream {
    runs: Runs<Run>,
    held: Option<Message>,
    max_hold: usize,
}

/// A message of which more calls may come.
struct Message {
    session: String,
    id: Option<String>,
    tools: Vec<(Place, Tool)>,
    bytes: usize,
}

impl Stream {
    /// Nothing has been read. `max_hold` is the most bytes of rows that are held.
    pub fn new(max_hold: usize) -> Self {
        Stream {
            runs: Runs::default(),
            held: None,
            max_hold,
        }
    }

    /// Reads a row.
    pub fn row(
        &mut self,
        row: &Json<'_>,
        record: &Record<'_>,
        told: &mut Told,
        sink: &mut dyn Sink,
    ) {
        let mut out = Out::new(sink, record.place);
        let session = match identifier("sessionID", row.get("sessionID"), &mut out) {
            Ok(Some(session)) if !session.is_empty() => session,
            Ok(_) => {
                let message = "a row with an empty `sessionID`";
                return out.fault(FaultCode::BadField, message);
            }
            Err(_) => return,
        };
        out.set_run(session);
        match row.get("type").and_then(Json::as_str) {
            Some("tool_use") => self.tool(session, row, record, told, sink),
            Some("step_finish") => self.step(session, row, record.place, sink),
            Some(kind) if OTHER_ROWS.contains(&kind) => {}
            Some(kind) => told.skip_unless_call("rows", kind, row, &mut out),
            None => out.fault(FaultCode::MissingField, "a row without `type`"),
        }
    }

    fn tool(
        &mut self,
        session: &str,
        row: &Json<'_>,
        record: &Record<'_>,
        told: &mut Told,
        sink: &mut dyn Sink,
    ) {
        let mut out = Out::new(sink, record.place);
        out.set_run(session);
        let Some(part @ Json::Object(_)) = row.get("part") else {
            return out.fault(FaultCode::MissingField, "a call without `part`");
        };
        if once(part, &["messageID"], &mut out).is_err() {
            return;
        }
        let Ok(id) = identifier("messageID", part.get("messageID"), &mut out) else {
            return;
        };
        let ts = timestamp(row.get("timestamp"), Unit::Millis, told, &mut out);
        let Ok(mut tool) = Tool::read(part, told, &mut out) else {
            return;
        };
        tool.call.ts = tool.call.ts.or(ts);
        let size = record.text.len();
        if let Some(held) = &self.held {
            let other = held.session != session || held.id.as_deref() != id || id.is_none();
            let full = held.bytes.saturating_add(size) > self.max_hold;
            if full && !other {
                let message =
                    "the calls of a message are too long to be held, they are handed on in pieces";
                told.assume(message, &mut out);
            }
            if other || full {
                self.release(None, sink);
            }
        }
        let held = self.held.get_or_insert_with(|| Message {
            session: session.to_owned(),
            id: id.map(str::to_owned),
            tools: Vec::new(),
            bytes: 0,
        });
        held.bytes += size;
        held.tools.push((record.place, tool));
    }

    /// The end of a step, which tells what it cost.
    fn step(&mut self, session: &str, row: &Json<'_>, place: Place, sink: &mut dyn Sink) {
        let cost = row.get("part").and_then(|part| part.get("cost"));
        if self
            .held
            .as_ref()
            .is_some_and(|held| held.session == session)
        {
            return self.release(cost, sink);
        }
        let mut out = Out::new(sink, place);
        out.set_run(session);
        run(&mut self.runs, session).spend(cost, &mut out);
    }

    /// Hands on the calls that are held, and after them what became of them.
    fn release(&mut self, cost: Option<&Json<'_>>, sink: &mut dyn Sink) {
        let Some(mut held) = self.held.take() else {
            return;
        };
        held.tools.sort_by_cached_key(|(_, tool)| tool.began());
        let run = run(&mut self.runs, &held.session);
        run.turn(held.id.as_deref());
        let mut answers = Vec::new();
        for (place, tool) in held.tools {
            let mut out = Out::new(sink, place);
            out.set_run(&*held.session);
            let start = RunStart {
                ts: tool.call.ts.clone(),
                ..RunStart::default()
            };
            run.begin(start, &mut out);
            let answer = tool.call(run, &mut out);
            answers.extend(answer.map(|answer| (place, answer)));
        }
        for (i, (place, (id, answer))) in answers.into_iter().enumerate() {
            let mut out = Out::new(sink, place);
            out.set_run(&*held.session);
            if i == 0 {
                run.spend(cost, &mut out);
            }
            run.answer(&id, answer, &mut out);
        }
    }

    /// Hands on what is held. `stem` names the file, for notices.
    pub fn finish(&mut self, stem: &str, sink: &mut dyn Sink) {
        self.release(None, sink);
        std::mem::take(&mut self.runs).finish(stem, sink);
    }
}

fn run<'r>(runs: &'r mut Runs<Run>, session: &str) -> &'r mut Run {
    runs.get(Some(session), || Run::new(Some(session.to_owned())))
}
