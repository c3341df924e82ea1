//! The recorded examples, read whole.

use super::log::{Log, elements, lines, whole};

fn fixture(name: &str) -> Vec<u8> {
    let root = env!("CARGO_MANIFEST_DIR");
    std::fs::read(format!("{root}/fixtures/formats/{name}")).expect("a fixture")
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
fn otel_lines() {
    let log = lines("otel", &fixture("otel.jsonl"));
    let start = r#"start - "Weigh the apples and tell the shop." {"model":"small-1","service":"orchard","trace":"4f3c2d1e0b9a88776655443322110000"}"#;
    let events = [
        &*format!("1: harvest-42: {start}"),
        r#"3: harvest-42: call 1 c1 scale {"crate":1}"#,
        r#"3: harvest-42: call 1 c2 mcp__weather__forecast {"days":2}"#,
        "3: harvest-42: result c2 error -",
        r#"3: harvest-42: result c1 ok "18 kg""#,
        "5: harvest-42: call 2 c3 notify unknown",
        "5: harvest-42: result c3 ok -",
        r#"7: harvest-42: call 3 call-4 lookup "Boskoop""#,
        "7: harvest-42: result call-4 ok -",
        r#"7: harvest-42: call 4 p1 pack {"crates":2,"fresh":true}"#,
        r#"7: harvest-42: result p1 ok "packed""#,
    ];
    assert_eq!(log.events, events);
    let notices = [
        "warning assumed 7:1 -",
        "warning unparsed_arguments 7:1 harvest-42",
        "warning assumed 2:1 harvest-42",
    ];
    assert_eq!(log.notices, notices);
}

#[test]
fn otel_requests_of_the_model() {
    let log = whole("otel", &fixture("otel_requests.json"));
    let run = "d".repeat(32);
    let events = [
        format!(r#"1: {run}: start - "How many jars are left?" {{"service":"orchard"}}"#),
        format!(r#"1: {run}: call 1 j1 count {{"what":"jars"}}"#),
        format!(r#"1: {run}: call 1 j2 count "{{\"what\": \"lids""#),
        format!(r#"1: {run}: result j1 - "12""#),
    ];
    assert_eq!(log.events, events);
    assert_eq!(
        log.notices,
        [format!("warning unparsed_arguments 1:1 {run}")]
    );
}

#[test]
fn langfuse_document() {
    let log = whole("langfuse", &fixture("langfuse.json"));
    let events = [
        r#"1: week-9: start usher "Book the hall." {"model":"small-1","name":"booking","trace":"t-7"}"#,
        r#"1: week-9: call 1 h1 calendar {"day":"friday"}"#,
        r#"1: week-9: call 1 h2 prices {"hall":"north"}"#,
        r#"1: week-9: result h2 error "80""#,
        r#"1: week-9: result h1 ok "free""#,
        r#"1: week-9: call 1 call-3 book {"hall":"north"}"#,
        "1: week-9: result call-3 error -",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn langfuse_rows() {
    let log = lines("langfuse", &fixture("langfuse_rows.jsonl"));
    let events = [
        r#"1: t-8: start - "-" -"#,
        "2: t-8: call 1 call-1 door unknown",
        r#"2: t-8: result call-1 ok "shut""#,
        r#"1: t-8: call 2 call-2 lamp {"on":true}"#,
        "1: t-8: result call-2 ok -",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn openai_agents_lines() {
    let log = lines("openai_agents", &fixture("openai_agents.jsonl"));
    let start = r#"start - "Grind two sacks." {"model":"small-1","trace":"trace_mill","workflow_name":"mill"}"#;
    let events = [
        &*format!("1: day-3: {start}"),
        r#"3: day-3: call 1 call-1 fill {"sacks":2}"#,
        "2: day-3: call 1 call-2 open_gate {}",
        "2: day-3: result call-2 error -",
        r#"3: day-3: result call-1 ok {"level":2}"#,
        "6: day-3: call 1 call-3 load unknown",
        "6: day-3: result call-3 ok -",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning assumed 2:1 -"]);
}

#[test]
fn langsmith_lines() {
    let log = lines("langsmith", &fixture("langsmith.jsonl"));
    let events = [
        r#"1: garden-1: start - "Water the beds." {"model":"small-1","trace":"tr-1"}"#,
        r#"3: garden-1: call 1 w1 tap {"bed":1}"#,
        r#"4: garden-1: call 1 call-2 meter {"bed":1,"fine":false}"#,
        "4: garden-1: result call-2 error -",
        r#"3: garden-1: result w1 ok "on""#,
        "5: garden-1: call 1 call-3 rest {}",
        r#"5: garden-1: result call-3 ok "done""#,
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning assumed 4:1 -"]);
}

#[test]
fn langsmith_nested_runs() {
    let log = elements("langsmith", &fixture("langsmith_nested.json"));
    let events = [
        r#"1: n0: start - "How deep is the well?" -"#,
        r#"1: n0: call 1 call-1 plumb {"input":"well"}"#,
        r#"1: n0: result call-1 ok "9""#,
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, [""; 0]);
}
