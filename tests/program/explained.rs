//! Explanations of calls, as the program prints them.

use super::Scratch;
use serde_json::Value;

/// A run that sends mail four times, which is refused after the first two, and then searches.
pub const MAIL: &str = concat!(
    r#"{"tool":"send_email","run":"r","id":"c1","result":"ok"}"#,
    "\n",
    r#"{"tool":"send_email","run":"r","id":"c2","result":"ok"}"#,
    "\n",
    r#"{"tool":"send_email","run":"r","id":"c3","result":"ok"}"#,
    "\n",
    r#"{"tool":"send_email","run":"r","id":"c4","result":"ok"}"#,
    "\n",
    r#"{"tool":"search","run":"r","id":"c5","result":"ok"}"#,
    "\n",
);

/// A recording and a policy.
pub fn scratch(trace: &str, policy: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", trace);
    scratch.file("p.toml", policy);
    scratch
}

pub fn explained(scratch: &Scratch, flags: &str) -> Value {
    let command = format!("explain t.jsonl --policy p.toml --format json {flags}");
    serde_json::from_str(&scratch.gate(&command).ends(0).out).expect("JSON")
}

pub fn table(scratch: &Scratch, flags: &str) -> String {
    let command = format!("explain t.jsonl --policy p.toml --width 400 {flags}");
    scratch.gate(&command).ends(0).out
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The change of that key, and what the replay with it says.
pub fn flip<'v>(explained: &'v Value, key: &str) -> (&'v str, &'v Value) {
    let flips = explained["flips"].as_array().expect("a list");
    let mut changes = flips.iter().flat_map(|flip| {
        let changes = flip["changes"].as_array().expect("a list");
        changes.iter().map(move |change| (change, &flip["replay"]))
    });
    let found = changes.find(|(change, _)| change["key"] == key);
    let (change, replay) = found.unwrap_or_else(|| panic!("{key}: {explained}"));
    (text(&change["to"]), replay)
}
