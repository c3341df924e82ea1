//! What benches have in common: how long they measure, and the traces that they measure on, of the kinds
//! that `.ci/corpora.py` makes.

// Not every bench uses all of it.
#![allow(dead_code)]

#[path = "../../src/testing.rs"]
mod testing;

use criterion::Criterion;
use gate::import::Sink;
use gate::import::drive::{ReadOptions, read};
use std::fmt::Write;
use std::time::Duration;
use testing::Random;

/// Short, so that all of them are run in a few minutes.
pub fn quick() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
}

/// A trace, as bytes.
pub struct Trace {
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

/// A kind of trace.
struct Kind {
    name: &'static str,
    /// Bytes of a result; no results where that is 0.
    result: usize,
    /// Runs under way at a time.
    together: usize,
    /// Calls of a run.
    run: usize,
}

const KINDS: [Kind; 5] = [
    kind("small", 0, 1, 40),
    kind("big", 1000, 1, 40),
    kind("heavy", 5000, 1, 40),
    kind("interleaved", 1000, 64, 40),
    kind("one", 0, 1, usize::MAX),
];

const fn kind(name: &'static str, result: usize, together: usize, run: usize) -> Kind {
    Kind {
        name,
        result,
        together,
        run,
    }
}

/// A trace of every kind, of that many calls.
pub fn traces(calls: usize) -> Vec<Trace> {
    KINDS.iter().map(|kind| kind.trace(calls)).collect()
}

impl Kind {
    fn trace(&self, calls: usize) -> Trace {
        let mut words = Words(Random::new(7));
        let mut text = String::new();
        let batch = self.run.saturating_mul(self.together);
        for i in 0..calls {
            let run = i / batch * self.together + i % self.together;
            let number = i % batch / self.together;
            let (tool, args) = words.action();
            let _ = write!(
                text,
                r#"{{"run":"session-{run:05}","id":"call_{number:05}","turn":{number},"tool":"{tool}","args":{args},"agent":"coder","ts":"2026-03-02T10:{:02}:{:02}Z""#,
                number / 60 % 60,
                number % 60
            );
            if self.result > 0 {
                let _ = write!(text, r#","result":"{}""#, words.code(self.result));
            }
            text.push_str("}\n");
        }
        Trace {
            name: self.name,
            bytes: text.into_bytes(),
        }
    }
}

/// Words from a seed: the same on every machine.
struct Words(Random);

impl Words {
    fn word(&mut self) -> &'static str {
        const WORDS: [&str; 16] = [
            "account", "archive", "backup", "budget", "customer", "deploy", "draft", "export",
            "filter", "invoice", "login", "payment", "refund", "report", "session", "ticket",
        ];
        WORDS[self.0.below(WORDS.len())]
    }

    /// A tool and its arguments.
    fn action(&mut self) -> (&'static str, String) {
        let (a, b, c, n) = (self.word(), self.word(), self.word(), self.0.below(1000));
        match self.0.below(5) {
            0 => (
                "Bash",
                format!(
                    r#"{{"command":"grep -rn '{a} {b}' src/{c}_{n}.rs | head -30","timeout":120000}}"#
                ),
            ),
            1 => (
                "Read",
                format!(
                    r#"{{"file_path":"/home/dev/work/src/{a}/{b}_{n}.rs","offset":{n},"limit":200}}"#
                ),
            ),
            2 => (
                "Edit",
                format!(
                    r#"{{"file_path":"src/{a}_{n}.rs","old_string":"{b} {c} {{","new_string":"{c} {b} {{"}}"#
                ),
            ),
            3 => (
                "search",
                format!(
                    r#"{{"query":"{a} {b} {c} of {n}","filters":{{"kind":"doc","year":2026}}}}"#
                ),
            ),
            _ => (
                "sql_query",
                format!(r#"{{"sql":"SELECT id, total FROM {a}s WHERE state = '{b}' LIMIT 50"}}"#),
            ),
        }
    }

    /// Lines of code of about so many bytes, as they stand in JSON.
    fn code(&mut self, size: usize) -> String {
        let mut text = String::new();
        while text.len() < size {
            let (a, b, n) = (self.word(), self.word(), self.0.below(10_000));
            let _ = match n % 3 {
                0 => write!(text, r#"    let {a} = {b}.parse(\"{n}\")?;\n"#),
                1 => write!(text, r#"\treturn \"{a}\\n{b}\";\n"#),
                _ => write!(text, r"// the {a} of the {b} is kept: see {n}\n"),
            };
        }
        text
    }
}

/// Reads a trace into a sink.
pub fn feed(trace: &Trace, sink: &mut dyn Sink) {
    let bytes = Box::new(trace.bytes.as_slice());
    let report = read(0, "t.jsonl", "t", bytes, &ReadOptions::default(), sink);
    assert!(report.complete && report.faulty == 0);
}
