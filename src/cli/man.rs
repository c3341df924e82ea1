//! `gate man`.

use super::inputs::Sources;
use super::outputs::{ReportFile, print};
use super::say;
use super::signals::Unfinished;
use crate::diag::nearest;
use crate::escape::file_name;
use crate::exit::Exit;
use crate::number::count;
use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Print a manual page, or write those of all commands
///
/// There is one page for gate and one for each of its commands.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gate man | man -l -
  gate man replay > gate-replay.1
  gate man --output ~/.local/share/man/man1")]
pub(super) struct Args {
    /// Print the page of this command [default: that of gate]
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    command: Option<String>,

    /// Write all pages to files in this folder: gate.1, gate-replay.1 and so on
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Replace pages that exist
    #[arg(long, requires = "output")]
    force: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let gate = built();
    if let Some(folder) = &args.output {
        return write_all(&gate, folder, args.force);
    }
    let command = match &args.command {
        None => &gate,
        Some(name) => find(&gate, name)?,
    };
    let page = page(command)?;
    Ok(print(Exit::Clean, |out| out.write_all(&page)))
}

/// gate with what clap adds to it. `help` is left out: it has nothing to say that the pages do not.
fn built() -> Command {
    let mut gate = super::Cli::command().disable_help_subcommand(true);
    gate.build();
    gate
}

fn find<'c>(gate: &'c Command, name: &str) -> anyhow::Result<&'c Command> {
    let names = || gate.get_subcommands().map(Command::get_name);
    gate.find_subcommand(name).with_context(|| {
        let help = match nearest(name, names()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!(
                "the commands are {}",
                names().collect::<Vec<_>>().join(", ")
            ),
        };
        format!("there is no command `{name}`: {help}")
    })
}

/// Writes the page of every command, or none of them.
fn write_all(gate: &Command, folder: &Path, force: bool) -> anyhow::Result<Exit> {
    let shown = file_name(folder);
    std::fs::create_dir_all(folder)
        .map_err(|e| anyhow::anyhow!("`{shown}` cannot be made: {e}"))?;
    let unfinished = Unfinished::default();
    unfinished.remove_when_interrupted();
    let mut files = Vec::new();
    for command in std::iter::once(gate).chain(gate.get_subcommands()) {
        let path = folder.join(format!("{}.1", full_name(command)));
        let file = ReportFile::create(&path, &Sources::default(), force, &unfinished)?;
        let page = page(command)?;
        let written = file.writer().and_then(|mut out| {
            out.write_all(&page)?;
            out.flush()
        });
        match written {
            Ok(()) => files.push(file),
            Err(error) => return Err(file.failed(error)),
        }
    }
    let written = count(files.len() as u64, "page", "pages");
    for file in files {
        file.keep()?;
    }
    say(&format!("wrote {written} to {shown}"));
    Ok(Exit::Clean)
}

/// The name of a page: `gate`, `gate-replay`.
fn full_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

/// The page of a command. What stands below its help becomes sections of their own, whose lines stay
/// as they are.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let below = command.get_after_help().map(ToString::to_string);
    let name = full_name(command);
    let usage = usage(command);
    let mut page = Vec::new();
    Man::new(
        command
            .clone()
            .after_help(None::<&str>)
            .override_usage(usage),
    )
    .title(name.to_uppercase())
    // In place of a date: the same bytes on every day.
    .date(concat!("version ", env!("CARGO_PKG_VERSION")))
    .source("gate")
    .manual("Manual of gate")
    .render(&mut page)?;
    sections(&below.unwrap_or_default()).to_writer(&mut page)?;
    Ok(page)
}

/// How a command is called, as its help says it: with the values that options take, and `...` where there may
/// be several.
fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    usage.trim_start_matches("Usage:").trim().to_owned()
}

/// `Examples:` with lines of its own below it, and `Exit status: 0 …` on one line.
fn sections(below: &str) -> Roff {
    let mut roff = Roff::new();
    for paragraph in below.split("\n\n") {
        let Some((title, text)) = paragraph.split_once(':') else {
            continue;
        };
        roff.control("SH", [title.to_uppercase().as_str()]);
        match text.strip_prefix('\n') {
            None => {
                roff.text([roman(text.trim())]);
            }
            Some(lines) => {
                roff.control("nf", []);
                for line in lines.lines() {
                    roff.text([roman(line)]);
                }
                roff.control("fi", []);
            }
        }
    }
    roff
}
