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

mod held;
mod message;
mod prompt;
mod refusal;
mod row;
mod run;

use super::foreign::{Out, check_bytes, identifier, once, open, quote};
use super::{Format, Importer, Record, Sink};
use crate::trace::fault::{FaultCode, Notice, NoticeKind, Place, WarningCode};
use crate::trace::json::Json;
use run::Run;
use std::collections::{BTreeMap, BTreeSet};

/// Claude Code.
pub const FORMAT: Format = Format {
    id: "claude_code",
    doc: "Claude Code session and subagent files (JSONL), and its stream-json output",
    recognise: row::recognise,
    importer: |_, stem| Box::new(ClaudeCode::new(stem)),
};

/// Reader of one input.
pub struct ClaudeCode {
    stem: String,
    runs: BTreeMap<Option<String>, Run>,
    told: BTreeSet<String>,
}

impl ClaudeCode {
    /// Begins an input of that name.
    pub fn new(stem: &str) -> Self {
        ClaudeCode {
            stem: stem.to_owned(),
            runs: BTreeMap::new(),
            told: BTreeSet::new(),
        }
    }

    fn row(&mut self, row: &Json<'_>, id: row::RunId, out: &mut Out<'_>) {
        let kind = match identifier("type", row.get("type"), out) {
            Ok(Some(kind)) => kind,
            Ok(None) => return out.fault(FaultCode::MissingField, "a row without `type`"),
            Err(_) => return,
        };
        let run = self
            .runs
            .entry(id.run.clone())
            .or_insert_with(|| Run::new(id));
        if kind == "user" || kind == "assistant" {
            // Of other rows without a session the run is not known.
            out.set_run(run.id.run.as_deref().unwrap_or(&self.stem));
            run.note(row);
            message::read(run, row, kind == "user", &mut self.told, out);
        } else if row::is_beginning(row) {
            run.note(row);
        } else if !row::IGNORED.contains(&kind) && self.told.insert(format!("row {kind}")) {
            let message = format!("rows of the unknown type {} are skipped", quote(kind));
            out.warn(WarningCode::Assumed, message);
        }
    }

    /// Hands on what all runs hold, the run that has waited longest first.
    fn release(&mut self, sink: &mut dyn Sink) {
        let mut runs: Vec<_> = self.runs.values_mut().collect();
        runs.sort_by_key(|run| run.held_from());
        let mut out = Out::new(sink, Place::default());
        for run in runs {
            run.release(&mut out);
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
        if id.is_assumed && self.told.insert("sidechain".to_owned()) {
            let message = "rows of subagents that are not named are taken as one run";
            out.warn(WarningCode::Assumed, message);
        }
        self.row(&row, id, &mut out);
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        self.release(sink);
        for (id, run) in &self.runs {
            let Some((place, count)) = run.repeats else {
                continue;
            };
            let plural = if count == 1 { "call" } else { "calls" };
            sink.notice(Notice {
                kind: NoticeKind::Warning(WarningCode::RepeatedCall),
                place,
                run: Some(id.as_ref().unwrap_or(&self.stem).clone()),
                message: format!(
                    "{count} {plural} of earlier history, written again from here on, counted once"
                ),
                help: None,
            });
        }
    }
}
