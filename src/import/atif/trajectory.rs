//! A trajectory, step by step, and those within it.

use crate::import::foreign::{
    Answer, Content, Out, Run, Told, Unit, Unusable, call, check_value, identifier, kind, meta,
    once, quote, timestamp,
};
use crate::trace::event::{Outcome, RunStart, RunStatus, ToolCall, ToolResult};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// Fields of a trajectory that decide what it is.
const FIELDS: &[&str] = &[
    "session_id",
    "trajectory_id",
    "agent",
    "steps",
    "subagent_trajectories",
    "continued_trajectory_ref",
];

/// Fields of a step that decide what it is.
const STEP: &[&str] = &[
    "source",
    "message",
    "tool_calls",
    "observation",
    "is_copied_context",
    "metrics",
];

/// Reads a trajectory and those that are kept in it. `unnamed` is the name of its run where it has
/// none of its own.
pub fn read(trajectory: &Json<'_>, unnamed: String, told: &mut Told, out: &mut Out<'_>) {
    // The trajectories to read, each with the name of the run around it. The first comes last.
    let mut pending: Vec<(&Json<'_>, Option<String>, String)> = vec![(trajectory, None, unnamed)];
    while let Some((trajectory, around, unnamed)) = pending.pop() {
        let Ok(name) = once(trajectory, FIELDS, out)
            .and_then(|()| name(trajectory, around.as_deref(), &unnamed, out))
        else {
            continue;
        };
        out.set_run(&name);
        let within = list(trajectory, "subagent_trajectories", out);
        one(trajectory, &name, told, out);
        for (index, inner) in within.iter().enumerate().rev() {
            pending.push((inner, Some(name.clone()), format!("subagent-{}", index + 1)));
        }
    }
}

/// The name of the run of a trajectory; behind that of the one around it.
fn name(
    trajectory: &Json<'_>,
    around: Option<&str>,
    unnamed: &str,
    out: &mut Out<'_>,
) -> Result<String, Unusable> {
    let mut part = |field: &str| {
        let text = identifier(field, trajectory.get(field), out)?;
        Ok(text.filter(|text| !text.is_empty()))
    };
    let (session, own) = (part("session_id")?, part("trajectory_id")?);
    Ok(match around {
        None => session.or(own).unwrap_or(unnamed).to_owned(),
        Some(around) => {
            // The session of a subagent may be that of the agent that it works for.
            let session = session.filter(|session| *session != around);
            format!("{around}/{}", own.or(session).unwrap_or(unnamed))
        }
    })
}

fn list<'j>(object: &'j Json<'j>, field: &str, out: &mut Out<'_>) -> &'j [Json<'j>] {
    match object.get(field) {
        None | Some(Json::Null) => &[],
        Some(Json::Array(items)) => items,
        Some(other) => {
            let message = format!("`{field}` has to be an array, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            &[]
        }
    }
}

fn one(trajectory: &Json<'_>, name: &str, told: &mut Told, out: &mut Out<'_>) {
    if !matches!(trajectory, Json::Object(_)) {
        let message = format!("a trajectory has to be an object, not {}", kind(trajectory));
        return out.fault(FaultCode::BadField, message);
    }
    if trajectory.get("steps").is_none() {
        out.fault(FaultCode::MissingField, "a trajectory without `steps`");
    }
    let steps = list(trajectory, "steps", out);
    let agent = trajectory.get("agent");
    let of_agent = |field: &str| agent.and_then(|agent| agent.get(field));
    let model = of_agent("model_name").filter(|model| **model != Json::Null);
    let start = RunStart {
        agent: of_agent("name")
            .and_then(Json::as_str)
            .map(|name| Cow::Owned(name.to_owned())),
        intent: steps.iter().find_map(prompt).map(Cow::Owned),
        ts: steps
            .first()
            .and_then(|step| timestamp(step.get("timestamp"), Unit::Seconds, told, out)),
        meta: meta([
            (
                "model",
                model.or_else(|| steps.iter().find_map(|s| s.get("model_name"))),
            ),
            ("version", of_agent("version")),
            ("schema_version", trajectory.get("schema_version")),
            ("trajectory_id", trajectory.get("trajectory_id")),
        ]),
        ..RunStart::default()
    };
    let mut steps_of = Steps {
        run: Run::new(Some(name.to_owned())),
        answered: false,
        told,
    };
    steps_of.run.begin(start, out);
    for step in steps {
        steps_of.step(step, out);
    }
    let next = trajectory.get("continued_trajectory_ref");
    let is_continued = next.is_some_and(|next| *next != Json::Null);
    if is_continued {
        let file = next.and_then(Json::as_str).unwrap_or("another file");
        let message = format!("the trajectory goes on in {}", quote(file));
        steps_of.told.assume(&message, out);
    }
    let answered = steps_of.answered && !is_continued;
    steps_of
        .run
        .finish(answered.then_some(RunStatus::Answered), out);
}

/// What the user asks for in a step.
fn prompt(step: &Json<'_>) -> Option<String> {
    if step.get("source")?.as_str()? != "user" {
        return None;
    }
    let content = Content::of(step.get("message"));
    let text = content.text()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The steps of a run.
struct Steps<'t> {
    run: Run,
    answered: bool,
    told: &'t mut Told,
}

impl Steps<'_> {
    fn step(&mut self, step: &Json<'_>, out: &mut Out<'_>) {
        if !matches!(step, Json::Object(_)) {
            let message = format!("a step has to be an object, not {}", kind(step));
            return out.fault(FaultCode::BadField, message);
        }
        if once(step, STEP, out).is_err() {
            return;
        }
        if step.get("is_copied_context") == Some(&Json::Bool(true)) {
            let message = "steps that are copied from another trajectory are left out";
            return self.told.assume(message, out);
        }
        self.answered = false;
        match step.get("source").and_then(Json::as_str) {
            Some("agent") => self.agent(step, out),
            Some(source @ ("user" | "system")) => {
                if source == "user" {
                    self.run.release(out);
                }
                if !list(step, "tool_calls", out).is_empty() {
                    let message =
                        format!("calls of the {source} are not the agent's and are left out");
                    self.told.assume(&message, out);
                }
            }
            Some(other) => {
                out.fault(
                    FaultCode::BadField,
                    format!("unknown source {}", quote(other)),
                );
            }
            None => out.fault(FaultCode::MissingField, "a step without `source`"),
        }
    }

    fn agent(&mut self, step: &Json<'_>, out: &mut Out<'_>) {
        let calls = list(step, "tool_calls", out);
        let results = match step.get("observation") {
            None | Some(Json::Null) => &[][..],
            Some(observation @ Json::Object(_)) => list(observation, "results", out),
            Some(other) => {
                let message = format!("`observation` has to be an object, not {}", kind(other));
                out.fault(FaultCode::BadField, message);
                &[]
            }
        };
        self.answered = calls.is_empty() && results.is_empty();
        let cost = step
            .get("metrics")
            .and_then(|metrics| metrics.get("cost_usd"));
        self.run.spend(cost, out);
        if calls.is_empty() {
            return self.without_calls(results, out);
        }
        self.run.turn(None);
        let ts = step.get("timestamp");
        let mut made = Vec::new();
        for entry in calls {
            let Ok(call) = call::object(entry, ["function_name", "tool_call_id", "arguments"], out)
            else {
                continue;
            };
            let id = call.id.clone().filter(|id| !id.is_empty());
            let ts = timestamp(ts, Unit::Seconds, self.told, out);
            let given = self.run.call(ToolCall { ts, ..call }, out);
            made.extend(id.map(Cow::into_owned).or(given));
        }
        // With a call that cannot be used the only one that is left need not be the one meant.
        let only = made
            .first()
            .filter(|_| calls.len() == 1 && results.len() == 1);
        for result in results {
            // What makes it unusable has been reported.
            let _ = self.result(result, only.map(String::as_str), out);
        }
    }

    /// Tells of results of which no call is recorded.
    fn without_calls(&mut self, results: &[Json<'_>], out: &mut Out<'_>) {
        let says = |result: &Json<'_>| result.get("content").is_some_and(|c| *c != Json::Null);
        if results.iter().any(says) {
            let message = "an agent without function calling: what it did stands in the text of its messages and is not read as calls";
            self.told.assume(message, out);
        }
        self.subagents(results, out);
    }

    fn subagents(&mut self, results: &[Json<'_>], out: &mut Out<'_>) {
        let refers = |result: &Json<'_>| {
            let refs = result
                .get("subagent_trajectory_ref")
                .and_then(Json::as_array);
            let path =
                |one: &Json<'_>| one.get("trajectory_path").is_some_and(|p| *p != Json::Null);
            refs.is_some_and(|refs| refs.iter().any(path))
        };
        if results.iter().any(refers) {
            let message = "subagents that are kept in files of their own are read where those are";
            self.told.assume(message, out);
        }
    }

    fn result(
        &mut self,
        result: &Json<'_>,
        only: Option<&str>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        if !matches!(result, Json::Object(_)) {
            let message = format!("a result has to be an object, not {}", kind(result));
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        }
        once(result, &["source_call_id", "content"], out)?;
        self.subagents(std::slice::from_ref(result), out);
        let id = identifier("source_call_id", result.get("source_call_id"), out)?;
        let id = match id.filter(|id| !id.is_empty()) {
            Some(id) => id,
            None => {
                if only.is_some() {
                    let message =
                        "a result that names no call is that of the only call of its step";
                    self.told.assume(message, out);
                }
                only.unwrap_or_default()
            }
        };
        let value = result.get("content");
        check_value("a result", value.unwrap_or(&Json::Null), out);
        let answer = Answer::Result(ToolResult {
            outcome: Outcome {
                result: Content::of(value).into_raw(),
                ..Outcome::default()
            },
            ..ToolResult::default()
        });
        self.run.answer(id, answer, out);
        Ok(())
    }
}
