//! Claude Code: the session files under `~/.claude/projects`, those of its subagents, and the lines
//! of `--output-format stream-json`.
//!
//! **Runs.** A session is a run. A subagent is a run of its own, named `<session>/<agent>`, whose
//! agent is the subagent: it has its own context, and its calls interleave with those of the session
//! that waits for it. Rows are taken in file order; the tree that `parentUuid` draws is not followed,
//! because it points at rows that were never written.
//!
//! **Turns.** One answer of the model is one turn, counted from 1, if it holds a call. Answers are
//! split over rows, one block a row; rows of one `message.id` are one turn. No batch is named: a call
//! here never carries its outcome, so calls of one turn are in flight together without one, and a row
//! does not tell whether others of its message follow.
//!
//! **Resumed and forked sessions** write their history again, with new row ids and the old call ids.
//! A call that has come before under its id, with the same tool and input, is not a second call; the
//! number of those left out is reported once per run at the end, and their results are left out too.
//! An id that comes back with another input is another call, told apart as `id#2`.
//!
//! **Refusals.** The format has no record of a permission that was given. One that was refused is
//! only visible in the text of an error result. The call of such a result did not run: it is recorded
//! as blocked and gets no result. To learn this in time, the calls of an answer are held back, and
//! their results behind them, until each has a result or a refusal, a call of another answer or a
//! prompt of the user shows that no more will come, or the input ends. Then the calls are handed on
//! in file order and after them the results as they came, each at the place of its own row. A run
//! holds one answer at most, a call of it one result at most. What comes for a call that has been
//! handed on is handed on at once, before calls that wait then; if it is a refusal, all that can
//! still be said is that an approval was denied. What comes a second time for a call that is held
//! ends the wait and follows as if it came late.
//!
//! What is not about calls is skipped by name; a kind of row that is not known is skipped with a
//! warning. Costs and tokens of single results are not recorded.

mod message;
mod row;
mod session;

use super::foreign::{Out, Runs, Told, check_bytes, identifier, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use session::Session;

/// Claude Code.
pub const FORMAT: Format = Format {
    id: "claude_code",
    title: "Claude Code",
    doc: "Claude Code session and subagent files (JSONL), and its stream-json output",
    seen: "1.0.0 to 2.1.29",
    mapping: Mapping {
        run: "`sessionId`; a subagent is a run of its own, `<session>/<agentId>`",
        agent: "`agentId` of a subagent; not known in the session itself",
        intent: "the first prompt of the user, without what the program put in",
        meta: "`cwd`, `version`, `gitBranch`, `model`",
        turn: "one answer of the model: rows of one `message.id`",
        id: "`id` of the `tool_use` block",
        args: "`input`",
        result: "`content` of the `tool_result` block",
        error: "`is_error`",
        decision: "refusals only, by the text of an error result",
        ts: "`timestamp`",
        ..Mapping::NOTHING
    },
    notes: &[
        "A resumed session writes its history again: the same call under the same id is left out, another call under it is `id#2`.",
        "A refused call is recorded as blocked and has no result. Approvals that were given are not recorded.",
    ],
    recognise: row::recognise,
    importer: |opening| Box::new(ClaudeCode::new(opening)),
};

/// Reader of one input.
pub struct ClaudeCode {
    stem: String,
    runs: Runs<Session>,
    told: Told,
}

impl ClaudeCode {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        ClaudeCode {
            stem: opening.stem.to_owned(),
            runs: Runs::default(),
            told: Told::default(),
        }
    }

    fn row(&mut self, row: &Json<'_>, id: row::RunId, out: &mut Out<'_>) {
        let kind = match identifier("type", row.get("type"), out) {
            Ok(Some(kind)) => kind,
            Ok(None) => return out.fault(FaultCode::MissingField, "a row without `type`"),
            Err(_) => return,
        };
        let name = id.run.clone();
        let session = self.runs.get(name.as_deref(), || Session::new(id));
        if kind == "user" || kind == "assistant" {
            // Of other rows without a session the run is not known.
            out.set_run(session.run.name().unwrap_or(&self.stem));
            session.note(row);
            message::read(session, row, kind == "user", &mut self.told, out);
        } else if row::is_beginning(row) {
            session.note(row);
        } else if !row::IGNORED.contains(&kind) {
            self.told.skip_unless_call("rows", kind, row, out);
        }
    }
}

impl Importer for ClaudeCode {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, record.place);
        let Some(row) = open(&record, &mut out) else {
            return;
        };
        let id = once(&row, row::FIELDS, &mut out).and_then(|()| row::run_of(&row, &mut out));
        if let Ok(row::RunId { run: Some(run), .. }) = &id {
            out.set_run(run);
        }
        check_bytes(&record, &mut out);
        let Ok(id) = id else {
            return;
        };
        if id.is_assumed {
            let message = "rows of subagents that are not named are taken as one run";
            self.told.assume(message, &mut out);
        }
        self.row(&row, id, &mut out);
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        std::mem::take(&mut self.runs).finish(&self.stem, sink);
    }
}
