//! MCP traffic, one behaviour a test.

use super::log::{Log, elements, lines, recognised};

fn read(records: &[&str]) -> Log {
    lines("mcp", format!("{}\n", records.join("\n")).as_bytes())
}

fn call(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"f","arguments":{{}}}}}}"#
    )
}

fn back(id: &str, text: &str) -> String {
    format!(
        r#"{{"result":{{"content":[{{"type":"text","text":"{text}"}}]}},"id":{id},"jsonrpc":"2.0"}}"#
    )
}

fn request(id: &str, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)
}

#[test]
fn recognised_alone() {
    assert_eq!(recognised(&[&call("1")]), ["mcp"]);
    assert_eq!(recognised(&[&format!("[{}]", call("1"))]), ["mcp"]);
    let library = r#"{"type":"response","count":3,"method":"call_tool","result":{}}"#;
    assert_eq!(recognised(&[library]), ["mcp"]);
}

#[test]
fn responses_out_of_order_find_their_calls() {
    let log = read(&[
        &call("1"),
        &call("2"),
        &back("2", "b"),
        &back("1", "a"),
        &call("3"),
    ]);
    let events = [
        "1: -: start - \"-\" -",
        "1: -: call 1 1 f {}",
        "2: -: call 1 2 f {}",
        "3: -: result 2 ok \"b\"",
        "4: -: result 1 ok \"a\"",
        "5: -: call 2 3 f {}",
    ];
    assert_eq!(log.events, events);
    assert!(log.notices.is_empty());
}

#[test]
fn a_call_is_of_the_turn_of_those_that_wait() {
    let log = read(&[
        &call("1"),
        &call("2"),
        &back("2", "b"),
        &call("3"),
        &back("3", "c"),
    ]);
    assert!(log.events.contains(&"4: -: call 1 3 f {}".to_owned()));
}

#[test]
fn a_call_without_a_response_does_not_hold_its_turn_for_ever() {
    let mut records = vec![call("0")];
    for id in 1..20 {
        records.push(call(&id.to_string()));
        records.push(back(&id.to_string(), "x"));
    }
    let records: Vec<_> = records.iter().map(String::as_str).collect();
    let log = read(&records);
    assert!(log.events.contains(&"16: -: call 1 8 f {}".to_owned()));
    assert!(log.events.contains(&"18: -: call 2 9 f {}".to_owned()));
    assert!(log.events.contains(&"20: -: call 3 10 f {}".to_owned()));
    assert_eq!(log.notices, ["warning assumed 18:1 stem"]);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}"#;
    let log = read(&[&call("0"), cancel, &call("1")]);
    assert_eq!(log.events[2], "3: -: call 2 1 f {}");
    assert!(log.notices.is_empty());
}

#[test]
fn ids_of_text_and_of_numbers_are_two() {
    let log = read(&[
        &call("7"),
        &call("\"7\""),
        &back("7", "number"),
        &back("\"7\"", "text"),
    ]);
    assert_eq!(log.events[3], "3: -: result 7 ok \"number\"");
    assert_eq!(log.events[4], "4: -: result \"7\" ok \"text\"");
}

#[test]
fn the_server_has_ids_of_its_own() {
    let roots = r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#;
    let log = read(&[
        &call("1"),
        &request("1", "roots/list"),
        roots,
        &back("1", "a"),
    ]);
    assert_eq!(log.events[2..], ["4: -: result 1 ok \"a\""]);
    assert!(log.notices.is_empty());
    let swapped = read(&[
        &request("1", "roots/list"),
        &call("1"),
        &back("1", "a"),
        roots,
    ]);
    assert_eq!(swapped.events[2..], ["3: -: result 1 ok \"a\""]);
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;
    let either = read(&[&call("1"), &request("1", "roots/list"), error]);
    assert_eq!(either.notices, ["warning assumed 3:1 stem"]);
    let wrap =
        |side: &str, message: &str| format!(r#"{{"direction":"{side}","message":{message}}}"#);
    let told = read(&[
        &wrap("client->server", &call("1")),
        &wrap("server->client", &request("1", "elicitation/create")),
        &wrap("client->server", error),
        &wrap("server->client", &back("1", "a")),
    ]);
    assert_eq!(told.events[2..], ["4: -: result 1 ok \"a\""]);
    assert!(told.notices.is_empty());
}

#[test]
fn failures_of_tools_and_of_the_protocol() {
    let failed = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}"#;
    let error = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"bad"}}"#;
    let odd = r#"{"jsonrpc":"2.0","id":3,"result":{"content":[],"isError":"no"}}"#;
    let log = read(&[&call("1"), failed, &call("2"), error, &call("3"), odd]);
    assert_eq!(log.events[2], "2: -: result 1 error \"no\"");
    assert_eq!(
        log.events[4],
        r#"4: -: result 2 error {"code":-32602,"message":"bad"}"#
    );
    assert_eq!(log.events[6], "6: -: result 3 error \"\"");
    assert_eq!(log.notices, ["fault bad_field 6:1 stem"]);
}

#[test]
fn a_batch_is_one_record() {
    let calls = format!("[{},{}]", call("1"), call("2"));
    let results = format!("[{},3,{}]", back("2", "b"), back("1", "a"));
    let log = read(&[&calls, &results]);
    let events = [
        "1: -: start - \"-\" -",
        "1: -: call 1 1 f {}",
        "1: -: call 1 2 f {}",
        "2: -: result 2 ok \"b\"",
        "2: -: result 1 ok \"a\"",
    ];
    assert_eq!(log.events, events);
    assert_eq!(log.notices, ["fault not_an_object 2:1 stem"]);
    let whole = elements(
        "mcp",
        format!("[{},{}]", call("1"), back("1", "a")).as_bytes(),
    );
    assert_eq!(whole.events.len(), 3);
}

#[test]
fn messages_may_be_text_in_an_envelope() {
    let text = |side: &str, message: &str| {
        let message = message.replace('"', "\\\"");
        format!(r#"{{"ts":"2026-01-01T00:00:00Z","direction":"{side}","json":"{message}"}}"#)
    };
    let log = read(&[
        &text("fromClient", &call("1")),
        &text("fromAgent", &back("1", "a")),
        r#"{"direction":"fromClient","json":"{\"jsonrpc\""}"#,
        r#"{"direction":"stderr","message":"ready"}"#,
    ]);
    assert_eq!(log.events.len(), 3);
    let notices = ["fault malformed_json 3:1 -", "warning assumed 4:1 -"];
    assert_eq!(log.notices, notices);
}

#[test]
fn fields_of_the_envelope_may_stand_beside_those_of_the_message() {
    let log = read(&[
        r#"{"ts":"2026-01-01T00:00:00Z","dir":"req","id":1,"method":"tools/call","params":{"name":"f"}}"#,
        r#"{"ts":"2026-01-01T00:00:01Z","dir":"res","id":1,"result":{"content":[]}}"#,
    ]);
    assert_eq!(
        log.events[1..],
        ["1: -: call 1 1 f {}", "2: -: result 1 ok \"\""]
    );
}

#[test]
fn calls_of_the_client_library_are_paired_by_their_count() {
    let log = read(&[
        r#"{"type":"request","count":1,"method":"initialize","args":[],"kwargs":{}}"#,
        r#"{"type":"response","count":1,"method":"initialize","result":{"serverInfo":{"name":"s"}},"error":null}"#,
        r#"{"type":"request","count":2,"method":"call_tool","args":["f",{"a":1}],"kwargs":{}}"#,
        r#"{"type":"request","count":3,"method":"call_tool","args":["g"],"kwargs":{"arguments":{"b":2}}}"#,
        r#"{"type":"response","count":3,"method":"call_tool","result":null,"error":"gone"}"#,
        r#"{"type":"response","count":2,"method":"call_tool","result":{"content":[{"type":"text","text":"x"}],"isError":false},"error":null}"#,
    ]);
    let events = [
        r#"3: -: start - "-" {"server":"s"}"#,
        r#"3: -: call 1 2 f {"a":1}"#,
        r#"4: -: call 1 3 g {"b":2}"#,
        r#"5: -: result 3 error "gone""#,
        r#"6: -: result 2 ok "x""#,
    ];
    assert_eq!(log.events, events);
    assert!(log.notices.is_empty());
}

#[test]
fn another_connection_is_another_run() {
    let begin = request("0", "initialize");
    let log = read(&[
        &begin,
        &begin,
        &call("1"),
        &begin,
        &call("1"),
        &back("1", "b"),
    ]);
    let events = [
        "3: -: start - \"-\" -",
        "3: -: call 1 1 f {}",
        "5: stem-2: start - \"-\" -",
        "5: stem-2: call 1 1 f {}",
        "6: stem-2: result 1 ok \"b\"",
    ];
    assert_eq!(log.events, events);
    let named = |session: &str| format!(r#"{{"session_id":"{session}","message":{}}}"#, call("1"));
    let log = read(&[&named("a"), &named("b")]);
    assert_eq!(log.events[3], "2: b: call 1 1 f {}");
}

#[test]
fn the_result_of_a_task_is_fetched_later() {
    let receipt = r#"{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t","status":"working"}}}"#;
    let fetch = r#"{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"t"}}"#;
    let log = read(&[&call("1"), receipt, fetch, &back("2", "late")]);
    assert_eq!(log.events[2..], ["4: -: result 1 ok \"late\""]);
}

#[test]
fn what_cannot_be_read_is_told() {
    let log = read(&[
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f","name":"g"}}"#,
        r#"{"jsonrpc":"2.0","id":[],"method":"tools/call","params":{"name":"f"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":""}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/prompt"}"#,
        r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
        r#"{"message":{"jsonrpc":"2.0"},"message":{"jsonrpc":"2.0"}}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
    ]);
    let notices = [
        "fault missing_field 1:1 -",
        "fault duplicate_key 2:1 -",
        "fault bad_field 3:1 -",
        "fault bad_field 4:1 stem",
        "warning assumed 5:1 stem",
        "warning assumed 6:1 stem",
        "fault duplicate_key 7:1 -",
        "fault missing_field 8:1 -",
    ];
    assert_eq!(log.notices, notices);
    assert!(log.events.is_empty());
}
