//! `[privilege]`: what agents may do.

use super::patterns::Names;
use super::reader::Reader;
use super::table::{Item, Table};
use crate::policy::glob::{self, Globs, is_name};
use crate::policy::matcher::Scope;
use crate::policy::{Agent, Privilege};

/// Reads the privileges.
pub fn privilege<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Option<Privilege> {
    let item = item?;
    let privilege = r.table(Some(item), "privilege", |r, t| Privilege {
        allow_unknown: r.word(t.get("unknown_agent"), &["deny", "allow"]) == Some(1),
        agents: r.table(t.get("agents"), "privilege.agents", |r, t| {
            let agents = t.rest();
            agents.into_iter().map(|item| agent(r, item)).collect()
        }),
    });
    Some(privilege)
}

fn agent<'t>(r: &mut Reader<'t>, item: Item<'t>) -> Agent {
    let (name, path) = (item.key.to_owned(), item.path.clone());
    r.table(Some(item), &path, |r, t| {
        contradictions(r, t);
        let resource_patterns = resources(r, t.get("resources"));
        Agent {
            tools: r.globs(t.get("tools"), Scope::Tool, Names::Listed),
            deny_tools: r.globs(t.get("deny_tools"), Scope::Names, Names::Tools),
            resources: resource_patterns.as_deref().map(glob_set),
            resource_patterns: resource_patterns.unwrap_or_default(),
            max_call_cost: r.money(t.get("max_call_cost_usd")),
            max_total_cost: r.money(t.get("max_total_cost_usd")),
            name,
        }
    })
}

/// Notes tools that are both allowed by name and denied.
fn contradictions<'t>(r: &mut Reader<'t>, t: &mut Table<'t>) {
    let list = |item: Option<Item<'t>>| item.and_then(|item| item.elements()).unwrap_or_default();
    let denied = list(t.get("deny_tools"));
    let denied: Vec<&str> = denied
        .iter()
        .filter_map(|item| item.value.get_ref().as_str())
        .filter(|pattern| glob::check(pattern).is_ok())
        .collect();
    let denied = Globs::new(&denied).unwrap_or_default();
    for item in list(t.get("tools")) {
        let Some(tool) = item.value.get_ref().as_str().filter(|tool| is_name(tool)) else {
            continue;
        };
        if denied.is_match(tool) {
            let message = format!("`{tool}` is both allowed and denied: it is denied");
            r.warn("allowed_and_denied", item.at, message);
        }
    }
}

fn resources<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Option<Vec<String>> {
    let mut patterns = Vec::new();
    for (element, text) in r.texts(item)? {
        // A resource is no tool: its name is not one to compare tools with.
        let names = r.names.len();
        if r.glob(text, element.at, Names::Listed) {
            patterns.push(text.to_owned());
        }
        r.names.truncate(names);
    }
    Some(patterns)
}

/// The set of patterns that were checked before; an empty set allows no resource.
fn glob_set(patterns: &[String]) -> Globs {
    Globs::new(patterns).unwrap_or_default()
}
