//! Safetensors: what is read, what is refused, and that damage is never read as another model.

use super::build::{Named, TRAINED, metadata, safetensors, sound, tensors, with};
use gate::neural::{Given, Model, Refusal};

fn read(bytes: &[u8]) -> Result<Model, Refusal> {
    Model::read(bytes, &Given::default())
}

/// By the formula, with normalised inputs 1 and -2: tanh of 3.125 and of -0.25.
#[test]
fn the_output_is_that_of_the_formula() {
    let model = read(&sound()).expect("sound");
    let h = model.h(&[3.0, 1.0]);
    let expected = 2.0 * 3.125f64.tanh() - 3.0 * (-0.25f64).tanh() + 0.5;
    assert!((h - expected).abs() < 1e-12, "{h} and {expected}");
    assert!(model.h(&[f64::NAN, 1.0]).is_nan());
    assert!(model.h(&[1.0]).is_nan(), "too few");
    assert_eq!(
        model.features,
        Some(vec!["steps".into(), "cost_usd".into()])
    );
}

/// Each file is wrong in one way, and is refused with words for it.
#[test]
fn what_is_wrong_is_said() {
    let changed = |at: usize, shape: &[usize], numbers: &[f32]| {
        let mut all = tensors();
        (all[at].1, all[at].2) = (shape.to_vec(), numbers.to_vec());
        safetensors(&all, &metadata())
    };
    let said = |key, value| safetensors(&tensors(), &with(key, value));
    let mut more = tensors();
    more.push(("net.1.running_mean", vec![1], vec![0.0]));
    let mut fewer = tensors();
    fewer.retain(|(name, ..)| *name != "std");
    let mut headless = tensors();
    headless.retain(|(name, ..)| *name != "net.2.weight");
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (
            changed(1, &[2], &[2.0, 0.0]),
            "number 1 of `std` is 0, no deviation",
        ),
        (changed(1, &[2], &[-1.0, 1.0]), "no deviation"),
        (
            changed(2, &[2, 2], &[f32::NAN, 0.0, 0.0, 0.0]),
            "`net.0.weight` is NaN",
        ),
        (
            changed(3, &[2], &[f32::INFINITY, 0.0]),
            "`net.0.bias` is inf",
        ),
        (changed(2, &[4], &[0.0; 4]), "no matrix"),
        (changed(2, &[3, 2], &[0.0; 6]), "`net.0.bias` is 2, not 3"),
        (
            changed(4, &[1, 1], &[0.0]),
            "takes 1 numbers, and `net.0` before it gives 2",
        ),
        (changed(4, &[2, 2], &[0.0; 4]), "`net.2.bias` is 1, not 2"),
        (changed(0, &[3], &[0.0; 3]), "`mean` is 3, not 2"),
        (safetensors(&more, &metadata()), "belongs to no dense layer"),
        (safetensors(&fewer, &metadata()), "a `mean` and no `std`"),
        (
            safetensors(&headless, &metadata()),
            "no tensor `net.2.weight`",
        ),
        (said("format", None), "no `format`"),
        (said("format", Some("pt")), "`format` is `pt`"),
        (said("version", Some("2")), "`version` is `2`"),
        (said("safe_set", Some("h<0")), "`safe_set` is `h<0`"),
        (said("layers", None), "no `layers`"),
        (said("layers", Some("net.0")), "gives 2 numbers, not one h"),
        (
            said("layers", Some("net.2,net.0")),
            "takes 2 numbers, and `net.2`",
        ),
        (said("activation", Some("sine")), "`sine` is not known"),
        (said("features", Some("steps")), "no JSON list"),
        (
            said("features", Some("[\"steps\"]")),
            "takes 2 inputs, and 1 features",
        ),
        (
            said("features", Some("[\"steps\",\"steps\"]")),
            "named twice",
        ),
        (
            said("golden", Some("{\"x\":[[1,2]],\"h\":[0,0]}")),
            "`golden` is no",
        ),
        (
            said("golden", Some("{\"x\":[[1,\"2\"]],\"h\":[0]}")),
            "`golden` is no",
        ),
        (
            said("golden", Some("{\"x\":[[3,1]],\"h\":[3.1]}")),
            "golden row 0 gives h",
        ),
        (
            said("golden", Some("{\"x\":[[3]],\"h\":[0]}")),
            "golden row 0 has 1 numbers, and the model takes 2",
        ),
        (said("tolerance", Some("0.5")), "`tolerance` is `0.5`"),
        (said("tolerance", Some("NaN")), "`tolerance` is `NaN`"),
        (b"{}".to_vec(), "no safetensors file"),
        (Vec::new(), "no safetensors file"),
    ];
    for (bytes, why) in cases {
        let refusal = read(&bytes).expect_err(why);
        assert!(refusal.why.contains(why), "{refusal:?}, not {why}");
    }
}

/// Only what stands before the first layer is the normalisation of the inputs: under its plain name, or
/// within the module that holds all layers.
#[test]
fn statistics_of_something_else_are_no_normalisation() {
    let named = |mean: &'static str, std: &'static str| {
        let mut all = tensors();
        (all[0].0, all[1].0) = (mean, std);
        read(&safetensors(&all, &metadata()))
    };
    let plain = read(&sound()).expect("sound");
    let wrapped = named("net.mean", "net.std").expect("within the module of all layers");
    assert_eq!(wrapped.h(&[3.0, 1.0]), plain.h(&[3.0, 1.0]));
    let half = named("mean", "net.std").expect_err("a pair of two places");
    assert!(half.why.contains("no `std`"), "{}", half.why);
    for (mean, std) in [
        ("out.mean", "in.std"),
        ("1.mean", "1.std"),
        ("net.0.mean", "net.0.std"),
        ("net.1.mean", "net.1.std"),
    ] {
        let refusal = named(mean, std).expect_err(mean);
        assert!(
            refusal.why.contains("belongs to no dense layer"),
            "{}",
            refusal.why
        );
    }
}

#[test]
fn golden_outputs_are_verified_within_their_tolerance() {
    let h = read(&sound()).expect("sound").h(&[3.0, 1.0]);
    let golden = |off: f64| format!("{{\"x\":[[3,1]],\"h\":[{}]}}", h + off);
    let file = |off, tolerance| {
        let mut said = with("golden", Some(&golden(off)));
        said.push(("tolerance", tolerance));
        safetensors(&tensors(), &said)
    };
    let exact = read(&file(0.0, "1e-6".to_owned())).expect("exact");
    assert_eq!(exact.golden_difference, Some(0.0));
    assert!(read(&file(1e-4, "1e-6".to_owned())).is_err());
    assert!(read(&file(1e-4, "1e-3".to_owned())).is_ok());
}

/// What is shown of the difference can be held against the tolerance beside it, which is relative where
/// h is greater than 1.
#[test]
fn the_golden_difference_is_on_the_scale_of_the_tolerance() {
    let mut tensors = tensors();
    tensors[5].2 = vec![1000.0];
    let h = read(&safetensors(&tensors, &metadata()))
        .expect("sound")
        .h(&[3.0, 1.0]);
    let golden = format!("{{\"x\":[[3,1]],\"h\":[{}]}}", h + 5e-4);
    let model = read(&safetensors(&tensors, &with("golden", Some(&golden)))).expect("near");
    let difference = model.golden_difference.expect("one pair");
    assert!((4e-7..6e-7).contains(&difference), "{difference}");
}

/// A row of another width is that, and no output that was missed.
#[test]
fn golden_rows_that_cannot_be_computed_say_why() {
    let refused = |golden: &str| {
        let file = safetensors(&tensors(), &with("golden", Some(golden)));
        read(&file).expect_err(golden).why
    };
    assert_eq!(
        refused("{\"x\":[[3]],\"h\":[1]}"),
        "golden row 0 has 1 numbers, and the model takes 2"
    );
    let far = refused("{\"x\":[[1e308,-1e308]],\"h\":[1e308]}");
    assert!(
        far.starts_with("golden row 0 gives no finite h, and its file says 1e308:"),
        "{far}"
    );
}

#[test]
fn what_is_given_beside_the_file_must_agree() {
    let given = |features: &[&str]| Given {
        features: Some(features.iter().map(|f| (*f).to_owned()).collect()),
        activation: None,
    };
    assert!(Model::read(&sound(), &given(&["steps", "cost_usd"])).is_ok());
    assert!(Model::read(&sound(), &given(&["cost_usd", "steps"])).is_err());
    let relu = Given {
        features: None,
        activation: gate::neural::Activation::named("relu"),
    };
    let refusal = Model::read(&sound(), &relu).expect_err("two activations");
    assert!(
        refusal.why.contains("`tanh`, and `relu` is given"),
        "{}",
        refusal.why
    );
}

#[test]
fn a_file_that_is_cut_off_is_refused_wherever_it_ends() {
    for end in 0..TRAINED.len() {
        assert!(read(&TRAINED[..end]).is_err(), "{end} bytes");
    }
    let longer = [TRAINED, b"\0"].concat();
    assert!(read(&longer).is_err(), "a byte too many");
}

/// With golden pairs no change of a byte gives another model: it is refused, or h stays what it was.
#[test]
fn a_changed_byte_is_refused_or_changes_nothing() {
    let trained = read(TRAINED).expect("the fixture");
    let golden = &trained.metadata.golden;
    assert!(golden.len() >= 8);
    let mut refused = 0;
    // Every byte of the header, and each of the four of a number in turn.
    let header = u64::from_le_bytes(TRAINED[..8].try_into().expect("8 bytes")) as usize + 8;
    let places: Vec<usize> = (0..header)
        .chain((header..TRAINED.len()).step_by(5))
        .collect();
    for &at in &places {
        let mut changed = TRAINED.to_vec();
        changed[at] ^= 1 << (at % 8);
        match read(&changed) {
            Err(_) => refused += 1,
            Ok(model) => {
                for pair in golden {
                    let far = (model.h(&pair.x) - pair.h).abs();
                    assert!(
                        far <= 1.1e-6 * pair.h.abs().max(1.0),
                        "byte {at}: off by {far}"
                    );
                }
            }
        }
    }
    assert!(refused > places.len() / 2, "{refused}");
}

/// Whichever of the two were meant, the other would count for nothing without a word.
#[test]
fn what_is_said_twice_is_refused() {
    let renamed = |bytes: Vec<u8>, from: &str, to: &str| {
        let at = bytes
            .windows(from.len())
            .position(|own| own == from.as_bytes());
        let at = at.expect("the name");
        [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
    };
    let tensor = renamed(sound(), "\"net.2.bias\"", "\"net.0.bias\"");
    let mut said = metadata();
    said.push(("versiox", "1".to_owned()));
    let key = renamed(safetensors(&tensors(), &said), "\"versiox\"", "\"version\"");
    let golden = "{\"x\":[[3,1]],\"h\":[0],\"h\":[1]}";
    let pairs = safetensors(&tensors(), &with("golden", Some(golden)));
    for (bytes, name) in [(tensor, "`net.0.bias`"), (key, "`version`"), (pairs, "`h`")] {
        let why = read(&bytes).expect_err(name).why;
        assert!(why.contains(&format!("has {name} twice")), "{why}");
    }
}

/// A small file can ask for much work; it is refused before the work is done.
#[test]
fn what_is_too_much_is_refused_at_once() {
    let begun = std::time::Instant::now();
    let golden = |pairs: usize, row: &str| {
        let rows = vec![row; pairs].join(",");
        let h = vec!["0"; pairs].join(",");
        format!("{{\"x\":[{rows}],\"h\":[{h}]}}")
    };
    let mut keys = metadata();
    let names: Vec<String> = (0..64).map(|n| format!("k{n}")).collect();
    keys.extend(names.iter().map(|name| (name.as_str(), String::new())));
    let many: Vec<String> = (0..1000).map(|n| format!("t{n}.bias")).collect();
    let wide = |pairs| {
        let row = format!("[{}0]", "0,".repeat(4095));
        let all: Vec<Named> = vec![("l.weight", vec![1, 4096], vec![0.0; 4096])];
        let names: Vec<String> = (0..4096).map(|n| format!("\"f{n}\"")).collect();
        let mut said = with("features", Some(&format!("[{}]", names.join(","))));
        said.retain(|(key, _)| *key != "layers");
        said.push(("layers", "l".to_owned()));
        said.push(("golden", golden(pairs, &row)));
        safetensors(&all, &said)
    };
    let mut deep: Vec<Named> = tensors();
    deep.extend(many.iter().map(|name| {
        let name: &'static str = Box::leak(name.clone().into_boxed_str());
        (name, vec![0], Vec::new())
    }));
    let long =
        |key, text: &str, times| safetensors(&tensors(), &with(key, Some(&text.repeat(times))));
    let cases = [
        (safetensors(&tensors(), &keys), "more than 64 keys"),
        (safetensors(&deep, &metadata()), "more than 1000 tensors"),
        (long("layers", ",", 70_000), "`layers` is too long"),
        (long("layers", "net.0,", 65), "more than 64 layers"),
        (long("features", " ", 70_000), "`features` is too long"),
        (long("golden", " ", 3 << 20), "`golden` is too long"),
        (long("golden", " ", 5 << 20), "header is longer"),
        (
            safetensors(&tensors(), &with("golden", Some(&golden(1025, "[1,2]")))),
            "more than 1024 golden pairs",
        ),
    ];
    for (bytes, wanted) in cases {
        let why = read(&bytes).expect_err(wanted).why;
        assert!(why.contains(wanted), "{why}, not {wanted}");
    }
    assert!(read(&wide(200)).is_ok(), "much, and not too much");
    assert!(begun.elapsed().as_secs() < 10);
}

/// A large model may have a pair, and no more pairs than it takes little time to verify.
#[test]
fn golden_pairs_of_a_large_model_are_bounded() {
    let file = |pairs: usize| {
        let side = 1400;
        let all: Vec<Named> = vec![
            ("a.weight", vec![side, 1], vec![0.0; side]),
            ("b.weight", vec![side, side], vec![0.0; side * side]),
            ("c.weight", vec![1, side], vec![0.0; side]),
        ];
        let mut said = with("features", Some("[\"steps\"]"));
        said.retain(|(key, _)| *key != "layers");
        said.push(("layers", "a,b,c".to_owned()));
        let (x, h) = (vec!["[1]"; pairs].join(","), vec!["0"; pairs].join(","));
        said.push(("golden", format!("{{\"x\":[{x}],\"h\":[{h}]}}")));
        safetensors(&all, &said)
    };
    assert!(read(&file(2)).is_ok());
    let refusal = read(&file(1000)).expect_err("too many");
    assert!(refusal.why.contains("may have 32"), "{}", refusal.why);
}
