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

    /// The keys that records of this kind have, as a set.
    pub fn keys(self) -> u64 {
        const KEYS: [u64; Kind::ALL.len()] = {
            let (mut keys, mut i) = ([0; Kind::ALL.len()], 0);
            while i < TABLE.len() * Kind::ALL.len() {
                let (entry, kind) = (&TABLE[i % TABLE.len()], i / TABLE.len());
                if entry.kinds & 1 << kind != 0 {
                    keys[kind] |= entry.key.bit();
                }
                i += 1;
            }
            keys
        };
        KEYS[self as usize]
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

/// For each value of [`hole`], the field whose name has it.
const HOLES: [Option<Key>; 128] = {
    let mut holes = [None; 128];
    let mut i = 0;
    while i < TABLE.len() {
        let hole = &mut holes[hole(TABLE[i].name.as_bytes())];
        assert!(hole.is_none(), "two names fall into one hole");
        *hole = Some(TABLE[i].key);
        i += 1;
    }
    holes
};

/// Tells the names of fields apart by their length and three of their bytes. The factors were searched
/// for: with others, names fall into one hole.
const fn hole(name: &[u8]) -> usize {
    let length = name.len();
    if length == 0 {
        return 0;
    }
    let (first, middle, last) = (name[0], name[length / 2], name[length - 1]);
    (first as usize + 5 * middle as usize + 29 * last as usize + length) % 128
}

impl Key {
    /// The key with that name.
    pub fn find(name: &[u8]) -> Option<Key> {
        let key = HOLES[hole(name)]?;
        let own = key.name().as_bytes();
        // Names are too short for a call that compares them to pay.
        let same = own.len() == name.len() && own.iter().zip(name).all(|(a, b)| a == b);
        same.then_some(key)
    }

    /// Its bit in a set of keys.
    pub const fn bit(self) -> u64 {
        1 << self as u64
    }

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
            assert_eq!(Key::find(entry.name.as_bytes()), Some(entry.key));
            assert_eq!(entry.key as usize, i);
        }
        assert!(TABLE.is_sorted_by_key(|entry| entry.name));
        for name in ["", "nope", "too", "toll", "tools"] {
            assert_eq!(Key::find(name.as_bytes()), None, "{name}");
        }
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
