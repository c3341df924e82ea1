//! Telling recordings of Gemini and of its command line from others.

use crate::import::Sign;
use crate::import::foreign::parts;
use crate::trace::json::Json;

/// Fields of records of other formats that have such contents inside.
const OTHERS: &[&str] = &["author", "events", "observations", "eval_cases", "messages"];

/// Why the sample is of Gemini, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    sample
        .iter()
        .find_map(|record| {
            let has = |field: &str| record.get(field).is_some();
            let is =
                |field: &str, word: &str| record.get(field).and_then(Json::as_str) == Some(word);
            if has("sessionId") && has("projectHash") {
                return Some("a Gemini CLI session with `sessionId` and `projectHash`");
            }
            if is("type", "gemini") && has("id") && has("content") {
                return Some("messages of type `gemini`, as Gemini CLI sessions have them");
            }
            if is("type", "tool_use") && has("tool_name") && has("tool_id") {
                return Some("rows of type `tool_use` with `tool_name` and `tool_id`");
            }
            if is("type", "init") && has("session_id") && has("model") {
                return Some("a stream that begins with `init`, `session_id` and `model`");
            }
            of_the_api(record)
        })
        .map(Sign::decisive)
}

fn of_the_api(record: &Json<'_>) -> Option<&'static str> {
    if OTHERS.iter().any(|field| record.get(field).is_some()) {
        return None;
    }
    let object = |name: &str| record.get(name).filter(|v| matches!(v, Json::Object(_)));
    let inner = [Some(record), object("request"), object("response")];
    for record in inner.into_iter().flatten() {
        let list = |name: &str| {
            record
                .get(name)
                .and_then(Json::as_array)
                .unwrap_or_default()
        };
        if list("contents").iter().any(has_parts) {
            return Some("`contents` with `parts`");
        }
        if list("candidates")
            .iter()
            .any(|c| c.get("content").is_some_and(has_parts))
        {
            return Some("`candidates` whose content has `parts`");
        }
    }
    let method = record
        .get("method")
        .and_then(Json::as_str)
        .unwrap_or_default();
    if method.starts_with("generateContent") && record.get("response").is_some() {
        return Some("responses of the method `generateContent`");
    }
    let parts = record
        .get("parts")
        .and_then(Json::as_array)
        .unwrap_or_default();
    let is_content = record.get("role").is_some() && parts.iter().any(parts::is_about_calls);
    is_content.then_some("contents whose `parts` hold calls")
}

fn has_parts(content: &Json<'_>) -> bool {
    content
        .get("parts")
        .is_some_and(|parts| parts.as_array().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn is_ours(text: &str) -> bool {
        recognise(&[parse(text.as_bytes()).expect("valid")]).is_some()
    }

    #[test]
    fn each_kind_of_recording_is_recognised() {
        for ours in [
            r#"{"projectHash":"h","sessionId":"s","startTime":"t"}"#,
            r#"{"id":"m","type":"gemini","content":""}"#,
            r#"{"type":"init","session_id":"s","model":"m"}"#,
            r#"{"type":"tool_use","tool_name":"f","tool_id":"a","parameters":{}}"#,
            r#"{"contents":[{"parts":[{"text":"x"}]}]}"#,
            r#"{"request":{"contents":[{"parts":[]}]},"response":null}"#,
            r#"{"candidates":[{"content":{"parts":[]}}]}"#,
            r#"{"method":"generateContentStream","response":[]}"#,
            r#"{"role":"model","parts":[{"functionCall":{"name":"f"}}]}"#,
        ] {
            assert!(is_ours(ours), "{ours}");
        }
    }

    #[test]
    fn look_alikes_are_not() {
        for other in [
            r#"{"sessionId":"s","parentUuid":null,"type":"user"}"#,
            r#"{"type":"system","subtype":"init","session_id":"s","model":"m"}"#,
            r#"{"author":"a","invocationId":"i","content":{"parts":[{"functionCall":{}}]}}"#,
            r#"{"role":"user","parts":[{"type":"text","text":"x"}]}"#,
            r#"{"kind":"request","parts":[{"part_kind":"user-prompt"}]}"#,
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
