//! `[[contracts]]`: what must hold before and after calls.

use super::patterns::Names;
use super::reader::Reader;
use super::schema::schema;
use super::table::{Item, Table};
use crate::policy::Contract;
use crate::policy::expr::Site;
use crate::policy::matcher::Scope;
use std::collections::HashMap;

/// Longest id of a contract, in bytes.
const LONGEST_ID: usize = 100;

/// Reads the contracts, but those whose ids are in `without`.
pub fn contracts<'t>(
    r: &mut Reader<'t>,
    item: Option<Item<'t>>,
    without: &[String],
) -> Vec<Contract> {
    let mut contracts = r.tables(item, contract);
    contracts.retain(|(_, c)| !c.id.as_ref().is_some_and(|id| without.contains(id)));
    repeated_ids(r, &contracts);
    contracts
        .into_iter()
        .map(|(_, contract)| contract)
        .collect()
}

/// Notes contracts with the id of an earlier one: records would not say which of them refused.
fn repeated_ids(r: &mut Reader<'_>, contracts: &[(usize, Contract)]) {
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (at, contract) in contracts {
        let Some(id) = contract.id.as_deref() else {
            continue;
        };
        let Some(&earlier) = first.get(id) else {
            first.insert(id, *at);
            continue;
        };
        let (other, help) = match r.source.place(earlier).line {
            0 => (
                "the preset".to_owned(),
                format!("to replace that contract write `without = [\"{id}\"]`"),
            ),
            line => (format!("line {line}"), "choose another id".to_owned()),
        };
        let message = format!("the contract in {other} has the id `{id}` already");
        r.error(*at, message, Some(help));
    }
}

/// Reads a contract, with the place of its id.
fn contract<'t>(r: &mut Reader<'t>, t: &mut Table<'t>) -> Option<(usize, Contract)> {
    let item = t.get("id");
    let id_at = item.as_ref().map_or(t.at, |item| item.span().start);
    let id = item.and_then(|item| id(r, item));
    let tools = t.get("tools");
    if let Some(item) = tools.as_ref().filter(|item| item.is_empty()) {
        let message = "a contract for no tools holds for no call";
        let help = "for every tool write `tools = [\"*\"]`".to_owned();
        r.error(item.span().start, message, Some(help));
    }
    let tools = r.globs(tools, Scope::Names, Names::Tools);
    let require = r.expressions(t.get("require"), Site::Require);
    let ensure = r.expressions(t.get("ensure"), Site::Ensure);
    let schema = schema(r, t.get("schema"));
    let message = r.text(t.get("message")).map(str::to_owned);
    if !["require", "ensure", "schema"].iter().any(|key| t.has(key)) {
        let message = "a contract needs `require`, `ensure` or `schema`";
        r.error(t.at, message, None);
    }
    if !t.has("tools") {
        let help = "for every tool write `tools = [\"*\"]`".to_owned();
        r.error(t.at, "a contract needs `tools`", Some(help));
    }
    let contract = Contract {
        id,
        tools: tools?,
        require,
        ensure,
        schema,
        message,
        place: r.source.place(t.at),
    };
    Some((id_at, contract))
}

/// Reads the name of a contract, which reports show and shells and addresses can hold.
fn id<'t>(r: &mut Reader<'t>, item: Item<'t>) -> Option<String> {
    let at = item.span().start;
    let id = r.text(Some(item))?;
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"-_./".contains(&b);
    if id.is_empty() || id.len() > LONGEST_ID || !id.bytes().all(fits) {
        let message = "an id has 1 to 100 letters, digits, `-`, `_`, `.` and `/`";
        r.error(at, message, None);
        return None;
    }
    Some(id.to_owned())
}
