//! Traces of the OpenAI Agents SDK, one behaviour a test.

use super::log::{Log, elements, lines, recognised};

/// A span of trace `t` from one second to another.
fn span(id: &str, parent: &str, times: (u8, u8), data: &str) -> String {
    let (start, end) = times;
    let parent = if parent.is_empty() {
        "null".to_owned()
    } else {
        format!("\"{parent}\"")
    };
    format!(
        r#"{{"object":"trace.span","id":"{id}","trace_id":"t","parent_id":{parent},"started_at":"2026-04-01T07:00:{start:02}+00:00","ended_at":"2026-04-01T07:00:{end:02}+00:00","span_data":{data},"error":null}}"#
    )
}

fn read(records: &[String]) -> Log {
    lines(
        "openai_agents",
        format!("{}\n", records.join("\n")).as_bytes(),
    )
}

/// The events without place and run, the start left out.
fn events(log: &Log) -> Vec<&str> {
    log.events
        .iter()
        .filter_map(|line| line.splitn(3, ": ").nth(2))
        .filter(|event| !event.starts_with("start"))
        .collect()
}

#[test]
fn recognised_by_its_objects() {
    let span = span("1", "", (1, 2), r#"{"type":"agent","name":"a"}"#);
    assert_eq!(recognised(&[&span]), ["openai_agents"]);
    assert_eq!(
        recognised(&[&format!(r#"{{"data":[{span}]}}"#)]),
        ["openai_agents"]
    );
    let trace = r#"{"object":"trace","id":"t","workflow_name":"w"}"#;
    assert_eq!(recognised(&[trace]), ["openai_agents"]);
    assert!(recognised(&[r#"{"object":"chat.completion","id":"x"}"#]).is_empty());
}

#[test]
fn every_container_reads_the_same() {
    let one = span(
        "1",
        "2",
        (1, 2),
        r#"{"type":"function","name":"f","input":"{}","output":"r"}"#,
    );
    let two = span("2", "", (0, 3), r#"{"type":"agent","name":"a"}"#);
    let expected = ["call 1 call-1 f {}", r#"result call-1 ok "r""#];
    let by_lines = read(&[one.clone(), two.clone()]);
    assert_eq!(events(&by_lines), expected);
    assert_eq!(by_lines.events[0], "1: t: start a \"-\" -");
    let by_elements = elements("openai_agents", format!("[{one},{two}]").as_bytes());
    assert_eq!(events(&by_elements), expected);
    assert_eq!(
        events(&read(&[format!(r#"{{"data":[{one},{two}]}}"#)])),
        expected
    );
}

#[test]
fn each_answer_begins_a_turn() {
    let answer = r#"{"type":"response","response_id":"r"}"#;
    let call = r#"{"type":"function","name":"f","input":"{}"}"#;
    let log = read(&[
        span("1", "", (1, 2), answer),
        span("2", "", (3, 5), call),
        span("3", "", (4, 6), call),
        span("4", "", (7, 8), answer),
        span("5", "", (9, 10), call),
        span("6", "", (11, 12), call),
    ]);
    let turns: Vec<_> = events(&log)
        .into_iter()
        .filter(|event| event.starts_with("call"))
        .map(|event| event.split(' ').nth(1).expect("a turn"))
        .collect();
    assert_eq!(turns, ["1", "1", "2", "2"]);
}

#[test]
fn without_sensitive_data_arguments_are_unknown() {
    for data in [
        r#"{"type":"function","name":"f"}"#,
        r#"{"type":"function","name":"f","input":null,"output":null}"#,
    ] {
        let log = read(&[span("1", "", (1, 2), data)]);
        assert_eq!(
            events(&log),
            ["call 1 call-1 f {} unknown", "result call-1 ok -"]
        );
        assert_eq!(log.notices, [""; 0]);
    }
}

#[test]
fn handoffs_are_no_calls_and_unknown_types_are_told() {
    let handoff = r#"{"type":"handoff","from_agent":"a","to_agent":"b"}"#;
    let log = read(&[
        span("1", "", (1, 2), handoff),
        span("2", "", (1, 2), r#"{"type":"dream"}"#),
    ]);
    assert_eq!(log.events, [""; 0]);
    assert_eq!(log.notices, ["warning assumed 2:1 -"]);
}

#[test]
fn records_that_are_no_spans_are_faults() {
    let log = read(&[
        r#"{"x":1}"#.to_owned(),
        r#"{"object":"trace.span","id":"1","trace_id":"t"}"#.to_owned(),
        span("2", "", (1, 2), r#"{"type":"function","name":""}"#),
    ]);
    let faults = [
        "fault missing_field 1:1 -",
        "fault missing_field 2:1 -",
        "fault bad_field 3:1 -",
    ];
    assert_eq!(log.notices, faults);
}
