//! `gate robustness`.

use super::inputs::Sources;
use super::options::{InputArgs, LayoutArgs, ReplayArgs, one_of};
use super::outputs::{Reported, report};
use super::policy::PolicyArgs;
use super::reading::read_all;
use crate::audit::robustness::{Measurer, Wanted};
use crate::audit::summary::Replayed;
use crate::engine::Engine;
use crate::exit::Exit;
use crate::report::robustness::{self, ROBUSTNESS_FORMATS};
use crate::stages::STAGES;

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

    #[command(flatten)]
    policy: PolicyArgs,

    #[command(flatten)]
    replay: ReplayArgs,

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
    let mut sources = Sources::find(&args.input.files)?;
    let policy = args.policy.load(&mut sources)?;
    let wanted = Wanted {
        top: args.top,
        all: args.format.all,
        calls: args.calls,
    };
    let options = args.replay.options();
    let mut measurer = Measurer::new(&policy, wanted);
    let mut engine = Engine::new(&policy, STAGES, options, &mut measurer);
    let inputs = read_all(&sources, &args.input, true, &mut engine);
    engine.end();
    drop(engine);
    sources.tell_passed_over();
    let names = inputs.iter().map(|input| input.name.clone()).collect();
    let header = args.layout.header(names);
    let found = measurer.finish(inputs, Replayed::by(&options), args.input.leniency());
    let reported = Reported {
        exit: &found.exit,
        notices: &found.noted.kept,
        faults: found.noted.faults,
        header: &header,
        table: args.format.id == ROBUSTNESS_FORMATS[0].id,
    };
    Ok(report(&reported, |out| {
        (args.format.write)(&found, &header, out)
    }))
}
