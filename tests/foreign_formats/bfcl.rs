//! Results of BFCL, one behaviour a test.

use super::log::{Log, lines, recognised};

fn read(record: &str) -> Log {
    lines("bfcl", format!("{record}\n").as_bytes())
}

#[test]
fn recognised_by_id_and_result() {
    let single = r#"{"id":"simple_java_3","result":[{"f":"{}"}],"latency":1.0}"#;
    let multi = r#"{"id":"multi_turn_miss_func_1","result":[[[{"f":"{}"}]]]}"#;
    let text = r#"{"id":"live_relevance_2-2-0","result":"sorry","output_token_count":2}"#;
    assert_eq!(recognised(&[single, multi, text]), ["bfcl"]);
    let canonical = r#"{"id":"simple_1","tool":"f","result":[{"f":"{}"}]}"#;
    assert_eq!(recognised(&[canonical]), ["canonical"]);
}

#[test]
fn other_records_of_benchmarks_are_no_known_format() {
    for other in [
        r#"{"query":"q","available_tools":[],"answer":{"method":"DFS","total_steps":1,"final_answer":"","answer_details":[{"role":"system","message":"","next":[{"role":"tool","message":"{'name': 'f', 'arguments': {}, 'response': ''}","next":[]}]}]}}"#,
        r#"{"win":true,"try_count":1,"tree":{"tree":{"is_terminal":false,"node_type":"Action","description":"f","children":[]}},"answer_generation":{"train_messages":[[{"role":"user","content":"q"}]]}}"#,
        r#"{"id":"Step 1: q","conversations":[{"from":"system","value":"x"},{"from":"assistant","value":"Action: f"}]}"#,
        r#"{"id":"simple_0","model_name":"m","test_category":"simple","valid":false,"error":["x"]}"#,
    ] {
        assert_eq!(recognised(&[other]), [] as [&str; 0], "{other}");
    }
}

#[test]
fn calls_that_are_written_as_text_are_a_fault() {
    let log = read(r#"{"id":"simple_0","result":"[area(base=10)]"}"#);
    assert_eq!(log.notices, ["fault bad_field 1:1 simple_0"]);
    let log = read(r#"{"id":"multi_turn_base_0","result":[["[ls()]","done"]]}"#);
    assert_eq!(log.notices, ["fault bad_field 1:1 multi_turn_base_0"]);
}

#[test]
fn names_can_be_anything_but_empty() {
    let log = read(r#"{"id":"simple_0","result":[{"":"{}"},{"a?b<|end|>":"{}","c":"x"},7]}"#);
    let calls: Vec<_> = log.events.iter().skip(1).collect();
    let expected = [
        "1: simple_0: call 1 call-1 a?b<|end|> {}",
        "1: simple_0: call 1 call-2 c \"x\"",
    ];
    assert_eq!(calls, expected.iter().collect::<Vec<_>>());
    let notices = [
        "fault bad_field",
        "warning unparsed_arguments",
        "fault bad_field",
    ];
    assert_eq!(
        log.notices,
        notices.map(|what| format!("{what} 1:1 simple_0"))
    );
}

#[test]
fn a_record_needs_id_and_result() {
    assert_eq!(
        read(r#"{"result":[]}"#).notices,
        ["fault missing_field 1:1 -"]
    );
    assert_eq!(
        read(r#"{"id":"simple_0"}"#).notices,
        ["fault missing_field 1:1 simple_0"]
    );
    let twice = r#"{"id":"simple_0","result":[],"result":[{"f":"{}"}]}"#;
    assert_eq!(read(twice).notices, ["fault duplicate_key 1:1 -"]);
}
