//! The reader against its grammar.

use super::*;

fn text(json: &str) -> (String, Damage) {
    let t = decode(json.as_bytes());
    (t.text.into_owned(), t.damage)
}

#[test]
fn strings_decode_and_name_their_damage() {
    assert_eq!(text(r#""a\u0041\n""#), ("aA\n".into(), Damage::None));
    assert_eq!(text(r#""\ud83c\udf89""#), ("🎉".into(), Damage::None));
    assert_eq!(
        text(r#""\ud83c""#),
        ("\u{fffd}".into(), Damage::LoneSurrogate)
    );
    assert_eq!(
        text(r#""\ud83cx""#),
        ("\u{fffd}x".into(), Damage::LoneSurrogate)
    );
    assert_eq!(text(r#""\udf89\ud83c""#).0, "\u{fffd}\u{fffd}");
    assert_eq!(text(r#""\ud83c\ud83c\udf89""#).0, "\u{fffd}🎉");
    assert_eq!(decode(b"\"a\xffb\"").damage, Damage::InvalidUtf8);
    assert_eq!(decode(b"\"\xed\xa0\x80\"").damage, Damage::InvalidUtf8);
    assert_eq!(decode(b"\"\xc0\xaf\"").damage, Damage::InvalidUtf8);
}

#[test]
fn the_grammar_is_strict() {
    for good in [
        "{}",
        " [1,2.5e-3,-0,true,null] ",
        r#"{"a":{"b":[]}}"#,
        "0",
        "\"\"",
    ] {
        assert!(parse(good.as_bytes()).is_ok(), "{good}");
    }
    for bad in [
        "{,}",
        "[1,]",
        "01",
        "+1",
        "1.",
        ".5",
        "1e",
        "NaN",
        "-Infinity",
        "{'a':1}",
        "{\"a\" 1}",
        "{}{}",
        "tru",
        "\"\\x\"",
        "\"\\u12g4\"",
        "// c\n{}",
        "undefined",
        "\u{1e}{}",
    ] {
        assert!(parse(bad.as_bytes()).is_err(), "{bad}");
    }
    assert!(parse(b"\"a\x01\"").is_err());
}

#[test]
fn a_cut_text_is_told_from_a_broken_one() {
    for cut in [
        "{", "{\"a\"", "{\"a\":", "[1,", "\"ab", "tr", "-", "1e", "\"\\", "\"\\u00",
    ] {
        let e = parse(cut.as_bytes()).expect_err(cut);
        assert_eq!(e.kind, JsonErrorKind::Truncated, "{cut}");
    }
    assert_eq!(parse(b"{]").expect_err("").kind, JsonErrorKind::Malformed);
}

#[test]
fn depth_is_bounded_at_128() {
    let nest = |n: usize| "[".repeat(n) + &"]".repeat(n);
    assert!(parse(nest(128).as_bytes()).is_ok());
    let deep = nest(129);
    assert_eq!(
        parse(deep.as_bytes()).expect_err("").kind,
        JsonErrorKind::TooDeep
    );
    let deep = nest(1_000_000);
    assert_eq!(
        parse(deep.as_bytes()).expect_err("").kind,
        JsonErrorKind::TooDeep
    );
}

#[test]
fn members_come_in_order_with_their_offsets() {
    let mut seen = Vec::new();
    let object = scan_object(br#" {"b":1, "a":[2]} "#, |m| {
        seen.push((decode(m.key.bytes).text.into_owned(), m.value.offset));
    });
    assert_eq!(object, Ok(true));
    assert_eq!(seen, [("b".into(), 6), ("a".into(), 13)]);
    assert_eq!(scan_object(b"[1]", |_| ()), Ok(false));
}

#[test]
fn compact_form_keeps_numbers_and_order() {
    let json = parse(br#"{ "b" : 1.50, "a" : ["x\u00e9\n", null] }"#).expect("valid");
    assert_eq!(json.to_compact(), "{\"b\":1.50,\"a\":[\"xé\\n\",null]}");
}
