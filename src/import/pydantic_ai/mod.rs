//! Pydantic AI: messages as `all_messages_json` and `new_messages_json` give them.
//!
//! A record is a message, an array of messages, or an object with a list of them under `messages`.
//!
//! **Runs.** A message that names its `conversation_id` belongs to the run of that name. Messages that
//! stand alone are the run named after the file, those of an array or an object are `<file>-<n>`.
//!
//! **Turns.** A response is a turn. Its results are parts of the request that follows; those of tools
//! that the provider runs are parts of the response itself.
//!
//! **Repeated messages.** `all_messages_json` repeats the messages of earlier runs of a conversation. A
//! message that says when it was written is read once.
//!
//! **Retries.** A part by which a tool asks the model to try again is its result, and an error.

mod thread;

use super::foreign::{Out, Told, Unusable, check_bytes, identifier, kind, once, open_value};
use super::{Format, Importer, Mapping, Opening, Record, Sign, Sink};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use std::collections::BTreeMap;
use thread::Thread;

/// Pydantic AI.
pub const FORMAT: Format = Format {
    id: "pydantic_ai",
    title: "pydantic-ai",
    doc: "Pydantic AI: messages of runs, as `all_messages_json` gives them",
    seen: "pydantic-ai 1.x and later",
    mapping: Mapping {
        run: "`conversation_id`, else named after the file; `<file>-<n>` of an array in a line",
        intent: "the first text of a `user-prompt`",
        meta: "`model_name`, `provider_name` of the first response",
        turn: "a response",
        id: "`tool_call_id`",
        args: "`args`, an object or the text of one",
        result: "`content` of a `tool-return`, or of a `retry-prompt` that names a tool",
        error: "`outcome` of a `tool-return`; a `retry-prompt` is one",
        cost: "`usage.cost` of the response, borne by the next result",
        decision: "calls whose `outcome` is `denied`",
        end: "answered, where the last message is a response that calls nothing",
        ts: "`timestamp` of the part, else of the message",
        ..Mapping::NOTHING
    },
    notes: &[
        "A `retry-prompt` without a tool is about the answer and left out.",
        "A message that is written again is read once, if it has a `timestamp`.",
        "A call that returns the answer itself (`final_result`) is one like any other.",
    ],
    recognise,
    importer: |opening| Box::new(PydanticAi::new(opening)),
};

fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let is_message = |value: &Json<'_>| {
        let word = value.get("kind").and_then(Json::as_str);
        let parts = value.get("parts").and_then(Json::as_array);
        let has_kind = |part: &Json<'_>| part.get("part_kind").is_some();
        matches!(word, Some("request" | "response"))
            && parts.is_some_and(|parts| parts.iter().any(has_kind))
    };
    let holds = |record: &Json<'_>| {
        let list = match record {
            Json::Array(messages) => Some(&messages[..]),
            _ => record.get("messages").and_then(Json::as_array),
        };
        is_message(record) || list.is_some_and(|messages| messages.iter().any(is_message))
    };
    let reason = "requests and responses whose parts have a `part_kind`";
    sample.iter().any(holds).then(|| Sign::decisive(reason))
}

/// Reader of one input.
pub struct PydanticAi {
    stem: String,
    records: u64,
    threads: BTreeMap<Option<String>, Thread>,
    told: Told,
}

impl PydanticAi {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        PydanticAi {
            stem: opening.stem.to_owned(),
            records: 0,
            threads: BTreeMap::new(),
            told: Told::default(),
        }
    }

    fn dispatch(&mut self, record: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        let messages = match record {
            Json::Array(messages) => messages,
            Json::Object(_) => match record.get("messages") {
                None => return self.message(record, None, out),
                Some(list) => {
                    once(record, &["messages"], out)?;
                    let Some(messages) = list.as_array() else {
                        let message = format!("`messages` has to be an array, not {}", kind(list));
                        out.fault(FaultCode::BadField, message);
                        return Err(Unusable);
                    };
                    messages
                }
            },
            other => {
                let message = format!("expected an object, found {}", kind(other));
                out.fault(FaultCode::NotAnObject, message);
                return Err(Unusable);
            }
        };
        let name = format!("{}-{}", self.stem, self.records);
        for message in messages {
            // What makes it unusable has been reported.
            let _ = self.message(message, Some(&name), out);
        }
        // Nothing else is of that run.
        if let Some(thread) = self.threads.remove(&Some(name)) {
            thread.finish(out);
        }
        Ok(())
    }

    /// Reads a message, which is of the run `name` if it names none itself.
    fn message(
        &mut self,
        message: &Json<'_>,
        name: Option<&str>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        if !matches!(message, Json::Object(_)) {
            let text = format!("a message has to be an object, not {}", kind(message));
            out.fault(FaultCode::BadField, text);
            return Err(Unusable);
        }
        once(message, &["conversation_id"], out)?;
        let own = identifier("conversation_id", message.get("conversation_id"), out)?;
        let name = own.filter(|own| !own.is_empty()).or(name);
        out.set_run(name.unwrap_or(&self.stem));
        let name = name.map(str::to_owned);
        let new = || Thread::new(name.clone());
        let thread = self.threads.entry(name.clone()).or_insert_with(new);
        thread.message(message, &mut self.told, out)
    }
}

impl Importer for PydanticAi {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        self.records += 1;
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open_value(&record, &mut out) {
            check_bytes(&record, &mut out);
            // What makes it unusable has been reported.
            let _ = self.dispatch(&json, &mut out);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        let mut threads: Vec<Thread> = std::mem::take(&mut self.threads).into_values().collect();
        threads.sort_by_key(Thread::held_from);
        let mut out = Out::new(sink, Place::default());
        for thread in &mut threads {
            thread.release(&mut out);
        }
        threads.sort_by(|a, b| a.name().cmp(&b.name()));
        for thread in threads {
            out.set_run(thread.name().unwrap_or(&self.stem));
            thread.finish(&mut out);
        }
    }
}
