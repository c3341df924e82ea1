//! OpenTelemetry reports: what they say is held against the JSON report of the same audit, and read back
//! by gate.

mod program;
mod report_samples;

use gate::engine::RunReport;
use gate::engine::decision::Decision;
use gate::report::{FORMATS, Header};
use report_samples::{allowed, blocked, header, summary};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Status and output of a replay.
fn gate(args: &[&str]) -> (i32, String) {
    let ran = program::replay_here(args);
    (ran.status, ran.out)
}

/// The spans of all requests.
fn spans(report: &str) -> Vec<Value> {
    let mut all = Vec::new();
    for line in report.lines() {
        let request: Value = serde_json::from_str(line).expect("JSON");
        let scopes = &request["resourceSpans"][0]["scopeSpans"][0];
        assert_eq!(scopes["scope"]["name"], "gate");
        all.extend(scopes["spans"].as_array().expect("a list").iter().cloned());
    }
    all
}

/// Attributes by name, integers as numbers.
fn attributes(of: &Value) -> BTreeMap<String, Value> {
    let list = of["attributes"].as_array().expect("a list");
    let one = |pair: &Value| {
        let value = pair["value"].as_object().expect("an object");
        assert_eq!(value.len(), 1);
        let (kind, value) = value.iter().next().expect("a value");
        let value = match kind.as_str() {
            "intValue" => value
                .as_str()
                .expect("a text")
                .parse::<u64>()
                .expect("digits")
                .into(),
            "arrayValue" => {
                let items = value["values"].as_array().expect("a list");
                items
                    .iter()
                    .map(|item| item["stringValue"].clone())
                    .collect()
            }
            _ => value.clone(),
        };
        (pair["key"].as_str().expect("a text").to_owned(), value)
    };
    let all: BTreeMap<String, Value> = list.iter().map(one).collect();
    assert_eq!(all.len(), list.len(), "no attribute stands twice");
    all
}

fn events<'s>(spans: &'s [Value], name: &str) -> Vec<(&'s Value, BTreeMap<String, Value>)> {
    let all = spans.iter().flat_map(|span| {
        let events = span["events"].as_array().expect("a list");
        events.iter().map(move |event| (span, event))
    });
    let named = all.filter(|(_, event)| event["name"] == name);
    named
        .map(|(span, event)| (span, attributes(event)))
        .collect()
}

fn nanos(of: &Value, name: &str) -> u64 {
    of[name].as_str().expect("a text").parse().expect("digits")
}

const INPUTS: &[&[&str]] = &[
    &[
        "fixtures/readme/trace.jsonl",
        "--policy",
        "fixtures/readme/gate.toml",
    ],
    &[
        "fixtures/docs/trace.jsonl",
        "fixtures/docs/faulty.jsonl",
        "--policy",
        "fixtures/cases/escalation.toml",
    ],
    &[
        "fixtures/docs/hostile.jsonl",
        "--policy",
        "fixtures/docs/hostile.toml",
    ],
    &[
        "fixtures/docs/hostile_faulty.jsonl",
        "--policy",
        "fixtures/docs/hostile.toml",
    ],
    &["fixtures/cases/drift.jsonl"],
];

/// Every decision is an event, with all that its record says.
#[test]
fn decisions_are_those_of_the_records() {
    for input in INPUTS {
        let (status, report) = gate(&[input, &["--format", "json", "--show-args"][..]].concat());
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let (same, text) = gate(&[input, &["--format", "otlp", "--show-args"][..]].concat());
        assert_eq!(status, same);
        let spans = spans(&text);
        let records = report["records"].as_array().expect("a list");
        let mut told = BTreeSet::new();
        for (span, event) in events(&spans, "gate.decision") {
            let run = attributes(span)["gen_ai.conversation.id"].clone();
            told.insert((
                run.to_string(),
                event["gate.line"].as_u64(),
                serde_json::to_string(&event).unwrap(),
            ));
        }
        let mut expected = BTreeSet::new();
        for record in records
            .iter()
            .filter(|record| record["record"] == "decision")
        {
            let event = expected_event(record);
            expected.insert((
                record["run"].to_string(),
                record["line"].as_u64(),
                serde_json::to_string(&event).unwrap(),
            ));
        }
        assert_eq!(told, expected, "{input:?}");
        let notices = |name| events(&spans, name).len() as u64;
        let counts = &report["summary"]["counts"];
        assert_eq!(counts["faults"], notices("gate.fault"));
        let of_policy = report["summary"]["policy"]["warnings"]
            .as_array()
            .expect("a list")
            .len();
        assert_eq!(
            counts["warnings"].as_u64().unwrap() + of_policy as u64,
            notices("gate.warning")
        );
        let root = spans.last().expect("a span");
        assert_eq!(root["name"], "gate replay");
        let root = attributes(root);
        assert_eq!(root["gate.exit.status"], status);
        assert_eq!(
            root["gate.exit.reason"],
            report["summary"]["exit"]["reason"]
        );
        for (key, pointer) in [
            ("gate.runs", "/counts/runs"),
            ("gate.runs.inconclusive", "/counts/inconclusive_runs"),
            ("gate.calls", "/counts/calls"),
            ("gate.decisions.block", "/decisions/by_kind/block"),
            ("gate.violations.root", "/violations/root"),
            ("gate.drift", "/drift"),
        ] {
            assert_eq!(
                Some(&root[key]),
                report["summary"].pointer(pointer),
                "{key}"
            );
        }
    }
}

/// The attributes of a decision, made of its record.
fn expected_event(record: &Value) -> BTreeMap<String, Value> {
    let mut event = BTreeMap::new();
    event.insert(
        "gen_ai.operation.name".to_owned(),
        Value::from("execute_tool"),
    );
    for (key, field) in [
        ("gen_ai.tool.name", "tool"),
        ("gen_ai.tool.call.id", "call"),
        ("gen_ai.agent.name", "agent"),
        ("gate.decision", "decision"),
        ("gate.stage", "stage"),
        ("gate.rule", "rule"),
        ("gate.reason", "reason"),
        ("gate.line", "line"),
        ("gate.seq", "seq"),
        ("gate.turn", "turn"),
        ("gate.policy.line", "policy_line"),
        ("gate.policy.rule", "policy_rule"),
        ("gate.broken", "broken"),
        ("gate.standing", "standing"),
        ("gate.checks.passed", "checks_passed"),
        ("gate.escalated", "escalated"),
        ("gate.approval", "approval"),
        ("gate.semantic.score", "semantic_score"),
        ("gate.composite", "composite"),
        ("gate.counterfactual", "counterfactual"),
        ("gate.inconclusive", "inconclusive"),
        ("gate.recorded", "recorded"),
        ("gate.drift", "drift"),
        ("gate.hazard", "hazard"),
        ("gate.labels", "labels"),
        ("gate.args.unknown", "args_unknown"),
        ("gate.args", "args"),
    ] {
        let value = &record[field];
        if !(value.is_null() || value.as_array().is_some_and(Vec::is_empty)) {
            event.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(failed) = record["checks_failed"].as_array().expect("a list").first() {
        event.insert("gate.checks.failed".to_owned(), failed.clone());
    }
    for (barrier, reading) in record["barriers"].as_object().expect("an object") {
        for (part, value) in reading.as_object().expect("an object") {
            if !value.is_null() {
                event.insert(format!("gate.barrier.{barrier}.{part}"), value.clone());
            }
        }
    }
    let admitted = match (&record["decision"], &record["approval"]) {
        (decision, _) if *decision == "allow" || *decision == "withhold" => true,
        (decision, approval) => *decision == "escalate" && *approval == "approved",
    };
    event.insert("gate.admitted".to_owned(), admitted.into());
    event
}

/// Ids have their lengths and are of one span each; no span ends before it begins.
#[test]
fn spans_are_well_formed() {
    for input in INPUTS {
        let (_, text) = gate(&[input, &["--format", "otlp"][..]].concat());
        let spans = spans(&text);
        let mut ids = BTreeSet::new();
        let root = spans.last().expect("a span").clone();
        for span in &spans {
            let is_id = |id: &Value, digits: usize| {
                let id = id.as_str().expect("a text");
                assert!(
                    id.len() == digits && id.bytes().all(|b| b.is_ascii_hexdigit()),
                    "{id}"
                );
            };
            is_id(&span["traceId"], 32);
            is_id(&span["spanId"], 16);
            assert!(ids.insert(span["spanId"].to_string()), "{span}");
            let (start, end) = (
                nanos(span, "startTimeUnixNano"),
                nanos(span, "endTimeUnixNano"),
            );
            for event in span["events"].as_array().expect("a list") {
                let at = nanos(event, "timeUnixNano");
                assert!(start <= at && at <= end, "{event}");
            }
            assert!(start < end);
            let told = attributes(span);
            if span["name"] == "gate run" {
                assert_eq!(span["links"][0]["spanId"], root["spanId"]);
                let refused = told["gate.refused"] != 0 || told["gate.inconclusive"] == true;
                assert_eq!(span["status"]["code"] == 2, refused, "{span}");
            }
        }
    }
}

/// What is written is read as a recording of the same calls.
#[test]
fn a_report_is_a_recording() {
    for input in INPUTS {
        let (_, report) = gate(&[input, &["--format", "otlp"][..]].concat());
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("spans.jsonl");
        std::fs::write(&path, &report).expect("a file");
        let path = path.to_str().expect("UTF-8");
        let calls = |args: &[&str]| {
            let (_, report) = gate(&[args, &["--format", "json"]].concat());
            let report: Value = serde_json::from_str(&report).expect("JSON");
            let records = report["records"].as_array().expect("a list").clone();
            let mut calls: BTreeMap<String, Vec<Value>> = BTreeMap::new();
            for record in records
                .iter()
                .filter(|record| record["record"] == "decision")
            {
                let told = ["tool", "call", "agent"].map(|field| record[field].clone());
                calls
                    .entry(record["run"].to_string())
                    .or_default()
                    .push(told.to_vec().into());
            }
            (calls, report["summary"].clone())
        };
        let (before, _) = calls(input);
        for from in [&[path][..], &["--from", "otel", path]] {
            let (after, summary) = calls(from);
            assert_eq!(after, before, "{input:?}");
            assert_eq!(summary["inputs"][0]["format"], "otel");
            assert_eq!(summary["counts"]["faults"], 0);
            assert_eq!(summary["unknown_arguments"], summary["counts"]["calls"]);
        }
    }
}

/// The events of a run that goes on and on are written before it ends, and none is lost.
#[test]
fn long_runs_come_in_parts() {
    let format = FORMATS
        .iter()
        .find(|format| format.id == "otlp")
        .expect("a format");
    let mut out = Vec::new();
    let calls = 2000;
    {
        let mut report = (format.open)(header(), Box::new(&mut out));
        for seq in 1..=calls {
            let call = allowed(seq, seq, "sql_query");
            report.decision(&call, true).expect("memory");
        }
        let over = RunReport {
            id: "r1".into(),
            calls,
            ..RunReport::default()
        };
        report.run(&over).expect("memory");
        // A call after the end of its run.
        let late = Decision {
            seq: calls + 1,
            continues: true,
            line: calls + 1,
            ..blocked()
        };
        report.decision(&late, true).expect("memory");
        report
            .run(&RunReport {
                continues: true,
                ..over
            })
            .expect("memory");
        report.finish(&summary()).expect("memory");
    }
    let text = String::from_utf8(out).expect("UTF-8");
    assert!(
        text.lines().all(|line| line.len() < 1 << 20),
        "as much as a collector reads"
    );
    let spans = spans(&text);
    let told: Vec<_> = events(&spans, "gate.decision");
    let numbers: BTreeSet<_> = told
        .iter()
        .map(|(_, event)| event["gate.seq"].as_u64())
        .collect();
    assert_eq!((told.len(), numbers.len()), (2001, 2001));
    let run = spans
        .iter()
        .position(|span| span["name"] == "gate run")
        .expect("a run");
    let is_part = |span: &&Value| span["name"] == "gate run part";
    let parts: Vec<_> = spans.iter().filter(is_part).collect();
    assert!(parts.len() > 5, "{}", parts.len());
    assert!(
        parts
            .iter()
            .all(|part| part["parentSpanId"] == spans[run]["spanId"])
    );
    assert!(
        parts
            .iter()
            .all(|part| part["traceId"] == spans[run]["traceId"])
    );
    let before = spans[..run].iter().filter(is_part).count();
    assert_eq!(attributes(&spans[run])["gate.parts"], before as u64);
    assert_eq!(spans[run]["status"]["code"], 1);
    assert_eq!(parts.last().expect("a part")["status"]["code"], 2);
}

/// Whoever reads on may take what is there for all, were it not for the last span.
#[test]
fn a_report_that_is_cut_off_shows_it() {
    let format = FORMATS
        .iter()
        .find(|format| format.id == "otlp")
        .expect("a format");
    let mut out = Vec::new();
    let mut report = (format.open)(header(), Box::new(&mut out));
    report.decision(&blocked(), true).expect("memory");
    drop(report);
    assert!(
        !String::from_utf8(out)
            .expect("UTF-8")
            .contains("\"gate replay\"")
    );
}

/// Ids depend on the policy and the command, and on nothing that changes from one time to the next.
#[test]
fn ids_are_of_an_audit() {
    let trace = |header: &Header| {
        let items = [report_samples::Item::Call(Box::new(blocked()))];
        let text = report_samples::write("otlp", header, &items, &summary());
        spans(&text)[0]["traceId"].to_string()
    };
    let plain = header();
    assert_eq!(trace(&plain), trace(&plain));
    let other = [
        Header {
            policy_sha256: "ab".into(),
            ..header()
        },
        Header {
            command: "gate replay --mode=observe".into(),
            ..header()
        },
        Header {
            inputs: vec!["u.jsonl".into()],
            ..header()
        },
    ];
    for other in &other {
        assert_ne!(trace(other), trace(&plain));
    }
}

/// `--quiet` and filters leave events out and no count.
#[test]
fn what_is_not_listed_is_counted() {
    let input = [
        "fixtures/readme/trace.jsonl",
        "--policy",
        "fixtures/readme/gate.toml",
        "--format",
        "otlp",
    ];
    for (filter, listed) in [
        (&["--quiet"][..], 0),
        (&["--only", "refused"], 4),
        (&[], 12),
    ] {
        let (_, text) = gate(&[&input[..], filter].concat());
        let spans = spans(&text);
        assert_eq!(events(&spans, "gate.decision").len(), listed, "{filter:?}");
        let root = attributes(spans.last().expect("a span"));
        assert_eq!(root["gate.calls"], 12);
        let refused = spans
            .iter()
            .filter(|span| span["status"]["code"] == 2)
            .count();
        assert_eq!(refused, 3, "two runs and the audit");
    }
}
