//! How long it takes to read recordings of foreign formats, made in memory in the shape that their
//! programs write.
//!
//! `cargo bench --bench import` measures; `cargo test --bench import` runs everything once.

mod common;

use common::quick;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gate::import::Sink;
use gate::import::drive::{ReadOptions, read};
use gate::trace::event::Event;
use gate::trace::fault::{Notice, Place};
use std::fmt::Write;
use std::hint::black_box;

/// Calls in each recording.
const CALLS: usize = 1000;

/// Bytes of a result, about.
const RESULT: usize = 512;

/// A recording of a format.
struct Recording {
    format: &'static str,
    text: String,
}

fn result() -> String {
    r"fn main() {\n    work();\n}\n".repeat(RESULT / 28)
}

fn recordings() -> [Recording; 5] {
    [
        of("claude_code", claude_code),
        of("codex", codex),
        of("openai_chat", openai_chat),
        of("mcp", mcp),
        of("otel", otel),
    ]
}

fn of(format: &'static str, line: fn(usize, &str, &mut String)) -> Recording {
    let mut text = String::new();
    let result = result();
    for i in 0..CALLS {
        line(i, &result, &mut text);
    }
    Recording { format, text }
}

fn claude_code(i: usize, result: &str, out: &mut String) {
    let row = |kind: &str, message: String| {
        format!(
            r#"{{"sessionId":"s","parentUuid":"u{i}","type":"{kind}","timestamp":"2026-01-01T00:00:01Z","message":{message}}}"#
        )
    };
    let call = format!(
        r#"{{"id":"m{i}","content":[{{"type":"tool_use","id":"t{i}","name":"Bash","input":{{"command":"grep -n main src"}}}}]}}"#
    );
    let answer = format!(
        r#"{{"content":[{{"type":"tool_result","tool_use_id":"t{i}","content":"{result}"}}]}}"#
    );
    let _ = writeln!(out, "{}\n{}", row("assistant", call), row("user", answer));
}

fn codex(i: usize, result: &str, out: &mut String) {
    if i == 0 {
        out.push_str("{\"timestamp\":\"2026-01-01T00:00:00Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\"x\"}}\n");
    }
    for payload in [
        format!(
            r#"{{"type":"function_call","name":"exec_command","arguments":"{{\"cmd\":\"ls\"}}","call_id":"c{i}"}}"#
        ),
        format!(
            r#"{{"type":"function_call_output","call_id":"c{i}","output":"Process exited with code 0\n{result}"}}"#
        ),
    ] {
        let _ = writeln!(
            out,
            r#"{{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{payload}}}"#
        );
    }
}

fn openai_chat(i: usize, result: &str, out: &mut String) {
    let _ = writeln!(
        out,
        r#"{{"messages":[{{"role":"user","content":"go"}},{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{i}","type":"function","function":{{"name":"read","arguments":"{{\"path\":\"a\"}}"}}}}]}},{{"role":"tool","tool_call_id":"c{i}","content":"{result}"}}]}}"#
    );
}

fn mcp(i: usize, result: &str, out: &mut String) {
    let _ = writeln!(
        out,
        r#"{{"jsonrpc":"2.0","id":{i},"method":"tools/call","params":{{"name":"read","arguments":{{"path":"a"}}}}}}"#
    );
    let _ = writeln!(
        out,
        r#"{{"jsonrpc":"2.0","id":{i},"result":{{"content":[{{"type":"text","text":"{result}"}}]}}}}"#
    );
}

fn otel(i: usize, result: &str, out: &mut String) {
    let text = |key: &str, value: &str| {
        format!(r#"{{"key":"{key}","value":{{"stringValue":"{value}"}}}}"#)
    };
    let attributes = [
        text("gen_ai.operation.name", "execute_tool"),
        text("gen_ai.tool.name", "read"),
        text("gen_ai.tool.call.id", &format!("c{i}")),
        text("gen_ai.tool.call.arguments", r#"{\"path\":\"a\"}"#),
        text("gen_ai.tool.call.result", result),
    ];
    let (trace, start) = (i / 20, 1_767_225_600_000_000_000_u64 + 1000 * i as u64);
    let _ = writeln!(
        out,
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"traceId":"{trace:032x}","spanId":"{i:016x}","name":"execute_tool read","startTimeUnixNano":"{start}","endTimeUnixNano":"{}","attributes":[{}]}}]}}]}}]}}"#,
        start + 500,
        attributes.join(",")
    );
}

/// Counts calls and lets everything go.
struct Counter(usize);

impl Sink for Counter {
    fn event(&mut self, _: Place, event: Event<'_>) {
        self.0 += usize::from(matches!(event, Event::ToolCall(_)));
        black_box(&event);
    }

    fn notice(&mut self, notice: Notice) {
        assert!(!notice.kind.is_fault(), "{notice:?}");
    }
}

fn import(c: &mut Criterion) {
    let mut group = c.benchmark_group("import");
    for recording in &recordings() {
        group.throughput(Throughput::Bytes(recording.text.len() as u64));
        let id = BenchmarkId::from_parameter(recording.format);
        group.bench_with_input(id, recording, |b, recording| {
            b.iter(|| {
                let mut counter = Counter(0);
                let bytes = Box::new(recording.text.as_bytes());
                let options = ReadOptions::default();
                let report = read(0, "r.jsonl", "r", bytes, &options, &mut counter);
                assert_eq!(report.format, Some(recording.format));
                assert_eq!(counter.0, CALLS);
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = quick();
    targets = import
}
criterion_main!(benches);
