//! Telling items of the Responses API from the many formats that hold them.

use crate::import::foreign::items::is_output;
use crate::import::{Sign, codex};
use crate::trace::json::Json;

/// Types of items that nothing else writes.
const TYPES: &[&str] = &[
    "apply_patch_call",
    "apply_patch_call_output",
    "code_interpreter_call",
    "computer_call",
    "computer_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "file_search_call",
    "function_call",
    "function_call_output",
    "image_generation_call",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "shell_call",
    "shell_call_output",
    "web_search_call",
];

/// Fields of records that other formats wrap items in.
const OTHERS: &[&str] = &[
    "events",
    "observations",
    "payload",
    "run_type",
    "samples",
    "span_data",
    "traceId",
    "trace_id",
];

/// Why the sample is of Responses, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    // Rollouts of 2025 hold such items too, below a header of their own.
    if codex::is_older(sample) {
        return None;
    }
    let is_other = |record: &Json<'_>| OTHERS.iter().any(|field| record.get(field).is_some());
    if sample.iter().any(is_other) {
        return None;
    }
    if sample.iter().any(is_container) {
        return Some(Sign::decisive(
            "a record whose `input` or `output` holds items",
        ));
    }
    are_items(sample).then(|| Sign::decisive("items of type `function_call` and the like"))
}

fn is_container(record: &Json<'_>) -> bool {
    if record.get("type").is_some() || record.get("role").is_some() {
        return false;
    }
    let list = |field: &str| record.get(field).and_then(Json::as_array);
    let object = record.get("object").and_then(Json::as_str);
    object == Some("response") && list("output").is_some()
        || ["input", "output"]
            .iter()
            .any(|field| list(field).is_some_and(are_items))
}

/// Whether all of them are items, and one at least is of no other format.
fn are_items(values: &[Json<'_>]) -> bool {
    values.iter().all(is_item) && values.iter().any(is_ours)
}

fn is_item(value: &Json<'_>) -> bool {
    let text = |field: &str| value.get(field).and_then(Json::as_str);
    match text("type") {
        None => {
            value.get("type").is_none() && text("role").is_some() && value.get("content").is_some()
        }
        Some("message") => text("role").is_some(),
        // Whatever is not known yet.
        Some(_) => value.get("data").is_none(),
    }
}

fn is_ours(value: &Json<'_>) -> bool {
    let text = |field: &str| value.get(field).and_then(Json::as_str);
    match text("type") {
        Some("message") => {
            let blocks = value.get("content").and_then(Json::as_array);
            blocks.unwrap_or_default().iter().any(|block| {
                let kind = block.get("type").and_then(Json::as_str);
                matches!(kind, Some("input_text" | "output_text"))
            })
        }
        Some("function_call") => text("call_id").is_some() && text("name").is_some(),
        Some(kind) if is_output(kind) => {
            TYPES.contains(&kind) && (text("call_id").is_some() || text("id").is_some())
        }
        Some("mcp_approval_response") => text("approval_request_id").is_some(),
        Some(kind) => TYPES.contains(&kind) && (text("id").is_some() || text("call_id").is_some()),
        None => false,
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
    fn items_are_recognised_in_their_containers() {
        let call = r#"{"arguments":"{}","call_id":"a","name":"f","type":"function_call"}"#;
        assert!(is_ours(call));
        assert!(is_ours(&format!(r#"{{"output":[{call}]}}"#)));
        assert!(is_ours(&format!(
            r#"{{"model":"m","input":[{{"role":"user","content":"x"}},{call}]}}"#
        )));
        assert!(is_ours(r#"{"object":"response","output":[]}"#));
        assert!(is_ours(
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}"#
        ));
    }

    #[test]
    fn look_alikes_are_not() {
        for other in [
            r#"{"role":"user","content":"x"}"#,
            r#"{"input":[{"role":"user","content":"x"}]}"#,
            r#"{"input":"x","output":"y"}"#,
            r#"{"type":"function_call","name":"f","arguments":"{}"}"#,
            r#"{"type":"message","role":"user","content":"x"}"#,
            r#"{"traceId":"t","output":[{"type":"function_call","name":"f","call_id":"a"}]}"#,
            r#"{"type":"response_item","payload":{"type":"function_call","name":"f","call_id":"a"}}"#,
            r#"{"type":"tool","name":"f","id":"a","content":"x"}"#,
        ] {
            assert!(!is_ours(other), "{other}");
        }
        assert_eq!(recognise(&[]), None);
    }
}
