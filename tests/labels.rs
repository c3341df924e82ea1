//! What a user of a policy with label rules sees of them: which calls got which labels, in every
//! report.

mod program;

use program::{Ran, Scratch};
use serde_json::{Value, json};

const TRACE: &str = r#"
{"tool":"Bash","args":{"command":"curl https://a.example"},"error":false}
{"tool":"Bash","args":{"command":"ls"},"error":false}
{"tool":"WebFetch","args":{"url":"https://b.example"},"labels":["zoo","slow"],"error":false}
{"tool":"Bash","args_unknown":true,"error":false}
"#;

const POLICY: &str = r#"
[[labels]]
label = "web"
tools = ["WebFetch", "Bash"]
when = 'call.hosts.size() > 0'
[[labels]]
label = "any"
tools = ["web"]
[[labels]]
label = "never"
tools = ["nothing"]
"#;

fn report(policy: &str, flags: &str) -> Ran {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", TRACE);
    scratch.file("p.toml", policy);
    scratch.gate(&format!(
        "replay t.jsonl --policy p.toml --fail-on none {flags}"
    ))
}

fn decisions(ran: &Ran) -> Vec<Value> {
    let mut records = ran.records();
    records.retain(|r| r["record"] == "decision");
    records
}

#[test]
fn every_decision_carries_its_labels_sorted() {
    let ran = report(POLICY, "--format jsonl").ends(0);
    let labels: Vec<_> = decisions(&ran)
        .iter()
        .map(|d| d["labels"].clone())
        .collect();
    assert_eq!(
        labels,
        [
            json!(["any", "web"]),
            json!([]),
            json!(["any", "slow", "web", "zoo"]),
            // What a rule could not decide counts as labelled, and the call is not let through.
            json!(["any", "web"]),
        ]
    );
    let last = decisions(&ran).pop().expect("a decision");
    assert_eq!(
        (&last["decision"], &last["rule"]),
        (&"error".into(), &"label".into())
    );
}

#[test]
fn the_summary_counts_them_by_label_and_tool() {
    let summary = report(POLICY, "--format jsonl").summary();
    assert_eq!(
        summary["labels"],
        json!({"any": 3, "never": 0, "slow": 1, "web": 3, "zoo": 1})
    );
    assert_eq!(
        summary["labels_by_tool"],
        json!({
            "any": {"Bash": 2, "WebFetch": 1},
            "never": {},
            "slow": {"WebFetch": 1},
            "web": {"Bash": 2, "WebFetch": 1},
            "zoo": {"WebFetch": 1},
        })
    );
    assert!(
        summary["untrusted_fields"]
            .as_array()
            .expect("a list")
            .contains(&"labels".into())
    );
    // A filter leaves the counts alone.
    let filtered = report(POLICY, "--format jsonl --tool slow").summary();
    assert_eq!(filtered["labels"], summary["labels"]);
    let none = report("", "--format jsonl").summary();
    assert_eq!(none["labels"], json!({"slow": 1, "zoo": 1}));
}

#[test]
fn the_table_lists_them_in_the_report() {
    let table = report(POLICY, "").out;
    let section = "labels, with their calls by tool
  any 3: Bash 2, WebFetch 1
  web 3: Bash 2, WebFetch 1
  slow 1: WebFetch 1
  zoo 1: WebFetch 1
  on no call: never
";
    assert!(table.contains(section), "{table}");
    assert!(!table.contains("        labels "), "{table}");
    let shown = report(POLICY, "--show-labels").out;
    assert!(
        shown.contains("\n        labels any, slow, web, zoo\n"),
        "{shown}"
    );
    assert_eq!(shown.matches("\n        labels ").count(), 3, "{shown}");
}

#[test]
fn a_report_without_labels_has_no_section_of_them() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", "{\"tool\":\"a\"}\n");
    let table = scratch.gate("replay t.jsonl --show-labels").ends(0).out;
    assert!(!table.contains("labels"), "{table}");
}

#[test]
fn csv_has_a_column_for_them() {
    let csv = report(POLICY, "--format csv").out;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().expect("a header");
    let at = header.iter().position(|c| c == "labels").expect("a column");
    let rows = reader.records().map(|r| r.expect("a row"));
    let cells: Vec<_> = rows.map(|r| r[at].to_owned()).take(4).collect();
    assert_eq!(cells, ["any;web", "", "any;slow;web;zoo", "any;web"]);
}

/// Rules know a call by the id and the turn that it has in its run, its own or not.
#[test]
fn rules_ask_for_the_id_and_the_turn_of_a_call() {
    let policy = r#"
[[labels]]
label = "second"
when = 'call.id == "call-2" && call.turn == 2'
[[labels]]
label = "mine"
when = 'call.id == "own" && call.turn == 7'
"#;
    let trace = "{\"tool\":\"a\"}\n{\"tool\":\"a\"}\n{\"tool\":\"a\",\"id\":\"own\",\"turn\":7}\n";
    let ran = program::replay(trace, policy, "--fail-on none");
    let labels: Vec<Value> = decisions(&ran)
        .into_iter()
        .map(|d| d["labels"].clone())
        .collect();
    assert_eq!(labels, [json!([]), json!(["second"]), json!(["mine"])]);
}
