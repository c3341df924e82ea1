//! `gate inspect`: what is said of an input, and how it ends.

mod program;

use program::{Scratch, ran};
use serde_json::{Value, json};
use std::process::Stdio;

fn inspected(trace: impl AsRef<[u8]>, policy: &str) -> Value {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", trace);
    scratch.file("p.toml", policy);
    let ran = scratch.gate("inspect t.jsonl --policy p.toml --format json");
    serde_json::from_str(&ran.out).expect("a document")
}

/// The needs of a policy as `asks fact calls/of`.
fn needs(report: &Value) -> Vec<String> {
    let needs = report["total"]["needs"].as_array().expect("needs");
    let need = |need: &Value| {
        let text = |key: &str| need[key].as_str().unwrap_or_default().to_owned();
        let (asks, fact) = (text("asks"), text("fact"));
        format!("{asks} {fact} {}/{}", need["calls"], need["of"])
    };
    needs.iter().map(need).collect()
}

const TRACE: &str = r#"{"type":"run_start","run":"r","agent":"ann","intent":"x","label":"attack"}
{"tool":"ls","run":"r","id":"a","turn":1,"args":{"n":1},"ts":"2026-01-01T00:00:02Z","estimated_cost_usd":0.5,"semantic_score":0.6}
{"tool":"cat","run":"r","turn":1,"resources":["f"],"ts":"2026-01-01T00:00:01Z","decision":"escalate","approval":"denied"}
{"type":"tool_result","run":"r","call":"a","result":"x","cost_usd":0.1}
{"type":"tool_result","run":"r","call":"a","result":"x","cost_usd":0.1}
{"type":"tool_result","run":"r","call":"a","result":"y","cost_usd":0.2}
{"type":"tool_result","run":"r","call":"late","tokens":7,"error":true}
{"tool":"ls","run":"r","id":"late","turn":2,"ts":"soon","agent":"bob","context_embedding":[0,1],"action_embedding":[1,0]}
{"type":"tool_result","run":"r","call":"nobody","result":1}
{"type":"approval","run":"r","call":"a","decision":"approved"}
{"tool":"ls","run":"r","id":"a","turn":1,"args":{"n":1},"ts":"2026-01-01T00:00:09Z","estimated_cost_usd":0.5,"semantic_score":0.6}
{"type":"run_end","run":"r","status":"timeout"}
{"tool":"ls","batch":"b","result":null,"tokens":3}
"#;

#[test]
fn everything_is_counted() {
    let report = inspected(TRACE, "[dcbf.barriers.scope]\nenabled = false\n");
    let total = &report["total"];
    assert_eq!(total, &report["inputs"][0]["contents"]);
    for (key, value) in [
        ("runs", json!(2)),
        ("ground_truth", json!({"attack": 1, "benign": 0})),
        ("ended", json!({"answered": 0, "aborted": 0, "timeout": 1})),
        ("calls", json!(4)),
        ("repeated", json!(1)),
        ("results", json!(6)),
        ("results_without_call", json!(1)),
        ("cost_usd", json!(0.3)),
        ("token_sum", json!(10)),
        (
            "approvals",
            json!({"approved": 1, "denied": 1, "expired": 0}),
        ),
        (
            "decisions",
            json!({"allow": 0, "block": 0, "escalate": 1, "withhold": 0}),
        ),
        (
            "times",
            json!({"first": "2026-01-01T00:00:01Z", "last": "2026-01-01T00:00:02Z", "backwards": 1, "unreadable": 1}),
        ),
        ("largest_turn", json!(2)),
        ("in_turns_of_several", json!({"calls": 2, "share": 0.5})),
        ("batched", json!({"calls": 1, "share": 0.25})),
        ("ids_made_up", json!({"calls": 2, "share": 0.5})),
        ("context_embeddings", json!({"calls": 1, "share": 0.25})),
        (
            "tools",
            json!([{"tool": "ls", "calls": 3}, {"tool": "cat", "calls": 1}]),
        ),
        ("tools_rest", json!({"names": 0, "calls": 0})),
        (
            "agents",
            json!([{"agent": "ann", "calls": 2}, {"agent": "bob", "calls": 1}]),
        ),
        ("faults", json!({"duplicate_call_id": 1})),
        (
            "warnings",
            json!({
                "early_result": 1, "missing_run": 1, "orphan_result": 1, "repeated_call": 1,
                "repeated_result": 1, "clock_backwards": 1, "unreadable_time": 1,
            }),
        ),
    ] {
        assert_eq!(total[key], value, "{key}");
    }
    for (fact, calls) in [
        ("args", 4),
        ("agent", 3),
        ("time", 2),
        ("estimate", 1),
        ("resources", 4),
        ("embeddings", 1),
        ("semantic_score", 1),
        ("intent", 3),
        ("meta", 0),
        ("outcome", 3),
        ("result", 1),
        ("failure", 1),
        ("observation", 3),
        ("cost", 1),
        ("tokens", 2),
        ("approval", 2),
        ("decision", 1),
    ] {
        assert_eq!(total["known"][fact]["calls"], calls, "{fact}");
    }
}

#[test]
fn the_needs_of_a_policy_are_held_against_what_calls_tell() {
    let report = inspected(
        TRACE,
        r#"
[[labels]]
label = "odd"
tools = ["ls"]
when = 'call.args.n == 1 && run.intent != ""'
[gates]
refuse = ["rm"]
window = 9
[gates.per_tool]
cat = 5
[privilege.agents.ann]
resources = ["f"]
max_call_cost_usd = 1
max_total_cost_usd = 1
[dfa]
timeout_seconds = 5
max_repeats = 3
[[contracts]]
tools = ["odd"]
require = ['state.cost_usd < 1.0']
ensure = ['!error']
[dcbf.barriers.mine]
expr = '100 - state.tokens'
[semantic]
embedder = "recorded"
"#,
    );
    let expected = [
        "label odd args 3/3",
        "label odd intent 2/3",
        "gates.refuse args 4/4",
        "gates.window observation 3/4",
        "gates.per_tool cat observation 0/1",
        "privilege.agents agent 3/4",
        "privilege.agents.*.resources resources 4/4",
        "privilege.agents.*.max_call_cost_usd estimate 1/4",
        "privilege.agents.*.max_total_cost_usd cost 1/4",
        "dfa.timeout_seconds time 2/4",
        "dfa.max_repeats args 4/4",
        "contract odd: require cost 1/2",
        "contract odd: ensure outcome 2/2",
        "barrier resource cost 1/4",
        "barrier scope embeddings 1/4",
        "barrier mine observation 3/4",
        "semantic.embedder semantic_score 1/4",
        "semantic.escalate approval 1/1",
    ];
    assert_eq!(needs(&report), expected);
    // Of a rule that cannot be evaluated the label is given, and that is told.
    let total = &report["total"];
    assert_eq!(
        total["labels"],
        json!([{"label": "odd", "tool": "ls", "calls": 2}])
    );
    let failed = json!([{"label": "odd", "line": 2, "calls": 1}]);
    assert_eq!(total["labels_failed"], failed);
    let off = "[pipeline]\ndisable = [\"dcbf\"]\n[dfa]\nmax_steps = 9\n";
    assert!(needs(&inspected(TRACE, off)).is_empty());
    // What works meanings out asks for words instead of scores and embeddings.
    let meant = "[pipeline]\ndisable = [\"dfa\"]\n[semantic]\n[dcbf.barriers.scope]\nembed = \"static\"\n\
                 [dcbf.barriers.resource]\nenabled = false\n";
    let asked = [
        "barrier scope intent 3/4",
        "barrier scope args 4/4",
        "semantic.embedder args 4/4",
        "semantic.embedder intent 3/4",
    ];
    assert_eq!(needs(&inspected(TRACE, meant)), asked);
    let free = "[dcbf]\ncost_accounting = \"none\"\n[dcbf.barriers.scope]\nenabled = false\n";
    assert!(needs(&inspected(TRACE, free)).is_empty());
}

#[test]
fn arguments_that_are_not_told_feed_no_rule() {
    // The flag comes from formats that leave arguments out.
    let scratch = Scratch::new();
    scratch.file("t.jsonl", "{\"tool\":\"ls\",\"args_unknown\":true}\n");
    let ran = scratch.gate("inspect t.jsonl --format json").ends(0);
    let report: Value = serde_json::from_str(&ran.out).expect("a document");
    let told = &report["total"]["args_unknown"]["calls"];
    // Until the canonical reader knows the key it is one of no meaning.
    let reads = report["inputs"][0]["unknown_fields"] == 0;
    assert_eq!(told, &json!(u64::from(reads)));
}

#[test]
fn what_is_no_trace_is_a_fault() {
    let scratch = Scratch::new();
    scratch.file("x.json", "{\"hello\":1}");
    scratch.file("bad.jsonl", "{\"tool\":\"a\"}\n{\"tool\":");
    scratch.file(
        "twice.jsonl",
        "{\"tool\":\"a\",\"id\":\"x\"}\n{\"tool\":\"b\",\"id\":\"x\"}\n",
    );
    scratch.file("empty.jsonl", "");
    for (args, status, says) in [
        ("x.json", 2, "unknown_type"),
        ("bad.jsonl", 2, "truncated_input"),
        ("bad.jsonl --allow-torn-tail", 0, ""),
        ("bad.jsonl --allow-faults", 0, "truncated_input"),
        ("twice.jsonl", 2, "duplicate_call_id"),
        ("empty.jsonl", 2, "no call in any input"),
        ("empty.jsonl --allow-empty", 0, ""),
        ("none.jsonl", 2, "`none.jsonl` cannot be read"),
        (
            "none.jsonl --allow-faults --allow-empty",
            2,
            "cannot be read",
        ),
        ("bad.jsonl --policy none.toml", 2, "none.toml"),
        ("--formats bad.jsonl", 2, "cannot be used with"),
        ("--formats", 0, ""),
    ] {
        for format in ["table", "json"] {
            let ran = scratch.gate(&format!("inspect {args} --format {format}"));
            let ran = ran.ends(status).says(says);
            assert_eq!(ran.err.is_empty(), says.is_empty(), "{args}: {}", ran.err);
        }
        // A replay is of the same mind.
        if !args.starts_with("--formats") {
            let replay = scratch.gate(&format!("replay {args} --fail-on none"));
            assert_eq!(replay.status, status, "{args}");
        }
    }
}

#[test]
fn what_holds_no_record_is_of_no_format() {
    for (trace, format, reason) in [
        ("5\n[\"x\"]\n", json!(null), "no record to tell it from"),
        ("{\"tool\":\n", json!(null), "no record to tell it from"),
        (
            "5\n{\"tool\":\"a\"}\n",
            json!("canonical"),
            "a record with `tool`",
        ),
        ("{\"a\":1}\n", json!(null), "no format recognises it"),
    ] {
        let report = inspected(trace, "");
        let input = &report["inputs"][0];
        assert_eq!(input["format"], format, "{trace}");
        assert_eq!(input["format_reason"], reason, "{trace}");
    }
    let report = inspected("{\"a\":1}\n", "");
    let help = "name its format with `--from`; `gate inspect --formats` lists them";
    assert_eq!(report["notices"][0]["help"], help);
    let report = inspected(
        "{\"tool\":\"a\"}\n{\"type\":\"tool_result\",\"call\":\"\"}\n",
        "",
    );
    assert_eq!(report["notices"][0]["message"], "the record names no call");
}

#[test]
fn names_cannot_speak_for_gate() {
    let scratch = Scratch::new();
    let name = "a\u{1b}[31m\u{202e}b\\n::error::x";
    let trace = format!(
        "{{\"tool\":\"{}\",\"agent\":\"## [x\",\"ts\":\"\u{9b}1\"}}\n",
        name.replace('\u{1b}', "\\u001b")
    );
    scratch.file("t.jsonl", trace.repeat(3));
    for width in ["", "--width 40", "--width 1"] {
        let ran = scratch.gate(&format!("inspect t.jsonl {width}")).ends(0);
        let hidden = ran
            .out
            .chars()
            .find(|&c| c != '\n' && gate::escape::is_hidden(c));
        assert_eq!(hidden, None);
        assert!(
            !ran.out
                .lines()
                .any(|line| line.trim_start().starts_with("::"))
        );
    }
    let ran = scratch.gate("inspect t.jsonl --format json").ends(0);
    assert!(!ran.out.trim_end().chars().any(gate::escape::is_hidden));
    let ran = scratch.gate("inspect t.jsonl --color always").ends(0);
    assert!(ran.out.starts_with("\u{1b}[1mt.jsonl\u{1b}[0m"));
}

#[test]
fn lists_are_cut_and_the_rest_is_summed() {
    let scratch = Scratch::new();
    let calls = |tool: &str, n| format!("{{\"tool\":\"{tool}\"}}\n").repeat(n);
    scratch.file("d/t.jsonl", calls("b", 2) + &calls("a", 2) + &calls("c", 3));
    scratch.file("d/u.jsonl", calls("d", 1));
    let ran = scratch.gate("inspect d --top 2").ends(0);
    let lines: Vec<&str> = ran.out.lines().map(str::trim).collect();
    for line in [
        "c       3  42.9%",
        "a       2  28.6%",
        "1 more  2  28.6%",
        "2 more  3  37.5%",
    ] {
        assert!(lines.contains(&line), "{line}: {}", ran.out);
    }
    let ran = scratch.gate("inspect d --top 2 --format json").ends(0);
    let report: Value = serde_json::from_str(&ran.out).expect("a document");
    assert_eq!(
        report["total"]["tools_rest"],
        json!({"names": 2, "calls": 3})
    );
    let ran = scratch.gate("inspect d --top 0").ends(0);
    assert!(!ran.out.contains(" more"));
    let ran = scratch
        .gate_fed("inspect", calls("z", 1).as_bytes())
        .ends(0);
    assert!(ran.out.starts_with("stdin\n"), "{}", ran.out);
    let twice = scratch.gate("inspect d/u.jsonl d/u.jsonl").ends(0);
    assert!(twice.out.contains("repeated_input 1"), "{}", twice.out);
}

#[test]
fn a_reader_that_went_away_changes_nothing() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", "{\"tool\":\"a\"}\n{\n");
    let mut child = scratch.spawn("inspect t.jsonl", Stdio::null());
    drop(child.stdout.take());
    ran(child.wait_with_output().expect("it ends")).ends(2);
    if let Ok(full) = std::fs::File::options().write(true).open("/dev/full") {
        for args in ["inspect t.jsonl --allow-faults", "inspect --formats"] {
            let mut command = scratch.command(args);
            command.stdout(full.try_clone().expect("a handle"));
            let ran = ran(command.output().expect("the program runs")).ends(2);
            ran.says("standard output cannot be written");
        }
    }
}
