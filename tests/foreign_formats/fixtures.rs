//! The recorded examples, read whole.

use super::log::{Log, elements, lines, whole};

/// A recorded example.
pub fn fixture(name: &str) -> Vec<u8> {
    let root = env!("CARGO_MANIFEST_DIR");
    std::fs::read(format!("{root}/fixtures/formats/{name}")).expect("a fixture")
}

/// Starts, calls, results, approvals and ends.
pub fn counts(log: &Log) -> [usize; 5] {
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
        "warning assumed 2:1 night-shift",
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
fn codex_rollout() {
    let log = lines("codex", &fixture("codex.jsonl"));
    assert_eq!(counts(&log), [1, 9, 7, 0, 0]);
    let child = "019cb9a0-1000-7a00-8000-00000000c001";
    let notices = [
        "assumed 26:1",
        "assumed 32:1",
        "assumed 36:1",
        "repeated_call 5:1",
    ]
    .map(|what| format!("warning {what} {child}"));
    assert_eq!(log.notices, notices);
    let has = |part: &str| log.events.iter().any(|event| event.contains(part));
    assert!(has("start - \"Prices lack a currency, mend it.\""));
    assert!(has(
        r#""model":"gpt-5-codex","approval_policy":"on-request","sandbox_policy":"workspace-write""#
    ));
    assert!(!has("call_p1"));
    assert!(has("call 1 call-3 web_search"));
    assert!(has("result call_02 ok \"nothing to commit\\n\""));
    assert!(has("result call_04 error"));
    assert!(has("result call_05 error"));
    assert!(has(
        r#"call 4 call_07 exec_command {"cmd":"git push --force"} recorded block"#
    ));
}

#[test]
fn codex_rollouts_of_2025() {
    let log = lines("codex", &fixture("codex_older.jsonl"));
    assert_eq!(counts(&log), [1, 2, 2, 0, 0]);
    assert!(log.events[0].contains("start - \"How many notes are there?\""));
    assert!(log.events[2].ends_with("result call_a ok \"12\\n\""));
    assert!(log.events[4].contains("result call_b error"));
    let mut document = b"[".to_vec();
    document.extend(fixture("codex_early.json"));
    let log = elements("codex", &document);
    assert_eq!(counts(&log), [1, 1, 1, 0, 0]);
    assert_eq!(log.notices, [] as [&str; 0]);
}

#[test]
fn codex_exec_stream() {
    let text = fixture("codex_exec.jsonl");
    let log = lines("codex", &text);
    assert_eq!(counts(&log), [1, 6, 5, 0, 0]);
    assert_eq!(log.notices, [] as [&str; 0]);
    let records: Vec<_> = text
        .split(|&b| b == b'\n')
        .filter(|l| !l.is_empty())
        .collect();
    let array = [b"[", &records.join(&b","[..])[..], b"]"].concat();
    assert_eq!(elements("codex", &array).events, log.events);
}

#[test]
fn openai_responses_items() {
    let text = fixture("openai_responses.jsonl");
    let log = lines("openai_responses", &text);
    assert_eq!(counts(&log), [1, 11, 8, 0, 0]);
    let notices = ["unparsed_arguments 4:1", "assumed 20:1"];
    assert_eq!(
        log.notices,
        notices.map(|what| format!("warning {what} stem"))
    );
    let has = |part: &str| log.events.iter().any(|event| event.contains(part));
    assert!(has(r#"call 1 call_2 stock "{\"item\":\"ink\"""#));
    assert!(has("result call_2 - \"bad arguments\""));
    assert!(has(
        r#"call 2 ws_1 web_search {"type":"search","query":"paper price"}"#
    ));
    assert!(has(
        r#"result fs_1 ok [{"file_id":"file-1","text":"Blatt & Co"}]"#
    ));
    assert!(has(
        "result call_4 - \"[computer_screenshot: 34 bytes, sha256 "
    ));
    assert!(has(r#"mcp_1 mcp__shop__order {"boxes":2} recorded allow"#));
    assert!(has(r#"mcpr_2 mcp__shop__pay {"eur":40} recorded block"#));
    assert!(has("result mcp_2 error \"no session\""));
    assert!(has(
        r#"21: -: call 7 mcpr_3 mcp__shop__rate {"stars":5} recorded escalate"#
    ));
    let records: Vec<_> = text
        .split(|&b| b == b'\n')
        .filter(|l| !l.is_empty())
        .collect();
    let array = [b"[", &records.join(&b","[..])[..], b"]"].concat();
    assert_eq!(elements("openai_responses", &array).events, log.events);
}

#[test]
fn openai_responses_requests_and_responses() {
    let log = lines(
        "openai_responses",
        &fixture("openai_responses_requests.jsonl"),
    );
    let mut events = log.events;
    events.sort();
    let expected = [
        r#"1: stem-1: start - "Order more paper if it runs low." {"model":"gpt-5"}"#,
        r#"2: stem-1: call 1 call_1 stock {"item":"paper"}"#,
        r#"3: stem-1: call 2 call_5 order {"boxes":2}"#,
        "3: stem-1: result call_1 - \"3 boxes\"",
        r#"4: stem-4: call 1 call_1 stock {"item":"ink"}"#,
        r#"4: stem-4: start - "Is ink there?" {"model":"gpt-5"}"#,
    ];
    assert_eq!(events, expected);
    let document = [b"[".to_vec(), fixture("openai_responses.json")].concat();
    let log = elements("openai_responses", &document);
    assert_eq!(counts(&log), [1, 2, 1, 0, 0]);
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
fn openai_chat_chunks_and_responses() {
    let log = lines("openai_chat", &fixture("openai_chat_stream.jsonl"));
    let events = [
        r#"1: -: start - "Light and music in the kitchen, please." -"#,
        r#"2: -: call 1 call_l light {"room":"kitchen"}"#,
        r#"2: -: call 1 call_m music {"room":"kitchen"}"#,
        "8: -: result call_l - \"on\"",
        "9: -: result call_m - \"no speaker\"",
        r#"10: -: call 2 call_n find {"what":"speaker"}"#,
        "12: -: end answered",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning assumed 11:1 stem"]);
}

#[test]
fn bfcl_results() {
    let text = fixture("bfcl_result.json");
    let log = lines("bfcl", &text);
    let events = [
        "1: simple_python_0: start - \"-\" -",
        r#"1: simple_python_0: call 1 call-1 area {"base":10,"height":5}"#,
        "2: parallel_1: start - \"-\" -",
        r#"2: parallel_1: call 1 call-1 weather {"city":"Bern"}"#,
        r#"2: parallel_1: call 1 call-2 weather "{\"city\": \"Basel\"""#,
        "3: irrelevance_2: start - \"-\" -",
        "4: multi_turn_base_3: start - \"-\" -",
        r#"4: multi_turn_base_3: call 1 call-1 cd {"folder":"docs"}"#,
        "4: multi_turn_base_3: call 2 call-2 ls {}",
        "4: multi_turn_base_3: call 2 call-3 pwd {}",
        r#"4: multi_turn_base_3: call 3 call-4 mv {"source":"a","destination":"b"}"#,
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning unparsed_arguments 2:1 parallel_1"]);
    let records: Vec<_> = text
        .split(|&b| b == b'\n')
        .filter(|l| !l.is_empty())
        .collect();
    let array = [b"[", &records.join(&b","[..])[..], b"]"].concat();
    assert_eq!(elements("bfcl", &array).events, log.events);
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
    let log = whole("gemini", &fixture("gemini_cli_older.json"));
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
    let log = whole("adk", &fixture("adk_session.json"));
    assert_eq!(counts(&log), [1, 5, 5, 0, 0]);
    assert!(log.notices.is_empty());
    let events = [
        r#"1: night-7: start - "Open the dome and point at Vega." {"app":"observatory"}"#,
        "1: night-7: call 1 adk-1 read_wind {}",
        r#"1: night-7: call 1 adk-2 read_rain {"hours":1}"#,
        "1: night-7: result adk-1 - \"calm\"",
        r#"1: night-7: result adk-2 error {"status":"error","error_message":"gauge is wet"}"#,
        r#"1: night-7: call 2 adk-3 open_dome {"by":"half"} recorded allow approval approved"#,
        "1: night-7: result adk-3 - \"half open\"",
        r#"1: night-7: call 3 adk-5 transfer_to_agent {"agent_name":"pointer"}"#,
        "1: night-7: result adk-5 - -",
        r#"1: night-7: call 4 adk-6 point {"at":"Vega"}"#,
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
    let log = whole("adk", &fixture("adk.evalset.json"));
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
