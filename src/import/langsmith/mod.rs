//! LangSmith runs: a line a run, a run with those inside it, pages of the API, and what is sent to it.
//!
//! | record | holds |
//! |---|---|
//! | `{"id", "trace_id", "run_type", ..}` | a run |
//! | the same with `child_runs` | a run and those inside it |
//! | `{"runs": [..]}` | a page of the API |
//! | `{"post": [..], "patch": [..]}` | runs as they are sent when they begin, and when they end |
//!
//! A run there is a step of a trace. **Calls** are those of `run_type` `tool`. An update tells by its id
//! what it is of; it may stand anywhere. How these become runs is told in
//! [`spans`](crate::import::foreign::spans).
//!
//! **Inputs** that are hidden are recorded as empty. Where no run before has any, those of a call are
//! unknown; else they are taken as empty.

mod run;

use super::foreign::spans::Spans;
use super::foreign::{Out, Told, check_bytes, kind, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sign, Sink};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use run::{Reader, TYPES};

/// LangSmith runs.
pub const FORMAT: Format = Format {
    id: "langsmith",
    title: "LangSmith runs",
    doc: "LangSmith: runs of LangChain and LangGraph, flat or nested, as exported or as sent",
    seen: "langsmith SDK with langchain-core 1.8.3, LangGraph",
    mapping: Mapping {
        run: "`session_id`, `thread_id` or `conversation_id` of the metadata, else `trace_id`",
        agent: "`lc_agent_name` of the metadata",
        intent: "the first text of the user in the inputs of the first run, or of a model",
        meta: "model, project, trace id",
        turn: "calls between two runs of type `llm`; without any, calls until none is open",
        id: "`extra.tool_call_id`, `tool_call_id` of the result",
        args: "`inputs`",
        result: "`outputs.output`",
        error: "`error`, or `status` of the result",
        cost: "`total_cost` of runs of type `llm`, borne by the next result",
        ts: "`start_time`",
        ..Mapping::NOTHING
    },
    notes: &[
        "Runs are held until the input ends, up to `--max-hold`, and put in order by their times: calls that overlap are in flight together.",
        "Where inputs are hidden the arguments of calls are unknown.",
        "In a trace without calls the requests of its models are taken, and their results from what later ones were given to read.",
    ],
    recognise,
    importer: |opening| Box::new(LangSmith::new(opening)),
};

/// Lists of runs in a record.
const LISTS: &[&str] = &["runs", "post", "patch"];

fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let is_run = |record: &Json<'_>| {
        let word = record.get("run_type").and_then(Json::as_str);
        let place = ["dotted_order", "trace_id", "parent_run_id", "child_runs"];
        word.is_some_and(|word| TYPES.iter().any(|(known, _)| *known == word))
            && place.iter().any(|field| record.get(field).is_some())
    };
    let holds = |record: &Json<'_>| {
        let lists = LISTS.iter().filter_map(|list| record.get(list)?.as_array());
        is_run(record) || lists.flatten().any(is_run)
    };
    let reason = "runs with a `run_type` and their place in a trace";
    sample.iter().any(holds).then(|| Sign::decisive(reason))
}

/// Reader of one input.
pub struct LangSmith {
    spans: Spans,
    has_inputs: bool,
    told: Told,
}

impl LangSmith {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        LangSmith {
            spans: Spans::new(opening),
            has_inputs: false,
            told: Told::default(),
        }
    }

    fn dispatch(&mut self, record: &Json<'_>, out: &mut Out<'_>) {
        if once(record, LISTS, out).is_err() {
            return;
        }
        let mut reader = Reader {
            spans: &mut self.spans,
            has_inputs: &mut self.has_inputs,
            told: &mut self.told,
        };
        let is_run = ["run_type", "dotted_order", "trace_id"];
        if is_run.iter().any(|field| record.get(field).is_some()) {
            return reader.take(record, out);
        }
        let lists = LISTS
            .iter()
            .filter_map(|list| Some((list, record.get(list)?)));
        let mut is_known = false;
        for (field, list) in lists {
            is_known = true;
            match list {
                Json::Array(runs) => runs.iter().for_each(|run| reader.take(run, out)),
                Json::Null => {}
                other => {
                    let message = format!("`{field}` has to be an array, not {}", kind(other));
                    out.fault(FaultCode::BadField, message);
                }
            }
        }
        if !is_known {
            out.fault(FaultCode::MissingField, "a record without `run_type`");
        }
    }
}

impl Importer for LangSmith {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open(&record, &mut out) {
            check_bytes(&record, &mut out);
            self.dispatch(&json, &mut out);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        self.spans.finish(sink);
    }
}
