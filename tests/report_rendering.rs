//! Decisions that are rendered apart from their report: in pieces, by several renderers, in whatever
//! order these come to them, they are the bytes that the report itself would have written.

mod report_samples;

use gate::engine::decision::{Decision, Reading};
use gate::policy::STAGE_IDS;
use gate::report::FORMATS;
use gate::report::rendering::Renderer;
use report_samples::*;
use std::thread;

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

#[test]
fn a_block_is_what_the_report_would_have_written() {
    let mut numbers = Numbers(5);
    let mut header = header();
    header.inputs.push("a,\"b\u{200b}".to_owned());
    for format in FORMATS {
        let decisions: Vec<Decision> = (0..600).map(|_| decision(&mut numbers)).collect();
        let mut items: Vec<Item> = Vec::new();
        for (n, decision) in decisions.iter().enumerate() {
            items.push(Item::Call(Box::new(decision.clone())));
            if n % 100 == 99 {
                items.push(Item::Notice(fault()));
            }
        }
        let whole = write(format.id, &header, &items, &summary());
        let mut out = Vec::new();
        {
            let mut report = (format.open)(header.clone(), Box::new(&mut out));
            let Some(first) = report.renderer() else {
                assert_eq!(format.id, "table", "a machine format is rendered anywhere");
                assert!(report.rendered(b"x").is_err());
                continue;
            };
            // Two of them take turns, each on a thread of its own.
            let mut renderers = [first, report.renderer().unwrap()];
            for (block, decisions) in decisions.chunks(100).enumerate() {
                let renderer: &mut Box<dyn Renderer> = &mut renderers[block % 2];
                let block = thread::scope(|scope| {
                    let render = || {
                        let mut block = Vec::new();
                        for decision in decisions {
                            renderer.append(decision, &mut block);
                        }
                        block
                    };
                    scope.spawn(render).join().unwrap()
                });
                report.rendered(b"").unwrap();
                report.rendered(&block).unwrap();
                report.notice(&fault()).unwrap();
            }
            report.finish(&summary()).unwrap();
        }
        assert_eq!(String::from_utf8(out).unwrap(), whole, "{}", format.id);
    }
}

/// What a renderer keeps of one decision does not show in the next.
#[test]
fn nothing_is_left_of_the_decision_before() {
    let mut numbers = Numbers(6);
    for format in FORMATS {
        let report = (format.open)(header(), Box::new(std::io::sink()));
        let Some(mut renderer) = report.renderer() else {
            continue;
        };
        for _ in 0..2000 {
            let decision = Decision {
                // What is known of secrets takes long to be made ready.
                args: None,
                ..decision(&mut numbers)
            };
            let (mut kept, mut fresh) = (Vec::new(), Vec::new());
            renderer.append(&decision, &mut kept);
            report.renderer().unwrap().append(&decision, &mut fresh);
            assert_eq!(String::from_utf8(kept), String::from_utf8(fresh));
        }
    }
}
