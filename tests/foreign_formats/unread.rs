//! Recordings of agents that are not read: no format takes them for its own.

use super::log::{lines, recognised};

#[test]
fn cursor_transcripts() {
    let rows = [
        r#"{"role":"user","message":{"content":[{"type":"text","text":"mend the gate"}]}}"#,
        r#"{"role":"assistant","message":{"content":[{"type":"text","text":"so"},{"type":"tool_use","name":"edit_file","input":{"path":"a"}}]}}"#,
        r#"{"type":"turn_ended"}"#,
    ];
    assert_eq!(recognised(&rows), [""; 0]);
}

#[test]
fn cline_messages_of_the_window() {
    let rows = [
        r#"{"ts":1772442000000,"type":"say","say":"text","text":"mend the gate"}"#,
        r#"{"ts":1772442001000,"type":"ask","ask":"tool","text":"{\"tool\":\"readFile\",\"path\":\"a\"}"}"#,
        r#"{"ts":1772442002000,"type":"say","say":"api_req_started","text":"{}"}"#,
    ];
    assert_eq!(recognised(&rows), [""; 0]);
}

#[test]
fn goose_sessions() {
    let rows = [
        r#"{"id":"s","working_dir":"/srv","description":"gate","message_count":2}"#,
        r#"{"role":"user","created":1772442000,"content":[{"type":"text","text":"mend the gate"}]}"#,
        r#"{"role":"assistant","created":1772442001,"content":[{"type":"toolRequest","id":"a","toolCall":{"status":"success","value":{"name":"shell","arguments":{"command":"ls"}}}}]}"#,
        r#"{"role":"user","created":1772442002,"content":[{"type":"toolResponse","id":"a","toolResult":{"status":"success","value":[]}}]}"#,
    ];
    assert_eq!(recognised(&rows), [""; 0]);
}

#[test]
fn histories_of_nothing_but_texts() {
    // Code and what it printed are quoted in them: nothing tells what ran.
    let log = [
        r#"{"history":[{"role":"human","content":"mend the gate"},{"role":"Orchestrator (thought)","content":"```sh\nls\n```"},{"role":"ComputerTerminal","content":"exitcode: 0 (execution succeeded)"}],"question":"q","mistake_agent":"ComputerTerminal","mistake_step":"2"}"#,
    ];
    assert_eq!(recognised(&log), [""; 0]);
    let log = [
        r#"{"history":[{"content":"mend the gate","role":"user","name":"Gate_Expert"},{"content":"```python\nprint(1)\n```","role":"assistant","name":"Gate_Expert"}],"question":"q","mistake_agent":"Gate_Expert"}"#,
    ];
    assert_eq!(recognised(&log), [""; 0]);
    let read = lines("autogen", log[0].as_bytes());
    assert_eq!(read.notices, ["fault missing_field 1:1 -"]);
    assert!(read.events.is_empty());
}
