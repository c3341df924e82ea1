//! Calls whose arguments the recording does not tell: what looks at arguments cannot be evaluated and
//! lets nothing through, what does not is judged as usual, and it is told.

mod program;

use gate::policy::expr::names::VARIABLES;
use program::{Scratch, replay};

const UNKNOWN: &str = r#"{"tool":"a","agent":"ops","args_unknown":true}"#;
const KNOWN: &str = r#"{"tool":"a","agent":"ops","args":{}}"#;

/// The decisions on a call without arguments, and on the same one with none to tell.
fn both(policy: &str) -> [String; 2] {
    [UNKNOWN, KNOWN].map(|call| replay(call, policy, "--fail-on none").decisions()[0].clone())
}

#[test]
fn every_expression_that_needs_arguments_fails_to_evaluate() {
    let mut tried = 0;
    for (name, variable) in VARIABLES {
        if !name.starts_with("call.") {
            assert!(!variable.needs_arguments(), "{name}");
            continue;
        }
        // Lists and texts, but for arguments themselves and numbers.
        let condition = match *name {
            "call.args" => "has(call.args.path)".to_owned(),
            "call.turn" | "call.estimated_cost_usd" => format!("{name} < 0"),
            name => format!("size({name}) == 100"),
        };
        let resources = "[resources]\na = 'args.path'\n";
        let require =
            format!("{resources}[[contracts]]\ntools = ['a']\nrequire = ['!({condition})']\n");
        let label = format!("{resources}[[labels]]\nlabel = 'l'\nwhen = '{condition}'\n");
        let expected = match variable.needs_arguments() {
            true => ["a error contracts.require", "a error"],
            false => ["a allow", "a allow"],
        };
        assert_eq!(both(&require), [expected[0], "a allow"], "{condition}");
        assert_eq!(both(&label), [expected[1], "a allow"], "{condition}");
        tried += u32::from(variable.needs_arguments());
    }
    assert!(tried >= 8, "{tried}");
}

#[test]
fn the_reason_says_what_is_not_known() {
    let policy = "[[labels]]\nlabel = 'l'\nwhen = 'call.hosts.size() > 0'\n";
    let ran = replay(UNKNOWN, policy, "").ends(1);
    let decision = &ran.records()[0];
    assert_eq!(
        decision["reason"],
        "label `l` could not be evaluated: `call.hosts` is not known: the recording does not tell \
         the arguments"
    );
    assert_eq!(
        (&decision["rule"], &decision["stage"]),
        (&"label".into(), &serde_json::Value::Null)
    );
}

#[test]
fn a_condition_that_is_decided_without_them_is_decided() {
    for condition in [
        "call.tool == \"a\" || call.args.x == 1",
        "call.tool == \"b\" && call.args.x == 1 || true",
    ] {
        let policy = format!("[[contracts]]\ntools = ['a']\nrequire = ['{condition}']\n");
        assert_eq!(both(&policy)[0], "a allow", "{condition}");
    }
}

#[test]
fn a_postcondition_that_needs_them_withholds_the_result() {
    let call = r#"{"tool":"a","args_unknown":true,"result":"x"}"#;
    let policy = "[[contracts]]\ntools = ['a']\nensure = ['call.text != \"x\"']\n";
    assert_eq!(
        replay(call, policy, "").decisions(),
        ["a withhold contracts.ensure"]
    );
    let policy = "[[contracts]]\ntools = ['a']\nensure = ['result == \"x\"']\n";
    assert_eq!(replay(call, policy, "").decisions(), ["a allow"]);
}

#[test]
fn a_stage_that_needs_them_gives_an_error() {
    assert_eq!(
        both("[gates]\nrefuse = ['never']\n"),
        ["a error gates.regex", "a allow"]
    );
    // What refuses before, refuses.
    assert_eq!(
        both("[gates]\nallow = ['b']\nrefuse = ['never']\n"),
        ["a block gates.whitelist"; 2]
    );
    assert_eq!(both("[gates]\nwindow = 3\n"), ["a allow"; 2]);

    let agent = "[privilege.agents.ops]\nresources = ['/srv/*']\n";
    let found = format!("[resources]\na = 'args.path'\n{agent}");
    assert_eq!(both(&found), ["a error privilege.resource", "a allow"]);
    assert_eq!(
        both(agent),
        ["a allow"; 2],
        "the policy looks for none in the arguments"
    );
    let denied = format!("{found}deny_tools = ['a']\n");
    assert_eq!(both(&denied), ["a block privilege.tool"; 2]);
    let free = "[resources]\na = 'args.path'\n[privilege.agents.ops]\ntools = ['a']\n";
    assert_eq!(both(free), ["a allow"; 2]);
    // The record's own resources are known.
    let named = UNKNOWN.replace('}', ",\"resources\":[\"/srv/x\"]}");
    assert_eq!(replay(&named, &found, "").decisions(), ["a allow"]);

    let scratch = Scratch::new();
    scratch.file("any.json", "{}");
    scratch.file("t.jsonl", [UNKNOWN, KNOWN].join("\n"));
    scratch.file(
        "p.toml",
        "[[contracts]]\ntools = ['a']\nschema = 'any.json'\n",
    );
    let ran = scratch
        .gate("replay t.jsonl --policy p.toml --format jsonl")
        .ends(1);
    assert_eq!(ran.decisions(), ["a error contracts.schema", "a allow"]);
    assert_eq!(ran.records()[0]["policy_line"], 1);
}

#[test]
fn what_needs_none_is_judged_as_usual() {
    let policy = "
        [gates]
        allow = ['a']
        max_tokens = 10
        [dfa]
        max_steps = 3
        [privilege.agents.ops]
        tools = ['a']
        [[contracts]]
        tools = ['a']
        require = ['call.tool == \"a\" && state.step_count < 9']
        [semantic]
        embedder = 'recorded'
        ";
    assert_eq!(both(policy), ["a allow"; 2]);
    assert_eq!(both(""), ["a allow"; 2]);
    let calls = [UNKNOWN; 5].join("\n");
    let decisions = replay(calls, policy, "--fail-on none").decisions();
    assert_eq!(
        decisions[2..],
        ["a allow", "a block dfa.max_steps", "a block dfa.exhausted"]
    );
}

#[test]
fn unknown_arguments_may_be_a_repeat() {
    let policy = "[dfa]\nmax_repeats = 2\n";
    let calls = [UNKNOWN, KNOWN, UNKNOWN, UNKNOWN].join("\n");
    assert_eq!(
        replay(calls, policy, "").decisions()[1..],
        [
            "a allow",
            "a block dfa.max_repeats",
            "a block dfa.max_repeats"
        ]
    );
}

#[test]
fn unknown_is_not_the_same_as_empty() {
    let unknown = r#"{"tool":"a","id":"c","args_unknown":true}"#;
    let empty = r#"{"tool":"a","id":"c"}"#;
    let ran = replay([unknown, empty, unknown].join("\n"), "", "").ends(2);
    assert_eq!(
        ran.notices(),
        [
            "2 duplicate_call_id",
            "3 repeated_call",
            "1 unknown_arguments"
        ]
    );
}

#[test]
fn it_is_told_in_records_summary_and_once_a_run() {
    let calls = [UNKNOWN, UNKNOWN, KNOWN].join("\n");
    let ran = replay(&calls, "", "--show-args").ends(0);
    let records = ran.records();
    for (record, unknown) in records.iter().zip([true, true, false]) {
        assert_eq!(record["args_unknown"], unknown);
        assert_eq!(
            record["args"].is_null(),
            unknown,
            "nothing is shown for them"
        );
    }
    assert_eq!(ran.notices(), ["1 unknown_arguments"]);
    assert_eq!(
        records[3]["message"],
        "the recording does not tell the arguments of 2 calls; a rule that asks for them gives `error`, a barrier is -1"
    );
    assert_eq!(ran.summary()["unknown_arguments"], 2);
    let scratch = Scratch::new();
    scratch.file("t.jsonl", &calls);
    let table = scratch.gate("replay t.jsonl").ends(0).out;
    assert!(table.contains("arguments not known"), "{table}");
    assert!(
        table.contains("unknown arguments: 2 calls whose arguments"),
        "{table}"
    );
    let csv = scratch.gate("replay t.jsonl --format csv").out;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let at = reader
        .headers()
        .expect("a header")
        .iter()
        .position(|c| c == "args_unknown");
    let cells: Vec<_> = reader
        .records()
        .map(|r| r.expect("a row")[at.expect("a column")].to_owned())
        .collect();
    assert_eq!(cells[..3], ["true", "true", "false"]);
}

#[test]
fn arguments_beside_it_are_a_fault() {
    for given in [
        "\"args\":{}",
        "\"arguments\":{}",
        "\"input\":1",
        "\"argv\":[]",
        "\"payload\":\"\"",
    ] {
        let call = format!("{{\"tool\":\"a\",\"args_unknown\":true,{given}}}");
        let ran = replay(call, "", "").ends(2);
        assert_eq!(ran.notices(), ["1 bad_field"], "{given}");
        let call = format!("{{\"tool\":\"a\",\"args_unknown\":false,{given}}}");
        replay(call, "", "").ends(0);
    }
    assert_eq!(
        replay(r#"{"tool":"a","args_unknown":1}"#, "", "").notices(),
        ["1 bad_field"]
    );
    let ran = replay(r#"{"tool":"a","args_unknown":true,"args":null}"#, "", "").ends(0);
    assert_eq!(ran.records()[0]["args_unknown"], true);
}

#[test]
fn actions_of_a_states_file_may_leave_them_out_too() {
    let scratch = Scratch::new();
    let policy = "[[labels]]\nlabel = 'send_email'\nwhen = 'call.args.to != \"\"'\n";
    scratch.file("p.toml", policy);
    let check = |action: &str| {
        let file = format!(
            "{{\"states\":[{{\"tool_history\":[\"send_email\",\"send_email\"]}}],\"actions\":[{action}]}}"
        );
        scratch.file("s.json", file);
        scratch.gate("verify-barriers s.json --policy p.toml")
    };
    // The label is rather given than not.
    check(r#"{"tool":"a","args_unknown":true}"#).ends(1);
    check(r#"{"tool":"a","args":{"to":""}}"#).ends(0);
    check(r#"{"tool":"a","args_unknown":true,"args":{}}"#).ends(2);
}

#[test]
fn what_goes_beyond_what_is_read_fails_to_evaluate() {
    let mut line = String::new();
    let command = "( ".repeat(40) + "rm x" + &" )".repeat(40);
    gate::trace::json::write_string(&command, &mut line);
    let call = format!("{{\"tool\":\"Bash\",\"args\":{{\"command\":{line}}}}}");
    for facet in ["commands", "reads", "writes", "deletes", "urls", "hosts"] {
        let policy =
            format!("[[contracts]]\ntools = ['*']\nrequire = ['size(call.{facet}) == 0']\n");
        let ran = replay(&call, &policy, "--fail-on none");
        assert_eq!(ran.decisions(), ["Bash error contracts.require"], "{facet}");
        let why = "is not known: the command line goes beyond what is read";
        assert!(ran.out.contains(why), "{}", ran.out);
    }
    let policy = "[[contracts]]\ntools = ['*']\nrequire = ['call.text.contains(\"rm\")']\n";
    let ran = replay(&call, policy, "--fail-on none");
    assert_eq!(ran.decisions(), ["Bash allow"]);
}

/// A transition is tested against the barriers, whatever else would keep its call from running: a label
/// whose rule cannot be evaluated counts as given, in a trace as in a states file. A call that was not
/// simulated would otherwise count as one that was checked and held.
#[test]
fn barriers_are_verified_with_labels_that_cannot_be_worked_out() {
    let policy = "
        [[labels]]
        label = 'send_email'
        when = 'call.args.x > 1'
        [[labels]]
        label = 'http_request'
        tools = ['send_email']
        when = 'call.commands.size() > 0'
        [dcbf.barriers.privacy]
        budget = 0.1
        ";
    let calls = [
        (r#"{"tool":"a","args":{"x":5}}"#, 1),
        (r#"{"tool":"a","args":{"x":0}}"#, 0),
        (r#"{"tool":"a","args":{}}"#, 1),
        (r#"{"tool":"a","args":{"x":"text"}}"#, 1),
        (r#"{"tool":"a","args_unknown":true}"#, 1),
    ];
    let scratch = Scratch::new();
    scratch.file("p.toml", policy);
    for (call, violations) in calls {
        scratch.file("t.jsonl", call);
        let states = format!(r#"{{"states":[{{}}],"actions":[{call}]}}"#);
        scratch.file("s.json", states);
        for file in ["t.jsonl", "s.json"] {
            let ran = scratch.gate(&format!(
                "verify-barriers {file} --policy p.toml --fail-on none --format json"
            ));
            let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
            assert_eq!(report["total_checks"], 1, "{file} {call}");
            assert_eq!(report["violations"], violations, "{file} {call}");
            let privacy = &report["barriers"]["privacy"];
            assert_eq!(privacy["least_h"]["value"], 0.1, "{file} {call}");
            let slack = if violations == 1 { -0.1 } else { 0.1 };
            assert_eq!(privacy["least_slack"]["value"], slack, "{file} {call}");
        }
    }
    // A recording without any arguments, under a preset whose labels ask for them.
    let calls = [r#"{"run":"r","tool":"Bash","args_unknown":true,"result":"x","cost_usd":4}"#; 5];
    scratch.file("t.jsonl", calls.join("\n"));
    let ran = scratch.gate("verify-barriers t.jsonl --policy coding-agent --format json");
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_ne!(report["forward_invariant"], true, "{}", ran.out);
    assert!(
        report["barriers"]["resource"]["least_h"].is_object(),
        "{}",
        ran.out
    );
}
