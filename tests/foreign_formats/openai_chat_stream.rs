//! Chat completions as they streamed, and results that are words of the user.

use super::log::{Log, lines, recognised};

fn chunk(id: &str, delta: &str) -> String {
    format!(
        r#"{{"id":"{id}","object":"chat.completion.chunk","choices":[{{"index":0,"delta":{delta}}}]}}"#
    )
}

fn piece(index: u64, rest: &str) -> String {
    format!(r#"{{"tool_calls":[{{"index":{index}{rest}}}]}}"#)
}

fn read(records: &[String]) -> Log {
    lines(
        "openai_chat",
        format!("{}\n", records.join("\n")).as_bytes(),
    )
}

#[test]
fn chunks_and_responses_are_recognised() {
    assert_eq!(recognised(&[&chunk("a", "{}")]), ["openai_chat"]);
    let response = r#"{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"x"}}]}"#;
    assert_eq!(recognised(&[response]), ["openai_chat"]);
}

#[test]
fn pieces_of_a_call_are_put_together_by_their_index() {
    let log = read(&[
        chunk("a", &piece(1, r#","id":"y","function":{"name":"g"}"#)),
        chunk(
            "a",
            &piece(
                0,
                r#","id":"x","function":{"name":"f","arguments":"{\"p\""}"#,
            ),
        ),
        chunk(
            "a",
            &piece(0, r#","id":"x","function":{"name":"f","arguments":":1}"}"#),
        ),
        chunk(
            "b",
            &piece(
                0,
                r#","id":"z","function":{"name":"h","arguments":"{\"q\""}"#,
            ),
        ),
    ]);
    let events = [
        "1: -: start - \"-\" -",
        r#"1: -: call 1 x f {"p":1}"#,
        "1: -: call 1 y g {}",
        r#"4: -: call 2 z h "{\"q\"""#,
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning unparsed_arguments 4:1 stem"]);
}

#[test]
fn calls_of_one_index_are_told_by_their_ids() {
    let call = |id: &str, name: &str| {
        format!(r#","id":"{id}","function":{{"name":"{name}","arguments":"{{}}"}}"#)
    };
    let log = read(&[
        chunk("a", &piece(0, &call("x", "f"))),
        chunk("a", &piece(0, &call("y", "f"))),
        chunk(
            "a",
            &piece(0, r#","function":{"name":"g","arguments":"{}"}"#),
        ),
    ]);
    let events = [
        "1: -: call 1 x f {}",
        "1: -: call 1 y f {}",
        "1: -: call 1 call-3 g {}",
    ];
    assert_eq!(log.events[1..], events);
}

#[test]
fn what_streams_after_the_end_is_another_answer() {
    let call = |id: &str| format!(r#","id":"{id}","function":{{"name":"f","arguments":"{{}}"}}"#);
    let end = r#"{"id":"a","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#;
    let log = read(&[
        chunk("a", &piece(0, &call("x"))),
        end.to_owned(),
        chunk("a", &piece(0, &call("y"))),
        end.to_owned(),
    ]);
    let events = ["1: -: call 1 x f {}", "3: -: call 2 y f {}"];
    assert_eq!(log.events[1..], events);
}

#[test]
fn a_piece_without_index_or_name_is_a_fault() {
    let log = read(&[
        chunk(
            "a",
            r#"{"tool_calls":[{"id":"x","function":{"name":"f"}}]}"#,
        ),
        chunk("a", &piece(0, r#","function":{"arguments":"{}"}"#)),
    ]);
    assert_eq!(
        log.notices,
        ["fault missing_field 1:1 stem", "fault bad_field 1:1 stem"]
    );
}

#[test]
fn what_streams_is_held_to_a_limit() {
    let long = "x".repeat(1 << 20);
    let log = read(&[
        chunk(
            "a",
            &piece(
                0,
                &format!(r#","id":"x","function":{{"name":"f","arguments":"{long}"}}"#),
            ),
        ),
        chunk("a", &piece(0, r#","function":{"arguments":"y"}"#)),
    ]);
    assert_eq!(log.notices, ["fault line_too_long 1:1 stem"]);
    assert_eq!(log.events, [] as [&str; 0]);
}

#[test]
fn words_of_the_user_are_no_result_of_a_call() {
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}"#;
    let read = |after: &str| read(&[call.to_owned(), after.to_owned()]);
    let log = read(r#"{"role":"user","content":"42"}"#);
    assert_eq!(log.events.len(), 2, "{:?}", log.events);
    assert_eq!(log.notices, ["warning assumed 2:1 stem"]);
    let log = read(r#"{"role":"user","tool_call_id":"a","content":"42"}"#);
    assert_eq!(log.events[2], "2: -: result a - \"42\"");
    assert_eq!(log.notices, [] as [&str; 0]);
}

#[test]
fn a_run_that_a_response_begins_tells_its_model() {
    let calls = r#""tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}]"#;
    for record in [
        format!(
            r#"{{"object":"chat.completion","model":"m","choices":[{{"message":{{"role":"assistant",{calls}}}}}]}}"#
        ),
        format!(
            r#"{{"id":"a","object":"chat.completion.chunk","model":"m","choices":[{{"index":0,"delta":{{{calls}}}}}]}}"#
        ),
    ] {
        let start = read(&[record]).events.into_iter().next();
        assert_eq!(start.as_deref(), Some(r#"1: -: start - "-" {"model":"m"}"#));
    }
}
