//! The program and the second, naive telling of the defaults agree on random traces.

use super::naive::{self, BARRIERS, Said};
use super::replay::{ENFORCE, OBSERVE, replay};
use super::trial::{Shape, trial};
use gate::engine::decision::{Decision, Reading};
use gate::policy::Policy;
use serde_json::Value;

fn said(decision: &Decision) -> Said {
    let next: Option<Vec<f64>> = decision.barriers.iter().map(|r| r.next).collect();
    let simulated = next.filter(|next| !next.is_empty());
    Said {
        line: decision.line as usize,
        run: decision.run.to_string(),
        seq: decision.seq,
        call: decision.call.clone(),
        turn: decision.turn,
        decision: decision.kind.as_str(),
        stage: decision.stage,
        rule: decision.rule,
        broken: decision.broken.clone(),
        standing: decision.standing,
        counterfactual: decision.counterfactual,
        inconclusive: decision.inconclusive,
        hazard: decision.hazard.clone(),
        h: decision.barriers.iter().map(|r| r.h).collect(),
        next: simulated,
    }
}

/// The same, with cosines that differ in their last digits taken as equal.
fn near(mut a: Said, b: &Said) -> Said {
    const SCOPE: usize = 3;
    let close = |x: &mut f64, y: f64| {
        if (*x - y).abs() < 1e-12 {
            *x = y;
        }
    };
    if let (Some(x), Some(y)) = (a.h.get_mut(SCOPE), b.h.get(SCOPE)) {
        close(x, *y);
    }
    if let (Some(x), Some(y)) = (&mut a.next, &b.next) {
        close(&mut x[SCOPE], y[SCOPE]);
    }
    a
}

/// What follows from the readings by themselves.
fn derived(decision: &Decision) -> Result<(), String> {
    let average: f64 = decision.barriers.iter().map(|r| r.h).sum::<f64>() / BARRIERS.len() as f64;
    let composite = decision.composite.unwrap_or(average);
    let reached = decision.composite.is_none() == decision.barriers.is_empty();
    // alpha(h) is h, so that the floor is zero.
    let slack = |r: &Reading| r.slack == r.next;
    let passed: &[&str] = match (decision.stage, decision.rule) {
        (Some("dfa"), Some("answering" | "rejected" | "exhausted")) => &[],
        (Some("dfa"), _) => &["gates", "privilege"],
        (Some("dcbf"), _) => &["gates", "privilege", "dfa", "contracts"],
        _ => &["gates", "privilege", "dfa", "contracts", "dcbf", "semantic"],
    };
    let failed: Vec<&str> = decision.stage.into_iter().collect();
    let holds = reached
        && (composite - average).abs() < 1e-12
        && decision.barriers.iter().all(slack)
        && *decision.checks_passed == *passed
        && decision.checks_failed == failed
        && decision.admitted == (decision.kind.as_str() == "allow")
        && !decision.escalated;
    holds.then_some(()).ok_or(format!("{decision:?}"))
}

fn compare(policy: &Policy, trace: &[Value], observe: bool) -> Result<(), String> {
    let options = if observe { OBSERVE } else { ENFORCE };
    let replay = replay(policy, options, trace);
    let expected = naive::replay(trace, observe);
    let decisions = replay.in_order();
    for (decision, expected) in decisions.iter().zip(&expected) {
        let got = near(said(decision), expected);
        if got != *expected {
            return Err(format!(
                "observe {observe}\nexpected {expected:?}\ngot      {got:?}"
            ));
        }
        derived(decision)?;
    }
    let counts = (decisions.len(), expected.len());
    (counts.0 == counts.1)
        .then_some(())
        .ok_or(format!("{counts:?} decisions"))
}

#[test]
fn the_barriers_have_their_names() {
    let policy = Policy::built_in();
    let names: Vec<_> = policy.dcbf.barriers.iter().map(|b| &*b.name).collect();
    assert_eq!(names, BARRIERS);
}

#[test]
fn random_traces_get_the_same_decisions() {
    let policy = Policy::built_in();
    trial(280, Shape::ANY, 60, |_, trace| {
        compare(&policy, trace, false)?;
        compare(&policy, trace, true)
    });
}

#[test]
fn long_runs_get_the_same_decisions() {
    let policy = Policy::built_in();
    let shape = Shape {
        ends: false,
        ..Shape::ANY
    };
    trial(25, shape, 300, |_, trace| {
        compare(&policy, trace, false)?;
        compare(&policy, trace, true)
    });
}
