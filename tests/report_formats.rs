//! The machine formats, to the letter where they are frozen.

mod report_samples;

use gate::audit::summary::Summary;
use gate::engine::decision::Decision;
use gate::policy::{PolicyPlace, PolicyWarning};
use gate::report::FORMATS;
use report_samples::*;
use serde_json::Value;

/// The record as it is documented.
const BLOCKED: &str = concat!(
    r#"{"schema":"gate.decision/1","record":"decision","file":"t.jsonl","line":7,"run":"r1","#,
    r#""seq":3,"call":"c3","turn":3,"tool":"send_email","agent":"ops","decision":"block","#,
    r#""stage":"dcbf","rule":"forward_invariance","broken":["privacy"],"#,
    r#""reason":"privacy would fall from 0.1 to -0.1: third outbound call","standing":false,"#,
    r#""checks_passed":["gates","privilege","dfa","contracts"],"checks_failed":["dcbf"],"#,
    r#""escalated":false,"approval":null,"semantic_score":null,"counterfactual":false,"#,
    r#""inconclusive":false,"recorded":"allow","drift":true,"hazard":[],"composite":12.1,"#,
    r#""barriers":{"safety":{"h":0.9,"next":0.9,"slack":0.9},"#,
    r#""privacy":{"h":0.09999999999999998,"next":-0.10000000000000009,"#,
    r#""slack":-0.10000000000000009},"resource":{"h":9.98,"next":9.97,"slack":9.97},"#,
    r#""scope":{"h":0.8,"next":0.8,"slack":0.8},"stability":{"h":48,"next":47,"slack":47}},"#,
    r#""policy_line":null,"labels":[],"args_unknown":false,"policy_rule":null,"semantic":null}"#,
);

#[test]
fn formats_have_names_and_docs() {
    let ids: Vec<&str> = FORMATS.iter().map(|format| format.id).collect();
    assert_eq!(
        ids,
        [
            "table", "json", "jsonl", "csv", "values", "markdown", "html", "sarif", "junit",
            "github", "otlp"
        ]
    );
    assert!(FORMATS.iter().all(|format| !format.doc.is_empty()));
}

#[test]
fn a_decision_is_written_as_documented() {
    let items = [Item::Call(Box::new(blocked()))];
    let lines = write("jsonl", &header(), &items, &summary());
    assert_eq!(lines.lines().next(), Some(BLOCKED));
}

#[test]
fn arguments_are_there_only_where_they_were_kept() {
    let decision = Decision {
        args: Some(r#"{"token":"abcdef"}"#.to_owned()),
        barriers: Vec::new(),
        ..blocked()
    };
    let items = [Item::Call(Box::new(decision))];
    let lines = write("jsonl", &header(), &items, &summary());
    let first = lines.lines().next().unwrap();
    assert!(first.ends_with(concat!(
        r#""barriers":{},"policy_line":null,"labels":[],"args_unknown":false,"#,
        r#""policy_rule":null,"semantic":null,"args":"{\"token\":\"[masked]\"}"}"#
    )));
}

#[test]
fn notices_have_their_place() {
    let mut whole = fault();
    whole.place.line = 0;
    whole.place.column = 0;
    let items = [Item::Notice(fault()), Item::Notice(whole)];
    let lines = write("jsonl", &header(), &items, &summary());
    let mut lines = lines.lines();
    assert_eq!(
        lines.next().unwrap(),
        concat!(
            r#"{"schema":"gate.notice/1","record":"fault","file":"t.jsonl","line":8,"column":13,"#,
            r#""code":"malformed_json","run":null,"message":"expected `,` or `}`","#,
            r#""help":"one record a line"}"#
        )
    );
    let whole = lines.next().unwrap();
    assert!(whole.contains(r#""line":null,"column":null"#));
}

/// A warning of the policy whose line is known and whose column is not: no format makes one up.
#[test]
fn no_column_is_made_up_for_a_warning_of_the_policy() {
    let warned = |line, column| {
        let mut summary = summary();
        summary.policy.source = "p.toml".to_owned();
        summary.policy.warnings.push(PolicyWarning {
            code: "similar_name",
            place: PolicyPlace { line, column },
            message: "x".to_owned(),
        });
        ["table", "json", "csv"].map(|format| write(format, &header(), &[], &summary))
    };
    let [table, json, csv] = warned(3, 0);
    assert!(table.contains("warning line 3 similar_name: x"), "{table}");
    let json: Value = serde_json::from_str(&json).unwrap();
    let warning = &json["summary"]["policy"]["warnings"][0];
    assert_eq!(
        (&warning["line"], &warning["column"]),
        (&3.into(), &Value::Null)
    );
    assert!(csv.contains("p.toml,3,,"), "{csv}");
    let [table, json, csv] = warned(3, 5);
    assert!(
        table.contains("warning line 3:5 similar_name: x"),
        "{table}"
    );
    assert!(json.contains(r#""column":5"#), "{json}");
    assert!(csv.contains("p.toml,3,5,"), "{csv}");
    let [table, ..] = warned(0, 0);
    assert!(table.contains("warning similar_name: x"), "{table}");
}

#[test]
fn the_document_holds_the_lines() {
    let lines = write("jsonl", &header(), &items(), &summary());
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let document = write("json", &header(), &items(), &summary());
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["schema"], "gate.report/1");
    assert_eq!(document["records"].as_array().unwrap(), &lines[..5]);
    assert_eq!(document["summary"], lines[5]);
    let records: Vec<&Value> = lines.iter().map(|line| &line["record"]).collect();
    assert_eq!(
        records,
        [
            "decision", "decision", "fault", "decision", "warning", "summary"
        ]
    );
}

#[test]
fn the_document_is_one_without_records_too() {
    let document = write("json", &header(), &[], &summary());
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["records"], Value::Array(Vec::new()));
    assert_eq!(document["summary"]["record"], "summary");
}

#[test]
fn the_summary_is_reached_by_name() {
    let lines = write("jsonl", &header(), &[], &summary());
    let summary: Value = serde_json::from_str(&lines).unwrap();
    for (pointer, value) in [
        ("/schema", Value::from("gate.report/1")),
        ("/exit/status", 1.into()),
        ("/complete", true.into()),
        ("/settings/mode", "enforce".into()),
        ("/settings/max_violation_rate", Value::Null),
        ("/inputs/0/format", "gate".into()),
        ("/counts/calls", 3.into()),
        ("/decisions/by_kind/block", 2.into()),
        ("/decisions/by_stage/dcbf", 2.into()),
        ("/decisions/by_rule/dcbf/forward_invariance", 1.into()),
        ("/decisions/by_tool/send_email/block", 2.into()),
        ("/violations/runs/interval_95/high", 1.into()),
        (
            "/barriers/privacy/least_h/value",
            (-0.10000000000000009).into(),
        ),
        ("/barriers/privacy/least_slack/line", 7.into()),
        ("/refusals/0/refused", 2.into()),
        ("/unnamed_tools/sql_query", 1.into()),
        ("/faults/malformed_json", 1.into()),
    ] {
        assert_eq!(summary.pointer(pointer), Some(&value), "{pointer}");
    }
}

#[test]
fn csv_has_a_column_for_every_reading() {
    let text = write("csv", &header(), &items(), &summary());
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns = reader.headers().unwrap().clone();
    assert_eq!(columns.len(), 30 + 3 * 5);
    let at = |name: &str| columns.iter().position(|column| column == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 7);
    let blocked = &rows[1];
    assert_eq!(&blocked[at("broken")], "privacy");
    assert_eq!(&blocked[at("drift")], "true");
    assert_eq!(&blocked[at("privacy_next")], "-0.10000000000000009");
    assert_eq!(&rows[3][at("privacy_next")], "");
    assert_eq!(&rows[2][at("record")], "fault");
    assert_eq!(&rows[2][at("rule")], "malformed_json");
    assert_eq!(&rows[2][at("reason")], "expected `,` or `}`");
    assert_eq!(&rows[5][at("record")], "unnamed_tool");
    assert_eq!(&rows[6][at("record")], "summary");
    assert_eq!(&rows[6][at("rule")], "1");
    assert_eq!(&rows[6][at("reason")], "2 calls blocked");
}

/// Coverage stands in a report where it was asked for, and leaves no trace where it was not.
#[test]
fn coverage_is_told_where_it_is_there() {
    for format in FORMATS {
        let plain = write(format.id, &header(), &[], &summary());
        assert!(!plain.contains("coverage"), "{}", format.id);
    }
    let covered = Summary {
        coverage: Some(coverage("a b")),
        ..summary()
    };
    let lines = write("jsonl", &header(), &[], &covered);
    let record: Value = serde_json::from_str(&lines).unwrap();
    for (pointer, value) in [
        ("/coverage/stages/gates/unique", Value::from(1)),
        ("/coverage/rules/0/name", "a b".into()),
        ("/coverage/rules/0/policy_line", 7.into()),
        ("/coverage/rules/0/stops", 2.into()),
        ("/coverage/rules/1/policy_line", Value::Null),
        ("/coverage/rules/1/given", Value::Null),
        ("/coverage/rules/1/evaluated", 0.into()),
    ] {
        assert_eq!(record.pointer(pointer), Some(&value), "{pointer}");
    }
    let rows = write("csv", &header(), &[], &covered);
    let rows = rows.lines().filter(|row| row.starts_with("coverage,"));
    let counts = "`a b`: evaluated 3, decided 1, stops 2, unique 1";
    let rows: Vec<&str> = rows.collect();
    assert!(rows.len() == 2 && rows[0].contains(counts), "{rows:?}");
    let table = write("table", &header(), &[], &covered);
    assert!(
        table.contains("gates.regex  \"a b\"  line 7  3          1        2      1"),
        "{table}"
    );
    assert!(
        table.contains("never evaluated: gates.regex \"a b\"\n"),
        "{table}"
    );
}

#[test]
fn a_report_that_is_cut_off_shows_it() {
    let format = FORMATS.iter().find(|format| format.id == "json").unwrap();
    let mut out = Vec::new();
    let mut report = (format.open)(header(), Box::new(&mut out));
    report.decision(&blocked(), true).unwrap();
    drop(report);
    assert!(serde_json::from_slice::<Value>(&out).is_err());
}
