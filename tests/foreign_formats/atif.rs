//! ATIF trajectories, one behaviour a test.

use super::log::{Log, elements, lines, recognised};

/// A trajectory of these steps, with these fields besides.
fn trajectory(steps: &[&str], rest: &str) -> String {
    let steps = steps.join(",");
    format!(r#"{{"schema_version":"ATIF-v1.5","agent":{{"name":"a"}},"steps":[{steps}]{rest}}}"#)
}

fn read(steps: &[&str]) -> Log {
    let text = trajectory(steps, r#","session_id":"s""#);
    lines("atif", format!("{text}\n").as_bytes())
}

/// What is said after the start of the run.
fn said(log: &Log) -> Vec<&str> {
    let events = log.events.iter().skip(1);
    events
        .filter_map(|event| event.splitn(3, ": ").nth(2))
        .collect()
}

/// A step of the agent that makes calls of `f` by these ids and has these results.
fn step(ids: &[&str], results: &[&str]) -> String {
    let call =
        |id: &&str| format!(r#"{{"tool_call_id":"{id}","function_name":"f","arguments":{{}}}}"#);
    let calls: Vec<_> = ids.iter().map(call).collect();
    let (calls, results) = (calls.join(","), results.join(","));
    format!(
        r#"{{"step_id":1,"source":"agent","message":"","tool_calls":[{calls}],"observation":{{"results":[{results}]}}}}"#
    )
}

#[test]
fn recognised_by_the_version() {
    let own = trajectory(&[r#"{"step_id":1,"source":"user","message":"x"}"#], "");
    assert_eq!(recognised(&[&own]), ["atif"]);
    let share = r#"{"conversations":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}],"agent":"a","model":"m","run_id":"r"}"#;
    assert_eq!(recognised(&[share]), [""; 0]);
}

#[test]
fn a_run_is_named_by_session_then_trajectory_then_file() {
    let name = |rest: &str| {
        let text = trajectory(&[], rest);
        let log = lines("atif", format!("{text}\n").as_bytes());
        log.events[0].split(": ").nth(1).map(str::to_owned)
    };
    let some = |name: &str| Some(name.to_owned());
    assert_eq!(name(r#","session_id":"s","trajectory_id":"t""#), some("s"));
    assert_eq!(name(r#","session_id":null,"trajectory_id":"t""#), some("t"));
    assert_eq!(name(""), some("stem-1"));
}

#[test]
fn a_result_without_a_call_id_is_that_of_the_only_call() {
    let one = read(&[&step(&["x"], &[r#"{"content":"r"}"#])]);
    assert_eq!(said(&one), ["call 1 x f {}", r#"result x - "r""#]);
    assert_eq!(one.notices, ["warning assumed 1:1 s"]);
    let null = r#"{"source_call_id":null,"content":"r"}"#;
    let two = read(&[&step(&["x", "y"], &[null])]);
    assert!(said(&two).contains(&r#"result  - "r""#));
    let both = read(&[&step(&["x", "y"], &[null, null])]);
    let none = said(&both)
        .into_iter()
        .filter(|e| e.starts_with("result  "));
    assert_eq!(none.count(), 2);
    let several = read(&[&step(&["x"], &[null, null])]);
    let none = said(&several)
        .into_iter()
        .filter(|e| e.starts_with("result  "));
    assert_eq!(none.count(), 2);
}

#[test]
fn calls_without_an_id_are_numbered() {
    let call = r#"{"step_id":1,"source":"agent","message":"","tool_calls":[{"function_name":"f","arguments":{}}],"observation":{"results":[{"content":"r"}]}}"#;
    assert_eq!(
        said(&read(&[call])),
        ["call 1 call-1 f {}", r#"result call-1 - "r""#]
    );
}

#[test]
fn arguments_that_are_not_there_are_unknown() {
    let calls = r#"[{"tool_call_id":"a","function_name":"f"},{"tool_call_id":"b","function_name":"f","arguments":null}]"#;
    let text = format!(r#"{{"source":"agent","message":"","tool_calls":{calls}}}"#);
    assert_eq!(
        said(&read(&[&text])),
        ["call 1 a f {} unknown", "call 1 b f {} unknown"]
    );
}

#[test]
fn copied_steps_are_left_out_aloud() {
    let user = r#"{"source":"user","message":"go","is_copied_context":true}"#;
    let copied = step(&["x"], &[]).replace(r#""message""#, r#""is_copied_context":true,"message""#);
    let log = read(&[user, &copied, &step(&["y"], &[])]);
    assert_eq!(said(&log), ["call 1 y f {}"]);
    assert!(log.events[0].contains(r#"start a "go""#));
    assert_eq!(log.notices, ["warning assumed 1:1 s"]);
}

#[test]
fn an_agent_without_function_calling_says_so() {
    let text = r#"{"source":"agent","message":"{\"commands\":[]}","observation":{"results":[{"content":"$"}]}}"#;
    let log = read(&[text, text]);
    assert_eq!(log.events.len(), 1);
    assert_eq!(log.notices, ["warning assumed 1:1 s"]);
}

#[test]
fn trajectories_within_are_runs_of_their_own() {
    let inner = |rest: &str| trajectory(&[&step(&["y"], &[])], rest);
    let deep = inner(r#","trajectory_id":"deep""#);
    let rest = format!(
        r#","session_id":"s","subagent_trajectories":[{},{},{}]"#,
        inner(&format!(
            r#","session_id":"s","trajectory_id":"t","subagent_trajectories":[{deep}]"#
        )),
        inner(r#","session_id":"u""#),
        inner(r#","session_id":"s""#),
    );
    let text = trajectory(&[&step(&["x"], &[])], &rest);
    let log = lines("atif", format!("{text}\n").as_bytes());
    let calls = log.events.iter().filter(|event| event.contains(": call "));
    let names: Vec<_> = calls.filter_map(|event| event.split(": ").nth(1)).collect();
    assert_eq!(names, ["s", "s/t", "s/t/deep", "s/u", "s/subagent-3"]);
}

#[test]
fn only_an_answer_at_the_end_ends_a_run() {
    let answer = r#"{"source":"agent","message":"done"}"#;
    assert_eq!(said(&read(&[answer])), ["end answered"]);
    assert_eq!(
        said(&read(&[answer, r#"{"source":"user","message":"x"}"#])),
        [""; 0]
    );
    let text = trajectory(
        &[answer],
        r#","session_id":"s","continued_trajectory_ref":"t.cont-1.json""#,
    );
    let log = lines("atif", format!("{text}\n").as_bytes());
    assert_eq!(said(&log), [""; 0]);
    assert_eq!(log.notices, ["warning assumed 1:1 s"]);
}

#[test]
fn subagents_in_other_files_are_told_of() {
    let result = r#"{"source_call_id":"x","content":null,"subagent_trajectory_ref":[{"session_id":"u","trajectory_path":"u.json"}]}"#;
    let log = read(&[&step(&["x"], &[result])]);
    assert_eq!(said(&log)[1], "result x - -");
    assert_eq!(log.notices, ["warning assumed 1:1 s"]);
}

#[test]
fn what_cannot_be_read_is_a_fault() {
    let fault = |steps: &str, code: &str| {
        let notices = read(&[steps]).notices;
        assert_eq!(notices, [format!("fault {code} 1:1 s")], "{steps}");
    };
    fault("1", "bad_field");
    fault("{}", "missing_field");
    fault(r#"{"source":"agent","source":"user"}"#, "duplicate_key");
    fault(r#"{"source":"nobody"}"#, "bad_field");
    fault(r#"{"source":"agent","tool_calls":{}}"#, "bad_field");
    fault(r#"{"source":"agent","tool_calls":[1]}"#, "bad_field");
    fault(
        r#"{"source":"agent","tool_calls":[{"arguments":{}}]}"#,
        "missing_field",
    );
    fault(
        r#"{"source":"agent","observation":{"results":1}}"#,
        "bad_field",
    );
    fault(
        r#"{"source":"agent","metrics":{"cost_usd":"x"}}"#,
        "bad_field",
    );
    let result = r#"{"source":"agent","tool_calls":[{"function_name":"f","arguments":{}}],"observation":{"results":[1]}}"#;
    fault(result, "bad_field");
    let without = lines(
        "atif",
        b"{\"schema_version\":\"ATIF-v1.5\",\"session_id\":\"s\"}\n",
    );
    assert_eq!(without.notices, ["fault missing_field 1:1 s"]);
}

#[test]
fn calls_of_others_than_the_agent_are_left_out_aloud() {
    let text = step(&["x"], &[]).replace("agent", "user");
    let log = read(&[&text]);
    assert_eq!(log.events.len(), 1);
    assert_eq!(log.notices, ["warning assumed 1:1 s"]);
}

#[test]
fn the_elements_of_an_array_are_runs() {
    let one = |name: &str| trajectory(&[&step(&["x"], &[])], &format!(r#","session_id":"{name}""#));
    let log = elements("atif", format!("[{},{}]", one("s"), one("t")).as_bytes());
    let calls: Vec<_> = log
        .events
        .iter()
        .filter(|e| e.contains("call 1 x"))
        .collect();
    assert_eq!(calls, ["1: s: call 1 x f {}", "2: t: call 1 x f {}"]);
}

#[test]
fn an_observation_has_to_be_an_object() {
    for observation in ["[]", "3", r#""done""#] {
        let step = format!(
            r#"{{"source":"agent","message":"","tool_calls":[{{"tool_call_id":"x","function_name":"f","arguments":{{}}}}],"observation":{observation}}}"#
        );
        let log = read(&[&step]);
        assert_eq!(said(&log), ["call 1 x f {}"]);
        assert_eq!(log.notices, ["fault bad_field 1:1 s"]);
    }
}

#[test]
fn a_result_that_is_written_again_bears_the_same_cost() {
    let result = r#"{"source_call_id":"x","content":"r"}"#;
    let step = step(&["x"], &[result, result])
        .replace(r#""message""#, r#""metrics":{"cost_usd":0.5},"message""#);
    let log = read(&[&step]);
    let said = said(&log);
    assert_eq!(said.len(), 3);
    assert_eq!(said[1], said[2]);
}
