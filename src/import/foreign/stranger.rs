//! Records and rows of other programs that have come into a recording.
//!
//! A row of an unknown type is no reason to doubt a recording: programs add such rows with every
//! version. One that looks like a call is: to leave it out would be to leave out a call.

use super::out::{Out, quote};
use super::told::Told;
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;

/// Fields that only calls and results of tools have, and records that hold them.
const OF_CALLS: &[&str] = &[
    "call_id",
    "functionCall",
    "function_call",
    "jsonrpc",
    "tool",
    "toolCallId",
    "toolCalls",
    "toolName",
    "tool_call_id",
    "tool_calls",
    "tool_name",
    "tool_use_id",
];

/// Fields of arguments, which beside a `name` make a call.
const ARGUMENTS: &[&str] = &["args", "arguments", "input", "parameters", "params"];

/// Types of blocks that are calls or results.
const BLOCKS: &[&str] = &[
    "function_call",
    "tool-call",
    "tool_call",
    "tool_result",
    "tool_use",
];

/// Whether an object of no known type looks like a call, like a result, or like a message with one.
pub fn may_call(object: &Json<'_>) -> bool {
    let has = |fields: &[&str]| {
        let mut found = fields.iter().filter_map(|field| object.get(field));
        found.any(|value| *value != Json::Null)
    };
    let is_named = object.get("name").and_then(Json::as_str).is_some();
    has(OF_CALLS) || (is_named && has(ARGUMENTS)) || holds_blocks(object)
}

/// Whether the content of a message has blocks that are calls or results, as other formats have them.
pub fn holds_blocks(message: &Json<'_>) -> bool {
    let blocks = message.get("content").and_then(Json::as_array);
    let kinds = blocks.unwrap_or_default().iter();
    let mut kinds = kinds.filter_map(|block| block.get("type")?.as_str());
    kinds.any(|kind| BLOCKS.contains(&kind))
}

impl Out<'_> {
    /// Reports a record that is not of the format at all, so that nothing of it is used. `format` is
    /// the name of the format among people.
    pub fn stranger(&mut self, format: &str) {
        let message = format!("a record that is none of {format} is not used");
        self.fault(FaultCode::UnknownType, message);
    }
}

impl Told {
    /// Skips an object because its type is not known: says so once, and each time where it looks like a
    /// call. `things` is the plural of what it is: "rows", "items".
    pub fn skip_unless_call(
        &mut self,
        things: &str,
        kind: &str,
        object: &Json<'_>,
        out: &mut Out<'_>,
    ) {
        if !may_call(object) {
            return self.skip(things, kind, out);
        }
        let message = format!(
            "{things} of the unknown type {} that look like calls are not used",
            quote(kind)
        );
        out.fault(FaultCode::UnknownType, message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    #[test]
    fn what_looks_like_a_call_is_told_from_other_rows() {
        let may = |text: &str| may_call(&parse(text.as_bytes()).expect("valid"));
        for call in [
            r#"{"type":"x","name":"f","input":{}}"#,
            r#"{"type":"x","tool":"f"}"#,
            r#"{"type":"x","tool_calls":[{}]}"#,
            r#"{"content":[{"type":"text"},{"type":"tool_use"}]}"#,
        ] {
            assert!(may(call), "{call}");
        }
        for other in [
            r#"{"type":"x","name":"f"}"#,
            r#"{"type":"x","input":"f"}"#,
            r#"{"type":"x","tool_calls":null}"#,
            r#"{"content":[{"type":"text"}]}"#,
            "[]",
        ] {
            assert!(!may(other), "{other}");
        }
    }
}
