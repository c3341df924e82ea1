//! Whatever was written before it, a decision is written as if it stood alone.

mod report_samples;
#[path = "../src/testing.rs"]
mod testing;

use gate::engine::decision::{Decision, Reading};
use gate::policy::STAGE_IDS;
use report_samples::*;
use testing::Random;

fn float(random: &mut Random) -> f64 {
    match random.below(8) {
        0 => f64::NAN,
        1 => -0.0,
        2 => f64::from(random.below(1000)) * 1e18,
        3 => 1.0 / f64::from(random.below(1000)),
        _ => f64::from(random.below(200)) / 100.0,
    }
}

fn perhaps(random: &mut Random) -> Option<f64> {
    (random.below(4) > 0).then(|| float(random))
}

/// Texts of which one follows the other where something is kept from record to record.
const TEXTS: &[&str] = &[
    "",
    "r1",
    "r2",
    "null",
    "a,b",
    "=1",
    "say \"so\"",
    "é",
    "\u{202e}x",
    "a\\b",
    "two\nlines",
    "-",
];

fn decision(random: &mut Random) -> Decision {
    let readings = (0..random.below(7)).map(|_| Reading {
        h: float(random),
        next: perhaps(random),
        slack: perhaps(random),
    });
    let barriers = readings.collect();
    let passed = random.below(STAGE_IDS.len() + 1);
    let base = match random.below(3) {
        0 => blocked(),
        1 => standing(),
        _ => allowed(1, 2, "x"),
    };
    Decision {
        input: random.below(3),
        line: random.below(100_000),
        run: (*random.pick(TEXTS)).into(),
        call: (*random.pick(TEXTS)).to_owned(),
        tool: (*random.pick(TEXTS)).into(),
        agent: (random.below(3) > 0).then(|| (*random.pick(TEXTS)).into()),
        labels: (0..random.below(3))
            .map(|_| (*random.pick(TEXTS)).to_owned())
            .collect(),
        broken: (0..random.below(3)).collect(),
        hazard: (0..random.below(2)).collect(),
        reason: (random.below(3) == 0).then(|| (*random.pick(TEXTS)).to_owned()),
        standing: random.below(4) == 0,
        escalated: random.below(4) == 0,
        counterfactual: random.below(4) == 0,
        inconclusive: random.below(4) == 0,
        args_unknown: random.below(4) == 0,
        semantic_score: (random.below(4) == 0).then_some(0.5),
        composite: perhaps(random),
        checks_passed: STAGE_IDS.iter().copied().take(passed).collect(),
        args: (random.below(3) == 0).then(|| r#"{"password":"hunter2","a":[1,2]}"#.to_owned()),
        barriers,
        ..base
    }
}

/// What a report keeps of one decision saves work and does not show in the next: two of them are
/// what each is alone.
#[test]
fn nothing_is_left_of_the_decision_before() {
    let mut random = Random::new(6);
    for format in ["jsonl", "csv"] {
        let bytes = |decisions: &[&Decision]| {
            let item = |decision: &&Decision| Item::Call(Box::new((*decision).clone()));
            let items: Vec<Item> = decisions.iter().map(item).collect();
            write(format, &header(), &items, &summary())
        };
        let none = bytes(&[]);
        let head = if format == "csv" {
            none.find('\n').unwrap() + 1
        } else {
            0
        };
        let mut before = decision(&mut random);
        for _ in 0..1000 {
            let next = Decision {
                // What is known of secrets takes long to be made ready.
                args: None,
                ..decision(&mut random)
            };
            let (mut alone, second) = (bytes(&[&before]), bytes(&[&next]));
            alone.truncate(alone.len() - (none.len() - head));
            assert_eq!(bytes(&[&before, &next]), alone + &second[head..]);
            before = next;
        }
    }
}
