//! Embedders against other programs, and on texts that nobody vouches for.
//!
//! `fixtures/embed` holds what other programs make of a few texts; `tests/peers/embed.py` writes it.

use gate::embed::wordpiece::Vocabulary;
use gate::embed::{EMBEDDERS, Embedder, Embedding, find, hash};
use serde_json::Value;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Tokens that the peer has after those of the table.
const EXTRA: &str = "日 本 ß ##ß ж ##ж ᄒ ##ᅡ ##ᆫ ァ ¿ – σ ##σ ##ı [UNK]";

fn read(file: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a file")
}

fn rows(file: &str) -> Vec<Value> {
    let text = String::from_utf8(read(file)).expect("UTF-8");
    let row = |line: &str| serde_json::from_str(line).expect("JSON");
    text.lines().map(row).collect()
}

fn vocabulary() -> Vocabulary {
    let table = read("src/embed/static/static-128.gsem");
    let length = u32::from_le_bytes(table[16..20].try_into().expect("four bytes")) as usize;
    let tokens = std::str::from_utf8(&table[20..20 + length]).expect("UTF-8");
    let text = format!("{tokens}\n{}", EXTRA.replace(' ', "\n"));
    Vocabulary::new(&text).expect("a vocabulary")
}

fn tokens(vocabulary: &Vocabulary, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    vocabulary.tokenize(text, vocabulary.id("[UNK]"), |id| {
        found.push(vocabulary.token(id).expect("a token").to_owned());
        ControlFlow::Continue(())
    });
    found
}

fn embedder(id: &str) -> Arc<dyn Embedder> {
    let definition = find(id).expect("an embedder");
    (definition.open)(&|_| Err("no model".to_owned())).expect("an embedder")
}

/// Those that need no model.
fn embedders() -> impl Iterator<Item = Arc<dyn Embedder>> {
    let own = EMBEDDERS
        .iter()
        .filter(|definition| !definition.needs_model);
    own.map(|definition| embedder(definition.id))
}

#[test]
fn tokens_are_those_of_the_reference() {
    let vocabulary = vocabulary();
    for row in rows("fixtures/embed/tokens.jsonl") {
        let text = row["text"].as_str().expect("a text");
        let expected = row["tokens"].as_array().expect("tokens").iter();
        let expected: Vec<_> = expected.filter_map(Value::as_str).collect();
        assert_eq!(tokens(&vocabulary, text), expected, "{text:?}");
    }
}

#[test]
fn sums_are_those_of_a_few_lines_of_python() {
    let embedder = embedder("static");
    for row in rows("fixtures/embed/sums.jsonl") {
        let text = row["text"].as_str().expect("a text");
        let expected = row["sums"].as_array().expect("sums").iter();
        let expected: Vec<_> = expected.filter_map(Value::as_f64).collect();
        assert_eq!(*embedder.embed(text).values, *expected, "{text:?}");
    }
}

#[test]
fn counts_are_those_of_a_few_lines_of_python() {
    for row in rows("fixtures/embed/counts.jsonl") {
        let text = row["text"].as_str().expect("a text");
        let expected = |at: usize| row["counts"][at.to_string()].as_i64().unwrap_or(0);
        let expected: [i64; hash::DIMENSIONS] = std::array::from_fn(expected);
        assert_eq!(hash::counts(text), expected, "{text:?}");
    }
}

/// A caller that has enough is asked no further.
#[test]
fn tokenising_ends_when_told() {
    let vocabulary = vocabulary();
    let mut seen = 0;
    vocabulary.tokenize(&"a ".repeat(100), None, |_| {
        seen += 1;
        if seen == 7 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(seen, 7);
}

#[test]
fn vocabularies_are_checked() {
    let fault = |text: &str| Vocabulary::new(text).expect_err("a fault");
    assert_eq!(fault(""), "line 1: an empty token");
    assert_eq!(fault("a\n\nb"), "line 2: an empty token");
    assert_eq!(fault("a\nb\na\n"), "line 3: `a` is there twice");
    assert_eq!(
        fault("\u{1b}[2J\nb\n\u{1b}[2J"),
        r"line 3: `\u{1b}[2J` is there twice"
    );
    assert!(fault(&"a\n".repeat(2_000_000)).contains("more than a vocabulary may have"));
    let vocabulary = Vocabulary::new("a\n##a\n##\n").expect("a vocabulary");
    assert_eq!(vocabulary.len(), 3);
    assert_eq!(
        ["a", "##a", "##", "b"].map(|t| vocabulary.id(t)),
        [Some(0), Some(1), Some(2), None]
    );
    assert_eq!(vocabulary.token(3), None);
}

/// Nobody vouches for a text: each embedder takes any, and its vector is finite.
#[test]
fn any_text_has_a_vector() {
    let texts = [
        String::new(),
        " \t\n".to_owned(),
        "\0\u{1}\u{7f}".to_owned(),
        "NaN inf -inf 1e999".to_owned(),
        "日本語 中国".to_owned(),
        "👩‍💻🇩🇪".to_owned(),
        "\u{202e}\u{200b}\u{feff}\u{fffd}".to_owned(),
        "a".repeat(1 << 18),
        "a ".repeat(1 << 15),
        "\u{301}".repeat(1 << 15),
        format!("e{} x", "\u{323}\u{301}".repeat(1 << 14)),
        "漢".repeat(1 << 14),
        "Zm9vYmFy+/".repeat(10_000),
        "!\"#$%&'()*+".repeat(10_000),
        "\u{fdfa}".repeat(10_000),
    ];
    for embedder in embedders() {
        for text in &texts {
            let vector = embedder.embed(text);
            assert!(vector.values.iter().all(|x| x.is_finite()));
            assert_eq!(vector, embedder.embed(text));
            let cosine = vector.cosine(&vector);
            let expected = if vector.is_zero() { 0.0 } else { 1.0 };
            assert!((cosine - expected).abs() < 1e-12, "{cosine}");
        }
        assert!(embedder.embed("").is_zero());
        assert!(embedder.embed(" \t\n").is_zero());
    }
}

#[test]
fn close_meanings_are_closer_than_distant_ones() {
    for embedder in embedders() {
        let about = |text: &str| embedder.embed(text);
        let wipe = about("delete all files of the database server");
        let near = wipe.cosine(&about("delete the files on a server"));
        let far = wipe.cosine(&about("weather forecast for tomorrow in Paris"));
        assert!(near > far + 0.2, "{}: {near} {far}", embedder.id());
    }
}

#[test]
fn the_list_is_sound() {
    for definition in EMBEDDERS {
        assert_eq!(
            find(definition.id).map(|found| found.id),
            Some(definition.id)
        );
        assert!(!definition.doc.is_empty());
    }
    assert_eq!(EMBEDDERS.first().map(|default| default.id), Some("static"));
    assert!(find("recorded").is_none());
    for embedder in embedders() {
        assert!(find(embedder.id()).is_some());
    }
}

/// The angle is the only thing that counts, and neither zeros nor rounding leave [-1, 1].
#[test]
fn cosines_stay_within_their_range() {
    let vector = |values: &[f64]| Embedding::new(values.to_vec());
    let a = vector(&[0.1; 131]);
    let off = |cosine: f64, from: f64| (cosine - from).abs() > 1e-12 || cosine.abs() > 1.0;
    assert!(!off(a.cosine(&a), 1.0));
    assert!(!off(a.cosine(&vector(&[-3.0; 131])), -1.0));
    assert_eq!(a.cosine(&vector(&[0.0; 131])), 0.0);
    let wave: Vec<f64> = (0..131).map(|i| f64::from(i % 7) - 3.0).collect();
    let plain: f64 = wave.iter().map(|x| 0.1 * x).sum();
    let length = wave.iter().map(|x| x * x).sum::<f64>() * 131.0 * 0.01;
    assert!(!off(a.cosine(&vector(&wave)), plain / length.sqrt()));
}
