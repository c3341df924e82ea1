//! `gate completions`.

use super::outputs::print;
use crate::exit::Exit;
use crate::rules;
use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use clap_complete::Shell;

/// Print completions for a shell: commands, options and their values
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gate completions fish | source          complete in this shell alone
  mkdir -p ~/.config/fish/completions
  gate completions fish > ~/.config/fish/completions/gate.fish
  mkdir -p ~/.local/share/bash-completion/completions
  gate completions bash > ~/.local/share/bash-completion/completions/gate
  mkdir -p ~/.zfunc
  gate completions zsh > ~/.zfunc/_gate   where $fpath has that folder
  mkdir -p ~/.config/elvish
  gate completions elvish >> ~/.config/elvish/rc.elv")]
pub(super) struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut told(), "gate", &mut script);
    Ok(print(Exit::Clean, |out| out.write_all(&script)))
}

/// gate, with the values of arguments told that take any text and say themselves what there is none of.
fn told() -> Command {
    let gate = super::Cli::command();
    let commands: Vec<String> = gate
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    let rules = rules::all().into_iter().map(|rule| rule.id).collect();
    let of = |argument: &'static str, values: Vec<String>| {
        let values = PossibleValuesParser::new(values);
        move |command: Command| command.mut_arg(argument, |arg| arg.value_parser(values))
    };
    gate.mut_subcommand("man", of("command", commands))
        .mut_subcommand("rule", of("id", rules))
}
