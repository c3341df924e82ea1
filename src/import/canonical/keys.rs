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

/// For each value of [`hole`], the field whose name has it, and the [`word`] of that name.
const HOLES: [Option<(Key, u64)>; 128] = {
    let mut holes = [None; 128];
    let mut i = 0;
    while i < TABLE.len() {
        let word = word(TABLE[i].name.as_bytes());
        let hole = &mut holes[hole(TABLE[i].name.len(), word)];
        assert!(hole.is_none(), "two names fall into one hole");
        *hole = Some((TABLE[i].key, word));
        i += 1;
    }
    holes
};

/// The first four and the last four bytes of a name, which overlap in those of less than eight; of one
/// of three or less, its first, middle and last. With its length that is all there is to names of up to
/// eight bytes, which most are, so that they are told apart without going through them.
const fn word(name: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
        return u32::from_le_bytes(*first) as u64 | (u32::from_le_bytes(*last) as u64) << 32;
    }
    match name {
        [first, .., last] => u32::from_le_bytes([*first, name[name.len() / 2], 0, *last]) as u64,
        [only] => *only as u64,
        [] => 0,
    }
}

/// Tells the names of fields apart by their length and [`word`]. The factor was searched for: with others,
/// names fall into one hole.
const fn hole(length: usize, word: u64) -> usize {
    ((word ^ length as u64).wrapping_mul(0xfa0b_8518_8296_f5eb) >> 57) as usize
}

impl Key {
    /// The key with that name.
    #[inline]
    pub fn find(name: &[u8]) -> Option<Key> {
        let word = word(name);
        let (key, known) = HOLES[hole(name.len(), word)]?;
        let own = key.name().as_bytes();
        let alike = known == word && own.len() == name.len();
        (alike && (name.len() <= 8 || own == name)).then_some(key)
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

    /// Nothing but its name finds a key: not what shares its length and most of its bytes.
    #[test]
    fn what_is_almost_a_name_is_none() {
        for entry in TABLE {
            let name = entry.name.as_bytes();
            for (at, byte) in (0..name.len()).flat_map(|at| (0..=u8::MAX).map(move |b| (at, b))) {
                let mut other = name.to_vec();
                other[at] = byte;
                for end in [at, name.len()] {
                    let cut = &other[..end];
                    let expected = TABLE.iter().find(|e| e.name.as_bytes() == cut);
                    assert_eq!(Key::find(cut), expected.map(|e| e.key), "{cut:?}");
                }
                other.insert(at, byte);
                let expected = TABLE.iter().find(|e| e.name.as_bytes() == other);
                assert_eq!(Key::find(&other), expected.map(|e| e.key), "{other:?}");
            }
        }
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
