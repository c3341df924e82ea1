//! LangSmith runs, one behaviour a test.

use super::log::{Log, lines, recognised};

/// A run of trace `t` from one second to another.
fn run(id: &str, kind: &str, times: (u8, u8), more: &str) -> String {
    let (start, end) = times;
    format!(
        r#"{{"id":"{id}","trace_id":"t","run_type":"{kind}","name":"f","start_time":"2026-05-01T08:00:{start:02}","end_time":"2026-05-01T08:00:{end:02}","error":null{more}}}"#
    )
}

fn read(records: &[String]) -> Log {
    lines("langsmith", format!("{}\n", records.join("\n")).as_bytes())
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
    let one = run("1", "tool", (1, 2), "");
    let nested = r#"{"id":"1","run_type":"chain","name":"f","child_runs":[]}"#;
    for record in [
        one.clone(),
        nested.to_owned(),
        format!(r#"{{"runs":[{one}],"cursors":{{}}}}"#),
        format!(r#"{{"post":[{one}],"patch":[]}}"#),
    ] {
        assert_eq!(recognised(&[&record]), ["langsmith"], "{record}");
        assert_eq!(read(&[record]).notices, [""; 0]);
    }
    assert!(recognised(&[r#"{"run_type":"tool"}"#]).is_empty());
    assert!(recognised(&[r#"{"run_type":"nightly","trace_id":"t"}"#]).is_empty());
}

#[test]
fn an_update_adds_to_the_run_it_names() {
    let begun = r#"{"post":[{"id":"1","trace_id":"t","run_type":"tool","name":"f","start_time":"2026-05-01T08:00:01","inputs":{"x":1}}],"patch":[]}"#;
    let ended = r#"{"patch":[{"id":"1","trace_id":"t","end_time":"2026-05-01T08:00:02","outputs":{"output":"r"},"error":null}]}"#;
    let expected = [r#"call 1 call-1 f {"x":1}"#, r#"result call-1 ok "r""#];
    let log = read(&[begun.to_owned(), ended.to_owned()]);
    assert_eq!(events(&log), expected);
    assert_eq!(log.notices, [""; 0]);
    let log = read(&[ended.to_owned(), begun.to_owned()]);
    assert_eq!(events(&log), expected);
    let log = read(&[ended.to_owned()]);
    assert_eq!(log.events, [""; 0]);
    assert_eq!(log.notices, ["warning assumed 1:1 -"]);
}

#[test]
fn runs_inside_runs_are_of_their_trace() {
    let nested = r#"{"id":"a","run_type":"chain","name":"f","child_runs":[{"id":"b","run_type":"tool","name":"g","inputs":{"x":1},"start_time":"2026-05-01T08:00:01","child_runs":[{"id":"c","run_type":"tool","name":"h","inputs":{"y":1},"start_time":"2026-05-01T08:00:02"}]}]}"#;
    let log = read(&[nested.to_owned()]);
    let starts = log.events.iter().filter(|e| e.contains(": a: ")).count();
    assert_eq!(starts, log.events.len());
    assert_eq!(
        events(&log),
        [r#"call 1 call-1 g {"x":1}"#, r#"call 2 call-2 h {"y":1}"#]
    );
}

#[test]
fn empty_inputs_are_unknown_unless_others_are_told() {
    let empty = run("2", "tool", (3, 4), r#","inputs":{}"#);
    let log = read(std::slice::from_ref(&empty));
    assert_eq!(events(&log)[0], "call 1 call-1 f {} unknown");
    let told = run("1", "chain", (1, 9), r#","inputs":{"x":1}"#);
    assert_eq!(events(&read(&[told, empty]))[0], "call 1 call-1 f {}");
}

#[test]
fn printed_inputs_are_read() {
    let input = |text: &str| {
        let more = format!(r#","inputs":{{"input":"{text}"}}"#);
        events(&read(&[run("1", "tool", (1, 2), &more)]))[0].to_owned()
    };
    assert_eq!(input("{'x': 1}"), r#"call 1 call-1 f {"x":1}"#);
    assert_eq!(input(r#"{\"x\": 1}"#), r#"call 1 call-1 f {"x":1}"#);
    assert_eq!(input("x"), r#"call 1 call-1 f {"input":"x"}"#);
}

#[test]
fn errors_are_told_by_the_run_or_by_its_result() {
    let outcome = |more: &str| {
        let text = run("1", "tool", (1, 2), more).replace(r#","error":null"#, "");
        events(&read(&[text]))[1].to_owned()
    };
    assert_eq!(outcome(r#","error":"E()""#), "result call-1 error -");
    let status = r#","error":null,"outputs":{"output":{"type":"tool","content":"r","tool_call_id":"c","status":"error"}}"#;
    assert_eq!(outcome(status), r#"result c error "r""#);
    assert_eq!(
        outcome(r#","error":null,"outputs":{"x":1}"#),
        r#"result call-1 ok {"x":1}"#
    );
}

#[test]
fn what_is_no_run_is_told() {
    let log = read(&[r#"{"x":1}"#.to_owned(), run("1", "dream", (1, 2), "")]);
    assert_eq!(
        log.notices,
        ["fault missing_field 1:1 -", "warning assumed 2:1 -"]
    );
}
