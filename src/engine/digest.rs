//! Hashes by which ids and contents are told apart. They decide what counts as a repeat.
//!
//! Their keys are drawn anew by every process, so that nobody who writes a trace can make two of them
//! equal; nothing that is written depends on their values.

use crate::bytes::without_spaces;
use crate::trace::event::{ApprovalOutcome, Outcome, RawJson, Recorded, ToolCall};
use crate::trace::json::Json;
use foldhash::quality::{FoldHasher, RandomState};
use std::hash::{BuildHasher, Hash, Hasher};
use std::num::NonZeroU32;
use std::sync::LazyLock;

/// The keys: of every hash, and of the second half of wider ones.
static KEYS: LazyLock<[RandomState; 2]> = LazyLock::new(Default::default);

fn hasher() -> FoldHasher<'static> {
    KEYS[0].build_hasher()
}

/// Hash of an id. Where it ends in a number, it is that much more than the hash of what stands before:
/// ids that count upwards have hashes that do, and need not be kept one by one.
///
/// Two ids that differ in their number alone never have one hash. Of others the difference of the
/// hashes of what stands before would have to be one certain number, which is as likely as it is for
/// hashes of the whole.
pub fn id(id: &str) -> u64 {
    let (mut number, mut scale, mut digits) = (0, 1, 0);
    for byte in id.bytes().rev().take(DIGITS).take_while(u8::is_ascii_digit) {
        number += u64::from(byte - b'0') * scale;
        scale *= 10;
        digits += 1;
    }
    let stem = id.as_bytes().get(..id.len() - digits).unwrap_or_default();
    // Of numbers with zeros before them the length counts.
    let kind = match digits {
        0 => DIGITS + 1,
        2.. if number * 10 < scale => digits,
        _ => 0,
    };
    let mut h = hasher();
    h.write(stem);
    h.write_u8(kind as u8);
    h.finish().wrapping_add(number)
}

/// Most digits at the end of an id that are taken for its number.
const DIGITS: usize = 15;

/// Wider hash of a run's id, by which runs are found.
pub fn run(id: &str) -> u128 {
    let [high, low] = [&KEYS[0], &KEYS[1]].map(|keys| u128::from(keys.hash_one(id)));
    high << 64 | low
}

/// Hash of arguments: equal for equal JSON, whatever the order of keys.
pub fn args(call: &ToolCall<'_>) -> u64 {
    let mut h = hasher();
    json(&call.args.json(), &mut h);
    h.finish()
}

/// Hash of the [`content`] of a call and, where it has one, of its [`outcome`]. `room` is where arguments
/// are put together, and can be used again.
pub fn of(call: &ToolCall<'_>, room: &mut Vec<u8>) -> (u64, Option<u64>) {
    let outcome = call.outcome.as_ref().map(outcome);
    (content(call, outcome, room), outcome)
}

/// Hash of everything a call says but its run, its id and its time: two records of one id with the
/// same content are one call.
///
/// `outcome` is the [`outcome`] of its own; `room` is where the arguments are put together, and can be
/// used again.
fn content(call: &ToolCall<'_>, outcome: Option<u64>, room: &mut Vec<u8>) -> u64 {
    let mut h = hasher();
    call.tool.hash(&mut h);
    without_spaces(call.args.bytes(), room).hash(&mut h);
    call.turn.hash(&mut h);
    call.agent.hash(&mut h);
    outcome.hash(&mut h);
    // The rest most calls do not say.
    let more = call.args_unknown
        || !call.resources.is_empty()
        || !call.labels.is_empty()
        || call.batch.is_some()
        || call.estimated_cost.is_some()
        || call.context_embedding.is_some()
        || call.action_embedding.is_some()
        || call.recorded.is_some()
        || call.approval.is_some()
        || call.semantic_score.is_some();
    h.write_u8(more.into());
    if more {
        call.args_unknown.hash(&mut h);
        let bits = |v: &Vec<f64>| -> Vec<u64> { v.iter().map(|x| x.to_bits()).collect() };
        (&call.resources, &call.labels, &call.batch).hash(&mut h);
        call.estimated_cost.hash(&mut h);
        call.context_embedding.as_ref().map(bits).hash(&mut h);
        call.action_embedding.as_ref().map(bits).hash(&mut h);
        call.recorded.map(Recorded::as_str).hash(&mut h);
        call.approval.map(ApprovalOutcome::as_str).hash(&mut h);
        call.semantic_score.map(f64::to_bits).hash(&mut h);
    }
    h.finish()
}

/// Hash of an outcome, whose result counts as it was written.
pub fn outcome(outcome: &Outcome<'_>) -> u64 {
    let mut h = hasher();
    outcome.result.as_ref().map(RawJson::bytes).hash(&mut h);
    (outcome.error, outcome.cost, outcome.tokens).hash(&mut h);
    h.finish()
}

/// A short form of it, which only tells a result read twice from a second one.
pub fn short(hash: u64) -> NonZeroU32 {
    NonZeroU32::new(hash as u32).unwrap_or(NonZeroU32::MIN)
}

fn json(value: &Json<'_>, h: &mut FoldHasher<'_>) {
    match value {
        Json::Null => 0u8.hash(h),
        Json::Bool(b) => (1u8, b).hash(h),
        Json::Number(n) => (2u8, number(n)).hash(h),
        Json::String(t) => (3u8, &t.text).hash(h),
        Json::Array(items) => {
            (4u8, items.len()).hash(h);
            items.iter().for_each(|item| json(item, h));
        }
        Json::Object(members) => {
            (5u8, members.len()).hash(h);
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|a, b| a.0.text.cmp(&b.0.text));
            for (key, value) in sorted {
                key.text.hash(h);
                json(value, h);
            }
        }
    }
}

/// Numbers are equal by value: `1`, `1.0` and `1e0` are one, as far as a float tells them apart.
/// Integers that a float cannot hold are told apart by their digits.
fn number(lexeme: &str) -> Result<u64, &str> {
    match lexeme.parse::<f64>() {
        Ok(value) if value.is_finite() && value.abs() < 9_007_199_254_740_992.0 => {
            Ok((value + 0.0).to_bits())
        }
        _ => Err(lexeme),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One more where the number is one more, and no two of these the same.
    #[test]
    fn ids_that_count_upwards_have_hashes_that_do() {
        for (before, after) in [
            ("c1", "c2"),
            ("c00099", "c00100"),
            ("c9", "c10"),
            ("7", "8"),
        ] {
            assert_eq!(id(after), id(before).wrapping_add(1), "{before} {after}");
        }
        let stems = ["", "c", "call_", "c0", "call-1-", "é", "1234567890"];
        let tails = [
            "",
            "0",
            "00",
            "1",
            "01",
            "001",
            "10",
            "010",
            "999999999999999",
            "0000000000000001",
        ];
        let ids = stems
            .iter()
            .flat_map(|stem| tails.iter().map(move |tail| format!("{stem}{tail}")));
        let ids: std::collections::BTreeSet<String> = ids.collect();
        let mut hashes: Vec<u64> = ids.iter().map(|text| id(text)).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), ids.len());
    }

    #[test]
    fn white_space_between_the_parts_of_arguments_is_no_content() {
        let hash = |args: &str| {
            let call = ToolCall {
                args: RawJson::from_text(args).expect("json"),
                ..ToolCall::default()
            };
            content(&call, None, &mut Vec::new())
        };
        assert_eq!(hash(r#"{"a": [1, "x y"]}"#), hash(r#"{"a":[1,"x y"]}"#));
        assert_ne!(hash(r#"{"a":"x y"}"#), hash(r#"{"a":"xy"}"#));
        assert_ne!(hash(r#"{"a":"\" "}"#), hash(r#"{"a":"\""}"#));
    }

    /// Whatever a record says more, less or otherwise is other content.
    #[test]
    fn every_field_is_content() {
        let mut calls = vec![ToolCall::default()];
        let mut with = |change: fn(&mut ToolCall<'static>)| {
            let mut call = ToolCall::default();
            change(&mut call);
            calls.push(call);
        };
        with(|c| c.tool = "a".into());
        with(|c| c.args = RawJson::from_text("[]").expect("json"));
        with(|c| c.args_unknown = true);
        with(|c| c.turn = Some(0));
        with(|c| c.turn = Some(1));
        with(|c| c.agent = Some("".into()));
        with(|c| c.agent = Some("a".into()));
        with(|c| c.resources = vec!["a".into()]);
        with(|c| c.resources = vec!["a".into(), "".into()]);
        with(|c| c.labels = vec!["a".into()]);
        with(|c| c.batch = Some("a".into()));
        with(|c| c.estimated_cost = Some(Default::default()));
        with(|c| c.context_embedding = Some(vec![]));
        with(|c| c.action_embedding = Some(vec![]));
        with(|c| c.action_embedding = Some(vec![0.0]));
        with(|c| c.action_embedding = Some(vec![-0.0]));
        with(|c| c.recorded = Some(Recorded::Allow));
        with(|c| c.approval = Some(ApprovalOutcome::Denied));
        with(|c| c.semantic_score = Some(0.0));
        let hash = |call, outcome| content(call, outcome, &mut Vec::new());
        let mut hashes: Vec<u64> = calls.iter().map(|call| hash(call, None)).collect();
        hashes.extend([hash(&calls[0], Some(0)), hash(&calls[0], Some(1))]);
        let all = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), all);
    }

    #[test]
    fn equal_arguments_have_one_hash() {
        let hash = |text: &str| {
            args(&ToolCall {
                args: RawJson::from_text(text).expect("json"),
                ..ToolCall::default()
            })
        };
        assert_eq!(hash(r#"{"x":1,"y":[2]}"#), hash(r#"{ "y":[2.0], "x":1e0}"#));
        assert_eq!(hash("-0"), hash("0"));
        assert_ne!(hash("[1,2]"), hash("[2,1]"));
        assert_ne!(hash(r#""1""#), hash("1"));
        assert_ne!(hash("9007199254740993"), hash("9007199254740992"));
    }
}
