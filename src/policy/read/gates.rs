//! `[gates]`: the observation-budget chain.

use super::patterns::Names;
use super::reader::Reader;
use super::table::Item;
use crate::policy::matcher::Scope;
use crate::policy::{Gates, Tokenizer, ToolBudget};

/// Reads the gates.
pub fn gates<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Gates {
    r.table(item, "gates", |r, t| Gates {
        allow: r.globs(t.get("allow"), Scope::Tool, Names::Listed),
        refuse: r.regexes(t.get("refuse")).into(),
        window: r.count(t.get("window"), 0),
        max_tokens: r.count(t.get("max_tokens"), 0),
        tokenizer: {
            let names: Vec<_> = Tokenizer::ALL.iter().map(|(_, name)| *name).collect();
            let index = r.word(t.get("tokenizer"), &names);
            index.map_or(Tokenizer::default(), |i| Tokenizer::ALL[i].0)
        },
        per_tool: per_tool(r, t.get("per_tool")),
    })
}

fn per_tool<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Vec<ToolBudget> {
    r.table(item, "gates.per_tool", |r, t| {
        let mut budgets = Vec::new();
        for item in t.rest() {
            let (name, at) = (item.key.to_owned(), item.at);
            let max_tokens = r.count(Some(item), 0);
            if !r.glob(&name, at, Names::Checked) {
                continue;
            }
            let tools = r.matcher(vec![name.clone()], Scope::Names, at);
            if let (Some(tools), Some(max_tokens)) = (tools, max_tokens) {
                budgets.push(ToolBudget {
                    name,
                    tools,
                    max_tokens,
                });
            }
        }
        budgets
    })
}
