//! The recorded examples, read whole.

use super::log::{Log, elements, lines};

fn fixture(name: &str) -> Vec<u8> {
    let root = env!("CARGO_MANIFEST_DIR");
    std::fs::read(format!("{root}/fixtures/formats/{name}")).expect("a fixture")
}

/// A fixture that is one document, on one line.
fn one_line(name: &str) -> Vec<u8> {
    let mut text = fixture(name);
    text.iter_mut()
        .filter(|b| **b == b'\n')
        .for_each(|b| *b = b' ');
    text
}

/// Starts, calls, results, approvals and ends.
fn counts(log: &Log) -> [usize; 5] {
    ["start", "call", "result", "approval", "end"].map(|kind| {
        let is = |event: &&String| {
            let what = event.splitn(3, ": ").nth(2).unwrap_or_default();
            what.split(' ').next() == Some(kind)
        };
        log.events.iter().filter(is).count()
    })
}

#[test]
fn claude_code_session() {
    let log = lines("claude_code", &fixture("claude_code.jsonl"));
    assert_eq!(counts(&log), [2, 9, 7, 0, 0]);
    let session = "7f1c2a90-5b1e-4c0e-9a43-0d6f0c2b8e11";
    let notices = [
        format!("warning assumed 17:1 {session}"),
        format!("warning repeated_call 19:1 {session}"),
    ];
    assert_eq!(log.notices, notices);
    let has = |part: &str| log.events.iter().any(|event| event.contains(part));
    assert!(has(
        "3: 7f1c2a90-5b1e-4c0e-9a43-0d6f0c2b8e11: start - \"Invoices are off"
    ));
    assert!(has("/a51f0c2: start a51f0c2 \"Read src/tax.py"));
    assert!(has(
        "6: 7f1c2a90-5b1e-4c0e-9a43-0d6f0c2b8e11: call 1 toolu_01grep Grep"
    ));
    assert!(has("call 5 srvtoolu_05web web_search"));
    assert!(has(
        r#"16: 7f1c2a90-5b1e-4c0e-9a43-0d6f0c2b8e11: call 4 toolu_04push Bash {"command":"git push --force origin main"} recorded block"#
    ));
    assert!(!has("result toolu_04push"));
    assert!(has(
        "result toolu_05shot ok \"[image: 12 bytes, sha256 929e08d597feae56]\""
    ));
    assert!(!has("result toolu_06edit"));
}

#[test]
fn openai_chat_lines() {
    let log = lines("openai_chat", &fixture("openai_chat.jsonl"));
    assert_eq!(counts(&log), [3, 7, 6, 0, 2]);
    let notices = [
        "warning assumed 2:1 night-shift",
        "warning unparsed_arguments 2:1 night-shift",
    ];
    assert_eq!(log.notices, notices);
}

#[test]
fn openai_chat_tau_bench() {
    let log = elements("openai_chat", &fixture("openai_chat_tau.json"));
    let events = [
        r#"1: 3/0: start - "I want to prolong my two loans." {"task_id":3,"trial":0,"reward":1.0}"#,
        r#"1: 3/0: call 1 call_l1 find_member {"name":"Mia Huber"}"#,
        r#"1: 3/0: result call_l1 error "Error: several members found""#,
        r#"1: 3/0: call 2 call_l1#2 find_member {"name":"Mia Huber","born":1990}"#,
        r#"1: 3/0: result call_l1#2 ok "mia_huber_1""#,
        r#"1: 3/0: call 3 call_l2 prolong {"loan":"b-17"}"#,
        r#"1: 3/0: result call_l2 ok "{\"due\": \"2026-05-01\"}""#,
        r#"2: 4/0: start - "Which books does my neighbour read?" {"task_id":4,"trial":0,"reward":0.0}"#,
        "2: 4/0: end answered",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning assumed 1:1 3/0"]);
}

#[test]
fn mcp_envelopes() {
    let log = lines("mcp", &fixture("mcp.jsonl"));
    assert_eq!(counts(&log), [1, 5, 5, 0, 0]);
    assert!(log.notices.is_empty());
    assert_eq!(
        log.events[0],
        r#"8: -: start - "-" {"client":"orchard","server":"harvest"}"#
    );
    let has = |part: &str| log.events.iter().any(|event| event.contains(part));
    assert!(has("call 1 2 list_trees {}"));
    assert!(has(r#"result 2 ok "quince\nmedlar""#));
    assert!(has(r#"result 3 ok {"frost":true}"#));
    assert!(has(r#"result "4" error "the pump is off""#));
    assert!(has("call 3 5 photo {}"));
}

#[test]
fn mcp_library_sessions() {
    let log = elements("mcp", &fixture("mcp_calls.json"));
    let events = [
        r#"1: spring: start - "-" {"server":"harvest"}"#,
        r#"1: spring: call 1 call-1 prune {"tree":7}"#,
        r#"1: spring: result call-1 ok "done""#,
        r#"1: spring: call 2 call-2 prune {"tree":8}"#,
        r#"1: spring: result call-2 error "connection closed""#,
        r#"2: summer: start - "-" -"#,
        "2: summer: call 1 call-1 count_pears {}",
    ];
    assert_eq!(log.events, events);
    assert!(log.notices.is_empty());
}

#[test]
fn anthropic_requests_and_responses() {
    let log = lines("anthropic", &fixture("anthropic.jsonl"));
    assert_eq!(counts(&log), [2, 4, 3, 0, 1]);
    assert_eq!(log.notices, ["warning repeated_call 3:1 stem-1"]);
    let has = |part: &str| log.events.iter().any(|event| event.contains(part));
    assert!(has("2: stem-1: call 1 toolu_02log read_log"));
    assert!(has("result toolu_01lamp error \"no answer\""));
    assert!(has(r#"call 2 mcptoolu_01 mcp__phone__dial {"who":"Rosa"}"#));
    assert!(has("5: stem-5: call 1 toolu_01tide tide"));
    assert!(has("4: stem-1: end answered"));
}

#[test]
fn gemini_cli_session() {
    let log = lines("gemini", &fixture("gemini_cli.jsonl"));
    assert_eq!(counts(&log), [1, 4, 3, 0, 0]);
    assert!(log.notices.is_empty());
    let has = |part: &str| log.events.iter().any(|event| event.contains(part));
    assert!(has(
        r#"start - "Tidy the cellar list" {"kind":"main","model":"gemini-2.5-pro"}"#
    ));
    assert!(has(r#"7: b7c1: call 1 glob_2 glob {"pattern":"*.txt"}"#));
    assert!(has("result glob_2 error \"no such directory\""));
    assert!(has(
        r#"call 2 shell_3 run_shell_command {"command":"rm cellar.txt"} recorded block"#
    ));
    assert!(has("result sleep_4 error"));
}

#[test]
fn gemini_cli_whole_session() {
    let log = lines("gemini", &one_line("gemini_cli_older.json"));
    assert_eq!(counts(&log), [1, 1, 1, 0, 0]);
    assert!(
        log.events
            .contains(&"1: 0a44: result count_1 ok \"41\"".to_owned())
    );
}

#[test]
fn gemini_stream() {
    let log = lines("gemini", &fixture("gemini_stream.jsonl"));
    assert_eq!(counts(&log), [1, 3, 3, 0, 1]);
    assert!(log.notices.is_empty());
    let events = [
        r#"2: c2d9: start - "Sort the corks" {"model":"gemini-2.5-flash"}"#,
        "4: c2d9: call 1 list_1 list_corks {}",
        r#"6: c2d9: call 1 weigh_2 weigh {"cork":3}"#,
        "7: c2d9: result weigh_2 error \"there are no scales\"",
        "8: c2d9: result list_1 ok \"3 corks\"",
        r#"9: c2d9: call 2 write_3 write_file {"file_path":"corks.txt"}"#,
        "10: c2d9: result write_3 ok -",
        "11: c2d9: end answered",
    ];
    assert_eq!(log.events, events);
}

#[test]
fn gemini_responses() {
    let log = lines("gemini", &fixture("gemini.responses.jsonl"));
    assert_eq!(counts(&log), [1, 3, 0, 0, 1]);
    assert_eq!(log.notices, ["warning assumed 2:1 -"]);
    let last = r#"3: -: call 2 call-3 write_file {"file_path":"c.txt"}"#;
    assert!(log.events.contains(&last.to_owned()));
}

#[test]
fn gemini_api() {
    let log = lines("gemini", &fixture("gemini_api.jsonl"));
    assert_eq!(counts(&log), [1, 2, 2, 0, 1]);
    assert!(log.notices.is_empty());
    let events = [
        r#"2: stem-1: call 1 call-1 weather {"town":"Thun"}"#,
        r#"2: stem-1: call 1 call-2 weather {"town":"Chur"}"#,
        r#"3: stem-1: result call-1 - {"sky":"rain"}"#,
        "3: stem-1: result call-2 error \"no station\"",
        "4: stem-1: end answered",
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn adk_session() {
    let log = lines("adk", &one_line("adk_session.json"));
    assert_eq!(counts(&log), [1, 5, 6, 0, 0]);
    assert!(log.notices.is_empty());
    let events = [
        r#"1: night-7: start - "Open the dome and point at Vega." {"app":"observatory"}"#,
        "1: night-7: call 1 adk-1 read_wind {}",
        r#"1: night-7: call 1 adk-2 read_rain {"hours":1}"#,
        "1: night-7: result adk-1 - \"calm\"",
        r#"1: night-7: result adk-2 error {"status":"error","error_message":"gauge is wet"}"#,
        r#"1: night-7: call 2 adk-3 open_dome {"by":"half"} recorded allow approved"#,
        "1: night-7: result adk-3 - \"half open\"",
        r#"1: night-7: call 3 adk-5 transfer_to_agent {"agent_name":"pointer"}"#,
        "1: night-7: result adk-5 - -",
        r#"1: night-7: call 4 adk-6 point {"at":"Vega"}"#,
        r#"1: night-7: result adk-6 ok {"status":"pending"}"#,
        r#"1: night-7: result adk-6 ok {"status":"done"}"#,
    ];
    assert_eq!(log.events, events);
}

#[test]
fn adk_events() {
    let log = lines("adk", &fixture("adk_events.jsonl"));
    assert_eq!(counts(&log), [1, 2, 2, 0, 0]);
    assert!(log.notices.is_empty());
    let results = [
        "3: -: result call-1 - -4",
        "3: -: result call-2 error \"no sensor\"",
    ];
    assert_eq!(log.events[3..], results);
}

#[test]
fn adk_evaluation() {
    let log = lines("adk", &one_line("adk.evalset.json"));
    let events = [
        r#"1: clear_night: start - "Is it clear?" {"app":"observatory"}"#,
        r#"1: clear_night: call 1 adk-1 look_up {"at":"north"}"#,
        "1: clear_night: result adk-1 - \"a cloud\"",
        r#"1: clear_night: call 2 call-2 look_up {"at":"south"}"#,
        "1: clear_night: result call-2 - \"stars\"",
        "1: clear_night: end answered",
        r#"1: no_calls: start - "Thanks." -"#,
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning assumed 1:1 clear_night"]);
}
