//! `gate init`.

use crate::escape::file_name;
use crate::exit::Exit;
use anyhow::Context;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

/// Write a commented gate.toml with every setting at its default
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  gate init\n  gate init --force policies/strict.toml")]
pub(super) struct Args {
    /// The file to write
    #[arg(value_name = "FILE", default_value = "gate.toml")]
    file: PathBuf,

    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let shown = file_name(&args.file);
    let mut options = OpenOptions::new();
    options.write(true);
    if args.force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let mut file = options.open(&args.file).map_err(|error| {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            anyhow::anyhow!("`{shown}` exists: use --force to replace it")
        } else {
            anyhow::anyhow!("`{shown}` cannot be written: {error}")
        }
    })?;
    let written = file.write_all(crate::policy::INIT.as_bytes());
    written.with_context(|| format!("`{shown}` cannot be written"))?;
    super::say(&format!(
        "wrote {shown}; `gate check` tells what it comes to"
    ));
    Ok(Exit::Clean)
}
