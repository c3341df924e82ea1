//! What gate writes, over all fixtures, is valid; and of every field that a schema has there is an
//! example, so that none is left over from an earlier format.

use super::{properties, root, schema, schemas};
use gate::engine::decision::DecisionKind;
use gate::exit::Finding;
use gate::policy::STAGE_IDS;
use gate::report::json::v1;
use gate::trace::event::{ApprovalOutcome, Recorded};
use jsonschema::{Registry, Validator};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Commands that write documents and lines of all machine formats, and together every field of them.
const RUNS: &[&str] = &[
    "replay fixtures --policy coding-agent --format jsonl --show-args",
    "replay fixtures/cases fixtures/lab --policy fixtures/cases/semantic.toml --format jsonl --coverage --show-args",
    "replay fixtures/cases --policy fixtures/docs/unsound.toml --format json",
    "inspect fixtures/formats fixtures/cases fixtures/lab --policy coding-agent --format json",
    "inspect fixtures/readme --format json",
    "inspect --formats --format json",
    "robustness fixtures --policy default --calls --format json",
    "verify-barriers fixtures/docs/transitions.jsonl --policy fixtures/docs/unsound.toml --format json",
    "verify-barriers fixtures/docs/states.json --policy fixtures/docs/unsound.toml --format json",
    "verify-barriers fixtures/docs/faulty.jsonl --policy fixtures/docs/unsound.toml --format json",
    "verify-barriers fixtures/cases --policy default --format json",
    "check fixtures/lab/dead_rules.toml --reach --format json",
    "check fixtures/lab/halved.toml --reach --format json",
    "check fixtures/lab/leads_out.toml --reach --format json",
    "check fixtures/lab/leads_out.toml --reach --max-states 2 --format json",
    "check fixtures/lab/stuck.toml --reach --format json",
    "check fixtures/lab/no_barriers.toml --reach --format json",
    "check coding-agent --format json",
    "check fixtures/neural/gate.toml --format json",
    "explain fixtures/lab/explain.jsonl --policy fixtures/lab/explain.toml --call c3 --show-args --format json",
    "explain fixtures/lab/explain.jsonl --policy fixtures/lab/explain.toml --call c5 --format json",
    "explain fixtures/lab/explain.jsonl --policy fixtures/lab/explain.toml --call c6 --format json",
    "calibrate fixtures/semantic/recorded.jsonl --embedder recorded --list 2 --show-args --format json",
    "calibrate fixtures/semantic/calibrate.jsonl --all-embedders --list 2 --format json",
    "calibrate fixtures/docs/faulty.jsonl --format json",
    "features fixtures/cases fixtures/semantic --policy default --format jsonl",
    "features --list --format jsonl",
    "model fixtures/neural/ncbf.safetensors --format json",
];

/// Schemas of what gate reads.
const READ: &[&str] = &["policy.json", "states.json"];

/// Fields that are not always there.
const OPTIONAL: &[&str] = &["args", "call_rows", "coverage"];

/// The schemas of what gate writes, by file.
struct Schemas(BTreeMap<String, Value>);

/// A node of a schema: its file and its JSON pointer in that.
#[derive(Clone)]
struct At {
    file: String,
    pointer: String,
}

impl At {
    fn to(&self, path: &str) -> At {
        At {
            file: self.file.clone(),
            pointer: format!("{}/{path}", self.pointer),
        }
    }
}

impl Schemas {
    fn new() -> Schemas {
        let written = schemas().into_iter().filter(|s| !READ.contains(&&**s));
        Schemas(written.map(|file| (file.clone(), schema(&file))).collect())
    }

    /// The node at a place, and the place where it is written.
    fn resolve(&self, at: &At) -> (At, &Value) {
        let node = self.0[&at.file].pointer(&at.pointer).expect("a node");
        let Some(target) = node["$ref"].as_str() else {
            return (at.clone(), node);
        };
        let (file, pointer) = target.split_once('#').unwrap_or((target, ""));
        let file = if file.is_empty() { &at.file } else { file };
        self.resolve(&At {
            file: file.to_owned(),
            pointer: pointer.to_owned(),
        })
    }

    /// Whether the value may be meant by the node: of several, valid is at most one that fits.
    fn fits(&self, at: &At, value: &Value) -> bool {
        let (_, node) = self.resolve(at);
        let name = match value {
            Value::Null => "null",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
            _ => "scalar",
        };
        let of_type = match &node["type"] {
            Value::String(only) => only == name,
            _ => true,
        };
        let named = |key: &str| {
            let said = &node["properties"][key];
            let one = said["const"].is_null() || said["const"] == value[key];
            let words = said["enum"].as_array();
            one && words.is_none_or(|words| words.contains(&value[key]))
        };
        of_type && (!value.is_object() || (named("schema") && named("record")))
    }

    /// Notes which properties of the schema the value has.
    fn see(&self, at: &At, value: &Value, seen: &mut BTreeSet<String>) {
        let (at, node) = self.resolve(at);
        for branch in 0..node["anyOf"].as_array().map_or(0, Vec::len) {
            let branch = at.to(&format!("anyOf/{branch}"));
            if self.fits(&branch, value) {
                self.see(&branch, value, seen);
            }
        }
        for item in value.as_array().into_iter().flatten() {
            if node["items"].is_object() {
                self.see(&at.to("items"), item, seen);
            }
        }
        for (key, member) in value.as_object().into_iter().flatten() {
            if node["properties"][key].is_object() {
                let at = at.to(&format!("properties/{key}"));
                seen.insert(format!("{}#{}", at.file, at.pointer));
                self.see(&at, member, seen);
            } else if node["additionalProperties"].is_object() {
                self.see(&at.to("additionalProperties"), member, seen);
            }
        }
    }

    /// Every property of every schema.
    fn properties(&self) -> BTreeSet<String> {
        fn walk(node: &Value, at: &str, found: &mut BTreeSet<String>) {
            for name in properties(node) {
                found.insert(format!("{at}/properties/{name}"));
                assert!(
                    node["required"]
                        .as_array()
                        .is_some_and(|r| r.contains(&json!(name)))
                        || OPTIONAL.contains(&name),
                    "{at}: `{name}` is neither required nor known to be left out at times"
                );
            }
            match node {
                Value::Object(members) => members
                    .iter()
                    .for_each(|(key, member)| walk(member, &format!("{at}/{key}"), found)),
                Value::Array(items) => (0..)
                    .zip(items)
                    .for_each(|(i, item): (usize, _)| walk(item, &format!("{at}/{i}"), found)),
                _ => {}
            }
        }
        let mut found = BTreeSet::new();
        for (file, schema) in &self.0 {
            walk(schema, &format!("{file}#"), &mut found);
        }
        found
    }
}

/// The schema of what names that one, `gate.report/1`, itself.
fn file_of(value: &Value) -> String {
    let schema = value["schema"].as_str().expect("a schema");
    let name = schema
        .strip_prefix("gate.")
        .and_then(|s| s.strip_suffix("/1"));
    format!("{}.json", name.unwrap_or_else(|| panic!("{schema}")))
}

/// What a command writes: one document, or a value a line.
fn written(command: &str) -> Vec<Value> {
    let run = Command::new(env!("CARGO_BIN_EXE_gate"))
        .args(command.split(' '))
        .current_dir(root())
        .output()
        .expect("gate runs");
    let values = serde_json::Deserializer::from_slice(&run.stdout).into_iter();
    let values: Vec<Value> = values.collect::<Result<_, _>>().expect("JSON");
    assert!(!values.is_empty(), "{command}: {run:?}");
    values
}

#[test]
fn everything_that_is_written_is_valid_and_every_field_of_a_schema_is_written() {
    let schemas = Schemas::new();
    let mut seen = BTreeSet::new();
    let address = |file: &str| format!("gate:///schema/{file}");
    let files = schemas.0.iter();
    let registry = files.fold(Registry::new(), |registry, (file, schema)| {
        registry
            .add(address(file), schema.clone())
            .expect("an address")
    });
    let registry = registry.prepare().expect("references that lead somewhere");
    let validator = |file: &String| -> Validator {
        let options = jsonschema::options().with_registry(&registry).offline();
        options
            .build(&json!({"$ref": address(file)}))
            .expect("a schema")
    };
    let validators: BTreeMap<String, Validator> = schemas
        .0
        .keys()
        .map(|file| (file.clone(), validator(file)))
        .collect();
    let mut used = BTreeSet::from(["common.json".to_owned()]);
    for command in RUNS {
        for value in written(command) {
            let file = file_of(&value);
            // A line of a report is valid by its own schema and by that of the report.
            let report = ["decision.json", "notice.json"].contains(&&*file);
            for file in [Some(&*file), report.then_some("report.json")]
                .into_iter()
                .flatten()
            {
                if let Err(error) = validators[file].validate(&value) {
                    panic!("{command}: {file}: {error} at {}", error.instance_path());
                }
            }
            let at = At {
                file: file.clone(),
                pointer: String::new(),
            };
            schemas.see(&at, &value, &mut seen);
            used.insert(file);
        }
    }
    let all: BTreeSet<String> = schemas.0.keys().cloned().collect();
    assert_eq!(used, all, "schemas of which nothing is written");
    let stale: Vec<_> = schemas.properties().difference(&seen).cloned().collect();
    assert!(stale.is_empty(), "never written: {stale:#?}");
}

#[test]
fn the_words_of_a_schema_are_those_that_gate_knows() {
    let words = |file: &str, pointer: &str| -> Vec<Value> {
        let schema = schema(file);
        let node = schema
            .pointer(pointer)
            .unwrap_or_else(|| panic!("{pointer}"));
        node.as_array().expect("words").clone()
    };
    let decision = |field: &str| words("decision.json", &format!("/properties/{field}/enum"));
    let kinds: Vec<_> = DecisionKind::ALL
        .iter()
        .map(|kind| json!(kind.as_str()))
        .collect();
    assert_eq!(decision("decision"), kinds);
    let or_null = |words: Vec<Value>| [words, vec![Value::Null]].concat();
    let approvals = ApprovalOutcome::ALL.iter().map(|(_, word)| json!(word));
    assert_eq!(decision("approval"), or_null(approvals.collect()));
    let recorded = Recorded::ALL.iter().map(|(_, word)| json!(word));
    assert_eq!(decision("recorded"), or_null(recorded.collect()));
    let stages: Vec<_> = STAGE_IDS.iter().map(|id| json!(id)).collect();
    assert_eq!(decision("checks_passed/items"), stages);
    let findings: Vec<_> = Finding::ALL.iter().map(|(_, word)| json!(word)).collect();
    let fail_on = "/$defs/settings/properties/fail_on/items/enum";
    assert_eq!(words("report.json", fail_on), findings);
}

#[test]
fn schemas_are_called_after_the_formats() {
    for (file, name) in [
        ("decision.json", v1::DECISION),
        ("notice.json", v1::NOTICE),
        ("report.json", v1::REPORT),
    ] {
        assert_eq!(schema(file)["title"], name);
        assert_eq!(file_of(&json!({ "schema": name })), file);
    }
}
