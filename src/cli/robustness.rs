//! `gate robustness`.

use super::inputs::Sources;
use super::options::{InputArgs, LayoutArgs, ModeArg, one_of};
use super::outputs::print;
use super::progress::Progress;
use super::reading::read_all;
use super::{policy, say};
use crate::audit::robustness::{Measurer, Wanted};
use crate::engine::{Engine, Options};
use crate::exit::Exit;
use crate::report::robustness::{self, ROBUSTNESS_FORMATS};
use crate::stages::STAGES;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// Rank runs by how near they come to what their barriers refuse
///
/// Calls are replayed as `gate replay` does. A call is as near as the least of its barriers, of
/// min(h, slack) by the barrier's value at the start; a run is as near as its nearest call. Runs
/// without a finding are ranked too.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gate robustness recordings/
  gate robustness --mode observe --top 3 --calls trace.jsonl
  gate robustness --format json trace.jsonl | jq '.listed[0].nearest'")]
pub(super) struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// Policy file, or a preset such as `coding-agent` [default: the gate.toml found upward, else built in]
    #[arg(long, value_name = "POLICY", help_heading = "Policy")]
    policy: Option<PathBuf>,

    /// How recorded outcomes are taken
    #[arg(
        long,
        value_name = "MODE",
        default_value = "enforce",
        help_heading = "Replay"
    )]
    mode: ModeArg,

    /// Tell so many runs in full, the nearest first
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Output")]
    top: usize,

    /// Tell each call of these runs
    #[arg(long, help_heading = "Output")]
    calls: bool,

    /// Format of standard output; csv has every run
    #[arg(long, value_name = "FORMAT", default_value = ROBUSTNESS_FORMATS[0].id, value_parser = one_of(ROBUSTNESS_FORMATS, |f| (f.id, f.doc)), help_heading = "Output")]
    format: &'static robustness::Format,

    #[command(flatten)]
    layout: LayoutArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let sources = Sources::find(&args.input.files)?;
    let policy = policy::load(args.policy.as_deref(), &sources.directories)?;
    let wanted = Wanted {
        top: args.top,
        all: args.format.all,
        calls: args.calls,
    };
    let mode = args.mode.mode();
    let options = Options {
        mode,
        ..Options::default()
    };
    let mut measurer = Measurer::new(&policy, wanted);
    let progress = Progress::new(sources.bytes(), true);
    let read = args.input.read_options();
    let mut engine = Engine::new(&policy, STAGES, options, &mut measurer);
    let inputs = read_all(&sources, &read, &progress, &mut engine);
    engine.end();
    drop(engine);
    progress.done();
    sources.tell_passed_over();
    let names = inputs.iter().map(|input| input.name.clone()).collect();
    let header = args.layout.header(names);
    let found = measurer.finish(inputs, mode.as_str(), args.input.leniency());
    let status = print(found.exit.status, |out| {
        (args.format.write)(&found, &header, out)
    });
    let is_table = args.format.id == ROBUSTNESS_FORMATS[0].id;
    if !(is_table && io::stdout().is_terminal()) {
        super::tell_faults(&found.notices, found.faults, |input| header.input(input));
    }
    if found.exit.status == Exit::Unusable {
        say(&format!("gate: {}", found.exit.reason));
    }
    Ok(status)
}
