//! How long a replay and each of its parts take on traces made in memory: the reader, the engine without
//! a stage and with each of them, what is written in each format, and all of it together.
//!
//! `cargo bench --bench replay` measures; `cargo test --bench replay` runs everything once.

mod common;

use common::{Trace, feed, quick, traces};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gate::audit::filter::Filter;
use gate::audit::summary::{PolicySummary, Summary};
use gate::audit::tally::Tally;
use gate::audit::{Audit, Outlet};
use gate::engine::{Counted, Engine, Final, Options, Output, RunReport};
use gate::import::Sink;
use gate::policy::{Policy, PolicySource, parse, presets};
use gate::report::{FORMATS, Format, Header, Report};
use gate::stages::{STAGES, Stage};
use gate::trace::event::Event;
use gate::trace::fault::{Notice, Place};
use std::hint::black_box;

/// Calls in each trace.
const CALLS: usize = 2000;

/// A policy that has rules for every stage.
fn full() -> Policy {
    let text = presets::find("coding-agent").expect("a preset").text;
    let nothing = |_: &str| Err("there are no files".to_owned());
    parse(text, "bench", PolicySource::BuiltIn, &nothing).expect("a policy")
}

/// A report that is written to nowhere.
fn report(format: &Format, policy: &Policy) -> Box<dyn Report> {
    let header = Header {
        inputs: vec!["t.jsonl".into()],
        barriers: names(policy).collect(),
        ..Header::default()
    };
    (format.open)(header, Box::new(std::io::sink()))
}

fn names(policy: &Policy) -> impl Iterator<Item = String> {
    policy.dcbf.barriers.iter().map(|spec| spec.name.clone())
}

/// Replays a trace from bytes to bytes of a format.
fn replay(trace: &Trace, policy: &Policy, format: &Format) {
    let tally = Tally::new(names(policy), STAGES.iter().map(|s| s.id()).collect());
    let reports = vec![Outlet::new(report(format, policy), true)];
    let mut audit = Audit::new(tally, Filter::default(), reports);
    let mut engine = Engine::new(policy, STAGES, Options::default(), &mut audit);
    engine.begin_input(0, "t");
    feed(trace, &mut engine);
    engine.end_input();
    drop(engine);
    audit.tally().summary().policy = PolicySummary::of(policy);
    let summary = std::mem::take(audit.tally()).finish();
    assert_eq!(summary.counts.calls, CALLS as u64);
    assert!(audit.finish(summary).iter().all(Option::is_none));
}

/// Takes events and lets them go.
struct Counter(usize);

impl Sink for Counter {
    fn event(&mut self, _: Place, event: Event<'_>) {
        black_box(&event);
        self.0 += 1;
    }

    fn notice(&mut self, notice: Notice) {
        panic!("{notice:?}");
    }
}

/// Hands decisions on.
struct Decisions<F>(F);

impl<F: FnMut(&mut Final) + Send> Output for Decisions<F> {
    fn decision(&mut self, decided: &mut Final) {
        (self.0)(decided);
    }

    fn notice(&mut self, _: Notice) {}

    fn run(&mut self, _: RunReport) {}

    fn count(&mut self, _: Counted) {}
}

type Events = Vec<(Place, Event<'static>)>;

/// Keeps events for the engine alone.
#[derive(Default)]
struct Keep(Events);

impl Keep {
    fn of(trace: &Trace) -> Events {
        let mut keep = Keep::default();
        feed(trace, &mut keep);
        keep.0
    }
}

impl Sink for Keep {
    fn event(&mut self, place: Place, event: Event<'_>) {
        self.0.push((place, event.into_owned()));
    }

    fn notice(&mut self, notice: Notice) {
        panic!("{notice:?}");
    }
}

/// Replays events, without reading and without a report.
fn judge(
    events: Events,
    policy: &Policy,
    stages: &[&'static dyn Stage],
    took: impl FnMut(&mut Final) + Send,
) {
    let mut engine = Engine::new(policy, stages, Options::default(), Decisions(took));
    engine.begin_input(0, "t");
    for (place, event) in events {
        engine.event(place, event);
    }
    engine.end_input();
}

fn replays(c: &mut Criterion) {
    let policy = Policy::built_in();
    for format in FORMATS {
        let mut group = c.benchmark_group(format!("replay_{}", format.id));
        for trace in &traces(CALLS) {
            group.throughput(Throughput::Bytes(trace.bytes.len() as u64));
            let id = BenchmarkId::from_parameter(trace.name);
            group.bench_with_input(id, trace, |b, trace| {
                b.iter(|| replay(trace, &policy, format));
            });
        }
    }
}

fn reader(c: &mut Criterion) {
    let mut group = c.benchmark_group("reader");
    for trace in &traces(CALLS) {
        group.throughput(Throughput::Bytes(trace.bytes.len() as u64));
        let id = BenchmarkId::from_parameter(trace.name);
        group.bench_with_input(id, trace, |b, trace| {
            b.iter(|| {
                let mut counter = Counter(0);
                feed(trace, &mut counter);
                counter.0
            });
        });
    }
}

fn engine(c: &mut Criterion) {
    let policy = Policy::built_in();
    let mut group = c.benchmark_group("engine");
    group.throughput(Throughput::Elements(CALLS as u64));
    for trace in &traces(CALLS) {
        let id = BenchmarkId::from_parameter(trace.name);
        group.bench_with_input(id, &Keep::of(trace), |b, events| {
            let fresh = || events.clone();
            let judge = |events| judge(events, &policy, STAGES, |decided| _ = black_box(decided));
            b.iter_batched(fresh, judge, BatchSize::LargeInput);
        });
    }
}

/// The engine with one stage alone, beside the engine with none.
fn stages(c: &mut Criterion) {
    let policy = full();
    let mut group = c.benchmark_group("stage");
    group.throughput(Throughput::Elements(CALLS as u64));
    let events = Keep::of(&traces(CALLS)[0]);
    let alone = STAGES.chunks(1).map(|stage| (stage[0].id(), stage));
    let none: (&str, &[&'static dyn Stage]) = ("none", &[]);
    for (name, stages) in alone.chain([none]) {
        group.bench_with_input(BenchmarkId::from_parameter(name), &events, |b, events| {
            let fresh = || events.clone();
            let judge = |events| judge(events, &policy, stages, |decided| _ = black_box(decided));
            b.iter_batched(fresh, judge, BatchSize::LargeInput);
        });
    }
}

/// What is written of decisions that are there already.
fn outputs(c: &mut Criterion) {
    let policy = Policy::built_in();
    let mut decisions = Vec::new();
    let events = Keep::of(&traces(CALLS)[0]);
    judge(events, &policy, STAGES, |decided| {
        decisions.push(std::mem::take(&mut decided.decision))
    });
    let mut group = c.benchmark_group("output");
    group.throughput(Throughput::Elements(CALLS as u64));
    for format in FORMATS {
        group.bench_function(format.id, |b| {
            b.iter(|| {
                let mut report = report(format, &policy);
                for decision in &decisions {
                    report.decision(decision, true).expect("nothing that fails");
                }
                report
                    .finish(&Summary::default())
                    .expect("nothing that fails");
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = quick();
    targets = replays, reader, engine, stages, outputs
}
criterion_main!(benches);
