//! smolagents, one behaviour a test.

use super::fixtures::fixture;
use super::log::{Log, elements, lines, recognised, whole};

fn read(rows: &[&str]) -> Log {
    lines("smolagents", format!("{}\n", rows.join("\n")).as_bytes())
}

fn step(calls: &str, rest: &str) -> String {
    format!(r#"{{"step_number":1,"model_output_message":null,"tool_calls":[{calls}]{rest}}}"#)
}

fn call(id: &str) -> String {
    format!(r#"{{"id":"{id}","type":"function","function":{{"name":"f","arguments":{{}}}}}}"#)
}

#[test]
fn recognised_alone() {
    assert_eq!(
        recognised(&[&step("", ",\"observations\":null")]),
        ["smolagents"]
    );
    assert_eq!(
        recognised(&[r#"{"task":"x","task_images":null}"#]),
        ["smolagents"]
    );
}

#[test]
fn memory_fixture() {
    let log = elements("smolagents", &fixture("smolagents_memory.json"));
    let events = [
        r#"1: -: start - "Count the sheep." {"model":"hill-3"}"#,
        r#"2: -: call 1 c1 climb {"hill":"east"}"#,
        r#"2: -: call 1 c2 look {"far":2}"#,
        r#"2: -: result c2 ok "on top\n7 sheep""#,
        r#"3: -: call 2 c3 climb {"hill":"north","fast":true}"#,
        r#"3: -: call 2 c4 look {"far":1}"#,
        r#"3: -: result c3 error "Error executing tool 'climb' with arguments {'hill': 'north', 'fast': True}: ValueError: fog\nPlease try again or use another tool""#,
        r#"6: -: call 3 c5 final_answer {"answer":7}"#,
        r#"6: -: result c5 ok "7""#,
        "6: -: end answered",
    ];
    assert_eq!(log.events, events);
    let notices = ["warning assumed 2:1 stem", "warning assumed 3:1 stem"];
    assert_eq!(log.notices, notices);
}

#[test]
fn memory_is_the_same_in_one_line_and_in_many() {
    let text = String::from_utf8(fixture("smolagents_memory.json")).expect("text");
    let log = whole("smolagents", text.as_bytes());
    assert_eq!(log.events.len(), 10);
    assert!(
        log.events
            .iter()
            .all(|event| event.starts_with("1: stem-1: "))
    );
}

#[test]
fn result_fixture() {
    let log = lines("smolagents", &fixture("smolagents_result.jsonl"));
    let events = [
        r#"1: stem-1: start - "Add the sheep." {"model":"hill-3"}"#,
        r#"1: stem-1: call 1 call_1 python_interpreter {"code":"n = 3 + 4\nprint(n)"}"#,
        r#"1: stem-1: result call_1 ok "Execution logs:\n7\n""#,
        r#"1: stem-1: call 2 call_2 python_interpreter {"code":"open('/etc/sheep')"}"#,
        r#"1: stem-1: result call_2 error "Execution logs:\n\nopen is not allowed""#,
        r#"2: stem-2: start - "Count the sheep." {"model":"hill-3"}"#,
        r#"2: stem-2: call 1 c5 final_answer {"answer":7}"#,
        r#"2: stem-2: result c5 ok "7""#,
        "2: stem-2: end answered",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn code_may_be_bare_or_an_argument() {
    let call = |arguments: &str| {
        let call = format!(
            r#"{{"id":"a","type":"function","function":{{"name":"python_interpreter","arguments":{arguments}}}}}"#
        );
        read(&[&step(&call, "")]).events[1].clone()
    };
    let expected = r#"1: -: call 1 a python_interpreter {"code":"x"}"#;
    assert_eq!(call(r#""x""#), expected);
    assert_eq!(call(r#"{"code":"x"}"#), expected);
    assert_eq!(call(r#""{\"code\":\"x\"}""#), expected);
    let odd = r#"1: -: call 1 a python_interpreter {"code":"{\"a\": 1}"}"#;
    assert_eq!(call(r#""{\"a\": 1}""#), odd);
}

#[test]
fn a_step_without_observation_has_no_result() {
    let log = read(&[&step(&call("a"), ",\"observations\":null")]);
    assert_eq!(log.events[1..], ["1: -: call 1 a f {}"]);
    let log = read(&[&step(&call("a"), ",\"action_output\":7")]);
    assert_eq!(log.events[2..], ["1: -: result a ok 7"]);
    let failed = r#","error":"no""#;
    let log = read(&[&step(&call("a"), failed)]);
    assert_eq!(log.events[2..], ["1: -: result a error \"no\""]);
    // An error without calls is the model's.
    assert_eq!(read(&[&step("", failed)]).events, [""; 0]);
}

#[test]
fn times_may_stand_in_the_step_and_images_are_left_out() {
    let rest = r#","observations":"x","observations_images":["aa"],"start_time":1777881600.5"#;
    let log = read(&[&step(&call("a"), rest)]);
    assert_eq!(log.events.len(), 3);
    assert_eq!(log.notices, ["warning assumed 1:1 stem"]);
}

#[test]
fn unusable_steps_are_faults() {
    let log = read(&[
        r#"{"step_number":1,"tool_calls":{}}"#,
        &step("3", ""),
        &step(&call("a").replace("\"f\"", "\"\""), ""),
        r#"{"step_number":1,"error":null,"error":null}"#,
        r#"{"n":3}"#,
        r#"{"steps":3}"#,
        "[3]",
        "3",
    ]);
    let notices = [
        "fault bad_field 1:1 stem",
        "fault bad_field 2:1 stem",
        "fault bad_field 3:1 stem",
        "fault duplicate_key 4:1 -",
        "fault missing_field 5:1 stem",
        "fault bad_field 6:1 -",
        "fault bad_field 7:1 stem-7",
        "fault not_an_object 8:1 -",
    ];
    assert_eq!(log.notices, notices);
    assert_eq!(log.events, [""; 0]);
}
