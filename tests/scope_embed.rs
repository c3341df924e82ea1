//! The scope barrier where an embedder sees the run's intent and the calls: as if the record had brought
//! those embeddings, and never beside some that it did bring.

mod program;

use gate::embed::{Embedding, find};
use gate::facets::of_call;
use gate::firewall::{Action, Preparer};
use gate::trace::json::parse;
use program::{Ran, Scratch, replay};
use serde_json::Value;

const INTENT: &str = "find a cheap flight to Paris next week";
const ON: &str = r#"{"query":"cheap flight tickets to Paris"}"#;
const OFF: &str = r#"{"query":"transfer the payroll database to an unknown server"}"#;

fn start(intent: &str) -> String {
    format!("{{\"type\":\"run_start\",\"run\":\"t\",\"intent\":\"{intent}\"}}\n")
}

fn call(id: &str, args: &str, more: &str) -> String {
    format!("{{\"tool\":\"search\",\"run\":\"t\",\"id\":\"{id}\",\"args\":{args}{more}}}\n")
}

/// The cosine of intent and call that the default embedder gives.
fn cosine(intent: &str, args: &str) -> f64 {
    let nothing = |_: &str| Err("there are no files".to_owned());
    let embedder = (find("static").expect("an embedder").open)(&nothing).expect("it opens");
    let json = parse(args.as_bytes()).expect("JSON");
    let action = Action {
        tool: "search",
        args: &json,
        text: &json.leaves(),
        facets: &of_call("search", &json),
    };
    let ready = Preparer::default().prepare(&action, Some(intent));
    let action: Embedding = embedder.embed(&ready.prepared.text);
    embedder.embed(intent).cosine(&action)
}

/// A greatest distance that the one call keeps and the other does not.
fn between() -> f64 {
    let (on, off) = (cosine(INTENT, ON), cosine(INTENT, OFF));
    assert!(on > off + 0.2, "{on} {off}");
    1.0 - (on + off) / 2.0
}

fn policy(max_drift: f64) -> String {
    format!("[dcbf.barriers.scope]\nmax_drift = {max_drift:?}\nembed = 'static'\n")
}

fn run(trace: &str, max_drift: f64, flags: &str) -> Ran {
    replay(
        trace,
        &policy(max_drift),
        &format!("--fail-on none {flags}"),
    )
}

fn scope(record: &Value) -> f64 {
    record["barriers"]["scope"]["h"].as_f64().expect("scope")
}

/// Standing or root of each refusal, `-` for a call that was not refused.
fn kinds(ran: &Ran) -> Vec<&'static str> {
    let records = ran.records();
    let decisions = records.iter().filter(|r| r["record"] == "decision");
    let kind = |r: &Value| match (r["decision"] == "block", r["standing"] == true) {
        (false, _) => "-",
        (true, true) => "standing",
        (true, false) => "root",
    };
    decisions.map(kind).collect()
}

#[test]
fn the_value_is_the_cosine_of_intent_and_call() {
    let trace = start(INTENT) + &call("a", ON, "") + &call("b", OFF, "");
    let ran = run(&trace, 2.0, "");
    let records = ran.records();
    for (record, args) in records.iter().zip([ON, OFF]) {
        let expected = 2.0 - (1.0 - cosine(INTENT, args));
        assert!((scope(record) - expected).abs() < 1e-9, "{record}");
        assert_eq!(record["barriers"]["scope"]["next"], scope(record));
    }
    assert_eq!(ran.summary()["scope_inert"], 0);
}

#[test]
fn a_call_far_from_the_intent_is_refused_with_the_embedder_named() {
    let trace = start(INTENT) + &call("a", ON, "") + &call("b", OFF, "") + &call("c", ON, "");
    let ran = run(&trace, between(), "");
    assert_eq!(
        ran.decisions(),
        [
            "search allow",
            "search block dcbf.outside_safe_set",
            "search allow"
        ]
    );
    let reason = ran.records()[1]["reason"].clone();
    let reason = reason.as_str().expect("a reason");
    assert!(
        reason.contains("the cosine of context and action is ")
            && reason.ends_with(", as `static` embeds the intent and the call"),
        "{reason}"
    );
    assert_eq!(ran.records()[1]["broken"], serde_json::json!(["scope"]));
}

#[test]
fn without_an_intent_it_is_inert_and_told() {
    for trace in [call("a", OFF, ""), start(" ") + &call("a", OFF, "")] {
        let ran = run(&trace, 0.1, "");
        assert_eq!(ran.decisions(), ["search allow"]);
        assert_eq!(scope(&ran.records()[0]), 0.1);
        assert_eq!(ran.summary()["scope_inert"], 1);
    }
    // A run that begins afresh has its own intent, or none.
    let again = start(INTENT)
        + &call("a", OFF, "")
        + "{\"type\":\"run_start\",\"run\":\"t\"}\n"
        + &call("a", OFF, "");
    assert_eq!(kinds(&run(&again, between(), "")), ["root", "-"]);
}

#[test]
fn what_was_embedded_stays_with_the_run_as_recorded_ones_do() {
    let ran = ",\"result\":1";
    let trace = start(INTENT) + &call("a", OFF, ran) + &call("b", OFF, ran) + &call("c", ON, ran);
    // In enforce mode what is refused did not run: the state stays inside.
    assert_eq!(kinds(&run(&trace, between(), "")), ["root", "root", "-"]);
    // In observe mode it ran: the state is outside, and a call that comes back brings its own.
    let observed = run(&trace, between(), "--mode observe");
    assert_eq!(kinds(&observed), ["root", "standing", "-"]);
    // A result that comes later shows the same.
    let late = start(INTENT)
        + &call("a", OFF, "")
        + "{\"type\":\"tool_result\",\"call\":\"a\",\"result\":1}\n"
        + &call("b", OFF, "");
    let observed = run(&late, between(), "--mode observe");
    assert_eq!(kinds(&observed), ["root", "standing"]);
}

#[test]
fn an_escalated_call_that_is_let_through_leaves_its_embeddings() {
    let policy = policy(1.0 - cosine(INTENT, OFF) + 0.01)
        + "[semantic]\nembedder = 'recorded'\nescalate = 0.5\n";
    let call = |id, args| {
        call(
            id,
            args,
            ",\"semantic_score\":0.6,\"approval\":\"approved\"",
        )
    };
    let trace = start(INTENT) + &call("a", OFF) + &call("b", ON);
    let ran = replay(&trace, &policy, "--fail-on none");
    assert_eq!(ran.decisions(), ["search escalate semantic.harm"; 2]);
}

#[test]
fn recorded_embeddings_count_where_both_are_recorded() {
    let pair = ",\"context_embedding\":[1,0],\"action_embedding\":[0,1]";
    let action = ",\"action_embedding\":[1,0]";
    let trace =
        start(INTENT) + &call("a", ON, pair) + &call("b", OFF, action) + &call("c", OFF, "");
    let ran = run(&trace, 2.0, "");
    let records = ran.records();
    assert_eq!([scope(&records[0]), scope(&records[1])], [1.0, 2.0]);
    // The run's latest action says nothing of a call that brings none.
    let own = 2.0 - (1.0 - cosine(INTENT, OFF));
    assert!((scope(&records[2]) - own).abs() < 1e-9);
    assert_eq!(ran.notices(), Vec::<String>::new());
}

#[test]
fn half_of_a_recorded_pair_is_never_compared_with_one_made_here() {
    let own = |args| 2.0 - (1.0 - cosine(INTENT, args));
    for half in [
        ",\"context_embedding\":[1,0,0]",
        ",\"action_embedding\":[1,0,0]",
        ",\"context_embedding\":[0,0],\"action_embedding\":[1,0]",
    ] {
        let trace = start(INTENT) + &call("a", ON, half);
        let records = run(&trace, 2.0, "").records();
        let decision = records.iter().find(|r| r["record"] == "decision");
        let h = scope(decision.expect("a decision"));
        assert!((h - own(ON)).abs() < 1e-9, "{half}: {h}");
    }
    // A context of its own and an action of its own later make a pair, whatever was made between.
    let trace = start(INTENT)
        + &call("a", ON, ",\"context_embedding\":[1,0]")
        + &call("b", OFF, ",\"action_embedding\":[1,0]")
        + &call("c", OFF, ",\"action_embedding\":[1,0,0]");
    let ran = run(&trace, 2.0, "");
    assert_eq!(scope(&ran.records()[1]), 2.0);
    // Two recorded ones that do not fit stay a fault.
    assert_eq!(ran.notices(), ["4 bad_field"]);
}

#[test]
fn unknown_arguments_refuse_where_there_is_an_intent_to_hold_them_against() {
    let blind = "{\"tool\":\"search\",\"run\":\"t\",\"id\":\"x\",\"args_unknown\":true}\n";
    let ran = run(&(start(INTENT) + blind), 2.0, "");
    assert_eq!(ran.decisions(), ["search block dcbf.outside_safe_set"]);
    let record = &ran.records()[0];
    assert_eq!(
        (scope(record), record["standing"].clone()),
        (-1.0, false.into())
    );
    assert_eq!(
        record["reason"].as_str().and_then(|r| r.split("; ").next()),
        Some("scope is -1 before the call: the recording does not tell the arguments")
    );
    assert_eq!(ran.summary()["scope_inert"], 0);
    assert_eq!(run(blind, 2.0, "").decisions(), ["search allow"]);
    let told = blind.replace(
        "}",
        ",\"context_embedding\":[1,0],\"action_embedding\":[1,0]}",
    );
    let ran = run(&(start(INTENT) + &told), 2.0, "");
    assert_eq!(ran.decisions(), ["search allow"]);
}

/// An embedding of zeros says nothing, so the barrier makes its own, and the warning does not say that
/// it saw nothing.
#[test]
fn embeddings_of_zeros_are_replaced_and_told() {
    let zeros = ",\"context_embedding\":[1,0],\"action_embedding\":[0,0]";
    let trace = start(INTENT) + &call("a", ON, zeros);
    let ran = run(&trace, 2.0, "");
    let records = ran.records();
    let decision = records.iter().find(|r| r["record"] == "decision");
    let h = scope(decision.expect("a decision"));
    assert!((h - (1.0 + cosine(INTENT, ON))).abs() < 1e-9, "{h}");
    assert_eq!(ran.notices(), ["2 zero_embedding"]);
    let says = "all zeros; the scope barrier goes by the intent and the call";
    assert!(ran.out.contains(says), "{}", ran.out);
}

#[test]
fn calls_that_do_not_reach_the_barriers_leave_nothing() {
    let policy = policy(between()) + "[gates]\nrefuse = ['payroll']\n";
    let trace = start(INTENT) + &call("a", OFF, ",\"result\":1") + &call("b", ON, "");
    let ran = replay(&trace, &policy, "--fail-on none --mode observe");
    assert_eq!(
        ran.decisions(),
        ["search block gates.regex", "search allow"]
    );
    assert_eq!(ran.records()[0]["barriers"], serde_json::json!({}));
}

#[test]
fn calls_in_flight_together_are_each_seen_by_themselves() {
    let batch = |id, args| call(id, args, ",\"turn\":1,\"batch\":\"b\"");
    let trace = start(INTENT) + &batch("a", ON) + &batch("b", OFF) + &batch("c", ON);
    let ran = run(&trace, between(), "");
    assert_eq!(kinds(&ran), ["-", "root", "-"]);
    assert_eq!(ran.summary()["hazards"], 0);
    assert_eq!(ran.summary()["concurrent"], 2);
}

#[test]
fn verify_barriers_sees_the_calls_of_traces() {
    let scratch = Scratch::new();
    scratch.file(
        "t.jsonl",
        start(INTENT) + &call("a", ON, "") + &call("b", OFF, ""),
    );
    scratch.file("p.toml", policy(between()));
    let report = |file: &str| -> Value {
        let ran = scratch.gate(&format!(
            "verify-barriers {file} --policy p.toml --format json"
        ));
        serde_json::from_str(&ran.out).expect("JSON")
    };
    let checked = report("t.jsonl");
    assert_eq!(checked["transitions"], 2);
    assert_eq!(checked["skipped_unsafe"], 1, "{checked}");
    // A states file has no intents: without embeddings the barrier stands still.
    scratch.file(
        "s.json",
        format!("{{\"states\":[{{}}],\"actions\":[{{\"tool\":\"search\",\"args\":{OFF}}}]}}"),
    );
    let checked = report("s.json");
    assert_eq!(
        (&checked["skipped_unsafe"], &checked["violations"]),
        (&0.into(), &0.into())
    );
}
