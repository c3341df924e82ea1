//! Telling Codex from what looks like it.

use crate::import::Sign;
use crate::import::foreign::items::is_output;
use crate::trace::json::Json;

/// Types of lines of a rollout with a payload that has a type of its own.
const ROWS: &[&str] = &["response_item", "event_msg"];

/// Why the sample is of Codex, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    for row in sample {
        let Some(name) = kind(row) else {
            continue;
        };
        let Some(payload @ Json::Object(_)) = row.get("payload") else {
            if is_exec(name, row) {
                return Some(Sign::decisive("lines of `codex exec --json`"));
            }
            continue;
        };
        if name == "session_meta" && payload.get("id").is_some() {
            let reason = "a `session_meta` line with its `payload`";
            return Some(Sign::decisive(reason));
        }
        let typed = ROWS.contains(&name) && kind(payload).is_some();
        if typed || name == "turn_context" && payload.get("cwd").is_some() {
            return Some(Sign::decisive(format!(
                "a `{name}` line with its `payload`"
            )));
        }
    }
    is_older(sample).then(|| Sign::decisive("the header of a rollout and bare items"))
}

fn kind<'j>(value: &'j Json<'_>) -> Option<&'j str> {
    value.get("type")?.as_str()
}

fn is_exec(kind: &str, row: &Json<'_>) -> bool {
    let has = |field: &str| row.get(field).is_some_and(|id| id.as_str().is_some());
    let typed = |item: &Json<'_>| item.get("type").or_else(|| item.get("item_type")).is_some();
    match kind {
        "thread.started" => has("thread_id"),
        "item.started" | "item.updated" | "item.completed" => row.get("item").is_some_and(typed),
        _ => false,
    }
}

/// Whether the sample is a rollout of 2025, whose items stand bare: a header and what follows it, or
/// a document of both.
pub fn is_older(sample: &[Json<'_>]) -> bool {
    let item = |row: &Json<'_>| {
        let kind = row.get("type").and_then(Json::as_str);
        row.get("record_type").is_some() || kind.is_some_and(is_item)
    };
    sample.iter().any(is_document)
        || sample.iter().any(is_header) && sample.iter().any(item)
        || sample
            .iter()
            .any(|row| row.get("record_type").and_then(Json::as_str) == Some("state"))
}

/// Whether the line is the header of a rollout of mid-2025.
pub fn is_header(line: &Json<'_>) -> bool {
    let text = |field: &str| {
        line.get(field)
            .is_some_and(|value| value.as_str().is_some())
    };
    let known = line.get("instructions").is_some() || line.get("git").is_some();
    text("id") && text("timestamp") && known && line.get("type").is_none()
}

/// Whether the record is a whole recording of early 2025.
pub fn is_document(record: &Json<'_>) -> bool {
    let id = record.get("session").and_then(|session| session.get("id"));
    let items = record.get("items").and_then(Json::as_array);
    id.is_some_and(|id| id.as_str().is_some()) && items.is_some()
}

/// Whether bare items have such a type.
pub fn is_item(kind: &str) -> bool {
    matches!(kind, "message" | "reasoning") || kind.ends_with("_call") || is_output(kind)
}
