//! Telling messages and states of AutoGen.

use super::state;
use super::thread::{CALLS, CODE, OTHER, RESULTS, STRUCTURED, WORDS};
use crate::import::Sign;
use crate::trace::json::Json;

/// Why the sample is of AutoGen, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let list = |record: &Json<'_>| {
        let messages = record.get("messages").and_then(Json::as_array);
        messages.is_some_and(|messages| messages.iter().any(is_message))
    };
    if sample
        .iter()
        .any(|record| is_message(record) || list(record))
    {
        return Some(Sign::decisive(
            "messages of AutoGen with their `type` and `source`",
        ));
    }
    let is_ours = |record: &Json<'_>| {
        let lists = state::lists(record);
        let word = record.get("type").and_then(Json::as_str);
        let mut messages = lists
            .threads
            .iter()
            .chain(&lists.contexts)
            .copied()
            .flatten();
        state::is_state(record)
            && (word.is_some_and(|word| word.ends_with("State")) || messages.any(is_message))
    };
    let reason = "the saved state of an AutoGen agent or team";
    sample.iter().any(is_ours).then(|| Sign::decisive(reason))
}

/// Whether nothing else writes such messages.
pub fn is_message(value: &Json<'_>) -> bool {
    let Some(word) = value.get("type").and_then(Json::as_str) else {
        return false;
    };
    let says = ["content", "code_blocks", "result"];
    let has_source = value.get("source").is_some_and(|s| s.as_str().is_some());
    let known = [CALLS, RESULTS, WORDS, OTHER, CODE];
    let is_known = known.iter().any(|list| list.contains(&word)) || word.starts_with(STRUCTURED);
    // Results of models' functions name nobody.
    is_known
        && (has_source || word == "FunctionExecutionResultMessage")
        && says.iter().any(|field| value.get(field).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn is_ours(text: &str) -> bool {
        recognise(&[parse(text.as_bytes()).expect("valid")]).is_some()
    }

    #[test]
    fn messages_and_states_are_recognised() {
        for ours in [
            r#"{"content":"x","source":"user","type":"TextMessage"}"#,
            r#"{"messages":[{"content":[],"source":"a","type":"ToolCallRequestEvent"}],"stop_reason":null}"#,
            r#"{"content":"x","source":"a","type":"StructuredMessage[Plan]"}"#,
            r#"{"type":"AssistantAgentState","version":"1.0.0","llm_context":{"messages":[]}}"#,
            r#"{"type":"TeamState","agent_states":{}}"#,
            r#"{"agent_states":{"a":{"agent_state":{"llm_context":{"messages":[{"type":"UserMessage","source":"user","content":"x"}]}}}}}"#,
        ] {
            assert!(is_ours(ours), "{ours}");
        }
    }

    #[test]
    fn look_alikes_are_not() {
        for other in [
            r#"{"history":[{"content":"x","role":"human"}],"question":"q","mistake_agent":"a"}"#,
            r#"{"type":"TextMessage","content":"x"}"#,
            r#"{"source":"agent","type":"message","content":"x"}"#,
            r#"{"llm_context":{}}"#,
            r#"{"agent_states":{}}"#,
            r#"{"messages":[{"type":"human","content":"x"}]}"#,
        ] {
            assert!(!is_ours(other), "{other}");
        }
        assert_eq!(recognise(&[]), None);
    }
}
