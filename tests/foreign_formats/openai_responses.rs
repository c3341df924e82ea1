//! OpenAI Responses, one behaviour a test.

use super::log::{Log, lines, recognised};

const USER: &str = r#"{"role":"user","content":"go"}"#;

fn call(id: &str) -> String {
    format!(r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}}"#)
}

fn output(id: &str) -> String {
    format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"x"}}"#)
}

fn read(records: &[&str]) -> Log {
    lines(
        "openai_responses",
        format!("{}\n", records.join("\n")).as_bytes(),
    )
}

#[test]
fn recognised_next_to_the_formats_that_hold_such_items() {
    let item = call("a");
    let ours = ["openai_responses"];
    assert_eq!(recognised(&[USER, &item, &output("a")]), ours);
    assert_eq!(recognised(&[&format!(r#"{{"output":[{item}]}}"#)]), ours);
    assert_eq!(
        recognised(&[&format!(r#"{{"input":[{USER},{item}]}}"#)]),
        ours
    );
    let header = r#"{"id":"s","timestamp":"2025-07-01T00:00:00Z","instructions":null}"#;
    assert_eq!(recognised(&[header, &item]), ["codex"]);
    let row = format!(r#"{{"type":"response_item","payload":{item}}}"#);
    assert_eq!(recognised(&[&row]), ["codex"]);
    assert_eq!(recognised(&[USER]), ["openai_chat"]);
}

#[test]
fn items_are_one_run_and_calls_before_a_result_one_turn() {
    let log = read(&[
        USER,
        &call("a"),
        &call("b"),
        &output("b"),
        &output("a"),
        &call("c"),
    ]);
    let events = [
        "1: -: start - \"go\" -",
        "2: -: call 1 a f {}",
        "3: -: call 1 b f {}",
        "4: -: result b - \"x\"",
        "5: -: result a - \"x\"",
        "6: -: call 2 c f {}",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, [] as [&str; 0]);
}

#[test]
fn an_id_that_comes_back_is_another_call_unless_a_request_repeats_it() {
    let log = read(&[&call("a"), &call("a")]);
    assert_eq!(log.events[2], "2: -: call 1 a#2 f {}");
    let request = |items: &[&str]| format!(r#"{{"input":[{}]}}"#, items.join(","));
    let (a, b) = (call("a"), call("b"));
    let log = read(&[&request(&[USER, &a]), &request(&[USER, &a, &b])]);
    let events = [
        "1: stem-1: start - \"go\" -",
        "1: stem-1: call 1 a f {}",
        "2: stem-1: call 2 b f {}",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning repeated_call 2:1 stem-1"]);
}

#[test]
fn requests_that_begin_anew_are_runs_of_their_own() {
    let request = |id: &str| format!(r#"{{"input":[{USER},{}]}}"#, call(id));
    let log = read(&[&request("a"), &request("a")]);
    assert_eq!(log.events[3], "2: stem-2: call 1 a f {}");
}

#[test]
fn a_response_belongs_to_the_run_of_the_one_before_it() {
    let log = read(&[
        &format!(r#"{{"id":"r1","input":"go","output":[{}]}}"#, call("a")),
        &format!(
            r#"{{"id":"r2","previous_response_id":"r1","input":[{}],"output":[{}]}}"#,
            output("a"),
            call("b")
        ),
        &format!(
            r#"{{"conversation":{{"id":"conv_1"}},"output":[{}]}}"#,
            call("c")
        ),
        &format!(r#"{{"response_id":"r3","output":[{}]}}"#, call("d")),
        &format!(r#"{{"response_id":"r4","output":[{}]}}"#, call("e")),
    ]);
    let calls: Vec<_> = log
        .events
        .iter()
        .filter(|e| e.contains(": call "))
        .collect();
    let expected = [
        "1: stem-1: call 1 a f {}",
        "2: stem-1: call 2 b f {}",
        "3: conv_1: call 1 c f {}",
        "4: -: call 1 d f {}",
        "5: -: call 2 e f {}",
    ];
    let mut calls: Vec<_> = calls.into_iter().cloned().collect();
    calls.sort();
    assert_eq!(calls, expected);
    assert_eq!(log.notices, ["warning assumed 5:1 -"]);
}

#[test]
fn approvals_say_what_became_of_a_request() {
    let request = |id: &str| {
        format!(
            r#"{{"type":"mcp_approval_request","id":"{id}","server_label":"s","name":"f","arguments":"{{}}"}}"#
        )
    };
    let answer = |id: &str, approve: bool| {
        format!(
            r#"{{"type":"mcp_approval_response","approval_request_id":"{id}","approve":{approve}}}"#
        )
    };
    let ran = r#"{"type":"mcp_call","id":"m","approval_request_id":"y","server_label":"s","name":"f","arguments":"{}","output":"o"}"#;
    let log = read(&[
        &request("n"),
        &answer("n", false),
        &request("y"),
        &answer("y", true),
        ran,
        &request("late"),
        &answer("late", true),
        &request("open"),
        &answer("gone", true),
    ]);
    let events = [
        "2: -: start - \"-\" -",
        "2: -: call 1 n mcp__s__f {} recorded block",
        "5: -: call 2 m mcp__s__f {} recorded allow approval approved",
        "5: -: result m - \"o\"",
        "6: -: call 3 late mcp__s__f {} recorded allow approval approved",
        "8: -: call 4 open mcp__s__f {} recorded escalate",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning orphan_approval 9:1 stem"]);
}

#[test]
fn what_is_not_an_item_is_told() {
    let log = read(&[
        r#"{"input":[1,{}]}"#,
        r#"{"output":"x"}"#,
        r#"{"type":"new_thing"}"#,
        r#"{"type":"new_call","call_id":"a"}"#,
        r#"{"type":"mcp_approval_response","approval_request_id":"r","approve":"yes"}"#,
    ]);
    let notices = [
        "fault bad_field 1:1 stem-1",
        "fault missing_field 1:1 stem-1",
        "fault missing_field 2:1 stem",
        "warning assumed 3:1 stem",
        "warning assumed 4:1 stem",
        "fault bad_field 5:1 stem",
    ];
    assert_eq!(log.notices, notices);
    assert!(
        log.events
            .contains(&"4: -: call 1 a new {} unknown".to_owned())
    );
}
