//! How long a replay and its parts take on traces made in memory.
//!
//! `cargo bench` measures; `cargo test --bench replay` runs everything once.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gate::audit::Audit;
use gate::audit::filter::Filter;
use gate::audit::summary::PolicySummary;
use gate::audit::tally::Tally;
use gate::engine::{Counted, Engine, Final, Options, Output, RunReport};
use gate::import::Sink;
use gate::import::drive::{ReadOptions, read};
use gate::policy::Policy;
use gate::report::{FORMATS, Header};
use gate::stages::STAGES;
use gate::trace::event::Event;
use gate::trace::fault::{Notice, Place};
use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

/// Calls in each trace.
const CALLS: usize = 2000;

/// Calls in each of its runs.
const PER_RUN: usize = 20;

/// A trace, as bytes.
struct Trace {
    name: &'static str,
    bytes: Vec<u8>,
}

/// The traces that everything is measured on.
fn traces() -> [Trace; 3] {
    [
        trace("small_records", 0, 1),
        trace("large_results", 4096, 1),
        trace("interleaved_runs", 256, 64),
    ]
}

/// A trace of runs, `open` of them under way at a time, each call followed by a result of about
/// that many bytes; without any where that is 0.
fn trace(name: &'static str, result: usize, open: usize) -> Trace {
    let mut text = String::new();
    let line = "fn main() {\\n\\tprintln!(\\\"{}\\\", 1 + 1);\\n}\\n";
    let result = line.repeat(result.div_ceil(line.len()));
    let batch = open * PER_RUN;
    for i in 0..CALLS {
        let run = i / batch * open + i % open;
        let call = i % batch / open;
        let tool = ["Bash", "Read", "Edit", "Grep"][i % 4];
        let args =
            format!(r#"{{"file_path":"src/part_{i}.rs","command":"grep -n main src | head"}}"#);
        let _ = writeln!(
            text,
            r#"{{"type":"tool_call","run":"run-{run}","id":"c{call}","tool":"{tool}","args":{args}}}"#
        );
        if !result.is_empty() {
            let _ = writeln!(
                text,
                r#"{{"type":"tool_result","run":"run-{run}","call":"c{call}","result":"{result}"}}"#
            );
        }
        if call + 1 == PER_RUN {
            let _ = writeln!(
                text,
                r#"{{"type":"run_end","run":"run-{run}","status":"answered"}}"#
            );
        }
    }
    Trace {
        name,
        bytes: text.into_bytes(),
    }
}

/// Reads a trace into a sink.
fn feed(trace: &Trace, sink: &mut dyn Sink) {
    let bytes = Box::new(trace.bytes.as_slice());
    let report = read(0, "t.jsonl", "t", bytes, &ReadOptions::default(), sink);
    assert!(report.complete && report.faulty == 0);
}

/// Replays a trace from bytes to bytes of a format.
fn replay(trace: &Trace, policy: &Policy, format: &str) {
    let names = policy.dcbf.barriers.iter().map(|spec| spec.name.clone());
    let header = Header {
        inputs: vec!["t.jsonl".into()],
        barriers: names.clone().collect(),
        ..Header::default()
    };
    let format = FORMATS.iter().find(|f| f.id == format).expect("a format");
    let report = (format.open)(header, Box::new(std::io::sink()));
    let tally = Tally::new(names, STAGES.iter().map(|stage| stage.id()).collect());
    let mut audit = Audit::new(tally, Filter::default(), vec![report]);
    let mut engine = Engine::new(policy, STAGES, Options::default(), &mut audit);
    engine.begin_input(0, "t");
    feed(trace, &mut engine);
    engine.end_input();
    drop(engine);
    audit.tally().summary().policy = PolicySummary::of(policy);
    let summary = std::mem::take(audit.tally()).finish();
    assert_eq!(summary.counts.calls, CALLS as u64);
    assert!(audit.finish(&summary).iter().all(Option::is_none));
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

/// Takes decisions and lets them go.
struct Drain(usize);

impl Output for Drain {
    fn decision(&mut self, decided: Final) {
        black_box(&decided);
        self.0 += 1;
    }

    fn notice(&mut self, _: Notice) {}

    fn run(&mut self, _: RunReport) {}

    fn count(&mut self, _: Counted) {}
}

/// Keeps events for the engine alone.
struct Keep(Vec<(Place, Event<'static>)>);

impl Sink for Keep {
    fn event(&mut self, place: Place, event: Event<'_>) {
        self.0.push((place, event.into_owned()));
    }

    fn notice(&mut self, notice: Notice) {
        panic!("{notice:?}");
    }
}

/// Replays events, without reading and without a report.
fn judge(events: Vec<(Place, Event<'static>)>, policy: &Policy) -> usize {
    let mut drain = Drain(0);
    let mut engine = Engine::new(policy, STAGES, Options::default(), &mut drain);
    engine.begin_input(0, "t");
    for (place, event) in events {
        engine.event(place, event);
    }
    engine.end_input();
    drop(engine);
    drain.0
}

fn replays(c: &mut Criterion) {
    let policy = Policy::built_in();
    for format in ["jsonl", "table"] {
        let mut group = c.benchmark_group(format!("replay_{format}"));
        for trace in &traces() {
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
    for trace in &traces() {
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
    for trace in &traces() {
        let mut keep = Keep(Vec::new());
        feed(trace, &mut keep);
        group.throughput(Throughput::Elements(CALLS as u64));
        let id = BenchmarkId::from_parameter(trace.name);
        group.bench_with_input(id, &keep.0, |b, events| {
            let fresh = || events.clone();
            b.iter_batched(fresh, |e| judge(e, &policy), BatchSize::LargeInput);
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = replays, reader, engine
}
criterion_main!(benches);
