//! What is read first is decided first: nothing that comes later changes a decision that was given.

use super::policies::{self, policies};
use super::replay::{Replay, replay, varied};
use super::trial::{Shape, lines, trial};
use gate::engine::{Counted, Engine, Final, Output, RunReport};
use gate::import::Sink;
use gate::import::drive::{ReadOptions, read};
use gate::policy::Policy;
use gate::stages::STAGES;
use gate::trace::event::Event;
use gate::trace::fault::{Notice, Place};
use serde_json::Value;

use std::sync::{Arc, Mutex};

/// Decisions that several look at.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Replay>>);

impl Output for Shared {
    fn decision(&mut self, decided: &mut Final) {
        self.0.lock().expect("one thread").decision(decided);
    }

    fn notice(&mut self, notice: Notice) {
        self.0.lock().expect("one thread").notice(notice);
    }

    fn run(&mut self, report: RunReport) {
        self.0.lock().expect("one thread").run(report);
    }

    fn count(&mut self, what: Counted) {
        self.0.lock().expect("one thread").count(what);
    }
}

/// Hands records on and notes how many decisions there are after each.
struct Watched<'a> {
    engine: Engine<'a>,
    seen: Shared,
    /// Decisions that were final after each record.
    after: Vec<usize>,
}

impl Sink for Watched<'_> {
    fn event(&mut self, place: Place, event: Event<'_>) {
        self.engine.event(place, event);
        self.after
            .push(self.seen.0.lock().expect("one thread").decided.len());
    }

    fn notice(&mut self, notice: Notice) {
        self.engine.notice(notice);
    }
}

/// How many decisions were final after each record.
fn finals(policy: &Policy, case: u64, trace: &[Value]) -> Vec<usize> {
    let mut out = Shared::default();
    let mut watched = Watched {
        seen: out.clone(),
        engine: Engine::new(policy, STAGES, varied(case), &mut out),
        after: Vec::new(),
    };
    watched.engine.begin_input(0, "t");
    let bytes = lines(trace);
    let options = ReadOptions::default();
    read(
        0,
        "t.jsonl",
        "t",
        Box::new(&bytes[..]),
        &options,
        &mut watched,
    );
    watched.after
}

#[test]
fn decisions_on_a_prefix_are_a_prefix_of_the_decisions() {
    let policies = policies(policies::ALL);
    trial(140, Shape::ANY, 40, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let whole = replay(policy, varied(case), trace);
        let finals = finals(policy, case, trace);
        for (cut, &known) in (1..=trace.len()).zip(&finals).step_by(3) {
            let part = replay(policy, varied(case), &trace[..cut]);
            let (a, b) = (part.decided.get(..known), whole.decided.get(..known));
            if a.is_none() || a != b {
                return Err(format!("after {cut} records: {a:?}\n{b:?}"));
            }
            // What had to wait is decided at the end of the prefix: no call is without a decision.
            let calls = |r: &Replay| {
                let lines = r.decided.iter().map(|d| d.decision.line);
                let mut lines: Vec<u64> = lines.filter(|&line| line <= cut as u64).collect();
                lines.sort_unstable();
                lines
            };
            if calls(&part) != calls(&whole) {
                return Err(format!("after {cut} records other calls are decided"));
            }
        }
        Ok(())
    });
}

/// One call waits for its result, a later one for somebody to decide; the next turn ends both.
#[test]
fn decisions_that_become_final_together_stand_in_call_order() {
    let trace: Vec<Value> = [
        r#"{"tool":"think","turn":1}"#,
        r#"{"tool":"look","turn":1,"semantic_score":0.6}"#,
        r#"{"tool":"search","turn":1}"#,
        r#"{"tool":"look","turn":2}"#,
    ]
    .iter()
    .map(|line| serde_json::from_str(line).expect("JSON"))
    .collect();
    let policy = &policies(&[policies::ENSURING])[0];
    assert_eq!(finals(policy, 0, &trace), [0, 0, 1, 4]);
    for case in 0..4 {
        let whole = replay(policy, varied(case), &trace);
        let order: Vec<u64> = whole.decided.iter().map(|d| d.decision.seq).collect();
        assert_eq!(order, [2, 1, 3, 4]);
    }
    let trace = [&trace[..2], &trace[3..]].concat();
    let whole = replay(policy, varied(0), &trace);
    let order: Vec<u64> = whole.decided.iter().map(|d| d.decision.seq).collect();
    assert_eq!(order, [1, 2, 3]);
}
