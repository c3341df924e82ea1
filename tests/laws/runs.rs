//! Runs are replayed each by itself: how their records lie among those of others does not matter.

use super::policies::{self, policies};
use super::replay::{Replay, anywhere, replay, same, varied};
use super::testing::Random;
use super::trial::{Shape, lines, of_run, run_ids, trial};
use gate::engine::decision::Decision;
use serde_json::Value;

/// The records of each run in order, those of different runs shuffled.
fn shuffled(trace: &[Value], random: &mut Random) -> Vec<Value> {
    let mut queues: Vec<Vec<Value>> = run_ids(trace)
        .iter()
        .map(|run| {
            let mut records = of_run(trace, run);
            records.reverse();
            records
        })
        .collect();
    let mut all = Vec::new();
    while !queues.is_empty() {
        let at = random.below(queues.len());
        all.extend(queues[at].pop());
        queues.retain(|queue| !queue.is_empty());
    }
    all
}

fn decisions(replay: &Replay, run: &str) -> Vec<Decision> {
    let decisions = replay.of_run(run);
    decisions.into_iter().map(anywhere).collect()
}

#[test]
fn runs_may_lie_among_each_other_in_any_way() {
    let policies = policies(policies::ALL);
    trial(140, Shape::ANY, 60, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let options = varied(case);
        let expected = replay(policy, options, trace);
        let other = shuffled(trace, &mut Random::new(case));
        let other = replay(policy, options, &other);
        for run in run_ids(trace) {
            let alone = replay(policy, options, &of_run(trace, &run));
            let expected = decisions(&expected, &run);
            same("shuffled", &expected, &decisions(&other, &run))?;
            same("alone", &expected, &decisions(&alone, &run))?;
        }
        Ok(())
    });
}

/// Runs of several inputs do not meet, even where they share an id.
#[test]
fn an_input_does_not_change_the_next() {
    let scratch = super::program::Scratch::new();
    let mut random = Random::new(7);
    for n in 0..6 {
        let trace = super::trial::trace(&mut random, Shape::ANY, 120);
        scratch.file(&format!("t{n}.jsonl"), lines(&trace));
    }
    let decisions = |args: &str| -> Vec<Value> {
        let ran = scratch.gate(&format!("replay --format jsonl {args}"));
        let mut records = ran.records();
        records.retain(|r| r["record"] == "decision");
        records
    };
    let together = decisions("t0.jsonl t1.jsonl t2.jsonl t3.jsonl t4.jsonl t5.jsonl");
    let apart: Vec<Value> = (0..6)
        .flat_map(|n| decisions(&format!("t{n}.jsonl")))
        .collect();
    assert!(together.len() > 50);
    assert_eq!(together, apart);
}
