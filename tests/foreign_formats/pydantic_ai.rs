//! Pydantic AI, one behaviour a test.

use super::fixtures::fixture;
use super::log::{Log, elements, lines, recognised, whole};

fn read(rows: &[&str]) -> Log {
    lines("pydantic_ai", format!("{}\n", rows.join("\n")).as_bytes())
}

fn response(parts: &str) -> String {
    format!(r#"{{"kind":"response","parts":[{parts}]}}"#)
}

fn request(parts: &str) -> String {
    format!(r#"{{"kind":"request","parts":[{parts}]}}"#)
}

fn call(kind: &str, id: &str) -> String {
    format!(r#"{{"part_kind":"{kind}","tool_name":"f","args":{{}},"tool_call_id":"{id}"}}"#)
}

fn returned(kind: &str, id: &str, outcome: &str) -> String {
    format!(
        r#"{{"part_kind":"{kind}","tool_name":"f","content":"x","tool_call_id":"{id}","outcome":"{outcome}"}}"#
    )
}

#[test]
fn recognised_alone() {
    assert_eq!(
        recognised(&[&response(&call("tool-call", "a"))]),
        ["pydantic_ai"]
    );
    assert_eq!(
        recognised(&[r#"{"kind":"request","messages":[]}"#]),
        [""; 0]
    );
}

#[test]
fn array_fixture() {
    let text = fixture("pydantic_ai.json");
    let log = elements("pydantic_ai", &text);
    let events = [
        r#"1: oasis-4: start - "Water the palms." {"model":"dune-1","provider":"sand"}"#,
        r#"2: oasis-4: call 1 f1 find_well {"near":"palms"}"#,
        r#"2: oasis-4: call 1 d1 dig {"deep":"very"}"#,
        "2: oasis-4: call 1 g1 open_gate {}",
        r#"3: oasis-4: result f1 ok {"well":3}"#,
        r#"3: oasis-4: result d1 error [{"type":"int_parsing","loc":["deep"],"msg":"no number","input":"very"}]"#,
        r#"3: oasis-4: result g1 error "stuck""#,
        r#"4: oasis-4: call 2 d2 dig {"deep":2}"#,
        r#"5: oasis-4: result d2 - ["wet",true]"#,
        "6: oasis-4: end answered",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, [""; 0]);
    assert_eq!(whole("pydantic_ai", &text).events.len(), events.len());
}

#[test]
fn lines_fixture() {
    let log = lines("pydantic_ai", &fixture("pydantic_ai_messages.jsonl"));
    assert_eq!(log.events.len(), 10);
    let last = r#"10: oasis-4: call 3 p1 pick {"dates":20}"#;
    assert_eq!(log.events[9], last);
    assert_eq!(log.notices, ["warning repeated_call 7:1 oasis-4"]);
}

#[test]
fn only_what_is_dated_can_be_told_to_repeat() {
    let call = response(&call("tool-call", "a"));
    let log = read(&[&call, &call]);
    assert_eq!(
        log.events[1..],
        ["1: -: call 1 a f {}", "2: -: call 2 a#2 f {}"]
    );
    let dated = call.replace(
        "\"parts\"",
        "\"timestamp\":\"2026-06-01T07:00:00Z\",\"parts\"",
    );
    assert_eq!(read(&[&dated, &dated]).events.len(), 2);
}

#[test]
fn every_array_of_a_line_is_a_run() {
    let row = format!("[{}]", response(&call("tool-call", "a")));
    let log = read(&[&row, &row]);
    let calls = ["1: stem-1: call 1 a f {}", "2: stem-2: call 1 a f {}"];
    assert_eq!([&log.events[1], &log.events[3]], calls);
    let record = format!(r#"{{"messages":{row}}}"#);
    assert_eq!(read(&[&record]).events[1], calls[0]);
}

#[test]
fn every_outcome_is_told() {
    let calls: Vec<String> = ["a", "b", "c", "d", "e"]
        .iter()
        .map(|id| call("tool-call", id))
        .collect();
    let outcomes = [
        ("a", "success"),
        ("b", "failed"),
        ("c", "retried"),
        ("d", "denied"),
        ("e", "odd"),
    ];
    let results: Vec<String> = outcomes
        .iter()
        .map(|(id, outcome)| returned("tool-return", id, outcome))
        .collect();
    let log = read(&[&response(&calls.join(",")), &request(&results.join(","))]);
    let events = [
        "1: -: call 1 a f {}",
        "1: -: call 1 b f {}",
        "1: -: call 1 c f {}",
        "1: -: call 1 d f {} recorded block",
        "1: -: call 1 e f {}",
        "2: -: result a ok \"x\"",
        "2: -: result b error \"x\"",
        "2: -: result c error \"x\"",
        "2: -: result e - \"x\"",
    ];
    assert_eq!(log.events[1..], events);
    assert_eq!(log.notices, ["warning assumed 2:1 stem"]);
}

#[test]
fn tools_of_the_provider_are_called_within_a_response() {
    let parts = format!(
        "{},{},{{\"part_kind\":\"text\",\"content\":\"y\"}}",
        call("builtin-tool-call", "a"),
        returned("builtin-tool-return", "a", "success")
    );
    let log = read(&[&response(&parts)]);
    let events = [
        "1: -: call 1 a f {}",
        "1: -: result a ok \"x\"",
        "1: -: end answered",
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn arguments_are_an_object_or_text_or_none() {
    let args = |args: &str| {
        let part = call("tool-call", "a").replace("\"args\":{}", args);
        let log = read(&[&response(&part)]);
        (log.events[1].clone(), log.notices.len())
    };
    let line = |rest: &str| format!("1: -: call 1 a f {rest}");
    assert_eq!(args(r#""args":"{\"n\": 1}""#), (line(r#"{"n":1}"#), 0));
    assert_eq!(args(r#""args":{"n":1}"#), (line(r#"{"n":1}"#), 0));
    assert_eq!(args(r#""args":null"#), (line("{}"), 0));
    assert_eq!(args(r#""args":"{\"n""#), (line(r#""{\"n""#), 1));
    assert_eq!(args(r#""none":0"#), (line("{} unknown"), 0));
}

#[test]
fn unusable_messages_are_faults_and_unknown_ones_are_said() {
    let log = read(&[
        r#"{"kind":"request"}"#,
        r#"{"parts":[]}"#,
        r#"{"kind":"news","parts":[]}"#,
        &response("3"),
        &response(r#"{"content":"x"}"#),
        &response(r#"{"part_kind":"news"}"#),
        &response(&call("tool-call", "a").replace("\"f\"", "\"\"")),
        &response(&call("tool-call", "a").replace("\"args\"", "\"tool_name\"")),
        r#"{"messages":3}"#,
        "[3]",
        "3",
    ]);
    let notices = [
        "fault missing_field 1:1 stem",
        "fault missing_field 2:1 stem",
        "warning assumed 3:1 stem",
        "fault bad_field 4:1 stem",
        "fault missing_field 5:1 stem",
        "warning assumed 6:1 stem",
        "fault bad_field 7:1 stem",
        "fault duplicate_key 8:1 stem",
        "fault bad_field 9:1 -",
        "fault bad_field 10:1 -",
        "fault not_an_object 11:1 -",
    ];
    assert_eq!(log.notices, notices);
}
