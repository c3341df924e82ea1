//! Replays with the library, and ways to compare what came out.

use super::trial::lines;
use gate::engine::decision::Decision;
use gate::engine::{Counted, Dispatch, Engine, Final, Mode, Options, Output, RunReport};
use gate::import::drive::{InputReport, ReadOptions, read};
use gate::policy::Policy;
use gate::stages::STAGES;
use gate::trace::fault::Notice;
use serde_json::Value;
use std::io::Read;

/// Everything a replay gave.
#[derive(Debug, Default, PartialEq)]
pub struct Replay {
    pub decided: Vec<Final>,
    pub notices: Vec<Notice>,
    pub runs: Vec<RunReport>,
    pub counted: Vec<Counted>,
    pub report: InputReport,
}

impl Output for Replay {
    fn decision(&mut self, decided: &mut Final) {
        self.decided.push(std::mem::take(decided));
    }

    fn notice(&mut self, notice: Notice) {
        self.notices.push(notice);
    }

    fn run(&mut self, report: RunReport) {
        self.runs.push(report);
    }

    fn count(&mut self, what: Counted) {
        self.counted.push(what);
    }
}

pub const ENFORCE: Options = Options {
    mode: Mode::Enforce,
    dispatch: Dispatch::Recorded,
    allow_escalated: false,
    keep_args: false,
    labels_given: false,
    merge_runs: false,
    weigh: false,
    weigh_only: None,
    weigh_alone: false,
    wordless: false,
};

pub const OBSERVE: Options = Options {
    mode: Mode::Observe,
    ..ENFORCE
};

pub const SEQUENTIAL: Options = Options {
    dispatch: Dispatch::Sequential,
    ..ENFORCE
};

/// Options that differ from case to case.
pub fn varied(case: u64) -> Options {
    let pick = |bit: u64| case >> bit & 1 == 1;
    Options {
        mode: if pick(0) {
            Mode::Observe
        } else {
            Mode::Enforce
        },
        dispatch: if case % 5 == 4 {
            Dispatch::Sequential
        } else {
            Dispatch::Recorded
        },
        allow_escalated: pick(1),
        keep_args: pick(2),
        labels_given: false,
        merge_runs: false,
        weigh: false,
        weigh_only: None,
        weigh_alone: false,
        wordless: pick(3),
    }
}

pub fn replay(policy: &Policy, options: Options, trace: &[Value]) -> Replay {
    let bytes = lines(trace);
    replay_from(policy, options, Box::new(&bytes[..]))
}

pub fn replay_bytes(policy: &Policy, options: Options, bytes: &[u8]) -> Replay {
    replay_from(policy, options, Box::new(bytes))
}

pub fn replay_from(policy: &Policy, options: Options, bytes: Box<dyn Read + Send + '_>) -> Replay {
    let mut out = Replay::default();
    let mut engine = Engine::new(policy, STAGES, options, &mut out);
    engine.begin_input(0, "t");
    let report = read(
        0,
        "t.jsonl",
        "t",
        bytes,
        &ReadOptions::default(),
        &mut engine,
    );
    engine.end_input();
    drop(engine);
    out.report = report;
    out
}

impl Replay {
    /// The decisions in the order of the calls in the trace.
    pub fn in_order(&self) -> Vec<&Decision> {
        let mut decisions: Vec<&Decision> = self.decided.iter().map(|d| &d.decision).collect();
        decisions.sort_by_key(|d| d.line);
        decisions
    }

    /// The same, of one run.
    pub fn of_run(&self, run: &str) -> Vec<&Decision> {
        let mut decisions = self.in_order();
        decisions.retain(|d| &*d.run == run);
        decisions
    }
}

/// A decision without where it stands.
pub fn anywhere(decision: &Decision) -> Decision {
    Decision {
        line: 0,
        ..decision.clone()
    }
}

/// A decision without where it stands and what is known of the run around it.
pub fn alone(decision: &Decision) -> Decision {
    Decision {
        counterfactual: false,
        inconclusive: false,
        ..anywhere(decision)
    }
}

/// Says where two lists of decisions differ first.
pub fn same(what: &str, a: &[Decision], b: &[Decision]) -> Result<(), String> {
    for (a, b) in a.iter().zip(b) {
        if a != b {
            return Err(format!("{what}: these differ\n{a:?}\n{b:?}"));
        }
    }
    if a.len() != b.len() {
        return Err(format!("{what}: {} decisions and {}", a.len(), b.len()));
    }
    Ok(())
}
