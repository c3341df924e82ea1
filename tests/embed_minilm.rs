//! The encoder against reference vectors made by `tests/peers/minilm.py`, and models that are damaged.
//!
//! `fixtures/embed/tiny` is a model with random weights, small enough to be here. The real one is
//! looked for in `$GATE_MINILM`, then in `target/models/minilm`; without it that test says `skipped`.

use gate::embed::{Embedder, Load};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Greatest difference of a component.
const TOLERANCE: f64 = 1e-6;

/// Most word pieces of texts that a build without optimisation is asked for: it takes a hundred
/// times as long.
const PIECES_UNOPTIMISED: usize = 12;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn open(load: &Load<'_>) -> Result<Arc<dyn Embedder>, String> {
    let found = gate::embed::find("minilm");
    (found.expect("in the list").open)(load)
}

fn open_folder(folder: &Path) -> Result<Arc<dyn Embedder>, String> {
    open(&|file| std::fs::read(folder.join(file)).map_err(|error| error.to_string()))
}

struct Line {
    text: String,
    pieces: usize,
    vector: Vec<f64>,
}

fn lines(file: &str) -> Vec<Line> {
    let text = std::fs::read_to_string(root().join("fixtures/embed").join(file)).expect("there");
    let read = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let array = |key: &str| line[key].as_array().expect("an array").clone();
        Line {
            text: line["text"].as_str().expect("a text").to_owned(),
            pieces: array("pieces").len(),
            vector: array("vector").iter().filter_map(Value::as_f64).collect(),
        }
    };
    text.lines().map(read).collect()
}

/// The greatest difference from the lines, and on how many of them it was looked for.
fn compare(model: &dyn Embedder, file: &str, most_pieces: usize) -> (f64, usize) {
    let (mut worst, mut compared) = (0.0f64, 0);
    for line in lines(file) {
        if line.pieces > most_pieces {
            continue;
        }
        compared += 1;
        let vector = model.embed(&line.text);
        assert_eq!(vector.values.len(), line.vector.len(), "{:?}", line.text);
        if line.pieces == 2 {
            // The reference has a vector for nothing; here nothing means nothing.
            assert!(vector.is_zero(), "{:?}", line.text);
            continue;
        }
        for (a, b) in vector.values.iter().zip(&line.vector) {
            let difference = (a - b).abs();
            assert!(difference <= TOLERANCE, "{:?}: {a} is not {b}", line.text);
            worst = worst.max(difference);
        }
    }
    (worst, compared)
}

#[test]
fn a_model_with_random_weights_gives_the_reference_vectors() {
    let model = open_folder(&root().join("fixtures/embed/tiny")).expect("a model");
    let (_, compared) = compare(&*model, "tiny.jsonl", usize::MAX);
    assert_eq!(compared, 7);
}

/// The bits are the same on every machine, in every build and thread: a decision may hang on the last
/// of them.
#[test]
fn vectors_are_the_same_to_the_bit() {
    let model = open_folder(&root().join("fixtures/embed/tiny")).expect("a model");
    let digest = || {
        let mut hash = Sha256::new();
        for line in lines("tiny.jsonl") {
            for x in model.embed(&line.text).values.iter() {
                hash.update(x.to_bits().to_le_bytes());
            }
        }
        let digest = hash.finalize();
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        hex
    };
    let there = std::thread::scope(|scope| scope.spawn(digest).join());
    assert_eq!(there.expect("no panic"), digest());
    assert_eq!(digest(), BITS);
}

const BITS: &str = "ba64cd262677657d2b7c043dce0e9b0df52df476c9739b4a1b54d79a57647bd4";

/// What follows the last piece that fits is not seen.
#[test]
fn text_after_the_last_piece_is_left_out() {
    let model = open_folder(&root().join("fixtures/embed/tiny")).expect("a model");
    let full = model.embed(&"send ".repeat(254));
    assert_eq!(full, model.embed(&("send ".repeat(254) + "stop")));
    assert_ne!(full, model.embed(&("send ".repeat(253) + "stop")));
}

#[test]
fn the_real_model_gives_the_reference_vectors() {
    let folder = match std::env::var_os("GATE_MINILM") {
        Some(folder) => PathBuf::from(folder),
        None => root().join("target/models/minilm"),
    };
    if !folder.join("model.safetensors").is_file() {
        let folder = folder.display();
        println!("skipped: no model in {folder}; docs/embedders.md says how to get it");
        return;
    }
    let model = open_folder(&folder).expect("a model");
    let most = if cfg!(debug_assertions) {
        PIECES_UNOPTIMISED
    } else {
        usize::MAX
    };
    let begun = std::time::Instant::now();
    let (worst, compared) = compare(&*model, "minilm.jsonl", most);
    let seconds = begun.elapsed().as_secs_f64();
    assert!(compared >= 5);
    println!("minilm: {compared} texts in {seconds:.2} s, within {worst:.1e} of the reference");
}

type Files = BTreeMap<String, Vec<u8>>;

fn tiny() -> Files {
    let folder = root().join("fixtures/embed/tiny");
    let names = ["config.json", "model.safetensors", "vocab.txt"];
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a file");
    names.map(|name| (name.to_owned(), read(name))).into()
}

fn open_files(files: &Files) -> Result<Arc<dyn Embedder>, String> {
    let missing = || "no such file".to_owned();
    open(&|file| files.get(file).cloned().ok_or_else(missing))
}

/// The tiny model with the text `from` of a file replaced by `to`.
fn replaced(file: &str, from: &str, to: &str) -> Files {
    let mut files = tiny();
    let text = String::from_utf8(files[file].clone()).expect("UTF-8");
    assert!(text.contains(from), "{from}");
    files.insert(file.to_owned(), text.replacen(from, to, 1).into());
    files
}

/// The tiny model with a tensor that has been changed, or is gone.
fn with_tensor(name: &str, new: Option<(Dtype, Vec<usize>, Vec<u8>)>) -> Files {
    let mut files = tiny();
    let bytes = files["model.safetensors"].clone();
    let model = SafeTensors::deserialize(&bytes).expect("a model");
    let mut tensors: BTreeMap<String, TensorView<'_>> = model.tensors().into_iter().collect();
    assert!(tensors.remove(name).is_some(), "{name}");
    if let Some((dtype, shape, data)) = &new {
        let view = TensorView::new(*dtype, shape.clone(), data).expect("a tensor");
        tensors.insert(name.to_owned(), view);
    }
    let bytes = safetensors::serialize(&tensors, None).expect("a model");
    files.insert("model.safetensors".to_owned(), bytes);
    files
}

#[test]
fn a_model_that_is_not_as_it_should_be_is_refused_with_its_place() {
    const NORM: &str = "encoder.layer.1.output.LayerNorm.bias";
    let twelve = |x: f32| [x; 12].iter().flat_map(|x| x.to_le_bytes()).collect();
    let norm = |dtype, shape: &[usize], data| with_tensor(NORM, Some((dtype, shape.into(), data)));
    let without = |file: &str| {
        let mut files = tiny();
        files.remove(file);
        files
    };
    let cut = |file: &str, bytes: usize| {
        let mut files = tiny();
        files
            .entry(file.to_owned())
            .and_modify(|all| all.truncate(bytes));
        files
    };
    let config = |from: &str, to: &str| replaced("config.json", from, to);
    let vocab = |from: &str, to: &str| replaced("vocab.txt", from, to);
    let cases: Vec<(Files, &str)> = vec![
        (
            without("config.json"),
            "`config.json` cannot be read: no such file",
        ),
        (
            without("vocab.txt"),
            "`vocab.txt` cannot be read: no such file",
        ),
        (
            without("model.safetensors"),
            "`model.safetensors` cannot be read: no such file",
        ),
        (cut("config.json", 40), "config.json: EOF while parsing"),
        (
            cut("model.safetensors", 4),
            "model.safetensors: not read as safetensors: header too small",
        ),
        (
            cut("model.safetensors", 31_000),
            "model.safetensors: not read as safetensors: incomplete metadata",
        ),
        (
            config("\"hidden_size\": 12,", ""),
            "config.json: missing field `hidden_size`",
        ),
        (
            config("\"hidden_size\": 12", "\"hidden_size\": 1e99"),
            "config.json: invalid type",
        ),
        (
            config("\"hidden_size\": 12", "\"hidden_size\": 0"),
            "config.json: `hidden_size` is 0, not within 1 to 1024",
        ),
        (
            config("\"hidden_size\": 12", "\"hidden_size\": 16"),
            "config.json: `hidden_size` 16 is no multiple of `num_attention_heads` 3",
        ),
        (
            config("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3"),
            "model.safetensors: tensor `encoder.layer.2.attention.self.query.weight` is missing",
        ),
        (
            config("\"intermediate_size\": 20", "\"intermediate_size\": 24"),
            "tensor `encoder.layer.0.intermediate.dense.weight` has the shape [20, 12]; by config.json it is [24, 12]",
        ),
        (
            config("\"bert\"", "\"ro\u{202e}berta\""),
            "config.json: `model_type` is `ro\\u{202e}berta`; only `bert` is known",
        ),
        (
            config("\"gelu\"", "\"gelu_new\""),
            "config.json: `hidden_act` is `gelu_new`; only `gelu` is known",
        ),
        (
            config(
                "\"type_vocab_size\"",
                "\"position_embedding_type\": \"relative_key\", \"type_vocab_size\"",
            ),
            "`position_embedding_type` is `relative_key`",
        ),
        (
            config("1e-12", "0"),
            "config.json: `layer_norm_eps` is not above 0",
        ),
        (
            config("1e-12", "-1"),
            "config.json: `layer_norm_eps` is not above 0",
        ),
        (vocab("[UNK]", "[unk]"), "vocab.txt: there is no `[UNK]`"),
        (
            vocab("stop\n", ""),
            "vocab.txt: 68 word pieces; by config.json there are 69",
        ),
        (vocab("stop\n", "all\n"), "vocab.txt: line "),
        (
            with_tensor(NORM, None),
            "tensor `encoder.layer.1.output.LayerNorm.bias` is missing",
        ),
        (
            norm(Dtype::F32, &[3, 4], twelve(0.0)),
            "LayerNorm.bias` has the shape [3, 4]; by config.json it is [12]",
        ),
        (
            norm(Dtype::F16, &[12], vec![0; 24]),
            "LayerNorm.bias` has numbers of type F16, not F32",
        ),
        (
            norm(Dtype::F32, &[12], twelve(f32::NAN)),
            "LayerNorm.bias` has NaN at 0",
        ),
        (
            norm(Dtype::F32, &[12], twelve(f32::INFINITY)),
            "LayerNorm.bias` has inf at 0",
        ),
        (
            norm(Dtype::F32, &[12], twelve(-1e30)),
            "which is not within 1000 of 0",
        ),
    ];
    for (files, expected) in cases {
        let error = open_files(&files).map(|_| ()).expect_err(expected);
        assert!(
            error.contains(expected),
            "{error:?} does not say {expected:?}"
        );
    }
}

/// A checkout may have rewritten the line ends of the vocabulary; its word pieces are the same.
#[test]
fn line_ends_of_the_vocabulary_may_be_crlf() {
    let mut files = tiny();
    let plain = open_files(&files).expect("a model");
    let text = String::from_utf8(files["vocab.txt"].clone()).expect("text");
    let rewritten = text.replace('\n', "\r\n").into_bytes();
    files.insert("vocab.txt".to_owned(), rewritten);
    let model = open_files(&files).expect("a model");
    for line in lines("tiny.jsonl") {
        assert_eq!(
            model.embed(&line.text).values,
            plain.embed(&line.text).values
        );
    }
}

/// Whatever weights are taken, no sum of theirs leaves the range of numbers.
#[test]
fn vectors_of_the_greatest_weights_are_finite() {
    let mut files = tiny();
    let bytes = files["model.safetensors"].clone();
    let model = SafeTensors::deserialize(&bytes).expect("a model");
    let great: Vec<(String, Vec<usize>, Vec<u8>)> = model
        .tensors()
        .into_iter()
        .map(|(name, tensor)| {
            let numbers = tensor.data().chunks_exact(4);
            let great = numbers.map(|b| if b[3] & 0x80 == 0 { 1000.0f32 } else { -1000.0 });
            let data = great.flat_map(f32::to_le_bytes).collect();
            (name, tensor.shape().to_vec(), data)
        })
        .collect();
    let views = great.iter().map(|(name, shape, data)| {
        let view = TensorView::new(Dtype::F32, shape.clone(), data).expect("a tensor");
        (name, view)
    });
    let bytes = safetensors::serialize(views, None).expect("a model");
    files.insert("model.safetensors".to_owned(), bytes);
    let model = open_files(&files).expect("a model");
    for line in lines("tiny.jsonl") {
        let vector = model.embed(&line.text);
        assert!(
            vector.values.iter().all(|x| x.is_finite()),
            "{:?}",
            line.text
        );
    }
}

/// The hash is of the three files in the order of their names but for the weights, which are last.
#[test]
fn the_hash_is_of_all_files() {
    let files = tiny();
    let mut hash = Sha256::new();
    for file in ["config.json", "vocab.txt", "model.safetensors"] {
        hash.update(&files[file]);
    }
    let hex: String = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let model = open_files(&files).expect("a model");
    assert_eq!(model.sha256(), Some(&*hex));
}
