//! Telling messages of the Anthropic API from the many formats that hold the same blocks.

use super::record::{self, Part};
use crate::import::Sign;
use crate::import::foreign::blocks::{is_call, is_result};
use crate::trace::json::Json;

/// Fields of records of other formats that have such messages inside.
const OTHERS: &[&str] = &[
    "eval",
    "observations",
    "parentUuid",
    "sessionId",
    "suite_name",
    "traj",
    "trajectory",
    "trajectory_format",
    "uuid",
];

/// Why the sample is of the Anthropic API, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let is_ours = |record: &&Json<'_>| OTHERS.iter().all(|field| record.get(field).is_none());
    sample.iter().filter(is_ours).find_map(|record| {
        let parts = record::parts(record);
        parts.iter().find_map(|part| {
            let reason = match part {
                Part::List(list) => {
                    let messages = list.get("messages").and_then(Json::as_array)?;
                    let all = messages.iter().all(is_message);
                    let reason =
                        "`messages` whose content has blocks of type `tool_use` or `tool_result`";
                    (all && messages.iter().any(has_call)).then_some(reason)?
                }
                Part::Message(message) if is_response(message) => {
                    "a response of type `message` with `stop_reason`"
                }
                Part::Message(message) => {
                    let reason =
                        "messages whose content has blocks of type `tool_use` or `tool_result`";
                    (is_message(message) && has_call(message)).then_some(reason)?
                }
            };
            Some(Sign::decisive(reason))
        })
    })
}

/// Whether it has a role and no type of its own, as messages of other formats have.
fn is_message(message: &Json<'_>) -> bool {
    let role = message.get("role").and_then(Json::as_str);
    let kind = message.get("type").map(Json::as_str);
    role.is_some_and(|role| record::ROLES.contains(&role))
        && matches!(kind, None | Some(Some("message")))
        && message.get("tool_calls").is_none()
}

fn is_response(message: &Json<'_>) -> bool {
    let is = |field: &str, word: &str| message.get(field).and_then(Json::as_str) == Some(word);
    is("type", "message")
        && is("role", "assistant")
        && message.get("stop_reason").is_some()
        && message
            .get("content")
            .is_some_and(|c| c.as_array().is_some())
}

fn has_call(message: &Json<'_>) -> bool {
    let blocks = message.get("content").and_then(Json::as_array);
    let mut kinds = blocks
        .unwrap_or_default()
        .iter()
        .filter_map(|b| b.get("type")?.as_str());
    kinds.any(|kind| is_call(kind) || is_result(kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn is_ours(text: &str) -> bool {
        recognise(&[parse(text.as_bytes()).expect("valid")]).is_some()
    }

    const CALL: &str =
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f"}]}"#;

    #[test]
    fn lists_messages_and_responses_are_recognised() {
        assert!(is_ours(CALL));
        assert!(is_ours(&format!(r#"{{"model":"m","messages":[{CALL}]}}"#)));
        assert!(is_ours(&format!(
            r#"{{"request":{{"messages":[{CALL}]}},"response":{{}}}}"#
        )));
        let response = r#"{"type":"message","role":"assistant","content":[],"stop_reason":null}"#;
        assert!(is_ours(response));
        let batch =
            format!(r#"{{"custom_id":"a","result":{{"type":"succeeded","message":{response}}}}}"#);
        assert!(is_ours(&batch));
    }

    #[test]
    fn look_alikes_are_not() {
        for other in [
            r#"{"role":"user","content":[{"type":"text","text":"x"}]}"#.to_owned(),
            r#"{"type":"message","role":"user","content":[{"type":"input_text"}]}"#.to_owned(),
            format!(r#"{{"type":"assistant","sessionId":"s","message":{CALL}}}"#),
            format!(r#"{{"type":"assistant","session_id":"s","message":{CALL}}}"#),
            format!(r#"{{"role":"assistant","message":{CALL}}}"#),
            format!(r#"{{"trajectory_format":"x","messages":[{CALL}]}}"#),
            format!(r#"{{"messages":[{{"type":"human","content":"x"}},{CALL}]}}"#),
        ] {
            assert!(!is_ours(&other), "{other}");
        }
    }
}
