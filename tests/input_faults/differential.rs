//! The scanner takes exactly the texts that serde_json takes, but for differences that are meant.

use gate::trace::json;

const TEXTS: &[&str] = &[
    "",
    " ",
    "{}",
    "[]",
    "{} ",
    "\t{}\n",
    "{}{}",
    "{},",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1,2]",
    "{\"a\":1}",
    "{\"a\":1,}",
    "{,}",
    "{\"a\"}",
    "{\"a\":}",
    "{a:1}",
    "{'a':1}",
    "{\"a\":1 \"b\":2}",
    "{\"a\":1,\"a\":2}",
    "{\"\":0}",
    "{1:2}",
    "0",
    "-0",
    "-",
    "+1",
    "01",
    "-01",
    "1.",
    ".5",
    "1.5",
    "1e5",
    "1E+5",
    "1e-5",
    "1e",
    "1e+",
    "0x10",
    "1_000",
    "1.5e3.2",
    "NaN",
    "Infinity",
    "-Infinity",
    "true",
    "True",
    "tru",
    "truee",
    "false",
    "null",
    "nul",
    "undefined",
    "\"",
    "\"a\"",
    "\"a",
    "\"\\n\"",
    "\"\\x\"",
    "\"\\u0041\"",
    "\"\\u004\"",
    "\"\\u00g1\"",
    "\"\\ud83c\\udf89\"",
    "\"\u{7f}\"",
    "\"\t\"",
    "\"\n\"",
    "\"\u{0}\"",
    "\"é🎉\"",
    "// c\n1",
    "/* c */ 1",
    "# c\n1",
    "\u{feff}1",
    "\u{1e}1",
    "\u{a0}1",
    "\u{b}1",
    "\u{c}1",
    "[[[[]]]]",
    "[[[[]]]",
    "[}",
    "{]",
    "{\"a\":[{\"b\":null}]}",
    "1 2",
    "\"a\" \"b\"",
    "[\"a\",\"b\\\\\"]",
    "\"\\\"",
    "12345678901234567890123456789012345678901234567890",
];

fn agree(text: &[u8]) {
    let theirs = serde_json::from_slice::<serde_json::Value>(text).is_ok();
    let shown = String::from_utf8_lossy(text);
    assert_eq!(json::parse(text).is_ok(), theirs, "parse: {shown:?}");
    let mut scanner = json::Scanner::new(text);
    let scanned = scanner.value(1).and_then(|_| scanner.end()).is_ok();
    assert_eq!(scanned, theirs, "scan: {shown:?}");
    let object = json::scan_object(text, |_| ()).is_ok();
    assert_eq!(object, theirs, "scan_object: {shown:?}");
}

#[test]
fn the_scanner_and_serde_json_take_the_same_texts() {
    for text in TEXTS {
        agree(text.as_bytes());
        agree(format!("{{\"k\":{text}}}").as_bytes());
        agree(format!("[{text}]").as_bytes());
    }
}

#[test]
fn every_prefix_is_judged_alike() {
    let text = r#"{"a":[1,-2.5e+3,"x\u00e9\n",{"b":[true,false,null]}],"c":"\\\""}"#;
    for end in 0..=text.len() {
        agree(&text.as_bytes()[..end]);
    }
}

#[test]
fn every_single_byte_change_is_judged_alike() {
    let text = br#"{"a":[1,-2.5e3,"x\n",{"b":true}]}"#;
    for at in 0..text.len() {
        for byte in 0..0x80u8 {
            let mut changed = text.to_vec();
            changed[at] = byte;
            agree(&changed);
        }
    }
}

#[test]
fn the_differences_are_these() {
    let ours = |text: &str| json::parse(text.as_bytes()).is_ok();
    let theirs = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
    // One limit of depth everywhere: 128 levels, the outermost being the first. serde_json stops
    // one level earlier.
    let deep = "[".repeat(128) + &"]".repeat(128);
    assert!(ours(&deep) && !theirs(&deep));
    // A lone surrogate is what writers leave that cut a text: repaired and told, not refused.
    assert!(ours("\"\\ud800\"") && !theirs("\"\\ud800\""));
    // The size of a number is judged by the field it stands in.
    assert!(ours("1e999") && !theirs("1e999"));
    // Bytes that are not UTF-8 are told by the reader of the record.
    assert!(json::parse(b"\"\xff\"").is_ok());
    assert!(serde_json::from_slice::<serde_json::Value>(b"\"\xff\"").is_err());
}
