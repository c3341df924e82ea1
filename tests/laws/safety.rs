//! What enforcing guarantees: admitted calls keep the run inside the safe set, and what is admitted
//! does not depend on what was refused.

use super::policies::{self, policies};
use super::replay::{ENFORCE, SEQUENTIAL, replay};
use super::trial::{Shape, is_call, members, run_ids, trial};
use serde_json::Value;

/// Policies whose class-K functions are sound, and whose barriers fall by no more than what is
/// simulated.
const SOUND: &[&str] = &[
    policies::DEFAULT,
    policies::TIGHT,
    policies::WHOLE,
    policies::ENSURING,
    policies::COUNTING,
];

#[test]
fn every_state_that_admitted_calls_reach_is_safe() {
    let policies = policies(SOUND);
    let shape = Shape {
        honest: true,
        inline_only: true,
        ..Shape::ANY
    };
    trial(180, shape, 70, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let scope = policy.dcbf.barriers.iter();
        let scope = scope.into_iter().position(|spec| spec.name == "scope");
        let replay = replay(policy, SEQUENTIAL, trace);
        for decided in &replay.decided {
            let decision = &decided.decision;
            let call = &trace[decision.line as usize - 1];
            let own = !call["context_embedding"].is_null() || !call["action_embedding"].is_null();
            for (i, reading) in decision.barriers.iter().enumerate() {
                let by_itself = own && Some(i) == scope;
                if !reading.h.ge(&0.0) && !by_itself {
                    return Err(format!("barrier {i} was left negative: {decision:?}"));
                }
            }
            let by_state = decision.standing && decision.is_violation();
            if by_state || (decision.rule == Some("outside_safe_set") && !own) {
                return Err(format!("the state alone refuses: {decision:?}"));
            }
            // What is simulated is what comes: nothing admitted lies below its floor.
            let below = |r: &gate::engine::decision::Reading| r.slack.is_none_or(|s| s < 0.0);
            if decision.admitted && decision.barriers.iter().any(below) {
                return Err(format!("admitted below a floor: {decision:?}"));
            }
        }
        Ok(())
    });
}

/// Policies without budgets of refusals and repeats.
const TRANSPARENT: &[&str] = &[
    policies::DEFAULT,
    policies::TIGHT,
    policies::ENSURING,
    policies::UNSOUND,
    policies::UNVERIFIED,
    policies::WHOLE,
];

/// The trace without the calls that were refused and what follows from them.
fn admitted_only(trace: &[Value], refused: &[(String, String)]) -> Vec<Value> {
    let kept = |record: &&Value| {
        let key = if is_call(record) { "id" } else { "call" };
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        !refused.contains(&(text("run"), text(key)))
    };
    trace.iter().filter(kept).cloned().collect()
}

fn transparency(sequential: bool, shape: Shape, cases: u64, policies: &[gate::policy::Policy]) {
    trial(cases, shape, 60, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let options = if sequential { SEQUENTIAL } else { ENFORCE };
        let first = replay(policy, options, trace);
        let refused: Vec<_> = first
            .in_order()
            .iter()
            .filter(|d| !d.admitted)
            .map(|d| (d.run.to_string(), d.call.clone()))
            .collect();
        let again = replay(policy, options, &admitted_only(trace, &refused));
        for run in run_ids(trace) {
            let mut before = first.of_run(&run);
            before.retain(|d| d.admitted);
            let after = again.of_run(&run);
            if before.len() != after.len() {
                return Err(format!("{} calls and {}", before.len(), after.len()));
            }
            for (a, b) in before.iter().zip(&after) {
                if (&a.call, a.kind, a.admitted) != (&b.call, b.kind, b.admitted) {
                    return Err(format!("no longer admitted\n{a:?}\n{b:?}"));
                }
                if sequential && a.barriers != b.barriers {
                    return Err(format!("another state\n{a:?}\n{b:?}"));
                }
            }
        }
        Ok(())
    });
}

const EXPLICIT: Shape = Shape {
    explicit: true,
    ends: false,
    repeats: false,
    ..Shape::ANY
};

#[test]
fn what_is_admitted_does_not_depend_on_what_was_refused() {
    transparency(true, EXPLICIT, 180, &policies(TRANSPARENT));
}

#[test]
fn nor_does_it_where_calls_are_in_flight() {
    // Without history functions, whose answers change with when calls settle.
    let policies = policies(&TRANSPARENT[..5]);
    transparency(false, EXPLICIT, 180, &policies);
}

/// A refused call leaves the state as it was, but for the loop count.
#[test]
fn refused_calls_change_no_barrier() {
    let policies = policies(SOUND);
    let shape = Shape {
        inline_only: true,
        ends: false,
        repeats: false,
        ..Shape::ANY
    };
    trial(150, shape, 60, |case, trace| {
        let mut bare = trace.to_vec();
        for record in bare.iter_mut().map(members) {
            record.remove("context_embedding");
            record.remove("action_embedding");
        }
        let policy = &policies[case as usize % policies.len()];
        let replay = replay(policy, SEQUENTIAL, &bare);
        for run in run_ids(trace) {
            let decisions = replay.of_run(&run);
            let judged: Vec<_> = decisions
                .iter()
                .filter(|d| !d.barriers.is_empty())
                .collect();
            for pair in judged.windows(2) {
                let between = decisions
                    .iter()
                    .filter(|d| (pair[0].seq..pair[1].seq).contains(&d.seq) && d.admitted);
                if between.count() > 0 {
                    continue;
                }
                let h = |d: &gate::engine::decision::Decision| -> Vec<f64> {
                    d.barriers.iter().map(|r| r.h).collect()
                };
                if h(pair[0]) != h(pair[1]) {
                    return Err(format!("{:?}\n{:?}", pair[0], pair[1]));
                }
            }
        }
        Ok(())
    });
}
