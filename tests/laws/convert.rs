//! A trace that is converted says the same: converting it again gives the same bytes, and a replay
//! of it the same decisions.

use super::policies::{self, policies};
use super::replay::{Replay, anywhere, replay_bytes, same, varied};
use super::testing::Random;
use super::trial::{Shape, is_call, lines, members, trial};
use gate::convert::{Converted, Converter};
use gate::engine::decision::Decision;
use gate::import::drive::{ReadOptions, read};
use gate::trace::fault::{NoticeKind, WarningCode};
use serde_json::{Value, json};

fn convert(bytes: &[u8]) -> (Vec<u8>, Converted) {
    let mut written = Vec::new();
    let mut converter = Converter::new(Box::new(&mut written));
    converter.begin_input(0, "t");
    let options = ReadOptions::default();
    read(0, "t.jsonl", "t", Box::new(bytes), &options, &mut converter);
    converter.end_input();
    let (converted, failed) = converter.finish();
    assert!(failed.is_none(), "{failed:?}");
    (written, converted)
}

/// What random traces do not have: records that leave the run to the file, texts that want escapes,
/// times, and more than one spelling.
fn varied_records(case: u64, trace: &[Value]) -> Vec<Value> {
    let mut random = Random::new(case ^ 0xc0_4e71);
    let mut trace = trace.to_vec();
    for record in &mut trace {
        if record["run"] == "r0" {
            let nameless = record["type"] != "run_start" && record["type"] != "run_end";
            if nameless && random.chance(50) {
                members(record).remove("run");
            } else {
                record["run"] = "t".into();
            }
        }
        if random.chance(20) {
            let times = [json!("2026-01-01T00:00:00Z"), json!(1.5e3), json!("17")];
            record["ts"] = random.pick(&times).clone();
        }
        if !is_call(record) {
            continue;
        }
        if random.chance(20) {
            let texts = ["\u{202e}\u{fffd}\"\\\n", "é🙂\u{9b}", " \u{0} "];
            record["args"] = json!({"k\u{200b}": random.pick(&texts), "n": 1e300});
        }
        if random.chance(20) {
            let args = record["args"].to_string();
            members(record).remove("args");
            record[*random.pick(&["args", "arguments", "input"])] = args.into();
        }
        if random.chance(10) {
            record["argv"] = json!(["ls", "-l"]);
            members(record).retain(|key, _| !["args", "arguments", "input"].contains(&&**key));
        }
        if random.chance(10) {
            record["resources"] = json!(["/srv/a", ""]);
        }
    }
    trace
}

fn decisions(replay: &Replay) -> Vec<Decision> {
    replay
        .decided
        .iter()
        .map(|d| anywhere(&d.decision))
        .collect()
}

#[test]
fn a_converted_trace_replays_to_the_same_decisions() {
    let policies = policies(policies::ALL);
    trial(420, Shape::ANY, 60, |case, trace| {
        let trace = lines(&varied_records(case, trace));
        let policy = &policies[case as usize % policies.len()];
        let (once, converted) = convert(&trace);
        let (twice, _) = convert(&once);
        if once != twice {
            let once = String::from_utf8_lossy(&once);
            let twice = String::from_utf8_lossy(&twice);
            return Err(format!("converted twice\n{once}\n{twice}"));
        }
        let (before, after) = (
            replay_bytes(policy, varied(case), &trace),
            replay_bytes(policy, varied(case), &once),
        );
        same("converted", &decisions(&before), &decisions(&after))?;
        // Every record of the converted trace names its run.
        let missing = NoticeKind::Warning(WarningCode::MissingRun);
        let codes = |r: &Replay| -> Vec<_> {
            let kinds = r.notices.iter().map(|n| n.kind);
            kinds.filter(|kind| *kind != missing).collect()
        };
        let equal = codes(&before) == codes(&after)
            && before.runs == after.runs
            && before.counted == after.counted
            && converted.records == before.report.records
            && after.report.format == Some("canonical");
        let both = || format!("{:?}\n{:?}", before.notices, after.notices);
        equal.then_some(()).ok_or_else(both)
    });
}

/// A record on its own line, an array of records and records that span lines are one trace.
#[test]
fn a_document_is_converted_as_its_lines_are() {
    trial(60, Shape::ANY, 30, |case, trace| {
        let trace = varied_records(case, trace);
        let lines = convert(&lines(&trace)).0;
        let array = Value::from(trace.clone()).to_string();
        let pretty = serde_json::to_string_pretty(&Value::from(trace)).expect("JSON");
        let array = convert(array.as_bytes()).0;
        if array != lines {
            return Err("an array differs".into());
        }
        // Results keep the blanks they were written with, on one line.
        let pretty = convert(pretty.as_bytes()).0;
        let values = |bytes: &[u8]| -> Vec<Value> {
            let text = std::str::from_utf8(bytes).expect("UTF-8");
            let value = |line| serde_json::from_str(line).expect("JSON");
            text.lines().map(value).collect()
        };
        let equal = values(&pretty) == values(&lines);
        equal
            .then_some(())
            .ok_or("pretty-printed it differs".into())
    });
}
