//! One span of an OTLP request.

use super::ids::normal;
use crate::import::foreign::spans::{
    About, Attributes, DECIDING, Kind, Span, Spans, instant, member, read, tell_dropped,
};
use crate::import::foreign::{Out, Told, Unit, Unusable, identifier, kind, once};
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;

/// Fields of a span that decide what it is, in both spellings.
const FIELDS: &[&str] = &[
    "traceId",
    "trace_id",
    "spanId",
    "span_id",
    "parentSpanId",
    "parent_span_id",
    "name",
    "attributes",
    "startTimeUnixNano",
    "start_time_unix_nano",
    "endTimeUnixNano",
    "end_time_unix_nano",
    "status",
];

/// Names of the spans in a report of gate's own.
const REPORT: &[&str] = &[
    "gate run",
    "gate run part",
    "gate replay",
    "gate replay part",
];

/// Reads a span. `service` is the name of the program that it is of.
///
/// # Errors
/// It cannot be used; the fault has been reported.
pub fn take(
    span: &Json<'_>,
    service: Option<&str>,
    spans: &mut Spans,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    if !matches!(span, Json::Object(_)) {
        let message = format!("a span has to be an object, not {}", kind(span));
        out.fault(FaultCode::BadField, message);
        return Err(Unusable);
    }
    once(span, FIELDS, out)?;
    let mut id = |camel: &str, snake: &str| {
        let id = identifier(camel, member(span, camel, snake), out)?;
        Ok(id.and_then(normal))
    };
    let trace = id("traceId", "trace_id")?;
    let own = id("spanId", "span_id")?;
    let parent = id("parentSpanId", "parent_span_id")?;
    let attributes = match span.get("attributes") {
        list @ (None | Some(Json::Null | Json::Array(_))) => {
            Attributes::of_list(list, DECIDING, out)?
        }
        Some(other) => {
            let message = format!("`attributes` has to be an array, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        }
    };
    if attributes.text(&["logfire.span_type"]) == Some("pending_span") {
        return Ok(());
    }
    let name = identifier("name", span.get("name"), out)?.unwrap_or_default();
    let is_report = service == Some("gate") && REPORT.contains(&name);
    let mut at = |camel, snake| match is_report {
        true => None,
        false => instant(member(span, camel, snake), Unit::Nanos, told, out),
    };
    let start = at("startTimeUnixNano", "start_time_unix_nano");
    let end = at("endTimeUnixNano", "end_time_unix_nano");
    let about = About {
        name,
        kind: None,
        is_server: is_one_of(span.get("kind"), &["2", "SPAN_KIND_SERVER"]),
        failed: failed(span.get("status")),
        events: events(span, out),
        wants_input: spans.wants_input(trace.as_deref(), start),
    };
    let (kind, mut details) = read(&attributes, &about, told, out)?;
    if is_report {
        let run = Own {
            trace: trace.as_deref(),
            parent: own.clone(),
            session: attributes.text(&["gen_ai.conversation.id"]),
        };
        decided(span, &run, spans, told, out);
    }
    let dropped = member(span, "droppedAttributesCount", "dropped_attributes_count");
    tell_dropped(dropped, told, out);
    if let Some(service) = service {
        details.meta.push(("service", service.to_owned()));
    }
    let span = Span {
        id: own,
        parent,
        kind: Some(kind),
        start,
        end,
        details,
    };
    spans.add(trace.as_deref(), span, out);
    Ok(())
}

/// The span that events are of.
struct Own<'s> {
    trace: Option<&'s str>,
    parent: Option<String>,
    session: Option<&'s str>,
}

/// Takes the calls out of a report of gate's own, which tells each as an event of its run. Its times are
/// numbers of calls and tell nothing.
fn decided(span: &Json<'_>, own: &Own<'_>, spans: &mut Spans, told: &mut Told, out: &mut Out<'_>) {
    let events = span.get("events").and_then(Json::as_array);
    for event in events.unwrap_or_default() {
        if event.get("name").and_then(Json::as_str) != Some("gate.decision") {
            continue;
        }
        let Ok(attributes) = Attributes::of_list(event.get("attributes"), DECIDING, out) else {
            continue;
        };
        let about = About {
            kind: Some(Kind::Tool),
            ..About::default()
        };
        // What makes it unusable has been reported.
        let Ok((kind, mut details)) = read(&attributes, &about, told, out) else {
            continue;
        };
        details.session = details.session.or_else(|| own.session.map(str::to_owned));
        let call = Span {
            parent: own.parent.clone(),
            kind: Some(kind),
            details,
            ..Span::default()
        };
        spans.add(own.trace, call, out);
    }
}

/// Whether an enum has a value, which is written as its number, the text of it, or its name.
fn is_one_of(value: Option<&Json<'_>>, words: &[&str]) -> bool {
    match value {
        Some(Json::Number(word)) => words.contains(word),
        Some(Json::String(word)) => words.contains(&&*word.text),
        _ => false,
    }
}

fn failed(status: Option<&Json<'_>>) -> Option<bool> {
    let code = status?.get("code");
    if is_one_of(code, &["2", "STATUS_CODE_ERROR"]) {
        return Some(true);
    }
    is_one_of(code, &["1", "STATUS_CODE_OK"]).then_some(false)
}

fn events<'j>(span: &'j Json<'j>, out: &mut Out<'_>) -> Vec<(&'j str, Attributes<'j>)> {
    let events = span.get("events").and_then(Json::as_array);
    let mut read = |event: &'j Json<'j>| {
        let name = event.get("name")?.as_str()?;
        let attributes = Attributes::of_list(event.get("attributes"), &[], out).ok()?;
        Some((name, attributes))
    };
    let events = events.unwrap_or_default().iter();
    events.filter_map(&mut read).collect()
}
