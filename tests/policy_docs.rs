//! The policy reference: its examples can be read, and it leaves nothing out.

use gate::embed::EMBEDDERS;
use gate::policy::expr::names;
use gate::policy::{BARRIER_IDS, PolicySource, STAGE_IDS, Tokenizer, effective, parse};

const DOC: &str = include_str!("../docs/policy.md");

/// The blocks of TOML, each with the line it begins on.
fn examples() -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (n, line) in DOC.lines().enumerate() {
        match (&mut open, line) {
            (None, "```toml") => open = Some((n + 1, String::new())),
            (Some(_), "```") => blocks.extend(open.take()),
            (Some((_, text)), line) => text.extend([line, "\n"]),
            (None, _) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

#[test]
fn every_example_can_be_read_and_so_can_its_effective_form() {
    let load = |_: &str| Ok(b"{}".to_vec());
    let read = |name: &str, text: &str| {
        let policy = parse(text, name, PolicySource::File(name.into()), &load);
        policy.unwrap_or_else(|e| panic!("{}", e[0]))
    };
    let examples = examples();
    assert!(examples.len() >= 9);
    for (line, text) in examples {
        let policy = read(&format!("docs/policy.md+{line}"), &text);
        assert!(policy.warnings.is_empty(), "{:?}", policy.warnings);
        let form = effective::text(&policy);
        let again = read("effective", &form);
        assert_eq!(effective::text(&again), form);
        assert_eq!(again.sha256, policy.sha256);
    }
}

#[test]
fn every_name_is_documented() {
    let quoted = |name: &str| {
        let code = [
            format!("`{name}`"),
            format!("`{name}("),
            format!("\"{name}\""),
        ];
        assert!(code.iter().any(|c| DOC.contains(c.as_str())), "{name}");
    };
    let variables = names::VARIABLES.iter().map(|(name, _)| *name);
    let functions = [names::HISTORY, names::GLOBAL, names::MEMBER].concat();
    EMBEDDERS.iter().for_each(|embedder| quoted(embedder.id));
    let tokenizers = Tokenizer::ALL.iter().map(|(_, name)| *name);
    let ids = STAGE_IDS.iter().chain(BARRIER_IDS).copied();
    variables
        .chain(functions)
        .chain(tokenizers)
        .chain(ids)
        .for_each(quoted);
}
