//! The fields of the canonical format: spellings, required ones, types and look-alikes.

use crate::support::*;
use gate::trace::event::{ApprovalOutcome, Recorded};

#[test]
fn every_field_of_a_call_is_read() {
    let seen = seen(concat!(
        r#"{"type":"tool_call","tool":"a","run":"r","id":"i","turn":3,"args":{"x":[1]},"#,
        r#""agent":"g","resources":["f"],"estimated_cost_usd":0.5,"batch":"b","labels":["l"],"#,
        r#""context_embedding":[1,0],"action_embedding":[0.5,1e0],"decision":"withhold","#,
        r#""semantic_score":0.25,"approval":"expired","ts":"2026-01-01T00:00:00Z","#,
        r#""result":{"ok":true},"error":true,"cost_usd":0.1,"tokens":7}"#
    ));
    let c = &seen.calls[0];
    assert_eq!(
        (&*c.tool, c.run.as_deref(), c.id.as_deref()),
        ("a", Some("r"), Some("i"))
    );
    assert_eq!((c.turn, c.args.bytes()), (Some(3), &b"{\"x\":[1]}"[..]));
    assert_eq!(
        (c.agent.as_deref(), &*c.resources[0], &*c.labels[0]),
        (Some("g"), "f", "l")
    );
    assert_eq!(c.estimated_cost.expect("estimate").0, 500_000_000);
    assert_eq!(c.batch.as_deref(), Some("b"));
    assert_eq!(c.context_embedding, Some(vec![1.0, 0.0]));
    assert_eq!(c.action_embedding, Some(vec![0.5, 1.0]));
    assert_eq!(c.recorded, Some(Recorded::Withhold));
    assert_eq!(
        (c.semantic_score, c.approval),
        (Some(0.25), Some(ApprovalOutcome::Expired))
    );
    assert_eq!(c.ts.as_ref().map(|t| &*t.0), Some("2026-01-01T00:00:00Z"));
    let o = c.outcome.as_ref().expect("outcome");
    assert_eq!((o.error, o.tokens), (Some(true), Some(7)));
    assert_eq!(
        o.result.as_ref().map(|r| r.bytes()),
        Some(&b"{\"ok\":true}"[..])
    );
    assert!(seen.notices.is_empty());
    assert_eq!(seen.report.unknown_fields, 0);
}

#[test]
fn absent_fields_stay_absent() {
    let seen = seen(call("a"));
    let c = &seen.calls[0];
    assert_eq!(
        (&c.run, &c.id, c.turn, &c.outcome),
        (&None, &None, None, &None)
    );
    assert_eq!(c.args.bytes(), b"{}");
}

#[test]
fn null_is_absent() {
    let seen = seen(r#"{"tool":"a","run":null,"args":null,"result":null,"turn":null,"type":null}"#);
    let c = &seen.calls[0];
    assert_eq!(
        (&c.run, c.turn, &c.outcome, c.args.bytes()),
        (&None, None, &None, &b"{}"[..])
    );
    assert_eq!(seen.report.unknown_fields, 0);
    let required = self::seen(r#"{"tool":null}"#);
    assert_eq!(required.codes(), ["1:1 missing_field"]);
}

#[test]
fn the_other_records_are_read() {
    let seen = seen(concat!(
        "{\"type\":\"run_start\",\"run\":\"r\",\"agent\":\"g\",\"intent\":\"do\",\"label\":\"attack\",\"meta\":{\"k\":1}}\n",
        "{\"type\":\"tool_result\",\"call_id\":\"c\",\"result\":\"x\",\"ts\":5}\n",
        "{\"type\":\"approval\",\"tool_call_id\":\"c\",\"decision\":\"denied\",\"by\":\"me\"}\n",
        "{\"type\":\"run_end\",\"run\":\"r\",\"status\":\"timeout\",\"reason\":\"slow\"}\n",
    ));
    assert_eq!(seen.codes(), ["2:1 missing_run"]);
    for (event, words) in seen.others.iter().zip([
        ["RunStart", "Attack"],
        ["ToolResult", "call: \"c\""],
        ["Denied", "Some(\"me\")"],
        ["RunEnd", "Timeout"],
    ]) {
        assert!(words.iter().all(|w| event.contains(w)), "{event}");
    }
}

#[test]
fn missing_required_fields_are_told() {
    for (line, field) in [
        (r#"{"type":"tool_call"}"#, "tool"),
        (r#"{"type":"run_start"}"#, "run"),
        (r#"{"type":"run_end"}"#, "run"),
        (r#"{"type":"tool_result","result":1}"#, "call"),
        (r#"{"type":"approval","decision":"denied"}"#, "call"),
        (r#"{"type":"approval","call":"c"}"#, "decision"),
    ] {
        let seen = seen(line);
        assert_eq!(seen.codes(), ["1:1 missing_field"], "{line}");
        assert!(seen.notices[0].message.contains(&format!("`{field}`")));
    }
}

#[test]
fn wrong_types_name_the_field_and_what_was_expected() {
    for (field, value) in [
        ("tool", "5"),
        ("run", "5"),
        ("id", "{}"),
        ("agent", "[]"),
        ("resources", "\"x\""),
        ("labels", "[1]"),
        ("error", "\"boom\""),
        ("ts", "[]"),
        ("context_embedding", "{}"),
        ("decision", "\"alow\""),
        ("approval", "true"),
        ("type", "1"),
    ] {
        let line = match field {
            "tool" => format!("{{\"tool\":{value}}}"),
            _ => format!("{{\"tool\":\"a\",\"{field}\":{value}}}"),
        };
        let seen = seen(line);
        assert!(seen.calls.is_empty());
        assert_eq!(seen.notices.len(), 1, "{field}");
        assert_eq!(seen.notices[0].kind.code(), "bad_field", "{field}");
        let message = &seen.notices[0].message;
        assert!(
            message.contains(field) && message.contains("expected"),
            "{message}"
        );
    }
    let word = seen(r#"{"tool":"a","decision":"alow"}"#);
    assert_eq!(word.help(), "did you mean `allow`");
}

#[test]
fn an_empty_tool_name_is_a_bad_field() {
    assert_eq!(seen(r#"{"id":"x","tool":""}"#).codes(), ["1:18 bad_field"]);
}

#[test]
fn an_unknown_type_names_the_nearest() {
    let seen = seen(call("a") + r#"{"type":"tool_cal","tool":"a"}"#);
    assert_eq!(seen.codes(), ["2:9 unknown_type"]);
    assert_eq!(seen.help(), "did you mean `tool_call`");
}

#[test]
fn a_known_key_given_twice_is_a_fault() {
    for line in [
        r#"{"tool":"safe","tool":"rm"}"#,
        r#"{"tool":"rm","to\u006fl":"rm"}"#,
    ] {
        let seen = seen(line);
        assert!(seen.calls.is_empty());
        assert_eq!(seen.notices.len(), 1);
        assert_eq!(seen.notices[0].kind.code(), "duplicate_key");
    }
    assert_eq!(
        seen(r#"{"tool":"a","tool":"b"}"#).codes(),
        ["1:13 duplicate_key"]
    );
    let run = seen(r#"{"tool":"a","run":"x","run":"y"}"#);
    assert_eq!(run.notices[0].run, None);
    assert!(seen(r#"{"tool":"a","x":1,"x":2}"#).notices.is_empty());
}

#[test]
fn spellings_agree_or_are_a_fault() {
    for line in [
        r#"{"tool":"a","name":"a","id":"i","call_id":"i"}"#,
        r#"{"tool_name":"a","args":{"x":1},"input":{ "x" : 1 }}"#,
        r#"{"tool":"a","estimated_cost":0.10,"metadata":{"estimated_cost":0.1}}"#,
        r#"{"tool":"a","args":{"argv":["x"]},"argv":["x"]}"#,
    ] {
        let seen = seen(line);
        assert_eq!((seen.tools(), seen.codes().len()), (vec!["a"], 0), "{line}");
    }
    for line in [
        r#"{"tool":"a","name":"b"}"#,
        r#"{"tool":"a","args":{"x":1},"arguments":{"x":2}}"#,
        r#"{"tool":"a","estimated_cost":1,"metadata":{"estimated_cost":2}}"#,
        r#"{"tool":"a","metadata":{"estimated_cost":2,"estimated_cost":2}}"#,
        r#"{"tool":"a","args":{},"argv":["x"]}"#,
        r#"{"tool":"a","args":{},"payload":1}"#,
        r#"{"type":"tool_result","call":"a","call_id":"b"}"#,
    ] {
        let seen = seen(line);
        assert!(seen.calls.is_empty() && seen.others.is_empty());
        assert_eq!(seen.notices[0].kind.code(), "duplicate_key", "{line}");
        assert_eq!(seen.notices.len(), 1, "{line}");
    }
}

#[test]
fn an_argument_vector_becomes_an_object() {
    let seen = seen(r#"{"tool":"a","payload":{"p":1},"argv":["ls","-l"]}"#);
    assert_eq!(
        seen.calls[0].args.bytes(),
        br#"{"payload":{"p":1},"argv":["ls","-l"]}"#
    );
    assert!(seen.notices.is_empty());
}

#[test]
fn arguments_in_a_string_are_parsed_if_they_are_an_object() {
    let args = |value: &str| {
        let seen = seen(format!("{{\"tool\":\"a\",\"arguments\":{value}}}"));
        let bytes = String::from_utf8(seen.calls[0].args.bytes().to_vec()).expect("UTF-8");
        (bytes, seen.codes())
    };
    assert_eq!(args(r#""{\"x\": 1}""#), ("{\"x\": 1}".into(), vec![]));
    assert_eq!(args(r#""[1]""#), ("\"[1]\"".into(), vec![]));
    assert_eq!(args(r#""""#), ("\"\"".into(), vec![]));
    let (kept, told) = args(r#""{\"path\": \"trunc""#);
    assert_eq!(kept, r#""{\"path\": \"trunc""#);
    assert_eq!(told, ["1:25 unparsed_arguments"]);
}

#[test]
fn a_key_repeated_inside_arguments_is_told() {
    let seen = seen(r#"{"tool":"a","args":{"x":[{"p":1,"p":2}]},"result":{"q":1,"q":2}}"#);
    assert_eq!(seen.codes(), ["1:33 repeated_argument"]);
    assert_eq!(seen.tools(), ["a"]);
    let inside = self::seen(r#"{"tool":"a","args":"{\"p\":1,\"p\":2}"}"#);
    assert_eq!(inside.codes(), ["1:20 repeated_argument"]);
    let escaped = self::seen(r#"{"tool":"a","args":{"p":1,"\u0070":2}}"#);
    assert_eq!(escaped.codes(), ["1:27 repeated_argument"]);
    let damaged = self::seen(b"{\"tool\":\"a\",\"args\":{\"\xff\":1,\"\xfe\":2}}");
    assert_eq!(
        damaged.codes(),
        ["1:27 repeated_argument", "1:22 invalid_utf8"]
    );
}

#[test]
fn a_field_that_looks_like_a_known_one_is_told_once() {
    let line = r#"{"tool":"a","tool_nmae":"x","Turn":2,"session":1,"note":"n"}"#;
    let seen = seen(format!("{line}\n{line}\n"));
    assert_eq!(seen.codes(), ["1:13 similar_field", "1:29 similar_field"]);
    assert_eq!(seen.help(), "did you mean `tool_name`");
    assert_eq!(seen.report.unknown_fields, 8);
    assert_eq!(seen.calls.len(), 2);
}

#[test]
fn notices_carry_the_run_where_it_is_known() {
    let run = |line: &str| seen(line).notices[0].run.clone();
    assert_eq!(run(r#"{"tool":"","run":"r\u0031"}"#).as_deref(), Some("r1"));
    assert_eq!(run(r#"{"tool":""}"#).as_deref(), Some("t"));
    assert_eq!(run(r#"{"tool":"a","run":5}"#), None);
    assert_eq!(run(r#"{"tool":"a""#), None);
}

#[test]
fn names_with_escapes_are_decoded() {
    let seen = seen(r#"{"t\u006fol":"b\u0061sh"}"#);
    assert_eq!(seen.tools(), ["bash"]);
}

/// An intent belongs to the run: on a call it would be left out unseen, and the call judged without.
#[test]
fn what_a_call_says_of_its_run_is_told_once() {
    let line = r#"{"tool":"a","args":{},"intent":"i","label":"none"}"#;
    let seen = seen(format!("{line}\n{line}\n"));
    assert_eq!(
        seen.codes(),
        ["1:32 misplaced_field", "1:44 misplaced_field"]
    );
    assert!(seen.help().contains("`run_start`") && seen.help().contains("`--from cases`"));
    assert_eq!(seen.calls.len(), 2);
    let start = r#"{"type":"run_start","run":"r","intent":"i","label":"benign"}"#;
    assert_eq!(self::seen(start).codes(), [] as [&str; 0]);
}
