//! Arguments of a call, which foreign formats give as an object or as the text of one.

use super::out::{Out, quote};
use super::text::check_value;
use crate::trace::event::RawJson;
use crate::trace::fault::{FaultCode, WarningCode};
use crate::trace::json::{self, Json};

/// Reads the arguments of a call of `tool`. Absent means `{}`.
///
/// Text that holds an object is that object, also when it was encoded twice. Empty text and null are
/// `{}`. Any other text stays a string: rules then see it as it was written.
pub fn arguments(tool: &str, value: Option<&Json<'_>>, out: &mut Out<'_>) -> RawJson<'static> {
    match value {
        None => RawJson::default(),
        Some(Json::Null) => empty(tool, "null", out),
        Some(Json::String(text)) => from_text(tool, &text.text, value, out),
        Some(Json::Object(_)) => checked(tool, value, out),
        Some(_) => {
            let message = format!("the arguments of {} are no object", quote(tool));
            out.warn(WarningCode::UnparsedArguments, message);
            checked(tool, value, out)
        }
    }
}

fn empty(tool: &str, found: &str, out: &mut Out<'_>) -> RawJson<'static> {
    let message = format!("{found} arguments of {} are read as `{{}}`", quote(tool));
    out.warn(WarningCode::Assumed, message);
    RawJson::default()
}

fn checked(tool: &str, value: Option<&Json<'_>>, out: &mut Out<'_>) -> RawJson<'static> {
    let value = value.unwrap_or(&Json::Null);
    check_value(&format!("the arguments of {}", quote(tool)), value, out);
    RawJson::from_json(value)
}

/// `whole` is the string that `text` was decoded from.
fn from_text(
    tool: &str,
    text: &str,
    whole: Option<&Json<'_>>,
    out: &mut Out<'_>,
) -> RawJson<'static> {
    if text.trim().is_empty() {
        return empty(tool, "empty", out);
    }
    match json::parse(text.trim().as_bytes()) {
        Ok(object @ Json::Object(_)) => return decoded(tool, &object, whole, out),
        Ok(Json::String(inner)) => {
            if let Ok(object @ Json::Object(_)) = json::parse(inner.text.trim().as_bytes()) {
                let message = format!("the arguments of {} were encoded twice", quote(tool));
                out.warn(WarningCode::Assumed, message);
                return decoded(tool, &object, whole, out);
            }
        }
        Err(e) if e.kind == json::JsonErrorKind::TooDeep => {
            let message = format!("the arguments of {} are {}", quote(tool), e.message);
            out.fault(FaultCode::TooDeep, message);
        }
        _ => {}
    }
    let message = format!(
        "the arguments of {} are no JSON object and stay text",
        quote(tool)
    );
    out.warn(WarningCode::UnparsedArguments, message);
    checked(tool, whole, out)
}

/// Both layers can be damaged: the text and what it encodes.
fn decoded(
    tool: &str,
    object: &Json<'_>,
    whole: Option<&Json<'_>>,
    out: &mut Out<'_>,
) -> RawJson<'static> {
    let outer = whole.filter(|text| text.damage() != json::Damage::None);
    if let Some(outer) = outer {
        check_value(&format!("the arguments of {}", quote(tool)), outer, out);
    }
    checked(tool, Some(object), out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Sink;
    use crate::trace::event::Event;
    use crate::trace::fault::{Notice, Place};

    #[derive(Default)]
    struct Codes(Vec<&'static str>);

    impl Sink for Codes {
        fn event(&mut self, _: Place, _: Event<'_>) {}
        fn notice(&mut self, n: Notice) {
            self.0.push(n.kind.code());
        }
    }

    fn read(value: &str) -> (String, Vec<&'static str>) {
        let value = json::parse(value.as_bytes()).expect("valid");
        let mut sink = Codes::default();
        let mut out = Out::new(&mut sink, Place::default());
        let raw = arguments("f", Some(&value), &mut out);
        (String::from_utf8_lossy(raw.bytes()).into_owned(), sink.0)
    }

    #[test]
    fn objects_and_their_text_are_the_same() {
        assert_eq!(read(r#"{"a":1.50}"#), (r#"{"a":1.50}"#.into(), vec![]));
        assert_eq!(read(r#""{\"a\": 1.50}""#), (r#"{"a":1.50}"#.into(), vec![]));
        // As in the canonical format: a blank of any kind around it changes nothing.
        let blank = "\"\u{a0}{\\\"a\\\": 1.50}\u{3000}\"";
        assert_eq!(read(blank), (r#"{"a":1.50}"#.into(), vec![]));
    }

    #[test]
    fn nothing_is_an_empty_object() {
        assert_eq!(read("null"), ("{}".into(), vec!["assumed"]));
        assert_eq!(read(r#""  ""#), ("{}".into(), vec!["assumed"]));
    }

    #[test]
    fn a_second_encoding_is_undone() {
        let twice = r#""\"{\\\"p\\\": \\\"/etc/passwd\\\"}\"""#;
        assert_eq!(
            read(twice),
            (r#"{"p":"/etc/passwd"}"#.into(), vec!["assumed"])
        );
    }

    #[test]
    fn what_is_no_object_stays_text() {
        for text in ["\"null\"", "\"[1,2]\"", "\"3\"", r#""{\"path\": \"tru""#] {
            assert_eq!(read(text), (text.into(), vec!["unparsed_arguments"]));
        }
        assert_eq!(read("[1]"), ("[1]".into(), vec!["unparsed_arguments"]));
    }

    #[test]
    fn damage_is_named() {
        assert_eq!(read(r#"{"a":"\ud83d"}"#).1, ["repaired_text"]);
        assert_eq!(read(r#""{\"a\":\"\\ud83d\"}""#).1, ["repaired_text"]);
        assert_eq!(read(r#""{\"a\":\"\ud83d\"}""#).1, ["repaired_text"]);
        assert_eq!(read(r#"{"a":"\u0000"}"#).1, ["nul_character"]);
        assert_eq!(read(r#"{"a":1,"\u0061":2}"#).1, ["repeated_argument"]);
    }
}
