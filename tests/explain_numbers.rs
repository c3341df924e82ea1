//! Numbers that `gate explain` tells: written into the policy file as they are told they do what is told,
//! and what is said beside them is so.

mod program;

use program::explained::{MAIL, explained, flip, scratch, table, text};
use serde_json::Value;

/// The policy, which has floats alone, with the changes of a flip written into it.
fn edited(policy: &str, flip: &Value) -> String {
    let mut root: toml::Table = toml::from_str(policy).expect("TOML");
    for change in flip["changes"].as_array().expect("a list") {
        let mut parts: Vec<&str> = text(&change["key"]).split('.').collect();
        let key = parts.pop().expect("a key");
        let mut table = &mut root;
        for part in parts {
            let entry = table
                .entry(part)
                .or_insert_with(|| toml::Table::new().into());
            table = entry.as_table_mut().expect("a table");
        }
        let value = text(&change["to"]).parse::<f64>().expect("a number");
        table.insert(key.to_owned(), value.into());
    }
    let mut lines = Vec::new();
    write("", &root, &mut lines);
    lines.join("\n")
}

fn write(path: &str, table: &toml::Table, lines: &mut Vec<String>) {
    for (key, value) in table {
        let path = format!("{path}{key}");
        match value {
            toml::Value::Table(inner) => write(&format!("{path}."), inner, lines),
            value => lines.push(format!("{path} = {:?}", value.as_float().expect("a float"))),
        }
    }
}

const SCORED: &str = concat!(
    r#"{"tool":"bash","run":"b","id":"n1","args":{"cmd":"rm -rf / --no-preserve-root"},"result":"ok"}"#,
    "\n",
    r#"{"tool":"list_files","run":"b","id":"n3","args":{"dir":"src"},"result":"ok"}"#,
    "\n",
);

/// Calls without an intent go by thresholds of their own, which those of `[semantic]` take the place of
/// where the policy gives them: what is told is the threshold that decided, under the key that sets it,
/// and the edited file does what the replay said.
#[test]
fn thresholds_of_calls_without_an_intent_are_told_by_their_key() {
    let own = "[semantic]\nescalate = 0.2\nblock = 0.4\n";
    let both = format!("{own}[semantic.without_intent]\nescalate = 0.1\nblock = 0.3\n");
    let one = "[semantic]\nblock = 0.4\n";
    for (policy, key, from) in [
        (own, "semantic.block", "0.4"),
        (&both, "semantic.without_intent.block", "0.3"),
        (one, "semantic.block", "0.4"),
    ] {
        let scratch = scratch(SCORED, policy);
        let explained = explained(&scratch, "--call n1");
        let flip = &explained["flips"][0];
        assert_eq!(flip["changes"][0]["key"], key, "{explained}");
        assert_eq!(flip["changes"][0]["from"], from);
        assert_eq!(flip["replay"]["decision"], "allow");
        scratch.file("p.toml", edited(policy, flip));
        let again = self::explained(&scratch, "--call n1");
        assert_eq!(again["decision"]["decision"], "allow", "{again}");
    }
}

/// The other way round, where the threshold is the embedder's.
#[test]
fn a_default_of_calls_without_an_intent_refuses_where_it_is_lowered() {
    let scratch = scratch(SCORED, "[semantic]\n");
    let explained = explained(&scratch, "--call n3");
    let key = "semantic.without_intent.escalate";
    let (to, replay) = flip(&explained, key);
    assert_eq!(replay["decision"], "escalate", "{explained}");
    let policy = format!("[semantic.without_intent]\nescalate = {to}\n");
    scratch.file("p.toml", policy);
    let again = self::explained(&scratch, "--call n3");
    assert_eq!(again["decision"]["decision"], "escalate");
}

/// A run that was stopped for its refusals goes by their number.
#[test]
fn a_run_that_was_rejected_goes_by_its_refusals() {
    let scratch = scratch(MAIL, "[dfa]\nmax_refusals = 2\n");
    let explained = explained(&scratch, "--call c5");
    assert_eq!(explained["decision"]["rule"], "rejected");
    let (to, replay) = flip(&explained, "dfa.max_refusals");
    assert_eq!((to, &replay["decision"]), ("3", &"allow".into()));
    assert_eq!(explained["flips"][0]["changes"][0]["policy_line"], 2);
    assert_eq!(explained["turned_by"], "one_number");
}

/// A budget of time ended the run with an earlier call, and this one has no time.
#[test]
fn a_run_that_ran_out_of_time_goes_by_its_timeout() {
    let at = |id: &str, ts: &str| {
        format!("{{\"tool\":\"search\",\"run\":\"r\",\"id\":\"{id}\"{ts},\"result\":1}}\n")
    };
    let trace = [
        at("c1", ",\"ts\":1000"),
        at("c2", ",\"ts\":1009.5"),
        at("c3", ""),
    ];
    let scratch = scratch(&trace.concat(), "[dfa]\ntimeout_seconds = 5\n");
    let explained = explained(&scratch, "--call c3");
    assert_eq!(explained["decision"]["rule"], "exhausted");
    let (to, replay) = flip(&explained, "dfa.timeout_seconds");
    assert_eq!((to, &replay["decision"]), ("9.5", &"allow".into()));
}

/// So great a power that alpha is no number: less of the budget makes it one.
#[test]
fn less_of_a_budget_makes_alpha_a_number() {
    let policy = "[dcbf.barriers.stability]\npower = 400.0\n";
    let scratch = scratch(MAIL, policy);
    let explained = explained(&scratch, "--call c1");
    let (to, replay) = flip(&explained, "dcbf.barriers.stability.step_budget");
    assert_eq!((to, &replay["decision"]), ("5", &"allow".into()));
}

/// With a kappa above 1 values far away overflow: the margin that is enough is found all the same.
#[test]
fn a_margin_is_found_under_a_great_kappa() {
    let trace = concat!(
        r#"{"tool":"search","run":"r","id":"c1","result":"ok","cost_usd":3}"#,
        "\n",
        r#"{"tool":"search","run":"r","id":"c2","result":"ok","cost_usd":0.02}"#,
        "\n",
    );
    let policy = "[dcbf]\nkappa = 1.5\n[dcbf.barriers.resource]\nlimit_usd = 1\n";
    let scratch = scratch(trace, policy);
    let explained = explained(&scratch, "--call c2 --mode observe");
    let (to, replay) = flip(&explained, "dcbf.barriers.resource.margin");
    assert!(to.starts_with("-2.00666666"), "{to}");
    assert_eq!(replay["decision"], "allow");
}

const RECORDED: &str = "[semantic]\nembedder = \"recorded\"\nescalate = 0.5\nblock = 0.9\n";

/// An escalation that somebody approved lets a call through: the threshold of blocking alone turns it.
#[test]
fn an_approval_makes_an_escalation_enough() {
    let trace = "{\"tool\":\"mail\",\"run\":\"r\",\"id\":\"z\",\"semantic_score\":0.95,\"approval\":\"approved\",\"result\":1}\n";
    let scratch = scratch(trace, RECORDED);
    let explained = explained(&scratch, "--call z");
    let flips = explained["flips"].as_array().expect("a list");
    assert_eq!(flips[0]["changes"].as_array().map(Vec::len), Some(1));
    assert_eq!(flips[0]["changes"][0]["key"], "semantic.block");
    assert_eq!(flips[0]["replay"]["decision"], "escalate");
    assert_eq!(flips[0]["replay"]["admitted"], true);
    assert_eq!(flips[0]["replay"]["stopped_by"], Value::Array(Vec::new()));
    assert_eq!(explained["turned_by"], "one_number");
}

/// What somebody decided is told, and an escalation that they let through is none that would have
/// stopped the call.
#[test]
fn approvals_are_told() {
    let scored = |id: &str, more: &str| {
        format!(
            "{{\"tool\":\"send_email\",\"run\":\"r\",\"id\":\"{id}\",\"semantic_score\":0.6{more}}}\n"
        )
    };
    let decided = |id: &str, word: &str| {
        format!(
            "{{\"type\":\"approval\",\"run\":\"r\",\"call\":\"{id}\",\"decision\":\"{word}\"}}\n"
        )
    };
    let trace = [
        scored("a", ",\"approval\":\"approved\",\"result\":1"),
        scored("b", ""),
        decided("b", "expired"),
        scored("c", ",\"approval\":\"approved\",\"result\":1"),
        scored("d", ",\"approval\":\"approved\",\"result\":1"),
        scored("e", ""),
        decided("e", "approved"),
        scored("f", ""),
    ];
    let scratch = scratch(&trace.concat(), RECORDED);
    for (id, approval, also) in [
        ("a", "approved", 0),
        ("b", "expired", 0),
        ("d", "approved", 0),
        ("e", "approved", 0),
        ("f", "", 1),
    ] {
        let explained = explained(&scratch, &format!("--call {id}"));
        assert_eq!(text(&explained["approval"]), approval, "{explained}");
        let others = explained["also"].as_array().map(Vec::len);
        assert_eq!(others, Some(also), "{id}: {explained}");
        let shown = table(&scratch, &format!("--call {id}"));
        let says = format!("approval: {approval}");
        assert_eq!(shown.contains(&says), !approval.is_empty(), "{shown}");
    }
}

/// Numbers are told together where they let the call through and none alone does, and never else.
#[test]
fn nothing_is_told_together_that_turns_nothing() {
    let policy = "[dcbf.barriers.bad]\nexpr = '1 / (state.step_count - 2)'\n";
    let scratch = scratch(MAIL, policy);
    let explained = explained(&scratch, "--call c2");
    assert_eq!(explained["decision"]["decision"], "block");
    assert_eq!(explained["together"], Value::Null);
    assert_eq!(explained["turned_by"], "not_found", "{explained}");
}

/// What lowered a barrier is the call that did it, when it settled and not when another one came; of a
/// batch each for itself.
#[test]
fn what_lowered_a_barrier_is_the_call_that_did() {
    let late = concat!(
        r#"{"tool":"send_email","run":"r","id":"c1","turn":1}"#,
        "\n",
        r#"{"tool":"send_email","run":"r","id":"c2","turn":1}"#,
        "\n",
        r#"{"type":"tool_result","run":"r","call":"c1","result":"ok","cost_usd":1}"#,
        "\n",
        r#"{"tool":"search","run":"r","id":"c3","turn":1,"result":"ok"}"#,
        "\n",
        r#"{"type":"tool_result","run":"r","call":"c2","result":"ok","cost_usd":2}"#,
        "\n",
        r#"{"tool":"search","run":"r","id":"c4","turn":2,"result":"ok"}"#,
        "\n",
    );
    let batch = concat!(
        r#"{"tool":"send_email","run":"r","turn":1,"batch":"b","id":"m1","result":1}"#,
        "\n",
        r#"{"tool":"send_email","run":"r","turn":1,"batch":"b","id":"m2","result":1}"#,
        "\n",
        r#"{"tool":"send_email","run":"r","turn":1,"batch":"b","id":"m3","result":1}"#,
        "\n",
        r#"{"tool":"think","run":"r","turn":2,"id":"c4"}"#,
        "\n",
    );
    let seen = concat!(
        r#"{"tool":"search","run":"r","id":"c1","result":"ok"}"#,
        "\n",
        r#"{"tool":"read_file","run":"r","id":"c2","result":"ok","context_embedding":[1,0],"action_embedding":[0.31,0.95]}"#,
        "\n",
        r#"{"tool":"list","run":"r","id":"c4","result":"ok"}"#,
        "\n",
    );
    for (trace, barrier, by) in [
        (late, "privacy", &[1, 2][..]),
        (late, "resource", &[1, 2]),
        (batch, "privacy", &[1, 2, 3]),
        (seen, "scope", &[2]),
    ] {
        let scratch = scratch(trace, "");
        let explained = explained(&scratch, "--call c4");
        let mut barriers = explained["barriers"].as_array().expect("a list").iter();
        let standing = barriers.find(|standing| standing["barrier"] == barrier);
        let standing = standing.expect("a barrier");
        let calls = standing["lowered_by"].as_array().expect("a list");
        let calls: Vec<u64> = calls.iter().filter_map(|by| by["seq"].as_u64()).collect();
        assert_eq!(calls, by, "{barrier}: {standing}");
        assert_eq!(standing["lowered"], by.len() as u64);
        let last = &standing["lowered_by"][by.len() - 1]["to"];
        assert_eq!(*last, standing["h"], "{standing}");
    }
}

/// A call that is recorded after the end of its run has that run behind it.
#[test]
fn a_call_after_the_end_has_its_run_behind_it() {
    let trace = format!(
        "{MAIL}{{\"type\":\"run_end\",\"run\":\"r\",\"status\":\"answered\"}}\n\
         {{\"tool\":\"search\",\"run\":\"r\",\"id\":\"c9\",\"result\":1}}\n"
    );
    let explained = explained(&scratch(&trace, ""), "--call c9");
    assert_eq!(explained["earlier_calls"], 5, "{explained}");
    assert_eq!(explained["earlier_refused"], 2);
    let history = explained["barriers"][1]["history"].as_array();
    assert_eq!(history.map(Vec::len), Some(6), "{explained}");
}

/// Doubts about the policy stand in this report as in the others, and a default has no line.
#[test]
fn the_policy_is_told_as_it_stands() {
    let policy =
        "[dcbf]\npower = 0.5\n[dfa]\nmax_repeats = 9\n[dcbf.barriers.resource]\nlimit_usd = 1000\n";
    let trace =
        "{\"tool\":\"search\",\"run\":\"r\",\"id\":\"c1\",\"estimated_cost_usd\":0.000000001}\n";
    let scratch = scratch(trace, policy);
    let explained = explained(&scratch, "--call c1");
    let warnings = explained["policy"]["warnings"].as_array().expect("a list");
    assert!(
        warnings
            .iter()
            .any(|warning| warning["code"] == "unsound_alpha")
    );
    assert!(table(&scratch, "--call c1").contains("unsound_alpha"));
    for flip in explained["flips"].as_array().expect("a list") {
        let change = &flip["changes"][0];
        let line = match text(&change["key"]) {
            "dcbf.barriers.resource.limit_usd" => 6.into(),
            _ => Value::Null,
        };
        assert_eq!(change["policy_line"], line, "{flip}");
    }
}

/// Slack in calls of money is counted in billionths of a dollar.
#[test]
fn slack_of_money_is_exact() {
    let trace =
        "{\"tool\":\"search\",\"run\":\"r\",\"id\":\"c1\",\"estimated_cost_usd\":0.000000001}\n";
    let explained = explained(&scratch(trace, ""), "--call c1");
    let resource = &explained["barriers"][2];
    assert_eq!(resource["barrier"], "resource");
    assert_eq!(resource["slack_calls"].as_f64(), Some(9_999_999_999.0));
}

/// The ends of a long course are those of its first and its last call, whatever bars stand between.
#[test]
fn the_ends_of_a_course_are_told() {
    let call =
        |n: u64| format!("{{\"tool\":\"search\",\"run\":\"r\",\"id\":\"c{n}\",\"result\":1}}\n");
    let trace: String = (1..=300).map(call).collect();
    let policy = "[dfa]\nmax_steps = 1000\n[dcbf.barriers.stability]\nstep_budget = 1000\n";
    let shown = table(&scratch(&trace, policy), "--call c300");
    assert!(shown.contains("  1000 to 701\n"), "{shown}");
}

/// An input that cannot be read is said to be so, as other commands say it.
#[test]
fn an_input_that_cannot_be_read_is_told() {
    let told = scratch("", "").gate("explain none.jsonl --call c1").ends(2);
    let says = "`none.jsonl` cannot be read";
    assert!(told.err.contains(says), "{}", told.err);
}

/// What calls in flight do together, and what the record says otherwise, stand in the table too.
#[test]
fn hazards_and_drift_are_told() {
    let call = |id: &str| {
        format!(
            "{{\"tool\":\"send_email\",\"run\":\"r\",\"turn\":1,\"id\":\"{id}\",\"decision\":\"block\"}}\n"
        )
    };
    let trace: String = ["a", "b", "c"].iter().map(|id| call(id)).collect();
    let shown = table(&scratch(&trace, ""), "--call c");
    assert!(shown.contains("drift: recorded block"), "{shown}");
    assert!(shown.contains("batch hazard: "), "{shown}");
    assert!(shown.contains("by privacy"), "{shown}");
}
