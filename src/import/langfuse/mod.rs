//! Langfuse exports: traces with their observations, and tables of observations.
//!
//! | record | holds |
//! |---|---|
//! | `{"trace": {..}, "observations": [..]}` | a trace, as it is downloaded |
//! | `{"id", "sessionId", "observations": [..]}` | the same, as the API gives it |
//! | `{"traces": [..]}` | a session, as it is downloaded |
//! | `{"data": [..], "meta"}` | a page of the API, of traces or observations |
//! | `{"id", "traceId", "type", "startTime", ..}` | an observation, a row of a table |
//! | `{"id", "timestamp", "sessionId", ..}` | a trace without observations, a row of a table |
//!
//! Names may be in snake case, and `input`, `output` and `metadata` may be JSON or the text of it. A
//! trace that lists its observations twice is read once.
//!
//! **Calls** are observations of type `TOOL`. Older recorders wrote calls as spans: these are told by
//! the attributes in their metadata, whose conventions are those of
//! [`spans`](crate::import::foreign::spans), or by a result that is a message of the tool. How
//! observations become runs is told there too.

mod observation;

use super::foreign::spans::{Details, Said, Spans, instant, member};
use super::foreign::{Out, Told, Unit, Unusable, check_bytes, identifier, kind, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sign, Sink};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::{self, Json};
use observation::{Reader, TYPES};
use std::collections::{HashMap, HashSet};

/// Langfuse exports.
pub const FORMAT: Format = Format {
    id: "langfuse",
    title: "Langfuse exports",
    doc: "Langfuse: downloaded traces and sessions, pages of the API, tables of observations",
    seen: "Langfuse 3, SDK 3.3",
    mapping: Mapping {
        run: "`sessionId` of the trace, else its id",
        agent: "the nearest observation of type `AGENT` above, or `gen_ai.agent.name`",
        intent: "the first text of the user in the input of the trace or of a generation",
        meta: "model, name of the trace, trace id",
        turn: "calls between two generations; without any, calls until none is open",
        id: "`tool_call_id` of the result, `gen_ai.tool.call.id`",
        args: "`input`, or `inputs` of the metadata",
        result: "`output`",
        error: "`level` `ERROR`, or `status` of the result",
        cost: "`totalCost` of generations, borne by the next result",
        ts: "`startTime`",
        ..Mapping::NOTHING
    },
    notes: &[
        "Calls are observations of type `TOOL`; spans are calls where their attributes say so or their output is a message of the tool.",
        "Observations are held until the input ends, up to `--max-hold`, and put in order by their times: calls that overlap are in flight together.",
        "In a trace without calls the requests of its generations are taken, and their results from what later ones were given to read.",
    ],
    recognise,
    importer: |opening| Box::new(Langfuse::new(opening)),
};

fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let lists = |record: &Json<'_>| {
        let inner = ["trace", "traces", "data"].map(|field| record.get(field));
        let inner = inner.into_iter().flatten().flat_map(|value| match value {
            Json::Array(items) => &items[..],
            value => std::slice::from_ref(value),
        });
        let holds = |of: &Json<'_>| {
            let observations = of.get("observations").and_then(Json::as_array);
            observations.unwrap_or_default().iter().any(is_observation)
        };
        std::iter::once(record)
            .chain(inner)
            .any(|of| holds(of) || is_observation(of) || is_trace(of))
    };
    let reason = "a trace, or observations of one";
    sample.iter().any(lists).then(|| Sign::decisive(reason))
}

fn is_observation(value: &Json<'_>) -> bool {
    let is_text = |camel, snake| member(value, camel, snake).is_some_and(|v| v.as_str().is_some());
    let word = value.get("type").and_then(Json::as_str);
    is_text("traceId", "trace_id")
        && is_text("startTime", "start_time")
        && word.is_some_and(|word| TYPES.iter().any(|(known, _)| *known == word))
}

/// Fields that traces have beside `id`, `name` and `timestamp`; none of them has all.
const MARKS: &[&str] = &[
    "bookmarked",
    "environment",
    "htmlPath",
    "observations",
    "projectId",
    "public",
    "release",
    "scores",
    "sessionId",
    "session_id",
    "tags",
    "totalCost",
    "userId",
    "user_id",
];

/// Whether a record is a trace, with or without its observations.
fn is_trace(value: &Json<'_>) -> bool {
    let has = |field: &&&str| value.get(field).is_some();
    let marks = MARKS.iter().filter(has).count();
    let own = ["id", "name", "timestamp"]
        .iter()
        .all(|field| value.get(field).is_some());
    let others = [
        "type",
        "role",
        "tool",
        "messages",
        "startTime",
        "start_time",
    ];
    own && marks > 2 && others.iter().all(|field| value.get(field).is_none())
}

/// Fields of a record that decide what it is.
const FIELDS: &[&str] = &[
    "trace",
    "traces",
    "observations",
    "data",
    "id",
    "traceId",
    "trace_id",
    "sessionId",
    "session_id",
    "input",
];

/// Reader of one input.
pub struct Langfuse {
    spans: Spans,
    told: Told,
    /// Traces that do not tell their observations, and where they stand.
    bare: HashMap<String, Place>,
    /// Traces that observations by themselves are of.
    observed: HashSet<String>,
}

impl Langfuse {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        Langfuse {
            spans: Spans::new(opening),
            told: Told::default(),
            bare: HashMap::new(),
            observed: HashSet::new(),
        }
    }

    /// Reads a record, or an element of one; what makes it unusable has been reported.
    fn dispatch(&mut self, record: &Json<'_>, depth: usize, out: &mut Out<'_>) {
        if once(record, FIELDS, out).is_err() {
            return;
        }
        let several = record.get("data").or_else(|| record.get("traces"));
        if let (0, Some(several)) = (depth, several) {
            for one in items("data", several, out) {
                self.dispatch(one, depth + 1, out);
            }
        } else if member(record, "traceId", "trace_id").is_some() && record.get("type").is_some() {
            let trace = member(record, "traceId", "trace_id").and_then(Json::as_str);
            self.observed.extend(trace.map(str::to_owned));
            self.observations(std::slice::from_ref(record), None, out);
        } else if let Some(trace) = record.get("trace") {
            let _ = self.trace(trace, record.get("observations"), out);
        } else if record.get("observations").is_some() || is_trace(record) {
            let _ = self.trace(record, None, out);
        } else {
            let message = "a record without `observations` and without `traceId`";
            out.fault(FaultCode::MissingField, message);
        }
    }

    /// Reads a trace. `beside` are the observations that stand beside it, which it may repeat.
    fn trace(
        &mut self,
        trace: &Json<'_>,
        beside: Option<&Json<'_>>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        once(trace, FIELDS, out)?;
        let id = identifier("id", trace.get("id"), out)?.filter(|id| !id.is_empty());
        let session = member(trace, "sessionId", "session_id");
        let session = identifier("sessionId", session, out)?.filter(|id| !id.is_empty());
        let at = instant(trace.get("timestamp"), Unit::Millis, &mut self.told, out);
        let name = trace.get("name").and_then(Json::as_str);
        let details = Details {
            session: session.map(str::to_owned),
            prompt: trace.get("input").and_then(prompt),
            meta: name
                .map(|name| ("name", name.to_owned()))
                .into_iter()
                .collect(),
            ..Details::default()
        };
        self.spans.about(id, at, details, out);
        let list = beside
            .filter(|list| list.as_array().is_some_and(|list| !list.is_empty()))
            .or_else(|| trace.get("observations"));
        if list.is_none() {
            let id = id.unwrap_or_default().to_owned();
            self.bare.entry(id).or_insert(out.place());
        }
        // A list of the API may give nothing but the ids of observations.
        let list = list.map_or(&[][..], |list| items("observations", list, out));
        let is_named = |one: &Json<'_>| one.as_str().is_some();
        if list.iter().any(is_named) {
            let message = "a trace names its observations by id alone, its calls are not told";
            out.fault(FaultCode::MissingField, message);
            return Err(Unusable);
        }
        self.observations(list, id, out);
        Ok(())
    }

    fn observations(&mut self, list: &[Json<'_>], trace: Option<&str>, out: &mut Out<'_>) {
        let mut reader = Reader {
            spans: &mut self.spans,
            told: &mut self.told,
        };
        for observation in list {
            // What makes it unusable has been reported.
            let _ = reader.take(observation, trace, out);
        }
    }
}

/// What the user asked for, by the input of the trace, which may be encoded twice.
fn prompt(input: &Json<'_>) -> Option<String> {
    let outer = input.as_str().filter(|text| text.starts_with('"'));
    if let Some(Ok(inner @ Json::String(_))) = outer.map(|text| json::parse(text.as_bytes())) {
        return spoken(&inner);
    }
    spoken(input)
}

fn spoken(input: &Json<'_>) -> Option<String> {
    let mut said = Said::default();
    said.read(input);
    let text = || {
        input
            .as_str()
            .filter(|text| !text.trim_start().starts_with(['{', '[']))
    };
    said.prompt.or_else(|| text().map(str::to_owned))
}

fn items<'j>(field: &str, list: &'j Json<'j>, out: &mut Out<'_>) -> &'j [Json<'j>] {
    match list {
        Json::Array(items) => items,
        Json::Null => &[],
        other => {
            let message = format!("`{field}` has to be an array, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            &[]
        }
    }
}

impl Importer for Langfuse {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open(&record, &mut out) {
            check_bytes(&record, &mut out);
            self.dispatch(&json, 0, &mut out);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        let mut bare: Vec<_> = std::mem::take(&mut self.bare).into_iter().collect();
        bare.retain(|(id, _)| !self.observed.contains(id));
        bare.sort_by_key(|(_, place)| *place);
        for (_, place) in bare {
            let message = "a trace without `observations`, its calls are not told";
            Out::new(sink, place).fault(FaultCode::MissingField, message);
        }
        self.spans.finish(sink);
    }
}
