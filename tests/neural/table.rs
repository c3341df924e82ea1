//! The table of features: a row a call, flags that are the five barriers', and text that stays text.

use gate::audit::features::FeatureTable;
use gate::engine::{Engine, Mode, Options};
use gate::import::drive::{ReadOptions, read};
use gate::policy::Policy;
use gate::report::Header;
use gate::report::features::FEATURE_FORMATS;
use gate::stages::PROBE;
use serde_json::Value;

fn options() -> ReadOptions {
    ReadOptions {
        max_line: 1 << 20,
        max_hold: 1 << 20,
        max_bytes: None,
        from: None,
        allow_torn_tail: false,
        ..ReadOptions::default()
    }
}

/// What a format makes of a trace.
fn table(format: &str, trace: &str) -> String {
    table_by(Policy::built_in(), format, trace)
}

fn table_by(mut policy: Policy, format: &str, trace: &str) -> String {
    policy.count_default_features();
    let mut out: Vec<u8> = Vec::new();
    {
        let header = Header {
            inputs: vec!["t.jsonl".into()],
            ..Header::default()
        };
        let format = FEATURE_FORMATS
            .iter()
            .find(|f| f.id == format)
            .expect("a format");
        let mut table = FeatureTable::new((format.open)(header, Box::new(&mut out)));
        let observe = Options {
            mode: Mode::Observe,
            labels_given: true,
            ..Options::default()
        };
        let mut engine = Engine::new(&policy, &[PROBE], observe, &mut table);
        engine.begin_input(0, "t");
        let bytes = Box::new(trace.as_bytes());
        read(0, "t.jsonl", "t", bytes, &options(), &mut engine);
        engine.end_input();
        drop(engine);
        let made = table.finish();
        assert!(made.failed.is_none());
        assert_eq!(made.rowless, 0);
    }
    String::from_utf8(out).expect("UTF-8")
}

fn rows(trace: &str) -> Vec<Value> {
    let text = table("jsonl", trace);
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

const LEAK: &str = concat!(
    r#"{"type":"run_start","run":"r","label":"attack"}"#,
    "\n",
    r#"{"run":"r","tool":"sql_query","decision":"allow","result":"x","cost_usd":1}"#,
    "\n",
    r#"{"run":"r","tool":"http_request","decision":"block"}"#,
    "\n",
    r#"{"run":"r","tool":"http_request","result":"x"}"#,
    "\n",
    r#"{"run":"r","tool":"think","result":"x"}"#,
    "\n"
);

/// What was blocked did not run; what ran is in the state of the next call, refused here or not.
#[test]
fn rows_follow_what_ran() {
    let rows = rows(LEAK);
    let column = |key: &str| -> Vec<Value> { rows.iter().map(|row| row[key].clone()).collect() };
    assert_eq!(column("label"), ["attack"; 4]);
    assert_eq!(column("seq"), [1, 2, 3, 4]);
    assert_eq!(column("safe"), [true, true, true, false]);
    assert_eq!(column("next_safe"), [true, false, false, false]);
    assert_eq!(rows[1]["recorded"], "block");
    let calls: Vec<f64> = rows
        .iter()
        .map(|row| row["features"]["calls"].as_f64().expect("a number"))
        .collect();
    assert_eq!(calls, [0.0, 1.0, 1.0, 2.0]);
    assert_eq!(rows[3]["features"]["cost_usd"], 1.0);
    assert_eq!(rows[1]["next"]["cost_usd"], 1.01);
}

/// Nothing is judged: a label that cannot be worked out keeps no call out of the table, and counts as
/// given.
#[test]
fn a_call_without_known_labels_has_its_row() {
    let text = "[[labels]]\nlabel = \"send_email\"\nwhen = 'call.args.foo == 1'\n";
    let nothing = |_: &str| Err("none".to_owned());
    let source = gate::policy::PolicySource::BuiltIn;
    let policy = gate::policy::parse(text, "gate.toml", source, &nothing).expect("a policy");
    let trace = concat!(
        r#"{"run":"r","tool":"a","args":{"foo":2},"result":1}"#,
        "\n",
        r#"{"run":"r","tool":"b","result":1}"#,
        "\n",
        r#"{"run":"r","tool":"c","args":{"foo":2},"result":1}"#,
        "\n"
    );
    let rows: Vec<Value> = table_by(policy, "jsonl", trace)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let outbound: Vec<f64> = rows
        .iter()
        .map(|row| row["next"]["outbound"].as_f64().expect("a number"))
        .collect();
    assert_eq!(outbound, [0.0, 1.0, 1.0]);
}

/// The two formats say the same.
#[test]
fn formats_agree() {
    let text = table("csv", LEAK);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().expect("names").clone();
    let records: Vec<_> = reader.records().map(|r| r.expect("a row")).collect();
    let objects = rows(LEAK);
    assert_eq!(records.len(), objects.len());
    for (record, object) in records.iter().zip(&objects) {
        for (name, cell) in names.iter().zip(record) {
            let value = match (object.get(name), name.strip_prefix("next_")) {
                (Some(value), _) => value,
                (None, Some(after)) => &object["next"][after],
                (None, None) => &object["features"][name],
            };
            match value {
                Value::Bool(flag) => assert_eq!(cell == "1", *flag, "{name}"),
                Value::Number(n) => assert_eq!(cell.parse::<f64>().ok(), n.as_f64(), "{name}"),
                Value::String(text) => assert_eq!(cell, text, "{name}"),
                other => assert!(other.is_null() && cell.is_empty(), "{name}"),
            }
        }
    }
}

/// A tool named like a formula stays text; numbers are numbers.
#[test]
fn text_is_no_formula() {
    for tool in ["=1+1", "+1", "-1", "@SUM(A1)"] {
        let trace = format!("{{\"run\":\"{tool}\",\"tool\":\"{tool}\",\"id\":\"{tool}\"}}\n");
        let text = table("csv", &trace);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let record = reader.records().next().expect("a row").expect("a row");
        for column in [2, 4, 5] {
            assert_eq!(record[column], format!("'{tool}"));
        }
        assert!(
            record
                .iter()
                .skip(11)
                .all(|cell| cell.parse::<f64>().is_ok())
        );
    }
}

/// A table without a call still has the names of its columns.
#[test]
fn an_empty_table_has_its_names() {
    assert!(table("csv", "").starts_with("file,line,run,seq,call,tool,label,"));
    assert_eq!(table("jsonl", ""), "");
}
