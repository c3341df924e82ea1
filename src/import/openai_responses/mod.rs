//! OpenAI Responses: lists of items, responses and requests.
//!
//! | record | run |
//! |---|---|
//! | an item: `{"type": "function_call", ..}`, a message with its `role` | all such items of the input are one run, named after the file |
//! | `{"output": [..]}`, a response, or what an SDK keeps of one | the same |
//! | `{"input": [..], "output": [..]}`, a request, maybe with its response | one, `<file>-<n>` |
//!
//! A record that names its `conversation` belongs to the run of that name, one that names the response
//! before it to the run of that response. Requests hold the history up to them: one that begins as the
//! last one did and is longer goes on with its run, and the calls that it repeats are left out.
//!
//! **Turns.** The items of one `output` are one answer of the model, and so are, in a list of items,
//! the calls before the first result of any of them.
//!
//! **Hosted tools** run on the server: their call says itself how it came out.
//!
//! **Approvals.** A request for approval is no call yet. If it is granted, the call that follows names
//! it; if it is denied, the call is recorded as blocked; if nobody answers, as escalated.

mod recognise;
mod thread;

use super::foreign::{Out, Runs, Told, check_bytes, identifier, kind, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use std::collections::HashMap;
use thread::{Beginning, Thread};

/// OpenAI Responses.
pub const FORMAT: Format = Format {
    id: "openai_responses",
    title: "OpenAI Responses",
    doc: "OpenAI Responses: lists of items, responses and requests, also as the Agents SDK keeps them",
    seen: "Responses API, Agents SDK 0.24",
    mapping: Mapping {
        run: "`conversation`; `<file>-<n>` of a request, else named after the file",
        intent: "the first text of the user",
        meta: "`model`",
        turn: "one `output`; in a list of items the calls before the first result of any of them",
        id: "`call_id`; `id` of a call to a hosted tool",
        args: "`arguments`, `input`, `action`, `queries` or `code`",
        result: "`output` of the item of the result; of the call itself where the server ran the tool",
        error: "hosted tools: `status` and `error`; `shell_call_output`: the exit codes",
        approval: "`mcp_approval_response`",
        decision: "calls to MCP servers that had to be approved",
        ts: "`created_at` of a response",
        ..Mapping::NOTHING
    },
    notes: &[
        "A call to an MCP server is one of `mcp__<server_label>__<name>`; a hosted tool is named after the type of its call.",
        "Requests repeat their history: a call that has come before under its id, with the same arguments, is left out.",
        "Arguments that were redacted or left out are not known.",
    ],
    recognise: recognise::recognise,
    importer: |opening| Box::new(Responses::new(opening)),
};

/// Fields of a record that decide what it is.
const FIELDS: &[&str] = &[
    "type",
    "role",
    "input",
    "output",
    "conversation",
    "previous_response_id",
    "id",
    "response_id",
];

/// Reader of one input.
pub struct Responses {
    stem: String,
    records: u64,
    threads: Runs<Thread>,
    /// The run of each response, by its id.
    responses: HashMap<String, Option<String>>,
    /// How the last request began, and its run.
    last: Option<(Beginning, String)>,
    told: Told,
    place: Place,
}

impl Responses {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        Responses {
            stem: opening.stem.to_owned(),
            records: 0,
            threads: Runs::default(),
            responses: HashMap::new(),
            last: None,
            told: Told::default(),
            place: Place::default(),
        }
    }

    fn dispatch(&mut self, record: &Json<'_>, out: &mut Out<'_>) {
        if once(record, FIELDS, out).is_err() {
            return;
        }
        let is_item = record.get("type").is_some() || record.get("role").is_some();
        if is_item {
            let (thread, told) = self.thread(None, out);
            return thread.item(record, None, told, out);
        }
        let Ok(name) = self.name(record, out) else {
            return;
        };
        let (thread, told) = self.thread(name, out);
        thread.record(record, told, out);
    }

    fn thread(&mut self, name: Option<String>, out: &mut Out<'_>) -> (&mut Thread, &mut Told) {
        out.set_run(name.as_deref().unwrap_or(&self.stem));
        let new = || Thread::new(name.clone());
        (self.threads.get(name.as_deref(), new), &mut self.told)
    }

    /// The run of a record that holds items. Remembers the record, so that later ones find it.
    fn name(
        &mut self,
        record: &Json<'_>,
        out: &mut Out<'_>,
    ) -> Result<Option<String>, super::foreign::Unusable> {
        let mut text = |object: &Json<'_>, field: &str| {
            let text = identifier(field, object.get(field), out)?;
            Ok(text.filter(|text| !text.is_empty()).map(str::to_owned))
        };
        let conversation = match record.get("conversation") {
            Some(object @ Json::Object(_)) => text(object, "id")?,
            _ => text(record, "conversation")?,
        };
        let previous = text(record, "previous_response_id")?;
        let id = text(record, "id")?.or(text(record, "response_id")?);
        let beginning = Beginning::of(record);
        let known = previous
            .as_ref()
            .and_then(|id| self.responses.get(id))
            .cloned();
        let goes_on = |new: &Beginning| {
            let (last, run) = self.last.as_ref()?;
            new.continues(last).then(|| run.clone())
        };
        let name = match (conversation, known, &beginning) {
            (Some(conversation), _, _) => Some(conversation),
            (None, Some(run), _) => run,
            (None, None, Some(beginning)) if previous.is_none() => {
                let new = || format!("{}-{}", self.stem, self.records);
                Some(goes_on(beginning).unwrap_or_else(new))
            }
            _ => {
                if self.threads.has(None) {
                    let message = "responses whose input is not recorded are taken as one run";
                    self.told.assume(message, out);
                }
                None
            }
        };
        if let (Some(beginning), Some(run)) = (beginning, &name) {
            self.last = Some((beginning, run.clone()));
        }
        if let Some(id) = id {
            self.responses.insert(id, name.clone());
        }
        Ok(name)
    }
}

impl Importer for Responses {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        self.records += 1;
        self.place = record.place;
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open(&record, &mut out) {
            check_bytes(&record, &mut out);
            self.dispatch(&json, &mut out);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, self.place);
        for thread in self.threads.each() {
            out.set_run(thread.run.name().unwrap_or(&self.stem));
            thread.close(&mut out);
        }
        std::mem::take(&mut self.threads).finish(&self.stem, sink);
    }
}

/// The items under a field of a record; a fault if they are no list.
fn elements<'j>(record: &'j Json<'j>, field: &str, out: &mut Out<'_>) -> &'j [Json<'j>] {
    match record.get(field) {
        None | Some(Json::Null) => &[],
        Some(Json::Array(items)) => items,
        Some(other) => {
            let message = format!("`{field}` has to be an array, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            &[]
        }
    }
}
