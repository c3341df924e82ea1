//! `gate check`.

use super::outputs::print;
use super::policy;
use super::reach::{ReachArgs, explored, near};
use crate::exit::Exit;
use crate::policy::effective;
use crate::policy::{Policy, PolicyWarning};
use crate::report::Header;
use crate::report::check::reach;
use crate::report::table::page::Page;
use crate::verify::reach::Reach;
use crate::verify::soundness::unsound_alpha;
use std::path::PathBuf;

/// Validate a policy and print its effective form
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gate check
  gate check policies/strict.toml
  gate check --deny-warnings gate.toml > effective.toml
  gate check --reach gate.toml
  gate check --reach --state state.json --tools web_search,bash gate.toml")]
pub(super) struct Args {
    /// The policy [default: the gate.toml found upward, else built in]
    #[arg(value_name = "POLICY")]
    policy: Option<PathBuf>,

    /// Let warnings make the exit status 1
    #[arg(long)]
    deny_warnings: bool,

    #[command(flatten)]
    reach: ReachArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let policy = policy::load(args.policy.as_deref(), &[])?;
    let reach = match args.reach.reach {
        true => Some(explored(&args.reach, &policy)?),
        false => None,
    };
    let warnings: Vec<_> = policy
        .warnings
        .iter()
        .cloned()
        .chain(unsound_alpha(&policy))
        .chain(match &reach {
            Some(reach) => reach.warnings(&policy),
            None => near(&policy)
                .deadlock_warning(&policy)
                .into_iter()
                .collect(),
        })
        .collect();
    for warning in &warnings {
        super::say(&shown(&policy, warning));
    }
    let mut text = text(&policy);
    text += &reach.as_ref().map(reached).unwrap_or_default();
    let status = match args.deny_warnings && !warnings.is_empty() {
        true => Exit::Findings,
        false => Exit::Clean,
    };
    Ok(print(status, |out| out.write_all(text.as_bytes())))
}

fn shown(policy: &Policy, warning: &PolicyWarning) -> String {
    let source = &policy.source;
    let (line, column) = (warning.place.line, warning.place.column);
    let at = if line > 0 {
        format!(":{line}:{column}")
    } else {
        String::new()
    };
    format!(
        "{source}{at}: warning: {}: {}",
        warning.code, warning.message
    )
}

/// The effective policy, headed by where it came from, its hash and what it permits, as comments so
/// that the whole is a policy again.
fn text(policy: &Policy) -> String {
    let source = policy.source.to_string();
    let source = crate::escape::visible(&source);
    let mut text = format!(
        "# effective form of the policy: {source}\n# sha256 {}\n",
        policy.sha256
    );
    for line in crate::verify::permits::described(policy) {
        text += &format!("# {}\n", crate::escape::visible(&line));
    }
    text += "\n";
    text += &effective::text(policy);
    text
}

/// What the policy can reach, as comments.
fn reached(reach: &Reach) -> String {
    let header = Header::default();
    let mut page = Page {
        header: &header,
        lines: Vec::new(),
    };
    reach::sections(&mut page, reach);
    let lines = page.lines.iter().map(|line| format!("# {line}"));
    let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
    format!("\n{}\n", lines.join("\n"))
}
