//! `[[contracts]]`: what must hold before and after calls.

use super::patterns::Names;
use super::reader::Reader;
use super::schema::schema;
use super::table::{Item, Table};
use crate::policy::Contract;
use crate::policy::expr::Site;
use crate::policy::matcher::Scope;

/// Reads the contracts.
pub fn contracts<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Vec<Contract> {
    r.tables(item, contract)
}

fn contract<'t>(r: &mut Reader<'t>, t: &mut Table<'t>) -> Option<Contract> {
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
        tools: tools?,
        require,
        ensure,
        schema,
        message,
        place: r.source.place(t.at),
    })
}
