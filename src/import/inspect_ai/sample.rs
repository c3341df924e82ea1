//! A sample of a log, and the runs that it comes to.

use super::attachments::Attachments;
use super::call;
use super::events::Walk;
use super::turns::Agent;
use crate::import::foreign::{
    Content, Out, Run, Told, Unit, Unusable, identifier, kind, meta, once, timestamp,
};
use crate::trace::event::{RunStart, RunStatus};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// What is told of a log in the beginning of its runs.
const META: &[&str] = &["task", "model", "eval_id", "run_id"];

/// What a log can be named after, the best first.
const NAMES: &[&str] = &["eval_id", "run_id", "task"];

/// Fields of a sample that decide what it is.
const FIELDS: &[&str] = &[
    "id",
    "epoch",
    "events",
    "messages",
    "attachments",
    "error",
    "limit",
];

/// The log that samples are of.
pub struct Log {
    name: String,
    known: Vec<(&'static str, Json<'static>)>,
    /// Samples without an id.
    unnamed: u64,
}

impl Log {
    /// A log of which only its file is known.
    pub fn unknown(stem: &str) -> Self {
        Log {
            name: stem.to_owned(),
            known: Vec::new(),
            unnamed: 0,
        }
    }

    /// Reads what `eval` tells.
    ///
    /// # Errors
    /// Its names cannot be used; the fault has been reported.
    pub fn read(&mut self, eval: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        once(eval, NAMES, out)?;
        for field in NAMES.iter().rev() {
            let name = identifier(field, eval.get(field), out)?;
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                self.name = name.to_owned();
            }
        }
        let text = |field: &&'static str| {
            let text = eval.get(field)?.as_str()?;
            Some((*field, Json::from(text.to_owned())))
        };
        self.known = META.iter().filter_map(text).collect();
        Ok(())
    }
}

/// Reads a sample. Its attachments may add `max_hold` bytes to it.
pub fn read<'j>(
    sample: &'j Json<'j>,
    log: &mut Log,
    max_hold: usize,
    told: &mut Told,
    out: &mut Out<'_>,
) {
    if !matches!(sample, Json::Object(_)) {
        let message = format!("a sample has to be an object, not {}", kind(sample));
        return out.fault(FaultCode::BadField, message);
    }
    let Ok(name) = once(sample, FIELDS, out).and_then(|()| name(sample, log, out)) else {
        return;
    };
    out.set_run(&name);
    let early = sample.get("transcript").and_then(|t| t.get("events"));
    let events = list(sample.get("events").or(early), "events", out);
    let messages = list(sample.get("messages"), "messages", out);
    let mut walk = Walk::default();
    walk.read(events, told, out);
    if walk.turns.are_empty() {
        walk.turns.history(messages);
    } else {
        walk.turns.results(results(sample, events, messages));
    }
    let limit = sample.get("limit").and_then(|limit| limit.get("type"));
    let limit = limit.and_then(Json::as_str).or(walk.limit);
    let mut reading = Reading {
        name,
        attachments: Attachments::of(sample, max_hold),
        told,
    };
    let error = sample.get("error").filter(|error| **error != Json::Null);
    let attempts = sample.get("error_retries");
    reading.attempts(list(attempts, "error_retries", out), out);
    let mut agents = walk.turns.into_agents();
    if let Some(first) = agents.next() {
        let start = reading.start(sample, log, error, limit, out);
        let status = match limit {
            _ if error.is_some() => None,
            Some("time" | "working") => Some(RunStatus::Timeout),
            Some(_) => Some(RunStatus::Aborted),
            None => Some(RunStatus::Answered),
        };
        reading.run(first, Some(start), status, out);
    }
    for agent in agents {
        reading.run(agent, None, None, out);
    }
}

fn list<'j>(value: Option<&'j Json<'j>>, field: &str, out: &mut Out<'_>) -> &'j [Json<'j>] {
    match value {
        None | Some(Json::Null) => &[],
        Some(Json::Array(items)) => items,
        Some(other) => {
            let message = format!("`{field}` has to be an array, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            &[]
        }
    }
}

/// Every message of the sample in which a result can stand.
fn results<'j>(
    sample: &'j Json<'j>,
    events: &'j [Json<'j>],
    messages: &'j [Json<'j>],
) -> impl Iterator<Item = &'j Json<'j>> {
    let pool = sample
        .get("events_data")
        .and_then(|data| data.get("messages")?.as_array());
    let inputs = events
        .iter()
        .filter_map(|event| event.get("input")?.as_array());
    messages
        .iter()
        .chain(pool.unwrap_or_default())
        .chain(inputs.flatten())
}

fn name(sample: &Json<'_>, log: &mut Log, out: &mut Out<'_>) -> Result<String, Unusable> {
    let mut part = |field: &str| match sample.get(field) {
        Some(Json::Number(number)) => Ok(Some((*number).to_owned())),
        value => {
            let text = identifier(field, value, out)?;
            Ok(text.filter(|text| !text.is_empty()).map(str::to_owned))
        }
    };
    let id = part("id")?.or(part("uuid")?).unwrap_or_else(|| {
        log.unnamed += 1;
        format!("sample-{}", log.unnamed)
    });
    let epoch = part("epoch")?.unwrap_or_else(|| "1".to_owned());
    Ok(format!("{}/{id}/{epoch}", log.name))
}

struct Reading<'j, 't> {
    name: String,
    attachments: Attachments<'j>,
    told: &'t mut Told,
}

impl<'j> Reading<'j, '_> {
    fn start(
        &mut self,
        sample: &'j Json<'j>,
        log: &Log,
        error: Option<&'j Json<'j>>,
        limit: Option<&str>,
        out: &mut Out<'_>,
    ) -> RunStart<'static> {
        let limit = limit.map(|limit| Json::from(limit.to_owned()));
        let known = log.known.iter().map(|(name, value)| (*name, Some(value)));
        let of_sample = [
            ("sample", sample.get("id")),
            ("epoch", sample.get("epoch")),
            (
                "error",
                error.and_then(|error| error.get("message").or(Some(error))),
            ),
            ("limit", limit.as_ref()),
        ];
        let ts = sample.get("started_at");
        RunStart {
            intent: self.intent(sample, out).map(Cow::Owned),
            ts: timestamp(ts, Unit::Seconds, self.told, out),
            meta: meta(known.chain(of_sample)),
            ..RunStart::default()
        }
    }

    /// The first text of the user. The input is a text, or a list of messages.
    fn intent(&mut self, sample: &'j Json<'j>, out: &mut Out<'_>) -> Option<String> {
        let is_user =
            |message: &&Json<'_>| message.get("role").and_then(Json::as_str) == Some("user");
        let input = match sample.get("input")? {
            Json::Array(messages) => messages.iter().find(is_user)?.get("content")?,
            text => text,
        };
        let input = self.attachments.resolve(input, self.told, out);
        self.attachments.take_missing();
        let content = Content::of(Some(&input));
        let text = content.text()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Reads what is recorded of attempts that failed before the last.
    fn attempts(&mut self, attempts: &'j [Json<'j>], out: &mut Out<'_>) {
        for (number, attempt) in (1..).zip(attempts) {
            let mut walk = Walk::default();
            walk.read(list(attempt.get("events"), "events", out), self.told, out);
            if walk.turns.are_empty() {
                continue;
            }
            let message = "of attempts that failed only what followed the last answer is recorded";
            self.told.assume(message, out);
            for mut agent in walk.turns.into_agents() {
                let behind = agent
                    .behind
                    .map_or(String::new(), |name| format!("/{name}"));
                agent.behind = Some(format!("attempt-{number}{behind}"));
                self.run(agent, None, None, out);
            }
        }
    }

    /// Hands on the run of an agent. One that is not the sample's own is one only if it called
    /// something.
    fn run(
        &mut self,
        agent: Agent<'j>,
        start: Option<RunStart<'static>>,
        status: Option<RunStatus>,
        out: &mut Out<'_>,
    ) {
        if start.is_none() && agent.turns.iter().all(|turn| turn.calls.is_empty()) {
            return;
        }
        let name = match &agent.behind {
            Some(behind) => format!("{}/{behind}", self.name),
            None => self.name.clone(),
        };
        out.set_run(&name);
        let mut run = Run::new(Some(name)).with_agent(agent.name);
        run.begin(start.unwrap_or_default(), out);
        let mut status = status;
        for turn in &agent.turns {
            run.turn(None);
            run.spend(turn.cost, out);
            let mut answers = Vec::new();
            for one in &turn.calls {
                let Ok(read) = call::read(one, &mut self.attachments, self.told, out) else {
                    continue;
                };
                if read.terminates {
                    status = Some(RunStatus::Aborted);
                }
                let id = read.call.id.clone().filter(|id| !id.is_empty());
                let given = run.call(read.call, out);
                if let Some(answer) = read.answer {
                    answers.push((id.map(Cow::into_owned).or(given), answer));
                }
            }
            for (id, answer) in answers {
                run.answer(&id.unwrap_or_default(), answer, out);
            }
        }
        run.finish(status, out);
    }
}
