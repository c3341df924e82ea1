//! Anthropic messages, one behaviour a test.

use super::log::{Log, elements, lines, recognised};

fn read(records: &[&str]) -> Log {
    lines("anthropic", format!("{}\n", records.join("\n")).as_bytes())
}

/// A record of one conversation with these messages.
fn list(messages: &[&str]) -> String {
    format!(r#"{{"model":"m","messages":[{}]}}"#, messages.join(","))
}

fn call(id: &str) -> String {
    format!(
        r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"f","input":{{"n":"{id}"}}}}]}}"#
    )
}

fn result(id: &str) -> String {
    format!(
        r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{id}!"}}]}}"#
    )
}

fn response(message: &str, id: &str) -> String {
    format!(
        r#"{{"id":"{message}","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","content":[{{"type":"tool_use","id":"{id}","name":"f","input":{{"n":"{id}"}}}}]}}"#
    )
}

const GO: &str = r#"{"role":"user","content":"go"}"#;
const DONE: &str = r#"{"role":"assistant","content":[{"type":"text","text":"done"}]}"#;

#[test]
fn recognised_alone() {
    assert_eq!(recognised(&[&list(&[GO, &call("a")])]), ["anthropic"]);
    assert_eq!(recognised(&[GO, &call("a")]), ["anthropic"]);
    assert_eq!(recognised(&[&response("m1", "a")]), ["anthropic"]);
}

#[test]
fn a_conversation_is_a_run() {
    let log = read(&[&list(&[GO, &call("a"), &result("a"), DONE])]);
    let events = [
        r#"1: stem-1: start - "go" {"model":"m"}"#,
        r#"1: stem-1: call 1 a f {"n":"a"}"#,
        r#"1: stem-1: result a ok "a!""#,
        "1: stem-1: end answered",
    ];
    assert_eq!(log.events, events);
    assert!(log.notices.is_empty());
}

#[test]
fn single_messages_are_one_run() {
    let messages = [GO, &call("a"), &result("a"), DONE].join(",");
    let log = elements("anthropic", format!("[{messages}]").as_bytes());
    let events = [
        "1: -: start - \"go\" -",
        r#"2: -: call 1 a f {"n":"a"}"#,
        "3: -: result a ok \"a!\"",
        "4: -: end answered",
    ];
    assert_eq!(log.events, events);
}

#[test]
fn messages_of_the_assistant_that_follow_each_other_are_one_turn() {
    let log = read(&[&list(&[
        GO,
        &call("a"),
        &call("b"),
        &result("a"),
        &result("b"),
        &call("c"),
    ])]);
    let events = [
        r#"1: stem-1: call 1 a f {"n":"a"}"#,
        r#"1: stem-1: call 1 b f {"n":"b"}"#,
        "1: stem-1: result a ok \"a!\"",
        "1: stem-1: result b ok \"b!\"",
        r#"1: stem-1: call 2 c f {"n":"c"}"#,
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn a_log_of_requests_counts_a_call_once() {
    let log = read(&[
        &list(&[GO]),
        &list(&[GO, &call("a"), &result("a")]),
        &list(&[GO, &call("a"), &result("a"), &call("b"), &result("b")]),
        &list(&[
            r#"{"role":"user","content":"other"}"#,
            &call("z"),
            &result("z"),
        ]),
        &list(&[GO, &call("a"), &result("a"), &call("b"), &result("b"), DONE]),
    ]);
    let events = [
        r#"1: stem-1: start - "go" {"model":"m"}"#,
        r#"2: stem-1: call 1 a f {"n":"a"}"#,
        "2: stem-1: result a ok \"a!\"",
        r#"3: stem-1: call 2 b f {"n":"b"}"#,
        "3: stem-1: result b ok \"b!\"",
        r#"4: stem-4: start - "other" {"model":"m"}"#,
        r#"4: stem-4: call 1 z f {"n":"z"}"#,
        "4: stem-4: result z ok \"z!\"",
        "5: stem-1: end answered",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning repeated_call 3:1 stem-1"]);
}

#[test]
fn responses_are_told_again_by_the_next_request() {
    let exchange =
        |request: &str, response: &str| format!(r#"{{"request":{request},"response":{response}}}"#);
    let refused = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","is_error":true,"content":"The user doesn't want to proceed with this tool use. Stop."}]}"#;
    let log = read(&[
        &exchange(&list(&[GO]), &response("m1", "a")),
        &exchange(&list(&[GO, &call("a"), &result("a")]), &response("m2", "b")),
        &list(&[GO, &call("a"), &result("a"), &call("b"), refused]),
    ]);
    let events = [
        r#"1: stem-1: call 1 a f {"n":"a"}"#,
        "2: stem-1: result a ok \"a!\"",
        r#"2: stem-1: call 2 b f {"n":"b"} recorded block"#,
    ];
    assert_eq!(log.events[1..], events);
    let notices = [
        "warning assumed 3:1 stem-1",
        "warning repeated_call 2:1 stem-1",
    ];
    assert_eq!(log.notices, notices);
}

#[test]
fn tools_of_the_server_are_called_and_answered_in_one_message() {
    let message = r#"{"role":"assistant","content":[
        {"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"q"}},
        {"type":"web_search_tool_result","tool_use_id":"s1","content":{"type":"web_search_tool_result_error","error_code":"x"}},
        {"type":"mcp_tool_use","id":"s2","name":"find","server_name":"docs","input":{}},
        {"type":"mcp_tool_result","tool_use_id":"s2","is_error":false,"content":[{"type":"text","text":"y"}]},
        {"type":"text","text":"both"}]}"#
        .replace('\n', "");
    let log = read(&[&list(&[GO, &message])]);
    let events = [
        r#"1: stem-1: call 1 s1 web_search {"query":"q"}"#,
        r#"1: stem-1: result s1 error {"type":"web_search_tool_result_error","error_code":"x"}"#,
        "1: stem-1: call 1 s2 mcp__docs__find {}",
        "1: stem-1: result s2 ok \"y\"",
        "1: stem-1: end answered",
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn a_prompt_may_follow_results_in_one_message() {
    let both = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"},{"type":"text","text":"and on"}]}"#;
    let log = read(&[&list(&[GO, &call("a"), both, &call("b"), GO])]);
    let events = [
        r#"1: stem-1: call 1 a f {"n":"a"}"#,
        "1: stem-1: result a ok \"x\"",
        r#"1: stem-1: call 2 b f {"n":"b"}"#,
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn results_are_never_paired_by_position() {
    let loose =
        r#"{"role":"user","content":[{"type":"tool_result","content":"boom","is_error":true}]}"#;
    let log = read(&[&list(&[GO, &call("a"), loose, &result("a")])]);
    let events = [
        "1: stem-1: result  error \"boom\"",
        r#"1: stem-1: call 1 a f {"n":"a"}"#,
        "1: stem-1: result a ok \"a!\"",
    ];
    assert_eq!(log.events[1..], events);
    assert_eq!(log.notices, ["warning assumed 1:1 stem-1"]);
}

#[test]
fn batches_name_their_conversations() {
    let params = format!(r#"{{"custom_id":"q7","params":{}}}"#, list(&[GO]));
    let message = response("m1", "a");
    let back =
        format!(r#"{{"custom_id":"q7","result":{{"type":"succeeded","message":{message}}}}}"#);
    let failed = r#"{"custom_id":"q8","result":{"type":"errored","error":{"type":"error"}}}"#;
    let log = read(&[&params, &back, failed]);
    assert_eq!(log.events[1..], [r#"2: q7: call 1 a f {"n":"a"}"#]);
    assert_eq!(log.notices, ["warning assumed 3:1 -"]);
}

#[test]
fn many_conversations_are_not_kept() {
    let records: Vec<_> = (0..40)
        .map(|n| format!(r#"{{"id":{n},"messages":[{GO},{DONE}]}}"#))
        .collect();
    let records: Vec<_> = records.iter().map(String::as_str).collect();
    let log = read(&records);
    assert_eq!(log.events.len(), 80);
    assert_eq!(log.events[33], "1: 0: end answered");
}

#[test]
fn what_cannot_be_read_is_told() {
    let log = read(&[
        r#"{"model":"m"}"#,
        r#"{"messages":{}}"#,
        r#"{"messages":[3,{"role":"critic","content":"x"},{"content":"x"},{"role":"user"}]}"#,
        r#"{"messages":[{"role":"user","role":"assistant","content":"x"}]}"#,
        r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":""},{"type":"hologram"},{}]}]}"#,
        r#"{"type":"error","error":{"type":"overloaded_error"}}"#,
    ]);
    let notices = [
        "fault missing_field 1:1 -",
        "fault bad_field 2:1 -",
        "fault bad_field 3:1 stem-3",
        "fault bad_field 3:1 stem-3",
        "fault missing_field 3:1 stem-3",
        "fault missing_field 3:1 stem-3",
        "fault duplicate_key 4:1 stem-4",
        "fault bad_field 5:1 stem-5",
        "warning assumed 5:1 stem-5",
        "fault bad_field 5:1 stem-5",
        "warning assumed 6:1 -",
    ];
    assert_eq!(log.notices, notices);
}
