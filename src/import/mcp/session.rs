//! A connection between a client and a server: its requests, and which response answers which.

use super::wire::{Around, Id, Side};
use crate::import::foreign::{
    Answer, Content, Out, Run, Told, Unit, Unusable, arguments, check_value, identifier, kind,
    meta, once, timestamp, tool_name,
};
use crate::trace::event::{Outcome, RunStart, ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// Requests of a client that call no tool.
const CLIENT: &[&str] = &[
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "tasks/cancel",
    "tasks/get",
    "tasks/list",
    "tasks/result",
    "tools/list",
];

/// Requests of a server.
const SERVER: &[&str] = &["elicitation/create", "roots/list", "sampling/createMessage"];

/// A call that this many later responses have overtaken is taken as one that gets none: a client
/// that gave up waiting need not say so.
const OVERTAKEN: u64 = 8;

/// A call of a tool that waits for its response.
#[derive(Clone, Debug)]
struct Call {
    /// Its number among the calls of the connection.
    number: u64,
    /// The id that its result is paired by.
    name: String,
    /// Who sent it, where that is known.
    from: Option<Side>,
}

/// Requests of one id that wait for their response. Each side counts its own requests, so the same
/// id is used by both.
#[derive(Debug, Default)]
struct Waiting {
    calls: Vec<Call>,
    /// Other requests, by who sent them.
    client: u64,
    server: u64,
    unknown: u64,
}

impl Waiting {
    fn others(&mut self, from: Option<Side>) -> &mut u64 {
        match from {
            Some(Side::Client) => &mut self.client,
            Some(Side::Server) => &mut self.server,
            None => &mut self.unknown,
        }
    }

    fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.client + self.server + self.unknown == 0
    }
}

/// What a response answers.
enum Answered {
    Call(Call),
    Other,
    Nothing,
}

/// A response.
#[derive(Clone, Copy, Debug, Default)]
pub struct Response<'j> {
    /// What came back; absent where an error did.
    pub result: Option<&'j Json<'j>>,
    /// The error of the protocol, other than null.
    pub error: Option<&'j Json<'j>>,
}

impl Response<'_> {
    /// Whether it is what a tool returns, by its looks.
    fn is_of_a_tool(&self) -> bool {
        self.result.is_some_and(|result| {
            let has = |field: &str| result.get(field).is_some_and(|v| *v != Json::Null);
            let list = result
                .get("content")
                .is_some_and(|c| c.as_array().is_some());
            list || ["structuredContent", "isError", "toolResult", "task"]
                .map(has)
                .contains(&true)
        })
    }
}

/// A connection.
#[derive(Debug)]
pub struct Session {
    /// Its run.
    pub run: Run,
    waiting: HashMap<Id, Waiting>,
    /// Calls of the turn without a response: their number, and how many responses came before.
    open: BTreeMap<u64, u64>,
    calls: u64,
    responses: u64,
    /// Calls whose result is fetched by another request, by the name of their task.
    tasks: HashMap<String, Call>,
    meta: Vec<(&'static str, String)>,
}

impl From<Session> for Run {
    fn from(session: Session) -> Run {
        session.run
    }
}

impl Session {
    /// One of which nothing has been seen.
    pub fn new(run: Option<String>) -> Self {
        Session {
            run: Run::new(run),
            waiting: HashMap::new(),
            open: BTreeMap::new(),
            calls: 0,
            responses: 0,
            tasks: HashMap::new(),
            meta: Vec::new(),
        }
    }

    /// Whether a tool has been called.
    pub fn has_calls(&self) -> bool {
        self.calls > 0
    }

    /// Another connection takes the place of this one in the same run: what waits gets no response.
    pub fn reconnect(&mut self) {
        self.waiting.clear();
        self.open.clear();
        self.tasks.clear();
    }

    /// Takes what is known of the run, as long as that can still go into its beginning.
    pub fn note(&mut self, name: &'static str, of: Option<&Json<'_>>) {
        let text = of.and_then(|program| program.get("name")?.as_str());
        if let Some(text) = text.filter(|_| self.meta.iter().all(|(known, _)| *known != name)) {
            self.meta.push((name, text.to_owned()));
        }
    }

    /// Takes a request or a notification of another kind than a call.
    pub fn request(
        &mut self,
        method: &str,
        message: &Json<'_>,
        around: Around<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        let params = message.get("params");
        let from = if CLIENT.contains(&method) {
            Some(Side::Client)
        } else if SERVER.contains(&method) {
            Some(Side::Server)
        } else {
            // A ping may be of both.
            if method != "ping" && !method.starts_with("notifications/") {
                told.skip("messages", method, out);
            }
            around.side
        };
        if method == "initialize" {
            self.note("client", params.and_then(|p| p.get("clientInfo")));
        }
        let of = |field: &str| params.and_then(|p| p.get(field));
        if method == "notifications/cancelled" {
            let id = Id::read("requestId", of("requestId"), out).ok().flatten();
            self.give_up(id.as_ref());
        }
        let Ok(Some(id)) = Id::read("id", message.get("id"), out) else {
            return;
        };
        let task = of("taskId").and_then(Json::as_str);
        let call = task.filter(|_| method == "tasks/result");
        let waiting = self.waiting.entry(id).or_default();
        match call.and_then(|task| self.tasks.get(task)) {
            Some(call) => waiting.calls.push(call.clone()),
            None => *waiting.others(from) += 1,
        }
    }

    /// The sender of a request does not wait for its response any more. It may come all the same.
    fn give_up(&mut self, id: Option<&Id>) {
        let waiting = id.and_then(|id| self.waiting.get(id));
        if let Some(call) = waiting.and_then(|waiting| waiting.calls.last()) {
            self.open.remove(&call.number);
        }
    }

    /// Takes a call of a tool. Without an id nothing can answer it. Returns the id that it goes by.
    ///
    /// # Errors
    /// It has no usable name; the fault has been reported.
    pub fn call(
        &mut self,
        id: Option<&Id>,
        tool: Option<&Json<'_>>,
        args: Option<&Json<'_>>,
        around: Around<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Result<Option<String>, Unusable> {
        let tool = tool_name("name", tool, out)?;
        let args = arguments(tool, args, out);
        let ts = timestamp(around.ts, Unit::Seconds, told, out);
        self.begin_turn(told, out);
        if !self.run.has_begun() {
            let known: Vec<_> = std::mem::take(&mut self.meta);
            let known = known
                .into_iter()
                .map(|(name, text)| (name, Json::from(text)));
            let known: Vec<_> = known.collect();
            let start = RunStart {
                ts: ts.clone(),
                meta: meta(known.iter().map(|(name, value)| (*name, Some(value)))),
                ..RunStart::default()
            };
            self.run.begin(start, out);
        }
        let call = ToolCall {
            tool: Cow::Owned(tool.to_owned()),
            id: id.map(|id| Cow::Owned(id.name())),
            args,
            ts,
            ..ToolCall::default()
        };
        let unique = self.run.call(call, out);
        // Nothing refuses a call later, and responses stand where they came.
        self.run.release(out);
        self.calls += 1;
        if let Some(id) = id {
            self.open.insert(self.calls, self.responses);
            let call = Call {
                number: self.calls,
                name: id.name(),
                from: around.side,
            };
            self.waiting.entry(id.clone()).or_default().calls.push(call);
        }
        Ok(unique)
    }

    /// A call is of the turn of those before it if one of them still waits.
    fn begin_turn(&mut self, told: &mut Told, out: &mut Out<'_>) {
        while let Some(oldest) = self.open.first_entry() {
            if self.responses - oldest.get() < OVERTAKEN {
                return;
            }
            oldest.remove();
            let message = "a call that many later responses have overtaken is taken as one \
                           without a response";
            told.assume(message, out);
        }
        self.run.turn(None);
    }

    /// Takes a response to the request `id`.
    pub fn response(
        &mut self,
        id: &Id,
        response: Response<'_>,
        around: Around<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        self.note("server", response.result.and_then(|r| r.get("serverInfo")));
        let call = match self.answered(id, response, around.side, told, out) {
            Answered::Call(call) => call,
            Answered::Other => return,
            Answered::Nothing if response.is_of_a_tool() => {
                return self.answer(&id.name(), response, around, told, out);
            }
            Answered::Nothing => {
                let message = "responses to requests that are not recorded are left out";
                return told.assume(message, out);
            }
        };
        let task = response
            .result
            .and_then(|r| r.get("task")?.get("taskId")?.as_str());
        if let Some(task) = task {
            // Only a receipt: the result is fetched later.
            self.tasks.insert(task.to_owned(), call);
            return;
        }
        self.responses += 1;
        self.open.remove(&call.number);
        self.answer(&call.name, response, around, told, out);
    }

    fn answered(
        &mut self,
        id: &Id,
        response: Response<'_>,
        side: Option<Side>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Answered {
        let Some(waiting) = self.waiting.get_mut(id) else {
            return Answered::Nothing;
        };
        let asked = side.map(Side::other);
        let fits = |from: Option<Side>| from.is_none() || asked.is_none() || from == asked;
        let is_call = waiting.calls.last().is_some_and(|call| fits(call.from));
        let other = [Some(Side::Client), Some(Side::Server), None]
            .into_iter()
            .find(|from| fits(*from) && *waiting.others(*from) > 0);
        if is_call && other.is_some() && response.error.is_some() {
            let message = "an error that may answer a call or another request of the same id is \
                           taken as that of the call";
            told.assume(message, out);
        }
        let is_tools = response.is_of_a_tool() || response.error.is_some();
        let answered = match other {
            Some(from) if !(is_call && is_tools) => {
                *waiting.others(from) -= 1;
                Answered::Other
            }
            _ if is_call => waiting
                .calls
                .pop()
                .map_or(Answered::Nothing, Answered::Call),
            _ => Answered::Nothing,
        };
        if waiting.is_empty() {
            self.waiting.remove(id);
        }
        answered
    }

    /// Hands on what became of the call of this name.
    pub fn answer(
        &mut self,
        call: &str,
        response: Response<'_>,
        around: Around<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        let ts = timestamp(around.ts, Unit::Seconds, told, out);
        let Ok(outcome) = outcome(response, out) else {
            return;
        };
        let result = ToolResult {
            outcome,
            ts,
            ..ToolResult::default()
        };
        self.run.answer(call, Answer::Result(result), out);
    }
}

/// What a response says of its call.
fn outcome(response: Response<'_>, out: &mut Out<'_>) -> Result<Outcome<'static>, Unusable> {
    if let Some(error) = response.error {
        check_value("an error", error, out);
        return Ok(Outcome {
            result: Content::of(Some(error)).into_raw(),
            error: Some(true),
            ..Outcome::default()
        });
    }
    let result = response.result.unwrap_or(&Json::Null);
    once(result, &["content", "structuredContent", "isError"], out)?;
    check_value("a result", result, out);
    let error = match result.get("isError") {
        Some(Json::Bool(error)) => *error,
        None | Some(Json::Null) => false,
        Some(other) => {
            let message = format!("`isError` has to be a boolean, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            true
        }
    };
    let field = |name: &str| result.get(name).filter(|value| **value != Json::Null);
    let blocks = field("content").filter(|c| c.as_array() != Some(&[]));
    let value = blocks
        .or_else(|| field("structuredContent"))
        .or_else(|| field("toolResult"))
        .or_else(|| field("content"));
    let value = match (value, result) {
        // What is no object is not of the protocol, but it is what came back.
        (None, Json::Object(_)) => None,
        (None, other) => Some(other),
        (value, _) => value,
    };
    Ok(Outcome {
        result: Content::of(value).into_raw(),
        error: Some(error),
        ..Outcome::default()
    })
}

/// The session that an envelope names; `None` where it names none.
///
/// # Errors
/// The name is damaged or no string; the fault has been reported.
pub fn named<'j>(around: Around<'j>, out: &mut Out<'_>) -> Result<Option<&'j str>, Unusable> {
    let name = identifier("session_id", around.session, out)?;
    Ok(name.filter(|name| !name.is_empty()))
}
