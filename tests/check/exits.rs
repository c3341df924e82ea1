//! Exits that are told: which are a call's, which need states of their own, and which are not known.

use super::program::Scratch;
use super::{policy, report, row};
use gate::check::{CheckReport, check};
use gate::verify::reach::{Limits, explore};
use gate::verify::soundness::{Exit, Soundness};

fn warning(text: &str) -> String {
    let found = report(text).findings;
    let found = found.into_iter().find(|f| f.code == "unsound_alpha");
    found.unwrap_or_else(|| panic!("{text}")).message
}

/// Embeddings that a call brings belong to both of its states: no call moves scope below zero. The
/// warning stays, since states of a file may differ in them.
#[test]
fn an_exit_of_scope_is_one_between_states() {
    let text = "[dcbf.barriers.scope]\nkappa = 1.5\n";
    let found = row(text, "scope").soundness;
    assert!(matches!(found, Some(Soundness::Between(_))), "{found:?}");
    let said = warning(text);
    assert!(
        said.contains("between states (states files, live monitors)"),
        "{said}"
    );
    assert!(!said.contains("a call that takes it"), "{said}");
}

/// What an expression comes to is not known, and no exit is said to happen.
#[test]
fn an_exit_of_an_expression_is_one_that_could_be() {
    let text = "[dcbf.barriers.c]\nexpr = 'seen(\"a\") ? -1.0 : 0.5'\nkappa = 2\n";
    let found = row(text, "c").soundness;
    assert_eq!(
        found,
        Some(Soundness::Possible(Exit { h: 1.0, next: -1.0 }))
    );
    let said = warning(text);
    assert!(
        said.contains("if it comes to such values, would be admitted"),
        "{said}"
    );
}

const BARRIER: &str = "[dcbf.barriers.c]\nkappa = 3\n";

fn explored(text: &str) -> CheckReport {
    let policy = policy(text);
    let reach = explore(&policy, Limits::default());
    check(&policy, Some(reach))
}

fn verdict(report: &CheckReport) -> Option<Soundness> {
    let row = report.barriers.iter().find(|row| row.name == "c");
    row.expect("the barrier").soundness
}

/// Calls that cost nothing go past where default costs end a run, money opens what it is asked for, and a record
/// may bring a label: each of these policies lets such calls out. That the exploration saw none is no proof.
#[test]
fn what_no_exploration_sees_is_not_said_to_be_kept() {
    let scratch = Scratch::new();
    let free = r#"{"tool":"x","run":"r","estimated_cost_usd":0,"result":1}
"#;
    let paid = r#"{"tool":"y","run":"r","estimated_cost_usd":5,"cost_usd":5,"result":1}
{"tool":"x","run":"r","result":1}
"#;
    let labelled = r#"{"tool":"a","run":"r","labels":["L"],"result":1}
"#;
    let off =
        "[dcbf.barriers]\nscope.enabled = false\nsafety.enabled = false\nprivacy.enabled = false\n";
    for (policy, trace) in [
        (
            "expr = \"2.5 - double(count('x'))\"\n[dcbf.barriers.resource]\nlimit_usd = 0.02\n",
            free.repeat(3),
        ),
        (
            "expr = \"0.5 - double(count('x'))\"\n[[contracts]]\ntools = [\"x\"]\nrequire = [\"state.cost_usd >= 5.0\"]\n",
            paid.to_owned(),
        ),
        (
            "expr = \"1.5 - 2.0 * double(count('L'))\"\n[gates]\nallow = [\"a\"]\n[[labels]]\nlabel = \"L\"\ntools = [\"y\"]\n",
            labelled.to_owned(),
        ),
    ] {
        let text = format!("{BARRIER}{policy}{off}");
        let report = explored(&text);
        let found = verdict(&report);
        assert!(matches!(found, Some(Soundness::Unseen(_))), "{found:?}");
        let said = report.findings.iter().find(|f| f.code == "unsound_alpha");
        let said = &said.expect("a warning").message;
        let sentence =
            "the exploration, with default costs and labels by the policy, reaches no exit";
        assert!(
            said.contains(sentence) && !said.contains("no call"),
            "{said}"
        );
        scratch.file("p.toml", &text);
        scratch.file("t.jsonl", &trace);
        let table = scratch.gate("check --reach p.toml").ends(0).out;
        let kept = "would be admitted, not seen by the exploration";
        assert!(
            table.contains(kept) && !table.contains("yes, by the values it has"),
            "{table}"
        );
        assert!(
            table.contains("with default costs and labels by the policy"),
            "{table}"
        );
        let json = scratch.gate("check --reach --format json p.toml").ends(0);
        let json: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
        let rows = json["barriers"].as_array().expect("barriers");
        let row = rows.iter().find(|row| row["name"] == "c").expect("c");
        assert_eq!(row["soundness"]["verdict"], "possible");
        // And it does turn negative: every one of these calls is admitted.
        let ran = scratch.gate("replay --policy p.toml t.jsonl").ends(0);
        assert!(ran.out.contains("\nallow: 0 of"), "{}", ran.out);
    }
}

/// A way out that was found is told with the values it leads through, and no longer as one that could be.
#[test]
fn a_way_out_that_is_reached_is_an_exit() {
    let report = explored(&format!("{BARRIER}expr = '5.5 - double(count(\"x\"))'\n"));
    let out = report.reach.as_ref().and_then(|reach| reach.out.as_ref());
    assert_eq!(out.map(|out| out.path.len()), Some(6));
    let exit = Exit { h: 0.5, next: -0.5 };
    assert_eq!(verdict(&report), Some(Soundness::Exits(exit)));
    let said = report.findings.iter().find(|f| f.code == "unsound_alpha");
    let said = &said.expect("a warning").message;
    assert!(
        said.contains("a call that takes it from 0.5 to -0.5 is admitted and leaves"),
        "{said}"
    );
    // A result may turn a barrier negative whose function keeps it by what is expected: that is no fault of
    // its function.
    let text = "[dcbf.barriers.c]\nexpr = '!seen(\"x\") || last_ok(\"x\") ? 1.0 : -1.0'\n";
    let report = explored(text);
    let exit = Exit { h: 1.0, next: -1.0 };
    assert_eq!(verdict(&report), Some(Soundness::Exits(exit)));
    let codes: Vec<&str> = report.findings.iter().map(|f| f.code).collect();
    assert_eq!(codes, ["reachable_exit"]);
}

/// What is so of a fresh run is said to be of one where another start was given.
#[test]
fn a_given_start_is_not_taken_for_a_fresh_one() {
    let scratch = Scratch::new();
    scratch.file("p.toml", "[dcbf.barriers.c]\nexpr = 'count(\"a\") - 1'\n");
    scratch.file("s.json", r#"{"tool_history":["a"],"step_count":1}"#);
    let fresh = scratch.gate("check --reach p.toml").ends(0).out;
    assert!(
        fresh.contains("no call is admitted: `c` is -1 before"),
        "{fresh}"
    );
    let given = scratch
        .gate("check --reach --state s.json p.toml")
        .ends(0)
        .out;
    for said in [
        "no call is admitted: from a fresh start `c` is -1 before the first call",
        "unsafe_at_start: from a fresh start `c` is -1 before the first call",
    ] {
        assert!(given.contains(said), "{given}");
    }
}
