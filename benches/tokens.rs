//! How long it takes to count the tokens of results, by what they are made of.
//!
//! `cargo bench --bench tokens` measures; `cargo test --bench tokens` runs everything once.

mod common;

use common::quick;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gate::policy::Tokenizer;
use gate::tokens::tokens_of;
use std::fmt::Write;
use std::hint::black_box;

/// Bytes of each text, at least.
const SIZE: usize = 64 << 10;

/// A text that goes on with the next number until it is long enough.
fn numbered(mut more: impl FnMut(&mut String, usize)) -> String {
    let mut text = String::new();
    for i in 0.. {
        if text.len() >= SIZE {
            break;
        }
        more(&mut text, i);
    }
    text
}

/// Words that differ, so that not every one is met again.
const WORDS: &[&str] = &[
    "accounts",
    "are",
    "of",
    "the",
    "reconciled",
    "Thursday",
    "ledger",
    "settlement",
    "before",
    "overnight",
    "and",
    "it's",
    "untranslatable",
    "brown",
    "misconfigured",
    "quickly",
    "retried",
];

fn texts() -> [(&'static str, String); 5] {
    let word = |i: usize| WORDS[i * i % WORDS.len()];
    [
        (
            "json",
            numbered(|text, i| {
                let (key, value) = (word(i), word(i + 3));
                let _ = write!(
                    text,
                    r#"{{"id":{i},"{key}_at":"2026-05-0{}T08:11:{:02}Z","{value}":[{}.5,null,true]}},"#,
                    i % 9 + 1,
                    i % 60,
                    i * 37
                );
            }),
        ),
        (
            "prose",
            numbered(|text, i| {
                let end = if i % 11 == 10 { ".\n" } else { "" };
                let _ = write!(text, " {}{end}", word(i));
            }),
        ),
        (
            "code",
            numbered(|text, i| {
                let _ = writeln!(
                    text,
                    "        if {}_{i} != self.{}.len() {{",
                    word(i),
                    word(i + 1)
                );
            }),
        ),
        (
            "japanese",
            numbered(|text, i| {
                let part = ["今日は天気がいい", "東京タワーまで", "歩いて行きましょう"][i % 3];
                let _ = write!(text, "{part}{i}。");
            }),
        ),
        // The longest way: one word that has to be put together from its bytes.
        ("one_word", "a".repeat(SIZE)),
    ]
}

fn count(c: &mut Criterion) {
    let mut group = c.benchmark_group("tokens");
    for (name, text) in texts() {
        group.throughput(Throughput::Bytes(text.len() as u64));
        for tokenizer in [Tokenizer::O200kBase, Tokenizer::Cl100kBase] {
            let id = BenchmarkId::new(tokenizer.name(), name);
            group.bench_with_input(id, &text, |b, text| {
                b.iter(|| black_box(tokens_of(tokenizer, black_box(text))));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = quick();
    targets = count
}
criterion_main!(benches);
