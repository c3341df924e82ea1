//! The fields of the canonical format: their names, and the kinds of record that have them.

use crate::import::near;

/// Kinds of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A run begins.
    RunStart,
    /// A tool is called.
    ToolCall,
    /// A call comes back.
    ToolResult,
    /// Somebody decides about an escalated call.
    Approval,
    /// A run ends.
    RunEnd,
}

impl Kind {
    /// Every kind and the word `type` names it with.
    pub const ALL: &[(Kind, &'static str)] = &[
        (Kind::RunStart, "run_start"),
        (Kind::ToolCall, "tool_call"),
        (Kind::ToolResult, "tool_result"),
        (Kind::Approval, "approval"),
        (Kind::RunEnd, "run_end"),
    ];

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

const START: u8 = 1;
const CALL: u8 = 2;
const RESULT: u8 = 4;
const APPROVAL: u8 = 8;
const END: u8 = 16;
const ALL: u8 = 31;

/// A field of the format.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Which key it is.
    pub key: Key,
    kinds: u8,
}

macro_rules! keys {
    ($($variant:ident $name:literal $kinds:expr),+ $(,)?) => {
        /// A key of the format. The order is that of the names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the names are the fields' own")]
        pub enum Key { $($variant),+ }

        /// Every field, sorted by name.
        pub const TABLE: &[Entry] = &[
            $(Entry { name: $name, key: Key::$variant, kinds: $kinds }),+
        ];

        impl Key {
            /// The key with that name.
            pub fn find(name: &str) -> Option<Key> {
                match name {
                    $($name => Some(Key::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

keys! {
    ActionEmbedding "action_embedding" CALL,
    Agent "agent" START | CALL,
    Approval "approval" CALL,
    Args "args" CALL,
    ArgsUnknown "args_unknown" CALL,
    Arguments "arguments" CALL,
    Argv "argv" CALL,
    Batch "batch" CALL,
    By "by" APPROVAL,
    Call "call" RESULT | APPROVAL,
    CallId "call_id" CALL | RESULT | APPROVAL,
    ContextEmbedding "context_embedding" CALL,
    CostUsd "cost_usd" CALL | RESULT,
    Decision "decision" CALL | APPROVAL,
    Error "error" CALL | RESULT,
    EstimatedCost "estimated_cost" CALL,
    EstimatedCostUsd "estimated_cost_usd" CALL,
    Id "id" CALL,
    Input "input" CALL,
    Intent "intent" START,
    Label "label" START,
    Labels "labels" CALL,
    Meta "meta" START,
    Metadata "metadata" CALL,
    Name "name" CALL,
    Payload "payload" CALL,
    Reason "reason" END,
    Resources "resources" CALL,
    Result "result" CALL | RESULT,
    Run "run" ALL,
    SemanticScore "semantic_score" CALL,
    Status "status" END,
    Tokens "tokens" CALL | RESULT,
    Tool "tool" CALL,
    ToolCallId "tool_call_id" CALL | RESULT | APPROVAL,
    ToolName "tool_name" CALL,
    Ts "ts" ALL,
    Turn "turn" CALL,
    Type "type" ALL,
}

impl Key {
    /// Its name.
    pub fn name(self) -> &'static str {
        TABLE[self as usize].name
    }

    /// Whether records of that kind have it.
    pub fn is_of(self, kind: Kind) -> bool {
        TABLE[self as usize].kinds & kind.bit() != 0
    }
}

/// The field of `kind` that somebody who wrote `name` may have meant.
pub fn similar(name: &str, kind: Kind) -> Option<&'static str> {
    let fields = TABLE.iter().filter(|e| e.kinds & kind.bit() != 0);
    near::similar(name, fields.map(|e| e.name))
}

/// The one of `words` nearest to `word`, if any is near.
pub fn nearest(word: &str, words: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let word: String = word.chars().take(40).collect();
    words
        .map(|w| (strsim::damerau_levenshtein(w, &word), w))
        .min()
        .filter(|(distance, w)| *distance <= w.len() / 2)
        .map(|(_, w)| w)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_by_its_name() {
        for (i, entry) in TABLE.iter().enumerate() {
            assert_eq!(Key::find(entry.name), Some(entry.key));
            assert_eq!(entry.key as usize, i);
        }
        assert!(TABLE.is_sorted_by_key(|entry| entry.name));
        assert_eq!(Key::find("nope"), None);
        assert_eq!(Kind::RunEnd.bit(), END);
        assert_eq!(Kind::RunStart.bit(), START);
    }

    #[test]
    fn close_names_are_told_and_far_ones_are_not() {
        for (name, meant) in [
            ("tool_nmae", "tool_name"),
            ("Tool", "tool"),
            ("ID", "id"),
            ("arg", "args"),
            ("reslut", "result"),
            ("label", "labels"),
            ("cost", "cost_usd"),
            ("context", "context_embedding"),
        ] {
            assert_eq!(similar(name, Kind::ToolCall), Some(meant), "{name}");
        }
        for name in ["idx", "session", "model", "tags", "x"] {
            assert_eq!(similar(name, Kind::ToolCall), None, "{name}");
        }
    }
}
