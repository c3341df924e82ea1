//! Inspect AI logs, one behaviour a test.

use super::log::{Log, lines, recognised};

/// A log of one sample with these fields besides its id and epoch.
fn read(fields: &str) -> Log {
    let sample = format!(r#"{{"id":"s","epoch":1,{fields}}}"#);
    let eval = r#"{"eval_id":"E","run_id":"R","task":"t","model":"m"}"#;
    let log = format!(
        r#"{{"version":2,"status":"success","eval":{eval},"plan":{{}},"samples":[{sample}]}}"#
    );
    lines("inspect_ai", format!("{log}\n").as_bytes())
}

/// A sample with these events.
fn events(events: &[String]) -> Log {
    read(&format!(r#""input":"go","events":[{}]"#, events.join(",")))
}

/// What is said, without places and the name of the log.
fn said(log: &Log) -> Vec<&str> {
    let events = log.events.iter();
    events
        .filter_map(|event| event.strip_prefix("1: E/s/1"))
        .collect()
}

/// What is said of calls and results in the run of the sample.
fn calls(log: &Log) -> Vec<&str> {
    let kinds = [": call ", ": result "];
    let events = said(log).into_iter();
    events
        .filter(|event| kinds.iter().any(|kind| event.starts_with(kind)))
        .map(|event| &event[2..])
        .collect()
}

fn call(id: &str) -> String {
    format!(r#"{{"id":"{id}","function":"f","arguments":{{"x":"{id}"}}}}"#)
}

fn model(span: &str, calls: &[String]) -> String {
    let calls = calls.join(",");
    format!(
        r#"{{"event":"model","span_id":"{span}","timestamp":"2026-01-01T00:00:00Z","output":{{"choices":[{{"message":{{"role":"assistant","tool_calls":[{calls}]}}}}]}}}}"#
    )
}

fn tool(span: &str, id: &str, rest: &str) -> String {
    let call = call(id);
    let call = &call[1..call.len() - 1];
    format!(r#"{{"event":"tool","span_id":"{span}",{call},{rest}}}"#)
}

fn approval(id: &str, approver: &str, decision: &str, rest: &str) -> String {
    let call = call(id);
    format!(
        r#"{{"event":"approval","call":{call},"approver":"{approver}","decision":"{decision}"{rest}}}"#
    )
}

fn begin(id: &str, parent: &str, kind: &str, name: &str) -> String {
    format!(
        r#"{{"event":"span_begin","span_id":"{id}","id":"{id}","parent_id":"{parent}","type":"{kind}","name":"{name}"}}"#
    )
}

#[test]
fn recognised_whole_or_in_parts() {
    let log = r#"{"version":2,"eval":{"task":"t"},"plan":{},"samples":[]}"#;
    assert_eq!(recognised(&[log]), ["inspect_ai"]);
    let chat =
        r#"{"id":1,"epoch":1,"input":"x","target":"y","messages":[{"role":"user","content":"x"}]}"#;
    assert!(recognised(&[chat]).contains(&"inspect_ai"));
}

#[test]
fn samples_are_named_after_the_header_before_them() {
    let sample = r#"{"id":3,"epoch":2,"input":"x","target":"y","messages":[]}"#;
    let header =
        |eval: &str| format!(r#"{{"version":2,"status":"success","eval":{eval},"plan":{{}}}}"#);
    let text = [
        sample.to_owned(),
        header(r#"{"task":"t"}"#),
        sample.to_owned(),
        header(r#"{"task":"t","run_id":"R"}"#),
        sample.to_owned(),
        r#"{"epoch":1,"input":"x","target":"y","messages":[]}"#.to_owned(),
    ];
    let log = lines("inspect_ai", text.join("\n").as_bytes());
    let starts = log.events.iter().filter(|event| event.contains(": start "));
    let names: Vec<_> = starts
        .filter_map(|event| event.split(": ").nth(1))
        .collect();
    assert_eq!(names, ["stem/3/2", "t/3/2", "R/3/2", "R/sample-1/1"]);
    assert!(log.notices.is_empty());
}

#[test]
fn a_log_that_did_not_end_says_so() {
    let start = r#"{"version":2,"eval":{"task":"t"},"plan":{}}"#;
    let log = lines("inspect_ai", format!("{start}\n").as_bytes());
    assert_eq!(log.notices, ["warning assumed 1:1 -"]);
}

#[test]
fn calls_of_an_answer_come_before_their_results() {
    let log = events(&[
        model("a", &[call("1"), call("2"), call("3")]),
        tool("a", "2", r#""result":"b""#),
        tool("a", "1", r#""result":"a""#),
        model("a", &[call("4")]),
        tool("a", "4", r#""result":5"#),
    ]);
    let expected = [
        r#"call 1 1 f {"x":"1"}"#,
        r#"call 1 2 f {"x":"2"}"#,
        r#"call 1 3 f {"x":"3"}"#,
        r#"result 1 ok "a""#,
        r#"result 2 ok "b""#,
        r#"call 2 4 f {"x":"4"}"#,
        "result 4 ok 5",
    ];
    assert_eq!(calls(&log), expected);
}

#[test]
fn an_id_that_comes_back_in_another_turn_is_another_call() {
    let log = events(&[
        model("a", &[call("1")]),
        model("a", &[call("1")]),
        tool("a", "1", r#""result":"second""#),
    ]);
    let expected = [
        r#"call 1 1 f {"x":"1"}"#,
        r#"call 2 1#2 f {"x":"1"}"#,
        r#"result 1#2 ok "second""#,
    ];
    assert_eq!(calls(&log), expected);
}

#[test]
fn tools_that_no_model_asked_for_are_turns_of_their_own() {
    let log = events(&[
        tool("a", "1", r#""result":"a""#),
        tool("a", "2", r#""result":"b""#),
    ]);
    let turns: Vec<_> = calls(&log)
        .into_iter()
        .filter(|c| c.starts_with("call"))
        .collect();
    assert_eq!(
        turns,
        [r#"call 1 1 f {"x":"1"}"#, r#"call 2 2 f {"x":"2"}"#]
    );
}

#[test]
fn every_decision_of_an_approver_is_mapped() {
    let log = |approvals: &[String], rest: &str| {
        let mut list = vec![model("a", &[call("1")])];
        list.extend_from_slice(approvals);
        list.push(tool("a", "1", rest));
        events(&list)
    };
    let ran = r#""result":"a""#;
    let refused = r#""result":"","error":{"type":"approval","message":"no"}"#;
    let result = r#"result 1 ok "a""#;
    let one = |approver: &str, decision: &str| [approval("1", approver, decision, "")];
    let expect = |log: Log, decided: &str, result: &[&str]| {
        let call = format!(r#"call 1 1 f {{"x":"1"}}{decided}"#);
        let all: Vec<&str> = std::iter::once(&*call)
            .chain(result.iter().copied())
            .collect();
        assert_eq!(calls(&log), all, "{decided}");
    };
    expect(log(&[], ran), "", &[result]);
    let approved = log(&one("human", "approve"), ran);
    expect(approved, " recorded allow approval approved", &[result]);
    expect(
        log(&one("auto", "approve"), ran),
        " recorded allow",
        &[result],
    );
    let denied = " recorded block approval denied";
    expect(log(&one("human", "reject"), refused), denied, &[]);
    expect(log(&[], refused), denied, &[]);
    expect(log(&one("human", "escalate"), refused), denied, &[]);
    expect(
        log(&one("human", "escalate"), ran),
        " recorded escalate",
        &[result],
    );
    let both = [
        approval("1", "rules", "escalate", ""),
        approval("1", "human", "approve", ""),
    ];
    expect(
        log(&both, ran),
        " recorded escalate approval approved",
        &[result],
    );
    let both = [
        approval("1", "rules", "escalate", ""),
        approval("1", "human", "reject", ""),
    ];
    expect(log(&both, refused), denied, &[]);
    let ended = log(&one("human", "terminate"), refused);
    assert_eq!(
        ended.events.last().map(String::as_str),
        Some("1: E/s/1: end aborted")
    );
    expect(ended, denied, &[]);
}

#[test]
fn a_modified_call_is_the_one_that_ran() {
    let modified = r#","modified":{"id":"1","function":"g","arguments":{"y":2}}"#;
    let log = events(&[
        model("a", &[call("1")]),
        approval("1", "human", "modify", modified),
        tool("a", "1", r#""result":"a""#),
    ]);
    let call = r#"call 1 1 g {"y":2} recorded allow approval approved"#;
    assert_eq!(calls(&log), [call, r#"result 1 ok "a""#]);
    assert_eq!(log.notices, ["warning assumed 1:1 E/s/1"]);
}

#[test]
fn a_decision_that_is_not_known_is_a_fault() {
    let log = events(&[
        model("a", &[call("1"), call("2")]),
        approval("1", "human", "shrug", ""),
        approval("2", "human", "modify", ""),
    ]);
    let faults = ["fault bad_field 1:1 E/s/1", "fault missing_field 1:1 E/s/1"];
    assert_eq!(log.notices, faults);
    assert_eq!(calls(&log), [""; 0]);
}

#[test]
fn a_review_that_terminates_keeps_the_result_from_the_agent() {
    let review = format!(
        r#"{{"event":"review","call":{},"decision":"terminate"}}"#,
        call("1")
    );
    let log = events(&[
        model("a", &[call("1")]),
        tool("a", "1", r#""result":"a""#),
        review,
    ]);
    assert_eq!(calls(&log)[0], r#"call 1 1 f {"x":"1"} recorded withhold"#);
    assert!(
        log.events
            .last()
            .is_some_and(|event| event.ends_with("end aborted"))
    );
}

#[test]
fn agents_of_tools_are_runs_of_their_own() {
    let log = events(&[
        begin("1", "", "solver", "react"),
        begin("2", "1", "agent", "main"),
        model("2", &[call("a")]),
        begin("3", "2", "tool", "f"),
        begin("4", "3", "agent", "scout"),
        model("4", &[call("b")]),
        tool("4", "b", r#""result":"inner""#),
        tool("2", "a", r#""result":"outer""#),
        begin("5", "2", "tool", "f"),
        begin("6", "5", "agent", "scout"),
        model("6", &[call("c")]),
    ]);
    let expected = [
        r#": start main "go" {"task":"t","model":"m","eval_id":"E","run_id":"R","sample":"s","epoch":1}"#,
        r#": call 1 a f {"x":"a"}"#,
        r#": result a ok "outer""#,
        ": end answered",
        r#"/scout: start scout "-" -"#,
        r#"/scout: call 1 b f {"x":"b"}"#,
        r#"/scout: result b ok "inner""#,
        r#"/scout#2: start scout "-" -"#,
        r#"/scout#2: call 1 c f {"x":"c"}"#,
    ];
    assert_eq!(said(&log), expected);
}

#[test]
fn agents_beside_the_first_and_scorers_are_runs_of_their_own() {
    let log = events(&[
        begin("1", "", "agent", "one"),
        model("1", &[call("a")]),
        begin("2", "", "agent", "two"),
        model("2", &[call("b")]),
        begin("3", "", "agent", "one"),
        model("3", &[call("c")]),
        begin("4", "", "scorers", "scorers"),
        begin("5", "4", "scorer", "judge"),
        model("5", &[call("d")]),
    ]);
    let made: Vec<_> = said(&log)
        .into_iter()
        .filter(|e| e.contains(": call "))
        .collect();
    let expected = [
        r#": call 1 a f {"x":"a"}"#,
        r#": call 2 c f {"x":"c"}"#,
        r#"/two: call 1 b f {"x":"b"}"#,
        r#"/judge: call 1 d f {"x":"d"}"#,
    ];
    assert_eq!(made, expected);
}

#[test]
fn events_within_events_are_a_run_of_their_own() {
    let inner = [
        model("", &[call("b")]),
        tool("", "b", r#""result":"inner""#),
    ]
    .join(",");
    let outer = format!(r#""result":"outer","agent":"scout","events":[{inner}]"#);
    let log = events(&[model("", &[call("a")]), tool("", "a", &outer)]);
    let made: Vec<_> = said(&log)
        .into_iter()
        .filter(|e| e.contains(" f "))
        .collect();
    let expected = [
        r#": call 1 a f {"x":"a"}"#,
        r#"/scout: call 1 b f {"x":"b"}"#,
    ];
    assert_eq!(made, expected);
}

#[test]
fn what_a_branch_plays_again_is_left_out() {
    let branch = r#"{"event":"branch","span_id":"2","from_span":"1","from_anchor":"x"}"#;
    let log = events(&[
        begin("1", "", "agent", "main"),
        model("1", &[call("a")]),
        begin("2", "1", "branch", "second"),
        model("2", &[call("a")]),
        branch.to_owned(),
        model("2", &[call("b")]),
    ]);
    let made: Vec<_> = said(&log)
        .into_iter()
        .filter(|e| e.contains(" f "))
        .collect();
    let expected = [
        r#": call 1 a f {"x":"a"}"#,
        r#"/second: call 1 b f {"x":"b"}"#,
    ];
    assert_eq!(made, expected);
    assert_eq!(log.notices, ["warning assumed 1:1 E/s/1"]);
}

#[test]
fn calls_that_were_run_elsewhere_get_their_results_from_messages() {
    let results = |id: &str| {
        format!(r#"{{"role":"tool","tool_call_id":"{id}","function":"f","content":"r{id}"}}"#)
    };
    let fields = format!(
        r#""input":"go","events":[{}],"messages":[{}],"events_data":{{"messages":[{},{}],"calls":[]}}"#,
        model("", &[call("1"), call("2"), call("3")]),
        results("2"),
        results("1"),
        results("2"),
    );
    let log = read(&fields);
    let results: Vec<_> = calls(&log)
        .into_iter()
        .filter(|c| c.starts_with("result"))
        .collect();
    assert_eq!(results, [r#"result 1 ok "r1""#, r#"result 2 ok "r2""#]);
}

#[test]
fn messages_are_read_where_no_event_calls() {
    let messages = format!(
        r#"[{{"role":"assistant","content":"","tool_calls":[{},{}]}},
        {{"role":"tool","tool_call_id":"2","content":"","error":{{"type":"timeout","message":"late"}}}},
        {{"role":"tool","tool_call_id":"1","content":"x","error":null}}]"#,
        call("1"),
        call("2")
    )
    .replace('\n', "");
    let info = r#"{"event":"info","data":1}"#;
    let log = read(&format!(r#""events":[{info}],"messages":{messages}"#));
    let expected = [
        r#"call 1 1 f {"x":"1"}"#,
        r#"call 1 2 f {"x":"2"}"#,
        r#"result 1 ok "x""#,
        r#"result 2 error "late""#,
    ];
    assert_eq!(calls(&log), expected);
}

#[test]
fn arguments_that_could_not_be_parsed_are_unknown() {
    let torn = r#"{"id":"1","function":"f","arguments":{},"parse_error":"torn"}"#;
    let none = r#"{"id":"2","function":"f"}"#;
    let known = r#"{"id":"3","function":"f","arguments":{}}"#;
    let log = events(&[model("", &[torn, none, known].map(str::to_owned))]);
    let expected = [
        "call 1 1 f {} unknown",
        "call 1 2 f {} unknown",
        "call 1 3 f {}",
    ];
    assert_eq!(calls(&log), expected);
}

#[test]
fn attachments_are_put_in_their_place() {
    let hash = "0123456789abcdef0123456789abcdef";
    let lost = "ffffffffffffffffffffffffffffffff";
    let call = |id: &str, hash: &str| {
        format!(r#"{{"id":"{id}","function":"f","arguments":{{"x":"attachment://{hash}"}}}}"#)
    };
    let result = format!(
        r#"{{"event":"tool","id":"1","function":"f","arguments":{{"x":"attachment://{hash}"}},"result":[{{"type":"text","text":"a attachment://{hash}"}}]}}"#
    );
    let log = read(&format!(
        r#""input":"attachment://{hash}","attachments":{{"{hash}":"long"}},"events":[{},{result}]"#,
        model("", &[call("1", hash), call("2", lost)])
    ));
    assert!(said(&log)[0].starts_with(r#": start - "long""#));
    let expected = [
        r#"call 1 1 f {"x":"long"}"#,
        "call 1 2 f {} unknown",
        r#"result 1 ok "a long""#,
    ];
    assert_eq!(calls(&log), expected);
    assert_eq!(log.notices, ["warning assumed 1:1 E/s/1"; 2]);
}

#[test]
fn a_call_under_way_has_no_result_and_a_failed_one_an_error() {
    let log = events(&[
        model("", &[call("1"), call("2")]),
        tool("", "1", r#""result":"","pending":true"#),
        tool("", "2", r#""result":"","failed":true"#),
    ]);
    assert_eq!(calls(&log)[2..], [r#"result 2 error """#]);
}

#[test]
fn the_end_is_told_by_error_and_limit() {
    let end = |fields: &str| {
        let log = read(fields);
        let last = log
            .events
            .last()
            .map(|event| event["1: E/s/1: ".len()..].to_owned());
        last.filter(|last| last.starts_with("end"))
    };
    let some = |end: &str| Some(end.to_owned());
    assert_eq!(end(r#""error":null,"limit":null"#), some("end answered"));
    assert_eq!(end(r#""error":{"message":"x"}"#), None);
    assert_eq!(
        end(r#""limit":{"type":"time","limit":1}"#),
        some("end timeout")
    );
    assert_eq!(
        end(r#""limit":{"type":"message","limit":1}"#),
        some("end aborted")
    );
    let event = r#""events":[{"event":"sample_limit","type":"working"}]"#;
    assert_eq!(end(event), some("end timeout"));
}

#[test]
fn attempts_that_failed_are_runs_of_their_own() {
    let before = format!(
        r#"{{"message":"x","events":[{}]}}"#,
        model("", &[call("a")])
    );
    let log = read(&format!(
        r#""error_retries":[{{"message":"y"}},{before}],"events":[{}]"#,
        model("", &[call("a")])
    ));
    let made: Vec<_> = said(&log)
        .into_iter()
        .filter(|e| e.contains(" f "))
        .collect();
    let expected = [
        r#"/attempt-2: call 1 a f {"x":"a"}"#,
        r#": call 1 a f {"x":"a"}"#,
    ];
    assert_eq!(made, expected);
    assert_eq!(log.notices.len(), 1);
}

#[test]
fn unknown_events_are_skipped_aloud_and_what_cannot_be_read_is_a_fault() {
    let notices = |fields: &str| read(fields).notices.join(", ");
    let unknown = r#""events":[{"event":"new"},{"event":"new"},{"event":"store"}]"#;
    assert_eq!(notices(unknown), "warning assumed 1:1 E/s/1");
    assert_eq!(notices(r#""events":[1]"#), "fault bad_field 1:1 E/s/1");
    assert_eq!(notices(r#""events":[{}]"#), "fault missing_field 1:1 E/s/1");
    assert_eq!(notices(r#""events":{}"#), "fault bad_field 1:1 E/s/1");
    assert_eq!(notices(r#""messages":{}"#), "fault bad_field 1:1 E/s/1");
    assert_eq!(notices(r#""id":[]"#), "fault duplicate_key 1:1 -");
    let approval = r#""events":[{"event":"approval","decision":"approve"}]"#;
    assert_eq!(notices(approval), "fault missing_field 1:1 E/s/1");
    let calls = |calls: &str| {
        format!(
            r#""events":[{{"event":"model","output":{{"choices":[{{"message":{{"tool_calls":{calls}}}}}]}}}}]"#
        )
    };
    assert_eq!(notices(&calls("{}")), "fault bad_field 1:1 E/s/1");
    assert_eq!(notices(&calls("[1]")), "fault bad_field 1:1 E/s/1");
    assert_eq!(notices(&calls("[{}]")), "fault missing_field 1:1 E/s/1");
    let other = lines("inspect_ai", b"{\"eval\":1,\"version\":2}\n{\"x\":1}\n");
    assert_eq!(
        other.notices,
        ["fault bad_field 1:1 -", "fault missing_field 2:1 -"]
    );
}
