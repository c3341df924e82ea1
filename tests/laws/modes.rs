//! The ways to replay agree where they have to: observe and enforce until record and replay part,
//! sequential dispatch and a trace whose calls settle at once.

use super::policies::{self, policies};
use super::replay::{ENFORCE, OBSERVE, Replay, SEQUENTIAL, alone, anywhere, replay, same, varied};
use super::trial::{Shape, is_call, known_outcome, members, trial};
use gate::engine::Options;
use gate::engine::decision::Decision;
use gate::trace::event::Recorded;
use serde_json::Value;

/// What a policy without postconditions says.
const UNCONDITIONAL: &[&str] = &[
    policies::DEFAULT,
    policies::TIGHT,
    policies::WHOLE,
    policies::COUNTING,
    policies::UNSOUND,
    policies::UNVERIFIED,
];

fn decisions(replay: &Replay, of: fn(&Decision) -> Decision) -> Vec<Decision> {
    replay.in_order().into_iter().map(of).collect()
}

#[test]
fn observe_and_enforce_agree_until_replay_and_record_part() {
    let policies = policies(policies::ALL);
    trial(210, Shape::ANY, 50, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let (enforced, observed) = (
            replay(policy, ENFORCE, trace),
            replay(policy, OBSERVE, trace),
        );
        let observed = observed.in_order();
        for (a, b) in enforced.in_order().iter().zip(&observed) {
            if b.counterfactual {
                return Err(format!("counterfactual where all was observed: {b:?}"));
            }
            // The call at which they part: recorded as blocked and allowed here, it ran in one replay
            // and not in the other, so that its postconditions are looked at in one alone.
            let parting = b.admitted && b.recorded == Some(Recorded::Block);
            if !a.counterfactual && !parting && a != b {
                return Err(format!("before they parted\n{a:?}\n{b:?}"));
            }
        }
        let count = (enforced.decided.len(), observed.len());
        let equal = count.0 == count.1;
        equal.then_some(()).ok_or(format!("{count:?} decisions"))
    });
}

/// Where record and replay part is known from the records alone: an executed call that was refused,
/// or a call recorded as blocked that was allowed.
#[test]
fn calls_are_counterfactual_from_there_on_and_not_before() {
    let policies = policies(policies::ALL);
    let shape = Shape {
        inline_only: true,
        ends: false,
        explicit: true,
        repeats: false,
        ..Shape::ANY
    };
    trial(140, shape, 50, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let replay = replay(policy, ENFORCE, trace);
        for run in super::trial::run_ids(trace) {
            let mut parted = false;
            for decision in replay.of_run(&run) {
                // A call that waits is resolved by the next record, before that is judged.
                if decision.counterfactual != parted {
                    return Err(format!("expected {parted}: {decision:?}"));
                }
                let blocked = trace[decision.line as usize - 1]["decision"] == "block";
                parted |= decision.admitted == blocked;
            }
        }
        Ok(())
    });
}

/// The trace with an outcome on every call, saying nothing but that it had no error.
fn settled_at_once(trace: &[Value]) -> Vec<Value> {
    let settled = |record: &Value| {
        let mut record = record.clone();
        if is_call(&record) {
            members(&mut record).remove("batch");
            if !known_outcome(&record) {
                record["error"] = false.into();
            }
        }
        record
    };
    trace.iter().map(settled).collect()
}

#[test]
fn sequential_dispatch_is_a_trace_whose_calls_settle_at_once() {
    let policies = policies(UNCONDITIONAL);
    let shape = Shape {
        recorded: false,
        repeats: false,
        ..Shape::ANY
    };
    trial(180, shape, 50, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let options = |options: Options| Options {
            allow_escalated: case % 2 == 0,
            ..options
        };
        let sequential = replay(policy, options(SEQUENTIAL), trace);
        let at_once = replay(policy, options(ENFORCE), &settled_at_once(trace));
        // Whether a refused call ran is known earlier where its outcome is inline.
        same(
            "sequential",
            &decisions(&sequential, alone),
            &decisions(&at_once, alone),
        )?;
        let hazard = sequential
            .decided
            .iter()
            .find(|d| !d.decision.hazard.is_empty());
        hazard.map_or(Ok(()), |d| Err(format!("a hazard of one call: {d:?}")))
    });
}

#[test]
fn sequential_dispatch_leaves_inline_outcomes_as_they_are() {
    let policies = policies(policies::ALL);
    let shape = Shape {
        inline_only: true,
        ..Shape::ANY
    };
    trial(140, shape, 50, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let options = Options {
            dispatch: SEQUENTIAL.dispatch,
            ..varied(case)
        };
        let recorded = Options {
            dispatch: ENFORCE.dispatch,
            ..options
        };
        let sequential = replay(policy, options, trace);
        let at_once = replay(policy, recorded, &settled_at_once(trace));
        same(
            "sequential",
            &decisions(&sequential, anywhere),
            &decisions(&at_once, anywhere),
        )
    });
}

/// A hazard belongs to calls that may run.
#[test]
fn only_admitted_calls_carry_hazards() {
    let touchy = "[semantic]\nembedder = \"recorded\"\nescalate = 0.3\nblock = 0.4\n";
    let policies = policies(&[touchy]);
    trial(200, Shape::ANY, 60, |case, trace| {
        let policy = &policies[0];
        let replay = replay(policy, varied(case), trace);
        let mut decided = replay.decided.iter().map(|d| &d.decision);
        let wrong = decided.find(|d| !d.admitted && !d.hazard.is_empty());
        wrong.map_or(Ok(()), |d| Err(format!("{d:?}")))
    });
}
