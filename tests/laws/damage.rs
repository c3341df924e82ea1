//! A faulty line changes nothing but the list of faults and what is in doubt because of them.

use super::policies::{self, policies};
use super::replay::{Replay, anywhere, replay_bytes, same, varied};
use super::testing::Random;
use super::trial::{Shape, is_call, lines, trial};
use gate::engine::decision::Decision;
use serde_json::{Value, json};

/// A faulty line, and the run it is known to be of.
fn faulty(random: &mut Random, before: &[Value]) -> (Vec<u8>, Option<String>) {
    const UNKNOWN: &[&[u8]] = &[
        b"not json",
        b"{\"tool\":\"send_email\",\"run\":\"r0\"",
        b"{\"tool\":\"send_email\"} {\"tool\":\"send_email\"}",
        b"[\"send_email\"]",
        b"null",
        b"17",
        b"\"run_end\"",
        b"{\"tool\":\"a\",\"run\":\"r0\",\"run\":\"r1\"}",
        b"{\"tool\":\"a\",\"run\":7}",
        b"\x00\x00\x00",
        b"{\"run\":\"\xff\",\"tool\":\"a\"}",
    ];
    const OF_R0: &[&[u8]] = &[
        b"{\"tool\":\"\",\"run\":\"r0\"}",
        b"{\"run\":\"r0\"}",
        b"{\"type\":\"end\",\"run\":\"r0\"}",
        b"{\"tool\":\"a\",\"tool\":\"b\",\"run\":\"r0\"}",
        b"{\"tool\":\"a\",\"cost_usd\":-1,\"run\":\"r0\"}",
        b"{\"tool\":\"a\",\"turn\":1.5,\"run\":\"r0\"}",
        b"{\"tool\":\"a\",\"run\":\"r0\",\"estimated_cost_usd\":\"1\"}",
        b"{\"tool\":\"a\",\"run\":\"r0\",\"context_embedding\":[1],\"action_embedding\":[1,2]}",
        b"{\"type\":\"tool_result\",\"run\":\"r0\",\"cost_usd\":1}",
        b"{\"type\":\"tool_result\",\"run\":\"r0\",\"call\":\"c1\",\"error\":1}",
        b"{\"type\":\"approval\",\"run\":\"r0\",\"call\":\"c1\",\"decision\":\"yes\"}",
        b"{\"type\":\"run_end\",\"run\":\"r0\",\"status\":\"done\"}",
        b"{\"tool\":\"\xff\",\"run\":\"r0\"}",
        b"{\"tool\":\"\\ud800\",\"run\":\"r0\"}",
    ];
    match random.below(10) {
        0..=4 => (random.pick(UNKNOWN).to_vec(), None),
        5..=7 => (random.pick(OF_R0).to_vec(), Some("r0".into())),
        8 => {
            let deep = format!(
                "{{\"run\":\"r0\",\"tool\":\"a\",\"args\":{}1{}}}",
                "[".repeat(140),
                "]".repeat(140)
            );
            (deep.into_bytes(), None)
        }
        _ => match second_content(random, before) {
            Some(record) => {
                let run = record["run"].as_str().map(str::to_owned);
                (record.to_string().into_bytes(), run)
            }
            None => (b"]".to_vec(), None),
        },
    }
}

/// Another call under the id of an earlier one that its run still knows.
fn second_content(random: &mut Random, before: &[Value]) -> Option<Value> {
    let borders = |r: &Value| r["type"] == "run_start" || r["type"] == "run_end";
    let known = |&(at, call): &(usize, &Value)| {
        let later = &before[at..];
        let over = later.iter().any(|r| r["run"] == call["run"] && borders(r));
        is_call(call) && !call["id"].is_null() && !over
    };
    let calls: Vec<_> = before.iter().enumerate().filter(known).collect();
    if calls.is_empty() {
        return None;
    }
    let mut call = random.pick(&calls).1.clone();
    let changes = [
        ("tool", json!("another")),
        ("args", json!({"other": 1})),
        ("turn", json!(977)),
        ("agent", json!("another")),
        ("resources", json!(["another"])),
        ("labels", json!(["another"])),
        ("batch", json!("another")),
        ("estimated_cost_usd", json!(0.123)),
        ("context_embedding", json!([9, 9, 9])),
        ("action_embedding", json!([9, 9, 9])),
        ("semantic_score", json!(0.123)),
        ("result", json!("another")),
        ("tokens", json!(977)),
        ("cost_usd", json!(0.123)),
    ];
    let (key, other) = random.pick(&changes);
    call[*key] = other.clone();
    Some(call)
}

/// How many calls of the run after `at` a fault there leaves in doubt: those before the run ends or
/// begins afresh. Where the fault does not say its run, those of runs that are open.
fn calls_in_doubt(trace: &[Value], at: usize, run: &str, said: bool) -> usize {
    let of = |record: &&Value| record["run"] == run;
    let borders = |record: &&Value| record["type"] == "run_start" || record["type"] == "run_end";
    // Results and approvals alone neither begin a run nor open it again.
    let turns = |record: &&Value| is_call(record) || borders(record);
    let open = match trace[..at].iter().filter(of).rfind(turns) {
        None => said,
        Some(last) => last["type"] != "run_end",
    };
    let after = trace[at..].iter().filter(of);
    let same_run = after.take_while(|record| !borders(record));
    if open {
        same_run.filter(|r| is_call(r)).count()
    } else {
        0
    }
}

/// The line from which the run is beyond doubt: it begins afresh there, or it was not open.
fn beyond_doubt(trace: &[Value], at: usize, run: &str, said: bool) -> usize {
    let of = |record: &Value| record["run"] == run;
    let begun = trace[..at]
        .iter()
        .any(|r| of(r) && (is_call(r) || !r["type"].is_null()));
    if !begun && !said {
        return 0;
    }
    let starts = |(n, record): (usize, &Value)| {
        (n >= at && of(record) && record["type"] == "run_start").then_some(n)
    };
    let first = trace
        .iter()
        .enumerate()
        .filter_map(starts)
        .nth(usize::from(!begun));
    first.unwrap_or(trace.len())
}

fn decisions(replay: &Replay) -> Vec<Decision> {
    let certain = |d: &Decision| Decision {
        inconclusive: false,
        ..anywhere(d)
    };
    replay.in_order().into_iter().map(certain).collect()
}

#[test]
fn a_faulty_line_changes_nothing_but_what_is_in_doubt() {
    let policies = policies(policies::ALL);
    let shape = Shape {
        repeats: false,
        stray_results: false,
        ..Shape::ANY
    };
    trial(420, shape, 40, |case, trace| {
        let mut random = Random::new(case ^ 0xfa11);
        let at = random.below(trace.len() + 1);
        let (line, run) = faulty(&mut random, &trace[..at]);
        let policy = &policies[case as usize % policies.len()];
        let good = replay_bytes(policy, varied(case), &lines(trace));
        let mut bytes = lines(&trace[..at]);
        bytes.extend_from_slice(&line);
        bytes.push(b'\n');
        bytes.extend_from_slice(&lines(&trace[at..]));
        let bad = replay_bytes(policy, varied(case), &bytes);
        let shown = String::from_utf8_lossy(&line).into_owned();
        let what = format!("with `{shown}` before record {}", at + 1);
        same(&what, &decisions(&good), &decisions(&bad))?;

        let codes = |r: &Replay| r.notices.iter().map(|n| n.kind.code()).collect::<Vec<_>>();
        let of_line = |r: &Replay| -> Vec<_> {
            let notices = r.notices.iter();
            let here = notices.filter(|n| n.place.line == at as u64 + 1);
            here.map(|n| n.kind.is_fault()).collect()
        };
        let more = bad.notices.len() - good.notices.len();
        if !of_line(&bad).contains(&true) || more == 0 {
            return Err(format!("{what}: not told: {:?}", codes(&bad)));
        }
        let books = &bad.report;
        if (books.faulty, books.records) > (1, good.report.records)
            || books.lines != good.report.lines + 1
        {
            return Err(format!("{what}: {books:?}"));
        }
        for name in super::trial::run_ids(trace) {
            let known = run.is_none() || run.as_deref() == Some(&name);
            let expected = if known {
                calls_in_doubt(trace, at, &name, run.is_some())
            } else {
                0
            };
            let certain = beyond_doubt(trace, at, &name, run.is_some());
            let after = bad.of_run(&name);
            let after = after.iter().filter(|d| d.line > at as u64 + 1);
            let marked: Vec<bool> = after.clone().map(|d| d.inconclusive).collect();
            if marked.iter().take(expected).any(|marked| !marked) {
                return Err(format!("{what}: run {name} is not in doubt: {marked:?}"));
            }
            let doubted = bad.of_run(&name);
            let mut doubted = doubted.iter().filter(|d| d.inconclusive);
            // The faulty line counts as one.
            if doubted.clone().any(|d| d.line as usize > certain + 1) {
                return Err(format!(
                    "{what}: run {name} is in doubt from line {certain} on"
                ));
            }
            if !known && doubted.next().is_some() {
                return Err(format!("{what}: run {name} is in doubt"));
            }
            let mut early = bad.in_order().into_iter().filter(|d| d.line <= at as u64);
            if early.any(|d| d.inconclusive) {
                return Err(format!("{what}: what came before is in doubt"));
            }
        }
        Ok(())
    });
}
