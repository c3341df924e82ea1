//! `gate rule`.

use super::outputs::print;
use crate::diag::nearest;
use crate::exit::Exit;
use crate::rules::{self, Rule};
use anyhow::bail;

/// Explain a rule: what it refuses, why, and how to set it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gate rule dcbf/forward_invariance
  gate rule coding-agent/force-push
  gate rule --list")]
pub(super) struct Args {
    /// The rule: `stage/rule` as in a decision, `barrier/NAME`, or a preset's `preset/rule`
    #[arg(value_name = "ID", required_unless_present = "list")]
    id: Option<String>,

    /// List all rules, or those whose id begins with ID
    #[arg(long)]
    list: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let text = if args.list {
        list(args.id.as_deref().unwrap_or_default())?
    } else {
        page(args.id.as_deref().unwrap_or_default())?
    };
    Ok(print(Exit::Clean, |out| out.write_all(text.as_bytes())))
}

fn list(prefix: &str) -> anyhow::Result<String> {
    let rules = rules::all();
    let listed: Vec<&Rule> = rules.iter().filter(|r| r.id.starts_with(prefix)).collect();
    if listed.is_empty() {
        bail!("no rule begins with `{prefix}`");
    }
    let width = listed.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let lines = listed
        .iter()
        .map(|rule| format!("{:width$}  {}\n", rule.id, rule.summary));
    Ok(lines.collect())
}

fn page(id: &str) -> anyhow::Result<String> {
    if let Some(Rule {
        id, summary, page, ..
    }) = rules::find(id)
    {
        return Ok(format!("{id}: {summary}\n\n{page}\n"));
    }
    let rules = rules::all();
    let ids = rules.iter().map(|rule| rule.id.as_str());
    let group = |full: &str| full.split('/').next() == Some(id);
    if ids.clone().any(group) {
        bail!("`{id}` is no rule, but has some: `gate rule --list {id}` lists them");
    }
    // A rule may be asked for by its own name alone, where only one has it.
    let mut named = ids
        .clone()
        .filter(|full| full.split('/').nth(1) == Some(id));
    let help = match (named.next(), nearest(id, ids.clone())) {
        (Some(full), _) | (None, Some(full)) => format!("did you mean `{full}`?"),
        (None, None) => "`gate rule --list` has them all".to_owned(),
    };
    bail!("there is no rule `{id}`: {help}")
}
