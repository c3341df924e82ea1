//! Decisions are filled in again once they have been given: what stood in one does not show in the next.

use super::policies::{self, policies};
use super::replay::{replay, varied};
use super::trial::{Shape, lines, trial};
use gate::engine::decision::{DecisionKind, Reading};
use gate::engine::{Counted, Engine, Final, Output, RunReport};
use gate::import::drive::{ReadOptions, read};
use gate::policy::Policy;
use gate::stages::STAGES;
use gate::trace::event::{ApprovalOutcome, GroundTruth, Recorded};
use gate::trace::fault::Notice;
use serde_json::Value;

/// Copies decisions and leaves each as wrong as it can be.
#[derive(Default)]
struct Spoiler(Vec<Final>);

impl Output for Spoiler {
    fn decision(&mut self, decided: &mut Final) {
        self.0.push(decided.clone());
        spoil(decided);
    }

    fn notice(&mut self, _: Notice) {}

    fn run(&mut self, _: RunReport) {}

    fn count(&mut self, _: Counted) {}
}

fn spoil(decided: &mut Final) {
    (decided.unscored, decided.without_intent) = (true, true);
    (decided.scope_inert, decided.concurrent) = (true, true);
    (decided.named, decided.mediated) = (true, false);
    decided.label = Some(GroundTruth::Attack);
    decided.probed = Some(Box::default());
    decided.weighed = Some(Box::default());
    let wrong = || "wrong".to_owned();
    let decision = &mut decided.decision;
    (decision.input, decision.line) = (77, 777);
    (decision.seq, decision.turn) = (777, 777);
    (decision.run, decision.tool) = (wrong().into(), wrong().into());
    decision.call = wrong();
    decision.labels.push(wrong());
    decision.agent = Some(wrong().into());
    (decision.kind, decision.admitted) = (DecisionKind::Withhold, true);
    (decision.stage, decision.rule) = (Some("wrong"), Some("wrong"));
    decision.broken.push(7);
    (decision.reason, decision.policy_rule) = (Some(wrong()), Some(wrong()));
    decision.policy_line = Some(7);
    decision.standing = true;
    decision.checks_passed = Default::default();
    decision.checks_failed = Some("wrong");
    decision.escalated = true;
    decision.approval = Some(ApprovalOutcome::Denied);
    decision.semantic_score = Some(7.0);
    (decision.counterfactual, decision.inconclusive) = (true, true);
    decision.recorded = Some(Recorded::Withhold);
    decision.hazard.push(7);
    decision.composite = Some(7.0);
    decision.barriers.push(Reading {
        h: -7.0,
        next: Some(-7.0),
        slack: None,
    });
    decision.args_unknown = true;
    decision.args = Some(wrong());
}

fn spoiled(policy: &Policy, case: u64, trace: &[Value]) -> Vec<Final> {
    let (mut out, bytes) = (Spoiler::default(), lines(trace));
    let mut engine = Engine::new(policy, STAGES, varied(case), &mut out);
    engine.begin_input(0, "t");
    let options = ReadOptions::default();
    let source = Box::new(&bytes[..]);
    read(0, "t.jsonl", "t", source, &options, &mut engine);
    engine.end_input();
    drop(engine);
    out.0
}

#[test]
fn what_stood_in_a_used_decision_does_not_show() {
    let policies = policies(policies::ALL);
    trial(140, Shape::ANY, 40, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let fresh = replay(policy, varied(case), trace).decided;
        let used = spoiled(policy, case, trace);
        match fresh == used {
            true => Ok(()),
            false => Err(format!("{fresh:?}\n{used:?}")),
        }
    });
}
