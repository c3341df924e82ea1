//! Telling OpenHands from others that have events, actions or a history.

use crate::import::Sign;
use crate::trace::json::Json;

/// Who events are of.
const SOURCES: &[&str] = &["agent", "environment", "hook", "user"];

/// Kinds of events that only the SDK writes.
const KINDS: &[&str] = &[
    "ACPToolCallEvent",
    "ActionEvent",
    "AgentErrorEvent",
    "ConversationStateUpdateEvent",
    "MessageEvent",
    "ObservationEvent",
    "SystemPromptEvent",
    "UserRejectObservation",
];

/// Why the sample is of OpenHands, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    sample.iter().find_map(sign).map(Sign::decisive)
}

fn sign(record: &Json<'_>) -> Option<&'static str> {
    if is_v1(record) {
        return Some("events of the SDK, with `kind` and `source`");
    }
    if is_v0(record) {
        return Some("events with `source` and `action` or `observation`");
    }
    ["history", "trajectory"].iter().find_map(|field| {
        let events = record.get(field).and_then(Json::as_array)?;
        let is_event = |event: &Json<'_>| match event {
            Json::Array(pair) => pair.iter().any(self::is_event),
            event => self::is_event(event),
        };
        events
            .iter()
            .any(is_event)
            .then_some("a list of events with `source`")
    })
}

/// Whether a record is an event.
pub fn is_event(record: &Json<'_>) -> bool {
    is_v1(record) || is_v0(record)
}

fn has_source(record: &Json<'_>) -> bool {
    let source = record.get("source").and_then(Json::as_str);
    source.is_some_and(|source| SOURCES.contains(&source))
}

fn is_v1(record: &Json<'_>) -> bool {
    let kind = record.get("kind").and_then(Json::as_str);
    has_source(record) && kind.is_some_and(|kind| KINDS.contains(&kind))
}

fn is_v0(record: &Json<'_>) -> bool {
    let is_text = |field: &str| record.get(field).is_some_and(|v| v.as_str().is_some());
    let is_object = |field: &str| matches!(record.get(field), Some(Json::Object(_)));
    has_source(record)
        && ((is_text("action") && is_object("args"))
            || (is_text("observation") && (is_object("extras") || record.get("cause").is_some())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn is_ours(text: &str) -> bool {
        recognise(&[parse(text.as_bytes()).expect("valid")]).is_some()
    }

    #[test]
    fn events_and_lists_of_them_are_recognised() {
        for ours in [
            r#"{"args":{"command":"ls"},"action":"run","source":"agent","id":3}"#,
            r#"{"id":4,"source":"agent","observation":"run","cause":3,"content":""}"#,
            r#"{"source":"user","llm_message":{},"kind":"MessageEvent"}"#,
            r#"{"instance_id":"x","history":[{"source":"agent","action":"run","args":{}}]}"#,
            r#"{"history":[[{"source":"agent","action":"run","args":{}},{}]]}"#,
            r#"{"trajectory":[{"kind":"ActionEvent","source":"agent"}]}"#,
        ] {
            assert!(is_ours(ours), "{ours}");
        }
    }

    #[test]
    fn look_alikes_are_not() {
        for other in [
            r#"{"trajectory":[{"action":"ls","observation":"x"}]}"#,
            r#"{"history":[{"role":"assistant","action":"ls","agent":"main"}]}"#,
            r#"{"schema_version":"ATIF-v1.2","steps":[{"source":"agent","observation":{}}]}"#,
            r#"{"source":"agent","observation":{"results":[]}}"#,
            r#"{"source":"assistant","type":"ToolCallRequestEvent","content":[]}"#,
            r#"{"kind":"response","parts":[]}"#,
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
