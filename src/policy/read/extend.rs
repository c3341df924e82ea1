//! `extends`: laying a policy over the preset that it starts from.
//!
//! Tables are merged key by key. Rules add up: `[[labels]]`, `[[contracts]]` and `gates.refuse` of the
//! policy come after those of the preset. Every other value of the policy takes the place of the
//! preset's; a barrier with an `expr` or a `model` takes the place of the whole barrier. `without` names contracts of the preset that are left out.

use crate::diag::nearest;
use crate::policy::presets::{self, Preset, PresetRule};
use crate::policy::read::reader::Reader;
use crate::policy::read::table::{Item, Table};
use crate::policy::toml::Source;
use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};

/// Lists that grow instead of being replaced, by their path.
const GROWING: &[&str] = &["labels", "contracts", "gates.refuse"];

/// Where barriers stand, each by its name.
const BARRIERS: &str = "dcbf.barriers.";

/// The policy laid over the preset that it names. What is wrong with the name is told by [`read`].
pub fn merged<'t>(table: &DeTable<'t>, source: &Source<'t>) -> DeTable<'t> {
    let preset = table
        .get("extends")
        .and_then(|item| presets::find(item.get_ref().as_str()?));
    let Some(preset) = preset else {
        return table.clone();
    };
    // Tests read every preset: what stands in one is TOML.
    let (base, _) = DeTable::parse_recoverable(preset.text);
    let mut base = moved(base.get_ref(), source.preset());
    lay("", table, &mut base);
    base
}

/// Reads `extends` and `without` and leaves out what the latter names.
pub fn read<'t>(r: &mut Reader<'t>, t: &mut Table<'t>) -> Vec<String> {
    let extends = t.get("extends");
    let preset = extends.and_then(|item| preset(r, item));
    let without = t.get("without");
    let Some(preset) = preset else {
        if let Some(item) = without {
            let help = "name the preset with `extends`".to_owned();
            r.error(
                item.at,
                "there is no preset to leave rules out of",
                Some(help),
            );
        }
        return Vec::new();
    };
    let rules = preset.contracts();
    let mut left_out = Vec::new();
    for (item, text) in r.texts(without).unwrap_or_default() {
        if rules.iter().any(|id| id == text) {
            left_out.push(text.to_owned());
            continue;
        }
        let (message, help) = unknown_contract(preset, text, &rules);
        r.error(item.at, message, Some(help));
    }
    left_out
}

/// What is wrong with a name in `without`, and what to do about it.
fn unknown_contract(preset: &Preset, text: &str, contracts: &[String]) -> (String, String) {
    let full = format!("{}/{text}", preset.id);
    let named = |rule: &PresetRule| rule.id == text || rule.id == full;
    let message = format!("`{}` has no contract `{text}`", preset.id);
    let help = match preset.rules().into_iter().find(named) {
        Some(rule) if contracts.contains(&rule.id) => format!("did you mean `{}`?", rule.id),
        Some(rule) => {
            let setting = rule.settings.iter().find(|line| line.starts_with('['));
            let setting = setting.copied().unwrap_or_default();
            let message = format!("`{text}` is no contract, so that it cannot be left out");
            let help = match setting {
                "[[labels]]" => "a label refuses nothing by itself",
                _ => "set the values of its table in the policy instead",
            };
            return (message, format!("it stands for `{setting}`: {help}"));
        }
        None => match nearest(text, contracts.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are {}", contracts.join(", ")),
        },
    };
    (message, help)
}

fn preset<'t>(r: &mut Reader<'t>, item: Item<'t>) -> Option<&'static Preset> {
    let at = item.span().start;
    let name = r.text(Some(item))?;
    let found = presets::find(name);
    if found.is_none() {
        let ids = presets::PRESETS.iter().map(|preset| preset.id);
        let help = match nearest(name, ids.clone()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are {}", ids.collect::<Vec<_>>().join(", ")),
        };
        r.error(at, format!("unknown preset `{name}`"), Some(help));
    }
    found
}

fn lay<'t>(path: &str, over: &DeTable<'t>, base: &mut DeTable<'t>) {
    for (key, value) in over.iter() {
        let name = key.get_ref();
        let path = match path {
            "" => name.to_string(),
            path => format!("{path}.{name}"),
        };
        match (base.get_mut(name.as_ref()), value.get_ref()) {
            // An expression or a model replaces the measure, and the barrier's own keys with it.
            (Some(below), DeValue::Table(table))
                if below.get_ref().is_table()
                    && !(path.starts_with(BARRIERS)
                        && (table.contains_key("expr") || table.contains_key("model"))) =>
            {
                if let DeValue::Table(below) = below.get_mut() {
                    lay(&path, table, below);
                }
            }
            (Some(below), DeValue::Array(more))
                if below.get_ref().is_array() && GROWING.contains(&path.as_str()) =>
            {
                if let DeValue::Array(list) = below.get_mut() {
                    for element in more.iter() {
                        list.push(element.clone());
                    }
                }
            }
            // The key is the policy's too, so that messages point at it.
            _ => {
                base.remove(name.as_ref());
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

/// The table with its places moved behind the text of the policy.
fn moved<'t>(table: &DeTable<'t>, by: usize) -> DeTable<'t> {
    let entry = |(key, value): (&Spanned<_>, &Spanned<_>)| (at(key, by), moved_value(value, by));
    table.iter().map(entry).collect()
}

fn at<T: Clone>(item: &Spanned<T>, by: usize) -> Spanned<T> {
    let span = item.span();
    Spanned::new(span.start + by..span.end + by, item.get_ref().clone())
}

fn moved_value<'t>(value: &Spanned<DeValue<'t>>, by: usize) -> Spanned<DeValue<'t>> {
    let mut value = at(value, by);
    match value.get_mut() {
        DeValue::Table(table) => *table = moved(table, by),
        DeValue::Array(list) => {
            for element in list.iter_mut() {
                *element = moved_value(element, by);
            }
        }
        _ => {}
    }
    value
}
