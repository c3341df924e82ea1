//! What `gate model` shows: text of a file that cannot act on a terminal, and what a model is to a policy.

use super::build::{safetensors, tensors, with};
use gate::neural::{Given, Model};
use gate::report::model::{MODEL_FORMATS, Shown};

fn table(features: &str, version: Option<&str>) -> String {
    let mut said = with("features", Some(features));
    said.extend(version.map(|version| ("features_version", version.to_owned())));
    let bytes = safetensors(&tensors(), &said);
    let model = Model::read(&bytes, &Given::default()).expect("a model");
    let shown = Shown {
        file: "m",
        sha256: "00",
        model: &model,
        h: None,
    };
    let mut out: Vec<u8> = Vec::new();
    (MODEL_FORMATS[0].write)(&shown, &mut out).expect("memory");
    String::from_utf8(out).expect("UTF-8")
}

/// What a policy would refuse is not told to be of the list.
#[test]
fn a_model_of_another_list_is_told_so() {
    let own = table(r#"["steps","loops"]"#, Some("gate-features/1"));
    assert!(own.contains("all of gate-features/1"), "{own}");
    let other = table(r#"["steps","loops"]"#, Some("gate-features/2"));
    assert!(
        other.contains("of another list than gate-features/1: no barrier here"),
        "{other}"
    );
}

/// Activations are not guessed: a single layer that names none has none.
#[test]
fn a_single_layer_has_no_activation() {
    let views = [super::build::whole("l.weight", "0", &[1, 2])];
    let mut members = super::build::members();
    members[0].1 = super::build::pickle(&super::build::state_dict(&views));
    let bytes = super::build::archive(&members, false);
    let model = Model::read(&bytes, &Given::default()).expect("a layer");
    assert_eq!(model.network.activation, None);
    assert_eq!(model.network.parameters(), 2, "it has no bias");
    let shown = Shown {
        file: "m",
        sha256: "00",
        model: &model,
        h: None,
    };
    let mut out: Vec<u8> = Vec::new();
    (MODEL_FORMATS[0].write)(&shown, &mut out).expect("memory");
    let text = String::from_utf8(out).expect("UTF-8");
    assert!(text.contains("none: there is one layer"), "{text}");
    let mut out: Vec<u8> = Vec::new();
    (MODEL_FORMATS[1].write)(&shown, &mut out).expect("memory");
    let text = String::from_utf8(out).expect("UTF-8");
    assert!(text.contains("\"activation\":null"), "{text}");
}

/// The name of a feature is text of whoever made the file.
#[test]
fn names_do_not_act_on_a_terminal() {
    let shown = table(r#"["\u001b[2J\u202e\nsafe  yes","steps"]"#, None);
    assert!(
        shown
            .chars()
            .all(|c| c == '\n' || !gate::escape::is_hidden(c))
    );
    assert!(shown.contains(r"\u{1b}[2J\u{202e}\u{a}safe"), "{shown}");
    assert!(!shown.lines().any(|line| line.starts_with("safe")));
}
