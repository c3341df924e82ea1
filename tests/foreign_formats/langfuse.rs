//! Langfuse exports, one behaviour a test.

use super::log::{Log, lines, recognised};

/// An observation of trace `t`, from one second to another.
fn observation(id: &str, kind: &str, times: (u8, u8), more: &str) -> String {
    let (start, end) = times;
    format!(
        r#"{{"id":"{id}","traceId":"t","type":"{kind}","name":"f","startTime":"2026-03-01T09:00:{start:02}.000Z","endTime":"2026-03-01T09:00:{end:02}.000Z"{more}}}"#
    )
}

fn read(rows: &[String]) -> Log {
    lines("langfuse", format!("{}\n", rows.join("\n")).as_bytes())
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
fn recognised_in_every_container() {
    let row = observation("1", "SPAN", (1, 2), "");
    for record in [
        row.clone(),
        format!(r#"{{"trace":{{"id":"t"}},"observations":[{row}]}}"#),
        format!(r#"{{"trace":{{"id":"t","observations":[{row}]}}}}"#),
        format!(r#"{{"id":"t","observations":[{row}]}}"#),
        format!(r#"{{"data":[{row}],"meta":{{}}}}"#),
        format!(r#"{{"traces":[{{"id":"t","observations":[{row}]}}]}}"#),
    ] {
        assert_eq!(recognised(&[&record]), ["langfuse"], "{record}");
        assert_eq!(read(&[record]).notices, [""; 0]);
    }
    let other = r#"{"id":"1","traceId":"t","type":"step","startTime":"x"}"#;
    assert!(recognised(&[other]).is_empty());
}

#[test]
fn every_container_reads_the_same() {
    let row = observation("1", "TOOL", (1, 2), r#","input":{},"output":"r""#);
    let expected = ["call 1 call-1 f {}", r#"result call-1 ok "r""#];
    for record in [
        row.clone(),
        format!(r#"{{"trace":{{"id":"t","observations":[{row}]}},"observations":[{row}]}}"#),
        format!(r#"{{"id":"t","observations":[{row}]}}"#),
        format!(r#"{{"data":[{row}],"meta":{{}}}}"#),
        format!(r#"{{"traces":[{{"id":"t","observations":[{row}]}}]}}"#),
    ] {
        let log = read(std::slice::from_ref(&record));
        assert_eq!(events(&log), expected, "{record}");
    }
}

#[test]
fn a_span_is_a_call_if_its_result_is_a_message_of_the_tool() {
    let message =
        r#","output":{"type":"tool","content":"r","tool_call_id":"c","status":"success"}"#;
    let log = read(&[observation("1", "SPAN", (1, 2), message)]);
    assert_eq!(
        events(&log),
        ["call 1 c f {} unknown", r#"result c ok "r""#]
    );
    let log = read(&[observation("1", "SPAN", (1, 2), r#","output":"r""#)]);
    assert_eq!(log.events, [""; 0]);
}

#[test]
fn requests_of_generations_are_calls_where_there_are_no_others() {
    let asks = r#","output":{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"g","arguments":"{\"x\":1}"}}]}"#;
    let told = r#","input":[{"role":"user","content":"go"},{"role":"tool","tool_call_id":"c","content":"r"}]"#;
    let rows = [
        observation("2", "GENERATION", (5, 6), told),
        observation("1", "GENERATION", (1, 2), asks),
    ];
    let expected = [r#"call 1 c g {"x":1}"#, r#"result c - "r""#];
    assert_eq!(events(&read(&rows)), expected);
    let call = observation("3", "TOOL", (3, 4), r#","level":"DEFAULT""#);
    let with_call = [&rows[..], &[call]].concat();
    assert_eq!(
        events(&read(&with_call)),
        ["call 1 call-1 f {} unknown", "result call-1 ok -"]
    );
}

#[test]
fn types_that_are_not_known_are_told() {
    let log = read(&[observation("1", "SPELL", (1, 2), "")]);
    assert_eq!(log.notices, ["warning assumed 1:1 -"]);
    let log = read(&[r#"{"id":"t","observations":["o1"]}"#.to_owned()]);
    assert_eq!(log.notices, ["fault missing_field 1:1 -"]);
    let log = read(&[r#"{"x":1}"#.to_owned()]);
    assert_eq!(log.notices, ["fault missing_field 1:1 -"]);
}

#[test]
fn a_trace_that_does_not_tell_its_observations_is_a_fault() {
    let trace = |rest: &str| {
        format!(
            r#"{{"id":"t","name":"chat","timestamp":"2026-01-01T00:00:00.000Z","sessionId":"s","input":{{"q":"x"}},"tags":[],"scores":[]{rest}}}"#
        )
    };
    for rest in [
        "",
        r#","observations":["o"]"#,
        r#","observations":{}"#,
        r#","observations":"o""#,
    ] {
        let trace = trace(rest);
        assert!(recognised(&[&trace]).contains(&"langfuse"), "{rest}");
        let log = lines("langfuse", format!("{trace}\n").as_bytes());
        assert_eq!(log.notices.len(), 1, "{rest}");
        assert!(log.notices[0].starts_with("fault "), "{rest}");
    }
    let row = r#"{"id":"o","traceId":"t","type":"TOOL","name":"f","startTime":"2026-01-01T00:00:00.000Z","input":{}}"#;
    let both = format!("{}\n{row}\n", trace(""));
    assert!(lines("langfuse", both.as_bytes()).notices.is_empty());
}
