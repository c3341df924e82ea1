//! Chat messages, one behaviour a test.

use super::log::{Log, elements, lines, recognised};

fn read(record: &str) -> Log {
    lines("openai_chat", format!("{record}\n").as_bytes())
}

/// A record of one run with these messages.
fn run(messages: &[&str]) -> Log {
    read(&format!(r#"{{"messages":[{}]}}"#, messages.join(",")))
}

/// A message with one call of `f`, its arguments as they stand in the record.
fn call(id: &str, arguments: &str) -> String {
    format!(
        r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"f","arguments":{arguments}}}}}]}}"#
    )
}

fn result(id: &str, content: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":{content}}}"#)
}

#[test]
fn recognised_next_to_claude_code() {
    assert_eq!(
        recognised(&[r#"{"role":"user","content":"x"}"#]),
        ["openai_chat"]
    );
    let list = r#"{"messages":[{"role":"user","content":"x"}]}"#;
    assert_eq!(recognised(&[list]), ["openai_chat"]);
}

#[test]
fn every_record_is_a_run() {
    let log = lines(
        "openai_chat",
        b"{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\nx\n{\"id\":7,\"messages\":[]}\n{\"messages\":[]}\n",
    );
    let events = [
        "1: stem-1: start - \"a\" -",
        "3: 7: start - \"-\" -",
        "4: stem-4: start - \"-\" -",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["fault malformed_json 2:1 -"]);
}

#[test]
fn messages_that_stand_alone_are_one_run() {
    let messages = [
        r#"{"role":"system","content":"be kind"}"#.to_owned(),
        r#"{"role":"user","content":[{"type":"text","text":"go"}]}"#.to_owned(),
        call("a", "\"{}\""),
        result("a", "\"x\""),
        r#"{"role":"assistant","content":"done"}"#.to_owned(),
    ];
    let log = elements(
        "openai_chat",
        format!("[{}]", messages.join(",")).as_bytes(),
    );
    let events = [
        "2: -: start - \"go\" -",
        "3: -: call 1 a f {}",
        "4: -: result a - \"x\"",
        "5: -: end answered",
    ];
    assert_eq!(log.events, events);
}

#[test]
fn only_an_answer_at_the_end_ends_a_run() {
    let answer = r#"{"role":"assistant","content":"done","tool_calls":[]}"#;
    let user = r#"{"role":"user","content":"thanks"}"#;
    assert_eq!(
        run(&[answer]).events.last().expect("one"),
        "1: stem-1: end answered"
    );
    assert_eq!(run(&[answer, user]).events.len(), 1);
    assert_eq!(run(&[&call("a", "\"{}\"")]).events.len(), 2);
}

#[test]
fn arguments_are_an_object_or_stay_text() {
    let log = run(&[
        &call("a", "\"\""),
        &call("b", r#""{\"x\": 1}""#),
        &call("c", r#"{"x":1}"#),
        &call("d", r#""{\"x\": ""#),
    ]);
    let calls: Vec<_> = log
        .events
        .iter()
        .filter_map(|e| e.split(" f ").nth(1))
        .collect();
    assert_eq!(calls, ["{}", r#"{"x":1}"#, r#"{"x":1}"#, r#""{\"x\": ""#]);
    let notices = [
        "warning assumed 1:1 stem-1",
        "warning unparsed_arguments 1:1 stem-1",
    ];
    assert_eq!(log.notices, notices);
}

#[test]
fn ids_that_come_back_are_made_unique() {
    let log = run(&[
        &call("a", "\"{}\""),
        &result("a", "\"1\""),
        &call("a", "\"{}\""),
        &call("a", "\"{}\""),
        &result("a", "\"3\""),
    ]);
    let events = [
        "1: stem-1: call 1 a f {}",
        "1: stem-1: result a - \"1\"",
        "1: stem-1: call 2 a#2 f {}",
        "1: stem-1: call 3 a#3 f {}",
        "1: stem-1: result a#3 - \"3\"",
    ];
    assert_eq!(log.events[1..], events);
    assert_eq!(log.notices, ["warning assumed 1:1 stem-1"]);
}

#[test]
fn results_are_never_paired_by_position() {
    let log = run(&[
        &call("a", "\"{}\""),
        r#"{"role":"tool","content":"x"}"#,
        &result("z", "null"),
    ]);
    let events = [
        "1: stem-1: result  - \"x\"",
        "1: stem-1: result z - -",
        "1: stem-1: call 1 a f {}",
    ];
    assert_eq!(log.events[1..], events);
    assert_eq!(log.notices, ["warning assumed 1:1 stem-1"]);
}

#[test]
fn older_function_calls_are_paired_by_name() {
    let old = |name: &str| {
        format!(r#"{{"role":"assistant","function_call":{{"name":"{name}","arguments":"{{}}"}}}}"#)
    };
    let back = |name: &str, text: &str| {
        format!(r#"{{"role":"function","name":"{name}","content":"{text}"}}"#)
    };
    let log = run(&[
        &old("f"),
        &old("g"),
        &old("f"),
        &back("f", "1"),
        &back("g", "2"),
        &back("f", "3"),
        &back("f", "4"),
    ]);
    let results: Vec<_> = log
        .events
        .iter()
        .filter_map(|e| e.split("result ").nth(1))
        .collect();
    assert_eq!(
        results,
        [
            "call-1 - \"1\"",
            "call-2 - \"2\"",
            "call-3 - \"3\"",
            " - \"4\""
        ]
    );
    assert_eq!(log.notices, ["warning assumed 1:1 stem-1"]);
}

#[test]
fn custom_tools_take_text() {
    let log = run(&[
        r#"{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"sh","input":"ls -l"}}]}"#,
    ]);
    assert_eq!(log.events[1], "1: stem-1: call 1 a sh \"ls -l\"");
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn simulations_name_calls_by_the_results_id() {
    let log = read(
        r#"{"simulations":[{"id":"q","task_id":"5","trial":1,"messages":[
        {"role":"assistant","content":null,"tool_calls":[{"id":"a","name":"f","arguments":{"x":1},"requestor":"assistant"}]},
        {"role":"tool","id":"a","content":"bad","error":true,"requestor":"assistant"},
        {"role":"user","content":null,"tool_calls":[{"id":"u","name":"g","arguments":{}}]},
        {"role":"tool","tool_messages":[{"role":"tool","id":"u","content":"x","requestor":"user"}]}]}]}"#
            .replace('\n', "")
            .as_str(),
    );
    let events = [
        r#"1: 5/1: start - "-" {"task_id":"5","trial":1}"#,
        r#"1: 5/1: call 1 a f {"x":1}"#,
        r#"1: 5/1: result a error "bad""#,
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning assumed 1:1 5/1"]);
}

#[test]
fn what_cannot_be_used_is_a_fault() {
    let log = run(&[
        "7",
        r#"{"content":"x"}"#,
        r#"{"role":"oracle","content":"x"}"#,
        r#"{"role":"assistant","tool_calls":{}}"#,
        r#"{"role":"assistant","tool_calls":[{"id":"a","function":"f","args":{}}]}"#,
        r#"{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"","arguments":"{}"}}]}"#,
        r#"{"role":"assistant","tool_calls":[{"id":"a","function":{"arguments":"{}"}}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","name":"f"}]}"#,
        r#"{"role":"assistant","tool_calls":[{"id":"\ud83d","function":{"name":"f"}}]}"#,
        r#"{"role":"assistant","tool_calls":[],"tool_calls":[]}"#,
    ]);
    let codes: Vec<_> = log
        .notices
        .iter()
        .filter_map(|n| n.split(' ').nth(1))
        .collect();
    let expected = [
        "bad_field",
        "missing_field",
        "bad_field",
        "bad_field",
        "bad_field",
        "bad_field",
        "missing_field",
        "bad_field",
        "invalid_utf8",
        "duplicate_key",
    ];
    assert_eq!(codes, expected);
    assert_eq!(log.events.len(), 1);
    assert_eq!(read("{}").notices, ["fault missing_field 1:1 -"]);
    assert_eq!(
        read(r#"{"messages":null}"#).notices,
        ["fault bad_field 1:1 stem-1"]
    );
}
