//! `[[contracts]]`: what must hold before and after calls.

use super::patterns::Names;
use super::reader::Reader;
use super::schema::schema;
use super::table::{Item, Table};
use crate::policy::Contract;
use crate::policy::expr::Site;
use crate::policy::matcher::Scope;

/// Longest id of a contract, in bytes.
const LONGEST_ID: usize = 100;

/// Reads the contracts, but those whose ids are in `without`.
pub fn contracts<'t>(
    r: &mut Reader<'t>,
    item: Option<Item<'t>>,
    without: &[String],
) -> Vec<Contract> {
    let mut contracts = r.tables(item, contract);
    contracts.retain(|contract| !contract.id.as_ref().is_some_and(|id| without.contains(id)));
    contracts
}

fn contract<'t>(r: &mut Reader<'t>, t: &mut Table<'t>) -> Option<Contract> {
    let id = t.get("id").and_then(|item| id(r, item));
    let tools = r.globs(t.get("tools"), Scope::Names, Names::Listed);
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
    Some(Contract {
        id,
        tools: tools?,
        require,
        ensure,
        schema,
        message,
        place: r.source.place(t.at),
    })
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
