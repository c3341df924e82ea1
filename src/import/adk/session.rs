//! A session: its events, in order.

use super::late::Late;
use crate::import::foreign::parts::{self, Part, Returned, spelled};
use crate::import::foreign::{
    Answer, Out, Run, Told, Unit, Unusable, identifier, kind, meta, once, timestamp,
};
use crate::trace::event::{
    ApprovalOutcome, Recorded, RunStart, RunStatus, Timestamp, ToolCall, ToolResult,
};
use crate::trace::fault::FaultCode;
use crate::trace::json::{Json, parse};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Calls by which the framework asks the user. They are no tools of the agent.
const CONFIRM: &str = "adk_request_confirmation";
const ASKING: &[&str] = &[CONFIRM, "adk_request_credential", "adk_request_input"];

/// The author of what the user says.
const USER: &str = "user";

/// A session.
pub struct Session {
    run: Run,
    app: Option<String>,
    /// Whether a result or a prompt has come since the last call.
    is_answered: bool,
    /// Where the last call stands among agents that work side by side.
    branch: Option<String>,
    /// Questions to the user, by their id: the call that each is about.
    asked: HashMap<String, String>,
    /// Calls that the user did not allow, whose result only says so.
    denied: HashSet<String>,
    late: Late,
}

impl From<Session> for Run {
    fn from(session: Session) -> Run {
        session.run
    }
}

/// What an event tells of all its parts.
struct Event<'j> {
    /// The agent that acts; absent for the user.
    agent: Option<&'j str>,
    ts: Option<Timestamp<'static>>,
    /// Calls whose result here is only a question to the user.
    unconfirmed: HashSet<&'j str>,
    /// Calls whose result here is only a question for credentials.
    unauthorised: HashSet<&'j str>,
    /// Calls of tools that return later.
    long_running: HashSet<&'j str>,
}

impl Session {
    /// One of which nothing has been seen. Without a name it is the run named after the file.
    pub fn new(name: Option<String>, max_hold: usize) -> Self {
        Session {
            run: Run::new(name),
            app: None,
            is_answered: true,
            branch: None,
            asked: HashMap::new(),
            denied: HashSet::new(),
            late: Late::new(max_hold),
        }
    }

    /// Its run.
    pub fn run(&mut self) -> &mut Run {
        &mut self.run
    }

    /// Takes the name of the program, as long as that can still go into the beginning of the run.
    pub fn note(&mut self, app: Option<&Json<'_>>) {
        let app = app.and_then(Json::as_str).map(str::to_owned);
        self.app = self.app.take().or(app);
    }

    /// Begins the run, unless it has begun.
    pub fn start(
        &mut self,
        intent: Option<&str>,
        ts: Option<Timestamp<'static>>,
        out: &mut Out<'_>,
    ) {
        if self.run.has_begun() {
            return;
        }
        let app = self.app.take().map(Json::from);
        let start = RunStart {
            intent: intent.map(|text| Cow::Owned(text.to_owned())),
            ts,
            meta: meta([("app", app.as_ref())]),
            ..RunStart::default()
        };
        self.run.begin(start, out);
    }

    /// Reads an event.
    pub fn event(&mut self, event: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        if !matches!(event, Json::Object(_)) {
            let message = format!("an event has to be an object, not {}", kind(event));
            return out.fault(FaultCode::BadField, message);
        }
        if once(event, &["author", "content", "partial", "actions"], out).is_err() {
            return;
        }
        // Pieces of an answer, which follows whole.
        if event.get("partial") == Some(&Json::Bool(true)) {
            return;
        }
        // What makes it unusable has been reported.
        let _ = self.whole(event, told, out);
    }

    fn whole(
        &mut self,
        event: &Json<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        let Some(author) = identifier("author", event.get("author"), out)? else {
            out.fault(FaultCode::MissingField, "an event without `author`");
            return Err(Unusable);
        };
        let branch = identifier("branch", event.get("branch"), out)?;
        let actions = event.get("actions").unwrap_or(&Json::Null);
        let confirmations = ("requestedToolConfirmations", "requested_tool_confirmations");
        let credentials = ("requestedAuthConfigs", "requested_auth_configs");
        let long_running = ("longRunningToolIds", "long_running_tool_ids");
        let about = Event {
            agent: (author != USER).then_some(author),
            ts: timestamp(event.get("timestamp"), Unit::Seconds, told, out),
            unconfirmed: keys(spelled(actions, confirmations, out)?),
            unauthorised: keys(spelled(actions, credentials, out)?),
            long_running: texts(spelled(event, long_running, out)?),
        };
        let parts = list(event.get("content"), out)?;
        let mut is_first = self.is_answered || self.branch.as_deref() == branch;
        for part in parts {
            match parts::read(part, told, out) {
                Some(Part::Call(call)) if ASKING.contains(&&*call.tool) => self.ask(&call, out),
                Some(Part::Call(call)) => {
                    self.start(None, about.ts.clone(), out);
                    if std::mem::take(&mut is_first) {
                        self.run.turn(None);
                        // Results follow the event that asks for them.
                        self.run.end_order();
                    }
                    self.is_answered = false;
                    self.branch = branch.map(str::to_owned);
                    if let Some(id) = call.id.as_deref() {
                        self.late.end(id, &mut self.run, out);
                        if about.long_running.contains(id) {
                            self.late.expect(id);
                        }
                    }
                    let call = ToolCall {
                        agent: about.agent.map(|agent| Cow::Owned(agent.to_owned())),
                        ts: about.ts.clone(),
                        ..*call
                    };
                    self.run.call(call, out);
                }
                Some(Part::Answer(returned)) => self.returned(returned, &about, told, out),
                None => {}
            }
        }
        if about.agent.is_none() {
            self.prompt(parts, about.ts, out);
        }
        Ok(())
    }

    fn prompt(&mut self, parts: &[Json<'_>], ts: Option<Timestamp<'static>>, out: &mut Out<'_>) {
        let texts = parts.iter().filter_map(parts::text).map(str::trim);
        let texts: Vec<_> = texts.filter(|text| !text.is_empty()).collect();
        if !texts.is_empty() {
            self.start(Some(&texts.join("\n")), ts, out);
            self.run.release(out);
            self.is_answered = true;
        }
    }

    /// Takes a question to the user, which is about a call that waits.
    fn ask(&mut self, question: &ToolCall<'_>, out: &mut Out<'_>) {
        let args = question.args.json();
        let call = ["originalFunctionCall", "original_function_call"];
        let call = call
            .iter()
            .find_map(|name| args.get(name)?.get("id")?.as_str());
        if let (Some(id), Some(call)) = (&question.id, call)
            && question.tool == CONFIRM
        {
            self.run.decide(call, Recorded::Escalate, None, out);
            self.asked.insert(id.to_string(), call.to_owned());
        }
    }

    fn returned(
        &mut self,
        returned: Returned<'_>,
        about: &Event<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        let id = returned.id.unwrap_or_default();
        if returned.tool.is_some_and(|tool| ASKING.contains(&tool)) {
            if let Some(call) = self.asked.remove(id) {
                self.decided(&call, &returned.result, told, out);
            }
            return;
        }
        if about.unconfirmed.contains(id) {
            return self.run.decide(id, Recorded::Escalate, None, out);
        }
        if about.unauthorised.contains(id) || self.denied.remove(id) {
            return;
        }
        self.is_answered = true;
        let result = ToolResult {
            ts: about.ts.clone(),
            ..returned.result
        };
        let Some(result) = self.late.hold(id, result, out.place()) else {
            return;
        };
        Returned { result, ..returned }.give(&mut self.run, out);
    }

    /// Takes what the user answered to the question about a call.
    fn decided(&mut self, call: &str, answer: &ToolResult<'_>, told: &mut Told, out: &mut Out<'_>) {
        let confirmed = answer
            .outcome
            .result
            .as_ref()
            .and_then(|raw| confirmed(&raw.json()));
        match confirmed {
            Some(true) => {
                let approval = Some((ApprovalOutcome::Approved, USER));
                self.run.decide(call, Recorded::Allow, approval, out);
            }
            Some(false) => {
                self.run.answer(call, Answer::Refusal(USER), out);
                self.denied.insert(call.to_owned());
            }
            None => {
                let message = "answers to confirmations that do not tell `confirmed` are left out";
                told.assume(message, out);
            }
        }
    }

    /// Hands on what long-running tools have returned: no event follows. `stem` names a run without a
    /// name, for notices.
    pub fn settle(&mut self, stem: &str, out: &mut Out<'_>) {
        out.set_run(self.run.name().unwrap_or(stem));
        self.late.release(&mut self.run, out);
    }

    /// Ends the run.
    pub fn finish(mut self, status: Option<RunStatus>, out: &mut Out<'_>) {
        self.late.release(&mut self.run, out);
        self.run.finish(status, out);
    }
}

/// Whether an answer confirms: as an object, or as the text of one, which may stand in `response`.
fn confirmed(answer: &Json<'_>) -> Option<bool> {
    let of = |json: &Json<'_>| match json.get("confirmed") {
        Some(Json::Bool(confirmed)) => Some(*confirmed),
        _ => None,
    };
    if let Some(confirmed) = of(answer) {
        return Some(confirmed);
    }
    let inner = answer.get("response").unwrap_or(answer);
    match inner {
        Json::String(text) => of(&parse(text.text.as_bytes()).ok()?),
        inner => of(inner),
    }
}

fn keys<'j>(object: Option<&'j Json<'j>>) -> HashSet<&'j str> {
    match object {
        Some(Json::Object(members)) => members.iter().map(|(key, _)| &*key.text).collect(),
        _ => HashSet::new(),
    }
}

fn texts<'j>(list: Option<&'j Json<'j>>) -> HashSet<&'j str> {
    let items = list.and_then(Json::as_array).unwrap_or_default();
    items.iter().filter_map(Json::as_str).collect()
}

/// The parts of a content, which may be absent.
///
/// # Errors
/// It has another shape; the fault has been reported.
pub fn list<'j>(
    content: Option<&'j Json<'j>>,
    out: &mut Out<'_>,
) -> Result<&'j [Json<'j>], Unusable> {
    let found = match content {
        None | Some(Json::Null) => return Ok(&[]),
        Some(content @ Json::Object(_)) => {
            once(content, &["parts", "role"], out)?;
            match content.get("parts") {
                None | Some(Json::Null) => return Ok(&[]),
                Some(Json::Array(parts)) => return Ok(parts),
                Some(other) => other,
            }
        }
        Some(other) => other,
    };
    let message = format!(
        "a content has to have `parts`, an array, not {}",
        kind(found)
    );
    out.fault(FaultCode::BadField, message);
    Err(Unusable)
}
