//! OpenTelemetry traces in OTLP/JSON: what a collector writes to a file, a request a line, and the body
//! of a request to one.
//!
//! A record is `{"resourceSpans": [{"resource", "scopeSpans": [{"scope", "spans": [..]}]}]}`, in either
//! spelling of the names. What a span means is told by its attributes; the conventions that are known
//! are those of [`spans`](crate::import::foreign::spans): GenAI, OpenInference, and those of programs
//! from before them. How spans become runs is told there too.
//!
//! **Ids** are hexadecimal, or base64 where protobuf's own JSON was used; both are one id. So are the
//! two ways to write an enum or a large number.
//!
//! **Content** is often not recorded: a call is then known by its name alone, and its arguments are
//! unknown rather than empty.
//!
//! Traces without a tool, a model or an agent in them are of other programs and give no run. Metrics and
//! logs are skipped.

mod ids;
mod span;

use super::foreign::spans::{Spans, member};
use super::foreign::{Out, Told, check_bytes, kind, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sign, Sink};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;

/// OpenTelemetry traces.
pub const FORMAT: Format = Format {
    id: "otel",
    title: "OpenTelemetry traces",
    doc: "OpenTelemetry spans in OTLP/JSON: GenAI semantic conventions, OpenInference and vendors' own",
    seen: "OTLP 1: pydantic-ai 2.68 (conventions v2 and v5), OpenInference for LangChain and the OpenAI Agents SDK",
    mapping: Mapping {
        run: "`gen_ai.conversation.id` or `session.id`, else the trace id",
        agent: "`gen_ai.agent.name` or `agent.name` of the nearest agent span above",
        intent: "the first text of the user that a model was given",
        meta: "model, `service.name`, trace id",
        turn: "calls between two answers of a model; without any, calls until none is open",
        id: "`gen_ai.tool.call.id`, `ai.toolCall.id`",
        args: "`gen_ai.tool.call.arguments`, `input.value`, `tool_arguments`, `traceloop.entity.input`, `ai.toolCall.args`",
        result: "`gen_ai.tool.call.result`, `output.value`, `tool_response`, `traceloop.entity.output`, `ai.toolCall.result`",
        error: "status, `error.type`, an `exception` event",
        cost: "`operation.cost`, `llm.cost.total` of model answers, borne by the next result",
        ts: "start of the span",
        ..Mapping::NOTHING
    },
    notes: &[
        "Spans are held until the input ends, up to `--max-hold`, and put in order by their times: calls that overlap are in flight together.",
        "Where content was not recorded the arguments of a call are unknown.",
        "In a trace without tool spans the calls that models ask for are taken, and their results from what later answers were given to read.",
        "A span below another of the same call, such as that of an MCP server, is counted with that one.",
        "Traces without a tool, a model or an agent give no run.",
        "The attributes of OpenLLMetry, the Vercel AI SDK, Google ADK and MLflow are read too, by their names alone.",
        "What `gate replay --format otlp` writes is read as well: an event of a decision is a call.",
    ],
    recognise,
    importer: |opening| Box::new(Otel::new(opening)),
};

/// Other things that a collector writes.
const OTHER: &[(&str, &str)] = &[
    ("resourceLogs", "resource_logs"),
    ("resourceMetrics", "resource_metrics"),
    ("resourceProfiles", "resource_profiles"),
];

fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let has_spans = |record: &Json<'_>| {
        let spans = member(record, "resourceSpans", "resource_spans");
        matches!(spans, Some(Json::Array(_)))
    };
    let reason = "a record of `resourceSpans`";
    sample.iter().any(has_spans).then(|| Sign::decisive(reason))
}

/// Reader of one input.
pub struct Otel {
    spans: Spans,
    told: Told,
}

impl Otel {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        Otel {
            spans: Spans::new(opening),
            told: Told::default(),
        }
    }

    fn request(&mut self, record: &Json<'_>, out: &mut Out<'_>) {
        if once(record, &["resourceSpans", "resource_spans"], out).is_err() {
            return;
        }
        let Some(resources) = member(record, "resourceSpans", "resource_spans") else {
            let mut others = OTHER.iter();
            if !others.any(|(camel, snake)| member(record, camel, snake).is_some()) {
                out.fault(FaultCode::MissingField, "a record without `resourceSpans`");
            }
            return;
        };
        for resource in items("resourceSpans", Some(resources), out) {
            let service = service(resource);
            // Recorders of the time between two versions write a list of each.
            let older = resource.get("instrumentationLibrarySpans");
            let scopes = items(
                "scopeSpans",
                member(resource, "scopeSpans", "scope_spans"),
                out,
            );
            let older = items("instrumentationLibrarySpans", older, out);
            for scope in scopes.iter().chain(older) {
                for span in items("spans", scope.get("spans"), out) {
                    // What makes it unusable has been reported.
                    let _ = span::take(span, service, &mut self.spans, &mut self.told, out);
                }
            }
        }
    }
}

/// The elements of a list; absent and null is an empty one.
fn items<'j>(field: &str, list: Option<&'j Json<'j>>, out: &mut Out<'_>) -> &'j [Json<'j>] {
    match list {
        None | Some(Json::Null) => &[],
        Some(Json::Array(items)) => items,
        Some(other) => {
            let message = format!("`{field}` has to be an array, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            &[]
        }
    }
}

fn service<'j>(resource: &'j Json<'j>) -> Option<&'j str> {
    let attributes = resource.get("resource")?.get("attributes")?.as_array()?;
    let is_name = |pair: &&Json<'_>| pair.get("key").and_then(Json::as_str) == Some("service.name");
    let value = attributes.iter().find(is_name)?.get("value")?;
    member(value, "stringValue", "string_value")?.as_str()
}

impl Importer for Otel {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open(&record, &mut out) {
            check_bytes(&record, &mut out);
            self.request(&json, &mut out);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        self.spans.finish(sink);
    }
}
