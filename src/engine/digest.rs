//! Hashes by which ids and contents are told apart. The same everywhere: they decide what counts as
//! a repeat.

use crate::trace::event::{RawJson, ToolCall};
use crate::trace::json::Json;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU32;

/// Hash of an id.
pub fn id(id: &str) -> u64 {
    let mut h = DefaultHasher::new();
    id.hash(&mut h);
    h.finish()
}

/// Wider hash of a run's id, by which runs are found.
pub fn run(id: &str) -> u128 {
    let mut h = DefaultHasher::new();
    (1u8, id).hash(&mut h);
    u128::from(self::id(id)) << 64 | u128::from(h.finish())
}

/// Hash of arguments: equal for equal JSON, whatever the order of keys.
pub fn args(call: &ToolCall<'_>) -> u64 {
    let mut h = DefaultHasher::new();
    json(&call.args.json(), &mut h);
    h.finish()
}

/// Hash of everything a call says but its run, its id and its time: two records of one id with the
/// same content are one call.
///
/// `outcome` is the [`outcome`] of its own.
pub fn content(call: &ToolCall<'_>, outcome: Option<u64>) -> u64 {
    let mut h = DefaultHasher::new();
    call.tool.hash(&mut h);
    compact(&call.args, &mut h);
    (
        call.args_unknown,
        call.turn,
        &call.agent,
        &call.resources,
        &call.labels,
        &call.batch,
    )
        .hash(&mut h);
    call.estimated_cost.hash(&mut h);
    for embedding in [&call.context_embedding, &call.action_embedding] {
        let bits = embedding
            .as_ref()
            .map(|v| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        bits.hash(&mut h);
    }
    call.recorded.map(|r| r.as_str()).hash(&mut h);
    call.approval.map(|a| a.as_str()).hash(&mut h);
    call.semantic_score.map(f64::to_bits).hash(&mut h);
    outcome.hash(&mut h);
    h.finish()
}

/// Hash of an outcome.
pub fn outcome(outcome: &crate::trace::event::Outcome<'_>) -> u64 {
    let mut h = DefaultHasher::new();
    raw(outcome.result.as_ref(), &mut h);
    (outcome.error, outcome.cost, outcome.tokens).hash(&mut h);
    h.finish()
}

/// A short form of it, which only tells a result read twice from a second one.
pub fn short(hash: u64) -> NonZeroU32 {
    NonZeroU32::new(hash as u32).unwrap_or(NonZeroU32::MIN)
}

/// Hashes a value as it was written.
fn raw(value: Option<&RawJson<'_>>, h: &mut DefaultHasher) {
    value.map(RawJson::bytes).hash(h);
}

/// Hashes a value as it was written, without the white space between its parts.
fn compact(value: &RawJson<'_>, h: &mut DefaultHasher) {
    let bytes = value.bytes();
    let (mut quoted, mut escaped, mut start) = (false, false, 0);
    for (i, byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b' ' | b'\t' | b'\n' | b'\r' if !quoted => {
                h.write(&bytes[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    h.write(&bytes[start..]);
    h.write_u8(0xff);
}

fn json(value: &Json<'_>, h: &mut DefaultHasher) {
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

    #[test]
    fn white_space_between_the_parts_of_arguments_is_no_content() {
        let hash = |args: &str| {
            let call = ToolCall {
                args: RawJson::from_text(args).expect("json"),
                ..ToolCall::default()
            };
            content(&call, None)
        };
        assert_eq!(hash(r#"{"a": [1, "x y"]}"#), hash(r#"{"a":[1,"x y"]}"#));
        assert_ne!(hash(r#"{"a":"x y"}"#), hash(r#"{"a":"xy"}"#));
        assert_ne!(hash(r#"{"a":"\" "}"#), hash(r#"{"a":"\""}"#));
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
