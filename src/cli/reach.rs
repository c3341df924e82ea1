//! `gate check --reach`: where an exploration starts, and how far it goes.

use super::{Told, files, tell_notices};
use crate::audit::barriers::builder;
use crate::escape::file_name;
use crate::policy::Policy;
use crate::trace::fault::Notice;
use crate::verify::reach::{self, Limits, Reach, Start};
use crate::verify::states::one;
use anyhow::Context;
use clap::builder::RangedU64ValueParser;
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
        value_parser = RangedU64ValueParser::<usize>::new().range(1..),
        requires = "reach",
        help_heading = "Reachability"
    )]
    max_states: usize,

    /// Most steps of work that an exploration takes, its names included
    #[arg(
        long,
        value_name = "N",
        default_value_t = Limits::default().work,
        value_parser = RangedU64ValueParser::<u64>::new().range(1..),
        requires = "reach",
        help_heading = "Reachability"
    )]
    max_work: u64,
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
        work: args.max_work,
        ..Limits::default()
    };
    Ok(reach::explore_from(policy, &start, limits))
}

fn state(path: &Path, policy: &Policy, start: &mut Start) -> anyhow::Result<()> {
    let name = file_name(path);
    let text = files::read(path, MOST).with_context(|| format!("`{name}` cannot be read"))?;
    let (spec, notices) = one::read(&text).map_err(|fault| Told(said(&name, &fault)))?;
    tell_notices(notices.iter(), notices.len() as u64, |_| &name);
    start.state = builder(policy).state(&spec);
    start.from_state = true;
    Ok(())
}

/// What is wrong with the file of a state. Whoever says the lines escapes them, one by one.
fn said(name: &str, fault: &Notice) -> Vec<String> {
    let at = fault.place.told();
    let at = at.map_or(String::new(), |at| format!(":{at}"));
    let text = format!("gate: {name}{at}: {}", fault.message);
    let help = fault.help.iter().map(|help| format!("  help: {help}"));
    std::iter::once(text).chain(help).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is not known of a place is left out, and no column is made up.
    #[test]
    fn a_fault_has_as_much_of_its_place_as_is_known() {
        let mut fault = one::read(b"\n [7]").expect_err("no state");
        fault.message = "x".into();
        fault.help = Some("y".into());
        for (line, column, at) in [(2, 3, "s:2:3"), (2, 0, "s:2"), (0, 0, "s")] {
            (fault.place.line, fault.place.column) = (line, column);
            assert_eq!(
                said("s", &fault),
                [format!("gate: {at}: x"), "  help: y".into()]
            );
        }
    }
}
