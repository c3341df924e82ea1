//! Whatever was written before it, a decision is written as if it stood alone.

mod report_samples;

use gate::engine::decision::{Decision, Reading};
use gate::policy::STAGE_IDS;
use report_samples::*;

/// Numbers that are the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    fn float(&mut self) -> f64 {
        match self.below(8) {
            0 => f64::NAN,
            1 => -0.0,
            2 => self.below(1000) as f64 * 1e18,
            3 => 1.0 / self.below(1000) as f64,
            _ => self.below(200) as f64 / 100.0,
        }
    }

    fn perhaps(&mut self) -> Option<f64> {
        (self.below(4) > 0).then(|| self.float())
    }
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

fn decision(numbers: &mut Numbers) -> Decision {
    let readings = (0..numbers.below(7)).map(|_| Reading {
        h: numbers.float(),
        next: numbers.perhaps(),
        slack: numbers.perhaps(),
    });
    let barriers = readings.collect();
    let passed = numbers.below(STAGE_IDS.len() + 1);
    let base = match numbers.below(3) {
        0 => blocked(),
        1 => standing(),
        _ => allowed(1, 2, "x"),
    };
    Decision {
        input: numbers.below(3),
        line: numbers.below(100_000) as u64,
        run: numbers.one_of(TEXTS).into(),
        call: numbers.one_of(TEXTS).to_owned(),
        tool: numbers.one_of(TEXTS).into(),
        agent: (numbers.below(3) > 0).then(|| numbers.one_of(TEXTS).into()),
        labels: (0..numbers.below(3))
            .map(|_| numbers.one_of(TEXTS).to_owned())
            .collect(),
        broken: (0..numbers.below(3)).collect(),
        hazard: (0..numbers.below(2)).collect(),
        reason: (numbers.below(3) == 0).then(|| numbers.one_of(TEXTS).to_owned()),
        standing: numbers.below(4) == 0,
        escalated: numbers.below(4) == 0,
        counterfactual: numbers.below(4) == 0,
        inconclusive: numbers.below(4) == 0,
        args_unknown: numbers.below(4) == 0,
        semantic_score: (numbers.below(4) == 0).then_some(0.5),
        composite: numbers.perhaps(),
        checks_passed: STAGE_IDS.iter().copied().take(passed).collect(),
        args: (numbers.below(3) == 0).then(|| r#"{"password":"hunter2","a":[1,2]}"#.to_owned()),
        barriers,
        ..base
    }
}

/// What a report keeps of one decision saves work and does not show in the next: two of them are
/// what each is alone.
#[test]
fn nothing_is_left_of_the_decision_before() {
    let mut numbers = Numbers(6);
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
        let mut before = decision(&mut numbers);
        for _ in 0..1000 {
            let next = Decision {
                // What is known of secrets takes long to be made ready.
                args: None,
                ..decision(&mut numbers)
            };
            let (mut alone, second) = (bytes(&[&before]), bytes(&[&next]));
            alone.truncate(alone.len() - (none.len() - head));
            assert_eq!(bytes(&[&before, &next]), alone + &second[head..]);
            before = next;
        }
    }
}
