//! Recordings of Gemini, one behaviour a test.

use super::log::{Log, elements, lines, recognised};

fn read(records: &[&str]) -> Log {
    lines("gemini", format!("{}\n", records.join("\n")).as_bytes())
}

const HEADER: &str = r#"{"sessionId":"s","projectHash":"h","kind":"main"}"#;

/// A message of the model with these calls.
fn answer(id: &str, calls: &str) -> String {
    format!(r#"{{"id":"{id}","type":"gemini","content":"","toolCalls":[{calls}]}}"#)
}

fn state(id: &str, status: &str, response: &str) -> String {
    format!(
        r#"{{"id":"{id}","name":"f","args":{{}},"status":"{status}","result":[{{"functionResponse":{{"id":"{id}","name":"f","response":{response}}}}}]}}"#
    )
}

fn call(args: &str) -> String {
    format!(r#"{{"functionCall":{{"name":"w","args":{{"c":"{args}"}}}}}}"#)
}

fn back(result: &str) -> String {
    format!(r#"{{"functionResponse":{{"name":"w","response":{{"r":"{result}"}}}}}}"#)
}

fn content(role: &str, parts: &[&str]) -> String {
    format!(r#"{{"role":"{role}","parts":[{}]}}"#, parts.join(","))
}

fn request(contents: &[&str]) -> String {
    format!(r#"{{"contents":[{}]}}"#, contents.join(","))
}

#[test]
fn recognised_alone() {
    assert_eq!(recognised(&[HEADER]), ["gemini"]);
    let row = r#"{"type":"tool_use","tool_name":"f","tool_id":"a","parameters":{}}"#;
    let init = r#"{"type":"init","session_id":"s","model":"m"}"#;
    assert_eq!(recognised(&[init]), ["gemini"]);
    assert!(recognised(&[row]).contains(&"gemini"));
    let contents = request(&[&content("user", &[r#"{"text":"x"}"#])]);
    assert_eq!(recognised(&[&contents]), ["gemini"]);
}

#[test]
fn the_last_copy_of_a_message_counts() {
    let log = read(&[
        HEADER,
        r#"{"id":"u","type":"user","content":[{"text":"go"}]}"#,
        &answer("m", ""),
        &answer(
            "m",
            r#"{"id":"a","name":"f","args":{"x":1},"status":"awaiting_approval"}"#,
        ),
        &answer(
            "m",
            r#"{"id":"a","name":"f","args":{"x":2},"status":"success","result":[]}"#,
        ),
        r#"{"id":"m","type":"gemini","content":"more"}"#,
        &answer("n", &state("b", "success", r#"{"output":"y"}"#)),
    ]);
    let events = [
        r#"5: s: start - "go" {"kind":"main"}"#,
        r#"5: s: call 1 a f {"x":2}"#,
        "5: s: result a ok \"\"",
        "7: s: call 2 b f {}",
        "7: s: result b ok \"y\"",
    ];
    assert_eq!(log.events, events);
    assert!(log.notices.is_empty());
}

#[test]
fn a_message_that_is_written_again_later_repeats_no_call() {
    let log = read(&[
        HEADER,
        &answer(
            "m",
            r#"{"id":"a","name":"f","args":{},"status":"executing"}"#,
        ),
        &answer("n", &state("b", "success", r#"{"output":"y"}"#)),
        &answer("m", &state("a", "error", r#"{"error":"late"}"#)),
        &answer("n", &state("b", "success", r#"{"output":"y"}"#)),
    ]);
    let events = [
        "2: s: call 1 a f {}",
        "3: s: call 2 b f {}",
        "3: s: result b ok \"y\"",
        "4: s: result a error \"late\"",
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn what_the_user_cancelled_did_not_run() {
    let refused = r#"{"error":"[Operation Cancelled] Reason: User did not allow tool call"}"#;
    let begun = r#"{"error":"[Operation Cancelled] Reason: User cancelled tool execution."}"#;
    let calls = [
        state("a", "cancelled", refused),
        state("b", "cancelled", begun),
    ];
    let log = read(&[HEADER, &answer("m", &calls.join(","))]);
    assert_eq!(log.events[1], "2: s: call 1 a f {} recorded block");
    assert_eq!(log.events[2], "2: s: call 1 b f {}");
    assert!(log.events[3].starts_with("2: s: result b error"));
    assert_eq!(log.events.len(), 4);
}

#[test]
fn a_result_of_the_user_is_taken_where_the_call_has_none() {
    let row = |id: &str| {
        format!(
            r#"{{"id":"r{id}","type":"user","content":[{{"functionResponse":{{"id":"{id}","name":"f","response":{{"output":"{id}!"}}}}}}]}}"#
        )
    };
    let log = read(&[
        HEADER,
        &answer(
            "m",
            r#"{"id":"a","name":"f","args":{},"status":"executing"}"#,
        ),
        &row("a"),
        &answer(
            "n",
            r#"{"id":"b","name":"f","args":{},"status":"executing"}"#,
        ),
        &answer("o", ""),
        &row("b"),
        &row("b"),
    ]);
    let results: Vec<_> = log.events.iter().filter(|e| e.contains("result")).collect();
    assert_eq!(
        results,
        ["2: s: result a - \"a!\"", "6: s: result b - \"b!\""]
    );
}

#[test]
fn the_prompt_is_the_users_own() {
    let log = read(&[
        HEADER,
        r#"{"$set":{"messages":[{"id":"c","type":"user","content":[{"text":"<session_context>x"}]}]}}"#,
        r#"{"id":"u","type":"user","content":"go"}"#,
        r#"{"$rewindTo":"u"}"#,
        r#"{"$push":{}}"#,
        r#"{"id":"x","type":"hologram"}"#,
    ]);
    assert_eq!(log.events, [r#"1: s: start - "go" {"kind":"main"}"#]);
    assert_eq!(
        log.notices,
        ["warning assumed 5:1 s", "warning assumed 6:1 s"]
    );
}

#[test]
fn calls_without_an_id_are_paired_in_order() {
    let go = content("user", &[r#"{"text":"weather?"}"#]);
    let log = read(&[&request(&[
        &go,
        &content("model", &[&call("A"), &call("B")]),
        &content("user", &[&back("rain"), &back("sun")]),
    ])]);
    let events = [
        r#"1: stem-1: start - "weather?" -"#,
        r#"1: stem-1: call 1 call-1 w {"c":"A"}"#,
        r#"1: stem-1: call 1 call-2 w {"c":"B"}"#,
        r#"1: stem-1: result call-1 - {"r":"rain"}"#,
        r#"1: stem-1: result call-2 - {"r":"sun"}"#,
    ];
    assert_eq!(log.events, events);
    let lost = read(&[&request(&[
        &go,
        &content("model", &[&call("A")]),
        &go,
        &content("model", &[&call("B")]),
        &content("user", &[&back("sun")]),
    ])]);
    assert_eq!(lost.events[3], r#"1: stem-1: result call-2 - {"r":"sun"}"#);
}

#[test]
fn a_log_of_requests_counts_a_call_once() {
    let go = content("user", &[r#"{"text":"go"}"#]);
    let asks = content("model", &[&call("A"), &call("A")]);
    let gets = content("user", &[&back("x"), &back("y")]);
    let response = format!(r#"{{"candidates":[{{"content":{asks}}}]}}"#);
    let both = format!(r#"{{"request":{},"response":{response}}}"#, request(&[&go]));
    let log = read(&[
        &both,
        &request(&[&go, &asks, &gets]),
        &request(&[&go, &asks, &gets, &asks, &gets]),
        &request(&[&content("user", &[r#"{"text":"other"}"#]), &asks]),
    ]);
    let calls: Vec<_> = log.events.iter().filter(|e| e.contains(" call ")).collect();
    assert_eq!(
        calls,
        [
            r#"1: stem-1: call 1 call-1 w {"c":"A"}"#,
            r#"1: stem-1: call 1 call-2 w {"c":"A"}"#,
            r#"3: stem-1: call 2 call-3 w {"c":"A"}"#,
            r#"3: stem-1: call 2 call-4 w {"c":"A"}"#,
            r#"4: stem-4: call 1 call-1 w {"c":"A"}"#,
            r#"4: stem-4: call 1 call-2 w {"c":"A"}"#,
        ]
    );
    assert_eq!(
        log.events.iter().filter(|e| e.contains("result")).count(),
        4
    );
    assert!(log.notices.is_empty());
}

#[test]
fn contents_that_stand_alone_are_one_run() {
    let contents = [
        content("user", &[r#"{"text":"go"}"#]),
        content("model", &[&call("A")]),
        content("user", &[&back("x")]),
        content("model", &[r#"{"text":"done"}"#]),
    ];
    let log = elements("gemini", format!("[{}]", contents.join(",")).as_bytes());
    let events = [
        "1: -: start - \"go\" -",
        r#"2: -: call 1 call-1 w {"c":"A"}"#,
        r#"3: -: result call-1 - {"r":"x"}"#,
        "4: -: end answered",
    ];
    assert_eq!(log.events, events);
}

#[test]
fn what_cannot_be_read_is_told() {
    let log = read(&[
        r#"{"contents":3}"#,
        r#"{"contents":[{"role":"user","parts":{}},{"role":"ghost","parts":[]},5]}"#,
        r#"{"contents":[{"parts":[{"functionCall":{"name":""}},{"hologram":1},7]}]}"#,
        r#"{"x":1}"#,
        r#"{"contents":[],"contents":[]}"#,
    ]);
    let notices = [
        "fault bad_field 1:1 -",
        "fault bad_field 2:1 stem-2",
        "fault bad_field 2:1 stem-2",
        "fault bad_field 2:1 stem-2",
        "fault bad_field 3:1 stem-3",
        "warning assumed 3:1 stem-3",
        "fault bad_field 3:1 stem-3",
        "fault missing_field 4:1 -",
        "fault duplicate_key 5:1 -",
    ];
    assert_eq!(log.notices, notices);
}
