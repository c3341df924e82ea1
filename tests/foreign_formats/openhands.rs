//! OpenHands, one behaviour a test.

use super::fixtures::{counts, fixture};
use super::log::{Log, elements, lines, recognised};

fn read(records: &[&str]) -> Log {
    lines("openhands", format!("{}\n", records.join("\n")).as_bytes())
}

/// An action of the agent, of V0.
fn run(id: u64, command: &str, state: &str) -> String {
    format!(
        r#"{{"id":{id},"source":"agent","action":"run","args":{{"command":"{command}","thought":"","confirmation_state":"{state}"}}}}"#
    )
}

/// What was observed of it.
fn seen(cause: u64, rest: &str) -> String {
    format!(
        r#"{{"id":99,"source":"environment","observation":"run","content":"x","cause":{cause},"extras":{{}}{rest}}}"#
    )
}

#[test]
fn recognised_alone() {
    assert_eq!(recognised(&[&run(1, "ls", "confirmed")]), ["openhands"]);
    assert_eq!(recognised(&[&seen(1, "")]), ["openhands"]);
    let v1 = r#"{"id":"e","source":"agent","tool_name":"f","kind":"ActionEvent"}"#;
    // The names of its fields are words of a canonical trace too, which are no decisive sign.
    assert_eq!(recognised(&[v1]), ["openhands", "canonical"]);
    let list = format!(r#"{{"history":[{}]}}"#, run(1, "ls", "confirmed"));
    assert_eq!(recognised(&[&list]), ["openhands"]);
}

const V0: [&str; 8] = [
    r#"start - "Why is the ferry late?" -"#,
    r#"call 1 call_f1 execute_bash {"command":"cat log"}"#,
    r#"result call_f1 error "no such file""#,
    r#"call 1 call_f2 str_replace_editor {"command":"view","path":"/srv/ferry"}"#,
    r#"result call_f2 - "log.txt""#,
    r#"call 2 13 run {"command":"rm log.txt"} recorded block approval denied"#,
    r#"call 3 20 finish {"final_thought":"Fog.","outputs":{}}"#,
    "end answered",
];

/// The events of a log without their places and runs.
fn told(log: &Log) -> Vec<&str> {
    let told = log.events.iter().filter_map(|e| e.splitn(3, ": ").nth(2));
    told.collect()
}

#[test]
fn v0_fixture() {
    let log = elements("openhands", &fixture("openhands_v0.json"));
    assert_eq!(counts(&log), [1, 4, 2, 0, 1]);
    assert_eq!(told(&log), V0);
    assert_eq!(log.notices, ["warning assumed 15:1 stem"]);
}

#[test]
fn v0_in_other_containers() {
    let text = String::from_utf8(fixture("openhands_v0.json")).expect("text");
    let flat = text.replace('\n', " ");
    let list = read(&[&format!(
        r#"{{"instance_id":"ferry-3","history":{flat},"metadata":{{"agent_class":"CodeActAgent","llm_config":{{"model":"m"}}}}}}"#
    )]);
    let start = r#"1: ferry-3: start - "Why is the ferry late?" {"agent_class":"CodeActAgent","model":"m"}"#;
    assert_eq!(list.events[0], start);
    assert_eq!(told(&list)[1..], V0[1..]);
    let list = read(&[&format!(r#"{{"trajectory":{flat}}}"#)]);
    assert_eq!(told(&list), V0);
}

#[test]
fn v1_fixture() {
    let log = lines("openhands", &fixture("openhands_v1.jsonl"));
    assert_eq!(counts(&log), [1, 5, 4, 0, 1]);
    let events = [
        r#"2: -: start - "Count the sheep." -"#,
        r#"3: -: call 1 call_s1 terminal {"command":"wc -l flock.csv"}"#,
        r#"4: -: call 1 call_s2 pasture_report {"field":"north"}"#,
        r#"5: -: result call_s2 error "no such field""#,
        r#"6: -: result call_s1 ok "88 flock.csv""#,
        "7: -: call 2 call_s3 terminal {} unknown",
        r#"8: -: result call_s3 error "unparseable JSON""#,
        r#"9: -: call 3 call_s4 terminal {"command":"ls","timeout":"soon"}"#,
        r#"10: -: result call_s4 error "timeout has to be a number""#,
        r#"11: -: call 4 call_s5 terminal {"command":"rm flock.csv"} recorded block"#,
        "13: -: end answered",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn pairs_of_older_evaluations_are_read() {
    let pair = format!("[{},{}]", run(1, "ls", "confirmed"), seen(1, ""));
    let log = read(&[&format!(r#"{{"instance_id":"i","history":[{pair}]}}"#)]);
    let events = [
        "1: i: start - \"-\" -",
        r#"1: i: call 1 1 run {"command":"ls"}"#,
        r#"1: i: result 1 - "x""#,
    ];
    assert_eq!(log.events, events);
}

#[test]
fn an_action_that_was_confirmed_is_one_call() {
    let log = read(&[
        &run(1, "ls", "awaiting_confirmation"),
        &run(2, "ls", "confirmed"),
        &seen(2, r#","success":true"#),
    ]);
    let events = [
        r#"2: -: call 1 2 run {"command":"ls"} recorded allow approval approved"#,
        r#"3: -: result 2 ok "x""#,
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn an_action_that_nobody_decided_was_escalated() {
    let log = read(&[
        &run(1, "ls", "awaiting_confirmation"),
        &run(2, "pwd", "confirmed"),
        &seen(2, ""),
        &run(3, "id", "awaiting_confirmation"),
    ]);
    let events = [
        r#"1: -: call 1 1 run {"command":"ls"} recorded escalate"#,
        r#"2: -: call 2 2 run {"command":"pwd"}"#,
        r#"3: -: result 2 - "x""#,
        r#"4: -: call 3 3 run {"command":"id"} recorded escalate"#,
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn observations_of_other_actions_are_no_results() {
    let log = read(&[
        &run(1, "ls", "confirmed"),
        r#"{"id":2,"source":"environment","observation":"agent_state_changed","content":"","extras":{"agent_state":"running"}}"#,
        r#"{"id":3,"source":"environment","observation":"error","content":"limit","extras":{}}"#,
        r#"{"id":4,"source":"environment","observation":"error","content":"broken","cause":1,"extras":{}}"#,
    ]);
    assert_eq!(log.events[2..], [r#"4: -: result 1 error "broken""#]);
    assert_eq!(log.notices, [""; 0]);
    // One whose action there is not is the result of no call.
    let log = read(&[&seen(7, "")]);
    assert_eq!(log.events, [r#"1: -: result 7 - "x""#]);
}

#[test]
fn tools_of_servers_and_thoughts_keep_their_arguments() {
    let log = read(&[
        r#"{"id":1,"source":"agent","action":"call_tool_mcp","args":{"name":"tide","arguments":{"port":"A"},"thought":"x"}}"#,
        r#"{"id":2,"source":"agent","action":"think","args":{"thought":"hm"}}"#,
        r#"{"id":3,"source":"agent","action":"browse"}"#,
    ]);
    let events = [
        r#"1: -: call 1 1 tide {"port":"A"}"#,
        r#"2: -: call 2 2 think {"thought":"hm"}"#,
        "3: -: call 3 3 browse {} unknown",
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn who_rejects_is_told_of_late_rejections_too() {
    let call = r#"{"id":"e1","source":"agent","action":{},"tool_name":"f","tool_call_id":"a","tool_call":{"arguments":"{}"},"kind":"ActionEvent"}"#;
    let reject = r#"{"id":"e2","source":"environment","tool_name":"f","tool_call_id":"a","rejection_source":"hook","action_id":"e1","kind":"UserRejectObservation"}"#;
    let log = read(&[call, reject, reject]);
    let events = [
        "1: -: call 1 a f {} recorded block",
        "3: -: approval a denied hook",
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn an_observation_that_names_no_call_is_of_its_action() {
    let call = r#"{"id":"e1","source":"agent","action":{"n":1,"kind":"F"},"tool_name":"f","kind":"ActionEvent"}"#;
    let seen = r#"{"id":"e2","source":"environment","observation":{"output":"x","error":false},"action_id":"e1","kind":"ObservationEvent"}"#;
    let log = read(&[call, seen]);
    let events = [r#"1: -: call 1 e1 f {"n":1}"#, r#"2: -: result e1 ok "x""#];
    assert_eq!(log.events[1..], events);
}

#[test]
fn unusable_events_are_faults_and_unknown_ones_are_said() {
    let log = read(&[
        r#"{"id":1,"source":"agent"}"#,
        r#"{"id":"e","source":"agent","tool_name":"","kind":"ActionEvent"}"#,
        r#"{"id":"e","source":"agent","kind":"NewsEvent"}"#,
        r#"{"id":"e","source":"agent","tool_call_id":"a","kind":"ACPToolCallEvent"}"#,
        r#"{"id":1,"id":2,"source":"agent","action":"run","args":{}}"#,
        r#"{"instance_id":"i","history":7}"#,
        r#"{"instance_id":"i","history":[7]}"#,
    ]);
    let notices = [
        "fault missing_field 1:1 stem",
        "fault bad_field 2:1 stem",
        "warning assumed 3:1 stem",
        "fault unknown_type 4:1 stem",
        "fault duplicate_key 5:1 -",
        "fault bad_field 6:1 i",
        "fault bad_field 7:1 i",
    ];
    assert_eq!(log.notices, notices);
    assert_eq!(log.events, ["7: i: start - \"-\" -"]);
}

#[test]
fn a_run_ends_as_its_last_state_tells() {
    let state = |state: &str| {
        format!(
            r#"{{"id":9,"source":"environment","observation":"agent_state_changed","content":"","extras":{{"agent_state":"{state}"}}}}"#
        )
    };
    let call = run(1, "ls", "confirmed");
    let end = |states: &[&str]| {
        let states: Vec<_> = states.iter().map(|s| state(s)).collect();
        let mut records = vec![call.as_str()];
        records.extend(states.iter().map(String::as_str));
        let log = read(&records);
        log.events.last().expect("one").clone()
    };
    assert!(end(&["finished", "stopped"]).ends_with("end answered"));
    assert!(end(&["stopped"]).ends_with("end aborted"));
    assert!(end(&["running"]).contains("call"));
}
