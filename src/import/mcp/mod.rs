//! Traffic of the Model Context Protocol: its JSON-RPC messages, bare or in the envelopes that
//! recorders put around them.
//!
//! | record | holds |
//! |---|---|
//! | `{"jsonrpc": "2.0", ..}` | a message |
//! | `[{"jsonrpc": "2.0", ..}, ..]` | a batch of messages |
//! | `{"ts", "direction", "message": {..}}` and its like | messages in an envelope; the message may be text |
//! | `{"ts", "dir", "id", "method", ..}` | a message with the fields of an envelope beside its own |
//! | `{"type": "request", "count", "method": "call_tool", "args", "kwargs"}` | a call of the client library, its return has the same `count` |
//! | `{"session_id", "calls": [{"request", "response"}]}` | a session of such calls |
//!
//! **Runs.** A connection is a run. One that an envelope names by its session has that name; else
//! the first is the run named after the file, and one that begins with `initialize` after calls of
//! another is `<file>-<n>`.
//!
//! **Ids.** Client and server count their requests apart, so a response is told from its sender
//! where an envelope names it, and else from what waits under its id: of a call and another request
//! the one that it looks like an answer to. The number 7 and the text `7` are two ids; as the id of
//! a call the text keeps its quotes.
//!
//! **Turns.** Messages do not tell of answers of a model. A call that is sent while an earlier one
//! waits for its response is in flight together with it, and of its turn. A call that the client
//! gave up, or that eight later responses have overtaken, is not waited for.
//!
//! **Results** stand where they came. Their text is what the blocks say; structured content is
//! taken where there are no blocks. `isError` is a failure of the tool, `error` one of the protocol;
//! both are errors. A call that became a task has its result where the task's is fetched.
//!
//! Nothing tells who lets a call through: what was refused before it was sent is not in the traffic.

mod session;
mod wire;

use super::foreign::{Out, Runs, Told, check_bytes, kind, once, open_value};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::fault::FaultCode;
use crate::trace::json::{Json, parse};
use session::{Response, Session};
use wire::{Around, Id, Kind};

/// MCP traffic.
pub const FORMAT: Format = Format {
    id: "mcp",
    title: "MCP traffic",
    doc: "JSON-RPC messages of the Model Context Protocol, bare or as recorders wrap them",
    seen: "protocol 2024-11-05 to 2025-11-25",
    mapping: Mapping {
        run: "a connection: `session_id` of the recorder; else named after the file, later ones `<file>-<n>`",
        meta: "`clientInfo.name`, `serverInfo.name`",
        turn: "calls sent while an earlier one waits for its response",
        id: "`id` of the request; a text that could be a number keeps its quotes",
        args: "`params.arguments` of `tools/call`; absent is `{}`",
        result: "`result.content`, or `structuredContent` where that is empty; `error`",
        error: "`result.isError`, or an `error` of the protocol",
        ts: "of the recorder: `ts`, `timestamp`",
        ..Mapping::NOTHING
    },
    notes: &[
        "Client and server count their requests apart. Where a recorder does not tell the sender, a response that may answer two requests of one id goes to the one that it looks like an answer to.",
        "Tools have the names that the server gives them, without the name of the server.",
        "What an agent was not let do is never sent, so refusals are not in the traffic. Reading resources is no call.",
    ],
    recognise: wire::recognise,
    importer: |opening| Box::new(Mcp::new(opening)),
};

/// Fields of a message that decide what it is.
const FIELDS: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];

/// Requests of the client library that call no tool.
const LIBRARY: &[&str] = &[
    "complete",
    "get_prompt",
    "initialize",
    "list_prompts",
    "list_resource_templates",
    "list_resources",
    "list_tools",
    "read_resource",
    "send_ping",
    "send_roots_list_changed",
    "set_logging_level",
    "subscribe_resource",
    "unsubscribe_resource",
];

/// Envelopes within envelopes that are opened.
const LEVELS: usize = 4;

/// Reader of one input.
pub struct Mcp {
    stem: String,
    runs: Runs<Session>,
    /// Connections without a name that have begun before this one, in which a tool was called.
    before: u64,
    told: Told,
}

impl Mcp {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        Mcp {
            stem: opening.stem.to_owned(),
            runs: Runs::default(),
            before: 0,
            told: Told::default(),
        }
    }

    /// The connection that a message belongs to. `opens` says that it begins one.
    fn session(
        &mut self,
        around: Around<'_>,
        opens: bool,
        out: &mut Out<'_>,
    ) -> Option<&mut Session> {
        let named = session::named(around, out).ok()?;
        let unnamed =
            |before: u64, stem: &str| (before > 0).then(|| format!("{stem}-{}", before + 1));
        let mut name = match named {
            Some(name) => Some(name.to_owned()),
            None => unnamed(self.before, &self.stem),
        };
        if opens && named.is_none() {
            let key = name.clone();
            let current = self.runs.get(name.as_deref(), || Session::new(key));
            if current.has_calls() {
                self.before += 1;
                name = unnamed(self.before, &self.stem);
            }
        }
        out.set_run(name.as_deref().unwrap_or(&self.stem));
        let key = name.clone();
        let session = self.runs.get(name.as_deref(), || Session::new(key));
        if opens {
            session.reconnect();
        }
        Some(session)
    }

    fn value(&mut self, value: &Json<'_>, around: Around<'_>, level: usize, out: &mut Out<'_>) {
        if let Json::Array(batch) = value
            && level < LEVELS
        {
            for message in batch {
                self.value(message, around, level + 1, out);
            }
            return;
        }
        if !matches!(value, Json::Object(_)) {
            let message = format!("expected a message, found {}", kind(value));
            return out.fault(FaultCode::NotAnObject, message);
        }
        let around = around.within(value);
        match wire::kind(value) {
            Kind::Message => self.message(value, around, out),
            Kind::Library => self.library(value, around, out),
            Kind::Session(calls) => self.calls(calls, around, out),
            Kind::Envelope(inner) if level < LEVELS => {
                if once(value, wire::INNER, out).is_err() {
                    return;
                }
                for message in inner {
                    self.inner(message, around, level + 1, out);
                }
            }
            Kind::Envelope(_) => {
                let message = "envelopes within envelopes, too many to be opened";
                out.fault(FaultCode::TooDeep, message);
            }
            Kind::Other if !wire::is_note(value) => out.stranger("MCP"),
            Kind::Other => {
                let message = "records that hold no message are skipped";
                self.told.assume(message, out);
            }
        }
    }

    /// Reads a message out of an envelope, which may hold it as text.
    fn inner(&mut self, message: &Json<'_>, around: Around<'_>, level: usize, out: &mut Out<'_>) {
        let Json::String(text) = message else {
            return self.value(message, around, level, out);
        };
        match parse(text.text.as_bytes()) {
            Ok(value) => self.value(&value, around, level, out),
            Err(error) => {
                let message = format!("the text of a message is no JSON: {}", error.message);
                out.fault(FaultCode::MalformedJson, message);
            }
        }
    }

    fn message(&mut self, message: &Json<'_>, around: Around<'_>, out: &mut Out<'_>) {
        if once(message, FIELDS, out).is_err() {
            return;
        }
        let method = match message.get("method") {
            None | Some(Json::Null) => return self.response(message, around, out),
            Some(Json::String(method)) => &*method.text,
            Some(other) => {
                let text = format!("`method` has to be a string, not {}", kind(other));
                return out.fault(FaultCode::BadField, text);
            }
        };
        if method == "tools/call" {
            return self.call(message, around, out);
        }
        let mut told = std::mem::take(&mut self.told);
        if let Some(session) = self.session(around, method == "initialize", out) {
            session.request(method, message, around, &mut told, out);
        }
        self.told = told;
    }

    fn call(&mut self, message: &Json<'_>, around: Around<'_>, out: &mut Out<'_>) {
        let params = match message.get("params") {
            Some(params @ Json::Object(_)) => params,
            None => return out.fault(FaultCode::MissingField, "a call without `params`"),
            Some(other) => {
                let text = format!("`params` has to be an object, not {}", kind(other));
                return out.fault(FaultCode::BadField, text);
            }
        };
        if once(params, &["name", "arguments"], out).is_err() {
            return;
        }
        let Ok(id) = Id::read("id", message.get("id"), out) else {
            return;
        };
        let (name, args) = (params.get("name"), params.get("arguments"));
        self.with(around, out, |session, told, out| {
            // What makes it unusable has been reported.
            let _ = session.call(id.as_ref(), name, args, around, told, out);
        });
    }

    fn response(&mut self, message: &Json<'_>, around: Around<'_>, out: &mut Out<'_>) {
        let response = Response {
            result: message.get("result"),
            error: message.get("error").filter(|error| **error != Json::Null),
        };
        if response.result.is_none() && response.error.is_none() {
            let text = "a message without `method`, `result` and `error`";
            return out.fault(FaultCode::MissingField, text);
        }
        match Id::read("id", message.get("id"), out) {
            Ok(Some(id)) => self.with(around, out, |session, told, out| {
                session.response(&id, response, around, told, out);
            }),
            Ok(None) => {
                let text = "responses without an id, which answer no request, are left out";
                self.told.assume(text, out);
            }
            Err(_) => {}
        }
    }

    /// Does something with the connection of a message that does not begin one.
    fn with(
        &mut self,
        around: Around<'_>,
        out: &mut Out<'_>,
        what: impl FnOnce(&mut Session, &mut Told, &mut Out<'_>),
    ) {
        let mut told = std::mem::take(&mut self.told);
        if let Some(session) = self.session(around, false, out) {
            what(session, &mut told, out);
        }
        self.told = told;
    }

    /// Reads a call of the client library, or its return.
    fn library(&mut self, record: &Json<'_>, around: Around<'_>, out: &mut Out<'_>) {
        let fields = [
            "type", "count", "method", "args", "kwargs", "result", "error",
        ];
        if once(record, &fields, out).is_err() {
            return;
        }
        let method = record
            .get("method")
            .and_then(Json::as_str)
            .unwrap_or_default();
        let is_request = record.get("type").and_then(Json::as_str) == Some("request");
        let opens = method == "initialize" && is_request;
        let Ok(Some(id)) = Id::read("count", record.get("count"), out) else {
            return;
        };
        if method != "call_tool" {
            if !LIBRARY.contains(&method) {
                self.told.skip("calls", method, out);
            }
            if let Some(session) = self.session(around, opens, out) {
                session.note(
                    "server",
                    record.get("result").and_then(|r| r.get("serverInfo")),
                );
            }
            return;
        }
        let (name, args) = parameters(record);
        let response = returned(record);
        self.with(around, out, |session, told, out| {
            if is_request {
                // What makes it unusable has been reported.
                let _ = session.call(Some(&id), name, args, around, told, out);
            } else {
                session.response(&id, response, around, told, out);
            }
        });
    }

    /// Reads a session of calls of the client library. They have no ids.
    fn calls(&mut self, calls: &[Json<'_>], around: Around<'_>, out: &mut Out<'_>) {
        self.with(around, out, |session, told, out| {
            for call in calls {
                let Some(request) = call.get("request") else {
                    continue;
                };
                if once(request, &["method", "args", "kwargs"], out).is_err() {
                    continue;
                }
                let method = request
                    .get("method")
                    .and_then(Json::as_str)
                    .unwrap_or_default();
                let response = call
                    .get("response")
                    .filter(|r| matches!(r, Json::Object(_)));
                if method != "call_tool" {
                    if !LIBRARY.contains(&method) {
                        told.skip("calls", method, out);
                    }
                    let result = response.and_then(|r| r.get("result"));
                    session.note("server", result.and_then(|r| r.get("serverInfo")));
                    continue;
                }
                let (name, args) = parameters(request);
                let sent = around.within(request);
                if let Ok(Some(id)) = session.call(None, name, args, sent, told, out)
                    && let Some(response) = response
                {
                    let came = around.within(response);
                    session.answer(&id, returned(response), came, told, out);
                }
            }
        });
    }
}

/// Name and arguments of a call of the client library, which may be given by place or by name.
fn parameters<'j>(call: &'j Json<'j>) -> (Option<&'j Json<'j>>, Option<&'j Json<'j>>) {
    let placed = call
        .get("args")
        .and_then(Json::as_array)
        .unwrap_or_default();
    let named = |name: &str| call.get("kwargs").and_then(|named| named.get(name));
    let one = |place: usize, name: &str| placed.get(place).or_else(|| named(name));
    // The library has an absent value for calls without arguments.
    let args = one(1, "arguments").filter(|args| **args != Json::Null);
    (one(0, "name"), args)
}

/// What a call of the client library returned.
fn returned<'j>(record: &'j Json<'j>) -> Response<'j> {
    Response {
        result: record.get("result").filter(|result| **result != Json::Null),
        error: record.get("error").filter(|error| **error != Json::Null),
    }
}

impl Importer for Mcp {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, record.place);
        if let Some(value) = open_value(&record, &mut out) {
            check_bytes(&record, &mut out);
            self.value(&value, Around::default(), 0, &mut out);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        std::mem::take(&mut self.runs).finish(&self.stem, sink);
    }
}
