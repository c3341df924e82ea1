//! Message lists of the OpenAI chat-completions API, in the containers they are kept in.
//!
//! | record | runs |
//! |---|---|
//! | `{"messages": [..]}`, as in requests and fine-tuning data | one, named by `id`, else `<file>-<n>` |
//! | `{"traj": [..], "task_id", "trial"}`, a τ-bench result | one, `<task_id>/<trial>` |
//! | `{"simulations": [{"messages": [..]}]}`, a τ²-bench result | one a simulation, `<task_id>/<trial>` |
//! | one message with its `role` | all such messages of the input are one run, named after the file |
//! | `{"object": "chat.completion", "choices": [..]}`, a response | its messages are of that run too |
//! | `{"object": "chat.completion.chunk", ..}`, a piece of one | the same, put together by `id` and `index` |
//!
//! `n` counts the records of the input from 1, unreadable ones included, so that a run keeps its name
//! when another record is mended. A run begins with the first text of the user as its intent, and
//! ends as answered when its last message is one of the assistant that calls nothing.
//!
//! **Turns.** A message of the assistant that calls tools is one turn, counted from 1; its calls are in
//! flight together because none carries its outcome, so no batch is named.
//!
//! **Ids** are not unique, not even within a run: the second call of an id is `id#2`, and a result
//! belongs to the nearest earlier call of its id that is still open. A result that names no call, or
//! one that there is not, is handed on as it is: it is never paired by its position. Some writers give
//! results as messages of the user, which nothing tells from the user's own words: a warning says so
//! where the user speaks before calls have their results. Only the older
//! `function_call` has no id at all; its results name the function, and are paired with the earliest
//! open call of it.
//!
//! **Arguments** are the text of an object; what is no object stays text. **Errors** are not recorded,
//! except by τ-bench (a result that begins with `Error:`) and τ²-bench (`error`). There are no times,
//! costs and tokens of single results.

pub mod call;
mod chunks;
mod conversation;
mod recognise;

use super::foreign::{Out, Unusable, check_bytes, identifier, kind, meta, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use chunks::Stream;
use conversation::{Conversation, Flavour};

/// OpenAI chat messages.
pub const FORMAT: Format = Format {
    id: "openai_chat",
    title: "OpenAI chat messages",
    doc: "OpenAI chat-completions: a conversation, a message, a response or a chunk of one a record, and results of τ-bench",
    seen: "chat-completions API, τ-bench, τ²-bench",
    mapping: Mapping {
        run: "`id`, `<task_id>/<trial>` of τ-bench, else `<file>-<n>`; single messages, responses and chunks are one run, named after the file",
        intent: "the first text of the user",
        meta: "`model`, `task_id`, `trial`, `reward`",
        turn: "a message of the assistant",
        id: "`tool_calls[].id`; the older `function_call` has none",
        args: "`function.arguments`",
        result: "`content` of a message of the tool",
        error: "τ-bench: a result that begins with `Error:`; τ²-bench: `error`",
        end: "answered, where the last message is the assistant's and calls nothing",
        ..Mapping::NOTHING
    },
    notes: &[
        "Ids are not unique: the second call of an id is `id#2`, and a result goes to the nearest earlier open call of its id.",
        "A result that names no call is never paired by its position. Where the user speaks before calls have their results, a warning says that they have none.",
        "Chunks of a stream are put together; every choice of a response counts.",
    ],
    recognise: recognise::recognise,
    importer: |opening| Box::new(OpenAiChat::new(opening)),
};

/// Fields of a record that decide what it is.
const FIELDS: &[&str] = &[
    "messages",
    "traj",
    "simulations",
    "choices",
    "object",
    "id",
    "task_id",
    "trial",
];

/// What of a record goes into the beginning of its run.
const META: &[&str] = &["model", "task_id", "trial", "reward"];

/// Reader of one input.
pub struct OpenAiChat {
    stem: String,
    records: u64,
    /// The run of messages that stand alone, and where its last message stood.
    loose: Option<(Conversation, Place)>,
    /// The message that is streaming.
    stream: Option<Stream>,
    max_hold: usize,
}

impl OpenAiChat {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        OpenAiChat {
            stem: opening.stem.to_owned(),
            records: 0,
            loose: None,
            stream: None,
            max_hold: opening.max_hold,
        }
    }

    fn dispatch(&mut self, record: &Json<'_>, out: &mut Out<'_>) {
        if once(record, FIELDS, out).is_err() {
            return;
        }
        let has = |field: &str| record.get(field).is_some();
        if chunks::is_chunk(record) {
            return self.chunk(record, out);
        }
        self.flush(out);
        if has("messages") {
            self.list(record, "messages", Flavour::Plain, out);
        } else if has("traj") {
            self.list(record, "traj", Flavour::Tau, out);
        } else if has("simulations") {
            for simulation in elements(record, "simulations", out) {
                self.list(simulation, "messages", Flavour::Tau2, out);
            }
        } else if has("role") {
            self.loose(record, None, out);
        } else if has("choices") {
            for choice in elements(record, "choices", out) {
                match choice.get("message") {
                    Some(message) => self.loose(message, record.get("model"), out),
                    None => out.fault(FaultCode::MissingField, "a choice without `message`"),
                }
            }
        } else {
            let message = "a record without `messages` and without `role`";
            out.fault(FaultCode::MissingField, message);
        }
    }

    /// Reads a message of the run of messages that stand alone. `model` is what a response says of it;
    /// it goes into the beginning of the run where a call is what begins it.
    fn loose(&mut self, message: &Json<'_>, model: Option<&Json<'_>>, out: &mut Out<'_>) {
        let new = || (Conversation::new(None, Flavour::Plain), out.place());
        let (conversation, place) = self.loose.get_or_insert_with(new);
        *place = out.place();
        let calls = message.get("tool_calls").and_then(Json::as_array);
        if model.is_some() && calls.is_some_and(|calls| !calls.is_empty()) {
            conversation.start(None, meta([("model", model)]), out);
        }
        conversation.message(message, out);
    }

    fn chunk(&mut self, chunk: &Json<'_>, out: &mut Out<'_>) {
        if self
            .stream
            .as_ref()
            .is_some_and(|stream| !stream.takes(chunk))
        {
            self.flush(out);
        }
        let new = || Stream::new(chunk, out.place(), self.max_hold);
        self.stream.get_or_insert_with(new).chunk(chunk, out);
    }

    /// Reads the message that has streamed, if one has.
    fn flush(&mut self, out: &mut Out<'_>) {
        if let Some(stream) = self.stream.take() {
            let place = stream.place;
            let model = stream.model.clone().map(Json::from);
            for message in stream.finish() {
                self.loose(&message, model.as_ref(), &mut out.at(place));
            }
        }
    }

    /// Reads a record that is a whole run.
    fn list(&self, record: &Json<'_>, field: &str, flavour: Flavour, out: &mut Out<'_>) {
        let Ok(name) = self.name(record, flavour, out) else {
            return;
        };
        out.set_run(&name);
        let messages = elements(record, field, out);
        let mut conversation = Conversation::new(Some(name), flavour);
        let intent = messages.iter().find_map(conversation::prompt);
        let known = META.iter().map(|field| (*field, record.get(field)));
        conversation.start(intent, meta(known), out);
        for message in messages {
            conversation.message(message, out);
        }
        conversation.finish(out);
    }

    fn name(
        &self,
        record: &Json<'_>,
        flavour: Flavour,
        out: &mut Out<'_>,
    ) -> Result<String, Unusable> {
        let mut part = |field: &str| match record.get(field) {
            Some(Json::Number(number)) => Ok(Some((*number).to_owned())),
            value => {
                let text = identifier(field, value, out)?;
                Ok(text.filter(|t| !t.is_empty()).map(str::to_owned))
            }
        };
        let name = match (flavour, part("task_id")?, part("trial")?) {
            (Flavour::Plain, _, _) | (_, None, _) => part("id")?,
            (_, Some(task), Some(trial)) => Some(format!("{task}/{trial}")),
            (_, task, None) => task,
        };
        Ok(name.unwrap_or_else(|| format!("{}-{}", self.stem, self.records)))
    }
}

impl Importer for OpenAiChat {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        self.records += 1;
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open(&record, &mut out) {
            if json.get("role").is_some() || json.get("choices").is_some() {
                out.set_run(&self.stem);
            }
            check_bytes(&record, &mut out);
            self.dispatch(&json, &mut out);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, Place::default());
        out.set_run(&self.stem);
        self.flush(&mut out);
        if let Some((conversation, place)) = self.loose.take() {
            let mut out = Out::new(sink, place);
            out.set_run(&self.stem);
            conversation.finish(&mut out);
        }
    }
}

fn elements<'j>(record: &'j Json<'j>, field: &str, out: &mut Out<'_>) -> &'j [Json<'j>] {
    match record.get(field) {
        Some(Json::Array(items)) => items,
        None => {
            out.fault(FaultCode::MissingField, format!("a run without `{field}`"));
            &[]
        }
        Some(other) => {
            let message = format!("`{field}` has to be an array, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            &[]
        }
    }
}
