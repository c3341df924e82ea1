//! The JSON Schema of states files says what the reader takes: whatever is read is valid, and what a
//! schema can tell of a faulty file it tells.

use super::{root, schema};
use gate::verify::states::{Pairing, StatesFile};
use serde_json::Value;

fn validator() -> jsonschema::Validator {
    jsonschema::draft202012::new(&schema("states.json")).expect("a schema")
}

/// Whether every value of the text is valid: the one there is, or the transition of each line.
fn valid(schema: &jsonschema::Validator, text: &str) -> bool {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    values
        .into_iter()
        .all(|v| v.is_ok_and(|v| schema.is_valid(&v)))
}

fn read(text: &str, pairing: Pairing) -> bool {
    let file = StatesFile::read(text.as_bytes(), 0, pairing);
    file.is_ok_and(|file| file.notices.iter().all(|notice| !notice.kind.is_fault()))
}

#[test]
fn every_states_file_of_the_fixtures_is_valid() {
    let schema = validator();
    let mut seen = 0;
    for folder in ["fixtures/docs", "fixtures/cases", "fixtures/lab"] {
        for entry in std::fs::read_dir(root().join(folder)).expect(folder) {
            let path = entry.expect(folder).path();
            let name = path
                .file_name()
                .expect("a file")
                .to_string_lossy()
                .into_owned();
            if !(name.contains("states") || name.contains("transitions")) {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("text");
            assert!(read(&text, Pairing::Zip), "{name}");
            assert!(valid(&schema, &text), "{name}");
            seen += 1;
        }
    }
    assert!(seen >= 4, "{seen}");
}

#[test]
fn what_is_read_is_valid() {
    let schema = validator();
    for text in [
        r#"{"states":[{"step_count":1},{"step_count":2}],"actions":["a",{"tool":"b"}]}"#,
        r#"{"transitions":[{"state":{"step_count":1},"action":"a"}]}"#,
        r#"[{"state":{},"action":{"name":"b","labels":["x"],"input":{"a":1}}}]"#,
        r#"{"state":{},"action":{"tool_name":"b"},"next":null}"#,
        "{\"state\":{},\"action\":\"a\"}\n{\"state\":{\"step_count\":2.0},\"action\":\"b\"}",
        r#"{"states":[{}]}"#,
        r#"{"states":[],"actions":[]}"#,
        r#"{"states":[],"actions":null,"transitions":null}"#,
        r#"[]"#,
        r#"{"states":[{"phase":null,"tool_history":null}],"actions":[{"tool":"a","note":7}]}"#,
        r#"[{"state":{"resource_usage":{"cost_usd":1e-2,"tokens":3}},"action":{"tool":"a",
            "type":"tool_call","metadata":{"estimated_cost":0.25},"error":true,"turn":3,
            "context_embedding":[],"args_unknown":true,"result":"x","decision":"allow"}}]"#,
        r#"[{"state":{"step_count":18446744073709551615},"action":"a"}]"#,
        r#"[{"state":{"resource_usage":{"cost_usd":1e18}},"action":"a"}]"#,
        r#"[{"state":{"loop_count":1e16,"step_count":1.2e1},"action":"a"}]"#,
        r#"[{"state":{},"action":{"tool":"a","args":null,"argv":["x"],"args_unknown":false}}]"#,
        r#"[{"state":{},"action":{"tool":"a","argv":["x"],"payload":1,"input":null}}]"#,
    ] {
        assert!(read(text, Pairing::Zip), "{text}");
        assert!(valid(&schema, text), "{text}");
    }
    // Each with each: the numbers may differ, which the schema does not look at.
    let cross = r#"{"states":[{},{}],"actions":["a","b","c"]}"#;
    assert!(read(cross, Pairing::Cross) && valid(&schema, cross));
}

#[test]
fn what_is_wrong_is_told_where_a_schema_can_tell() {
    let schema = validator();
    for (text, tells) in [
        (r#"{"states":[{"stepcount":1}],"actions":["a"]}"#, true),
        (r#"{"states":[{"colour":1}],"actions":["a"]}"#, true),
        (r#"{"states":[{"step_count":-1}],"actions":["a"]}"#, true),
        (r#"{"states":[{"step_count":1.5}],"actions":["a"]}"#, true),
        (r#"{"states":[{"phase":"acting"}],"actions":["a"]}"#, true),
        (
            r#"{"states":[{"resource_usage":{"usd":1}}],"actions":["a"]}"#,
            true,
        ),
        (
            r#"{"states":[{"resource_usage":{"cost_usd":-1}}],"actions":["a"]}"#,
            true,
        ),
        // More than adds up exactly.
        (
            r#"{"states":[{"resource_usage":{"cost_usd":1.1e18}}],"actions":["a"]}"#,
            true,
        ),
        (
            r#"[{"state":{},"action":{"tool":"a","estimated_cost":2e18}}]"#,
            true,
        ),
        (
            r#"{"states":[{"context_embedding":["x"]}],"actions":["a"]}"#,
            true,
        ),
        (r#"{"states":[1,2],"actions":[]}"#, true),
        (r#"{"states":[{},{}]}"#, true),
        (r#"{"states":[],"actions":["a"]}"#, true),
        (r#"{"actions":["a"]}"#, true),
        (r#"{"states":[{}],"actions":["a"],"transitions":[]}"#, true),
        (r#"{"states":[{}],"actions":["a"],"note":1}"#, true),
        (r#"{}"#, true),
        ("7", true),
        (r#"[{"state":{}}]"#, true),
        (r#"[{"action":"a"}]"#, true),
        (r#"[{"state":null,"action":"a"}]"#, true),
        (r#"[{"state":{},"action":""}]"#, true),
        (r#"[{"state":{},"action":{}}]"#, true),
        (r#"[{"state":{},"action":{"tool":"a","name":"a"}}]"#, true),
        (
            r#"[{"state":{},"action":{"tool":"a","args":1,"input":1}}]"#,
            true,
        ),
        (
            r#"[{"state":{},"action":{"tool":"a","input":"a","argv":["x"]}}]"#,
            true,
        ),
        (
            r#"[{"state":{},"action":{"tool":"a","args":1,"payload":2}}]"#,
            true,
        ),
        (
            r#"[{"state":{},"action":{"tool":"a","arguments":1,"args_unknown":true}}]"#,
            true,
        ),
        (
            r#"[{"state":{},"action":{"tool":"a","payload":1,"args_unknown":true}}]"#,
            true,
        ),
        (
            r#"[{"state":{},"action":{"tool":"a","estimated_cost":1,"metadata":{"estimated_cost":1}}}]"#,
            true,
        ),
        (r#"[{"state":{"loop_count":2e19},"action":"a"}]"#, true),
        (r#"[{"state":{},"action":{"tool":"a","labels":"x"}}]"#, true),
        (
            r#"[{"state":{},"action":{"tool":"a","type":"tool_result"}}]"#,
            true,
        ),
        (r#"[{"state":{},"action":"a","nxt":{}}]"#, true),
        // What follows takes a look at several places, or at how words are spelled.
        (r#"{"states":[{},{}],"actions":["a"]}"#, false),
        (
            r#"[{"state":{},"action":{"tool":"a","label":["x"]}}]"#,
            false,
        ),
        (
            r#"[{"state":{"context_embedding":[1],"action_embedding":[1,2]},"action":"a"}]"#,
            false,
        ),
    ] {
        assert!(!read(text, Pairing::Zip), "{text}");
        assert_eq!(!valid(&schema, text), tells, "{text}");
    }
}
