//! Telling sessions of the Agent Development Kit from others.

use super::eval::CASES;
use crate::import::Sign;
use crate::trace::json::Json;

/// Why the sample is of it, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    sample.iter().find_map(|record| {
        let array = |name: &str| record.get(name).and_then(Json::as_array);
        let has = |(camel, snake): (&str, &str)| {
            record.get(camel).is_some() || record.get(snake).is_some()
        };
        let owned = has(("appName", "app_name")) && has(("userId", "user_id"));
        let reason = if is_event(record) {
            "events with `author` and `invocationId`"
        } else if array("events").is_some_and(|events| owned || events.iter().any(is_event)) {
            "a session whose `events` have `author` and `invocationId`"
        } else if array(CASES.0).or(array(CASES.1))?.iter().any(is_case) {
            "`eval_cases` with a `conversation`"
        } else {
            return None;
        };
        Some(Sign::decisive(reason))
    })
}

fn is_event(event: &Json<'_>) -> bool {
    let is_text = |name: &str| event.get(name).is_some_and(|v| v.as_str().is_some());
    is_text("author") && (is_text("invocationId") || is_text("invocation_id"))
}

fn is_case(case: &Json<'_>) -> bool {
    case.get("conversation")
        .is_some_and(|c| c.as_array().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn is_ours(text: &str) -> bool {
        recognise(&[parse(text.as_bytes()).expect("valid")]).is_some()
    }

    #[test]
    fn sessions_events_and_cases_are_recognised() {
        for ours in [
            r#"{"author":"a","invocationId":"i"}"#,
            r#"{"invocation_id":"i","author":"user","content":null}"#,
            r#"{"id":"s","events":[{"author":"a","invocation_id":"i"}]}"#,
            r#"{"id":"s","app_name":"a","user_id":"u","events":[]}"#,
            r#"{"eval_set_id":"e","eval_cases":[{"conversation":[]}]}"#,
            r#"{"evalCases":[{"conversation":[]}]}"#,
        ] {
            assert!(is_ours(ours), "{ours}");
        }
    }

    #[test]
    fn look_alikes_are_not() {
        for other in [
            r#"{"events":[]}"#,
            r#"{"events":[{"event":"tool"}]}"#,
            r#"{"author":"me","title":"x"}"#,
            r#"{"contents":[{"parts":[]}]}"#,
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
