//! OpenTelemetry traces, one behaviour a test.

use super::log::{Log, elements, lines, recognised, whole};

/// An attribute whose value is text.
fn text(key: &str, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    format!(r#"{{"key":"{key}","value":{{"stringValue":"{value}"}}}}"#)
}

/// A span of trace `a` from one millisecond to another; `more` are further fields.
fn span(id: &str, times: (u64, u64), more: &str, attributes: &[String]) -> String {
    let nanos = |ms: u64| 1_772_000_000_000_000_000 + ms * 1_000_000;
    let (start, end) = (nanos(times.0), nanos(times.1));
    let attributes = attributes.join(",");
    format!(
        r#"{{"traceId":"a","spanId":"{id}","startTimeUnixNano":"{start}","endTimeUnixNano":"{end}",{more}"attributes":[{attributes}]}}"#
    )
}

/// A span of a call of `tool`.
fn call(id: &str, times: (u64, u64), tool: &str, more: &str) -> String {
    let attributes = [
        text("gen_ai.operation.name", "execute_tool"),
        text("gen_ai.tool.name", tool),
        text("gen_ai.tool.call.arguments", "{}"),
    ];
    span(id, times, more, &attributes)
}

/// A span of an answer of a model.
fn answer(id: &str, times: (u64, u64)) -> String {
    span(id, times, "", &[text("gen_ai.operation.name", "chat")])
}

fn request(spans: &[String]) -> String {
    let spans = spans.join(",");
    format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{spans}]}}]}}]}}"#)
}

fn read(spans: &[String]) -> Log {
    lines("otel", format!("{}\n", request(spans)).as_bytes())
}

/// The events without place and run, the start left out.
fn events(log: &Log) -> Vec<&str> {
    log.events
        .iter()
        .filter_map(|line| line.splitn(3, ": ").nth(2))
        .filter(|event| !event.starts_with("start"))
        .collect()
}

#[test]
fn recognised_by_its_spans_in_either_spelling() {
    assert_eq!(recognised(&[r#"{"resourceSpans":[]}"#]), ["otel"]);
    assert_eq!(recognised(&[r#"{"resource_spans":[]}"#]), ["otel"]);
    assert!(recognised(&[r#"{"resourceSpans":{}}"#]).is_empty());
}

#[test]
fn attributes_that_are_no_list_are_a_fault() {
    for attributes in [r#"{"gen_ai.tool.name":"f"}"#, r#""x""#, "3"] {
        let span = format!(r#"{{"traceId":"a","spanId":"1","attributes":{attributes}}}"#);
        assert_eq!(read(&[span]).notices, ["fault bad_field 1:1 -"]);
    }
}

#[test]
fn spans_of_both_versions_are_read() {
    let (one, other) = (call("1", (0, 1), "f", ""), call("2", (2, 3), "g", ""));
    let record = format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{one}]}}],"instrumentationLibrarySpans":[{{"spans":[{other}]}}]}}]}}"#
    );
    let log = lines("otel", format!("{record}\n").as_bytes());
    let calls = events(&log).into_iter().filter(|e| e.starts_with("call"));
    assert_eq!(calls.count(), 2);
}

#[test]
fn overlapping_calls_are_in_flight_together_and_others_are_not() {
    let log = read(&[
        call("3", (30, 40), "c", ""),
        call("1", (10, 25), "a", ""),
        call("2", (20, 30), "b", ""),
        answer("4", (0, 9)),
    ]);
    let expected = [
        "call 1 call-1 a {}",
        "call 1 call-2 b {}",
        "result call-1 ok -",
        "result call-2 ok -",
        "call 1 call-3 c {}",
        "result call-3 ok -",
    ];
    assert_eq!(events(&log), expected);
}

#[test]
fn an_answer_begins_a_turn_unless_a_call_is_open() {
    let log = read(&[
        answer("1", (0, 9)),
        call("2", (10, 50), "a", ""),
        answer("3", (20, 29)),
        call("4", (30, 40), "b", ""),
        call("5", (60, 70), "c", ""),
    ]);
    let turns: Vec<_> = events(&log)
        .into_iter()
        .filter(|event| event.starts_with("call"))
        .map(|event| event.split(' ').nth(1).expect("a turn"))
        .collect();
    assert_eq!(turns, ["1", "1", "2"]);
}

#[test]
fn without_answers_every_call_that_stands_alone_is_a_turn() {
    let log = read(&[
        call("1", (10, 20), "a", ""),
        call("2", (20, 40), "b", ""),
        call("3", (30, 35), "c", ""),
        call("4", (50, 50), "d", ""),
        call("5", (50, 50), "e", ""),
    ]);
    let expected = [
        "call 1 call-1 a {}",
        "result call-1 ok -",
        "call 2 call-2 b {}",
        "call 2 call-3 c {}",
        "result call-3 ok -",
        "result call-2 ok -",
        "call 3 call-4 d {}",
        "result call-4 ok -",
        "call 4 call-5 e {}",
        "result call-5 ok -",
    ];
    assert_eq!(events(&log), expected);
}

#[test]
fn every_container_reads_the_same() {
    let (one, two) = (
        request(&[call("1", (1, 2), "a", "")]),
        request(&[answer("2", (0, 1))]),
    );
    let expected = ["call 1 call-1 a {}", "result call-1 ok -"];
    let by_lines = lines("otel", format!("{one}\n{two}\n").as_bytes());
    assert_eq!(events(&by_lines), expected);
    let by_elements = elements("otel", format!("[{one},\n{two}]").as_bytes());
    assert_eq!(events(&by_elements), expected);
    let document = one.replace("},{", "},\n {").replace("[{", "[\n{");
    assert_eq!(events(&whole("otel", document.as_bytes())), expected);
}

#[test]
fn the_agent_above_acts_even_if_it_comes_later() {
    let agent = [
        text("openinference.span.kind", "AGENT"),
        text("agent.name", "picker"),
    ];
    let log = read(&[
        call("3", (3, 4), "a", r#""parentSpanId":"2","#),
        span("2", (2, 5), r#""parentSpanId":"1","#, &[]),
        span("1", (1, 6), "", &agent),
    ]);
    assert_eq!(log.events[0], "1: a: start picker \"-\" -");
    assert_eq!(events(&log).len(), 2);
}

#[test]
fn spans_in_a_circle_and_parents_that_are_missing_do_no_harm() {
    let log = read(&[
        call("1", (1, 2), "a", r#""parentSpanId":"2","#),
        call("2", (3, 4), "a", r#""parentSpanId":"1","#),
        call("3", (5, 6), "b", r#""parentSpanId":"9","#),
        call("4", (7, 8), "c", r#""parentSpanId":"4","#),
    ]);
    assert_eq!(
        events(&log)
            .iter()
            .filter(|e| e.starts_with("call"))
            .count(),
        3
    );
}

#[test]
fn a_call_seen_by_client_and_server_is_one() {
    let served = [
        text("mcp.method.name", "tools/call"),
        text("gen_ai.tool.name", "read"),
        text("gen_ai.tool.call.result", "text"),
    ];
    let log = read(&[
        span("3", (3, 4), r#""kind":2,"parentSpanId":"2","#, &served),
        span("2", (2, 5), r#""kind":3,"parentSpanId":"1","#, &[]),
        call("1", (1, 6), "mcp__files__read", ""),
        call("4", (7, 8), "read", ""),
    ]);
    let expected = [
        "call 1 call-1 mcp__files__read {}",
        r#"result call-1 ok "text""#,
        "call 2 call-2 read {}",
        "result call-2 ok -",
    ];
    assert_eq!(events(&log), expected);
    assert_eq!(log.notices, ["warning assumed 1:1 a"]);
    let alone = read(&[span("3", (3, 4), r#""kind":2,"#, &served)]);
    assert_eq!(
        events(&alone),
        [
            "call 1 call-1 read {} unknown",
            r#"result call-1 ok "text""#
        ]
    );
}

#[test]
fn a_tool_that_calls_another_of_its_kind_is_two_calls() {
    let inner = [
        text("gen_ai.operation.name", "execute_tool"),
        text("gen_ai.tool.name", "a"),
        text("gen_ai.tool.call.arguments", r#"{"x":1}"#),
    ];
    let log = read(&[
        span("2", (2, 3), r#""parentSpanId":"1","#, &inner),
        call("1", (1, 4), "a", ""),
    ]);
    assert_eq!(events(&log).len(), 4);
}

#[test]
fn a_call_that_an_agent_makes_within_a_call_is_another() {
    let bare = |id: &str, times, more: &str| {
        let attributes = [
            text("gen_ai.operation.name", "execute_tool"),
            text("gen_ai.tool.name", "ask"),
        ];
        span(id, times, more, &attributes)
    };
    let agent = [text("gen_ai.operation.name", "invoke_agent")];
    let log = read(&[
        bare("3", (3, 4), r#""parentSpanId":"2","#),
        span("2", (2, 5), r#""parentSpanId":"1","#, &agent),
        bare("1", (1, 6), ""),
    ]);
    assert_eq!(events(&log).len(), 4);
    let log = read(&[
        bare("2", (2, 5), r#""parentSpanId":"1","#),
        bare("1", (1, 6), ""),
    ]);
    assert_eq!(events(&log).len(), 2);
}

#[test]
fn arguments_that_are_not_told_are_unknown() {
    let tool = |args: &[String]| {
        let mut attributes = vec![
            text("openinference.span.kind", "TOOL"),
            text("tool.name", "a"),
        ];
        attributes.extend_from_slice(args);
        let log = read(&[span("1", (1, 2), "", &attributes)]);
        events(&log)[0].to_owned()
    };
    assert_eq!(tool(&[]), "call 1 call-1 a {} unknown");
    assert_eq!(
        tool(&[text("input.value", "__REDACTED__")]),
        "call 1 call-1 a {} unknown"
    );
    assert_eq!(tool(&[text("input.value", "{}")]), "call 1 call-1 a {}");
    assert_eq!(tool(&[text("input.value", "x")]), "call 1 call-1 a \"x\"");
}

#[test]
fn vendors_have_their_own_names() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        (
            "running tool",
            &[
                ("gen_ai.tool.name", "a"),
                ("tool_arguments", r#"{"x":1}"#),
                ("tool_response", "r"),
            ],
        ),
        (
            "a.tool",
            &[
                ("traceloop.span.kind", "tool"),
                (
                    "traceloop.entity.input",
                    r#"{"inputs":{"x":1},"tags":[],"kwargs":{}}"#,
                ),
                ("traceloop.entity.output", r#"{"output":"r","kwargs":{}}"#),
            ],
        ),
        (
            "ai.toolCall",
            &[
                ("ai.operationId", "ai.toolCall"),
                ("ai.toolCall.name", "a"),
                ("ai.toolCall.args", r#"{"x":1}"#),
                ("ai.toolCall.result", "r"),
            ],
        ),
    ];
    for (name, attributes) in cases {
        let attributes: Vec<_> = attributes.iter().map(|(k, v)| text(k, v)).collect();
        let log = read(&[span(
            "1",
            (1, 2),
            &format!(r#""name":"{name}","#),
            &attributes,
        )]);
        assert_eq!(
            events(&log),
            [r#"call 1 call-1 a {"x":1}"#, r#"result call-1 ok "r""#],
            "{name}"
        );
        assert_eq!(log.notices, [""; 0]);
    }
}

#[test]
fn failures_are_told_in_three_ways() {
    for more in [
        r#""status":{"code":2},"#,
        r#""status":{"code":"STATUS_CODE_ERROR"},"#,
        r#""events":[{"name":"exception","attributes":[]}],"#,
    ] {
        let log = read(&[call("1", (1, 2), "a", more)]);
        assert_eq!(events(&log)[1], "result call-1 error -", "{more}");
    }
    let ok = r#""status":{"code":1},"events":[{"name":"exception"}],"#;
    assert_eq!(
        events(&read(&[call("1", (1, 2), "a", ok)]))[1],
        "result call-1 ok -"
    );
}

#[test]
fn a_span_that_did_not_end_has_no_result() {
    let open = call("1", (1, 2), "a", "").replace("1772000000002000000", "0");
    assert_eq!(events(&read(&[open])), ["call 1 call-1 a {}"]);
}

#[test]
fn a_span_given_twice_is_one_and_two_calls_of_one_id_are_a_fault() {
    let log = read(&[call("1", (1, 2), "a", ""), call("1", (1, 2), "a", "")]);
    assert_eq!(events(&log).len(), 2);
    assert_eq!(log.notices, ["warning repeated_call 1:1 -"]);
    let log = read(&[call("1", (1, 2), "a", ""), call("1", (1, 2), "b", "")]);
    assert_eq!(events(&log)[0], "call 1 call-1 a {}");
    assert_eq!(log.notices, ["fault duplicate_call_id 1:1 -"]);
}

#[test]
fn deciding_attributes_are_given_once() {
    let twice = [
        text("gen_ai.operation.name", "execute_tool"),
        text("gen_ai.tool.name", "a"),
        text("gen_ai.tool.name", "b"),
    ];
    let log = read(&[span("1", (1, 2), "", &twice)]);
    assert_eq!(log.events, [""; 0]);
    assert_eq!(log.notices, ["fault duplicate_key 1:1 -"]);
}

#[test]
fn what_is_beyond_the_limit_is_a_fault() {
    let big = call("1", (1, 2), "a", "").replace(
        r#"Value":"{}""#,
        &format!(r#"Value":"{}""#, "x".repeat(700_000)),
    );
    let log = lines(
        "otel",
        format!(
            "{}\n{}\n{}\n",
            request(std::slice::from_ref(&big)),
            request(&[big.replace(r#"Id":"1""#, r#"Id":"2""#)]),
            request(&[call("3", (3, 4), "c", "")])
        )
        .as_bytes(),
    );
    assert_eq!(events(&log).len(), 2);
    let faults: Vec<_> = log
        .notices
        .iter()
        .filter(|n| n.starts_with("fault"))
        .collect();
    assert_eq!(
        faults,
        ["fault line_too_long 2:1 -", "fault line_too_long 3:1 -"]
    );
}

#[test]
fn other_signals_are_skipped_and_other_records_are_faults() {
    let log = lines(
        "otel",
        b"{\"resourceLogs\":[]}\n{\"resource_metrics\":[]}\n{\"x\":1}\n",
    );
    assert_eq!(log.notices, ["fault missing_field 3:1 -"]);
}

#[test]
fn an_argument_that_stands_alone_gets_the_name_that_the_model_gave_it() {
    let asks = [
        text("openinference.span.kind", "LLM"),
        text(
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.name",
            "a",
        ),
        text(
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments",
            r#"{"path":"x"}"#,
        ),
    ];
    let tool = |value: &str, mime: &str| {
        let attributes = [
            text("openinference.span.kind", "TOOL"),
            text("tool.name", "a"),
            text("input.value", value),
            text("input.mime_type", mime),
        ];
        let log = read(&[
            span("2", (3, 4), "", &attributes),
            span("1", (1, 2), "", &asks),
        ]);
        (events(&log)[0].to_owned(), log.notices[0].clone())
    };
    let (call, notice) = tool("x", "text/plain");
    assert_eq!(call, r#"call 1 call-1 a {"path":"x"}"#);
    assert_eq!(notice, "warning assumed 1:1 a");
    let (call, notice) = tool("y", "text/plain");
    assert_eq!(call, r#"call 1 call-1 a "y""#);
    assert_eq!(notice, "warning unparsed_arguments 1:1 a");
    let (call, notice) = tool(r#"{"path": "x"#, "application/json");
    assert_eq!(call, r#"call 1 call-1 a "{\"path\": \"x""#);
    assert_eq!(notice, "warning unparsed_arguments 1:1 -");
}

#[test]
fn traces_of_one_conversation_are_one_run() {
    let of = |trace: &str, id: &str, times, session: &str| {
        let attributes = [
            text("gen_ai.operation.name", "execute_tool"),
            text("gen_ai.tool.name", id),
            text("gen_ai.conversation.id", session),
        ];
        let trace = format!(r#""traceId":"{trace}""#);
        span(id, times, "", &attributes).replace(r#""traceId":"a""#, &trace)
    };
    let log = read(&[
        of("b", "2", (3, 4), "s"),
        of("a", "1", (1, 2), "s"),
        of("c", "3", (5, 6), "z"),
    ]);
    let runs: Vec<_> = log
        .events
        .iter()
        .map(|event| event.split(": ").nth(1).expect("a run"))
        .collect();
    assert_eq!(runs, ["s", "s", "s", "s", "s", "z", "z", "z"]);
    assert_eq!(log.notices, [""; 0]);
    let log = read(&[of("a", "2", (3, 4), "s"), of("a", "1", (1, 2), "r")]);
    assert!(log.events.iter().all(|event| event.starts_with("1: r: ")));
    assert_eq!(log.notices, ["warning assumed 1:1 r"]);
}
