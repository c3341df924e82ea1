//! SWE-agent (`.traj`) and mini-swe-agent (`.traj.json`): one document a run.
//!
//! **Runs.** A document names its run by `instance_id`, if at all; else the run is named after the
//! file, and from the second document of a file on `<file>-<n>`. Of a document with `attempts` each
//! is a run of its own, `<name>/<n>`: what stands beside them repeats the best one.
//!
//! **Calls.** A step of SWE-agent is an action, the text of a command, and its observation. Where the
//! message of the step in `history` has structured calls they are taken in place of the text. Of the
//! text alone, the tool is the first word only if that is a command that SWE-agent brings along
//! (`open`, `edit`, `submit`) and the shell makes nothing more of it; else it is `bash`. Either way
//! `command` is the whole text.
//!
//! `trajectory` is what happened. Actions that were put back to the model because they did not parse
//! or were not allowed have a step, mostly with an empty observation, but no message in `history`;
//! nothing tells them from others, so they count as calls. A file without `trajectory` is read from
//! `history`, whose observations are worded for the model. Demonstrations (`is_demo`) are not of this
//! run. An empty action is none, and neither is the word by which the program ended the run
//! (`exit_cost`).
//!
//! **mini-swe-agent** has messages. Its calls are `tool_calls`, else `extra.actions`, else the one
//! block of code in the text; all of them are of `bash` unless the model called something else.
//! Commands that the user typed are left out.

mod action;
mod fenced;
mod mini;
mod recognise;
mod steps;

use super::foreign::{Out, Told, Unusable, check_bytes, identifier, kind, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::event::RunStatus;
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;

/// SWE-agent and mini-swe-agent.
pub const FORMAT: Format = Format {
    id: "swe_agent",
    title: "SWE-agent",
    doc: "SWE-agent `.traj` and mini-swe-agent `.traj.json` files",
    seen: "SWE-agent 0.5 to 1.1, mini-swe-agent 1 and 2",
    mapping: Mapping {
        run: "`instance_id`, else the file; an attempt is `<run>/<n>`",
        agent: "`agent` of the first message of `history`; mini-swe-agent has none",
        intent: "the first text of the user",
        meta: "`environment`, `exit_status`, `model`, `version`, `instance_cost`",
        turn: "a step; a message of the assistant of mini-swe-agent",
        id: "`tool_calls[].id`; actions that are text have none",
        args: "`function.arguments` of a structured call, else `command`: the text of the action",
        result: "`observation` of a step; the next message of mini-swe-agent",
        error: "mini-swe-agent only: a `returncode` that is not 0, or an exception",
        cost: "mini-swe-agent 2 only, `extra.cost` of the model: the next result bears it",
        decision: "mini-swe-agent only: commands that the user rejected",
        end: "`info.exit_status`: answered where a solution was submitted, else aborted, or a timeout",
        ts: "mini-swe-agent 2 only: `extra.timestamp`",
        ..Mapping::NOTHING
    },
    notes: &[
        "Where an action is text, the tool is its first word only if that is a command of SWE-agent's own and the shell reads the text as that one command; else the tool is `bash`. `command` is the whole text in both cases.",
        "Demonstrations (`is_demo`) are left out, and so are commands that the user of mini-swe-agent typed.",
        "An action that SWE-agent did not let through has a step like any other: it counts as a call.",
    ],
    recognise: recognise::recognise,
    importer: |opening| Box::new(SweAgent::new(opening)),
};

/// Fields of a document that decide what it is.
const FIELDS: &[&str] = &[
    "attempts",
    "history",
    "info",
    "instance_id",
    "messages",
    "trajectory",
    "trajectory_format",
];

/// Reader of one input.
pub struct SweAgent {
    stem: String,
    documents: u64,
    told: Told,
}

impl SweAgent {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        SweAgent {
            stem: opening.stem.to_owned(),
            documents: 0,
            told: Told::default(),
        }
    }

    fn document(&mut self, record: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        once(record, FIELDS, out)?;
        let id = identifier("instance_id", record.get("instance_id"), out)?;
        let name = match id.filter(|id| !id.is_empty()) {
            Some(id) => Some(id.to_owned()),
            None => (self.documents > 1).then(|| format!("{}-{}", self.stem, self.documents)),
        };
        out.set_run(name.as_deref().unwrap_or(&self.stem));
        if let Some(attempts) = record.get("attempts") {
            let attempts = array("attempts", attempts, out)?;
            let base = name.as_deref().unwrap_or(&self.stem);
            for (n, attempt) in (1..).zip(attempts) {
                let name = format!("{base}/{n}");
                out.set_run(&*name);
                // What makes it unusable has been reported.
                let _ = once(attempt, FIELDS, out)
                    .and_then(|()| steps::read(attempt, Some(name), &mut self.told, out));
            }
            return Ok(());
        }
        let is_steps = record.get("trajectory").is_some() || record.get("history").is_some();
        if !is_steps && record.get("messages").is_some() {
            return mini::read(record, name, &mut self.told, out);
        }
        steps::read(record, name, &mut self.told, out)
    }
}

impl Importer for SweAgent {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        self.documents += 1;
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open(&record, &mut out) {
            check_bytes(&record, &mut out);
            // What makes it unusable has been reported.
            let _ = self.document(&json, &mut out);
        }
    }
}

fn array<'j>(
    field: &str,
    value: &'j Json<'j>,
    out: &mut Out<'_>,
) -> Result<&'j [Json<'j>], Unusable> {
    match value {
        Json::Array(items) => Ok(items),
        Json::Null => Ok(&[]),
        other => {
            let message = format!("`{field}` has to be an array, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            Err(Unusable)
        }
    }
}

/// Parts of an exit status that tell of time that ran out.
const TIMEOUTS: &[&str] = &["execution_time", "timeexceeded", "timeout"];

/// How a run ended whose exit status is this; `None` if it tells none.
fn status(info: Option<&Json<'_>>) -> Option<RunStatus> {
    let text = info?.get("exit_status")?.as_str()?;
    let word = text.to_ascii_lowercase();
    match word.as_str() {
        "" => None,
        "submitted" => Some(RunStatus::Answered),
        _ if TIMEOUTS.iter().any(|part| word.contains(part)) => Some(RunStatus::Timeout),
        // `submitted (exit_cost)` was handed in by the program when it stopped the agent.
        _ => Some(RunStatus::Aborted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    #[test]
    fn only_a_submission_of_its_own_is_an_answer() {
        let of = |text: &str| {
            let info = format!(r#"{{"exit_status":{text}}}"#);
            status(Some(&parse(info.as_bytes()).expect("valid")))
        };
        assert_eq!(of("\"submitted\""), Some(RunStatus::Answered));
        assert_eq!(of("\"Submitted\""), Some(RunStatus::Answered));
        assert_eq!(of("\"submitted (exit_cost)\""), Some(RunStatus::Aborted));
        assert_eq!(of("\"exit_context\""), Some(RunStatus::Aborted));
        assert_eq!(of("\"LimitsExceeded\""), Some(RunStatus::Aborted));
        assert_eq!(of("\"exit_command_timeout\""), Some(RunStatus::Timeout));
        assert_eq!(of("\"TimeExceeded\""), Some(RunStatus::Timeout));
        assert_eq!(of("\"RuntimeError\""), Some(RunStatus::Aborted));
        assert_eq!(of("null"), None);
        assert_eq!(status(None), None);
    }
}
