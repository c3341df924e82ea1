//! What the scanner takes, what it tells of a value by the way, and what is read straight from the bytes
//! of one: all of it over random JSON, whole and damaged, beside the plain way of finding it out.

use crate::testing::Random;
use gate::trace::event::RawJson;
use gate::trace::json::{self, Json, JsonErrorKind, Scanner};
use serde::de::IgnoredAny;

/// What strings are made of: escapes of every kind, halves of pairs in every order, characters of every
/// length, and stretches longer than what is looked at in one go.
const BITS: &[&[u8]] = &[
    b"a",
    b"the quick brown fox ",
    b"0123456789012345678901234567890123456789012345678901234567890123456789",
    b"\\n",
    b"\\\"",
    b"\\\\",
    b"\\/",
    b"\\b",
    b"\\u0041",
    b"\\u0000",
    b"\\ud83c",
    b"\\udf89",
    b"\\ud83c\\udf89",
    b"\\uD83C",
    b"\\uDF89",
    b"\\u00e9",
    b"\\\\u0041",
    "é日本🎉".as_bytes(),
    b"\x7f",
    b"{[1,",
    b"}]:'",
];

/// Bytes that no text in UTF-8 has where they stand.
const BROKEN: &[&[u8]] = &[
    b"\xff",
    b"\xc3",
    b"\xe6\x97",
    b"\xed\xa0\x80",
    b"\x80",
    b"\xf0\x9f\x8e",
];

/// Keys of which some are equal in spite of how they are written, and some alike.
const KEYS: &[&str] = &[
    "a",
    "b",
    "",
    "\\u0061",
    "k1",
    "k2",
    "path",
    "file_path",
    "old_string",
    "new_string",
    "é",
    "\\\"",
];

const SCALARS: &[&str] = &[
    "0",
    "-1.5e+3",
    "1e400",
    "12345678901234567890",
    "true",
    "false",
    "null",
    "[]",
    "{}",
    "\"\"",
];

/// A value of at most `depth` levels; `broken` says that texts may hold bytes that are not UTF-8.
fn value(random: &mut Random, depth: usize, broken: bool, out: &mut Vec<u8>) {
    let space = |random: &mut Random, out: &mut Vec<u8>| {
        out.extend_from_slice(random.pick(&["", "", "", " ", "\t\r\n "]).as_bytes());
    };
    space(random, out);
    match random.below(if depth > 0 { 5 } else { 3 }) {
        0 => out.extend_from_slice(random.pick(SCALARS).as_bytes()),
        1 | 2 => {
            out.push(b'"');
            for _ in 0..random.below(9) {
                let odd = broken && random.chance(20);
                let bit: &&[u8] = random.pick(if odd { BROKEN } else { BITS });
                out.extend_from_slice(bit);
            }
            out.push(b'"');
        }
        kind => {
            out.push(if kind == 3 { b'[' } else { b'{' });
            for i in 0..random.below(6) {
                if i > 0 {
                    out.push(b',');
                }
                space(random, out);
                if kind == 4 {
                    out.push(b'"');
                    out.extend_from_slice(random.pick(KEYS).as_bytes());
                    out.extend_from_slice(b"\"");
                    space(random, out);
                    out.push(b':');
                }
                value(random, depth - 1, broken, out);
            }
            space(random, out);
            out.push(if kind == 3 { b']' } else { b'}' });
        }
    }
    space(random, out);
}

fn random_value(random: &mut Random, broken: bool) -> Vec<u8> {
    let mut text = Vec::new();
    value(random, 4, broken, &mut text);
    text
}

/// Changes one to three places of a text, or cuts it off.
fn damage(random: &mut Random, text: &mut Vec<u8>) {
    for _ in 0..1 + random.below(3) {
        let at = random.below(text.len().max(1));
        let byte = match random.below(3) {
            0 => *random.pick(b"\"\\{}[]:,u0e-. \n"),
            1 => random.below(0x80) as u8,
            _ => *text.get(at / 2).unwrap_or(&b'"'),
        };
        match random.below(8) {
            0 => text.truncate(at),
            1..3 if at < text.len() => drop(text.remove(at)),
            3..5 => text.insert(at, byte),
            _ if at < text.len() => text[at] = byte,
            _ => {}
        }
    }
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// All readers of JSON here take a text, or none does, at the same place; and they take what serde_json
/// takes where it decodes nothing.
#[test]
fn every_reader_takes_what_the_others_take() {
    let mut random = Random::new(1);
    let mut taken = 0;
    for _ in 0..20_000 {
        let mut text = random_value(&mut random, false);
        if random.chance(80) {
            damage(&mut random, &mut text);
        }
        let tree = json::parse(&text).err();
        let mut scanner = Scanner::new(&text);
        let scanned = scanner.value(1).and_then(|_| scanner.end());
        assert_eq!(scanned.err(), tree, "{}", shown(&text));
        assert_eq!(json::check(&text).err(), tree, "{}", shown(&text));
        assert_eq!(
            json::scan_object(&text, |_| ()).err(),
            tree,
            "{}",
            shown(&text)
        );
        if let Ok(utf8) = std::str::from_utf8(&text) {
            // Whatever it says of a text that is none, it comes to an end.
            json::leaves(utf8, &mut String::new());
            let theirs = serde_json::from_str::<IgnoredAny>(utf8).is_ok();
            assert_eq!(tree.is_none(), theirs, "{utf8}");
        }
        if let Some(error) = &tree {
            let cut_off = error.kind == JsonErrorKind::Truncated;
            assert_eq!(error.offset == text.len(), cut_off, "{}", shown(&text));
        }
        taken += usize::from(tree.is_none());
    }
    assert!((4_000..16_000).contains(&taken), "{taken} were taken");
}

/// The leaves, and how many characters a string has.
#[test]
fn what_is_read_from_the_bytes_is_what_the_tree_says() {
    let mut random = Random::new(2);
    let mut strings = 0;
    for i in 0..20_000 {
        let text = random_value(&mut random, i % 3 == 0);
        let raw = RawJson::from_text(&*text).expect("valid");
        let json = json::parse(&text).expect("valid");
        let mut leaves = String::new();
        raw.leaves(&mut leaves);
        assert_eq!(leaves, json.leaves(), "{}", shown(&text));
        let chars = json.as_str().map(|text| text.chars().count());
        let mut scanner = Scanner::new(&text);
        let scanned = scanner.value(1).expect("valid");
        for raw in [
            RawJson::from_text(text.trim_ascii()).expect("valid"),
            RawJson::from_scanned(scanned.bytes),
            RawJson::from_raw(scanned, std::str::from_utf8(&text).ok()),
            RawJson::from_raw(scanned, None),
        ] {
            assert_eq!(raw.chars(), chars, "{}", shown(&text));
            assert_eq!(raw.json(), json, "{}", shown(&text));
            assert_eq!(raw.bytes(), scanned.bytes);
        }
        strings += usize::from(chars.is_some());
    }
    assert!(strings > 4_000, "{strings} strings");
}

/// Whether an object anywhere in a value has a key twice.
fn repeats(json: &Json<'_>) -> bool {
    match json {
        Json::Array(items) => items.iter().any(repeats),
        Json::Object(members) => {
            json.repeated().is_some() || members.iter().any(|(_, value)| repeats(value))
        }
        _ => false,
    }
}

/// A repeated key is always suspected, and suspicion is rare; escapes are all met, and nothing is told
/// of a member that belongs to another.
#[test]
fn what_is_told_by_the_way_holds() {
    let mut random = Random::new(3);
    let (mut repeated, mut unrepeated, mut suspected) = (0, 0, 0);
    for _ in 0..20_000 {
        let values = [0, 1, 2].map(|_| random_value(&mut random, false));
        let [a, b, c] = values.each_ref().map(|value| shown(value));
        let record = format!("{{\"a\":{a},\"b\\u0062\\n\":{b},\"c\":{c}}}");
        let mut members = Vec::new();
        json::scan_object(record.as_bytes(), |member| members.push(member)).expect("valid");
        let keys: Vec<_> = members.iter().map(|m| m.key.seen.surplus).collect();
        assert_eq!(keys, [0, 6, 0]);
        for (member, text) in members.iter().zip(&values) {
            let seen = member.value.seen;
            assert_eq!(json::check(text), Ok(seen), "{}", shown(text));
            assert_eq!(seen.surplus > 0, text.contains(&b'\\'), "{}", shown(text));
            let json = json::parse(text).expect("valid");
            match repeats(&json) {
                true => {
                    assert!(seen.suspects > 0, "{}", shown(text));
                    repeated += 1;
                }
                false => {
                    unrepeated += 1;
                    let escaped = seen.surplus > 0;
                    suspected += usize::from(seen.suspects > 0 && !escaped);
                }
            }
        }
    }
    assert!(repeated > 1_000, "{repeated} repeat a key");
    assert!(
        suspected * 20 < unrepeated,
        "{suspected} of {unrepeated} suspected"
    );
}
