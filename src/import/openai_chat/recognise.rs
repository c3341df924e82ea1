//! Telling chat messages from the many formats that look like them.

use super::chunks;
use crate::import::Sign;
use crate::trace::json::Json;

/// Roles of messages.
pub const ROLES: &[&str] = &[
    "system",
    "developer",
    "user",
    "assistant",
    "tool",
    "function",
];

/// Why the sample is of chat messages, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let list = |record: &Json<'_>, field: &str| {
        let items = record.get(field).and_then(Json::as_array);
        items.is_some_and(|items| items.iter().any(is_message) && !items.iter().any(is_foreign))
    };
    let simulation = |record: &Json<'_>| {
        let runs = record.get("simulations").and_then(Json::as_array);
        runs.is_some_and(|runs| runs.iter().any(|run| list(run, "messages")))
    };
    if sample.iter().any(chunks::is_chunk) {
        return Some(Sign::decisive("chunks of streamed chat completions"));
    }
    if sample.iter().any(is_response) {
        return Some(Sign::decisive("responses of chat completions"));
    }
    let is_ours = |record: &&Json<'_>| record.get("suite_name").is_none();
    for record in sample.iter().filter(is_ours) {
        if list(record, "traj") {
            return Some(Sign::likely(
                "a record whose `traj` is a list of messages with roles",
            ));
        }
        if list(record, "messages") {
            return Some(Sign::likely("a record whose `messages` have roles"));
        }
        if simulation(record) {
            return Some(Sign::likely(
                "a record of `simulations` whose `messages` have roles",
            ));
        }
    }
    (!sample.is_empty() && sample.iter().all(is_message))
        .then(|| Sign::likely("every record is a message with a role"))
}

fn is_response(record: &Json<'_>) -> bool {
    record.get("object").and_then(Json::as_str) == Some("chat.completion")
        && record.get("choices").and_then(Json::as_array).is_some()
}

/// Whether it is a message of this format and of no other: no typed item, no call in a block, no
/// call whose function is a bare name.
fn is_message(message: &Json<'_>) -> bool {
    let role = message.get("role").and_then(Json::as_str);
    let says = ["content", "tool_calls", "function_call", "tool_messages"];
    let calls = message.get("tool_calls").and_then(Json::as_array);
    role.is_some_and(|role| ROLES.contains(&role))
        && says.iter().any(|field| message.get(field).is_some())
        && message.get("type").is_none()
        && foreign_block(message).is_none()
        && calls.unwrap_or_default().iter().all(is_call)
}

/// Whether it is an item of another format that has messages too. What is only malformed is not: its
/// own fault tells so.
fn is_foreign(item: &Json<'_>) -> bool {
    let calls = item.get("tool_calls").and_then(Json::as_array);
    let bare = |call: &Json<'_>| call.get("function").and_then(Json::as_str).is_some();
    item.get("type").is_some()
        || foreign_block(item).is_some()
        || calls.unwrap_or_default().iter().any(bare)
}

fn is_call(call: &Json<'_>) -> bool {
    let object = |field: &str| matches!(call.get(field), Some(Json::Object(_)));
    let flat = call.get("name").is_some() && call.get("arguments").is_some();
    object("function") || object("custom") || flat
}

/// The type of a block of the message that is a call or a result, as other formats have them.
pub fn foreign_block<'j>(message: &'j Json<'_>) -> Option<&'j str> {
    let blocks = message.get("content").and_then(Json::as_array)?;
    let mut kinds = blocks.iter().filter_map(|b| b.get("type")?.as_str());
    kinds.find(|kind| {
        kind.ends_with("tool_use")
            || kind.ends_with("tool_result")
            || matches!(*kind, "tool_call" | "tool-call" | "function_call")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn is_ours(text: &str) -> bool {
        recognise(&[parse(text.as_bytes()).expect("valid")]).is_some()
    }

    #[test]
    fn chat_messages_are_recognised_in_their_containers() {
        assert!(is_ours(r#"{"messages":[{"role":"user","content":"x"}]}"#));
        assert!(is_ours(
            r#"{"task_id":1,"traj":[{"role":"user","content":"x"}]}"#
        ));
        assert!(is_ours(
            r#"{"simulations":[{"messages":[{"role":"assistant","content":null,
            "tool_calls":[{"id":"a","name":"f","arguments":{}}]}]}]}"#
        ));
        assert!(is_ours(r#"{"role":"assistant","content":null}"#));
    }

    #[test]
    fn look_alikes_are_not() {
        for other in [
            r#"{"messages":[]}"#,
            r#"{"messages":[{"type":"human","content":"x"}]}"#,
            r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use"}]}]}"#,
            r#"{"messages":[{"role":"assistant","content":"","tool_calls":[{"function":"f"}]}]}"#,
            r#"{"suite_name":"s","messages":[{"role":"user","content":"x"}]}"#,
            r#"{"role":"user","message":{"content":[]}}"#,
            r#"{"type":"message","role":"user","content":"x"}"#,
            r#"{"type":"user","sessionId":"s","message":{"role":"user","content":"x"}}"#,
            r#"{"tool":"f","args":{}}"#,
        ] {
            assert!(!is_ours(other), "{other}");
        }
        assert_eq!(recognise(&[]), None);
    }
}
