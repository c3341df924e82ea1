//! From the text of a policy to the checked [`Policy`]. Every table is walked by hand, so that each
//! mistake is told with its line, its column and the nearest valid name, and all of them at once.

mod barriers;
mod contracts;
mod dcbf;
mod descriptions;
mod dfa;
mod doubts;
mod embedders;
mod extend;
mod gates;
mod labels;
mod neural;
mod patterns;
mod privilege;
mod reader;
mod schema;
pub mod semantic;
mod table;

use super::expr::{Compiler, Query};
use super::lines::Lines;
use super::matcher::MatcherId;
use super::toml::Source;
use super::{Measure, Policy, PolicySource, STAGE_IDS, effective, presets};
use crate::diag::{Diagnostic, nearest};
pub use reader::Load;
use reader::Reader;
pub use semantic::RECORDED;
use table::{Item, Table};

/// Longest policy, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// Reads a policy. `name` is the file as messages call it; `load` reads the files that the policy
/// names, whose paths are relative to it.
///
/// # Errors
/// Everything that is wrong with it, in file order.
pub fn parse(
    text: &str,
    name: &str,
    source: PolicySource,
    load: &Load<'_>,
) -> Result<Policy, Vec<Diagnostic>> {
    read(text, name, source, load, true)
}

/// Reads a policy as [`parse`] does, for those who make what models are trained on: it opens no model,
/// which may have to be trained yet, and has no barrier that is one. What features count by is read
/// as if there were.
///
/// # Errors
/// Everything else that is wrong with it, in file order.
pub fn parse_without_models(
    text: &str,
    name: &str,
    source: PolicySource,
    load: &Load<'_>,
) -> Result<Policy, Vec<Diagnostic>> {
    read(text, name, source, load, false)
}

fn read(
    text: &str,
    name: &str,
    source: PolicySource,
    load: &Load<'_>,
    opens_models: bool,
) -> Result<Policy, Vec<Diagnostic>> {
    if text.len() > MAX_BYTES {
        let message = format!("the policy is longer than {MAX_BYTES} bytes");
        return Err(vec![Diagnostic::new(name, message)]);
    }
    let file = Source::new(name, text);
    let root = file.parse()?;
    let compiler = Compiler::new().map_err(|e| vec![Diagnostic::new(name, e)])?;
    let mut reader = Reader {
        source: &file,
        load,
        files: Vec::new(),
        errors: Vec::new(),
        warnings: Vec::new(),
        matchers: Default::default(),
        names: Vec::new(),
        patterns: 0,
        compiler,
        takes_features: false,
        opens_models,
        embedders: Default::default(),
    };
    let root = extend::merged(root.get_ref(), &file);
    let mut table = Table::new("", 0, Some(&root));
    let mut policy = sections(&mut reader, &mut table, source);
    reader.unknown_keys(&table);
    if !reader.errors.is_empty() {
        reader.errors.sort_by_key(|d| (d.line, d.column));
        return Err(reader.errors);
    }
    doubts::similar_names(&mut reader);
    policy.models = reader.embedders.models();
    policy.files = reader.files;
    policy.lines = Lines::of(&root, &|offset| file.place(offset));
    policy.matchers = reader.matchers;
    policy.warnings = reader.warnings;
    finish(&mut policy);
    Ok(policy)
}

impl Policy {
    /// The policy of the defaults.
    pub fn built_in() -> Policy {
        let nothing = |_: &str| Err("there are no files".to_owned());
        match parse("", "built-in", PolicySource::BuiltIn, &nothing) {
            Ok(policy) => policy,
            // It depends on nothing from outside, and a test reads it.
            Err(_) => unreachable!("the empty policy can be read"),
        }
    }

    /// Has runs remember what features count, by the settings of the policy's barriers, else by those
    /// of the defaults.
    pub fn count_default_features(&mut self) {
        self.count_features(barriers::PAIRS, barriers::OUTBOUND);
    }

    /// The policy of a preset; `None` if there is none of that name.
    pub fn preset(name: &str) -> Option<Policy> {
        let preset = presets::find(name)?;
        if preset.text.is_empty() {
            return Some(Policy::built_in());
        }
        let nothing = |_: &str| Err("there are no files".to_owned());
        // It depends on nothing from outside either.
        parse(
            &format!("extends = \"{}\"\n", preset.id),
            preset.id,
            PolicySource::Preset(preset.id),
            &nothing,
        )
        .ok()
    }
}

fn sections<'t>(r: &mut Reader<'t>, t: &mut Table<'t>, source: PolicySource) -> Policy {
    let without = extend::read(r, t);
    embedders::embedders(r, t.get("embedders"));
    Policy {
        source,
        sha256: String::new(),
        labels: labels::labels(r, t.get("labels")),
        disabled: disabled(r, t.get("pipeline")),
        gates: gates::gates(r, t.get("gates")),
        privilege: privilege::privilege(r, t.get("privilege")),
        resources: labels::resources(r, t.get("resources")),
        dfa: dfa::dfa(r, t.get("dfa")),
        contracts: contracts::contracts(r, t.get("contracts"), &without),
        dcbf: dcbf::dcbf(r, t.get("dcbf")),
        semantic: semantic::semantic(r, t.get("semantic")),
        preparer: Default::default(),
        models: Vec::new(),
        files: Vec::new(),
        boundary: labels::boundary(r, t.get("boundary")),
        matchers: Default::default(),
        tallied: Vec::new(),
        recent: 0,
        features_counted: false,
        lines: Lines::default(),
        warnings: Vec::new(),
    }
}

fn disabled<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Vec<&'static str> {
    r.table(item, "pipeline", |r, t| {
        let mut stages: Vec<&'static str> = Vec::new();
        for (element, text) in r.texts(t.get("disable")).unwrap_or_default() {
            match STAGE_IDS.iter().find(|id| **id == text) {
                Some(id) => stages.push(id),
                None => {
                    let help = match nearest(text, STAGE_IDS.iter().copied()) {
                        Some(meant) => format!("did you mean `{meant}`?"),
                        None => format!("the stages are {}", STAGE_IDS.join(", ")),
                    };
                    r.error(element.at, format!("unknown stage `{text}`"), Some(help));
                }
            }
        }
        // In pipeline order, so that the same set is the same policy.
        let order = STAGE_IDS.iter().copied();
        order.filter(|id| stages.contains(id)).collect()
    })
}

/// Works out what follows from the rest: what a run has to remember, doubts and the digest.
fn finish(policy: &mut Policy) {
    let mut tallied: Vec<MatcherId> = Vec::new();
    let mut recent = 0;
    let mut tally = |id: MatcherId| tallied.push(id);
    let contracts = policy.contracts.iter();
    let conditions = contracts.flat_map(|c| c.require.iter().chain(&c.ensure));
    let customs = policy
        .dcbf
        .barriers
        .iter()
        .filter_map(|b| match &b.measure {
            Measure::Custom(expr) => Some(expr),
            _ => None,
        });
    for barrier in &policy.dcbf.barriers {
        match &barrier.measure {
            Measure::Privacy { outbound, .. } => tally(*outbound),
            Measure::Safety { window, .. } => recent = recent.max(*window),
            _ => {}
        }
    }
    for query in conditions.chain(customs).flat_map(|expr| expr.queries()) {
        match query {
            Query::Recent(_, n) => recent = recent.max(n),
            _ => tally(query.tools()),
        }
    }
    tallied.sort_unstable();
    tallied.dedup();
    policy.tallied = tallied;
    policy.recent = recent;
    if policy.neural().next().is_some() {
        policy.count_default_features();
    }
    policy.warnings.extend(doubts::barriers(policy));
    policy
        .warnings
        .sort_by_key(|w| (w.place.line, w.place.column));
    policy.sha256 = effective::sha256(effective::text(policy).as_bytes());
}
