//! Telling results of the benchmark from other records with an `id` and a `result`.

use crate::import::Sign;
use crate::trace::json::Json;

/// How the ids of tests begin, before `_`.
const CATEGORIES: &[&str] = &[
    "exec",
    "format_sensitivity",
    "irrelevance",
    "java",
    "javascript",
    "live",
    "memory",
    "multi_turn",
    "multiple",
    "parallel",
    "rest",
    "simple",
    "sql",
    "web_search",
];

/// Why the sample is of this benchmark, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let all = !sample.is_empty() && sample.iter().all(is_named);
    (all && sample.iter().any(is_test)).then(|| {
        Sign::decisive("records with the `id` of a test of the benchmark and its `result`")
    })
}

fn is_named(record: &Json<'_>) -> bool {
    let id = record.get("id").and_then(Json::as_str).unwrap_or_default();
    let of = |category: &&str| {
        id.strip_prefix(*category)
            .is_some_and(|rest| rest.starts_with('_'))
    };
    CATEGORIES.iter().any(of)
        && record.get("result").is_some()
        && ["tool", "type", "messages"]
            .iter()
            .all(|field| record.get(field).is_none())
}

/// Whether the record counts what the benchmark counts, or its result has the form that it gives.
fn is_test(record: &Json<'_>) -> bool {
    let counts = ["input_token_count", "output_token_count", "latency"];
    if counts.iter().any(|field| record.get(field).is_some()) {
        return true;
    }
    let entries = record.get("result").and_then(Json::as_array);
    let is_call = |entry: &Json<'_>| match entry {
        Json::Object(members) => members.len() == 1,
        Json::Array(steps) => steps
            .iter()
            .all(|step| matches!(step, Json::Array(_) | Json::String(_))),
        _ => false,
    };
    entries.is_some_and(|entries| !entries.is_empty() && entries.iter().all(is_call))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn is_ours(text: &str) -> bool {
        recognise(&[parse(text.as_bytes()).expect("valid")]).is_some()
    }

    #[test]
    fn tests_are_recognised_by_id_and_result() {
        assert!(is_ours(
            r#"{"id":"simple_0","result":[{"f":"{}"}],"latency":1.5}"#
        ));
        assert!(is_ours(
            r#"{"result":[[[{"f":"{}"}],"done"]],"id":"multi_turn_base_6"}"#
        ));
        assert!(is_ours(
            r#"{"id":"live_irrelevance_1-0-0","result":"no","output_token_count":3}"#
        ));
        for other in [
            r#"{"id":"simple_0","result":"ok"}"#,
            r#"{"id":"simple","result":[{"f":"{}"}]}"#,
            r#"{"id":"call_1","result":[{"f":"{}"}],"latency":1}"#,
            r#"{"id":"simple_0","result":[{"f":"{}"}],"tool":"f"}"#,
            r#"{"id":"simple_0","latency":1}"#,
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
