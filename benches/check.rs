//! How long it takes to look at a policy, to explore what it can reach, and to explain a call.
//!
//! `cargo bench --bench check` measures; `cargo test --bench check` runs everything once.

mod common;

use common::quick;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gate::engine::{Counted, Engine, Final, Options, Output, RunReport};
use gate::explain::explain;
use gate::explain::find::Found;
use gate::explain::tape::Tape;
use gate::import::Sink;
use gate::import::drive::{ReadOptions, read};
use gate::policy::presets::PRESETS;
use gate::policy::{Policy, PolicySource, parse};
use gate::stages::STAGES;
use gate::trace::fault::Notice;
use gate::verify::reach::{Limits, Start, explore_from};
use std::fmt::Write;
use std::hint::black_box;

/// Three pairs that share a tool, and two outbound tools.
const PAIRS: &str = r#"
[dcbf.barriers.safety]
pairs = [["tool_0", "tool_1"], ["tool_0", "tool_2"], ["tool_0", "tool_3"]]
[dcbf.barriers.privacy]
outbound = ["tool_0", "tool_3"]
"#;

/// Tools that are there.
const TOOLS: usize = 200;

/// Calls of the run that is explained.
const CALLS: usize = 500;

fn policy(text: &str) -> Policy {
    let nothing = |_: &str| Err("there are no files".to_owned());
    parse(text, "bench", PolicySource::BuiltIn, &nothing).expect("a policy")
}

/// Globs of many agents, and contracts that count.
fn large() -> String {
    let mut text = String::new();
    for n in 0..100 {
        let _ = writeln!(
            text,
            "[privilege.agents.a{n}]\ntools = [\"t{n}_*\", \"r{n}_*\"]"
        );
        let _ = writeln!(
            text,
            "[[contracts]]\ntools = [\"t{n}_*\"]\nrequire = \"count('t{n}_*') < 5\""
        );
    }
    text
}

fn check(c: &mut Criterion) {
    let mut group = c.benchmark_group("check");
    let presets = PRESETS.iter().map(|preset| {
        let policy = Policy::preset(preset.id).expect("a policy");
        (preset.id, policy)
    });
    let large = ("100 agents and contracts", policy(&large()));
    for (name, policy) in presets.chain([large]) {
        group.bench_with_input(BenchmarkId::from_parameter(name), &policy, |b, policy| {
            b.iter(|| black_box(gate::check::check(policy, None)));
        });
    }
}

fn reach(c: &mut Criterion) {
    let policy = policy(PAIRS);
    let start = Start {
        tools: (0..TOOLS).map(|n| format!("tool_{n}")).collect(),
        ..Start::default()
    };
    c.bench_function("reach/200 tools and 3 pairs", |b| {
        b.iter(|| {
            let found = explore_from(&policy, &start, Limits::default());
            assert!(found.is_safe());
            found
        });
    });
}

/// Keeps the last decision.
#[derive(Default)]
struct Last(Option<Found>);

impl Output for Last {
    fn decision(&mut self, decided: &mut Final) {
        self.0 = Some(Found::of(&decided.decision));
    }

    fn notice(&mut self, _: Notice) {}

    fn run(&mut self, _: RunReport) {}

    fn count(&mut self, _: Counted) {}
}

/// A run whose last call is refused, as the steps are spent.
fn trace() -> String {
    let mut text = String::new();
    for i in 0..CALLS {
        let tool = ["Bash", "Read", "Edit", "Grep"][i % 4];
        let _ = writeln!(
            text,
            r#"{{"type":"tool_call","run":"r","id":"c{i}","tool":"{tool}","args":{{"n":{i}}}}}"#
        );
        let _ = writeln!(
            text,
            r#"{{"type":"tool_result","run":"r","call":"c{i}","result":"done"}}"#
        );
    }
    text
}

fn feed(text: &str, sink: &mut dyn Sink) {
    let bytes = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
    let report = read(0, "t.jsonl", "t", bytes, &ReadOptions::default(), sink);
    assert!(report.complete && report.faulty == 0);
}

fn explained(c: &mut Criterion) {
    let text = trace();
    let last = CALLS - 1;
    let policy = policy(&format!(
        "[dfa]\nmax_steps = {last}\n[dcbf.barriers.stability]\nstep_budget = {last}\n"
    ));
    let mut found = Last::default();
    let mut engine = Engine::new(&policy, STAGES, Options::default(), &mut found);
    engine.begin_input(0, "t");
    feed(&text, &mut engine);
    engine.end_input();
    drop(engine);
    let mut tape = Tape::new(found.0.expect("a decision"));
    tape.begin_input("t");
    feed(&text, &mut tape);
    c.bench_function("explain/500 calls", |b| {
        b.iter(|| explain(&tape, &policy, Options::default()).expect("it comes"));
    });
}

criterion_group! {
    name = benches;
    config = quick();
    targets = check, reach, explained
}
criterion_main!(benches);
