//! `docs/rules.md`, made of the rules.

use super::{Rule, all};
use crate::policy::presets::PRESETS;
use std::fmt::Write;

/// The page about all rules.
pub fn document() -> String {
    let rules = all();
    let mut out = String::from(HEAD);
    for rule in &rules {
        let link = anchor(&rule.id);
        let _ = writeln!(out, "| [`{}`](#{link}) | {} |", rule.id, rule.summary);
    }
    out.push_str(PRESET_HEAD);
    for preset in PRESETS {
        let _ = writeln!(out, "| `{}` | {} |", preset.id, preset.doc);
    }
    for Rule { id, page, .. } in &rules {
        let _ = writeln!(out, "\n## `{id}`\n\n{page}");
    }
    out
}

/// The anchor that a heading with this id in backticks gets.
fn anchor(id: &str) -> String {
    id.chars().filter(|&c| c != '/').collect()
}

const HEAD: &str = "\
# Rules

Every rule that a decision can name. `gate rule ID` prints a page, `gate rule --list` the list. A decision has the id
in `stage` and `rule`, its barriers in `broken`, and the contract in `policy_rule`, where that has an id.

This page is made of what the program says of itself: `UPDATE_DOCS=1 cargo test --test docs`.

| rule | |
|---|---|
";

const PRESET_HEAD: &str = "
Presets are policies to start from: `--policy NAME`, or `extends = \"NAME\"` in a policy.

| preset | for |
|---|---|
";
