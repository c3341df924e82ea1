//! Telling OpenCode from others that have messages with parts.

use crate::import::Sign;
use crate::trace::json::Json;

/// Types of lines that hold no call.
pub const OTHER_ROWS: &[&str] = &["error", "reasoning", "step_start", "text"];

/// Why the sample is of OpenCode, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    if sample.iter().any(is_export) {
        let reason = "a session with `info` and `messages` that have `info` and `parts`";
        return Some(Sign::decisive(reason));
    }
    sample
        .iter()
        .any(is_row)
        .then(|| Sign::decisive("lines with `type`, `sessionID` and `part`"))
}

fn is_export(record: &Json<'_>) -> bool {
    let is_text = |info: &Json<'_>, field: &str| info.get(field).and_then(Json::as_str).is_some();
    let Some(info @ Json::Object(_)) = record.get("info") else {
        return false;
    };
    match record.get("messages").and_then(Json::as_array) {
        Some([]) => is_text(info, "projectID") && is_text(info, "directory"),
        Some(messages) => messages.iter().any(|message| {
            let role = message.get("info").and_then(|info| info.get("role"));
            role.is_some() && message.get("parts").and_then(Json::as_array).is_some()
        }),
        None => false,
    }
}

fn is_row(record: &Json<'_>) -> bool {
    let text = |field: &str| record.get(field).and_then(Json::as_str);
    let known = |kind: &str| {
        kind == "tool_use"
            || kind == "step_finish"
            || (kind != "error" && OTHER_ROWS.contains(&kind))
    };
    text("sessionID").is_some()
        && text("type").is_some_and(known)
        && matches!(record.get("part"), Some(Json::Object(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn is_ours(text: &str) -> bool {
        recognise(&[parse(text.as_bytes()).expect("valid")]).is_some()
    }

    #[test]
    fn both_containers_are_recognised() {
        assert!(is_ours(
            r#"{"messages":[{"parts":[],"info":{"role":"user"}}],"info":{"id":"s"}}"#
        ));
        assert!(is_ours(
            r#"{"info":{"id":"s","projectID":"p","directory":"/"},"messages":[]}"#
        ));
        assert!(is_ours(
            r#"{"part":{"type":"tool"},"sessionID":"s","type":"tool_use"}"#
        ));
    }

    #[test]
    fn look_alikes_are_not() {
        for other in [
            r#"{"info":{"exit_status":"x"},"messages":[{"role":"user","content":"x"}]}"#,
            r#"{"info":{},"messages":[]}"#,
            r#"{"type":"tool_use","session_id":"s","tool_name":"f"}"#,
            r#"{"type":"user","sessionId":"s","message":{}}"#,
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
