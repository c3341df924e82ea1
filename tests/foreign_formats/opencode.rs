//! OpenCode, one behaviour a test.

use super::fixtures::{counts, fixture};
use super::log::{Log, lines, recognised};

fn read(rows: &[String]) -> Log {
    lines("opencode", format!("{}\n", rows.join("\n")).as_bytes())
}

/// A row of a call of message `m`, with this state.
fn row(message: &str, id: &str, tool: &str, state: &str) -> String {
    format!(
        r#"{{"type":"tool_use","timestamp":1772442000000,"sessionID":"s","part":{{"type":"tool","tool":"{tool}","callID":"{id}","messageID":"{message}","state":{{{state}}}}}}}"#
    )
}

fn done(start: u64) -> String {
    format!(
        r#""status":"completed","input":{{"n":1}},"output":"x","time":{{"start":{start},"end":{start}}}"#
    )
}

#[test]
fn recognised_in_both_containers() {
    assert_eq!(recognised(&[&row("m", "a", "f", &done(0))]), ["opencode"]);
    let text = r#"{"type":"text","sessionID":"s","part":{"type":"text","text":"x"}}"#;
    assert_eq!(recognised(&[text]), ["opencode"]);
    let document = String::from_utf8(fixture("opencode.json")).expect("text");
    assert_eq!(recognised(&[&document]), ["opencode"]);
}

#[test]
fn others_with_parts_are_not_taken() {
    for other in [
        r#"{"role":"assistant","message":{"content":[{"type":"tool_use","name":"edit","input":{}}]}}"#,
        r#"{"type":"tool_use","session_id":"s","tool_name":"f","parameters":{}}"#,
        r#"{"ts":1772442000000,"type":"ask","ask":"tool","text":"{}"}"#,
    ] {
        assert!(!recognised(&[other]).contains(&"opencode"), "{other}");
    }
}

#[test]
fn lines_fixture() {
    let log = lines("opencode", &fixture("opencode_run.jsonl"));
    let events = [
        r#"3: ses_brook: start - "-" -"#,
        r#"3: ses_brook: call 1 call_a bash {"command":"wc -l gauges/mill.csv","description":"count readings"}"#,
        r#"2: ses_brook: call 1 call_b glob {"pattern":"gauges/*.csv"}"#,
        r#"3: ses_brook: result call_a ok "412 gauges/mill.csv\n""#,
        r#"2: ses_brook: result call_b ok "gauges/mill.csv""#,
        "5: ses_brook: call 2 call_c edit {} unknown",
        r#"5: ses_brook: result call_c error "The arguments provided to the tool are invalid""#,
        r#"7: ses_brook: call 3 call_d bash {"command":"rm gauges/mill.csv"} recorded block"#,
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning assumed 7:1 ses_brook"]);
}

#[test]
fn document_fixture() {
    let document = fixture("opencode.json");
    let flat: Vec<u8> = document.into_iter().filter(|&b| b != b'\n').collect();
    let log = lines("opencode", &[&flat[..], b"\n"].concat());
    assert_eq!(counts(&log), [1, 5, 2, 0, 1]);
    let events = [
        r#"1: ses_brook/ses_weir: start explore "Which gauges lie above the weir?" {"directory":"/srv/gauges","version":"1.18.33","title":"Check the weir (@explore subagent)","model":"gpt-4o-mini"}"#,
        r#"1: ses_brook/ses_weir: call 1 call_r1 read {"filePath":"map.json"}"#,
        r#"1: ses_brook/ses_weir: call 1 call_r2 read {"filePath":"old-map.json"}"#,
        r#"1: ses_brook/ses_weir: call 1 call_r3 webfetch {"url":"https://water.example/weir"} recorded block"#,
        r#"1: ses_brook/ses_weir: result call_r1 ok "{\"weir\": 4.2}""#,
        r#"1: ses_brook/ses_weir: result call_r2 error "File not found: old-map.json""#,
        r#"1: ses_brook/ses_weir: call 2 call_r4 grep {"pattern":"weir"}"#,
        "1: ses_brook/ses_weir: call 2 call_r5 read {} unknown",
        "1: ses_brook/ses_weir: end aborted",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning assumed 1:1 ses_brook/ses_weir"]);
}

#[test]
fn calls_of_a_message_come_before_its_results_in_the_order_they_began() {
    let log = read(&[
        row("m1", "b", "f", &done(1_772_442_000_002)),
        row("m1", "a", "g", &done(1_772_442_000_001)),
        row("m2", "c", "h", &done(1_772_442_000_003)),
    ]);
    let events = [
        "2: s: call 1 a g {\"n\":1}",
        "1: s: call 1 b f {\"n\":1}",
        "2: s: result a ok \"x\"",
        "1: s: result b ok \"x\"",
        "3: s: call 2 c h {\"n\":1}",
        "3: s: result c ok \"x\"",
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn an_invalid_call_is_one_of_the_tool_that_was_meant() {
    let state = r#""status":"completed","input":{"tool":"bash","error":"x"},"output":"no""#;
    let log = read(&[row("m", "a", "invalid", state)]);
    assert_eq!(log.events[1], "1: s: call 1 a bash {} unknown");
    assert_eq!(log.events[2], "1: s: result a error \"no\"");
    // Without a name it is what the model called.
    let state = r#""status":"completed","input":{"error":"x"},"output":"no""#;
    let log = read(&[row("m", "a", "invalid", state)]);
    assert_eq!(log.events[1], "1: s: call 1 a invalid {\"error\":\"x\"}");
    assert_eq!(log.events[2], "1: s: result a ok \"no\"");
}

#[test]
fn calls_without_an_end_have_no_result() {
    for state in [
        r#""status":"running","input":{"n":1}"#,
        r#""status":"pending","input":{},"raw":"{""#,
    ] {
        let log = read(&[row("m", "a", "f", state)]);
        assert_eq!(log.events.len(), 2, "{state}");
        assert_eq!(log.notices, [""; 0]);
    }
    let log = read(&[row("m", "a", "f", r#""status":"lost","input":{}"#)]);
    assert_eq!(log.events.len(), 2);
    assert_eq!(log.notices, ["fault bad_field 1:1 s"]);
}

#[test]
fn times_of_other_units_are_taken_by_their_size_and_said() {
    let time = r#""status":"completed","input":{},"output":"","time":{"start":1772442000,"end":1772442000100000000}"#;
    let log = read(&[row("m", "a", "f", time)]);
    let notices = ["warning assumed 1:1 s", "warning assumed 1:1 s"];
    assert_eq!(log.notices, notices);
}

#[test]
fn unusable_rows_are_faults() {
    let log = read(&[
        r#"{"type":"tool_use","sessionID":"s"}"#.into(),
        r#"{"type":"tool_use","sessionID":7,"part":{}}"#.into(),
        r#"{"type":"tool_use","sessionID":"s","part":{"type":"tool","tool":"","state":{}}}"#.into(),
        r#"{"type":"tool_use","sessionID":"s","part":{"tool":"f","tool":"g","state":{}}}"#.into(),
        r#"{"type":"news","sessionID":"s","part":{}}"#.into(),
        r#"{"info":{"id":"d"},"messages":{}}"#.into(),
        r#"{"role":"user"}"#.into(),
    ]);
    let notices = [
        "fault missing_field 1:1 s",
        "fault bad_field 2:1 -",
        "fault bad_field 3:1 s",
        "fault duplicate_key 4:1 s",
        "warning assumed 5:1 s",
        "fault bad_field 6:1 stem",
        "fault missing_field 7:1 -",
    ];
    assert_eq!(log.notices, notices);
    assert_eq!(log.events, [""; 0]);
}

#[test]
fn documents_without_a_session_are_named_after_the_file() {
    let document =
        r#"{"info":{},"messages":[{"info":{"role":"assistant","finish":"stop"},"parts":[]}]}"#;
    let log = read(&[document.into(), document.into()]);
    let events = [
        "1: -: start - \"-\" -",
        "1: -: end answered",
        "2: stem-2: start - \"-\" -",
        "2: stem-2: end answered",
    ];
    assert_eq!(log.events, events);
}
