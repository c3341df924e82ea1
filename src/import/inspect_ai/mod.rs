//! Inspect AI: the logs of evaluations, as one JSON document, or as the archive of its parts.
//!
//! | record | runs |
//! |---|---|
//! | a log: `eval`, `plan`, `samples` | one a sample |
//! | the header of a log, or the beginning of its journal: `eval` without `samples` | those of the samples that follow are named after it |
//! | a sample: `id`, `epoch`, `events`, `messages` | one |
//!
//! **Runs.** A sample is run once an epoch; each is a run, `<log>/<sample>/<epoch>`. The first agent
//! that it enters is its agent. Other agents, those that a tool calls, scorers, and sub-tasks are runs
//! of their own behind it, `<run>/<agent>`. So are earlier attempts at a sample that failed, of which
//! only the last events are recorded: `<run>/attempt-<n>`.
//!
//! **Calls** are those that the model asked for, in the order in which it did, and those of tool events
//! that no model asked for. Each is told by its id in up to four places that are one call here: the
//! output of the model, decisions of approvers, the event of the tool, and a message with the result.
//! `messages` are the history at the end, from which a compaction may have taken calls away: they are
//! only read where the events hold no call, or for results of calls that were run elsewhere.
//!
//! **Attachments** are long texts that are kept once a sample; they are put back in their place.

mod attachments;
mod call;
mod decision;
mod events;
mod sample;
mod turns;

use super::foreign::{Out, Told, check_bytes, kind, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sign, Sink};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use sample::Log;

/// Inspect AI.
pub const FORMAT: Format = Format {
    id: "inspect_ai",
    title: "Inspect AI",
    doc: "Inspect AI: logs of evaluations, `.json` and `.eval`",
    seen: "0.3.285",
    mapping: Mapping {
        run: "`<eval_id>/<sample id>/<epoch>`, with `run_id` or `task` where there is no `eval_id`; other agents, scorers and sub-tasks behind it",
        agent: "name of the span of type `agent`; of the sample itself that of the first",
        intent: "`input` of the sample: the first text of the user",
        meta: "`task`, `model`, `eval_id`, `run_id`, `sample`, `epoch`, `error`, `limit`",
        turn: "an answer of the model",
        id: "`id`",
        args: "`arguments`; those of `modified` where an approver changed them",
        result: "`result` of the tool event, else `content` of the message; the text of the error where it is empty",
        error: "`error` and `failed`",
        cost: "`usage.total_cost` of the model, borne by the next result",
        approval: "approval events: `approve` and `modify` approve, `reject` and `terminate` deny",
        decision: "approval events: `allow` or `block`, `escalate` for what was approved after it; an error of type `approval` is a `block`; a review that terminates is `withhold`",
        end: "answered; timeout with a limit of time; aborted with another limit, and where an approver terminated; none where the sample failed",
        ts: "`timestamp` of the tool event, else `completed` of the model's",
        ..Mapping::NOTHING
    },
    notes: &[
        "An approval of the approver `auto`, which approves whatever comes, is recorded as `allow` and not as an approval: nobody decided.",
        "Calls whose arguments could not be parsed have unknown arguments; what they returned is an error.",
        "Calls of scorers are not the agent's and are runs of their own.",
        "Of an archive the header and the samples are read; the journal and the summaries repeat them.",
    ],
    recognise,
    importer: |opening| Box::new(InspectAi::new(opening)),
};

fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    if sample.iter().any(is_log) {
        return Some(Sign::decisive(
            "a record with `version`, `eval` and `plan` or `samples`",
        ));
    }
    let sign = "a record with `id`, `epoch`, `input`, `target` and events or messages";
    sample.iter().any(is_sample).then(|| Sign::decisive(sign))
}

fn is_log(record: &Json<'_>) -> bool {
    let eval = record.get("eval");
    let names = ["task", "task_id", "run_id", "eval_id"];
    let parts = ["plan", "samples", "status", "results"];
    record.get("version").is_some()
        && names
            .iter()
            .any(|name| eval.is_some_and(|eval| eval.get(name).is_some()))
        && parts.iter().any(|part| record.get(part).is_some())
}

fn is_sample(record: &Json<'_>) -> bool {
    let list = |field: &str| {
        record
            .get(field)
            .is_some_and(|list| list.as_array().is_some())
    };
    matches!(record.get("epoch"), Some(Json::Number(_)))
        && ["id", "input", "target"]
            .iter()
            .all(|field| record.get(field).is_some())
        && (list("messages") || list("events"))
}

/// Fields of a log that decide what it is.
const FIELDS: &[&str] = &[
    "eval", "samples", "status", "events", "messages", "id", "epoch",
];

/// Reader of one input.
pub struct InspectAi {
    log: Log,
    /// Most bytes that attachments of a sample may add to it.
    max_hold: usize,
    told: Told,
}

impl InspectAi {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        InspectAi {
            log: Log::unknown(opening.stem),
            max_hold: opening.max_hold,
            told: Told::default(),
        }
    }

    fn dispatch(&mut self, record: &Json<'_>, out: &mut Out<'_>) {
        if once(record, FIELDS, out).is_err() {
            return;
        }
        let Some(eval) = record.get("eval") else {
            return match record.get("epoch") {
                Some(_) => self.sample(record, out),
                None => {
                    let message = "a record that is neither a log nor a sample of one";
                    out.fault(FaultCode::MissingField, message);
                }
            };
        };
        if !matches!(eval, Json::Object(_)) {
            let message = format!("`eval` has to be an object, not {}", kind(eval));
            return out.fault(FaultCode::BadField, message);
        }
        if self.log.read(eval, out).is_err() {
            return;
        }
        let status = record.get("status").and_then(Json::as_str);
        if matches!(status, None | Some("started")) {
            let message = "the evaluation did not end: what was under way then is not in the log";
            self.told.assume(message, out);
        }
        match record.get("samples") {
            None | Some(Json::Null) => {}
            Some(Json::Array(samples)) => samples.iter().for_each(|one| self.sample(one, out)),
            Some(other) => {
                let message = format!("`samples` has to be an array, not {}", kind(other));
                out.fault(FaultCode::BadField, message);
            }
        }
    }

    fn sample(&mut self, record: &Json<'_>, out: &mut Out<'_>) {
        sample::read(record, &mut self.log, self.max_hold, &mut self.told, out);
    }
}

impl Importer for InspectAi {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open(&record, &mut out) {
            check_bytes(&record, &mut out);
            self.dispatch(&json, &mut out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    #[test]
    fn logs_and_samples_are_told_from_what_looks_like_them() {
        let is_ours = |text: &str| recognise(&[parse(text.as_bytes()).expect("valid")]).is_some();
        for ours in [
            r#"{"samples":[],"plan":{},"eval":{"model":"m","task":"t"},"version":2}"#,
            r#"{"version":2,"eval":{"run_id":"r"},"plan":{}}"#,
            r#"{"id":1,"epoch":1,"input":"x","target":"y","messages":[]}"#,
        ] {
            assert!(is_ours(ours), "{ours}");
        }
        for other in [
            r#"{"eval":"x","version":2,"samples":[]}"#,
            r#"{"eval":{"task":"t"},"samples":[]}"#,
            r#"{"id":1,"epoch":1,"messages":[{"role":"user","content":"x"}]}"#,
            r#"{"id":1,"epoch":"1","input":"x","target":"y","messages":[]}"#,
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
