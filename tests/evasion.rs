//! Ways in which a recording could slip by a rule or speak for gate: none of them may work.

mod program;

use program::{Ran, Scratch};

/// Replays these records under that policy, as JSON lines.
fn replay(records: &[&str], policy: &str, flags: &str) -> Ran {
    program::replay(records.join("\n") + "\n", policy, flags)
}

#[test]
fn arguments_in_text_obey_the_depth_limit() {
    let nested = |levels: usize| {
        let inner = format!(
            "{}\\\"\\\\u0065vil\\\"{}",
            "[".repeat(levels),
            "]".repeat(levels)
        );
        format!("{{\"tool\":\"x\",\"args\":\"{{\\\"a\\\":{inner}}}\"}}")
    };
    let policy = "[gates]\nrefuse = ['evil']\n";
    let ran = replay(&[&nested(127)], policy, "").ends(1);
    assert_eq!(ran.decisions(), ["x block gates.regex"]);
    let ran = replay(&[&nested(128)], policy, "").ends(2);
    assert_eq!(ran.notices(), ["1 too_deep"]);
    // What is not read is judged as the text that it is, and leaves the run in doubt.
    assert_eq!(ran.decisions(), ["x allow"]);
    let policy = "[gates]\nrefuse = ['u0065vil']\n";
    let ran = replay(&[&nested(128)], policy, "").ends(2);
    assert_eq!(ran.decisions(), ["x block gates.regex"]);
}

#[test]
fn a_directory_hides_no_deletion() {
    let policy = "[[contracts]]\ntools = ['*']\nrequire = ['!call.deletes.exists(p, p.startsWith(\"/etc/\"))']\n";
    let records = [
        r#"{"tool":"bash","args":{"command":"cd /etc && rm passwd"}}"#,
        r#"{"tool":"shell","args":{"command":["rm","passwd"],"workdir":"/etc"}}"#,
        r#"{"tool":"bash","args":{"command":"cd /tmp && rm passwd"}}"#,
    ];
    let ran = replay(&records, policy, "").ends(1);
    assert_eq!(
        ran.decisions(),
        [
            "bash block contracts.require",
            "shell block contracts.require",
            "bash allow"
        ]
    );
}

#[test]
fn reasons_show_nothing_of_the_arguments() {
    let scratch = Scratch::new();
    let secret = "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
    let call = format!(
        "{{\"tool\":\"k\",\"agent\":\"a\",\"args\":{{\"a\":\"{secret}\",\"a\":\"{secret}\"}}}}\n"
    );
    scratch.file("t.jsonl", call);
    scratch.file("s.json", r#"{"properties":{"a":{"type":"integer"}}}"#);
    scratch.file(
        "schema.toml",
        "[[contracts]]\ntools = ['k']\nschema = 's.json'\n",
    );
    scratch.file(
        "resources.toml",
        "[resources]\nk = 'args.a'\n[privilege.agents.a]\nresources = ['/srv/*']\n",
    );
    scratch.file(
        "expr.toml",
        "[[contracts]]\ntools = ['k']\nrequire = ['{\"b\": 1}[call.args.a] == 1']\n",
    );
    for policy in ["schema", "resources", "expr"] {
        for format in ["table", "json", "jsonl", "csv"] {
            let ran = scratch.gate(&format!(
                "replay t.jsonl --policy {policy}.toml --format {format}"
            ));
            assert_eq!(ran.status, 1, "{}", ran.err);
            assert!(
                !ran.out.contains("AbCd") && !ran.err.contains("AbCd"),
                "{policy} {format}"
            );
        }
    }
}

#[test]
fn a_line_end_in_a_record_begins_no_message() {
    let ran = replay(&[r#"{"tool":"x","decision":"q\ngate: all clear"}"#], "", "").ends(2);
    assert!(ran.err.contains("q\\u{a}gate: all clear"), "{}", ran.err);
    assert!(!ran.err.lines().any(|line| line == "gate: all clear"));
}

#[test]
fn calls_without_an_id_are_never_repeats() {
    let mail = r#"{"tool":"send_email"}"#;
    let ran = replay(
        &[r#"{"tool":"send_email","id":"call-2"}"#, mail, mail, mail],
        "",
        "",
    )
    .ends(1);
    let ids: Vec<_> = ran
        .records()
        .iter()
        .filter_map(|r| r["call"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(ids, ["call-2", "call-2#2", "call-3", "call-4"]);
    assert_eq!(ran.summary()["counts"]["repeats"], 0);
}

#[test]
fn a_fault_after_the_end_is_counted_for_its_run() {
    let run = [
        r#"{"tool":"x","run":"r"}"#,
        r#"{"type":"run_end","run":"r"}"#,
        r#"{"tool":"x","run":"r","turn":-1}"#,
        r#"{"tool":"x","run":"r"}"#,
    ];
    for length in [3, 4] {
        let ran = replay(&run[..length], "", "").ends(2);
        assert_eq!(
            ran.summary()["counts"]["inconclusive_runs"],
            1,
            "{length} records"
        );
        assert_eq!(ran.summary()["counts"]["runs"], 1);
    }
}

#[test]
fn a_fault_before_runs_that_were_held_back_leaves_them_in_doubt() {
    let span = r#"{"object":"trace.span","id":"s","trace_id":"t","started_at":"2026-04-01T07:00:00Z","span_data":{"type":"function","name":"x"}}"#;
    for records in [[span, "x"], ["x", span]] {
        let ran = replay(&records, "", "").ends(2);
        assert_eq!(ran.summary()["counts"]["inconclusive_runs"], 1);
    }
}

#[test]
fn an_end_of_no_run_leaves_every_open_run_in_doubt() {
    let records = [
        r#"{"tool":"x","run":"r"}"#,
        r#"{"type":"run_end"}"#,
        r#"{"tool":"x","run":"r"}"#,
    ];
    let ran = replay(&records, "", "").ends(2);
    let fault = ran
        .records()
        .into_iter()
        .find(|r| r["record"] == "fault")
        .expect("a fault");
    assert!(fault["run"].is_null());
    assert_eq!(ran.summary()["counts"]["inconclusive_runs"], 1);
}

#[test]
fn the_rate_excuses_blocks_only_beside_violations() {
    let mail = r#"{"tool":"send_email"}"#;
    let records = [mail, mail, mail, r#"{"tool":"x"}"#];
    replay(&records, "", "--max-violation-rate 0.25").ends(0);
    replay(&records, "", "--max-violation-rate 0.2").ends(1);
    replay(&records, "", "--fail-on block --max-violation-rate 0.25").ends(1);
    replay(
        &records,
        "",
        "--fail-on violation --max-violation-rate 0.25",
    )
    .ends(0);
}

#[test]
fn a_postcondition_sees_one_state_however_the_call_is_written() {
    let policy = "[[contracts]]\ntools = ['a']\nensure = ['state.step_count == 1']\n";
    let inline = [r#"{"tool":"a","run":"r","id":"x","result":1}"#];
    let apart = [
        r#"{"tool":"a","run":"r","id":"x"}"#,
        r#"{"type":"tool_result","run":"r","call":"x","result":1}"#,
    ];
    let batch = [r#"{"tool":"a","run":"r","id":"x","batch":"b","result":1}"#];
    for records in [&inline[..], &apart, &batch] {
        assert_eq!(replay(records, policy, "").ends(0).decisions(), ["a allow"]);
    }
}

#[test]
fn a_repeat_is_a_record_for_what_waits() {
    let policy = "[dcbf.barriers.safety]\npairs = [['a', 'b']]\n";
    let records = [
        r#"{"tool":"q","run":"r","id":"w","result":1}"#,
        r#"{"tool":"a","run":"r","batch":"b","result":1}"#,
        r#"{"tool":"q","run":"r","id":"w","result":1}"#,
        r#"{"tool":"b","run":"r","batch":"b","result":1}"#,
    ];
    let ran = replay(&records, policy, "").ends(1);
    assert_eq!(
        ran.decisions(),
        ["q allow", "a allow", "b block dcbf.forward_invariance"]
    );
}

#[test]
fn loops_over_arguments_come_to_an_end() {
    let list = (0..3000)
        .map(|n| n.to_string())
        .collect::<Vec<_>>()
        .join(",");
    let call = format!("{{\"tool\":\"a\",\"args\":{{\"l\":[{list}]}}}}");
    let policy = "[[contracts]]\ntools = ['a']\n\
        require = ['!call.args.l.exists(x, call.args.l.exists(y, call.args.l.exists(z, x + y + z == -1)))']\n";
    let ran = replay(&[&call], policy, "").ends(1);
    assert_eq!(ran.decisions(), ["a error contracts.require"]);
    assert!(ran.out.contains("its loops take more than 200000 steps"));
}

#[test]
fn globs_see_characters() {
    let policy = "[privilege.agents.x]\ndeny_tools = ['l?s', 'm[oö]s']\n";
    let records = [
        r#"{"tool":"lös","agent":"x"}"#,
        r#"{"tool":"mös","agent":"x"}"#,
        r#"{"tool":"ls","agent":"x"}"#,
    ];
    let ran = replay(&records, policy, "").ends(1);
    assert_eq!(
        ran.decisions(),
        [
            "lös block privilege.tool",
            "mös block privilege.tool",
            "ls allow"
        ]
    );
}

#[test]
fn a_chat_with_one_odd_message_keeps_its_calls() {
    let chat = r#"{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"weird"}]}"#;
    let ran = replay(&[chat], "", "").ends(2);
    assert_eq!(ran.decisions(), ["f allow"]);
    assert_eq!(ran.summary()["inputs"][0]["format"], "openai_chat");
}

#[test]
fn nothing_to_verify_is_no_success() {
    let scratch = Scratch::new();
    scratch.file("s.json", r#"{"states":[{}],"actions":[]}"#);
    let ran = scratch.gate("verify-barriers s.json").ends(2);
    assert!(ran.out.contains("VACUOUS"));
    scratch.gate("verify-barriers s.json --allow-empty").ends(0);
    scratch.file("t.jsonl", "{\"tool\":\"x\"}\n");
    scratch
        .gate("replay t.jsonl --json -")
        .ends(2)
        .says("`-` is no file");
}

#[test]
fn a_faulty_transition_costs_itself_alone() {
    let scratch = Scratch::new();
    let good = r#"{"state":{},"action":"a"}"#;
    for bad in [
        "{bad",
        r#"{"state":{"step_count":"3"},"action":"a"}"#,
        r#"{"state":{}}"#,
    ] {
        scratch.file("s.jsonl", format!("{good}\n{bad}\n{good}\n"));
        let ran = scratch
            .gate("verify-barriers s.jsonl --format json")
            .ends(2);
        let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(report["total_checks"], 2, "{bad}");
        assert_eq!(report["notices"][0]["line"], 2, "{bad}");
        scratch
            .gate("verify-barriers s.jsonl --allow-faults")
            .ends(0);
    }
}
