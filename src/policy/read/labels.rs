//! `[[labels]]`, `[resources]` and `[boundary]`: what calls are called and what they touch.

use super::patterns::Names;
use super::reader::{Named, Reader};
use super::table::{Item, Table};
use crate::policy::expr::Site;
use crate::policy::matcher::{MatcherId, Scope};
use crate::policy::{LabelRule, ResourceRule};

/// Reads the label rules.
pub fn labels<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Vec<LabelRule> {
    r.tables(item, label)
}

fn label<'t>(r: &mut Reader<'t>, t: &mut Table<'t>) -> Option<LabelRule> {
    let item = t.get("label");
    let tools = r.globs(t.get("tools"), Scope::Names, Names::Tools);
    let when = r.expression(t.get("when"), Site::Label);
    let Some(item) = item else {
        r.error(t.at, "a label rule needs `label`", None);
        return None;
    };
    let at = item.span().start;
    let name = r.text(Some(item))?;
    r.names.push(Named {
        name: name.to_owned(),
        at: Some(at),
        checked: false,
        list: None,
    });
    Some(LabelRule {
        label: name.to_owned(),
        tools,
        when,
        place: r.source.place(t.at),
    })
}

/// Reads where resources stand in arguments.
pub fn resources<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Vec<ResourceRule> {
    r.table(item, "resources", |r, t| {
        let mut rules = Vec::new();
        for item in t.rest() {
            if !r.glob(item.key, item.at, Names::Listed) {
                continue;
            }
            let tools = r.matcher(vec![item.key.to_owned()], Scope::Names, item.at);
            let paths: Vec<_> = paths(r, item).into_iter().flatten().collect();
            if let Some(tools) = tools {
                rules.extend(paths.into_iter().map(|path| ResourceRule { tools, path }));
            }
        }
        rules
    })
}

fn paths<'t>(r: &mut Reader<'t>, item: Item<'t>) -> Vec<Option<Vec<String>>> {
    let elements = r.one_or_several(item, "a string or a list of strings");
    elements
        .into_iter()
        .map(|element| path(r, element))
        .collect()
}

fn path<'t>(r: &mut Reader<'t>, item: Item<'t>) -> Option<Vec<String>> {
    let text = r.text(Some(item.clone()))?;
    let mut keys = text.split('.').map(str::to_owned);
    let root = keys.next();
    let keys: Vec<String> = keys.collect();
    if root.as_deref() != Some("args") || keys.iter().any(String::is_empty) {
        let message = format!("`{text}` is no path into the arguments");
        let help = "write the keys from `args` down, such as `args.file.path`";
        r.error(item.span().start, message, Some(help.to_owned()));
        return None;
    }
    Some(keys)
}

/// Reads which tools were mediated.
pub fn boundary<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Option<MatcherId> {
    let item = item?;
    let at = item.at;
    r.table(Some(item), "boundary", |r, t| {
        let tools = r.globs(t.get("tools"), Scope::Names, Names::Listed);
        if !t.has("tools") {
            r.error(at, "`[boundary]` needs `tools`", None);
        }
        tools
    })
}
