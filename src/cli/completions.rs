//! `gate completions`.

use super::outputs::print;
use crate::exit::Exit;
use clap::CommandFactory;
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
    clap_complete::generate(args.shell, &mut super::Cli::command(), "gate", &mut script);
    Ok(print(Exit::Clean, |out| out.write_all(&script)))
}
