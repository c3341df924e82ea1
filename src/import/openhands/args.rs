//! Arguments of a call, without what the model writes for the program alone.

use crate::import::foreign::{Out, arguments};
use crate::trace::event::RawJson;
use crate::trace::json::Json;

/// Arguments that the program adds to every tool and takes out before it runs.
const ADDED: &[&str] = &["security_risk", "summary"];

/// What stands for arguments that did not parse.
const MALFORMED: &str = "_openhands_malformed_tool_call";

/// Arguments as the model wrote them. `valid` is what the program made of them, absent where they
/// were not valid: an argument that is there too is the tool's own. `None` means that the recording
/// does not tell them.
pub fn written(
    tool: &str,
    value: Option<&Json<'_>>,
    valid: Option<&Json<'_>>,
    out: &mut Out<'_>,
) -> Option<RawJson<'static>> {
    let args = arguments(tool, Some(value?), out);
    let parsed = match args.json() {
        Json::Object(members) => members,
        _ => return Some(args),
    };
    if parsed.iter().any(|(key, _)| key.text == MALFORMED) {
        return None;
    }
    let is_added =
        |key: &str| ADDED.contains(&key) && valid.is_some_and(|valid| valid.get(key).is_none());
    if !parsed.iter().any(|(key, _)| is_added(&key.text)) {
        return Some(args);
    }
    let own = parsed.into_iter().filter(|(key, _)| !is_added(&key.text));
    Some(RawJson::from_json(&Json::Object(own.collect())))
}

/// An object without some of its members.
pub fn without<'j>(object: &Json<'j>, left_out: &[&str]) -> Json<'j> {
    match object {
        Json::Object(members) => {
            let is_kept = |key: &str| !left_out.contains(&key);
            let kept = members.iter().filter(|(key, _)| is_kept(&key.text));
            Json::Object(kept.cloned().collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Sink;
    use crate::trace::event::Event;
    use crate::trace::fault::{Notice, Place};
    use crate::trace::json;

    struct Nowhere;

    impl Sink for Nowhere {
        fn event(&mut self, _: Place, _: Event<'_>) {}
        fn notice(&mut self, _: Notice) {}
    }

    fn read(value: &str, valid: Option<&str>) -> Option<String> {
        let parse = |text: &'static str| json::parse(text.as_bytes()).expect("valid");
        let text = Json::from(value.to_owned());
        let valid = valid.map(|text| parse(String::leak(text.to_owned())));
        let mut sink = Nowhere;
        let mut out = Out::new(&mut sink, Place::default());
        let args = written("f", Some(&text), valid.as_ref(), &mut out)?;
        Some(String::from_utf8_lossy(args.bytes()).into_owned())
    }

    #[test]
    fn what_the_program_adds_is_no_argument() {
        let both = r#"{"a":1,"security_risk":"LOW","summary":"s"}"#;
        assert_eq!(read(both, Some("{}")).as_deref(), Some(r#"{"a":1}"#));
        let own = read(both, Some(r#"{"summary":"s"}"#));
        assert_eq!(own.as_deref(), Some(r#"{"a":1,"summary":"s"}"#));
        // What was not valid stays as it was written.
        assert_eq!(read(both, None).as_deref(), Some(both));
    }

    #[test]
    fn arguments_that_did_not_parse_are_unknown() {
        let mark = r#"{"_openhands_malformed_tool_call":true,"error":"x"}"#;
        assert_eq!(read(mark, None), None);
        assert_eq!(read("{\"a", None).as_deref(), Some(r#""{\"a""#));
    }
}
