//! Messages of the Anthropic API, in the records they are kept in.
//!
//! | record | holds |
//! |---|---|
//! | `{"messages": [..]}` | a conversation: a request that was kept, or its messages alone |
//! | `{"role", "content"}` | a message, or a response |
//! | `{"request": {..}, "response": {..}}`, `{"params": {..}}` | both, or one of them |
//! | `{"custom_id", "result": {"message": {..}}}` | a response of a batch |
//!
//! **Runs.** A conversation is a run, named by `custom_id`, `conversation_id`, `session_id` or `id`,
//! else `<file>-<n>`, n the number of its first record. An agent sends the whole conversation with
//! every request, so a log of requests tells each call many times: a list that holds a call of an
//! earlier conversation goes on with that one, and so does one with the prompt of the conversation
//! before that has no call yet. The last 32 conversations are remembered for that. Messages that
//! stand alone go on with the conversation before them; without one they are the run named after the
//! file.
//!
//! **Calls** that come again under their id, with the same tool and input, are counted once, and
//! their results too. Messages of the assistant that follow each other are one answer of the model,
//! unless they have ids of their own; it is one turn.
//!
//! **Refusals.** The API has none. The text by which Claude Code tells the model of one is read as
//! in its own files: the call of such an error result did not run. That is why the calls of an
//! answer are held back until each has its result or what follows shows that none will come.
//!
//! A run ends as answered when its last message is one of the assistant that calls nothing and did
//! not stop for another reason. There are no times and no costs of single results.

mod dialogue;
mod recognise;
mod record;

use super::foreign::blocks::prompt;
use super::foreign::{Out, Told, Unusable, check_bytes, identifier, kind, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use dialogue::Dialogue;
use record::Part;
use std::collections::VecDeque;

/// Anthropic messages.
pub const FORMAT: Format = Format {
    id: "anthropic",
    title: "Anthropic messages",
    doc: "Messages of the Anthropic API: conversations, single messages, requests and responses",
    seen: "Messages API 2023-06-01",
    mapping: Mapping {
        run: "a conversation: `custom_id`, `conversation_id`, `session_id` or `id`, else `<file>-<n>`; single messages are one run, named after the file",
        intent: "the first prompt of the user, without what a program put in",
        meta: "`model`",
        turn: "one answer of the model: messages of the assistant that follow each other",
        id: "`id` of the `tool_use` block",
        args: "`input`",
        result: "`content` of the `tool_result` block",
        error: "`is_error`; an error block of a tool of the server",
        decision: "refusals of Claude Code, by the text of an error result",
        end: "answered, where the last message is the assistant's and calls nothing",
        ..Mapping::NOTHING
    },
    notes: &[
        "A log of requests tells the conversation again with each of them: calls that come again under their id are counted once.",
        "Tools that the server runs (`server_tool_use`, `mcp_tool_use`) are calls like others; those of MCP servers are named `mcp__<server>__<tool>`.",
    ],
    recognise: recognise::recognise,
    importer: |opening| Box::new(Anthropic::new(opening)),
};

/// Conversations that are remembered, so that a later request goes on with one.
const REMEMBERED: usize = 32;

/// Fields of a record that decide what it is.
const FIELDS: &[&str] = &[
    "messages", "role", "content", "request", "response", "params", "body", "result",
];

/// Reader of one input.
pub struct Anthropic {
    stem: String,
    records: u64,
    /// The conversation that was last read stands last.
    dialogues: VecDeque<Dialogue>,
    told: Told,
}

impl Anthropic {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        Anthropic {
            stem: opening.stem.to_owned(),
            records: 0,
            dialogues: VecDeque::new(),
            told: Told::default(),
        }
    }

    fn dispatch(&mut self, record: &Json<'_>, out: &mut Out<'_>) {
        if once(record, FIELDS, out).is_err() {
            return;
        }
        if record::is_stranger(record) {
            return out.stranger("the Anthropic API");
        }
        let parts = record::parts(record);
        if record::has_others(record, parts.len()) {
            let message = "requests and responses that hold no message are left out";
            self.told.assume(message, out);
        } else if parts.is_empty() {
            let message = "a record without `messages` and without `role`";
            return out.fault(FaultCode::MissingField, message);
        }
        let Ok(name) = name(record, out) else {
            return;
        };
        for part in parts {
            match part {
                Part::List(list) => self.list(list, name, out),
                Part::Message(message) => self.message(message, name, out),
            }
        }
    }

    fn list(&mut self, list: &Json<'_>, name: Option<&str>, out: &mut Out<'_>) {
        let messages = match list.get("messages") {
            Some(Json::Array(messages)) => messages,
            other => {
                let found = kind(other.unwrap_or(&Json::Null));
                let text = format!("`messages` has to be an array, not {found}");
                return out.fault(FaultCode::BadField, text);
            }
        };
        let is_users = |m: &&Json<'_>| m.get("role").and_then(Json::as_str) == Some("user");
        let prompts = messages.iter().filter(is_users);
        let intent = prompts
            .filter_map(|m| prompt::of(m, m.get("content")?))
            .next();
        let found = match name {
            Some(name) => self.position(|d| d.name() == Some(name)),
            None => self.continued(messages, intent.as_deref()),
        };
        let name = name.map_or_else(|| format!("{}-{}", self.stem, self.records), str::to_owned);
        let (dialogue, told) = self.take(found, Some(name), out);
        dialogue.start(intent, list.get("model"), out);
        dialogue.list(messages, told, out);
    }

    /// The conversation that a list without a name goes on with.
    fn continued(&self, messages: &[Json<'_>], intent: Option<&str>) -> Option<usize> {
        let ids: Vec<_> = messages.iter().flat_map(dialogue::calls).collect();
        let known = self.position(|d| ids.iter().any(|id| d.knows(id)));
        let last = self.dialogues.len().checked_sub(1);
        let is_same =
            |d: &Dialogue| !d.has_calls && d.intent.is_some() && d.intent.as_deref() == intent;
        known.or(last.filter(|last| self.dialogues.get(*last).is_some_and(is_same)))
    }

    fn message(&mut self, message: &Json<'_>, name: Option<&str>, out: &mut Out<'_>) {
        let found = match name {
            Some(name) => self.position(|d| d.name() == Some(name)),
            None => self.dialogues.len().checked_sub(1),
        };
        let (dialogue, told) = self.take(found, name.map(str::to_owned), out);
        dialogue.message(message, false, told, out);
    }

    /// Where the conversation stands that was read last of those that are like this.
    fn position(&self, is: impl Fn(&Dialogue) -> bool) -> Option<usize> {
        self.dialogues.iter().rposition(is)
    }

    /// The conversation at that place, or a new one of this name; it then stands last.
    fn take(
        &mut self,
        found: Option<usize>,
        name: Option<String>,
        out: &mut Out<'_>,
    ) -> (&mut Dialogue, &mut Told) {
        let dialogue = match found.and_then(|at| self.dialogues.remove(at)) {
            Some(dialogue) => dialogue,
            None => Dialogue::new(name),
        };
        out.set_run(dialogue.name().unwrap_or(&self.stem));
        self.dialogues.push_back(dialogue);
        let last = self.dialogues.len() - 1;
        (&mut self.dialogues[last], &mut self.told)
    }
}

fn name<'j>(record: &'j Json<'j>, out: &mut Out<'_>) -> Result<Option<&'j str>, Unusable> {
    match record::name(record) {
        Some((_, Json::Number(number))) => Ok(Some(*number)),
        Some((field, value)) => Ok(identifier(field, Some(value), out)?.filter(|n| !n.is_empty())),
        None => Ok(None),
    }
}

impl Importer for Anthropic {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        self.records += 1;
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open(&record, &mut out) {
            check_bytes(&record, &mut out);
            self.dispatch(&json, &mut out);
        }
        while self.dialogues.len() > REMEMBERED
            && let Some(oldest) = self.dialogues.pop_front()
        {
            oldest.finish(&self.stem, sink);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        for dialogue in std::mem::take(&mut self.dialogues) {
            dialogue.finish(&self.stem, sink);
        }
    }
}
