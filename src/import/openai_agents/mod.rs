//! Traces of the OpenAI Agents SDK, as its exporters write them: a line a trace and a line a span, or
//! `{"data": [..]}` as they are sent.
//!
//! **Calls** are spans of type `function`. They have no ids. Where sensitive data is left out they have
//! neither input nor output: their arguments are unknown then. A handoff to another agent is no call.
//!
//! **Runs.** A trace is a run; traces of one `group_id` are one run. Spans are written when they end, and
//! the trace last or first; how they become runs is told in
//! [`spans`](crate::import::foreign::spans).

use super::foreign::spans::{Details, Kind, Said, Span, Spans, args_of, instant, result_of};
use super::foreign::{
    Out, Told, Unit, Unusable, check_bytes, identifier, kind, once, open, tool_name,
};
use super::{Format, Importer, Mapping, Opening, Record, Sign, Sink};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;

/// Traces of the OpenAI Agents SDK.
pub const FORMAT: Format = Format {
    id: "openai_agents",
    title: "OpenAI Agents SDK traces",
    doc: "OpenAI Agents SDK trace export: `trace` and `trace.span` objects, a line each",
    seen: "0.24.0",
    mapping: Mapping {
        run: "`group_id` of the trace, else its id",
        agent: "the nearest span of type `agent` above",
        intent: "the first text of the user in the input of a generation",
        meta: "`workflow_name`, model, trace id",
        turn: "calls between two answers (`response`, `generation`); without any, calls until none is open",
        args: "`input` of a span of type `function`",
        result: "`output`",
        error: "`error` of the span",
        ts: "`started_at`",
        ..Mapping::NOTHING
    },
    notes: &[
        "Calls have no ids here. Without sensitive data their arguments are unknown.",
        "A handoff is no call.",
        "Spans are held until the input ends, up to `--max-hold`, and put in order by their times: calls that overlap are in flight together.",
    ],
    recognise,
    importer: |opening| Box::new(OpenAiAgents::new(opening)),
};

/// Types of spans, and what they stand for.
const TYPES: &[(&str, Kind)] = &[
    ("agent", Kind::Agent),
    ("function", Kind::Tool),
    ("generation", Kind::Answer),
    ("response", Kind::Answer),
    ("custom", Kind::Other),
    ("guardrail", Kind::Other),
    ("handoff", Kind::Other),
    ("mcp_tools", Kind::Other),
    ("speech", Kind::Other),
    ("speech_group", Kind::Other),
    ("task", Kind::Other),
    ("transcription", Kind::Other),
    ("turn", Kind::Other),
];

/// Fields of a record that decide what it is.
const FIELDS: &[&str] = &[
    "object",
    "id",
    "trace_id",
    "parent_id",
    "group_id",
    "started_at",
    "ended_at",
    "span_data",
    "error",
];

fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let is_ours = |record: &Json<'_>| match record.get("object").and_then(Json::as_str) {
        Some("trace.span") => matches!(record.get("span_data"), Some(Json::Object(_))),
        Some("trace") => record.get("workflow_name").is_some(),
        _ => false,
    };
    let holds = |record: &Json<'_>| {
        let list = record.get("data").and_then(Json::as_array);
        is_ours(record) || list.unwrap_or_default().iter().any(is_ours)
    };
    let reason = "objects of the kind `trace.span`";
    sample.iter().any(holds).then(|| Sign::decisive(reason))
}

/// Reader of one input.
pub struct OpenAiAgents {
    spans: Spans,
    told: Told,
}

impl OpenAiAgents {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        OpenAiAgents {
            spans: Spans::new(opening),
            told: Told::default(),
        }
    }

    /// Reads an object.
    ///
    /// # Errors
    /// It cannot be used; the fault has been reported.
    fn object(&mut self, object: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        once(object, FIELDS, out)?;
        match identifier("object", object.get("object"), out)? {
            Some("trace") => self.trace(object, out),
            Some("trace.span") => self.span(object, out),
            Some(word) if word.starts_with("trace.") => {
                self.told.skip("objects", word, out);
                Ok(())
            }
            Some(_) => {
                out.stranger("the OpenAI Agents SDK");
                Err(Unusable)
            }
            None => {
                out.fault(FaultCode::MissingField, "a record without `object`");
                Err(Unusable)
            }
        }
    }

    fn trace(&mut self, trace: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        let id = text("id", trace, out)?;
        let name = trace.get("workflow_name").and_then(Json::as_str);
        let details = Details {
            session: text("group_id", trace, out)?,
            meta: name
                .map(|name| ("workflow_name", name.to_owned()))
                .into_iter()
                .collect(),
            ..Details::default()
        };
        self.spans.about(id.as_deref(), None, details, out);
        Ok(())
    }

    fn span(&mut self, span: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        let trace = text("trace_id", span, out)?;
        let (id, parent) = (text("id", span, out)?, text("parent_id", span, out)?);
        let mut at = |field| instant(span.get(field), Unit::Seconds, &mut self.told, out);
        let (start, end) = (at("started_at"), at("ended_at"));
        let Some(data @ Json::Object(_)) = span.get("span_data") else {
            out.fault(FaultCode::MissingField, "a span without `span_data`");
            return Err(Unusable);
        };
        once(data, &["type", "name", "input", "output"], out)?;
        let word = identifier("type", data.get("type"), out)?.unwrap_or_default();
        let known = TYPES.iter().find(|(name, _)| *name == word);
        if known.is_none() {
            self.told.skip("spans", word, out);
        }
        let kind = known.map_or(Kind::Other, |(_, kind)| *kind);
        let mut details = Details::default();
        match kind {
            Kind::Tool => {
                let failed = span.get("error").is_some_and(|error| *error != Json::Null);
                self.call(data, failed, &mut details, out)?;
            }
            Kind::Agent => {
                details.name = data.get("name").and_then(Json::as_str).map(str::to_owned)
            }
            Kind::Answer => {
                let wants_input = self.spans.wants_input(trace.as_deref(), start);
                answer(data, wants_input, &mut details);
            }
            Kind::Other => {}
        }
        let span = Span {
            id,
            parent,
            kind: Some(kind),
            start,
            end,
            details,
        };
        self.spans.add(trace.as_deref(), span, out);
        Ok(())
    }

    fn call(
        &mut self,
        data: &Json<'_>,
        failed: bool,
        details: &mut Details,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        let tool = tool_name("name", data.get("name"), out)?;
        details.name = Some(tool.to_owned());
        if let Some(input) = data.get("input") {
            details.args = args_of(tool, input, &mut self.told, out);
        }
        if let Some(output) = data.get("output") {
            result_of(output, details, out);
        }
        details.error = Some(failed || details.error == Some(true));
        Ok(())
    }
}

fn answer(data: &Json<'_>, wants_input: bool, details: &mut Details) {
    if let Some(model) = data.get("model").and_then(Json::as_str) {
        details.meta.push(("model", model.to_owned()));
    }
    let mut said = Said::default();
    data.get("output")
        .into_iter()
        .for_each(|output| said.read(output));
    details.requests = said.requests;
    if wants_input && let Some(input) = data.get("input") {
        let mut said = Said::default();
        said.read(input);
        (details.answers, details.prompt) = (said.answers, said.prompt);
    }
}

/// A name or an id; `None` if it is absent or empty.
fn text(field: &str, of: &Json<'_>, out: &mut Out<'_>) -> Result<Option<String>, Unusable> {
    let text = identifier(field, of.get(field), out)?;
    Ok(text.filter(|text| !text.is_empty()).map(str::to_owned))
}

impl Importer for OpenAiAgents {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, record.place);
        let Some(json) = open(&record, &mut out) else {
            return;
        };
        check_bytes(&record, &mut out);
        let objects = match (json.get("object"), json.get("data")) {
            (None, Some(Json::Array(objects))) => objects,
            _ => std::slice::from_ref(&json),
        };
        for object in objects {
            if !matches!(object, Json::Object(_)) {
                let message = format!("expected an object, found {}", kind(object));
                out.fault(FaultCode::BadField, message);
                continue;
            }
            // What makes it unusable has been reported.
            let _ = self.object(object, &mut out);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        self.spans.finish(sink);
    }
}
