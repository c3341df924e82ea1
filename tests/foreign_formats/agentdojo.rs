//! AgentDojo runs, one behaviour a test.

use super::log::{Log, elements, lines, recognised};

/// A record with these fields besides the suite and the pipeline.
fn record(fields: &str) -> String {
    format!(r#"{{"suite_name":"s","pipeline_name":"p",{fields}}}"#)
}

fn read(fields: &str) -> Log {
    lines("agentdojo", format!("{}\n", record(fields)).as_bytes())
}

/// A run of `user_task_1` with these messages.
fn run(messages: &[&str]) -> Log {
    read(&format!(
        r#""user_task_id":"user_task_1","messages":[{}]"#,
        messages.join(",")
    ))
}

/// What the run says, without its place, name and start.
fn said(log: &Log) -> Vec<&str> {
    let rest = log.events.iter().skip(1);
    rest.filter_map(|event| event.splitn(3, ": ").nth(2))
        .collect()
}

fn call(tool: &str, id: &str) -> String {
    format!(r#"{{"function":"{tool}","args":{{"x":1}},"id":{id}}}"#)
}

fn calls(calls: &[String]) -> String {
    let calls = calls.join(",");
    format!(r#"{{"role":"assistant","content":null,"tool_calls":[{calls}]}}"#)
}

fn result(call: &str, content: &str, error: &str) -> String {
    format!(r#"{{"role":"tool","content":{content},"tool_call":{call},"error":{error}}}"#)
}

#[test]
fn recognised_by_the_suite_and_the_pipeline_alone() {
    let ours = record(r#""messages":[{"role":"user","content":"x"}]"#);
    assert_eq!(recognised(&[&ours]), ["agentdojo"]);
    assert_eq!(
        recognised(&[&record(r#""conversations":[]"#)]),
        ["agentdojo"]
    );
    let summary = record(r#""utility":0.5"#);
    assert!(!recognised(&[&summary]).contains(&"agentdojo"));
}

#[test]
fn a_run_is_named_after_the_directories_of_its_file() {
    let name = |fields: &str| {
        let log = read(fields);
        log.events[0].split(": ").nth(1).map(str::to_owned)
    };
    let some = |name: &str| Some(name.to_owned());
    let plain =
        r#""user_task_id":"user_task_1","injection_task_id":null,"attack_type":null,"messages":[]"#;
    assert_eq!(name(plain), some("p/s/user_task_1/none/none"));
    let attack = r#""user_task_id":"user_task_1","injection_task_id":"injection_task_2","attack_type":"direct","messages":[]"#;
    assert_eq!(
        name(attack),
        some("p/s/user_task_1/direct/injection_task_2")
    );
    assert_eq!(
        name(r#""task_id":7,"messages":[]"#),
        some("p/s/7/none/none")
    );
    assert_eq!(name(r#""messages":[]"#), some("stem-1"));
}

#[test]
fn the_label_says_whether_something_was_injected() {
    let label = |fields: &str| {
        let log = read(&format!(r#"{fields},"messages":[]"#));
        log.events[0].split(" label ").nth(1).map(str::to_owned)
    };
    let attack = Some("attack".to_owned());
    let benign = Some("benign".to_owned());
    let task = |task: &str, injection: &str, attack: &str| {
        format!(r#""user_task_id":"{task}","injection_task_id":{injection},"attack_type":{attack}"#)
    };
    assert_eq!(label(&task("user_task_1", "\"i\"", "\"direct\"")), attack);
    assert_eq!(label(&task("user_task_1", "null", "\"dos\"")), attack);
    assert_eq!(label(&task("user_task_1", "\"i\"", "null")), attack);
    assert_eq!(label(&task("user_task_1", "null", "null")), benign);
    assert_eq!(label(&task("user_task_1", "null", "\"none\"")), benign);
    assert_eq!(label(&task("injection_task_1", "null", "null")), benign);
    assert_eq!(label(r#""user_task_id":"user_task_1""#), None);
}

#[test]
fn results_without_an_id_go_to_the_calls_of_their_tool_in_order() {
    let (f, g) = (call("f", "null"), call("g", "\"\""));
    let log = run(&[
        &calls(&[f.clone(), g.clone(), f.clone()]),
        &result(&g, "\"g1\"", "null"),
        &result(&f, "\"f1\"", "null"),
        &result(&f, "\"f2\"", "null"),
    ]);
    let expected = [
        r#"call 1 call-1 f {"x":1}"#,
        r#"call 1 call-2 g {"x":1}"#,
        r#"call 1 call-3 f {"x":1}"#,
        r#"result call-2 ok "g1""#,
        r#"result call-1 ok "f1""#,
        r#"result call-3 ok "f2""#,
    ];
    assert_eq!(said(&log), expected);
}

#[test]
fn the_id_of_a_result_may_stand_in_its_call_alone() {
    let (a, b) = (call("f", "\"a\""), call("f", "\"b\""));
    let log = run(&[
        &calls(&[a.clone(), b.clone()]),
        &result(&b, "\"b\"", "null"),
        &result(&a, "\"a\"", "null"),
    ]);
    assert_eq!(
        said(&log)[2..],
        [r#"result b ok "b""#, r#"result a ok "a""#]
    );
}

#[test]
fn an_error_is_the_result_where_there_is_no_content() {
    let a = call("f", "\"a\"");
    let told = |content: &str, error: &str| {
        let log = run(&[
            &calls(std::slice::from_ref(&a)),
            &result(&a, content, error),
        ]);
        said(&log)[1].to_owned()
    };
    let empty = r#"[{"type":"text","content":""}]"#;
    assert_eq!(told(empty, "\"E: x\""), r#"result a error "E: x""#);
    assert_eq!(told("null", "\"E: x\""), r#"result a error "E: x""#);
    assert_eq!(told("\"half\"", "\"E: x\""), r#"result a error "half""#);
    assert_eq!(told(empty, "null"), r#"result a ok """#);
    assert_eq!(told("\"y\"", "\"\""), r#"result a ok "y""#);
}

#[test]
fn content_may_be_text_or_blocks() {
    let user = r#"{"role":"user","content":[{"type":"text","content":"go"},{"type":"text","content":"on"}]}"#;
    let log = run(&[r#"{"role":"system","content":"be kind"}"#, user]);
    assert!(log.events[0].contains(r#"start - "go\non""#));
}

#[test]
fn arguments_that_are_not_there_are_unknown() {
    let bare = r#"{"function":"f","id":"a"}"#.to_owned();
    let null = r#"{"function":"f","args":null,"id":"b"}"#.to_owned();
    let none = r#"{"function":"f","args":{},"id":"c"}"#.to_owned();
    let log = run(&[&calls(&[bare, null, none])]);
    let expected = [
        "call 1 a f {} unknown",
        "call 1 b f {} unknown",
        "call 1 c f {}",
    ];
    assert_eq!(said(&log), expected);
}

#[test]
fn a_run_that_failed_has_no_answer() {
    let answer = r#""user_task_id":"t","messages":[{"role":"assistant","content":"done"}]"#;
    assert_eq!(said(&read(answer)), ["end answered"]);
    assert_eq!(said(&read(&format!(r#"{answer},"error":"x""#))), [""; 0]);
    assert_eq!(
        said(&read(&format!(r#"{answer},"error":null"#))),
        ["end answered"]
    );
}

#[test]
fn a_second_copy_of_the_calls_is_not_read() {
    let messages = format!("[{}]", calls(&[call("f", "\"a\"")]));
    let trace = r#"[{"tool":"f","args":{"x":1}}]"#;
    let log = read(&format!(
        r#""user_task_id":"t","messages":{messages},"conversations":{messages},"trace":{trace}"#
    ));
    assert_eq!(log.events.len(), 2);
    assert!(log.notices.is_empty());
    let variant = read(&format!(
        r#""user_task_id":"t","messages":[],"conversations":{messages}"#
    ));
    assert_eq!(variant.events.len(), 2);
}

#[test]
fn what_cannot_be_read_is_a_fault() {
    let fault = |fields: &str, code: &str| {
        let notices = read(fields).notices;
        assert!(
            notices[0].starts_with(&format!("fault {code} 1:1")),
            "{fields}: {notices:?}"
        );
    };
    fault(r#""user_task_id":"t""#, "missing_field");
    fault(r#""user_task_id":"t","messages":{}"#, "bad_field");
    fault(r#""user_task_id":[],"messages":[]"#, "bad_field");
    fault(
        r#""user_task_id":"t","user_task_id":"u","messages":[]"#,
        "duplicate_key",
    );
    fault(r#""user_task_id":"t","messages":[1]"#, "bad_field");
    fault(
        r#""user_task_id":"t","messages":[{"role":"narrator"}]"#,
        "bad_field",
    );
    fault(
        r#""user_task_id":"t","messages":[{"content":"x"}]"#,
        "missing_field",
    );
    let calls = |calls: &str| {
        format!(r#""user_task_id":"t","messages":[{{"role":"assistant","tool_calls":{calls}}}]"#)
    };
    fault(&calls("{}"), "bad_field");
    fault(&calls("[1]"), "bad_field");
    fault(&calls(r#"[{"args":{}}]"#), "missing_field");
    fault(
        &calls(r#"[{"function":{"name":"f"},"args":{}}]"#),
        "bad_field",
    );
    fault(
        &calls(r#"[{"function":"f","args":{},"args":{}}]"#),
        "duplicate_key",
    );
}

#[test]
fn the_elements_of_an_array_are_runs() {
    let messages = calls(&[call("f", "\"a\"")]);
    let one = |task: u8| {
        record(&format!(
            r#""user_task_id":"user_task_{task}","messages":[{messages}]"#
        ))
    };
    let log = elements("agentdojo", format!("[{},{}]", one(1), one(2)).as_bytes());
    assert_eq!(log.events.len(), 4);
    assert!(log.events[3].starts_with("2: p/s/user_task_2/none/none: call 1 a f"));
}
