//! AutoGen, one behaviour a test.

use super::fixtures::fixture;
use super::log::{Log, elements, lines, recognised, whole};

fn read(rows: &[&str]) -> Log {
    lines("autogen", format!("{}\n", rows.join("\n")).as_bytes())
}

fn request(source: &str, id: &str) -> String {
    format!(
        r#"{{"source":"{source}","content":[{{"id":"{id}","arguments":"{{}}","name":"f"}}],"type":"ToolCallRequestEvent"}}"#
    )
}

fn execution(id: &str, error: &str) -> String {
    format!(
        r#"{{"source":"a","content":[{{"content":"x","name":"f","call_id":"{id}","is_error":{error}}}],"type":"ToolCallExecutionEvent"}}"#
    )
}

#[test]
fn recognised_alone() {
    assert_eq!(recognised(&[&request("a", "x")]), ["autogen"]);
    let state = String::from_utf8(fixture("autogen_state.json")).expect("text");
    assert_eq!(recognised(&[&state]), ["autogen"]);
}

#[test]
fn stream_fixture() {
    let text = fixture("autogen_stream.jsonl");
    let log = lines("autogen", &text);
    let events = [
        r#"1: -: start - "Bake six loaves." -"#,
        r#"3: -: call 1 w1 weigh {"what":"flour"}"#,
        r#"3: -: call 1 w2 weigh {"what":"salt"}"#,
        r#"4: -: result w1 ok "3 kg""#,
        r#"4: -: result w2 error "the scales are full""#,
        "6: -: call 2 h1 transfer_to_oven {}",
        r#"7: -: result h1 - "Transferred.""#,
        "9: -: end answered",
    ];
    assert_eq!(log.events, events);
    let notices = [
        "warning assumed 6:1 stem",
        "warning repeated_call 10:1 stem",
    ];
    assert_eq!(log.notices, notices);
    let text = String::from_utf8(text).expect("text");
    let array = format!("[{}]", text.trim().replace('\n', ","));
    assert_eq!(elements("autogen", array.as_bytes()).events, log.events);
}

#[test]
fn a_result_of_a_task_is_a_run() {
    let text = String::from_utf8(fixture("autogen_stream.jsonl")).expect("text");
    let result = text.lines().last().expect("one");
    let log = whole("autogen", result.as_bytes());
    assert_eq!(log.events.len(), 8);
    let start = r#"1: stem-1: start - "Bake six loaves." {"stop_reason":"Text 'six' mentioned"}"#;
    assert_eq!(log.events[0], start);
    assert_eq!(log.events[7], "1: stem-1: end answered");
}

#[test]
fn state_fixture() {
    let log = whole("autogen", &fixture("autogen_state.json"));
    let events = [
        r#"1: stem-1: start - "Bake six loaves." -"#,
        r#"1: stem-1: call 1 w1 weigh {"what":"flour"}"#,
        r#"1: stem-1: call 1 w2 weigh {"what":"salt"}"#,
        r#"1: stem-1: result w1 ok "3 kg""#,
        r#"1: stem-1: result w2 error "the scales are full""#,
        r#"1: stem-1: call 2 k1 knead {"minutes":9}"#,
        r#"1: stem-1: result k1 ok "smooth""#,
        "1: stem-1: end answered",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning repeated_call 1:1 stem-1"]);
}

#[test]
fn agents_of_a_state_come_one_after_the_other() {
    let context = |source: &str| {
        let call = request(source, source).replace("ToolCallRequestEvent", "AssistantMessage");
        format!(r#"{{"agent_state":{{"llm_context":{{"messages":[{call}]}}}}}}"#)
    };
    let state = format!(
        r#"{{"type":"TeamState","team_id":"t","agent_states":{{"b":{},"a":{{"agent_state":{{"inner_team_state":{{"agent_states":{{"a":{}}}}}}}}}}}}}"#,
        context("b"),
        context("a")
    );
    let log = read(&[&state]);
    let events = ["1: t: call 1 b f {}", "1: t: call 2 a f {}"];
    assert_eq!(log.events[1..], events);
    assert_eq!(log.notices, ["warning assumed 1:1 t"]);
}

#[test]
fn code_that_an_agent_runs_is_a_call() {
    let code = r#"{"source":"c","content":"x","code_blocks":[{"code":"print(1)","language":"python"}],"type":"CodeGenerationEvent"}"#;
    let none = r#"{"source":"c","content":"x","code_blocks":[],"type":"CodeGenerationEvent"}"#;
    let ran = |code: u8| {
        format!(
            r#"{{"source":"c","result":{{"exit_code":{code},"output":"1"}},"type":"CodeExecutionEvent"}}"#
        )
    };
    let log = read(&[code, &ran(0), none, &ran(1)]);
    let events = [
        r#"1: -: call 1 call-1 code_executor {"code_blocks":[{"code":"print(1)","language":"python"}]}"#,
        "2: -: result call-1 ok \"1\"",
        "4: -: call 2 call-2 code_executor {} unknown",
        "4: -: result call-2 error \"1\"",
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn only_an_agent_answers() {
    let says =
        |source: &str| format!(r#"{{"source":"{source}","content":"x","type":"TextMessage"}}"#);
    let (call, result) = (request("a", "x"), execution("x", "false"));
    let ends = |last: &str| {
        let log = read(&[&call, &result, last]);
        log.events.last().is_some_and(|event| event.contains("end"))
    };
    assert!(ends(&says("a")));
    assert!(!ends(&says("user")));
    assert!(!ends(&result));
}

#[test]
fn unusable_messages_are_faults_and_unknown_ones_are_said() {
    let log = read(&[
        r#"{"source":"a","content":"x","type":"ToolCallRequestEvent"}"#,
        r#"{"source":"a","type":"ToolCallExecutionEvent"}"#,
        &request("a", "x").replace("\"f\"", "\"\""),
        &request("a", "x").replace("\"name\"", "\"id\""),
        &execution("x", "3"),
        r#"{"source":"a","content":"x","type":"News"}"#,
        r#"{"messages":3}"#,
        r#"{"messages":[3,{"content":"x"}]}"#,
        r#"{"n":3}"#,
        &request("a", "y").replace("\"arguments\":\"{}\",", ""),
    ]);
    let notices = [
        "fault bad_field 1:1 stem",
        "fault missing_field 2:1 stem",
        "fault bad_field 3:1 stem",
        "fault duplicate_key 4:1 stem",
        "fault bad_field 5:1 stem",
        "warning assumed 6:1 stem",
        "fault bad_field 7:1 -",
        "fault bad_field 8:1 stem-8",
        "fault missing_field 8:1 stem-8",
        "fault missing_field 9:1 -",
    ];
    assert_eq!(log.notices, notices);
    assert_eq!(
        log.events.last().expect("one"),
        "10: -: call 1 y f {} unknown"
    );
}
