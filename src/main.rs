//! The command line program.

use std::process::ExitCode;

fn main() -> ExitCode {
    gate::cli::main().into()
}
