//! Telling pi from others whose rows hold messages.

use crate::import::Sign;
use crate::trace::json::Json;

/// Why the sample is of pi, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    if sample.iter().any(is_header) {
        let reason = "a row of type `session` with `id`, `timestamp` and `cwd`";
        return Some(Sign::decisive(reason));
    }
    sample
        .iter()
        .any(is_message)
        .then(|| Sign::decisive("rows of type `message` with calls or results of pi"))
}

fn text<'j>(row: &'j Json<'_>, field: &str) -> Option<&'j str> {
    row.get(field).and_then(Json::as_str)
}

fn is_header(row: &Json<'_>) -> bool {
    let has = |field: &str| text(row, field).is_some();
    text(row, "type") == Some("session") && has("id") && has("timestamp") && has("cwd")
}

/// A result, a call, or an answer that tells why it stopped.
fn is_message(row: &Json<'_>) -> bool {
    let is_row = matches!(text(row, "type"), Some("message" | "message_end"));
    let Some(message @ Json::Object(_)) = row.get("message").filter(|_| is_row) else {
        return false;
    };
    match text(message, "role") {
        Some("toolResult") => message.get("toolCallId").is_some(),
        Some("assistant") => {
            let blocks = message.get("content").and_then(Json::as_array);
            let is_call = |block: &Json<'_>| text(block, "type") == Some("toolCall");
            blocks.unwrap_or_default().iter().any(is_call)
                || (text(message, "stopReason").is_some() && text(message, "api").is_some())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn is_ours(text: &str) -> bool {
        recognise(&[parse(text.as_bytes()).expect("valid")]).is_some()
    }

    #[test]
    fn header_calls_and_results_are_recognised() {
        for ours in [
            r#"{"type":"session","id":"s","timestamp":"2026-03-02T09:00:00Z","cwd":"/srv"}"#,
            r#"{"message":{"content":[{"type":"toolCall"}],"role":"assistant"},"type":"message"}"#,
            r#"{"type":"message","message":{"role":"toolResult","toolCallId":"a"}}"#,
            r#"{"type":"message_end","message":{"role":"assistant","content":[],"api":"x","stopReason":"stop"}}"#,
        ] {
            assert!(is_ours(ours), "{ours}");
        }
    }

    #[test]
    fn look_alikes_are_not() {
        for other in [
            r#"{"type":"message","role":"user","content":"x"}"#,
            r#"{"type":"message","message":{"role":"user","content":"x"}}"#,
            r#"{"type":"session_meta","payload":{"id":"s","cwd":"/"}}"#,
            r#"{"type":"assistant","sessionId":"s","message":{"role":"assistant","content":[]}}"#,
            r#"{"role":"assistant","message":{"content":[{"type":"tool_use"}]}}"#,
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
