//! LangChain messages, one behaviour a test.

use super::fixtures::fixture;
use super::log::{Log, elements, lines, recognised, whole};

fn read(rows: &[&str]) -> Log {
    lines("langchain", format!("{}\n", rows.join("\n")).as_bytes())
}

fn human(id: &str, text: &str) -> String {
    format!(r#"{{"type":"human","content":"{text}","additional_kwargs":{{}},"id":{id}}}"#)
}

fn ai(id: &str, calls: &str) -> String {
    format!(
        r#"{{"type":"ai","content":"","id":{id},"tool_calls":[{calls}],"invalid_tool_calls":[]}}"#
    )
}

fn call(id: &str, n: u8) -> String {
    format!(r#"{{"name":"f","args":{{"n":{n}}},"id":"{id}","type":"tool_call"}}"#)
}

fn tool(id: &str, call: &str, status: &str, text: &str) -> String {
    format!(
        r#"{{"type":"tool","content":"{text}","id":{id},"tool_call_id":"{call}","status":"{status}"}}"#
    )
}

fn state(messages: &[&str]) -> String {
    format!(r#"{{"messages":[{}]}}"#, messages.join(","))
}

#[test]
fn recognised_alone() {
    assert_eq!(recognised(&[&ai("\"m\"", "")]), ["langchain"]);
    assert_eq!(recognised(&[&state(&[&ai("\"m\"", "")])]), ["langchain"]);
    let run = r#"{"id":"r","trace_id":"t","run_type":"llm","inputs":{"messages":[{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"x"}}]}}"#;
    assert_eq!(recognised(&[run]), ["langsmith"]);
}

#[test]
fn updates_fixture() {
    let log = lines("langchain", &fixture("langchain_updates.jsonl"));
    let events = [
        r#"1: -: start - "-" {"model":"barge-2"}"#,
        r#"1: -: call 1 lv1 read_level {"lock":1}"#,
        r#"1: -: call 1 lv2 read_level {"lock":2}"#,
        r#"2: -: result lv2 error "Error: no gauge""#,
        r#"3: -: result lv1 ok "4.2 m""#,
        r#"5: -: call 2 fl1 fill "{\"lock\": 1, \"to""#,
        "7: -: end answered",
    ];
    assert_eq!(log.events, events);
    let notices = [
        "warning assumed 4:1 stem",
        "warning assumed 5:1 stem",
        "warning unparsed_arguments 5:1 stem",
    ];
    assert_eq!(log.notices, notices);
}

#[test]
fn messages_fixture() {
    let log = elements("langchain", &fixture("langchain_messages.json"));
    let events = [
        r#"2: -: start - "Open lock 3." {"model":"barge-1"}"#,
        r#"3: -: call 1 op1 open_lock {"lock":3}"#,
        r#"4: -: result op1 - "open""#,
        "5: -: end answered",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, [""; 0]);
}

#[test]
fn states_fixture() {
    let log = lines("langchain", &fixture("langchain_states.jsonl"));
    let events = [
        r#"1: stem-1: start - "Moor the boats." {"model":"barge-2"}"#,
        r#"2: stem-1: call 1 mo1 moor {"boat":"Ida"}"#,
        r#"2: stem-1: call 1 mo2 moor {"boat":"Ute"}"#,
        r#"3: stem-1: result mo1 ok "moored""#,
        r#"3: stem-1: result mo2 ok "moored""#,
        r#"5: quay-9: start - "Which boats are in?" -"#,
        "5: quay-9: call 1 li1 list_boats {}",
        "4: stem-1: end answered",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning repeated_call 2:1 stem-1"]);
}

#[test]
fn messages_mean_the_same_in_every_form_and_container() {
    let plain = [
        human("null", "go"),
        ai("\"a\"", &call("x", 1)),
        tool("\"t\"", "x", "error", "no"),
    ];
    let body = |message: &str| message.to_owned();
    let enveloped = |message: &str| {
        let kind = message.split('"').nth(3).unwrap_or_default();
        format!(r#"{{"type":"{kind}","data":{message}}}"#)
    };
    let built = |message: &str| {
        let class = match message.split('"').nth(3) {
            Some("human") => "HumanMessage",
            Some("ai") => "AIMessage",
            _ => "ToolMessage",
        };
        format!(
            r#"{{"lc":1,"type":"constructor","id":["langchain_core","messages","{class}"],"kwargs":{message}}}"#
        )
    };
    let forms: [&dyn Fn(&str) -> String; 3] = [&body, &enveloped, &built];
    let without_places = |log: &Log| -> Vec<String> {
        let rest = |event: &String| event.splitn(3, ": ").nth(2).unwrap_or_default().to_owned();
        log.events.iter().map(rest).collect()
    };
    let expected = [
        "start - \"go\" -",
        "call 1 x f {\"n\":1}",
        "result x error \"no\"",
    ];
    for form in forms {
        let rows: Vec<String> = plain.iter().map(|message| form(message)).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        assert_eq!(without_places(&read(&rows)), expected);
        let array = format!("[{}]", rows.join(","));
        let log = elements("langchain", array.as_bytes());
        assert_eq!(without_places(&log), expected);
        assert_eq!(without_places(&read(&[&array])), expected);
        assert_eq!(without_places(&read(&[&state(&rows)])), expected);
        let log = whole("langchain", state(&rows).as_bytes());
        assert_eq!(without_places(&log), expected);
        let streamed = format!(r#"["values",{}]"#, state(&rows));
        assert_eq!(without_places(&read(&[&streamed])), expected);
        let served = format!(r#"{{"event":"values","data":{}}}"#, state(&rows));
        assert_eq!(without_places(&read(&[&served])), expected);
    }
}

#[test]
fn what_the_model_wrote_counts_where_nothing_else_tells_its_calls() {
    let raw = |tool_calls: &str, content: &str| {
        format!(
            r#"{{"type":"ai","content":{content},"additional_kwargs":{{"tool_calls":[{{"id":"x","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}},"response_metadata":{{}}{tool_calls}}}"#
        )
    };
    let count = |row: &str| read(&[row]).events.len();
    assert_eq!(count(&raw("", "\"\"")), 2);
    assert_eq!(count(&raw(",\"tool_calls\":null", "\"\"")), 2);
    // An answer whose calls were taken out has none.
    assert_eq!(
        read(&[&raw(",\"tool_calls\":[]", "\"\"")]).events,
        ["1: -: start - \"-\" -", "1: -: end answered"]
    );
    let block = r#"[{"type":"tool_use","id":"x","name":"f","input":{}}]"#;
    assert_eq!(count(&raw("", block)), 2);
    let bare = format!(r#"{{"type":"ai","content":{block},"response_metadata":{{}}}}"#);
    assert_eq!(count(&bare), 2);
    let older = r#"{"type":"ai","content":"","additional_kwargs":{"function_call":{"name":"f","arguments":"{}"}}}"#;
    let result = r#"{"type":"function","name":"f","content":"x"}"#;
    let log = read(&[older, result]);
    let events = ["1: -: call 1 call-1 f {}", "2: -: result call-1 - \"x\""];
    assert_eq!(log.events[1..], events);
}

#[test]
fn tools_of_the_server_are_called_in_blocks() {
    let row = r#"{"type":"ai","content":[{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":"x"}},{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"text","text":"y"}]},{"type":"server_tool_call","id":"s2","name":"run","args":{}},{"type":"server_tool_result","tool_call_id":"s2","status":"error","output":"no"}],"tool_calls":[],"id":"a"}"#;
    let log = read(&[row, row]);
    let events = [
        r#"1: -: call 1 s1 web_search {"q":"x"}"#,
        "1: -: call 1 s2 run {}",
        "1: -: result s1 ok \"y\"",
        "1: -: result s2 error \"no\"",
    ];
    assert_eq!(log.events[1..], events);
    assert_eq!(log.notices, ["warning repeated_call 2:1 stem"]);
}

#[test]
fn states_without_ids_repeat_what_they_begin_with() {
    let (go, once) = (human("null", "go"), ai("null", &call("x", 1)));
    let result = tool("null", "x", "success", "y");
    let first = state(&[&go, &once]);
    let second = state(&[&go, &once, &result, &once]);
    let log = read(&[&first, &second, &first]);
    let events = [
        "1: stem-1: start - \"go\" -",
        "1: stem-1: call 1 x f {\"n\":1}",
        "2: stem-1: result x ok \"y\"",
        "2: stem-1: call 2 x#2 f {\"n\":1}",
        "3: stem-3: start - \"go\" -",
        "3: stem-3: call 1 x f {\"n\":1}",
    ];
    assert_eq!(log.events, events);
}

#[test]
fn a_state_goes_on_with_the_updates_before_it() {
    let (go, answer) = (human("\"h\"", "go"), ai("\"a\"", &call("x", 1)));
    let result = tool("\"t\"", "x", "success", "y");
    let early = tool("null", "x", "success", "y");
    let update = |node: &str, message: &str| format!(r#"{{"{node}":{{"messages":[{message}]}}}}"#);
    let log = read(&[
        &update("agent", &answer),
        // Ids are given to messages when they are stored.
        &update("tools", &early),
        &state(&[&go, &answer, &result]),
    ]);
    let events = [
        "1: -: start - \"-\" -",
        "1: -: call 1 x f {\"n\":1}",
        "2: -: result x ok \"y\"",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["warning repeated_call 3:1 stem"]);
}

#[test]
fn an_edited_answer_counts_as_it_was_and_as_it_is() {
    let two = format!("{},{}", call("x", 1), call("y", 1));
    let edited = format!("{},{}", call("x", 2), call("y", 1));
    let log = read(&[&ai("\"a\"", &two), &ai("\"a\"", &edited)]);
    let events = [
        "1: -: call 1 x f {\"n\":1}",
        "1: -: call 1 y f {\"n\":1}",
        "2: -: call 1 x#2 f {\"n\":2}",
    ];
    assert_eq!(log.events[1..], events);
    // Alike calls of one answer are two.
    let alike = format!("{},{}", call("", 1), call("", 1));
    let log = read(&[&ai("\"a\"", &alike), &ai("\"a\"", &alike)]);
    assert_eq!(log.events.len(), 3);
}

#[test]
fn a_call_that_the_user_rejected_did_not_run() {
    let refusal = "User rejected the tool call for `f` with reason: no";
    let answer = ai("\"a\"", &call("x", 1));
    let log = read(&[&answer, &tool("null", "x", "error", refusal)]);
    assert_eq!(log.events[1], "1: -: call 1 x f {\"n\":1} recorded block");
    assert_eq!(log.events.len(), 2);
    // A tool may say so too, but not as an error of its own making.
    let log = read(&[&answer, &tool("null", "x", "success", refusal)]);
    assert_eq!(log.events.len(), 3);
}

fn piece(id: &str, pieces: &str) -> String {
    format!(
        r#"[{{"type":"AIMessageChunk","content":"","id":"{id}","tool_calls":[],"invalid_tool_calls":[],"tool_call_chunks":[{pieces}]}},{{"langgraph_node":"agent","thread_id":"night"}}]"#
    )
}

#[test]
fn pieces_are_put_together() {
    let begin = r#"{"name":"f","args":"","id":"x","index":0,"type":"tool_call_chunk"}"#;
    let part = r#"{"name":null,"args":"{\"n\":","id":null,"index":0,"type":"tool_call_chunk"}"#;
    let other = r#"{"name":"g","args":"{}","id":"y","index":1,"type":"tool_call_chunk"}"#;
    let rest = r#"{"name":null,"args":" 1}","id":null,"index":0,"type":"tool_call_chunk"}"#;
    let result = format!(
        r#"[{},{{"langgraph_node":"tools","thread_id":"night"}}]"#,
        tool("\"t\"", "x", "success", "z")
    );
    let rows = [
        piece("a", begin),
        piece("a", part),
        piece("a", &format!("{other},{rest}")),
        result,
        // The whole answer, from another mode.
        format!(
            r#"["values",{{"thread_id":"night","messages":[{}]}}]"#,
            ai(
                "\"a\"",
                &format!(r#"{},{{"name":"g","args":{{}},"id":"y"}}"#, call("x", 1))
            )
        ),
        piece("a", rest),
        piece("b", ""),
    ];
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let log = read(&rows);
    let events = [
        "1: night: start - \"-\" -",
        "1: night: call 1 x f {\"n\":1}",
        "1: night: call 1 y g {}",
        "4: night: result x ok \"z\"",
        "7: night: end answered",
    ];
    assert_eq!(log.events, events);
    let notices = [
        "warning repeated_call 5:1 night",
        "fault bad_field 6:1 night",
    ];
    assert_eq!(log.notices, notices);
}

#[test]
fn a_stream_is_not_held_beyond_measure() {
    let long = "x".repeat(1 << 20);
    let part = format!(r#"{{"name":"f","args":"{long}","id":"x","index":0}}"#);
    let log = read(&[&piece("a", &part), &piece("a", &part)]);
    assert_eq!(log.notices, ["fault line_too_long 1:1 night"]);
}

#[test]
fn threads_end_for_themselves() {
    let state = |thread: &str, messages: &str| {
        format!(
            r#"{{"values":{{"messages":[{messages}]}},"config":{{"configurable":{{"thread_id":"{thread}"}}}}}}"#
        )
    };
    let answer = ai("\"a\"", &call("x", 1));
    let log = read(&[
        &state("b", &answer),
        &state("a", &answer),
        &state("b", &format!("{answer},{}", ai("\"z\"", ""))),
    ]);
    let events = [
        "1: b: start - \"-\" -",
        "2: a: start - \"-\" -",
        "1: b: call 1 x f {\"n\":1}",
        "2: a: call 1 x f {\"n\":1}",
        "3: b: end answered",
    ];
    assert_eq!(log.events, events);
}

#[test]
fn unusable_messages_are_faults_and_unknown_ones_are_said() {
    let log = read(&[
        &ai("\"a\"", r#"{"name":"","args":{},"id":"x"}"#),
        &ai("\"b\"", r#"{"args":{},"id":"x"}"#),
        &ai("\"c\"", r#"{"name":"f","name":"g","args":{},"id":"x"}"#),
        &ai("\"d\"", "3"),
        r#"{"type":"ai","content":"","tool_calls":{}}"#,
        r#"{"type":"tool","content":"","tool_call_id":3}"#,
        r#"{"lc":1,"type":"constructor","id":["x","OddMessage"],"kwargs":{"content":""}}"#,
        r#"{"messages":[{"type":"news","content":""},{"content":""},3]}"#,
        r#"{"type":"tool","content":"","tool_call_id":"q","status":"odd"}"#,
        r#"{"n":3}"#,
        "3",
        &ai("\"e\"", r#"{"name":"f","id":"x"}"#),
    ]);
    let notices = [
        "fault bad_field 1:1 stem",
        "fault missing_field 2:1 stem",
        "fault duplicate_key 3:1 stem",
        "fault bad_field 4:1 stem",
        "fault bad_field 5:1 stem",
        "fault bad_field 6:1 stem",
        "warning assumed 7:1 stem",
        "warning assumed 8:1 -",
        "fault bad_field 8:1 -",
        "fault bad_field 8:1 -",
        "warning assumed 9:1 stem",
        "fault missing_field 10:1 -",
        "fault not_an_object 11:1 -",
    ];
    assert_eq!(log.notices, notices);
    assert_eq!(
        log.events.last().expect("one"),
        "12: -: call 1 x f {} unknown"
    );
}
