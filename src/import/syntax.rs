//! Says of a record that is no JSON what is wrong with it and what would mend it.

use super::Record;
use crate::trace::fault::{FaultCode, Notice, NoticeKind};
use crate::trace::json::{JsonError, JsonErrorKind, Scanner};

/// The notice for `error`, met at reading `record`.
pub fn fault(record: &Record<'_>, error: &JsonError) -> Notice {
    let code = match error.kind {
        JsonErrorKind::TooDeep => FaultCode::TooDeep,
        JsonErrorKind::Malformed | JsonErrorKind::Truncated => FaultCode::MalformedJson,
    };
    let (message, help) = words(record.text, error);
    Notice {
        kind: NoticeKind::Fault(code),
        place: record.at(error.offset),
        run: None,
        message: message.to_owned(),
        help: help.map(str::to_owned),
    }
}

fn words(text: &[u8], error: &JsonError) -> (&'static str, Option<&'static str>) {
    if text.get(error.offset) == Some(&0x1e) {
        return (
            error.message,
            Some("run `tr -d '\\036' < FILE | jq -c . | gate replay -`"),
        );
    }
    match value_end(text) {
        Some(end) if text[end..error.offset.max(end)].contains(&b'\r') => (
            "several records on one line: CR line endings",
            Some("run `tr '\\r' '\\n' < FILE | gate replay -`"),
        ),
        Some(_) => (
            error.message,
            Some("write one record a line: `jq -c . FILE | gate replay -`"),
        ),
        None => (error.message, None),
    }
}

/// Where the value ends that `text` begins with, if it is whole: then the error is what follows.
fn value_end(text: &[u8]) -> Option<usize> {
    let mut scanner = Scanner::new(text);
    scanner.value(1).ok()?;
    Some(scanner.offset())
}
