//! An inspection counts what a replay decides about.

use super::policies::{policies, policy};
use super::replay::{ENFORCE, replay_bytes};
use super::trial::{Shape, is_call, known_outcome, lines, trial};
use gate::audit::verdict::Leniency;
use gate::engine::Counted;
use gate::import::drive::{ReadOptions, read};
use gate::inspect::Inspector;
use gate::inspect::contents::Contents;
use gate::inspect::facts::Fact;
use gate::policy::Policy;
use gate::trace::event::Recorded;
use std::collections::BTreeMap;

fn inspect(policy: Option<&Policy>, bytes: &[u8]) -> Contents {
    let mut inspector = Inspector::new(policy);
    inspector.begin_input(0, "t");
    let options = ReadOptions::default();
    read(0, "t.jsonl", "t", Box::new(bytes), &options, &mut inspector);
    inspector.end_input();
    let inputs = vec![Default::default()];
    inspector.finish(inputs, Leniency::default()).total
}

/// Lets the phase machine alone end runs, and nothing else refuse.
const ENDS_ONLY: &str = "
[pipeline]
disable = [\"gates\", \"privilege\", \"contracts\", \"dcbf\", \"semantic\"]
[dfa]
max_steps = 1000000
max_loops = 1000000
";

#[test]
fn runs_calls_and_repeats_are_those_of_a_replay() {
    let policy = policy(ENDS_ONLY);
    trial(300, Shape::ANY, 60, |_, trace| {
        let bytes = lines(trace);
        let (found, replay) = (
            inspect(None, &bytes),
            replay_bytes(&policy, ENFORCE, &bytes),
        );
        let decisions = replay.decided.iter().map(|d| &d.decision);
        let mut tools: BTreeMap<Box<str>, u64> = BTreeMap::new();
        for decision in decisions.clone() {
            *tools.entry((*decision.tool).into()).or_default() += 1;
        }
        let agents = decisions.clone().filter(|d| d.agent.is_some()).count() as u64;
        let recorded = decisions
            .clone()
            .filter(|d| d.recorded == Some(Recorded::Block));
        let repeats = replay.counted.iter().filter(|c| **c == Counted::Repeat);
        let runs = replay.runs.iter().filter(|run| !run.continues);
        let results = replay.counted.iter();
        let results = results.filter(|c| matches!(c, Counted::Result { .. }));
        let mut notices: BTreeMap<&str, u64> = BTreeMap::new();
        for notice in &replay.notices {
            *notices.entry(notice.kind.code()).or_default() += 1;
        }
        let mut told = found.faults;
        told.extend(found.warnings);
        let seen = (
            told,
            found.runs,
            found.calls,
            found.repeated,
            found.results,
            found.known.of(Fact::Agent),
            found.decisions[1],
            found.tools,
        );
        let expected = (
            notices,
            runs.count() as u64,
            replay.decided.len() as u64,
            repeats.count() as u64,
            results.count() as u64,
            agents,
            recorded.count() as u64,
            tools,
        );
        let equal = seen == expected;
        equal.then_some(()).ok_or(format!("{seen:?}\n{expected:?}"))
    });
}

/// Where every call says itself how it came out, what is known can be told from the lines.
#[test]
fn what_is_known_of_calls_is_what_their_records_say() {
    let shape = Shape {
        inline_only: true,
        ends: false,
        explicit: true,
        repeats: false,
        ..Shape::ANY
    };
    trial(150, shape, 60, |_, trace| {
        let found = inspect(None, &lines(trace));
        let calls: Vec<_> = trace.iter().filter(|r| is_call(r)).collect();
        let with = |key: &str| calls.iter().filter(|c| !c[key].is_null()).count() as u64;
        let known = |fact| found.known.of(fact);
        let failed = calls.iter().filter(|c| c["error"] == true).count() as u64;
        let outcomes = calls.iter().filter(|c| known_outcome(c)).count() as u64;
        let seen = [
            (known(Fact::Result), with("result")),
            (known(Fact::Outcome), outcomes),
            (known(Fact::Failure), failed),
            (known(Fact::Cost), with("cost_usd")),
            (known(Fact::Tokens), with("tokens")),
            (known(Fact::Score), with("semantic_score")),
            (known(Fact::Estimate), with("estimated_cost_usd")),
            (found.decisions.iter().sum(), with("decision")),
            (found.batched, with("batch")),
            (found.context_embeddings, with("context_embedding")),
            (found.made_ids, 0),
            (found.args_unknown(), 0),
        ];
        let equal = seen.iter().all(|(a, b)| a == b);
        equal.then_some(()).ok_or(format!("{seen:?}"))
    });
}

#[test]
fn labels_are_those_of_a_replay() {
    let texts = [
        super::policies::WHOLE,
        "[[labels]]\nlabel = \"x\"\nwhen = 'call.args.n > 2'\n",
    ];
    let policies = policies(&texts);
    trial(150, Shape::ANY, 40, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let bytes = lines(trace);
        let (found, replay) = (
            inspect(Some(policy), &bytes),
            replay_bytes(policy, ENFORCE, &bytes),
        );
        let mut labels: BTreeMap<(Box<str>, Box<str>), u64> = BTreeMap::new();
        for decision in replay.decided.iter().map(|d| &d.decision) {
            let record = &trace[decision.line as usize - 1];
            let own = record["labels"].as_array().cloned().unwrap_or_default();
            for label in decision
                .labels
                .iter()
                .filter(|label| !own.contains(&label.as_str().into()))
            {
                let key = ((**label).into(), (*decision.tool).into());
                *labels.entry(key).or_default() += 1;
            }
        }
        let equal = found.labels == labels;
        equal
            .then_some(())
            .ok_or(format!("{:?}\n{labels:?}", found.labels))?;
        let whole = found
            .needs
            .iter()
            .all(|met| met.calls <= met.of && met.of <= found.calls);
        whole.then_some(()).ok_or(format!("{:?}", found.needs))
    });
}

/// What two inputs hold together is what they hold one after the other.
#[test]
fn counts_of_inputs_add_up() {
    let policy = policy(super::policies::WHOLE);
    trial(60, Shape::ANY, 40, |_, trace| {
        let one = inspect(Some(&policy), &lines(trace));
        let mut sum = Contents::new(one.needs.len());
        sum.merge(&one);
        let equal = sum == one;
        equal.then_some(()).ok_or(format!("{one:?}\n{sum:?}"))
    });
}
