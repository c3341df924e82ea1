//! Decisions, notices and summaries made by hand, and a way to write them in a format.

#![allow(dead_code)]

use gate::audit::coverage::{Coverage, Met, RuleCoverage, StageCoverage};
use gate::audit::summary::{
    BarrierSummary, Counts, ExitSummary, Extreme, InputSummary, KindCounts, Nearest, PolicySummary,
    RateSummary, Replayed, RuleCount, RunRefusals, Settings, Summary, Violations,
};
use gate::engine::decision::{Decision, DecisionKind, Reading};
use gate::exit::{Exit, Finding};
use gate::policy::STAGE_IDS;
use gate::report::{FORMATS, Header};
use gate::trace::event::Recorded;
use gate::trace::fault::{FaultCode, Notice, NoticeKind, Place, WarningCode};
use gate::verify::robustness::{Approach, Measured};
use gate::verify::stats::Interval;

/// A record of a report.
#[derive(Clone)]
pub enum Item {
    Call(Box<Decision>),
    Notice(Notice),
}

/// What a format makes of the items and the summary.
pub fn write(format: &str, header: &Header, items: &[Item], summary: &Summary) -> String {
    let format = FORMATS.iter().find(|f| f.id == format).unwrap();
    let mut out = Vec::new();
    {
        let mut report = (format.open)(header.clone(), Box::new(&mut out));
        for item in items {
            match item {
                Item::Call(decision) => report.decision(decision, true).unwrap(),
                Item::Notice(notice) => report.notice(notice).unwrap(),
            }
        }
        report.finish(summary).unwrap();
    }
    String::from_utf8(out).unwrap()
}

pub fn header() -> Header {
    Header {
        inputs: vec!["t.jsonl".to_owned()],
        barriers: ["safety", "privacy", "resource", "scope", "stability"]
            .map(str::to_owned)
            .to_vec(),
        ..Header::default()
    }
}

pub fn reading(h: f64, next: f64) -> Reading {
    Reading {
        h,
        next: Some(next),
        slack: Some(next),
    }
}

pub fn allowed(line: u64, turn: u64, tool: &str) -> Decision {
    Decision {
        input: 0,
        line,
        run: "r1".into(),
        seq: turn,
        continues: false,
        call: format!("c{turn}"),
        turn,
        tool: tool.into(),
        labels: Vec::new(),
        agent: Some("ops".into()),
        kind: DecisionKind::Allow,
        admitted: true,
        stage: None,
        rule: None,
        broken: Vec::new(),
        reason: None,
        policy_line: None,
        policy_rule: None,
        standing: false,
        checks_passed: STAGE_IDS.iter().copied().collect(),
        checks_failed: None,
        escalated: false,
        approval: None,
        semantic_score: None,
        semantic: None,
        counterfactual: false,
        inconclusive: false,
        recorded: None,
        hazard: Vec::new(),
        composite: Some(12.26),
        barriers: vec![
            reading(0.9, 0.9),
            reading(0.5, 0.5 - 0.2 * 2.0),
            reading(10.0, 9.99),
            reading(0.8, 0.8),
            reading(50.0, 49.0),
        ],
        args_unknown: false,
        args: None,
    }
}

/// The call that the documentation of the record shows.
pub fn blocked() -> Decision {
    Decision {
        line: 7,
        seq: 3,
        call: "c3".to_owned(),
        turn: 3,
        tool: "send_email".into(),
        kind: DecisionKind::Block,
        admitted: false,
        stage: Some("dcbf"),
        rule: Some("forward_invariance"),
        broken: vec![1],
        reason: Some("privacy would fall from 0.1 to -0.1: third outbound call".to_owned()),
        checks_passed: ["gates", "privilege", "dfa", "contracts"]
            .into_iter()
            .collect(),
        checks_failed: Some("dcbf"),
        recorded: Some(Recorded::Allow),
        composite: Some(12.1),
        barriers: vec![
            reading(0.9, 0.9),
            reading(0.09999999999999998, -0.10000000000000009),
            reading(9.98, 9.97),
            reading(0.8, 0.8),
            reading(48.0, 47.0),
        ],
        ..allowed(7, 3, "send_email")
    }
}

/// A call refused by a state that was outside already, before the barriers simulated anything.
pub fn standing() -> Decision {
    let mut decision = Decision {
        rule: Some("outside_safe_set"),
        reason: Some("privacy stands at -0.1".to_owned()),
        standing: true,
        counterfactual: true,
        inconclusive: true,
        recorded: None,
        ..blocked()
    };
    decision.line = 9;
    decision.turn = 4;
    decision.seq = 4;
    decision.call = "c4".to_owned();
    for reading in &mut decision.barriers {
        reading.next = None;
        reading.slack = None;
    }
    decision.barriers[1].h = -0.10000000000000009;
    decision
}

pub fn fault() -> Notice {
    Notice {
        kind: NoticeKind::Fault(FaultCode::MalformedJson),
        place: Place {
            input: 0,
            line: 8,
            column: 13,
        },
        run: None,
        message: "expected `,` or `}`".to_owned(),
        help: Some("one record a line".to_owned()),
    }
}

pub fn warning() -> Notice {
    Notice {
        kind: NoticeKind::Warning(WarningCode::OrphanResult),
        place: Place {
            input: 0,
            line: 10,
            column: 0,
        },
        run: Some("r1".to_owned()),
        message: "result for `c9`, which the run does not have".to_owned(),
        help: None,
    }
}

pub fn items() -> Vec<Item> {
    vec![
        Item::Call(Box::new(allowed(3, 1, "sql_query"))),
        Item::Call(Box::new(blocked())),
        Item::Notice(fault()),
        Item::Call(Box::new(standing())),
        Item::Notice(warning()),
    ]
}

fn rate(hits: u64, of: u64, low: f64, high: f64) -> RateSummary {
    RateSummary {
        hits,
        of,
        rate: Some(hits as f64 / of as f64),
        interval: Some(Interval { low, high }),
        design_effect: None,
        approximate: true,
    }
}

fn extreme(value: f64, line: u64, call: &str) -> Option<Extreme> {
    Some(Extreme {
        value,
        input: 0,
        line,
        run: "r1".to_owned(),
        call: call.to_owned(),
    })
}

pub fn summary() -> Summary {
    Summary {
        inputs: vec![InputSummary {
            name: "t.jsonl".to_owned(),
            format: Some("gate"),
            format_reason: "records of gate".to_owned(),
            sha256: "3f2a91c0b7d4".repeat(5) + "abcd",
            bytes: 900,
            decompressed_bytes: 900,
            lines: 10,
            records: 8,
            blank: 1,
            faulty: 1,
            unknown_fields: 0,
            complete: true,
            error: None,
        }],
        policy: PolicySummary {
            source: "built-in".to_owned(),
            sha256: "0123456789abcdef".repeat(4),
            semantic: None,
            warnings: Vec::new(),
        },
        settings: Settings {
            replayed: Replayed {
                mode: "enforce",
                dispatch: "recorded",
                on_escalate: "block",
            },
            fail_on: vec![Finding::Block, Finding::Error, Finding::Violation],
            max_violation_rate: None,
            allow_faults: true,
            merge_runs: false,
        },
        counts: Counts {
            lines: 10,
            records: 8,
            blank: 1,
            faulty: 1,
            faults: 1,
            warnings: 1,
            runs: 1,
            inconclusive_runs: 1,
            calls: 3,
            results: 4,
            repeats: 0,
            listed: 3,
        },
        decisions: KindCounts([1, 2, 0, 0, 0]),
        rules: vec![
            RuleCount {
                stage: "dcbf",
                rule: "outside_safe_set",
                count: 1,
            },
            RuleCount {
                stage: "dcbf",
                rule: "forward_invariance",
                count: 1,
            },
        ],
        tools: [
            ("send_email".to_owned(), KindCounts([0, 2, 0, 0, 0])),
            ("sql_query".to_owned(), KindCounts([1, 0, 0, 0, 0])),
        ]
        .into(),
        violations: Violations {
            root: 1,
            standing: 1,
            runs: rate(1, 1, 0.2065, 1.0),
            root_rate: rate(1, 3, 0.0615, 0.7923),
            standing_rate: rate(1, 3, 0.0615, 0.7923),
            rate: rate(2, 3, 0.2077, 0.9385),
        },
        barriers: vec![
            BarrierSummary {
                name: "safety".to_owned(),
                least_h: extreme(0.9, 3, "c1"),
                least_slack: extreme(0.9, 3, "c1"),
                ..BarrierSummary::default()
            },
            BarrierSummary {
                name: "privacy".to_owned(),
                least_h: extreme(-0.10000000000000009, 9, "c4"),
                least_slack: extreme(-0.10000000000000009, 7, "c3"),
                root: 1,
                standing: 1,
                hazards: 0,
            },
        ],
        nearest: Some(Nearest {
            approach: Approach {
                measured: Measured {
                    barrier: 1,
                    value: -0.10000000000000009,
                    scaled: -0.20000000000000018,
                },
                order: 3,
            },
            at: extreme(-0.10000000000000009, 9, "c4").expect("a value"),
        }),
        drift: 1,
        recorded: 1,
        counterfactual: 1,
        unnamed_tools: [("sql_query".to_owned(), 1)].into(),
        refusals: vec![RunRefusals {
            input: 0,
            run: "r1".to_owned(),
            refused: 2,
            calls: 3,
        }],
        fault_codes: [("malformed_json", 1)].into(),
        warning_codes: [("orphan_result", 1)].into(),
        notices: vec![fault(), warning()],
        complete: true,
        exit: ExitSummary {
            status: Exit::Findings,
            reason: "2 calls blocked".to_owned(),
        },
        ..Summary::default()
    }
}

/// Two rules of a policy, the first of which refused a call.
pub fn coverage(name: &str) -> Coverage {
    let met = Met {
        evaluated: 3,
        decided: 1,
        stops: 2,
        unique: 1,
    };
    let rule = |policy_line, met| RuleCoverage {
        stage: "gates",
        rule: "regex",
        name: name.to_owned(),
        policy_line,
        given: None,
        met,
    };
    Coverage {
        stages: vec![StageCoverage {
            stage: "gates",
            met,
        }],
        rules: vec![rule(7, met), rule(0, Met::default())],
    }
}
