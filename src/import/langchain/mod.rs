//! Messages of LangChain, and what LangGraph streams and stores of them.
//!
//! | a message | is |
//! |---|---|
//! | `{"type": "ai", "content", "tool_calls", ..}` | what its fields say |
//! | `{"type": "ai", "data": {..}}` | the same in an envelope |
//! | `{"lc": 1, "type": "constructor", "id": [.., "AIMessage"], "kwargs": {..}}` | the same with the way to make it |
//!
//! | record | runs |
//! |---|---|
//! | a message | all such messages of the input are one run, named after the file |
//! | `{"<node>": {"messages": [..]}}`, an update of a graph | the same |
//! | `{"messages": [..]}`, or `values` that hold them: a state | one, `<file>-<n>`, or the run that it goes on with |
//! | an array, as streams of several modes write | what its elements are |
//!
//! A record that names its `thread_id`, itself, in its `config` or in its `metadata`, belongs to the run
//! of that name. A state repeats all messages before it. It goes on with a run if it has a message of
//! it, told by its id, or begins with all messages of it.
//!
//! **Repeated messages** are read once: told by their ids, or by their place at the beginning of a
//! state. An answer that comes back with other calls has been edited: the new ones count too.
//!
//! **Pieces.** An answer that was recorded as it streamed is put together by its id and the `index` of
//! its calls.

mod call;
mod message;
mod pieces;
mod recognise;
mod thread;

use super::foreign::stranger::may_call;
use super::foreign::{Out, Told, Unusable, check_bytes, identifier, kind, once, open_value};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use message::Message;
use recognise::INNER;
use std::collections::BTreeMap;
use thread::Thread;

/// LangChain messages.
pub const FORMAT: Format = Format {
    id: "langchain",
    title: "LangChain messages",
    doc: "LangChain messages, however they were written, and the streams and states of LangGraph",
    seen: "langchain-core 1.8, LangGraph",
    mapping: Mapping {
        run: "`thread_id`; `<file>-<n>` of a state, else named after the file",
        agent: "`name` of the answer",
        intent: "the first text of the user",
        meta: "`model_name` of the first answer that calls",
        turn: "an answer of the model",
        id: "`tool_calls[].id`",
        args: "`args`",
        result: "`content` of the message of the tool",
        error: "`status`",
        decision: "calls that the user rejected, by the text of an error result",
        end: "answered, where the last message is an answer that calls nothing",
        ..Mapping::NOTHING
    },
    notes: &[
        "`invalid_tool_calls` are calls too: their arguments stay text.",
        "The calls in `additional_kwargs` and in blocks of the content are the same once more; they count only where there are no `tool_calls`.",
        "States repeat the messages before them: a message is read once, told by its id or its place. Of an answer that was edited the old calls count and the new ones.",
        "Artifacts of results are left out.",
    ],
    recognise: recognise::recognise,
    importer: |opening| Box::new(LangChain::new(opening)),
};

/// Fields of a record that decide what it is.
const FIELDS: &[&str] = &[
    "config",
    "content",
    "data",
    "kwargs",
    "lc",
    "messages",
    "metadata",
    "role",
    "thread_id",
    "type",
    "values",
];

/// Reader of one input.
pub struct LangChain {
    stem: String,
    records: u64,
    /// The run of single messages and of updates.
    loose: Option<Thread>,
    /// The run of the last state.
    last: Option<Thread>,
    named: BTreeMap<String, Thread>,
    max_hold: usize,
    told: Told,
}

impl LangChain {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        LangChain {
            stem: opening.stem.to_owned(),
            records: 0,
            loose: None,
            last: None,
            named: BTreeMap::new(),
            max_hold: opening.max_hold,
            told: Told::default(),
        }
    }

    /// Reads a value that is a record or a part of one. Values nest no deeper than JSON may.
    ///
    /// # Errors
    /// It cannot be used; the fault has been reported.
    fn value(
        &mut self,
        value: &Json<'_>,
        run: Option<&str>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        match value {
            Json::Array(values) => return self.array(values, run, out),
            Json::Object(_) => once(value, FIELDS, out)?,
            // The name of a mode, or of the part of a graph.
            _ => return Ok(()),
        }
        let own = thread_id(value, out)?;
        let run = own.or(run);
        if let Some(message) = message::open(value) {
            self.loose(&[message], run, out);
        } else if let Some(messages) = value.get("messages") {
            let messages = messages_of(messages, &mut self.told, out);
            self.state(&messages, run, out);
        } else if let Some(inner) = INNER.iter().find_map(|field| value.get(field)) {
            return self.value(inner, run, out);
        } else if !is_about(value) {
            return self.update(value, run, out);
        }
        Ok(())
    }

    fn array(
        &mut self,
        values: &[Json<'_>],
        run: Option<&str>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        let messages: Option<Vec<_>> = values.iter().map(message::open).collect();
        if let Some(messages) = messages.filter(|messages| !messages.is_empty()) {
            self.state(&messages, run, out);
            return Ok(());
        }
        let mut named = run;
        for value in values {
            named = named.or(thread_id(value, out)?);
        }
        for value in values {
            self.value(value, named, out)?;
        }
        Ok(())
    }

    /// Reads what nodes of a graph have added.
    fn update(
        &mut self,
        record: &Json<'_>,
        run: Option<&str>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        let Json::Object(nodes) = record else {
            return Ok(());
        };
        let is_node =
            |value: &Json<'_>| matches!(value, Json::Object(_) | Json::Array(_) | Json::Null);
        if nodes.is_empty() || !nodes.iter().all(|(_, value)| is_node(value)) {
            let message = "a record without messages";
            out.fault(FaultCode::MissingField, message);
            return Err(Unusable);
        }
        out.set_run(run.unwrap_or(&self.stem));
        for (_, node) in nodes
            .iter()
            .filter(|(name, _)| !name.text.starts_with("__"))
        {
            let parts = match node {
                Json::Array(parts) => &parts[..],
                other => std::slice::from_ref(other),
            };
            for part in parts {
                once(part, &["messages"], out)?;
                match part.get("messages") {
                    Some(messages) => {
                        let messages = messages_of(messages, &mut self.told, out);
                        self.loose(&messages, run, out);
                    }
                    None if may_call(part) => out.stranger("LangChain"),
                    None => {
                        let text = "what nodes of a graph say that is no message is left out";
                        self.told.assume(text, out);
                    }
                }
            }
        }
        Ok(())
    }

    fn loose(&mut self, messages: &[Message<'_>], run: Option<&str>, out: &mut Out<'_>) {
        out.set_run(run.unwrap_or(&self.stem));
        let new = || Thread::new(run.map(str::to_owned), self.max_hold);
        let thread = match run {
            Some(run) => self.named.entry(run.to_owned()).or_insert_with(new),
            None => self.loose.get_or_insert_with(new),
        };
        for message in messages {
            thread.message(message, false, &mut self.told, out);
        }
    }

    fn state(&mut self, messages: &[Message<'_>], run: Option<&str>, out: &mut Out<'_>) {
        let goes_on = |thread: &Option<Thread>| {
            let thread = thread.as_ref();
            thread.is_some_and(|thread| thread.goes_on(messages))
        };
        let thread = match run {
            Some(run) => {
                let new = || Thread::new(Some(run.to_owned()), self.max_hold);
                self.named.entry(run.to_owned()).or_insert_with(new)
            }
            None => {
                let is_loose = goes_on(&self.loose);
                if !is_loose
                    && !goes_on(&self.last)
                    && let Some(before) = self.last.take()
                {
                    let mut out = out.at(out.place());
                    out.set_run(before.name().unwrap_or(&self.stem));
                    before.finish(&mut self.told, &mut out);
                }
                let thread = if is_loose {
                    &mut self.loose
                } else {
                    &mut self.last
                };
                let name = format!("{}-{}", self.stem, self.records);
                thread.get_or_insert_with(|| Thread::new(Some(name), self.max_hold))
            }
        };
        out.set_run(thread.name().unwrap_or(&self.stem));
        thread.list(messages, &mut self.told, out);
    }
}

/// The run that a record names, itself or in what is said about it.
fn thread_id<'j>(record: &'j Json<'j>, out: &mut Out<'_>) -> Result<Option<&'j str>, Unusable> {
    let about = ["config", "metadata"];
    let inner = about.iter().filter_map(|field| record.get(field));
    let deeper = inner
        .clone()
        .chain([record])
        .filter_map(|of| of.get("configurable"));
    for of in [record].into_iter().chain(inner.clone()).chain(deeper) {
        let id = identifier("thread_id", of.get("thread_id"), out)?;
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Whether an object only says where in a graph something came from.
fn is_about(value: &Json<'_>) -> bool {
    ["langgraph_node", "langgraph_step"]
        .iter()
        .any(|field| value.get(field).is_some())
}

/// The messages of a list, or the one that stands for it. What is none is said.
fn messages_of<'j>(value: &'j Json<'j>, told: &mut Told, out: &mut Out<'_>) -> Vec<Message<'j>> {
    let values = match value {
        Json::Array(values) => &values[..],
        Json::Null => &[],
        other => std::slice::from_ref(other),
    };
    let mut messages = Vec::new();
    for value in values {
        match message::open(value) {
            Some(message) => messages.push(message),
            None => match value.get("type").and_then(Json::as_str) {
                Some(word) => told.skip_unless_call("messages", word, value, out),
                None => {
                    let message = match value {
                        Json::Object(_) => "a message without `type`".to_owned(),
                        other => format!("a message has to be an object, not {}", kind(other)),
                    };
                    out.fault(FaultCode::BadField, message);
                }
            },
        }
    }
    messages
}

impl Importer for LangChain {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        self.records += 1;
        let mut out = Out::new(sink, record.place);
        let Some(json) = open_value(&record, &mut out) else {
            return;
        };
        check_bytes(&record, &mut out);
        if !matches!(json, Json::Object(_) | Json::Array(_)) {
            let message = format!("expected an object, found {}", kind(&json));
            return out.fault(FaultCode::NotAnObject, message);
        }
        // What makes it unusable has been reported.
        let _ = self.value(&json, None, &mut out);
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        let named = std::mem::take(&mut self.named).into_values();
        let unnamed = self.loose.take().into_iter().chain(self.last.take());
        let mut threads: Vec<Thread> = unnamed.chain(named).collect();
        threads.sort_by_key(Thread::held_from);
        let mut out = Out::new(sink, Place::default());
        for thread in &mut threads {
            out.set_run(thread.name().unwrap_or(&self.stem));
            thread.release(&mut self.told, &mut out);
        }
        threads.sort_by(|a, b| a.name().cmp(&b.name()));
        for thread in threads {
            out.set_run(thread.name().unwrap_or(&self.stem));
            thread.finish(&mut self.told, &mut out);
        }
    }
}
