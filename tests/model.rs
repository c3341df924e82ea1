//! `gate model` as it is run: rows that have no h, and arguments that say nothing.

mod program;

use program::Scratch;

const TRAINED: &[u8] = include_bytes!("../fixtures/neural/ncbf.safetensors");

/// A row is told whichever way its number is none, and h of it is none.
#[test]
fn rows_without_a_number_are_counted() {
    let scratch = Scratch::new();
    scratch.file("m.safetensors", TRAINED);
    let list = scratch.gate("model m.safetensors --format json").ends(0);
    let model: serde_json::Value = serde_json::from_str(&list.out).expect("JSON");
    let names: Vec<&str> = model["features"]
        .as_array()
        .expect("features")
        .iter()
        .filter_map(|name| name.as_str())
        .collect();
    let row = |first: &str| {
        let mut cells = vec!["0"; names.len()];
        cells[0] = first;
        cells.join(",")
    };
    let rows = ["0", "", "nan", "inf", "-inf", "1e999"].map(row);
    scratch.file("rows.csv", [names.join(","), rows.join("\n")].join("\n"));
    let ran = scratch
        .gate("model m.safetensors --inputs rows.csv --format json")
        .ends(0)
        .says("5 rows with a number that is missing or not finite");
    let shown: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let h = shown["h"].as_array().expect("h");
    let none: Vec<bool> = h.iter().map(serde_json::Value::is_null).collect();
    assert_eq!(none, [false, true, true, true, true, true]);
}

/// A name that is empty is none.
#[test]
fn an_empty_list_of_features_is_wrong_usage() {
    let scratch = Scratch::new();
    scratch.file("m.safetensors", TRAINED);
    for features in ["--features=", "--features=a,,b"] {
        scratch
            .gate(&format!("model m.safetensors {features}"))
            .ends(2)
            .says("--features");
    }
}
