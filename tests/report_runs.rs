//! Runs in the reports that tell of each: as many as the summary counts, whatever their beginnings, ends
//! and calls follow one another, and every call under one of them.

mod program;

use program::Scratch;
use roxmltree::Document;
use serde_json::Value;
use std::collections::BTreeSet;

const START: &str = r#"{"type":"run_start","run":"r"}"#;
const CALL: &str = r#"{"type":"tool_call","run":"r","tool":"t","args":{"q":"good"}}"#;
const REFUSED: &str = r#"{"type":"tool_call","run":"r","tool":"t","args":{"q":"bad"}}"#;
const END: &str = r#"{"type":"run_end","run":"r"}"#;

/// Every row of so many records.
fn rows(length: usize) -> Vec<Vec<&'static str>> {
    let Some(shorter) = length.checked_sub(1) else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for row in rows(shorter) {
        for record in [START, CALL, REFUSED, END] {
            all.push([&row[..], &[record]].concat());
        }
    }
    all
}

fn spans(report: &str) -> Vec<Value> {
    let requests = report
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let spans = requests.flat_map(|request: Value| {
        let spans = &request["resourceSpans"][0]["scopeSpans"][0]["spans"];
        spans.as_array().expect("a list").clone()
    });
    spans.collect()
}

/// All rows of up to four records, in one program each.
#[test]
fn reports_tell_of_the_runs_that_are_counted() {
    let scratch = Scratch::new();
    scratch.file("p.toml", "[gates]\nrefuse = [\"bad\"]\n");
    for row in (1..=4).flat_map(rows) {
        scratch.file("t.jsonl", row.join("\n") + "\n");
        let ran = scratch.gate(
            "replay t.jsonl --policy p.toml --format json --allow-empty --fail-on none --force \
             --junit j.xml --otlp o.jsonl",
        );
        let report: Value = serde_json::from_str(&ran.out).expect("JSON");
        let counts = &report["summary"]["counts"];
        let runs = counts["runs"].as_u64().expect("a count") as usize;
        let junit = scratch.read("j.xml").expect("a report");
        let document = Document::parse(&junit).expect("XML");
        let cases = document
            .descendants()
            .filter(|node| node.has_tag_name("testcase"));
        let of_runs =
            cases.filter(|case| case.attribute("name").is_some_and(|n| n.starts_with('r')));
        assert_eq!(of_runs.count(), runs, "JUnit: {row:#?}");
        let spans = spans(&scratch.read("o.jsonl").expect("a report"));
        let of_runs = spans.iter().filter(|span| span["name"] == "gate run");
        assert_eq!(of_runs.count(), runs, "OTLP: {row:#?}");
        let ids: BTreeSet<_> = spans.iter().map(|span| span["spanId"].as_str()).collect();
        assert_eq!(ids.len(), spans.len(), "ids: {row:#?}");
        let events = spans.iter().filter_map(|span| span["events"].as_array());
        let decided = events
            .flatten()
            .filter(|event| event["name"] == "gate.decision");
        assert_eq!(
            Some(decided.count() as u64),
            counts["calls"].as_u64(),
            "{row:#?}"
        );
    }
}
