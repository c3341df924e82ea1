//! Rows of Claude Code, one behaviour a test.

use super::log::{Log, lines, recognised};

/// A row of session `s` with these content blocks.
pub fn row(kind: &str, message: &str, content: &str) -> String {
    format!(
        r#"{{"sessionId":"s","parentUuid":null,"type":"{kind}","message":{{"id":"{message}","content":{content}}}}}"#
    )
}

/// A row with one call.
pub fn call(message: &str, id: &str, tool: &str, input: &str) -> String {
    let block = format!(r#"[{{"type":"tool_use","id":"{id}","name":"{tool}","input":{input}}}]"#);
    row("assistant", message, &block)
}

/// A row with one result, `rest` being its fields besides the id.
pub fn result(id: &str, rest: &str) -> String {
    let block = format!(r#"[{{"type":"tool_result","tool_use_id":"{id}",{rest}}}]"#);
    row("user", "", &block)
}

/// Reads rows as the lines of a file.
pub fn read(rows: &[String]) -> Log {
    lines("claude_code", format!("{}\n", rows.join("\n")).as_bytes())
}

#[test]
fn recognised_by_what_the_rows_hold() {
    let session = row("user", "m", "\"go\"");
    assert_eq!(
        recognised(&["{\"type\":\"summary\"}", &session]),
        ["claude_code"]
    );
    let init = r#"{"type":"system","subtype":"init","session_id":"s","cwd":"/w"}"#;
    assert_eq!(recognised(&[init]), ["claude_code"]);
    let journal = r#"{"type":"started","key":"w","agentId":"a"}"#;
    assert_eq!(
        recognised(&[journal, r#"{"type":"result","key":"w"}"#]),
        [""; 0]
    );
}

#[test]
fn rows_of_one_message_are_one_turn() {
    let log = read(&[
        call("m1", "a", "Bash", "{}"),
        call("m1", "b", "Bash", "{}"),
        result("b", r#""content":"x""#),
        call("m2", "c", "Bash", "{}"),
        row(
            "assistant",
            "m3",
            r#"[{"type":"text","text":"hm"},{"type":"thinking"}]"#,
        ),
        call("m4", "d", "Bash", "{}"),
    ]);
    let calls: Vec<_> = log
        .events
        .iter()
        .filter_map(|e| e.split(": call ").nth(1))
        .collect();
    assert_eq!(
        calls,
        ["1 a Bash {}", "1 b Bash {}", "2 c Bash {}", "3 d Bash {}"]
    );
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn a_run_begins_with_the_prompt_or_the_first_call() {
    let log = read(&[
        row("user", "", r#""<command-name>/clear</command-name>""#),
        call("m1", "a", "Bash", "{}"),
        row("user", "", r#""too late""#),
    ]);
    assert_eq!(
        log.events,
        ["2: s: start - \"-\" -", "2: s: call 1 a Bash {}"]
    );
}

#[test]
fn results_are_text_and_errors_are_flagged() {
    let log = read(&[
        call("m1", "a", "Bash", "{}"),
        result(
            "a",
            r#""content":[{"type":"text","text":"x"},{"type":"text","text":"y"}],"is_error":true"#,
        ),
        result("a", r#""content":"again""#),
        result("z", r#""content":null,"is_error":"no""#),
        row("user", "", r#"[{"type":"tool_result","content":"boom"}]"#),
    ]);
    let results = [
        r#"2: s: result a error "x\ny""#,
        r#"3: s: result a ok "again""#,
        "4: s: result z error -",
        r#"5: s: result  ok "boom""#,
    ];
    assert_eq!(log.events[2..], results);
    assert_eq!(
        log.notices,
        ["fault bad_field 4:1 s", "warning assumed 5:1 s"]
    );
}

#[test]
fn repeated_history_is_counted_once() {
    let once = [
        row("user", "", "\"go\""),
        call("m1", "a", "Bash", r#"{"c":1}"#),
        result("a", r#""content":"x""#),
    ];
    let again = [call("m1", "a", "Bash", r#"{ "c": 1 }"#), once[2].clone()];
    let log = read(&[&once[..], &again, &again].concat());
    assert_eq!(log.events.len(), 3);
    assert_eq!(log.notices, ["warning repeated_call 4:1 s"]);
}

#[test]
fn an_id_with_other_content_is_another_call() {
    let log = read(&[
        call("m1", "a", "Bash", r#"{"c":1}"#),
        call("m2", "a", "Bash", r#"{"c":2}"#),
        result("a", r#""content":"x""#),
    ]);
    assert_eq!(log.events[2], r#"2: s: call 2 a#2 Bash {"c":2}"#);
    assert_eq!(log.events[3], r#"3: s: result a#2 ok "x""#);
    assert_eq!(log.notices, ["warning assumed 2:1 s"]);
}

#[test]
fn subagents_are_runs_of_their_own() {
    let side = |extra: &str, id: &str| {
        call("m", id, "Read", "{}").replace("{\"sessionId\"", &format!("{{{extra},\"sessionId\""))
    };
    let log = read(&[
        side(r#""isSidechain":true,"agentId":"x7""#, "a"),
        side(r#""isSidechain":true"#, "b"),
        side(r#""isSidechain":false,"agentId":null"#, "c"),
    ]);
    let runs = ["1: s/x7: call", "2: s/sidechain: call", "3: s: call"];
    for (run, event) in runs.iter().zip(&log.events[3..]) {
        assert!(event.starts_with(run), "{event}");
    }
    assert_eq!(log.events[0], "1: s/x7: start x7 \"-\" -");
    assert_eq!(log.notices, ["warning assumed 2:1 s/sidechain"]);
}

#[test]
fn a_stream_is_read_too() {
    let log = read(&[
        r#"{"type":"system","subtype":"init","session_id":"q","cwd":"/w","model":"m-1"}"#.into(),
        r#"{"type":"assistant","session_id":"q","parent_tool_use_id":null,"message":{"id":"m","content":[{"type":"tool_use","id":"a","name":"Bash","input":{}}]}}"#.into(),
        r#"{"type":"assistant","session_id":"q","parent_tool_use_id":"a","message":{"id":"n","content":[{"type":"tool_use","id":"b","name":"Read","input":{}}]}}"#.into(),
        r#"{"type":"result","subtype":"success","session_id":"q"}"#.into(),
    ]);
    let events = [
        r#"2: q: start - "-" {"cwd":"/w","model":"m-1"}"#,
        r#"3: q/a: start a "-" -"#,
        "2: q: call 1 a Bash {}",
        "3: q/a: call 1 b Read {}",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn unknown_rows_and_blocks_are_named_once() {
    let odd = row("telepathy", "", "\"x\"");
    let block = row("assistant", "m", r#"[{"type":"dream"}]"#);
    let known = r#"{"type":"progress","sessionId":"s"}"#.to_owned();
    let log = read(&[odd.clone(), odd, block.clone(), block, known]);
    assert_eq!(
        log.notices,
        ["warning assumed 1:1 s", "warning assumed 3:1 s"]
    );
}

#[test]
fn damaged_rows_are_faults() {
    let log = read(&[
        "undefined".into(),
        "null".into(),
        r#"{"silly":"this"}"#.into(),
        row("user", "", "7"),
        row("user", "", r#"["text"]"#),
        r#"{"sessionId":"s","type":"user","message":"error"}"#.into(),
        r#"{"sessionId":"s","type":"user"}"#.into(),
        r#"{"sessionId":"\ud83d","type":"user"}"#.into(),
        r#"{"sessionId":"s","type":"user","message":{},"message":{"content":""}}"#.into(),
    ]);
    let faults = [
        "fault malformed_json 1:1 -",
        "fault not_an_object 2:1 -",
        "fault missing_field 3:1 -",
        "fault bad_field 4:1 s",
        "fault bad_field 5:1 s",
        "fault bad_field 6:1 s",
        "fault missing_field 7:1 s",
        "fault invalid_utf8 8:1 -",
        "fault duplicate_key 9:1 -",
    ];
    assert_eq!(log.notices, faults);
    let torn = lines("claude_code", br#"{"sessionId":"s","ty"#);
    assert_eq!(torn.notices, ["fault truncated_input 1:21 -"]);
}

#[test]
fn a_damaged_name_or_id_makes_the_call_unusable() {
    let log = read(&[
        call("m", "a", r"Ba\ud83d", "{}"),
        call("m", r"a\ud83d", "Bash", "{}"),
        call("m", "b", "", "{}"),
        row("assistant", "m", r#"[{"type":"tool_use","id":"c"}]"#),
        row(
            "assistant",
            "m",
            r#"[{"type":"tool_use","name":"A","name":"B"}]"#,
        ),
    ]);
    let faults = [
        "fault invalid_utf8 1:1 s",
        "fault invalid_utf8 2:1 s",
        "fault bad_field 3:1 s",
        "fault missing_field 4:1 s",
        "fault duplicate_key 5:1 s",
    ];
    assert_eq!(log.notices, faults);
    assert_eq!(log.events, [""; 0]);
}

#[test]
fn damaged_text_is_repaired_and_told() {
    let mut rows = call("m", "a", r"B\u0000", r#"{"c":"\ud83d"}"#).into_bytes();
    rows.push(b'\n');
    let bytes = result("a", r#""content":"?!""#).into_bytes();
    rows.extend(bytes.iter().map(|&b| if b == b'?' { 0xff } else { b }));
    rows.push(b'\n');
    let log = lines("claude_code", &rows);
    assert_eq!(log.events[2], "2: s: result a ok \"\u{fffd}!\"");
    let codes: Vec<_> = log.notices.iter().map(|n| n.split(' ').nth(1)).collect();
    let expected = ["nul_character", "repaired_text", "invalid_utf8"];
    assert_eq!(codes, expected.map(Some));
}
