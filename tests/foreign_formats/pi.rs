//! pi, one behaviour a test.

use super::fixtures::{counts, fixture};
use super::log::{Log, lines, recognised};

fn read(rows: &[&str]) -> Log {
    lines("pi", format!("{}\n", rows.join("\n")).as_bytes())
}

const HEADER: &str =
    r#"{"type":"session","id":"s","timestamp":"2026-03-02T09:00:00Z","cwd":"/srv"}"#;

fn answer(reason: &str, blocks: &str) -> String {
    format!(
        r#"{{"type":"message","message":{{"role":"assistant","content":[{blocks}],"stopReason":"{reason}"}}}}"#
    )
}

fn call(id: &str) -> String {
    format!(r#"{{"type":"toolCall","id":"{id}","name":"f","arguments":{{}}}}"#)
}

fn result(id: &str, text: &str, error: bool) -> String {
    format!(
        r#"{{"type":"message","message":{{"role":"toolResult","toolCallId":"{id}","content":[{{"type":"text","text":"{text}"}}],"isError":{error}}}}}"#
    )
}

#[test]
fn recognised_alone() {
    assert_eq!(recognised(&[HEADER]), ["pi"]);
    assert_eq!(recognised(&[&answer("toolUse", &call("a"))]), ["pi"]);
}

#[test]
fn session_fixture() {
    let log = lines("pi", &fixture("pi.jsonl"));
    assert_eq!(counts(&log), [1, 5, 3, 0, 1]);
    let events = [
        r#"4: 5f0c-orchard: start - "Prune the harvest plan." {"cwd":"/srv/orchard","version":"3","provider":"anthropic","model":"claude-sonnet-4-5"}"#,
        r#"5: 5f0c-orchard: call 1 toolu_1 read {"path":"plan.md"}"#,
        r#"5: 5f0c-orchard: call 1 toolu_2 read {"path":"trees.csv"}"#,
        r#"6: 5f0c-orchard: result toolu_2 ok "apple,12""#,
        r##"7: 5f0c-orchard: result toolu_1 ok "# Plan""##,
        r#"9: 5f0c-orchard: call 2 toolu_3 bash {"command":"rm trees.csv"} recorded block"#,
        r#"9: 5f0c-orchard: call 2 toolu_4 edit {"path":"plan.md","oldText":"late","newText":"early"}"#,
        r#"11: 5f0c-orchard: result toolu_4 error "Could not find the text""#,
        "13: 5f0c-orchard: call 3 toolu_5 write {} unknown",
        "13: 5f0c-orchard: end aborted",
    ];
    assert_eq!(log.events, events);
    let notices = [
        "warning assumed 10:1 5f0c-orchard",
        "warning assumed 13:1 5f0c-orchard",
    ];
    assert_eq!(log.notices, notices);
}

#[test]
fn every_header_begins_a_run() {
    let other = HEADER.replace("\"s\"", "\"t\"");
    let call = answer("toolUse", &call("a"));
    let log = read(&[&call, HEADER, &call, &other, &call]);
    let events = [
        "1: -: start - \"-\" -",
        "1: -: call 1 a f {}",
        "3: s: start - \"-\" {\"cwd\":\"/srv\"}",
        "3: s: call 1 a f {}",
        "5: t: start - \"-\" {\"cwd\":\"/srv\"}",
        "5: t: call 1 a f {}",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn an_answer_at_the_end_ends_the_run() {
    let stop = answer("stop", "");
    let log = read(&[HEADER, &answer("toolUse", &call("a")), &stop]);
    assert_eq!(log.events.last().expect("one"), "3: s: end answered");
    let log = read(&[
        HEADER,
        &answer("toolUse", &call("a")),
        &stop,
        &result("b", "x", false),
    ]);
    assert!(!log.events.iter().any(|event| event.contains("end")));
}

#[test]
fn a_call_that_the_user_overtook_did_not_run() {
    let skipped = "Skipped due to queued user message.";
    let log = read(&[
        HEADER,
        &answer("toolUse", &format!("{},{}", call("a"), call("b"))),
        &result("a", "x", false),
        &result("b", skipped, true),
    ]);
    let events = [
        "2: s: call 1 a f {}",
        "2: s: call 1 b f {} recorded block",
        "3: s: result a ok \"x\"",
    ];
    assert_eq!(log.events[1..], events);
    // Only an error tells so.
    let log = read(&[
        HEADER,
        &answer("toolUse", &call("a")),
        &result("a", skipped, false),
    ]);
    assert_eq!(log.events[1], "2: s: call 1 a f {}");
}

#[test]
fn lines_of_the_running_program_are_read_once() {
    let start = answer("toolUse", &call("a")).replace("\"message\",", "\"message_start\",");
    let end = answer("toolUse", &call("a")).replace("\"message\",", "\"message_end\",");
    let turn =
        r#"{"type":"turn_end","message":{"role":"assistant","content":[]},"toolResults":[]}"#;
    let log = read(&[HEADER, &start, &end, turn]);
    assert_eq!(log.events.len(), 2);
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn unusable_rows_are_faults_and_unknown_ones_are_said() {
    let log = read(&[
        HEADER,
        r#"{"type":"message"}"#,
        r#"{"type":"message","message":[]}"#,
        r#"{"type":"message","message":{"role":"assistant"}}"#,
        r#"{"type":"message","message":{"content":"x"}}"#,
        &answer("toolUse", r#"{"type":"toolCall","id":"a","name":""}"#),
        &answer(
            "toolUse",
            r#"{"type":"toolCall","id":"a","id":"b","name":"f"}"#,
        ),
        &answer("toolUse", r#"{"type":"news"}"#),
        r#"{"type":"news"}"#,
        r#"{"type":"message","message":{"role":"news"}}"#,
        r#"{"id":"x"}"#,
    ]);
    let notices = [
        "fault missing_field 2:1 s",
        "fault bad_field 3:1 s",
        "fault missing_field 4:1 s",
        "fault missing_field 5:1 s",
        "fault bad_field 6:1 s",
        "fault duplicate_key 7:1 s",
        "warning assumed 8:1 s",
        "warning assumed 9:1 s",
        "warning assumed 10:1 s",
        "fault missing_field 11:1 s",
    ];
    assert_eq!(log.notices, notices);
    assert_eq!(log.events, [""; 0]);
}
