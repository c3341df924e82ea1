//! SARIF: results with their rules, places and fingerprints, what stands around them, and baselines.

mod program;
mod report_samples;

use gate::audit::summary::Summary;
use gate::engine::decision::{Decision, DecisionKind};
use gate::exit::Exit;
use gate::policy::{PolicyPlace, PolicyWarning};
use gate::report::Header;
use gate::report::sarif::Baseline;
use program::Scratch;
use report_samples::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn log(header: &Header, items: &[Item], summary: &Summary) -> Value {
    let text = write("sarif", header, items, summary);
    serde_json::from_str(&text).expect("a document")
}

fn results(log: &Value) -> &Vec<Value> {
    log["runs"][0]["results"].as_array().expect("results")
}

fn call(decision: Decision) -> Item {
    Item::Call(Box::new(decision))
}

/// A result a finding, in order; none for the call that was allowed.
#[test]
fn findings_are_results_with_their_rules() {
    let log = log(&header(), &items(), &summary());
    let run = &log["runs"][0];
    assert_eq!(
        (&log["version"], run["columnKind"].as_str()),
        (&json!("2.1.0"), Some("unicodeCodePoints"))
    );
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let told: Vec<_> = results(&log)
        .iter()
        .map(|result| {
            let index = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(rules[index]["id"], result["ruleId"]);
            (result["ruleId"].as_str(), result["level"].as_str())
        })
        .collect();
    assert_eq!(
        told,
        [
            (Some("dcbf/forward_invariance"), Some("error")),
            (Some("fault/malformed_json"), Some("error")),
            (Some("dcbf/outside_safe_set"), Some("error")),
            (Some("warning/orphan_result"), Some("warning")),
        ]
    );
    for rule in rules {
        for text in [
            "/name",
            "/shortDescription/text",
            "/fullDescription/text",
            "/help/text",
            "/help/markdown",
        ] {
            let text = rule.pointer(text).and_then(Value::as_str);
            assert!(text.is_some_and(|text| text.len() > 5), "{rule}");
        }
    }
    let place = |at: usize| &results(&log)[at]["locations"][0]["physicalLocation"];
    let file = json!({"uri": "t.jsonl", "uriBaseId": "%SRCROOT%", "index": 0});
    assert_eq!(place(0)["artifactLocation"], file);
    assert_eq!(place(0)["region"], json!({"startLine": 7}));
    assert_eq!(
        place(1)["region"],
        json!({"startLine": 8, "startColumn": 13})
    );
    assert_eq!(
        run["artifacts"][0]["hashes"]["sha-256"]
            .as_str()
            .map(str::len),
        Some(64)
    );
    let logical = &results(&log)[0]["locations"][0]["logicalLocations"];
    assert_eq!(logical[1]["fullyQualifiedName"], "r1/c3");
}

/// What other formats say stands there too, in the same words.
#[test]
fn records_and_summary_are_those_of_json_lines() {
    let log = log(&header(), &items(), &summary());
    let lines = write("jsonl", &header(), &items(), &summary());
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let properties: Vec<&Value> = results(&log)
        .iter()
        .map(|result| &result["properties"])
        .collect();
    assert_eq!(properties, [&lines[1], &lines[2], &lines[3], &lines[4]]);
    assert_eq!(log["runs"][0]["properties"]["summary"], lines[5]);
}

#[test]
fn kinds_have_their_levels() {
    let kinds = [
        (DecisionKind::Allow, None),
        (DecisionKind::Block, Some("error")),
        (DecisionKind::Error, Some("error")),
        (DecisionKind::Escalate, Some("warning")),
        (DecisionKind::Withhold, Some("warning")),
    ];
    for (kind, level) in kinds {
        let log = log(
            &header(),
            &[call(Decision { kind, ..blocked() })],
            &summary(),
        );
        let levels = results(&log)
            .first()
            .and_then(|result| result["level"].as_str());
        assert_eq!(levels, level, "{kind:?}");
    }
    let hazard = Decision {
        hazard: vec![0, 2],
        ..allowed(3, 1, "sql_query")
    };
    let log = log(&header(), &[call(hazard)], &summary());
    let result = &results(&log)[0];
    assert_eq!(
        (&result["ruleId"], &result["level"]),
        (&json!("dcbf/batch_hazard"), &json!("warning"))
    );
    let message = result["message"]["text"].as_str().expect("a message");
    assert!(message.contains("safety, resource"), "{message}");
}

#[test]
fn the_policy_is_a_place_where_it_is_a_file() {
    let mut summary = summary();
    summary.policy.warnings.push(PolicyWarning {
        code: "unsound_alpha",
        place: PolicyPlace { line: 3, column: 5 },
        message: "x".to_owned(),
    });
    let items = [call(Decision {
        policy_line: Some(23),
        ..blocked()
    })];
    let built_in = log(&header(), &items, &summary);
    assert_eq!(results(&built_in)[0].get("relatedLocations"), None);
    assert_eq!(results(&built_in)[1]["locations"], json!([]));
    let header = Header {
        policy: "a dir/gate.toml".to_owned(),
        policy_is_file: true,
        ..header()
    };
    let filed = log(&header, &items, &summary);
    let related = &results(&filed)[0]["relatedLocations"][0]["physicalLocation"];
    let file = json!({"uri": "a%20dir/gate.toml", "uriBaseId": "%SRCROOT%", "index": 1});
    assert_eq!(
        related,
        &json!({"artifactLocation": file, "region": {"startLine": 23}})
    );
    let doubt = &results(&filed)[1];
    assert_eq!(doubt["ruleId"], "policy/unsound_alpha");
    assert_eq!(
        doubt["locations"][0]["physicalLocation"]["region"],
        json!({"startLine": 3, "startColumn": 5})
    );
    assert_eq!(
        filed["runs"][0]["artifacts"][1]["location"]["uri"],
        "a%20dir/gate.toml"
    );
}

/// An allow is never read out of what is missing: what was not read is told, and the status.
#[test]
fn an_audit_that_saw_not_everything_was_no_success() {
    let ended =
        |summary: &Summary| log(&header(), &[], summary)["runs"][0]["invocations"][0].clone();
    assert_eq!(ended(&summary())["executionSuccessful"], true);
    assert_eq!(ended(&summary())["exitCode"], 1);
    let mut torn = summary();
    torn.complete = false;
    torn.inputs[0].complete = false;
    let told = ended(&torn);
    assert_eq!(told["executionSuccessful"], false);
    assert_eq!(
        told["toolExecutionNotifications"][0]["descriptor"]["id"],
        "unread_input"
    );
    let mut unusable = summary();
    unusable.exit.status = Exit::Unusable;
    assert_eq!(ended(&unusable)["executionSuccessful"], false);
    let mut many = summary();
    many.counts.faults = 70;
    let told = ended(&many);
    let told = told["toolExecutionNotifications"]
        .as_array()
        .expect("notifications");
    assert_eq!(
        told.last().expect("one")["message"]["text"],
        "69 more input faults"
    );
}

#[test]
fn a_log_that_is_cut_off_shows_it() {
    let format = gate::report::FORMATS
        .iter()
        .find(|format| format.id == "sarif")
        .unwrap();
    let mut out = Vec::new();
    let mut report = (format.open)(header(), Box::new(&mut out));
    report.decision(&blocked(), true).unwrap();
    drop(report);
    assert!(serde_json::from_slice::<Value>(&out).is_err());
    assert_eq!(results(&log(&header(), &[], &summary())).len(), 0);
}

fn prints(log: &Value) -> Vec<&str> {
    let print = |result: &'_ Value| {
        result
            .pointer("/partialFingerprints/gateFinding~1v1")
            .is_some()
    };
    assert!(results(log).iter().all(print));
    let prints = results(log).iter();
    prints
        .map(|result| {
            result["partialFingerprints"]["gateFinding/v1"]
                .as_str()
                .unwrap()
        })
        .collect()
}

/// Neither the line nor the number of a budget is what a finding is known by; run, call and tool are.
#[test]
fn fingerprints_stay_where_lines_shift() {
    let reason = |reason: &str| Some(reason.to_owned());
    let same = [
        blocked(),
        Decision {
            line: 900,
            ..blocked()
        },
        Decision {
            reason: reason("privacy would fall from 0.75 to -1: third outbound call"),
            ..blocked()
        },
    ];
    let other = [
        Decision {
            run: "r2".into(),
            ..blocked()
        },
        Decision {
            call: "c4".to_owned(),
            ..blocked()
        },
        Decision {
            tool: "send_mail".into(),
            ..blocked()
        },
        Decision {
            rule: Some("outside_safe_set"),
            ..blocked()
        },
        Decision {
            broken: vec![0],
            ..blocked()
        },
        Decision {
            reason: reason("something else"),
            ..blocked()
        },
    ];
    let items: Vec<Item> = same.into_iter().chain(other).map(call).collect();
    let log = log(&header(), &items, &summary());
    let prints = prints(&log);
    assert_eq!((prints[0], prints[0]), (prints[1], prints[2]));
    let different: BTreeSet<&&str> = prints.iter().collect();
    assert_eq!(different.len(), 7);
    // Where several are alike their numbers tell them apart.
    let counted: BTreeSet<&str> = results(&log)
        .iter()
        .map(|result| {
            result["partialFingerprints"]["primaryLocationLineHash"]
                .as_str()
                .unwrap()
        })
        .collect();
    assert_eq!(counted.len(), results(&log).len());
}

fn states(log: &Value) -> Vec<(&str, &str)> {
    results(log)
        .iter()
        .map(|result| {
            (
                result["baselineState"].as_str().unwrap(),
                result["ruleId"].as_str().unwrap(),
            )
        })
        .collect()
}

fn against(old: &str) -> Header {
    Header {
        baseline: Some(Baseline::read(old.as_bytes()).expect("a baseline").into()),
        ..header()
    }
}

#[test]
fn results_are_held_against_a_baseline() {
    let old = write("sarif", &header(), &items(), &summary());
    let moved = Decision {
        line: 70,
        ..blocked()
    };
    let new = [call(moved.clone()), call(moved), Item::Notice(warning())];
    let first = write("sarif", &against(&old), &new, &summary());
    let log: Value = serde_json::from_str(&first).expect("a document");
    assert_eq!(
        states(&log),
        [
            ("unchanged", "dcbf/forward_invariance"),
            ("new", "dcbf/forward_invariance"),
            ("unchanged", "warning/orphan_result"),
            ("absent", "fault/malformed_json"),
            ("absent", "dcbf/outside_safe_set"),
        ]
    );
    let absent = &results(&log)[3];
    assert_eq!(
        absent["message"],
        results(&serde_json::from_str(&old).unwrap())[1]["message"]
    );
    assert_eq!(
        absent["locations"][0]["physicalLocation"]["region"]["startLine"],
        8
    );
    // What was gone already is not gone again.
    let second = log_of(&write("sarif", &against(&first), &[], &summary()));
    assert_eq!(states(&second).len(), 3);
    assert!(states(&second).iter().all(|(state, _)| *state == "absent"));
}

fn log_of(text: &str) -> Value {
    serde_json::from_str(text).expect("a document")
}

/// A baseline is a file like any other: what it holds is escaped anew, and leads nowhere.
#[test]
fn a_baseline_is_not_trusted() {
    let old = write("sarif", &header(), &[call(blocked())], &summary());
    let mut log = log_of(&old);
    let result = &mut log["runs"][0]["results"][0];
    result["message"]["text"] = json!("[here](https://evil.example) {0} \u{202e}");
    result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] = json!("javascript:x");
    let new = write("sarif", &against(&log.to_string()), &[], &summary());
    assert!(!new.contains('\u{202e}'));
    let new = log_of(&new);
    let absent = &results(&new)[0];
    let text = absent["message"]["text"].as_str().expect("a message");
    assert!(
        text.starts_with(r"\[here\](https://evil.example) {{0}}"),
        "{text}"
    );
    assert_eq!(absent["locations"], json!([]));
}

#[test]
fn what_is_no_report_of_gate_is_no_baseline() {
    let old = write("sarif", &header(), &items(), &summary());
    let says = |text: &str| Baseline::read(text.as_bytes()).expect_err("no baseline");
    assert!(says("{}").contains("no SARIF"));
    assert!(says(&old[..old.len() / 2]).contains("no SARIF"));
    assert!(says(&old.replace("\"2.1.0\"", "\"2.0.0\"")).contains("2.1.0"));
    assert!(says(&old.replace("\"name\":\"gate\"", "\"name\":\"lint\"")).contains("`lint`"));
    assert!(says(&old.replace("gateFinding", "otherFinding")).contains("result 1"));
    assert!(says(r#"{"version":"2.1.0","runs":[]}"#).contains("no run"));
    assert!(Baseline::read(old.as_bytes()).is_ok());
}

const TRACE: &str = "\
{\"tool\":\"send_email\",\"run\":\"a\",\"id\":\"1\"}
{\"tool\":\"send_email\",\"run\":\"b\",\"id\":\"2\"}
";

const POLICY: &str = "[gates]\nallow = [\"read\"]\n";

/// From the outside: lines shift, a call goes, and what options leave out is not gone.
#[test]
fn a_baseline_is_named_on_the_command_line() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", TRACE);
    scratch.file("p.toml", POLICY);
    let replay = "replay t.jsonl --policy p.toml --quiet --force";
    scratch.gate(&format!("{replay} --sarif old.sarif")).ends(1);
    let held = |more: &str| {
        scratch
            .gate(&format!(
                "{replay} --sarif new.sarif --baseline old.sarif {more}"
            ))
            .ends(1);
        log_of(&scratch.read("new.sarif").expect("a report"))
    };
    scratch.file("t.jsonl", format!("\n\n{TRACE}"));
    let shifted = held("");
    assert!(
        states(&shifted)
            .iter()
            .all(|(state, _)| *state == "unchanged")
    );
    assert_eq!(
        results(&shifted)[0]["locations"][0]["physicalLocation"]["region"]["startLine"],
        3
    );
    assert_eq!(states(&held("--run b")), [("unchanged", "gates/whitelist")]);
    scratch.file("t.jsonl", TRACE.lines().nth(1).unwrap());
    let gone: Vec<&str> = states(&held(""))
        .iter()
        .map(|(state, _)| if *state == "absent" { "absent" } else { "kept" })
        .collect();
    assert_eq!(gone, ["kept", "absent"]);
    // A report can take the place of the one that it is held against.
    scratch
        .gate(&format!("{replay} --sarif old.sarif --baseline old.sarif"))
        .ends(1);
    let command = log_of(&scratch.read("old.sarif").expect("a report"));
    let command = command["runs"][0]["invocations"][0]["commandLine"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(command.contains("--baseline=old.sarif"), "{command}");
}

#[test]
fn a_bad_baseline_ends_before_anything_is_read() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", TRACE);
    scratch.file("x.json", "{}");
    let gate = |args: &str| scratch.gate(&format!("replay t.jsonl {args}")).ends(2);
    gate("--baseline x.json").says("add `--sarif FILE` or `--format sarif`");
    let ran = gate("--sarif new.sarif --baseline x.json").says("`x.json` is no baseline");
    assert_eq!(ran.out, "");
    assert_eq!(scratch.read("new.sarif"), None);
    gate("--format sarif --baseline nowhere").says("`nowhere` cannot be read");
}

#[test]
fn threads_and_quiet_change_nothing() {
    let scratch = Scratch::new();
    let trace: String = (0..300)
        .map(|n| format!("{{\"tool\":\"send_email\",\"run\":\"r{}\"}}\n", n % 7))
        .collect();
    scratch.file("t.jsonl", trace);
    let one = scratch
        .gate("replay t.jsonl --format sarif --threads 1")
        .ends(1)
        .out;
    let all = scratch
        .gate("replay t.jsonl --format sarif --threads 4 --quiet")
        .ends(1)
        .out;
    assert!(one == all);
    assert!(results(&log_of(&one)).len() > 100);
}
