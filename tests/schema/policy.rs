//! The JSON Schema of policies, for editors: it takes every policy that gate takes, has the keys that
//! gate knows in each table and no others, and tells what a schema can tell of a mistake.

use super::{properties, root, schema, text};
use gate::embed::EMBEDDERS;
use gate::neural::Activation;
use gate::policy::presets::PRESETS;
use gate::policy::read::RECORDED;
use gate::policy::{BARRIER_IDS, INIT, PolicySource, STAGE_IDS, Tokenizer, parse};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// What gate says of a policy, help behind the message. Every file it names is a schema that nothing is
/// known of.
fn told(policy: &str) -> Vec<String> {
    let load = |_: &str| Ok(br#"{"type":"object"}"#.to_vec());
    let read = parse(policy, "gate.toml", PolicySource::BuiltIn, &load);
    let errors = read.err().unwrap_or_default();
    let told = errors.iter().map(|error| {
        let help = error.help.as_deref().unwrap_or_default();
        format!("{}: {help}", error.message)
    });
    told.collect()
}

fn validator() -> jsonschema::Validator {
    jsonschema::draft7::new(&schema("policy.json")).expect("a schema")
}

fn value(policy: &str) -> Value {
    let table: toml::Table = policy.parse().unwrap_or_else(|e| panic!("{e}: {policy}"));
    serde_json::to_value(table).expect("JSON")
}

#[track_caller]
fn valid(name: &str, policy: &str) {
    if let Err(error) = validator().validate(&value(policy)) {
        panic!("{name}: {error} at {}", error.instance_path());
    }
}

/// The policies below a folder.
fn policies(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            policies(&path, found);
        } else if path.extension().is_some_and(|end| end == "toml") {
            let text = std::fs::read_to_string(&path).expect("text");
            found.push((path.display().to_string(), text));
        }
    }
}

#[test]
fn every_policy_there_is_is_valid() {
    let mut found = Vec::new();
    policies(&root().join("fixtures"), &mut found);
    assert!(found.len() > 20, "{}", found.len());
    found.extend(PRESETS.iter().map(|p| (p.id.to_owned(), p.text.to_owned())));
    for page in ["docs/policy.md", "README.md"] {
        let blocks = text(page);
        let blocks = blocks.split("```toml\n").skip(1);
        let blocks = blocks.filter_map(|block| block.split("```").next());
        found.extend(blocks.map(|block| (page.to_owned(), block.to_owned())));
    }
    for (name, policy) in &found {
        valid(name, policy);
    }
}

/// What `gate init` writes lists every setting, most of them behind a `#`.
#[test]
fn every_setting_of_a_new_policy_is_valid() {
    valid("as it is written", INIT);
    let setting = |line: &str| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '[') => {
            format!("{rest}\n")
        }
        _ => format!("{line}\n"),
    };
    let all: String = INIT.lines().map(setting).collect();
    valid("with every setting set", &all);
}

/// Tables that have the keys they need, each with the node of the schema that is about it. `@` is
/// where another key goes.
const TABLES: &[(&str, &str)] = &[
    ("@\n", ""),
    ("[[labels]]\nlabel = \"x\"\n@\n", "/definitions/label"),
    ("[pipeline]\n@\n", "/properties/pipeline"),
    ("[gates]\n@\n", "/properties/gates"),
    ("[privilege]\n@\n", "/properties/privilege"),
    ("[privilege.agents.x]\n@\n", "/definitions/agent"),
    ("[dfa]\n@\n", "/properties/dfa"),
    (
        "[[contracts]]\ntools = [\"*\"]\nensure = \"!error\"\n@\n",
        "/definitions/contract",
    ),
    ("[dcbf]\n@\n", "/properties/dcbf"),
    ("[dcbf.barriers.safety]\n@\n", "/definitions/safety"),
    ("[dcbf.barriers.privacy]\n@\n", "/definitions/privacy"),
    ("[dcbf.barriers.resource]\n@\n", "/definitions/resource"),
    ("[dcbf.barriers.scope]\n@\n", "/definitions/scope"),
    ("[dcbf.barriers.stability]\n@\n", "/definitions/stability"),
    (
        "[dcbf.barriers.own]\nexpr = \"1.0\"\n@\n",
        "/definitions/measured_by_expression",
    ),
    (
        "[dcbf.barriers.own]\nmodel = \"x.safetensors\"\nenabled = false\n@\n",
        "/definitions/measured_by_model",
    ),
    ("[semantic]\n@\n", "/properties/semantic"),
    ("[semantic.without_intent]\n@\n", "/definitions/thresholds"),
    ("[boundary]\ntools = [\"*\"]\n@\n", "/properties/boundary"),
];

/// A key that resembles none: gate answers with those there are.
const STRANGE: &str = "qzxvjk";

/// The keys that gate takes in a table: those it lists when it meets a strange one, or, where it says
/// something else of that, those of `candidates` that it does not find unknown.
fn known(table: &str, candidates: &BTreeSet<String>) -> BTreeSet<String> {
    let told_of = |key: &str| told(&table.replace('@', &format!("{key} = \"x\"")));
    let listed = told_of(STRANGE).into_iter().find_map(|said| {
        let keys = said.split_once("the keys are ")?.1;
        Some(keys.split(", ").map(str::to_owned).collect())
    });
    listed.unwrap_or_else(|| {
        let takes = |key: &&String| {
            let unknown = format!("unknown key `{key}`");
            let already = table
                .lines()
                .any(|line| line.starts_with(&format!("{key} =")));
            already || !told_of(key).iter().any(|said| said.starts_with(&unknown))
        };
        candidates.iter().filter(takes).cloned().collect()
    })
}

/// Every key that stands anywhere in the schema.
fn keys(node: &Value, found: &mut BTreeSet<String>) {
    found.extend(properties(node).into_iter().map(str::to_owned));
    match node {
        Value::Object(members) => members.values().for_each(|member| keys(member, found)),
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        _ => {}
    }
}

#[test]
fn every_table_has_the_keys_that_gate_knows() {
    let schema = schema("policy.json");
    let validator = validator();
    let mut candidates = BTreeSet::new();
    keys(&schema, &mut candidates);
    for (table, pointer) in TABLES {
        let node = schema
            .pointer(pointer)
            .unwrap_or_else(|| panic!("{pointer}"));
        // What measures a barrier is known everywhere, and makes another node of it or a mistake.
        let measures = ["expr", "model"].into_iter();
        let measures = measures.filter(|_| table.starts_with("[dcbf.barriers."));
        let has = properties(node).into_iter().chain(measures);
        let has: BTreeSet<String> = has.map(str::to_owned).collect();
        assert_eq!(has, known(table, &candidates), "{table}");
        let plain = table.replace('@', "");
        assert!(validator.is_valid(&value(&plain)), "{plain}");
        // What gate refuses as unknown, the schema refuses too.
        for key in candidates.iter().map(String::as_str).chain([STRANGE]) {
            let policy = table.replace('@', &format!("{key} = 1"));
            if !has.contains(key) {
                assert!(!validator.is_valid(&value(&policy)), "{policy}");
            }
        }
    }
}

/// Tables whose keys are names have no list of them, but for embedders and barriers.
#[test]
fn every_closed_table_of_the_schema_was_looked_at() {
    fn closed(node: &Value, at: &str, found: &mut BTreeSet<String>) {
        if node["additionalProperties"] == json!(false) {
            found.insert(at.to_owned());
        }
        match node {
            Value::Object(members) => members
                .iter()
                .for_each(|(key, member)| closed(member, &format!("{at}/{key}"), found)),
            Value::Array(items) => (0..)
                .zip(items)
                .for_each(|(i, item): (usize, _)| closed(item, &format!("{at}/{i}"), found)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    closed(&schema("policy.json"), "", &mut found);
    let looked = TABLES.iter().map(|(_, pointer)| (*pointer).to_owned());
    let looked: BTreeSet<String> = looked.chain(["/properties/embedders".to_owned()]).collect();
    assert_eq!(found, looked);
}

#[test]
fn the_words_are_those_that_gate_knows() {
    let schema = schema("policy.json");
    let words = |pointer: &str| -> Vec<Value> {
        let node = schema
            .pointer(pointer)
            .unwrap_or_else(|| panic!("{pointer}"));
        node["enum"].as_array().expect("words").clone()
    };
    let list = |words: &[&str]| words.iter().map(|word| json!(word)).collect::<Vec<_>>();
    let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.id).collect();
    assert_eq!(words("/properties/extends"), list(&presets));
    let disable = "/properties/pipeline/properties/disable/items";
    assert_eq!(words(disable), list(STAGE_IDS));
    let tokenizers: Vec<&str> = Tokenizer::ALL.iter().map(|(_, name)| *name).collect();
    let tokenizer = "/properties/gates/properties/tokenizer";
    assert_eq!(words(tokenizer), list(&tokenizers));
    let activations: Vec<&str> = Activation::ALL.iter().map(|(_, name)| *name).collect();
    let activation = "/definitions/measured_by_model/properties/activation";
    assert_eq!(words(activation), list(&activations));
    let embedders: Vec<&str> = EMBEDDERS.iter().map(|embedder| embedder.id).collect();
    let barriers = &schema["properties"]["dcbf"]["properties"]["barriers"];
    let embed = "/definitions/scope/properties/embed";
    assert_eq!(words(embed), list(&embedders));
    let scored = [&embedders[..], &[RECORDED]].concat();
    assert_eq!(
        words("/properties/semantic/properties/embedder"),
        list(&scored)
    );
    let models = EMBEDDERS.iter().filter(|embedder| embedder.needs_model);
    let models: Vec<&str> = models.map(|embedder| embedder.id).collect();
    assert_eq!(properties(&schema["properties"]["embedders"]), models);
    let mut named = properties(barriers);
    named.sort_by_key(|name| BARRIER_IDS.iter().position(|id| id == name));
    assert_eq!(named, BARRIER_IDS);
}

#[test]
fn what_a_schema_can_tell_of_a_mistake_it_tells() {
    let validator = validator();
    for policy in [
        "gates = 1",
        "labels = {}",
        "[[labels]]\ntools = [\"x\"]",
        "[[labels]]\nlabel = \"\"",
        "without = [\"coding-agent/force-push\"]",
        "extends = \"coding-agents\"",
        "[pipeline]\ndisable = [\"gate\"]",
        "[gates]\nallow = \"x\"",
        "[gates]\nmax_tokens = 1.5",
        "[gates]\nwindow = -1",
        "[gates]\ntokenizer = \"chars\"",
        "[gates.per_tool]\nx = \"1\"",
        "[privilege]\nunknown_agent = \"maybe\"",
        "[privilege.agents]\nx = 1",
        "[privilege.agents.x]\nmax_call_cost_usd = -0.5",
        "[privilege.agents.x]\nmax_call_cost_usd = 2e18",
        "[resources]\nx = \"path\"",
        "[resources]\nx = [\"args..path\"]",
        "[dfa]\nmax_repeats = 0",
        "[dfa]\ntimeout_seconds = 0",
        "[[contracts]]\ntools = [\"*\"]",
        "[[contracts]]\nensure = \"!error\"",
        "[[contracts]]\ntools = []\nensure = \"!error\"",
        "[[contracts]]\nid = \"a b\"\ntools = [\"*\"]\nensure = \"!error\"",
        "[dcbf]\npower = 0",
        "[dcbf]\nverify = \"yes\"",
        "[dcbf]\nneural = {}",
        "[dcbf.barriers.safety]\nwindow = 0",
        "[dcbf.barriers.safety]\npairs = [[\"a\"]]",
        "[dcbf.barriers.safety]\nexpr = \"1.0\"\nwindow = 5",
        "[dcbf.barriers.own]\nweight = 1",
        "[dcbf.barriers.own]\nexpr = \"1.0\"\nmodel = \"x\"",
        "[dcbf.barriers.scope]\nembed = \"recorded\"",
        "[semantic]\nembedder = \"recorded\"\nharm_floor = 0.5",
        "[semantic]\nescalate = -1",
        "[embedders]\nstatic = \"x\"",
        "[boundary]",
    ] {
        assert!(!told(policy).is_empty(), "{policy}");
        assert!(!validator.is_valid(&value(policy)), "{policy}");
    }
}
