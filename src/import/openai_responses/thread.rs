//! One run: its items in order, and the approvals that they wait for.

use super::elements;
use crate::import::foreign::items::{self, Item, ItemCall, ItemOutput};
use crate::import::foreign::{
    Answer, Content, Out, Run, Told, Unit, Unusable, identifier, kind, meta, timestamp,
};
use crate::trace::event::{
    ApprovalOutcome, Outcome, RawJson, Recorded, RunStart, Timestamp, ToolCall, ToolResult,
};
use crate::trace::fault::{FaultCode, Place, WarningCode};
use crate::trace::json::Json;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::HashMap;

/// What of a record goes into the beginning of its run.
const META: &[&str] = &["model"];

/// How the history in a request begins.
#[derive(Debug, PartialEq, Eq)]
pub struct Beginning {
    hash: [u8; 32],
    items: usize,
}

impl Beginning {
    /// Of a record that has an input: all up to the first words of the user.
    pub fn of(record: &Json<'_>) -> Option<Self> {
        let mut hash = Sha256::new();
        let items = match record.get("input")? {
            Json::Array(items) => items,
            Json::String(text) => {
                hash.update(text.text.as_bytes());
                return Some(Beginning {
                    hash: hash.finalize().into(),
                    items: 0,
                });
            }
            _ => return None,
        };
        for item in items {
            hash.update(item.to_compact().as_bytes());
            if item.get("role").and_then(Json::as_str) == Some("user") {
                break;
            }
        }
        Some(Beginning {
            hash: hash.finalize().into(),
            items: items.len(),
        })
    }

    /// Whether a request that begins so goes on with an earlier one.
    pub fn continues(&self, earlier: &Beginning) -> bool {
        self.hash == earlier.hash && self.items > earlier.items
    }
}

/// A run.
pub struct Thread {
    /// Its run.
    pub run: Run,
    requests: Vec<Request>,
    /// Where each request stands in that list, by its id.
    by_id: HashMap<String, usize>,
}

/// A call to a server that somebody had to approve.
struct Request {
    place: Place,
    id: String,
    tool: String,
    args: Option<RawJson<'static>>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nobody has answered.
    Asked,
    /// It may run.
    Approved,
    /// Its call, or its refusal, has been handed on.
    Done,
}

impl From<Thread> for Run {
    fn from(thread: Thread) -> Run {
        thread.run
    }
}

impl Thread {
    /// A run of which nothing has been seen.
    pub fn new(name: Option<String>) -> Self {
        // Only requests repeat what came before, and they have runs with names.
        let repeats = name.is_some();
        let run = Run::new(name);
        Thread {
            run: if repeats {
                run.rewriting_history()
            } else {
                run
            },
            requests: Vec::new(),
            by_id: HashMap::new(),
        }
    }

    /// Reads a record that holds items.
    pub fn record(&mut self, record: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        let is_list = |field: &str| matches!(record.get(field), Some(Json::Array(_)));
        if !["input", "output", "data"]
            .iter()
            .any(|field| is_list(field))
            && record.get("input").and_then(Json::as_str).is_none()
        {
            let message = "a record without items in `input` or `output`";
            return out.fault(FaultCode::MissingField, message);
        }
        let words = match record.get("input") {
            Some(Json::String(text)) => Some(text.text.to_string()),
            _ => elements(record, "input", out).iter().find_map(prompt),
        };
        if !self.run.has_begun() {
            let known = META.iter().map(|field| (*field, record.get(field)));
            let known = meta(known);
            if words.is_some() || known.is_some() {
                self.begin(words, known, out);
            }
        }
        if !matches!(record.get("input"), Some(Json::String(_))) {
            self.items(elements(record, "input", out), None, told, out);
        }
        let ts = timestamp(record.get("created_at"), Unit::Seconds, told, out);
        self.run.turn(None);
        self.items(elements(record, "output", out), ts, told, out);
    }

    fn items(
        &mut self,
        items: &[Json<'_>],
        ts: Option<Timestamp<'static>>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        for item in items {
            if matches!(item, Json::Object(_)) {
                self.item(item, ts.clone(), told, out);
            } else {
                let message = format!("an item has to be an object, not {}", kind(item));
                out.fault(FaultCode::BadField, message);
            }
        }
    }

    fn begin(&mut self, intent: Option<String>, meta: Option<RawJson<'static>>, out: &mut Out<'_>) {
        let start = RunStart {
            intent: intent.map(Cow::Owned),
            meta,
            ..RunStart::default()
        };
        self.run.begin(start, out);
    }

    /// Reads an item.
    pub fn item(
        &mut self,
        item: &Json<'_>,
        ts: Option<Timestamp<'static>>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        match items::read(item, told, out) {
            Ok(Item::Call(call)) => {
                let approved = self.is_approved(item);
                call.send(&mut self.run, approved, ts, out);
            }
            Ok(Item::Output(output)) => self.output(&output, ts, out),
            Ok(Item::Message) => self.message(item, out),
            Ok(Item::Request(call)) => self.request(call, out),
            Ok(Item::Response) => {
                // What makes it unusable has been reported.
                let _ = self.response(item, out);
            }
            Ok(Item::Other) | Err(_) => {}
        }
    }

    fn message(&mut self, message: &Json<'_>, out: &mut Out<'_>) {
        if message.get("role").and_then(Json::as_str) == Some("user") {
            self.run.release(out);
            self.run.turn(None);
            if let Some(words) = prompt(message) {
                self.begin(Some(words), None, out);
            }
        }
    }

    fn output(
        &mut self,
        output: &ItemOutput<'_>,
        ts: Option<Timestamp<'static>>,
        out: &mut Out<'_>,
    ) {
        self.run.turn(None);
        let result = ToolResult {
            outcome: Outcome {
                result: Content::of(output.value).into_raw(),
                error: output.error,
                ..Outcome::default()
            },
            ts,
            ..ToolResult::default()
        };
        self.run.answer(output.id, Answer::Result(result), out);
    }

    /// Whether somebody has approved the call of this item; its request is then done.
    fn is_approved(&mut self, item: &Json<'_>) -> bool {
        let id = item.get("approval_request_id").and_then(Json::as_str);
        let at = id.and_then(|id| self.by_id.get(id));
        let Some(request) = at.and_then(|at| self.requests.get_mut(*at)) else {
            return false;
        };
        std::mem::replace(&mut request.state, State::Done) == State::Approved
    }

    fn request(&mut self, call: ItemCall<'_>, out: &mut Out<'_>) {
        let Some(id) = call.id else {
            let message = "a request for approval without `id`";
            return out.fault(FaultCode::MissingField, message);
        };
        // History that is written again.
        if self.by_id.contains_key(id) {
            return;
        }
        self.by_id.insert(id.to_owned(), self.requests.len());
        self.requests.push(Request {
            place: out.place(),
            id: id.to_owned(),
            tool: call.tool.into_owned(),
            args: call.args,
            state: State::Asked,
        });
    }

    fn response(&mut self, item: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        let field = "approval_request_id";
        let id = identifier(field, item.get(field), out)?.unwrap_or_default();
        let Some(Json::Bool(approve)) = item.get("approve") else {
            let message = "an approval whose `approve` is not true or false";
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        };
        let at = self.by_id.get(id);
        let Some(request) = at.and_then(|at| self.requests.get_mut(*at)) else {
            let message = "an answer to a request for approval that there is not";
            out.warn(WarningCode::OrphanApproval, message);
            return Ok(());
        };
        if request.state != State::Asked {
            return Ok(());
        }
        self.run.turn(None);
        if *approve {
            request.state = State::Approved;
            return Ok(());
        }
        request.state = State::Done;
        let call = request.call(None, None);
        self.run.call(call, out);
        self.run.answer(id, Answer::Refusal("user"), out);
        self.run.turn(None);
        Ok(())
    }

    /// Called after the last record: hands on the calls that never ran, although nobody denied them.
    pub fn close(&mut self, out: &mut Out<'_>) {
        let requests = std::mem::take(&mut self.requests);
        for mut request in requests {
            let call = match request.state {
                State::Asked => request.call(Some(Recorded::Escalate), None),
                State::Approved => {
                    let approved = Some(ApprovalOutcome::Approved);
                    request.call(Some(Recorded::Allow), approved)
                }
                State::Done => continue,
            };
            self.run.turn(None);
            self.run.call(call, &mut out.at(request.place));
        }
        self.run.release(out);
    }
}

impl Request {
    fn call(
        &mut self,
        recorded: Option<Recorded>,
        approval: Option<ApprovalOutcome>,
    ) -> ToolCall<'static> {
        let args = self.args.take();
        ToolCall {
            tool: Cow::Owned(std::mem::take(&mut self.tool)),
            id: Some(Cow::Owned(self.id.clone())),
            args_unknown: args.is_none(),
            args: args.unwrap_or_default(),
            recorded,
            approval,
            ..ToolCall::default()
        }
    }
}

/// The text of a message of the user.
fn prompt(message: &Json<'_>) -> Option<String> {
    if message.get("role")?.as_str()? != "user" {
        return None;
    }
    let content = Content::of(message.get("content"));
    let text = content.text()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
