//! `gate check --reach`: where an exploration starts, and how far it goes.

use super::{Told, files, tell_notices};
use crate::audit::barriers::builder;
use crate::policy::Policy;
use crate::verify::reach::{self, Limits, Reach, Start};
use crate::verify::states::one;
use anyhow::Context;
use std::path::{Path, PathBuf};

/// Longest file of a state, in bytes.
const MOST: usize = 64 << 20;

/// What is explored, and how far.
#[derive(Debug, clap::Args)]
pub(super) struct ReachArgs {
    /// Explore every state that runs can reach: ways out of the safe set, deadlocks, how many calls are left
    #[arg(long, help_heading = "Reachability")]
    pub(super) reach: bool,

    /// Start from the state in this file, written as one of `gate verify-barriers` [default: the initial one]
    #[arg(
        long,
        value_name = "FILE",
        requires = "reach",
        help_heading = "Reachability"
    )]
    state: Option<PathBuf>,

    /// Tools that are there beside those the policy names
    #[arg(
        long,
        value_name = "NAME,..",
        value_delimiter = ',',
        requires = "reach",
        help_heading = "Reachability"
    )]
    tools: Vec<String>,

    /// Most states that are explored
    #[arg(
        long,
        value_name = "N",
        default_value_t = Limits::default().states,
        requires = "reach",
        help_heading = "Reachability"
    )]
    max_states: usize,
}

/// Explores the policy.
///
/// # Errors
/// The file of the state cannot be read, or holds none.
pub(super) fn explored(args: &ReachArgs, policy: &Policy) -> anyhow::Result<Reach> {
    let mut start = Start {
        tools: args.tools.clone(),
        ..Start::default()
    };
    if let Some(path) = &args.state {
        state(path, policy, &mut start)?;
    }
    let limits = Limits {
        states: args.max_states,
        ..Limits::default()
    };
    Ok(reach::explore_from(policy, &start, limits))
}

fn state(path: &Path, policy: &Policy, start: &mut Start) -> anyhow::Result<()> {
    let name = path.display().to_string();
    let text = files::read(path, MOST).with_context(|| format!("`{name}` cannot be read"))?;
    let (spec, notices) = one::read(&text).map_err(|fault| {
        let place = fault.place;
        let at = format!("{name}:{}:{}", place.line, place.column);
        let text = format!("gate: {at}: {}", fault.message);
        let help = fault.help.iter().map(|help| format!("  help: {help}"));
        // Whoever says the lines escapes them, one by one.
        Told(std::iter::once(text).chain(help).collect())
    })?;
    tell_notices(notices.iter(), notices.len() as u64, |_| &name);
    start.state = builder(policy).state(&spec);
    Ok(())
}
