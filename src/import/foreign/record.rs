//! From the bytes of a record to its object, with a fault for each way in which that can fail.

use super::out::Out;
use crate::import::Record;
use crate::trace::fault::{FaultCode, WarningCode};
use crate::trace::json::{self, Json, JsonErrorKind};

/// Parses a record that has to be one JSON object. `None` means that a fault was reported.
pub fn open<'a>(record: &Record<'a>, out: &mut Out<'_>) -> Option<Json<'a>> {
    match open_value(record, out)? {
        object @ Json::Object(_) => Some(object),
        other => {
            let message = format!("expected an object, found {}", kind(&other));
            out.fault(FaultCode::NotAnObject, message);
            None
        }
    }
}

/// Parses a record that may be any JSON value, for formats whose lines are not always objects.
/// `None` means that a fault was reported.
pub fn open_value<'a>(record: &Record<'a>, out: &mut Out<'_>) -> Option<Json<'a>> {
    match json::parse_tolerant(record.text) {
        Ok((value, not_finite)) => {
            if let Some(offset) = not_finite {
                let place = record.at(offset);
                let message = "NaN and Infinity are no JSON, they are read as null";
                out.warn_at(place, WarningCode::Assumed, message);
            }
            Some(value)
        }
        Err(error) => {
            let code = match error.kind {
                JsonErrorKind::TooDeep => FaultCode::TooDeep,
                JsonErrorKind::Truncated if record.last => FaultCode::TruncatedInput,
                JsonErrorKind::Truncated | JsonErrorKind::Malformed => FaultCode::MalformedJson,
            };
            out.fault_at(record.at(error.offset), code, error.message);
            None
        }
    }
}

/// Reports bytes of a record that are not UTF-8, wherever in it they stand. What they damage reads
/// as U+FFFD; names and ids that hold them are refused by [`identifier`](super::identifier).
pub fn check_bytes(record: &Record<'_>, out: &mut Out<'_>) {
    if let Err(error) = std::str::from_utf8(record.text) {
        let place = record.at(error.valid_up_to());
        out.fault_at(place, FaultCode::InvalidUtf8, "bytes that are not UTF-8");
    }
}

/// What a value is, for messages.
pub fn kind(json: &Json<'_>) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Sink;
    use crate::trace::event::Event;
    use crate::trace::fault::{Notice, Place};

    #[derive(Default)]
    struct Notices(Vec<(&'static str, u64, u64)>);

    impl Sink for Notices {
        fn event(&mut self, _: Place, _: Event<'_>) {}
        fn notice(&mut self, n: Notice) {
            self.0.push((n.kind.code(), n.place.line, n.place.column));
        }
    }

    fn notices(text: &[u8], last: bool) -> Vec<(&'static str, u64, u64)> {
        let place = Place {
            input: 0,
            line: 7,
            column: 3,
        };
        let record = Record { place, text, last };
        let mut sink = Notices::default();
        let mut out = Out::new(&mut sink, place);
        if open(&record, &mut out).is_some() {
            check_bytes(&record, &mut out);
        }
        sink.0
    }

    #[test]
    fn every_failure_has_its_code_and_column() {
        assert_eq!(notices(b"{}", false), []);
        assert_eq!(notices(b"undefined", false), [("malformed_json", 7, 3)]);
        assert_eq!(notices(b"{\"a\":", false), [("malformed_json", 7, 8)]);
        assert_eq!(notices(b"{\"a\":", true), [("truncated_input", 7, 8)]);
        assert_eq!(notices(b"{}{}", false), [("malformed_json", 7, 5)]);
        assert_eq!(notices(b"[1]", false), [("not_an_object", 7, 3)]);
        assert_eq!(
            notices(b"{\"a\":\"\xff\"}", false),
            [("invalid_utf8", 7, 9)]
        );
        assert_eq!(
            notices(b"{\n\n \"a\":x}", false),
            [("malformed_json", 9, 6)]
        );
        let deep = "[".repeat(200);
        assert_eq!(notices(deep.as_bytes(), false), [("too_deep", 7, 131)]);
    }
}
