//! Calls of Claude Code that were refused, and the wait for what became of a call.

use super::claude_code::{call, read, result, row};

const DENIED: &str = r#""content":"Permission to use Bash has been denied.""#;
const OK: &str = r#""content":"x""#;

fn refusal(id: &str) -> String {
    result(id, &format!("{DENIED},\"is_error\":true"))
}

/// The row of a subagent of the same session.
fn side(row: String) -> String {
    let fields = r#"{"isSidechain":true,"agentId":"x7","sessionId""#;
    row.replace("{\"sessionId\"", fields)
}

#[test]
fn one_of_two_parallel_calls_is_refused() {
    let log = read(&[
        call("m1", "a", "Bash", "{}"),
        call("m1", "b", "Bash", "{}"),
        result("b", OK),
        refusal("a"),
        call("m2", "c", "Bash", "{}"),
        result("c", OK),
    ]);
    let events = [
        "1: s: call 1 a Bash {} recorded block",
        "2: s: call 1 b Bash {}",
        r#"3: s: result b ok "x""#,
        "5: s: call 2 c Bash {}",
        r#"6: s: result c ok "x""#,
    ];
    assert_eq!(log.events[1..], events);
    assert_eq!(log.notices, ["warning assumed 4:1 s"]);
}

#[test]
fn only_an_error_tells_of_a_refusal() {
    let log = read(&[call("m1", "a", "Bash", "{}"), result("a", DENIED)]);
    let events = [
        "1: s: call 1 a Bash {}",
        r#"2: s: result a ok "Permission to use Bash has been denied.""#,
    ];
    assert_eq!(log.events[1..], events);
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn refusals_are_told_once() {
    let log = read(&[
        call("m1", "a", "Bash", "{}"),
        call("m1", "b", "Bash", "{}"),
        refusal("a"),
        refusal("b"),
    ]);
    let events = [
        "1: s: call 1 a Bash {} recorded block",
        "2: s: call 1 b Bash {} recorded block",
    ];
    assert_eq!(log.events[1..], events);
    assert_eq!(log.notices, ["warning assumed 3:1 s"]);
}

#[test]
fn a_refusal_after_a_call_of_another_answer_is_late() {
    let log = read(&[
        call("m1", "a", "Bash", "{}"),
        call("m1", "b", "Bash", "{}"),
        refusal("b"),
        call("m2", "c", "Bash", "{}"),
        refusal("a"),
        result("c", OK),
    ]);
    let events = [
        "1: s: call 1 a Bash {}",
        "2: s: call 1 b Bash {} recorded block",
        "5: s: approval a denied permissions",
        "4: s: call 2 c Bash {}",
        r#"6: s: result c ok "x""#,
    ];
    assert_eq!(log.events[1..], events);
    assert_eq!(log.notices, ["warning assumed 3:1 s"]);
}

#[test]
fn a_prompt_ends_the_wait_but_an_interruption_does_not() {
    let stopped = r#"[{"type":"text","text":"[Request interrupted by user for tool use]"}]"#;
    let log = read(&[
        call("m1", "a", "Bash", "{}"),
        row("assistant", "m1", r#"[{"type":"text","text":"hm"}]"#),
        row("user", "", stopped),
        row("assistant", "m2", r#"[{"type":"text","text":"well"}]"#),
        refusal("a"),
        call("m3", "b", "Bash", "{}"),
        row("user", "", r#""go on""#),
        refusal("b"),
    ]);
    let events = [
        "1: s: call 1 a Bash {} recorded block",
        "6: s: call 2 b Bash {}",
        "8: s: approval b denied permissions",
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn a_row_with_a_prompt_can_bring_results_too() {
    let both = format!(
        r#"[{{"type":"text","text":"not so"}},{{"type":"tool_result","tool_use_id":"b",{DENIED},"is_error":true}}]"#
    );
    let log = read(&[
        call("m1", "a", "Bash", "{}"),
        call("m1", "b", "Bash", "{}"),
        row("user", "", &both),
        result("a", OK),
    ]);
    let events = [
        "1: s: call 1 a Bash {}",
        "2: s: call 1 b Bash {} recorded block",
        r#"4: s: result a ok "x""#,
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn the_end_of_the_input_ends_the_wait() {
    let log = read(&[
        call("m1", "a", "Bash", "{}"),
        call("m1", "b", "Bash", "{}"),
        call("m1", "c", "Bash", "{}"),
        result("c", OK),
        refusal("b"),
    ]);
    let events = [
        "1: s: call 1 a Bash {}",
        "2: s: call 1 b Bash {} recorded block",
        "3: s: call 1 c Bash {}",
        r#"4: s: result c ok "x""#,
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn rows_of_a_subagent_do_not_end_the_wait() {
    let log = read(&[
        call("m1", "a", "Task", "{}"),
        side(row("user", "", r#""look""#)),
        side(call("n1", "b", "Read", "{}")),
        call("m1", "c", "Bash", "{}"),
        refusal("c"),
        side(result("b", OK)),
        side(call("n2", "d", "Read", "{}")),
        result("a", OK),
    ]);
    let events = [
        r#"1: s: start - "-" -"#,
        r#"2: s/x7: start x7 "look" -"#,
        "3: s/x7: call 1 b Read {}",
        r#"6: s/x7: result b ok "x""#,
        "1: s: call 1 a Task {}",
        "4: s: call 1 c Bash {} recorded block",
        r#"8: s: result a ok "x""#,
        "7: s/x7: call 2 d Read {}",
    ];
    assert_eq!(log.events, events);
}

#[test]
fn history_written_again_can_still_bring_the_answer() {
    let log = read(&[
        call("m1", "a", "Bash", "{}"),
        result("a", OK),
        call("m2", "b", "Bash", "{}"),
        call("m1", "a", "Bash", "{}"),
        result("a", OK),
        call("m2", "b", "Bash", "{}"),
        refusal("b"),
    ]);
    assert_eq!(log.events[3..], ["3: s: call 2 b Bash {} recorded block"]);
    let notices = ["warning assumed 7:1 s", "warning repeated_call 4:1 s"];
    assert_eq!(log.notices, notices);
}

#[test]
fn a_tool_that_ran_was_not_refused_whatever_it_says() {
    let ran = refusal("a").replacen(
        "{\"sessionId\"",
        r#"{"toolUseResult":{"stdout":"","stderr":"x"},"sessionId""#,
        1,
    );
    let log = read(&[call("m1", "a", "Bash", "{}"), ran]);
    let events = [
        "1: s: call 1 a Bash {}",
        r#"2: s: result a error "Permission to use Bash has been denied.""#,
    ];
    assert_eq!(log.events[1..], events);
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn history_that_tells_another_result_is_told() {
    let log = read(&[
        call("m1", "a", "Bash", "{}"),
        result("a", OK),
        call("m1", "a", "Bash", "{}"),
        result("a", OK),
        call("m1", "a", "Bash", "{}"),
        result("a", r#""content":"y""#),
    ]);
    assert_eq!(log.events.len(), 3);
    let notices = [
        "warning repeated_call 3:1 s",
        "warning repeated_result 6:1 s",
    ];
    assert_eq!(log.notices, notices);
}
