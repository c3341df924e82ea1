//! The JSON Schemas of `docs/schema` say what gate writes and reads, no more and no less.

mod outputs;
mod policy;
mod states;

use serde_json::Value;
use std::path::Path;

/// The root of the project.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of the project.
fn text(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// A schema.
fn schema(file: &str) -> Value {
    let file = format!("docs/schema/{file}");
    serde_json::from_str(&text(&file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// The names of all schemas.
fn schemas() -> Vec<String> {
    let folder = std::fs::read_dir(root().join("docs/schema")).expect("docs/schema");
    let names = folder.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

/// The names of the properties of a node.
fn properties(node: &Value) -> Vec<&str> {
    let properties = node["properties"].as_object();
    properties
        .into_iter()
        .flatten()
        .map(|(k, _)| &**k)
        .collect()
}

#[test]
fn every_schema_is_one_of_its_own_draft_and_described() {
    for file in schemas() {
        let schema = schema(&file);
        if let Err(error) = jsonschema::meta::validate(&schema) {
            panic!("{file}: {error}");
        }
        for key in ["title", "description"] {
            assert!(schema[key].is_string(), "{file}: no `{key}`");
        }
    }
}

/// What a schema leaves open it would not notice when it is renamed.
#[test]
fn every_object_names_its_fields_or_says_what_they_are() {
    fn walk(node: &Value, at: &str) {
        if let Value::Array(items) = node {
            items.iter().for_each(|item| walk(item, at));
        }
        let Value::Object(members) = node else {
            return;
        };
        // Conditions look at some of the fields that another node names.
        let condition = ["/if", "/then", "/else"]
            .iter()
            .any(|end| at.ends_with(end));
        let object = node["type"] == "object" || node["properties"].is_object();
        assert!(
            !object || condition || members.contains_key("additionalProperties"),
            "{at}"
        );
        for (key, member) in members {
            walk(member, &format!("{at}/{key}"));
        }
    }
    // A call of a states file may have fields that gate does not know, as a record of a trace may.
    for file in schemas().iter().filter(|file| *file != "states.json") {
        walk(&schema(file), file);
    }
}
