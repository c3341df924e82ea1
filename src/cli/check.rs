//! `gate check`.

use super::inputs::Sources;
use super::options::{LayoutArgs, one_of};
use super::outputs::print;
use super::policy;
use super::reach::{ReachArgs, explored};
use crate::audit::summary::{ExitSummary, PolicySummary};
use crate::check::{CheckReport, Finding};
use crate::exit::Exit;
use crate::number::count;
use crate::policy::{Policy, effective};
use crate::report::check::{self, CHECK_FORMATS, Shown};
use std::path::PathBuf;

/// Validate a policy, and say what it permits and which of its rules decide nothing
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gate check
  gate check policies/strict.toml
  gate check --format json gate.toml | jq '.findings[].code'
  gate check --deny-warnings --effective gate.toml > effective.toml
  gate check --reach gate.toml
  gate check --reach --state state.json --tools web_search,bash gate.toml")]
pub(super) struct Args {
    /// Policy file, or a preset such as `coding-agent` [default: the gate.toml found upward, else built in]
    #[arg(value_name = "POLICY")]
    policy: Option<PathBuf>,

    /// Let warnings make the exit status 1
    #[arg(long)]
    deny_warnings: bool,

    /// Print the effective policy instead, every default spelled out; warnings go to standard error
    #[arg(long, conflicts_with_all = ["format", "reach"], help_heading = "Output")]
    effective: bool,

    /// Format of standard output
    #[arg(long, value_name = "FORMAT", default_value = CHECK_FORMATS[0].id, value_parser = one_of(CHECK_FORMATS, |f| (f.id, f.doc)), help_heading = "Output")]
    format: &'static check::Format,

    #[command(flatten)]
    layout: LayoutArgs,

    #[command(flatten)]
    reach: ReachArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let policy = policy::load(args.policy.as_deref(), &mut Sources::default())?;
    let reach = match args.reach.reach {
        true => Some(explored(&args.reach, &policy)?),
        false => None,
    };
    let report = crate::check::check(&policy, reach);
    let exit = exit(&report, args.deny_warnings);
    if args.effective {
        for finding in &report.findings {
            tell(&policy, finding);
        }
        let text = effective_text(&policy, &report);
        return Ok(print(exit.status, |out| out.write_all(text.as_bytes())));
    }
    let shown = Shown {
        header: args.layout.header(Vec::new()),
        policy: PolicySummary::of(&policy),
        exit,
    };
    let status = shown.exit.status;
    Ok(print(status, |out| {
        (args.format.write)(&report, &shown, out)
    }))
}

fn exit(report: &CheckReport, deny_warnings: bool) -> ExitSummary {
    let found = report.findings.len();
    let status = match deny_warnings && found > 0 {
        true => Exit::Findings,
        false => Exit::Clean,
    };
    let said = match found {
        0 => "no findings".to_owned(),
        found => count(found as u64, "finding", "findings"),
    };
    let tail = match status {
        Exit::Clean if found > 0 => ", which `--deny-warnings` would not let pass",
        _ => "",
    };
    ExitSummary {
        status,
        reason: format!("{said}; exit {}{tail}", status.code()),
    }
}

/// Tells a finding on standard error.
fn tell(policy: &Policy, finding: &Finding) {
    let what = format!("warning: {}: {}", finding.code, finding.message);
    let source = policy.source.to_string();
    super::say_at(
        &source,
        finding.place.told(),
        &what,
        finding.help.as_deref(),
    );
}

/// The effective policy, headed by where it came from, its hash and what it permits, as comments so
/// that the whole is a policy again.
fn effective_text(policy: &Policy, report: &CheckReport) -> String {
    let source = policy.source.to_string();
    let source = crate::escape::visible(&source);
    let mut text = format!(
        "# effective form of the policy: {source}\n# sha256 {}\n",
        policy.sha256
    );
    for line in report.permitted() {
        text += &format!("# {}\n", crate::escape::visible(&line));
    }
    text += "\n";
    text += &effective::text(policy);
    text
}
