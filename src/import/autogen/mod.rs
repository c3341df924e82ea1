//! AutoGen: messages of agents and teams as they were streamed, results of tasks, and saved states.
//!
//! | record | run |
//! |---|---|
//! | a message with its `type` and `source` | all such messages of the input are one run, named after the file |
//! | `{"messages": [..], "stop_reason"}`, the result of a task | the same, if its first message has been read; else one, `<file>-<n>` |
//! | `{"type": "..State", ..}`, the saved state of an agent or a team | one, `<file>-<n>` |
//!
//! **Agents.** The `source` of a message is who acts. The members of a team act in one run.
//!
//! **States** keep what the members of a team did in one list, in order, and what each of them has in
//! mind in a list of its own. A call that stands in both counts once. What stands in the lists of agents
//! alone is taken agent after agent.
//!
//! **Code.** What an agent runs by itself is a call of `code_executor`.
//!
//! **Texts.** Older recordings hold nothing but texts, in which code and what it printed are quoted. They
//! have no calls that could be told from what is only talked about, and are refused.

mod recognise;
mod state;
mod thread;

use super::foreign::{Out, Run, Told, Unusable, check_bytes, identifier, kind, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use thread::Thread;

/// AutoGen.
pub const FORMAT: Format = Format {
    id: "autogen",
    title: "AutoGen",
    doc: "AutoGen: messages of agents and teams, results of tasks, and what `save_state` saves",
    seen: "AgentChat 0.4 to 0.7",
    mapping: Mapping {
        run: "`<file>-<n>` of a result or a state, else named after the file",
        agent: "`source`",
        intent: "the first text of `user`",
        meta: "`stop_reason`",
        turn: "a message with calls",
        id: "`id`",
        args: "`arguments`",
        result: "`content`, by `call_id`",
        error: "`is_error`; `exit_code` of code",
        end: "answered, where the last message is what an agent said",
        ts: "`created_at`",
        ..Mapping::NOTHING
    },
    notes: &[
        "Messages that only repeat results (`ToolCallSummaryMessage`) are left out. A handoff is no call; the call that asks for it is.",
        "In a state, calls that only the lists of single agents have are taken agent after agent.",
        "Each saved state is a run, also where a later one of the same team repeats it.",
        "Histories of nothing but texts hold no calls and are refused.",
    ],
    recognise: recognise::recognise,
    importer: |opening| Box::new(AutoGen::new(opening)),
};

/// Fields of a record that decide what it is.
const FIELDS: &[&str] = &[
    "type",
    "messages",
    "agent_states",
    "agent_state",
    "llm_context",
    "message_thread",
];

/// Reader of one input.
pub struct AutoGen {
    stem: String,
    records: u64,
    /// The run of messages that stand alone.
    loose: Option<Thread>,
    told: Told,
}

impl AutoGen {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        AutoGen {
            stem: opening.stem.to_owned(),
            records: 0,
            loose: None,
            told: Told::default(),
        }
    }

    fn dispatch(&mut self, record: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        once(record, FIELDS, out)?;
        if state::is_state(record) {
            self.state(record, out)
        } else if let Some(messages) = record.get("messages") {
            self.result(record, messages, out)
        } else if record.get("type").is_some() {
            out.set_run(&self.stem);
            let new = || Thread::new(Run::new(None));
            let loose = self.loose.get_or_insert_with(new);
            loose.message(record, &mut self.told, out);
            Ok(())
        } else {
            let message = "a record that is no message and holds none with a `type`";
            let help = "histories of nothing but texts hold no calls that can be read";
            out.fault_with_help(FaultCode::MissingField, message, help);
            Err(Unusable)
        }
    }

    fn result(
        &mut self,
        record: &Json<'_>,
        messages: &Json<'_>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        let Some(messages) = messages.as_array() else {
            let message = format!("`messages` has to be an array, not {}", kind(messages));
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        };
        let first = messages.first();
        let loose = self.loose.as_mut();
        if let Some(loose) = loose.filter(|loose| first.is_some_and(|first| loose.knows(first))) {
            out.set_run(&self.stem);
            for message in messages {
                loose.again(message, &mut self.told, out);
            }
            return Ok(());
        }
        let name = format!("{}-{}", self.stem, self.records);
        out.set_run(&name);
        let mut thread = Thread::new(Run::new(Some(name)));
        thread.note("stop_reason", record.get("stop_reason"));
        for message in messages {
            thread.message(message, &mut self.told, out);
        }
        thread.finish(out);
        Ok(())
    }

    fn state(&mut self, record: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        let team = identifier("team_id", record.get("team_id"), out)?;
        let name = match team.filter(|team| !team.is_empty()) {
            Some(team) => team.to_owned(),
            None => format!("{}-{}", self.stem, self.records),
        };
        out.set_run(&name);
        let lists = state::lists(record);
        let mut thread = Thread::new(Run::new(Some(name)).rewriting_history());
        for message in lists.threads.into_iter().flatten() {
            thread.message(message, &mut self.told, out);
        }
        let mut agents = 0;
        for messages in lists.contexts {
            let read = messages
                .iter()
                .map(|message| thread.message(message, &mut self.told, out));
            agents += usize::from(read.sum::<usize>() > 0);
        }
        if agents > 1 {
            let message = "the order of what several agents did is not recorded, it is taken agent \
                           after agent";
            self.told.assume(message, out);
        }
        thread.finish(out);
        Ok(())
    }
}

impl Importer for AutoGen {
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
        if let Some(thread) = self.loose.take() {
            let mut out = Out::new(sink, Place::default());
            out.set_run(thread.name().unwrap_or(&self.stem));
            thread.finish(&mut out);
        }
    }
}
