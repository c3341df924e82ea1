//! Sessions of the Agent Development Kit, one behaviour a test.

use super::log::{Log, elements, lines, recognised};

fn read(records: &[&str]) -> Log {
    lines("adk", format!("{}\n", records.join("\n")).as_bytes())
}

fn event(author: &str, part: &str, more: &str) -> String {
    format!(r#"{{"author":"{author}","invocationId":"i","content":{{"parts":[{part}]}}{more}}}"#)
}

fn call(id: &str, args: &str) -> String {
    format!(r#"{{"functionCall":{{"id":"{id}","name":"f","args":{args}}}}}"#)
}

fn back(id: &str, response: &str) -> String {
    format!(r#"{{"functionResponse":{{"id":"{id}","name":"f","response":{response}}}}}"#)
}

/// The framework's question about the call `a`.
const ASK: &str = r#"{"functionCall":{"id":"q","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"a","name":"f","args":{}}}}}"#;

const PLACEHOLDER: &str = r#","actions":{"requestedToolConfirmations":{"a":{"confirmed":false}}}"#;

fn answered(response: &str) -> String {
    format!(
        r#"{{"functionResponse":{{"id":"q","name":"adk_request_confirmation","response":{response}}}}}"#
    )
}

#[test]
fn recognised_alone() {
    let event = event("a", &call("x", "{}"), "");
    assert_eq!(recognised(&[&event]), ["adk"]);
    assert_eq!(
        recognised(&[&format!(r#"{{"id":"s","events":[{event}]}}"#)]),
        ["adk"]
    );
    assert_eq!(
        recognised(&[r#"{"eval_cases":[{"conversation":[]}]}"#]),
        ["adk"]
    );
}

#[test]
fn lines_elements_and_a_session_say_the_same() {
    let events = [
        event("user", r#"{"text":"go"}"#, ""),
        event("bot", &call("a", r#"{"x":1}"#), ""),
        event("bot", &back("a", r#"{"result":"y"}"#), ""),
    ];
    let expected = |run: &str, places: [u32; 3]| {
        [
            format!("{}: {run}: start - \"go\" -", places[0]),
            format!("{}: {run}: call 1 a f {{\"x\":1}}", places[1]),
            format!("{}: {run}: result a - \"y\"", places[2]),
        ]
    };
    let events = events.each_ref().map(String::as_str);
    assert_eq!(read(&events).events, expected("-", [1, 2, 3]));
    let array = format!("[{}]", events.join(","));
    assert_eq!(
        elements("adk", array.as_bytes()).events,
        expected("-", [1, 2, 3])
    );
    let session = format!(r#"{{"id":"s","events":{array}}}"#);
    assert_eq!(read(&[&session]).events, expected("s", [1, 1, 1]));
    let unnamed = format!(r#"{{"events":{array}}}"#);
    assert_eq!(read(&[&unnamed]).events, expected("stem-1", [1, 1, 1]));
}

#[test]
fn a_confirmed_call_is_approved() {
    for response in [
        r#"{"confirmed":true}"#,
        r#"{"response":"{\"confirmed\":true}"}"#,
    ] {
        let log = read(&[
            &event("bot", &call("a", "{}"), ""),
            &event("bot", ASK, ""),
            &event("bot", &back("a", r#"{"error":"confirm"}"#), PLACEHOLDER),
            &event("user", &answered(response), ""),
            &event("bot", &back("a", r#"{"output":"done"}"#), ""),
        ]);
        let events = [
            "1: -: start - \"-\" -",
            "1: -: call 1 a f {} recorded allow approval approved",
            "5: -: result a - \"done\"",
        ];
        assert_eq!(log.events, events);
        assert!(log.notices.is_empty());
    }
}

#[test]
fn a_call_that_was_not_confirmed_did_not_run() {
    let log = read(&[
        &event("bot", &call("a", "{}"), ""),
        &event("bot", &back("a", r#"{"error":"confirm"}"#), PLACEHOLDER),
        &event("bot", ASK, ""),
        &event("user", &answered(r#"{"confirmed":false}"#), ""),
        &event("bot", &back("a", r#"{"error":"rejected"}"#), ""),
    ]);
    assert_eq!(log.events[1..], ["1: -: call 1 a f {} recorded block"]);
    let open = read(&[
        &event("bot", &call("a", "{}"), ""),
        &event("bot", &back("a", r#"{"error":"confirm"}"#), PLACEHOLDER),
        &event("bot", ASK, ""),
    ]);
    assert_eq!(open.events[1..], ["1: -: call 1 a f {} recorded escalate"]);
    let late = read(&[
        &event("bot", &call("a", "{}"), ""),
        &event("bot", ASK, ""),
        &event("bot", &call("b", "{}"), ""),
        &event("user", &answered(r#"{"confirmed":true}"#), ""),
        &event("user", &answered(r#"{"confirmed":true}"#), ""),
    ]);
    let events = [
        "1: -: call 1 a f {} recorded escalate",
        "4: -: approval a approved user",
        "3: -: call 2 b f {}",
    ];
    assert_eq!(late.events[1..], events);
}

#[test]
fn what_a_long_running_tool_returned_last_is_its_result() {
    let waits = r#","longRunningToolIds":["a"]"#;
    let events = [
        event("bot", &call("a", "{}"), waits),
        event("bot", &back("a", r#"{"status":"pending"}"#), ""),
        event("bot", &call("b", "{}"), ""),
        event("bot", &back("b", "{}"), ""),
        event("user", &back("a", r#"{"status":"done"}"#), ""),
    ];
    let events = events.each_ref().map(String::as_str);
    let log = read(&events);
    let expected = [
        "1: -: call 1 a f {}",
        "3: -: call 2 b f {}",
        "4: -: result b - {}",
        r#"5: -: result a ok {"status":"done"}"#,
    ];
    assert_eq!(log.events[1..], expected);
    assert!(log.notices.is_empty());
    let session = format!(r#"{{"id":"s","events":[{}]}}"#, events.join(","));
    let last = read(&[&session]).events.pop();
    let expected = r#"1: s: result a ok {"status":"done"}"#;
    assert_eq!(last.as_deref(), Some(expected));
}

#[test]
fn agents_that_work_side_by_side_share_a_turn() {
    let of = |branch: &str| format!(r#","branch":"root.{branch}""#);
    let log = read(&[
        &event("a", &call("a1", "{}"), &of("a")),
        &event("b", &call("b1", "{}"), &of("b")),
        &event("b", &back("b1", "{}"), &of("b")),
        &event("a", &back("a1", "{}"), &of("a")),
        &event("a", &call("a2", "{}"), &of("a")),
        &event("a", &call("a3", "{}"), &of("a")),
    ]);
    let calls: Vec<_> = log.events.iter().filter(|e| e.contains(" call ")).collect();
    assert_eq!(
        calls,
        [
            "1: -: call 1 a1 f {}",
            "2: -: call 1 b1 f {}",
            "5: -: call 2 a2 f {}",
            "6: -: call 3 a3 f {}",
        ]
    );
}

#[test]
fn pieces_of_an_answer_are_left_out() {
    let log = read(&[
        &event("bot", &call("a", "{}"), r#","partial":true"#),
        &event("bot", &call("a", r#"{"x":1}"#), r#","partial":false"#),
    ]);
    assert_eq!(log.events[1..], [r#"2: -: call 1 a f {"x":1}"#]);
}

#[test]
fn events_name_their_session() {
    let log = read(&[
        &event("bot", &call("a", "{}"), r#","session_id":"s1""#),
        &event("bot", &call("a", "{}"), r#","session_id":"s2""#),
        &event("bot", &back("a", "{}"), r#","session_id":"s1""#),
    ]);
    let events = [
        "1: s1: call 1 a f {}",
        "3: s1: result a - {}",
        "2: s2: call 1 a f {}",
    ];
    assert_eq!(log.events[2..], events);
}

#[test]
fn what_cannot_be_read_is_told() {
    let log = read(&[
        r#"{"id":"s","events":{}}"#,
        r#"{"id":"s","events":[3,{"invocationId":"i"},{"author":"a","content":[]}]}"#,
        r#"{"author":"a","author":"b"}"#,
        r#"{"x":1}"#,
        r#"{"author":"a","content":{"parts":[{"functionCall":{"args":{}}}]}}"#,
        r#"{"eval_cases":[{"eval_id":5},{"conversation":[{"intermediate_data":{"tool_uses":[{"name":""}]}}]}]}"#,
    ]);
    let notices = [
        "fault bad_field 1:1 s",
        "fault bad_field 2:1 s",
        "fault missing_field 2:1 s",
        "fault bad_field 2:1 s",
        "fault duplicate_key 3:1 -",
        "fault missing_field 4:1 -",
        "fault missing_field 5:1 stem",
        "fault bad_field 6:1 -",
        "fault bad_field 6:1 stem-2",
    ];
    assert_eq!(log.notices, notices);
}
