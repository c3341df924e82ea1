//! Every field that a machine format writes is documented.

use super::{quoted, root, rows, section, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

fn gate(args: &[&str]) -> String {
    let run = Command::new(env!("CARGO_BIN_EXE_gate"))
        .args(args)
        .env_remove("GITHUB_ACTIONS")
        .current_dir(root())
        .output()
        .expect("gate runs");
    String::from_utf8(run.stdout).expect("UTF-8")
}

fn records(args: &[&str]) -> Vec<Value> {
    let lines = gate(args);
    let parsed = lines.lines().map(serde_json::from_str);
    parsed.collect::<Result<_, _>>().expect("JSON lines")
}

/// Fields whose own fields are names of the policy or of the input.
const NAMED: &[&str] = &[
    "by_kind",
    "by_stage",
    "by_rule",
    "by_tool",
    "barriers",
    "broken",
    "labels",
    "labels_by_tool",
    "unnamed_tools",
    "unmediated",
    "stages",
    "faults",
    "warnings",
];

/// The fields of a value and of everything in it.
fn fields(value: &Value, within: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| fields(item, within, found)),
        Value::Object(members) if NAMED.contains(&within) => {
            // Rules are named under their stages, kinds under their tools.
            let deep = ["by_rule", "by_tool", "labels_by_tool"].contains(&within);
            let inner = if deep { "by_kind" } else { "" };
            members.values().for_each(|m| fields(m, inner, found));
        }
        Value::Object(members) => {
            for (key, member) in members {
                found.insert(key.clone());
                // A policy's warnings are a list of objects, the report's are counts by code.
                let within = if member.is_array() { "" } else { key };
                fields(member, within, found);
            }
        }
        _ => {}
    }
}

fn documented(value: &Value, heading: &str, besides: &str) {
    documented_on("docs/output.md", value, heading, besides);
}

fn documented_on(page: &str, value: &Value, heading: &str, besides: &str) {
    let page = text(page);
    let described = section(&page, heading) + besides;
    let names: BTreeSet<String> = quoted(&described.replace("```", "")).into_iter().collect();
    let mut found = BTreeSet::new();
    fields(value, "", &mut found);
    let missing: Vec<_> = found.difference(&names).collect();
    assert!(missing.is_empty(), "{heading}: {missing:?}");
}

#[test]
fn every_field_of_a_record_is_documented() {
    let trace = "fixtures/readme/trace.jsonl";
    let policy = "fixtures/readme/gate.toml";
    let args = ["replay", trace, "fixtures/docs/faulty.jsonl", "--policy"];
    let more = [policy, "--format", "jsonl", "--show-args"];
    let mut seen = BTreeSet::new();
    for record in records(&[&args[..], &more[..]].concat()) {
        let kind = record["record"].as_str().expect("a kind").to_owned();
        let heading = match &*kind {
            "decision" => "### `gate.decision/1`",
            "fault" | "warning" => "### `gate.notice/1`",
            _ => "### `gate.report/1`",
        };
        documented(&record, heading, "");
        seen.insert(kind);
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
    let args = ["replay", "fixtures/cases/semantic.jsonl", "--policy"];
    let more = ["fixtures/cases/semantic.toml", "--format", "jsonl"];
    let scored = records(&[&args[..], &more[..]].concat());
    assert!(scored.iter().any(|record| !record["semantic"].is_null()));
    for record in scored.iter().filter(|r| r["record"] == "decision") {
        documented(record, "### `gate.decision/1`", "");
    }
    let summary = scored.last().expect("a summary");
    assert!(summary["semantic"].is_object());
    documented(summary, "### `gate.report/1`", "");
    let lab = "fixtures/lab/coverage.jsonl";
    let args = ["replay", lab, "--coverage", "--quiet", "--format", "jsonl"];
    let summary = records(&args).pop().expect("a summary");
    assert!(summary["coverage"]["rules"].is_array());
    documented(&summary, "### `gate.report/1`", "");
    let unsound = "fixtures/docs/unsound.toml";
    let args = ["replay", trace, "--policy", unsound, "--format", "jsonl"];
    let summary = records(&args).pop().expect("a summary");
    assert_eq!(summary["policy"]["warnings"][0]["code"], "unsound_alpha");
    documented(&summary, "### `gate.report/1`", "");
}

#[test]
fn every_field_of_the_barriers_report_is_documented() {
    let cited = section(&text("docs/output.md"), "### `gate.report/1`");
    for file in [
        "fixtures/docs/transitions.jsonl",
        "fixtures/docs/states.json",
        "fixtures/docs/faulty.jsonl",
    ] {
        let unsound = "fixtures/docs/unsound.toml";
        let args = ["verify-barriers", file, "--policy", unsound];
        let report = gate(&[&args[..], &["--format", "json"]].concat());
        let report = serde_json::from_str(&report).expect("JSON");
        documented(&report, "## `gate.barriers/1`", &cited);
    }
}

#[test]
fn every_field_of_a_check_is_documented() {
    for policy in ["dead_rules", "halved", "leads_out", "stuck"] {
        let file = format!("fixtures/lab/{policy}.toml");
        for limit in ["200000", "2"] {
            let args = ["check", &file, "--reach", "--max-states", limit];
            let report = gate(&[&args[..], &["--format", "json"]].concat());
            let report = serde_json::from_str(&report).expect("JSON");
            documented_on("docs/check.md", &report, "## `gate.check/1`", "");
        }
    }
}

#[test]
fn every_field_of_an_inspection_is_documented() {
    let heading = "### `gate.inspect/1`";
    let policy = ["--policy", "fixtures/readme/gate.toml"];
    for file in ["fixtures/readme/trace.jsonl", "fixtures/docs/faulty.jsonl"] {
        let args = ["inspect", file, "--format", "json"];
        let report = gate(&[&args[..], &policy[..]].concat());
        let report = serde_json::from_str(&report).expect("JSON");
        documented_on("docs/inspect.md", &report, heading, "");
    }
    let formats = gate(&["inspect", "--formats", "--format", "json"]);
    let formats = serde_json::from_str(&formats).expect("JSON");
    documented_on("docs/inspect.md", &formats, heading, "");
}

#[test]
fn every_field_of_an_explanation_is_documented() {
    let cited = section(&text("docs/output.md"), "### `gate.decision/1`");
    let lab = ["fixtures/lab/explain.jsonl", "--policy"];
    let more = [
        "fixtures/lab/explain.toml",
        "--format",
        "json",
        "--show-args",
    ];
    for call in ["c3", "c5", "c6"] {
        let args = [&["explain", "--call", call][..], &lab, &more].concat();
        let report = serde_json::from_str(&gate(&args)).expect("JSON");
        documented_on("docs/explain.md", &report, "## `gate.explain/1`", &cited);
    }
}

#[test]
fn every_field_of_a_calibration_is_documented() {
    for args in [
        "fixtures/semantic/recorded.jsonl --embedder recorded",
        "fixtures/semantic/calibrate.jsonl --all-embedders",
        "fixtures/docs/faulty.jsonl",
    ] {
        let flags = "calibrate --list 2 --show-args --format json";
        let args: Vec<&str> = flags.split(' ').chain(args.split(' ')).collect();
        let report = serde_json::from_str(&gate(&args)).expect("JSON");
        documented_on("docs/calibrate.md", &report, "## `gate.calibration/1`", "");
    }
}

#[test]
fn every_field_of_a_ranking_is_documented() {
    for file in ["fixtures/lab/near.jsonl", "fixtures/docs/faulty.jsonl"] {
        let report = gate(&["robustness", file, "--calls", "--format", "json"]);
        let report = serde_json::from_str(&report).expect("JSON");
        let cited = section(&text("docs/output.md"), "### `gate.report/1`");
        let cited = cited + &section(&text("docs/inspect.md"), "### `gate.inspect/1`");
        let heading = "## `gate.robustness/1`";
        documented_on("docs/robustness.md", &report, heading, &cited);
    }
}

#[test]
fn the_columns_of_csv_are_documented_in_order() {
    let header = gate(&["replay", "fixtures/docs/trace.jsonl", "--format", "csv"]);
    let header: Vec<&str> = header
        .lines()
        .next()
        .expect("a header")
        .split(',')
        .collect();
    let page = section(&text("docs/output.md"), "## CSV");
    let columns: Vec<_> = rows(&page).iter().flat_map(|row| quoted(&row[0])).collect();
    let barrier = |column: &&String| column.starts_with("NAME_");
    let (of_barriers, fixed): (Vec<_>, Vec<_>) = columns.iter().partition(barrier);
    assert_eq!(header[..fixed.len()], fixed[..]);
    let of_safety: Vec<_> = of_barriers
        .iter()
        .map(|column| column.replace("NAME", "safety"))
        .collect();
    let safety = &header[fixed.len()..fixed.len() + of_safety.len()];
    assert_eq!(safety, &of_safety[..]);
}
