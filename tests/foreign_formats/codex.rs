//! Codex rollouts and exec streams, one behaviour a test.

use super::log::{Log, lines, recognised};

const META: &str =
    r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/w"}}"#;

fn item(payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{payload}}}"#)
}

fn event(payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-01-01T00:00:01Z","type":"event_msg","payload":{payload}}}"#)
}

fn call(id: &str) -> String {
    item(&format!(
        r#"{{"type":"function_call","name":"f","arguments":"{{}}","call_id":"{id}"}}"#
    ))
}

fn output(id: &str, output: &str) -> String {
    item(&format!(
        r#"{{"type":"function_call_output","call_id":"{id}","output":{output}}}"#
    ))
}

fn read(records: &[&str]) -> Log {
    lines("codex", format!("{}\n", records.join("\n")).as_bytes())
}

/// Events of a session of these lines, without line, run and the beginning.
fn events(records: &[&str]) -> Vec<String> {
    let all = [&[META], records].concat();
    let short = |event: &String| event.splitn(3, ": ").nth(2).unwrap_or_default().to_owned();
    let events = read(&all).events;
    events
        .iter()
        .map(short)
        .filter(|e| !e.starts_with("start"))
        .collect()
}

#[test]
fn every_kind_of_line_is_recognised_and_by_no_other_format() {
    let older = r#"{"id":"s","timestamp":"2025-07-01T00:00:00Z","instructions":null}"#;
    let bare = r#"{"type":"function_call","name":"f","arguments":"{}","call_id":"a"}"#;
    let early = r#"{"session":{"id":"s"},"items":[]}"#;
    let exec = r#"{"type":"thread.started","thread_id":"t"}"#;
    let done = r#"{"item":{"item_type":"reasoning","id":"item_0"},"type":"item.completed"}"#;
    let context = r#"{"payload":{"cwd":"/w"},"type":"turn_context"}"#;
    for sample in [
        &[META][..],
        &[&call("a")],
        &[&event(r#"{"type":"token_count"}"#)],
        &[context],
        &[older, bare],
        &[r#"{"record_type":"state"}"#],
        &[early],
        &[exec],
        &[done],
    ] {
        assert_eq!(recognised(sample), ["codex"], "{sample:?}");
    }
    assert_eq!(recognised(&[older]), [] as [&str; 0]);
    let other = r#"{"type":"message","payload":"x"}"#;
    assert_eq!(recognised(&[other]), [] as [&str; 0]);
}

#[test]
fn calls_before_the_first_result_are_one_turn() {
    let (a, b, c) = (call("a"), call("b"), call("c"));
    let (ra, rb) = (output("a", "\"1\""), output("b", "\"2\""));
    let log = events(&[&a, &b, &rb, &ra, &c]);
    let expected = [
        "call 1 a f {}",
        "call 1 b f {}",
        "result b - \"2\"",
        "result a - \"1\"",
        "call 2 c f {}",
    ];
    assert_eq!(log, expected);
}

#[test]
fn what_is_written_twice_counts_once() {
    let a = call("a");
    let end = event(r#"{"type":"exec_command_end","call_id":"a","exit_code":3,"status":"failed"}"#);
    let log = events(&[&a, &end, &output("a", "\"x\"")]);
    assert_eq!(log, ["call 1 a f {}", "result a error \"x\""]);
}

#[test]
fn a_declined_call_did_not_run() {
    let a = call("a");
    let end = event(
        r#"{"type":"item_completed","item":{"type":"CommandExecution","id":"a","status":"declined"}}"#,
    );
    let log = events(&[&a, &end, &output("a", "\"whatever it says\"")]);
    assert_eq!(log, ["call 1 a f {} recorded block"]);
    let shell = a.replace(r#""name":"f""#, r#""name":"shell""#);
    let log = events(&[&shell, &output("a", "\"exec command rejected by user\"")]);
    assert_eq!(log, ["call 1 a shell {} recorded block"]);
}

#[test]
fn a_server_cannot_say_that_its_call_did_not_run() {
    let a = item(r#"{"type":"function_call","name":"mcp__s__f","arguments":"{}","call_id":"a"}"#);
    let log = events(&[&a, &output("a", "\"exec command rejected by user\"")]);
    let expected = [
        "call 1 a mcp__s__f {}",
        "result a - \"exec command rejected by user\"",
    ];
    assert_eq!(log, expected);
}

#[test]
fn outputs_come_in_several_forms() {
    let text = |output_value: &str| {
        let events = events(&[&call("a"), &output("a", output_value)]);
        events.last().expect("a result").clone()
    };
    let framed = r#""Exit code: 2\nWall time: 0 seconds\nOutput:\nno""#;
    assert!(text(framed).starts_with("result a error \"Exit code: 2"));
    let older = r#""{\"output\":\"x\",\"metadata\":{\"exit_code\":0}}""#;
    assert_eq!(text(older), "result a ok \"x\"");
    let list = r#"[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:image/png;base64,aGVsbG8="}]"#;
    assert!(text(list).starts_with("result a - \"a\\n[input_image: 30 bytes"));
    assert_eq!(
        text(r#"{"content":"no","success":false}"#),
        "result a error \"no\""
    );
}

#[test]
fn a_copy_is_not_counted_and_an_empty_fork_has_no_calls() {
    let child = "01990000-0001-7000-8000-000000000000";
    let parent = "01990000-0000-7000-8000-000000000000";
    let of = |id: &str, rest: &str| {
        format!(r#"{{"type":"session_meta","payload":{{"id":"{id}"{rest}}}}}"#)
    };
    let meta = of(child, &format!(r#","forked_from_id":"{parent}""#));
    let turn = |id: &str| event(&format!(r#"{{"type":"task_started","turn_id":"{id}"}}"#));
    let old = [
        &meta,
        &of(parent, ""),
        &turn(parent),
        &call("a"),
        &output("a", "\"x\""),
    ];
    let old: Vec<&str> = old.iter().map(|line| line.as_str()).collect();
    let log = read(&old);
    assert_eq!(log.events.len(), 1, "{:?}", log.events);
    assert_eq!(log.notices, [format!("warning repeated_call 4:1 {child}")]);

    let own = [turn("01990000-0002-7000-8000-000000000000"), call("b")];
    let all: Vec<&str> = old
        .into_iter()
        .chain(own.iter().map(String::as_str))
        .collect();
    let log = read(&all);
    assert_eq!(log.events.len(), 2, "{:?}", log.events);
    assert_eq!(log.events[1], format!("7: {child}: call 1 b f {{}}"));
}

#[test]
fn a_session_after_another_is_one_of_its_own() {
    let second = META.replace(r#""id":"s""#, r#""id":"t""#);
    let log = read(&[META, &call("a"), &second, &call("b")]);
    assert!(log.events.contains(&"2: s: call 1 a f {}".to_owned()));
    assert!(log.events.contains(&"4: t: call 1 b f {}".to_owned()));
    assert_eq!(log.notices, ["warning assumed 3:1 s"]);
}

#[test]
fn a_subagent_is_a_run_of_its_own() {
    let meta = r#"{"type":"session_meta","payload":{"id":"c","source":{"subagent":{"thread_spawn":{"parent_thread_id":"p","agent_role":"explorer","agent_nickname":"Ada"}}}}}"#;
    let log = read(&[meta, &call("a")]);
    assert!(
        log.events[0].starts_with("2: p/c: start explorer"),
        "{}",
        log.events[0]
    );
    assert_eq!(log.events[1], "2: p/c: call 1 a f {}");
}

#[test]
fn what_is_not_known_is_told() {
    let line = r#"{"type":"new_line","payload":{}}"#;
    let odd = item(r#"{"type":"new_item"}"#);
    let inner = event(r#"{"type":"exec_command_end","call_id":"inner","exit_code":0}"#);
    let users =
        event(r#"{"type":"exec_command_end","call_id":"u","source":"user_shell","exit_code":0}"#);
    let log = read(&[
        META,
        line,
        &odd,
        &event(r#"{"type":"new_event"}"#),
        &inner,
        &users,
    ]);
    let notices = ["2:1", "3:1", "4:1", "5:1"].map(|at| format!("warning assumed {at} s"));
    assert_eq!(log.notices, notices);
    let log = read(&[META, "{}", r#"{"type":"response_item","payload":[]}"#]);
    assert_eq!(
        log.notices,
        ["fault missing_field 2:1 s", "fault bad_field 3:1 s"]
    );
}

#[test]
fn a_line_that_cannot_be_read_leaves_its_session_in_doubt() {
    let log = read(&[META, "{\"type\":\"resp{}"]);
    assert_eq!(log.notices, ["fault malformed_json 2:16 s"]);
    assert_eq!(log.events.len(), 1, "the run is there");
}

#[test]
fn items_of_a_stream_that_overlap_are_one_turn() {
    let line = |kind: &str, id: &str, rest: &str| {
        format!(
            r#"{{"type":"item.{kind}","item":{{"id":"{id}","type":"command_execution","command":"x"{rest}}}}}"#
        )
    };
    let done = r#","aggregated_output":"o","exit_code":0,"status":"completed""#;
    let thread = r#"{"type":"thread.started","thread_id":"t"}"#;
    let log = read(&[
        thread,
        &line("started", "item_0", ""),
        &line("started", "item_1", ""),
        &line("completed", "item_1", done),
        &line("completed", "item_0", done),
        &line("started", "item_2", ""),
        r#"{"type":"turn.failed","error":{"message":"stopped"}}"#,
        thread,
        &line("completed", "item_0", done),
    ]);
    let expected = [
        "1: t: start - \"-\" -",
        r#"2: t: call 1 item_0 command_execution {"command":"x"}"#,
        r#"3: t: call 1 item_1 command_execution {"command":"x"}"#,
        "4: t: result item_1 ok \"o\"",
        "5: t: result item_0 ok \"o\"",
        r#"6: t: call 2 item_2 command_execution {"command":"x"}"#,
        r#"9: t: call 3 item_0#2 command_execution {"command":"x"}"#,
        "9: t: result item_0#2 ok \"o\"",
    ];
    assert_eq!(log.events, expected);
    assert_eq!(log.notices, ["warning assumed 9:1 t"]);
}

#[test]
fn a_search_that_is_never_complete_is_still_a_call() {
    let started =
        r#"{"type":"item.started","item":{"id":"item_0","type":"web_search","query":""}}"#;
    let log = read(&[r#"{"type":"thread.started","thread_id":"t"}"#, started]);
    assert_eq!(log.events[1], "2: t: call 1 item_0 web_search {} unknown");
}
