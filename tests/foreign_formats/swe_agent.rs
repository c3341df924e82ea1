//! SWE-agent and mini-swe-agent, one behaviour a test.

use super::fixtures::{counts, fixture};
use super::log::{Log, lines, recognised};

fn read(documents: &[&str]) -> Log {
    lines(
        "swe_agent",
        format!("{}\n", documents.join("\n")).as_bytes(),
    )
}

fn document(name: &str) -> String {
    let text = String::from_utf8(fixture(name)).expect("text");
    text.replace('\n', " ")
}

/// A document of mini-swe-agent with these messages.
fn mini(messages: &[&str]) -> Log {
    let messages = messages.join(",");
    read(&[&format!(
        r#"{{"messages":[{messages}],"info":{{}},"trajectory_format":"mini-swe-agent-1"}}"#
    )])
}

const ASK: &str = r#"{"role":"assistant","content":"Go.\n```bash\nls\n```"}"#;

#[test]
fn recognised_before_chat_messages() {
    assert_eq!(recognised(&[&document("swe_agent.json")]), ["swe_agent"]);
    let both = recognised(&[&document("swe_agent_mini.json")]);
    assert_eq!(both, ["swe_agent", "openai_chat"]);
}

#[test]
fn steps_fixture() {
    let log = read(&[&document("swe_agent.json")]);
    assert_eq!(counts(&log), [1, 4, 4, 0, 1]);
    let events = [
        r#"1: -: start main "ISSUE: mean tide is wrong" {"environment":"swe_main","exit_status":"submitted (exit_cost)","instance_cost":2.01}"#,
        r#"1: -: call 1 call_t1 find_file {"file_name":"tides.py"}"#,
        r#"1: -: result call_t1 - "Found 1 matches for \"tides.py\"\r\n/harbour/tides.py""#,
        r#"1: -: call 2 call-2 bash {"command":"vim tides.py"}"#,
        r#"1: -: result call-2 - """#,
        r#"1: -: call 3 call-3 edit {"command":"edit 3:3\n    return (high - low) / 2\nend_of_edit"}"#,
        r#"1: -: result call-3 - "File updated.""#,
        r#"1: -: call 4 call-4 bash {"command":"cd /harbour && python -m pytest"}"#,
        r#"1: -: result call-4 - "1 passed""#,
        "1: -: end aborted",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn mini_fixture() {
    let log = read(&[&document("swe_agent_mini.json")]);
    assert_eq!(counts(&log), [1, 4, 2, 0, 1]);
    let events = [
        r#"1: lighthouse__lamp-7: start - "The lamp blinks too fast." {"exit_status":"Submitted","model":"openai/gpt-4o-mini","version":"2.0.0","instance_cost":0.02}"#,
        r#"1: lighthouse__lamp-7: call 1 call_1 bash {"command":"ls"}"#,
        r#"1: lighthouse__lamp-7: call 1 call_2 bash {"command":"cat lamp.c"}"#,
        r#"1: lighthouse__lamp-7: result call_1 ok "<returncode>0</returncode><output>lamp.c</output>""#,
        r#"1: lighthouse__lamp-7: result call_2 error "<returncode>1</returncode><output>no lamp</output>""#,
        r#"1: lighthouse__lamp-7: call 2 call_3 bash {"command":"rm lamp.c"} recorded block"#,
        r#"1: lighthouse__lamp-7: call 3 call-4 bash {"command":"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}"#,
        "1: lighthouse__lamp-7: end answered",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn a_history_is_read_where_there_is_no_trajectory() {
    let log = read(&[
        r#"{"history":[{"role":"user","content":"go","agent":"main"},{"role":"assistant","content":"","action":"ls","agent":"main"},{"role":"user","content":"a b","agent":"main"},{"role":"user","content":"and?","agent":"main"},{"role":"assistant","content":"","action":"pwd","agent":"helper"}]}"#,
    ]);
    let events = [
        r#"1: -: start main "go" -"#,
        r#"1: -: call 1 call-1 bash {"command":"ls"}"#,
        r#"1: -: result call-1 - "a b""#,
        r#"1: -: call 2 call-2 bash {"command":"pwd"}"#,
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning assumed 1:1 stem"]);
}

#[test]
fn actions_of_the_history_alone_are_told() {
    let log = read(&[
        r#"{"trajectory":[{"action":"ls","observation":"x"}],"history":[{"role":"assistant","action":"pwd","agent":"main"},{"role":"assistant","action":"ls","agent":"main"}]}"#,
    ]);
    assert_eq!(log.events.len(), 3);
    assert_eq!(log.notices, ["fault bad_field 1:1 stem"]);
}

#[test]
fn attempts_are_runs_and_the_best_one_is_not_read_again() {
    let attempt =
        |action: &str| format!(r#"{{"trajectory":[{{"action":"{action}","observation":""}}]}}"#);
    let log = read(&[&format!(
        r#"{{"attempts":[{},{}],"trajectory":[{{"action":"b","observation":""}}]}}"#,
        attempt("a"),
        attempt("b")
    )]);
    let calls: Vec<_> = log.events.iter().filter(|e| e.contains(": call")).collect();
    let expected = [
        "1: stem/1: call 1 call-1 bash {\"command\":\"a\"}",
        "1: stem/2: call 1 call-1 bash {\"command\":\"b\"}",
    ];
    assert_eq!(calls, expected);
}

#[test]
fn later_documents_of_a_file_are_numbered() {
    let one = r#"{"trajectory":[{"action":"a","observation":""}]}"#;
    let log = read(&[one, "x", one]);
    let runs: Vec<_> = log.events.iter().filter(|e| e.contains("start")).collect();
    assert_eq!(
        runs,
        ["1: -: start - \"-\" -", "3: stem-3: start - \"-\" -"]
    );
}

#[test]
fn the_word_of_the_program_is_no_action_at_the_end_only() {
    let log = read(&[
        r#"{"trajectory":[{"action":"exit_cost","observation":""},{"action":"exit_cost","observation":""}]}"#,
    ]);
    assert_eq!(counts(&log), [1, 1, 1, 0, 0]);
}

#[test]
fn commands_of_mini_are_blocks_of_code() {
    let log = mini(&[
        r#"{"role":"user","content":"go"}"#,
        ASK,
        r#"{"role":"user","content":"<returncode>0</returncode>\n<output>x</output>"}"#,
        r#"{"role":"assistant","content":"No command."}"#,
        r#"{"role":"user","content":"Please provide one command."}"#,
        ASK,
        r#"{"role":"user","content":"The last command <command>ls</command> timed out and has been killed."}"#,
        ASK,
        r#"{"role":"user","content":"Command not executed. The user rejected your command with the following message:\nno"}"#,
        ASK,
    ]);
    let events = [
        "1: -: start - \"go\" -",
        r#"1: -: call 1 call-1 bash {"command":"ls"}"#,
        r#"1: -: result call-1 ok "<returncode>0</returncode>\n<output>x</output>""#,
        r#"1: -: call 2 call-2 bash {"command":"ls"}"#,
        r#"1: -: result call-2 error "The last command <command>ls</command> timed out and has been killed.""#,
        r#"1: -: call 3 call-3 bash {"command":"ls"} recorded block"#,
        r#"1: -: call 4 call-4 bash {"command":"ls"}"#,
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn results_of_mini_belong_to_the_last_answer() {
    let log = mini(&[
        ASK,
        ASK,
        r#"{"role":"user","content":"<returncode>0</returncode>"}"#,
    ]);
    let result = r#"1: -: result call-2 ok "<returncode>0</returncode>""#;
    assert_eq!(log.events.last().expect("one"), result);
}

#[test]
fn a_result_of_a_command_in_another_notation_is_a_fault() {
    let log = mini(&[
        r#"{"role":"assistant","content":"<sh>ls</sh>"}"#,
        r#"{"role":"user","content":"<returncode>0</returncode>"}"#,
    ]);
    assert_eq!(log.notices, ["fault bad_field 1:1 stem"]);
}

#[test]
fn items_of_the_responses_api_are_read_too() {
    let log = mini(&[
        r#"{"object":"response","output":[{"type":"message"},{"type":"function_call","call_id":"c1","id":"fc_1","name":"bash","arguments":"{\"command\": \"ls\"}"}],"extra":{"actions":[{"command":"ls","tool_call_id":"c1"}]}}"#,
        r#"{"type":"function_call_output","call_id":"c1","output":"x","extra":{"raw_output":"x","returncode":0}}"#,
    ]);
    let events = [
        r#"1: -: call 1 c1 bash {"command":"ls"}"#,
        r#"1: -: result c1 ok "x""#,
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn unusable_documents_are_faults() {
    let log = read(&[
        r#"{"info":{}}"#,
        r#"{"trajectory":{}}"#,
        r#"{"trajectory":[7,{"observation":"x"},{"action":"a","action":"b"}]}"#,
        r#"{"instance_id":7,"trajectory":[]}"#,
        r#"{"messages":[7,{"content":"x"},{"role":"news"}],"trajectory_format":"mini-swe-agent-1"}"#,
    ]);
    let notices = [
        "fault missing_field 1:1 stem",
        "fault bad_field 2:1 stem-2",
        "fault bad_field 3:1 stem-3",
        "fault missing_field 3:1 stem-3",
        "fault duplicate_key 3:1 stem-3",
        "fault bad_field 4:1 -",
        "fault bad_field 5:1 stem-5",
        "fault missing_field 5:1 stem-5",
        "warning assumed 5:1 stem-5",
    ];
    assert_eq!(log.notices, notices);
}
