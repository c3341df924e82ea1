//! Telling messages of LangChain from the many formats that hold some.

use super::message::{self, Kind};
use crate::import::Sign;
use crate::trace::json::Json;

/// Fields of records that other formats keep such messages in.
const OTHERS: &[&str] = &[
    "dotted_order",
    "eval",
    "events",
    "observations",
    "resourceSpans",
    "run_type",
    "samples",
    "span_data",
    "trace_id",
];

/// Where a record has a record of its own, in what the streams and stores of graphs write.
pub const INNER: &[&str] = &["data", "kwargs", "values"];

/// Why the sample is of LangChain, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let is_other = |record: &Json<'_>| OTHERS.iter().any(|field| record.get(field).is_some());
    if sample.iter().any(is_other) {
        return None;
    }
    if sample.iter().any(holds) {
        return Some(Sign::decisive(
            "messages with the fields that LangChain gives them",
        ));
    }
    let all = |messages: &[Json<'_>]| {
        let is_ours = |value: &Json<'_>| message::open(value).is_some_and(|m| m.is_typed());
        let says = |value: &Json<'_>| {
            let kind = message::open(value).map(|message| message.kind);
            matches!(kind, Some(Kind::Human | Kind::Ai))
        };
        messages.iter().all(is_ours) && messages.iter().any(says)
    };
    let list = |record: &Json<'_>| {
        let messages = record.get("messages").and_then(Json::as_array);
        messages.is_some_and(all)
    };
    (all(sample) || (!sample.is_empty() && sample.iter().all(list)))
        .then(|| Sign::likely("messages of the types `human` and `ai`"))
}

fn is_marked(value: &Json<'_>) -> bool {
    message::open(value).is_some_and(|message| message.is_marked())
}

/// Whether a record is such a message or holds one where gate looks for it.
fn holds(record: &Json<'_>) -> bool {
    let list = |value: &Json<'_>| match value {
        Json::Array(messages) => messages.iter().any(is_marked),
        other => is_marked(other),
    };
    match record {
        Json::Array(values) => values.iter().any(holds),
        Json::Object(members) => {
            is_marked(record)
                || record.get("messages").is_some_and(list)
                || INNER
                    .iter()
                    .any(|field| record.get(field).is_some_and(holds))
                || members
                    .iter()
                    .any(|(_, node)| node.get("messages").is_some_and(list))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn sign(text: &str) -> Option<bool> {
        let sign = recognise(&[parse(text.as_bytes()).expect("valid")]);
        sign.map(|sign| sign.is_decisive)
    }

    #[test]
    fn messages_are_recognised_in_their_containers() {
        let plain = r#"{"type":"ai","content":"x","tool_calls":[]}"#;
        let built = r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{}}"#;
        for message in [plain, built, r#"{"type":"ai","data":{"content":"x"}}"#] {
            for record in [
                message.to_owned(),
                format!(r#"{{"messages":[{message}]}}"#),
                format!(r#"{{"agent":{{"messages":[{message}]}}}}"#),
                format!(r#"{{"agent":{{"messages":{message}}}}}"#),
                format!(r#"{{"values":{{"messages":[{message}]}},"next":[]}}"#),
                format!(r#"{{"event":"values","data":{{"messages":[{message}]}}}}"#),
                format!(r#"[{message},{{"langgraph_node":"agent"}}]"#),
                format!(r#"["values",{{"messages":[{message}]}}]"#),
            ] {
                assert_eq!(sign(&record), Some(true), "{record}");
            }
        }
    }

    #[test]
    fn bare_messages_are_likely() {
        assert_eq!(sign(r#"{"type":"human","content":"x"}"#), Some(false));
        assert_eq!(
            sign(r#"{"messages":[{"type":"human","content":"x"}]}"#),
            Some(false)
        );
    }

    #[test]
    fn look_alikes_are_not() {
        for other in [
            r#"{"messages":[]}"#,
            r#"{"messages":[{"role":"assistant","content":null,"tool_calls":[]}]}"#,
            r#"{"role":"assistant","content":"x","tool_calls":[]}"#,
            r#"{"type":"system","content":"x"}"#,
            r#"{"run_type":"llm","trace_id":"t","inputs":{"messages":[{"type":"ai","content":"x","tool_calls":[]}]}}"#,
            r#"{"type":"TextMessage","source":"user","content":"x"}"#,
            r#"{"type":"user","message":{"role":"user","content":"x"}}"#,
            r#"{"lc":1,"type":"constructor","id":["langchain","ChatOpenAI"],"kwargs":{}}"#,
        ] {
            assert_eq!(sign(other), None, "{other}");
        }
        assert_eq!(recognise(&[]), None);
    }
}
