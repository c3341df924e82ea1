//! The command line: arguments, files, progress. It judges nothing.

#![expect(
    clippy::disallowed_methods,
    reason = "files, clock and environment belong to this room alone"
)]

mod aside;
mod calibrate;
mod check;
mod completions;
mod convert;
mod explain;
mod features;
mod files;
mod init;
mod inputs;
mod inspect;
mod man;
mod model;
mod options;
mod outputs;
mod place;
mod policy;
mod progress;
mod reach;
mod reading;
mod replay;
mod robustness;
mod rule;
mod signals;
mod verify_barriers;

use crate::escape::{tamed, visible};
use crate::exit::Exit;
use crate::number::count;
use crate::trace::fault::Notice;
use clap::{Parser, Subcommand};
use std::io::Write;

/// Audits what AI agents did with their tools.
///
/// Reads recordings of tool calls and replays every call through a reference monitor: observation
/// budgets, privileges, a phase machine, contracts, control barrier functions and a semantic
/// firewall.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  gate init                               write a commented gate.toml
  gate check                              validate it and print what it comes to
  gate replay trace.jsonl                 replay every call, print the table and the report
  gate replay --format jsonl t.jsonl | jq -c 'select(.decision == \"block\")'
  gate explain t.jsonl --first-violation  explain the decision about a call
  gate rule coding-agent/force-push       explain a rule
  gate verify-barriers states.json        test the barriers on recorded states
  gate robustness recordings/             rank runs by how near they come to a refusal
  gate inspect session.jsonl              say what is in a recording, and what is not
  gate convert session.jsonl -o t.jsonl   write a recording as a canonical trace
  gate calibrate cases.jsonl              find thresholds of the semantic firewall
  gate features recordings/ -o f.csv      write the states of calls as a table of numbers
  gate model ncbf.safetensors             say what a neural barrier's model holds
  gate completions bash                   print completions for a shell
  gate man | man -l -                     read the manual page

Exit status: 0 no finding, 1 findings that --fail-on names, 2 unusable input, policy or usage.";

#[derive(Debug, Subcommand)]
enum Command {
    Replay(Box<replay::Args>),
    Explain(Box<explain::Args>),
    Inspect(Box<inspect::Args>),
    Convert(convert::Args),
    Features(features::Args),
    Model(model::Args),
    VerifyBarriers(verify_barriers::Args),
    Robustness(robustness::Args),
    Calibrate(calibrate::Args),
    Check(check::Args),
    Init(init::Args),
    Rule(rule::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Parses the arguments of the process, runs the command and says how it ended.
pub fn main() -> Exit {
    signals::outlive_file_limits();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors; a reader of them that went away is none either.
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            let gone = |e: std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
            let fine = !error.use_stderr() && printed.map_or_else(gone, |()| true);
            return if fine { Exit::Clean } else { Exit::Unusable };
        }
    };
    let done = match cli.command {
        Command::Replay(args) => replay::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Features(args) => features::run(&args),
        Command::Model(args) => model::run(&args),
        Command::VerifyBarriers(args) => verify_barriers::run(&args),
        Command::Robustness(args) => robustness::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Rule(args) => rule::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    };
    done.unwrap_or_else(|error| {
        match error.downcast_ref::<Told>() {
            Some(Told(lines)) => lines.iter().for_each(|line| say(line)),
            None => say(&format!("gate: {}", error_text(&error))),
        }
        Exit::Unusable
    })
}

/// An error that takes several lines to tell.
#[derive(Debug)]
struct Told(Vec<String>);

impl std::fmt::Display for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for Told {}

/// An error with everything that led to it, on one line a cause.
fn error_text(error: &anyhow::Error) -> String {
    let causes = error.chain().map(ToString::to_string);
    causes.collect::<Vec<_>>().join(": ")
}

/// Most faults, and most warnings, that standard error repeats.
const REPEATED: usize = 20;

/// What lists all faults where the machine formats of the command itself do.
const MACHINE_FORMATS: &str = "the machine formats list";

/// What lists all faults of recordings where the command itself keeps the first alone.
const REPLAY: &str = "`gate replay --format jsonl` lists";

/// Says the first faults on standard error, how many more of the `total` there are, and what lists
/// all of them.
fn tell_faults<'n>(notices: &[Notice], total: u64, all: &str, name: impl Fn(usize) -> &'n str) {
    let faults = notices.iter().filter(|notice| notice.kind.is_fault());
    let more = tell_notices(faults, total, name);
    if more > 0 {
        let what = count(more, "more fault", "more faults");
        say(&format!("gate: {what}; {all} all of them"));
    }
}

/// Says the first of some notices on standard error. Gives how many more of the `total` there are.
fn tell_notices<'a, 'n>(
    notices: impl Iterator<Item = &'a Notice>,
    total: u64,
    name: impl Fn(usize) -> &'n str,
) -> u64 {
    for notice in notices.take(REPEATED) {
        let kind = if notice.kind.is_fault() {
            ""
        } else {
            "warning: "
        };
        let what = format!("{kind}{}: {}", notice.kind, notice.message);
        say_at(
            name(notice.place.input),
            notice.place.told(),
            &what,
            notice.help.as_deref(),
        );
    }
    total.saturating_sub(REPEATED as u64)
}

/// Says what is the matter at a place in a file, as far as it is known: `LINE` or `LINE:COLUMN`.
fn say_at(file: &str, place: Option<String>, what: &str, help: Option<&str>) {
    let at = place.map_or(String::new(), |at| format!(":{at}"));
    say(&format!("{file}{at}: {what}"));
    if let Some(help) = help {
        say(&format!("  help: {help}"));
    }
}

/// Columns of the terminal, if standard output is one. One that does not tell its size has 80.
fn terminal_width() -> Option<usize> {
    let columns = comfy_table::Table::new().width().map(usize::from);
    columns.map(|columns| if columns == 0 { 80 } else { columns })
}

/// Writes a line to standard error, with what could steer a terminal, pass for another line or be a
/// command to a build server shown instead of sent. That standard error is gone is not a reason to stop.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", tamed(&visible(line)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
