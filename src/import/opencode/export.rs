//! A whole session, as `opencode export` writes it.

use super::part::{OTHER_PARTS, Tool};
use crate::import::foreign::{
    Out, Run, Told, Unit, Unusable, identifier, kind, meta, once, timestamp,
};
use crate::trace::event::{RunStart, RunStatus};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// Reads a document. `unnamed` is the name of its run if it tells none.
pub fn read(record: &Json<'_>, unnamed: Option<String>, told: &mut Told, out: &mut Out<'_>) {
    let info = record.get("info").unwrap_or(&Json::Null);
    let messages = match record.get("messages") {
        Some(Json::Array(messages)) => messages,
        other => {
            let found = other.map_or("nothing", kind);
            let message = format!("`messages` has to be an array, not {found}");
            return out.fault(FaultCode::BadField, message);
        }
    };
    let Ok(Head { run, agent }) = head(info, out) else {
        return;
    };
    let name = run.or(unnamed);
    if let Some(name) = &name {
        out.set_run(name.clone());
    }
    let mut session = Session {
        run: Run::new(name).with_agent(agent.clone()),
        agent,
        told,
        end: None,
    };
    session.begin(info, messages, out);
    for message in messages {
        // What makes it unusable has been reported.
        let _ = session.message(message, out);
    }
    session.run.finish(session.end, out);
}

struct Head {
    run: Option<String>,
    agent: Option<String>,
}

fn head(info: &Json<'_>, out: &mut Out<'_>) -> Result<Head, Unusable> {
    once(info, &["id", "parentID", "agent"], out)?;
    let mut text = |field: &str| {
        let value = identifier(field, info.get(field), out)?;
        Ok(value.filter(|text| !text.is_empty()).map(str::to_owned))
    };
    let (id, parent, agent) = (text("id")?, text("parentID")?, text("agent")?);
    let run = match (parent, id) {
        (Some(parent), Some(id)) => Some(format!("{parent}/{id}")),
        (_, id) => id,
    };
    Ok(Head { run, agent })
}

struct Session<'t> {
    run: Run,
    agent: Option<String>,
    told: &'t mut Told,
    end: Option<RunStatus>,
}

impl Session<'_> {
    fn begin(&mut self, info: &Json<'_>, messages: &[Json<'_>], out: &mut Out<'_>) {
        let model = info.get("model");
        let model = model.and_then(|model| model.get("id")).or(model);
        let created = info.get("time").and_then(|time| time.get("created"));
        let known = [
            ("directory", info.get("directory")),
            ("version", info.get("version")),
            ("title", info.get("title")),
            ("model", model.or_else(|| first_model(messages))),
        ];
        let start = RunStart {
            intent: messages.iter().find_map(prompt).map(Cow::Owned),
            ts: timestamp(created, Unit::Millis, self.told, out),
            meta: meta(known),
            ..RunStart::default()
        };
        self.run.begin(start, out);
    }

    fn message(&mut self, message: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        once(message, &["info", "parts"], out)?;
        let info = message.get("info").unwrap_or(&Json::Null);
        once(info, &["id", "role", "agent"], out)?;
        let parts = match message.get("parts") {
            Some(Json::Array(parts)) => parts,
            None => {
                out.fault(FaultCode::MissingField, "a message without `parts`");
                return Err(Unusable);
            }
            Some(other) => {
                let text = format!("`parts` has to be an array, not {}", kind(other));
                out.fault(FaultCode::BadField, text);
                return Err(Unusable);
            }
        };
        self.end = None;
        if role(message) == Some("user") {
            self.run.release(out);
        }
        let agent = identifier("agent", info.get("agent"), out)?;
        let agent = agent.filter(|name| Some(*name) != self.agent.as_deref());
        self.run.turn(identifier("id", info.get("id"), out)?);
        let mut answers = Vec::new();
        let mut calls = false;
        for part in parts {
            let Some(tool) = self.part(part, out) else {
                continue;
            };
            calls = true;
            let mut tool = tool;
            tool.call.agent = agent.map(|name| Cow::Owned(name.to_owned()));
            answers.extend(tool.call(&mut self.run, out));
        }
        self.run.spend(info.get("cost"), out);
        for (id, answer) in answers {
            self.run.answer(&id, answer, out);
        }
        if role(message) == Some("assistant") {
            self.end = ended(info, calls);
        }
        Ok(())
    }

    fn part(&mut self, part: &Json<'_>, out: &mut Out<'_>) -> Option<Tool> {
        match part.get("type").and_then(Json::as_str) {
            Some("tool") => return Tool::read(part, self.told, out).ok(),
            Some(kind) if OTHER_PARTS.contains(&kind) => {}
            Some(kind) => self.told.skip("parts", kind, out),
            None => out.fault(FaultCode::BadField, "a part without a type"),
        }
        None
    }
}

fn role<'j>(message: &'j Json<'_>) -> Option<&'j str> {
    message.get("info")?.get("role")?.as_str()
}

/// How the session ended, if this is its last message.
fn ended(info: &Json<'_>, calls: bool) -> Option<RunStatus> {
    let error = info.get("error").and_then(|error| error.get("name"));
    match error.and_then(Json::as_str) {
        Some("MessageAbortedError") => return Some(RunStatus::Aborted),
        Some(_) => return None,
        None => {}
    }
    let stopped = info.get("finish").and_then(Json::as_str) == Some("stop");
    (stopped && !calls).then_some(RunStatus::Answered)
}

/// What the user wrote in a message, without what the program put in.
fn prompt(message: &Json<'_>) -> Option<String> {
    if role(message)? != "user" {
        return None;
    }
    let own = |part: &&Json<'_>| {
        part.get("type").and_then(Json::as_str) == Some("text")
            && part.get("synthetic") != Some(&Json::Bool(true))
    };
    let parts = message.get("parts")?.as_array()?.iter().filter(own);
    let texts = parts.filter_map(|part| part.get("text")?.as_str());
    let text = texts.collect::<Vec<_>>().join("\n");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn first_model<'j>(messages: &'j [Json<'j>]) -> Option<&'j Json<'j>> {
    let mut infos = messages.iter().filter_map(|message| message.get("info"));
    infos.find_map(|info| info.get("modelID"))
}
