//! Cases of an evaluation: conversations whose calls are listed apart from their results.

use super::session::{Session, list};
use crate::import::foreign::parts::{self, Returned, spelled};
use crate::import::foreign::{
    Answer, Out, Told, Unit, Unusable, arguments, identifier, once, timestamp, tool_name,
};
use crate::trace::event::{RunStatus, Timestamp, ToolCall};
use crate::trace::json::Json;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

/// Fields of a case and of its invocations, in both spellings.
pub const CASES: (&str, &str) = ("evalCases", "eval_cases");
const ID: (&str, &str) = ("evalId", "eval_id");
const INPUT: (&str, &str) = ("sessionInput", "session_input");
const APP: (&str, &str) = ("appName", "app_name");
const USER: (&str, &str) = ("userContent", "user_content");
const ANSWER: (&str, &str) = ("finalResponse", "final_response");
const MADE: (&str, &str) = ("creationTimestamp", "creation_timestamp");
const DATA: (&str, &str) = ("intermediateData", "intermediate_data");
const USES: (&str, &str) = ("toolUses", "tool_uses");
const RESPONSES: (&str, &str) = ("toolResponses", "tool_responses");
const EVENTS: (&str, &str) = ("invocationEvents", "invocation_events");

/// Reads a case as a run. `name` names it where it has no id, `max_hold` bounds what is
/// held of it.
///
/// # Errors
/// Its id cannot be used; the fault has been reported.
pub fn case(
    case: &Json<'_>,
    name: String,
    max_hold: usize,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    let id = identifier(ID.1, spelled(case, ID, out)?, out)?;
    let name = id.filter(|id| !id.is_empty()).map_or(name, str::to_owned);
    out.set_run(&name);
    let mut session = Session::new(Some(name), max_hold);
    let input = spelled(case, INPUT, out)?.unwrap_or(&Json::Null);
    session.note(spelled(input, APP, out)?);
    once(case, &["conversation"], out)?;
    let conversation = case.get("conversation").and_then(Json::as_array);
    let mut is_answered = false;
    for invocation in conversation.unwrap_or_default() {
        // What makes it unusable has been reported.
        is_answered = self::invocation(&mut session, invocation, told, out).unwrap_or(false);
    }
    session.finish(is_answered.then_some(RunStatus::Answered), out);
    Ok(())
}

/// Reads an invocation. Returns whether it ends with an answer.
fn invocation(
    session: &mut Session,
    invocation: &Json<'_>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<bool, Unusable> {
    let ts = timestamp(spelled(invocation, MADE, out)?, Unit::Seconds, told, out);
    let said = list(spelled(invocation, USER, out)?, out)?;
    let intent = said
        .iter()
        .filter_map(parts::text)
        .find(|text| !text.trim().is_empty());
    session.start(intent.map(str::trim), ts.clone(), out);
    if let Some(data) = spelled(invocation, DATA, out)? {
        let events = spelled(data, EVENTS, out)?.and_then(Json::as_array);
        for event in events.unwrap_or_default() {
            session.event(event, told, out);
        }
        calls(session, data, ts, told, out)?;
    }
    Ok(spelled(invocation, ANSWER, out)?.is_some())
}

/// Reads the calls, each with its result.
fn calls(
    session: &mut Session,
    data: &Json<'_>,
    ts: Option<Timestamp<'static>>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    let uses = spelled(data, USES, out)?.and_then(Json::as_array);
    let responses = spelled(data, RESPONSES, out)?.and_then(Json::as_array);
    let mut results = Results::default();
    for response in responses.unwrap_or_default() {
        if let Ok(returned) = parts::returned(response, out) {
            results.add(returned);
        }
    }
    let uses = uses.unwrap_or_default();
    if uses.len() > 1 {
        let message = "calls of an evaluation are taken as made one after the other";
        told.assume(message, out);
    }
    for entry in uses {
        let Ok(call) = self::call(entry, out) else {
            continue;
        };
        let result = results.take(call.id.as_deref(), &call.tool);
        session.run().turn(None);
        let call = ToolCall {
            ts: ts.clone(),
            ..call
        };
        let unique = session.run().call(call, out);
        if let (Some(unique), Some(result)) = (unique, result) {
            let answer = Answer::Result(result.result);
            session.run().answer(&unique, answer, out);
        }
    }
    session.run().end_order();
    for left in results.left() {
        left.give(session.run(), out);
    }
    Ok(())
}

fn call(entry: &Json<'_>, out: &mut Out<'_>) -> Result<ToolCall<'static>, Unusable> {
    once(entry, &["id", "name", "args"], out)?;
    let tool = tool_name("name", entry.get("name"), out)?;
    let id = identifier("id", entry.get("id"), out)?.filter(|id| !id.is_empty());
    Ok(ToolCall {
        tool: Cow::Owned(tool.to_owned()),
        id: id.map(|id| Cow::Owned(id.to_owned())),
        args: arguments(
            tool,
            entry.get("args").filter(|args| **args != Json::Null),
            out,
        ),
        ..ToolCall::default()
    })
}

/// Results that wait for their calls: by their id, or in order by their tool where they have none.
#[derive(Default)]
struct Results<'j> {
    ids: HashMap<&'j str, VecDeque<usize>>,
    tools: HashMap<&'j str, VecDeque<usize>>,
    all: Vec<Option<Returned<'j>>>,
}

impl<'j> Results<'j> {
    fn add(&mut self, returned: Returned<'j>) {
        let at = self.all.len();
        match (returned.id.filter(|id| !id.is_empty()), returned.tool) {
            (Some(id), _) => self.ids.entry(id).or_default().push_back(at),
            (None, tool) => self
                .tools
                .entry(tool.unwrap_or_default())
                .or_default()
                .push_back(at),
        }
        self.all.push(Some(returned));
    }

    fn take(&mut self, id: Option<&str>, tool: &str) -> Option<Returned<'j>> {
        let of_id = id.and_then(|id| self.ids.get_mut(id)?.pop_front());
        let at = of_id.or_else(|| self.tools.get_mut(tool)?.pop_front())?;
        self.all.get_mut(at)?.take()
    }

    /// Those that no call has taken.
    fn left(self) -> impl Iterator<Item = Returned<'j>> {
        self.all.into_iter().flatten()
    }
}
