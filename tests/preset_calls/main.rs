//! What the rules of the presets refuse, what they let pass, and which labels calls are given: tables
//! of calls, most of which once slipped by a rule or were refused for nothing.

mod coding_agent;
mod labels;
mod mcp_default;
mod others;
#[path = "../program/mod.rs"]
mod program;

use serde_json::{Value, json};

/// The decisions about these calls, each in a run of its own. A text that is no JSON object is a
/// command line, and one in brackets an intent and the call after it.
fn decisions(preset: &str, calls: &[&str]) -> Vec<Value> {
    let mut trace = String::new();
    for (number, call) in calls.iter().enumerate() {
        let run = format!("r{number}");
        let records: Vec<Value> = match call.chars().next() {
            Some('{') => vec![serde_json::from_str(call).expect("a call")],
            Some('[') => {
                let pair: Vec<Value> = serde_json::from_str(call).expect("an intent and a call");
                let start = json!({"type": "run_start", "intent": pair[0]});
                vec![start, pair[1].clone()]
            }
            _ => vec![json!({"tool": "Bash", "args": {"command": call}})],
        };
        for mut record in records {
            record["run"] = json!(run);
            trace += &format!("{record}\n");
        }
    }
    let ran = program::replay(trace, &format!("extends = \"{preset}\"\n"), "");
    let mut records = ran.records();
    records.retain(|record| record["record"] == "decision");
    assert_eq!(records.len(), calls.len(), "{}", ran.err);
    records
}

fn report(preset: &str, calls: &[&str], wrong: impl Fn(&Value) -> Option<String>) {
    let found = decisions(preset, calls);
    let told = calls.iter().zip(&found);
    let told = told.filter_map(|(call, found)| Some(format!("{call}\n    {}", wrong(found)?)));
    let told: Vec<String> = told.collect();
    assert!(told.is_empty(), "{preset}:\n{}", told.join("\n"));
}

/// Fails unless this rule of the preset, a contract, refuses every one of the calls.
fn refused(rule: &str, calls: &[&str]) {
    let preset = rule.split('/').next().expect("a preset");
    report(preset, calls, |found| {
        let right = found["decision"] == "block" && found["policy_rule"] == rule;
        (!right).then(|| format!("{rule}: {} {}", found["decision"], found["policy_rule"]))
    });
}

/// Fails unless the preset lets every one of the calls pass.
fn pass(preset: &str, calls: &[&str]) {
    report(preset, calls, |found| {
        let right = found["decision"] == "allow";
        (!right).then(|| format!("{} {}", found["policy_rule"], found["reason"]))
    });
}

/// Fails unless the preset gives the label to all of the first and to none of the others.
fn labelled(preset: &str, label: &str, with: &[&str], without: &[&str]) {
    let has = |found: &Value| {
        let labels = found["labels"].as_array();
        labels.is_some_and(|labels| labels.iter().any(|l| l == label))
    };
    report(preset, with, |found| {
        (!has(found)).then(|| format!("is no `{label}`, but {}", found["labels"]))
    });
    report(preset, without, |found| {
        has(found).then(|| format!("is `{label}`"))
    });
}

/// Calls of these tools without arguments.
fn tools(names: &str) -> Vec<String> {
    let names = names.split_whitespace();
    names
        .map(|name| json!({"tool": name, "args": {}}).to_string())
        .collect()
}

/// Like [`labelled`], for tools without arguments.
fn tools_labelled(preset: &str, label: &str, with: &str, without: &str) {
    let (with, without) = (tools(with), tools(without));
    let texts = |calls: &[String]| {
        calls
            .iter()
            .map(|c| c.clone().leak() as &str)
            .collect::<Vec<_>>()
    };
    labelled(preset, label, &texts(&with), &texts(&without));
}
