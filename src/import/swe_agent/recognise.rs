//! Telling SWE-agent and mini-swe-agent from others that have steps, a history or messages.

use crate::import::Sign;
use crate::trace::json::Json;

/// Why the sample is of one of them, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    sample.iter().find_map(sign).map(Sign::decisive)
}

fn sign(record: &Json<'_>) -> Option<&'static str> {
    let items = |field: &str| record.get(field).and_then(Json::as_array);
    let format = record.get("trajectory_format").and_then(Json::as_str);
    if format.is_some_and(|format| format.starts_with("mini-swe-agent")) {
        return Some("`trajectory_format` is of mini-swe-agent");
    }
    let version = record.get("info").and_then(|info| info.get("mini_version"));
    if version.is_some() && items("messages").is_some() {
        return Some("`messages`, and an `info` with `mini_version`");
    }
    if items("trajectory").is_some_and(|steps| steps.iter().any(is_step)) {
        return Some("a `trajectory` of steps with `action` and `observation`");
    }
    if items("history").is_some_and(|history| history.iter().any(is_message)) {
        return Some("a `history` of messages with `agent` and `action`");
    }
    let is_empty = items("trajectory").is_some_and(<[Json<'_>]>::is_empty);
    if is_empty && items("history").is_some() && record.get("environment").is_some() {
        return Some("a `trajectory` without steps, a `history` and an `environment`");
    }
    let attempts = items("attempts").unwrap_or_default();
    attempts.iter().find_map(|attempt| {
        let steps = attempt.get("trajectory").and_then(Json::as_array)?;
        steps
            .iter()
            .any(is_step)
            .then_some("`attempts` with a `trajectory` of steps")
    })
}

/// Others have actions and observations too, but each of its own.
fn is_step(step: &Json<'_>) -> bool {
    let is_text = |field: &str| step.get(field).is_some_and(|v| v.as_str().is_some());
    is_text("action") && is_text("observation") && step.get("source").is_none()
}

fn is_message(message: &Json<'_>) -> bool {
    let text = |field: &str| message.get(field).and_then(Json::as_str);
    text("role") == Some("assistant")
        && text("agent").is_some()
        && text("action").is_some()
        && message.get("source").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn is_ours(text: &str) -> bool {
        recognise(&[parse(text.as_bytes()).expect("valid")]).is_some()
    }

    #[test]
    fn every_container_is_recognised() {
        for ours in [
            r#"{"trajectory":[{"observation":"","action":"ls","state":"{}"}]}"#,
            r#"{"history":[{"role":"assistant","content":"","action":"ls","agent":"main"}]}"#,
            r#"{"trajectory":[],"history":[],"info":{},"environment":"main"}"#,
            r#"{"attempts":[{"trajectory":[{"action":"ls","observation":""}]}],"info":{}}"#,
            r#"{"messages":[],"info":{},"trajectory_format":"mini-swe-agent-1.1"}"#,
            r#"{"messages":[],"info":{"mini_version":"1.2"}}"#,
        ] {
            assert!(is_ours(ours), "{ours}");
        }
    }

    #[test]
    fn look_alikes_are_not() {
        for other in [
            r#"{"trajectory":[{"id":1,"source":"agent","action":"run","args":{}}]}"#,
            r#"{"history":[{"role":"assistant","name":"Expert","content":"x"}],"question":"y"}"#,
            r#"{"history":[{"id":1,"source":"agent","action":"run","args":{}}]}"#,
            r#"{"messages":[{"role":"user","content":"x"}],"info":{}}"#,
            r#"{"traj":[{"role":"user","content":"x"}],"info":{}}"#,
            r#"{"schema_version":"ATIF-v1.2","steps":[{"observation":{}}]}"#,
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
