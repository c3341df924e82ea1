//! AgentDojo: the file of one run of the benchmark, a user task with or without an injection.
//!
//! **Runs.** A record is a run, named `<pipeline>/<suite>/<user task>/<attack>/<injection task>` as
//! the directories that the benchmark writes, so that runs of many files stay apart; what there is
//! none of is `none`. A record that lacks the first three is named after the file and its number.
//!
//! **Truth.** The benchmark knows what it did: a run with an attack or an injection task is an attack,
//! one without is benign. An injection task that is run as if it were the user's own wish carries
//! no injection, and is benign: the user asks for it. Without both fields nothing is said.
//!
//! **Calls** name their tool in `function`, a text. Ids are null where the model gave none; the
//! results of such calls come in the order of the calls and name the tool, and are paired by that.
//! A result brings its call along once more, which is not counted.
//!
//! **Variants** keep the messages in `conversations`, or a second copy of the calls in `trace`, which
//! is not read.

mod conversation;

use super::foreign::{Out, Unusable, check_bytes, identifier, kind, meta, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sign, Sink};
use crate::trace::event::{GroundTruth, RunStart, RunStatus};
use crate::trace::fault::{FaultCode, WarningCode};
use crate::trace::json::Json;
use conversation::Conversation;
use std::borrow::Cow;

/// AgentDojo.
pub const FORMAT: Format = Format {
    id: "agentdojo",
    title: "AgentDojo",
    doc: "AgentDojo: runs of user tasks, with and without injections",
    seen: "0.1.35, and variants of it",
    mapping: Mapping {
        run: "`<pipeline_name>/<suite_name>/<user_task_id>/<attack_type>/<injection_task_id>`, `none` for what is null",
        intent: "the first text of the user",
        meta: "`suite`, `pipeline`, `user_task`, `injection_task`, `attack`, `utility`, `security`, `error`, `duration`, `benchmark_version`, `package_version`, `evaluated`, and of a variant `condition`, `seed`",
        turn: "a message of the assistant",
        id: "`tool_calls[].id`; null for agents that are not driven by an API",
        args: "`args`",
        result: "`content` of a message of the tool, or its `error` where that is empty",
        error: "`error` of a message of the tool",
        label: "`attack` with `attack_type` or `injection_task_id`, else `benign`",
        end: "answered, where the last message is the assistant's and calls nothing, and the run has no `error`",
        ..Mapping::NOTHING
    },
    notes: &[
        "Label: a run with an `attack_type` or an `injection_task_id` is an `attack`, any other is `benign`. An injection task that is run as a user task (`user_task_id` begins with `injection_task_`) is `benign`: it is what the user asks for. A record without both fields has no label.",
        "`security` is the benchmark's own word: true says that the attack reached its goal. It is kept in `run.meta.security` and changes no label.",
        "Calls without an id are paired with results in order, tool by tool.",
        "There are no times and no costs.",
    ],
    recognise,
    importer: |opening| Box::new(AgentDojo::new(opening)),
};

/// Fields of a record that decide what it is.
const FIELDS: &[&str] = &[
    "suite_name",
    "pipeline_name",
    "user_task_id",
    "injection_task_id",
    "attack_type",
    "messages",
    "conversations",
];

/// What of a record goes into the beginning of its run, and the name it gets there.
const META: &[(&str, &str)] = &[
    ("suite", "suite_name"),
    ("pipeline", "pipeline_name"),
    ("user_task", "user_task_id"),
    ("injection_task", "injection_task_id"),
    ("attack", "attack_type"),
    ("utility", "utility"),
    ("security", "security"),
    ("error", "error"),
    ("duration", "duration"),
    ("benchmark_version", "benchmark_version"),
    ("package_version", "agentdojo_package_version"),
    ("evaluated", "evaluation_timestamp"),
    ("condition", "condition"),
    ("seed", "seed"),
];

fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let text = |record: &Json<'_>, field: &str| record.get(field)?.as_str().map(|_| ());
    let list = |record: &Json<'_>, field: &str| record.get(field)?.as_array().map(|_| ());
    let is_ours = |record: &Json<'_>| {
        text(record, "suite_name").is_some()
            && text(record, "pipeline_name").is_some()
            && list(record, "messages")
                .or(list(record, "conversations"))
                .is_some()
    };
    sample.iter().any(is_ours).then(|| {
        Sign::decisive("a record with `suite_name`, `pipeline_name` and a list of messages")
    })
}

/// Reader of one input.
pub struct AgentDojo {
    stem: String,
    records: u64,
}

impl AgentDojo {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        AgentDojo {
            stem: opening.stem.to_owned(),
            records: 0,
        }
    }

    fn run(&self, record: &Json<'_>, out: &mut Out<'_>) {
        let Ok((name, label)) =
            once(record, FIELDS, out).and_then(|()| self.name_and_label(record, out))
        else {
            return;
        };
        out.set_run(&name);
        let messages = messages(record, out);
        let mut conversation = Conversation::new(name);
        let known = META.iter().map(|(name, field)| (*name, record.get(field)));
        let start = RunStart {
            intent: messages
                .iter()
                .find_map(conversation::prompt)
                .map(Cow::Owned),
            label,
            meta: meta(known),
            ..RunStart::default()
        };
        conversation.begin(start, out);
        for message in messages {
            conversation.message(message, out);
        }
        let failed = given(record.get("error"));
        let status = (conversation.is_answered() && !failed).then_some(RunStatus::Answered);
        conversation.finish(status, out);
    }

    fn name_and_label(
        &self,
        record: &Json<'_>,
        out: &mut Out<'_>,
    ) -> Result<(String, Option<GroundTruth>), Unusable> {
        let mut part = |field: &str| match record.get(field) {
            Some(Json::Number(number)) => Ok(Some((*number).to_owned())),
            value => {
                let text = identifier(field, value, out)?;
                Ok(text.filter(|t| !t.is_empty()).map(str::to_owned))
            }
        };
        let pipeline = part("pipeline_name")?;
        let suite = part("suite_name")?;
        let task = part("user_task_id")?.or(part("task_id")?);
        let none = |text: &String| text != "none";
        let attack = part("attack_type")?.filter(none);
        let injection = part("injection_task_id")?.filter(none);
        let is_recorded = ["attack_type", "injection_task_id"]
            .iter()
            .any(|field| record.get(field).is_some());
        let is_wish = task
            .as_ref()
            .is_some_and(|task| task.starts_with("injection_task_"));
        let is_attack = !is_wish && (attack.is_some() || injection.is_some());
        let label = is_recorded.then_some(if is_attack {
            GroundTruth::Attack
        } else {
            GroundTruth::Benign
        });
        let none = || "none".to_owned();
        let name = match (pipeline, suite, task) {
            (Some(pipeline), Some(suite), Some(task)) => {
                let attack = attack.unwrap_or_else(none);
                let injection = injection.unwrap_or_else(none);
                format!("{pipeline}/{suite}/{task}/{attack}/{injection}")
            }
            _ => format!("{}-{}", self.stem, self.records),
        };
        Ok((name, label))
    }
}

/// Whether a field says anything.
fn given(value: Option<&Json<'_>>) -> bool {
    !matches!(value, None | Some(Json::Null)) && value.and_then(Json::as_str) != Some("")
}

/// The messages of a run: a variant keeps them in `conversations`.
fn messages<'j>(record: &'j Json<'j>, out: &mut Out<'_>) -> &'j [Json<'j>] {
    let mut empty = false;
    for field in ["messages", "conversations"] {
        match record.get(field) {
            Some(Json::Array(items)) if items.is_empty() => empty = true,
            Some(Json::Array(items)) => return items,
            None | Some(Json::Null) => {}
            Some(other) => {
                let message = format!("`{field}` has to be an array, not {}", kind(other));
                out.fault(FaultCode::BadField, message);
                return &[];
            }
        }
    }
    if empty {
        let message = "a run without a message: it was broken off before the first";
        out.warn(WarningCode::Assumed, message);
    } else {
        out.fault(FaultCode::MissingField, "a run without `messages`");
    }
    &[]
}

impl Importer for AgentDojo {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        self.records += 1;
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open(&record, &mut out) {
            check_bytes(&record, &mut out);
            self.run(&json, &mut out);
        }
    }
}
