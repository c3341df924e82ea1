//! `gate convert`.

use super::inputs::Sources;
use super::options::{InputArgs, OutputArgs};
use super::outputs::Destination;
use super::reading::read_all;
use super::say;
use super::signals::Unfinished;
use crate::audit::summary::InputSummary;
use crate::audit::verdict::unusable_inputs;
use crate::convert::{Converted, Converter};
use crate::exit::Exit;
use crate::number::count;

/// Write recordings of any format as one canonical trace
///
/// Every record names its run, and replaying the trace decides as replaying the recordings does.
/// Runs of one id in several inputs stay apart: the later ones become `<id>#2`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gate convert session.jsonl > trace.jsonl
  gate convert recordings/ -o trace.jsonl
  gate convert chat.json | jq -r 'select(.type == \"tool_call\") | .tool' | sort | uniq -c")]
pub(super) struct Args {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let sources = Sources::find(&args.input.files)?;
    let unfinished = Unfinished::default();
    unfinished.remove_when_interrupted();
    let (destination, writer) = Destination::open(&args.output, "trace", &sources, &unfinished)?;
    let mut converter = Converter::new(writer);
    let inputs = read_all(&sources, &args.input, !args.output.quiet, &mut converter);
    let (converted, failed) = converter.finish();
    sources.tell_passed_over();
    if !args.output.quiet {
        tell(&converted, &inputs);
    }
    Ok(destination.keep(verdict(args, &converted, &inputs), failed))
}

/// The warnings and the faults, which no report shows.
fn tell(converted: &Converted, inputs: &[InputSummary]) {
    let name = |input: usize| inputs.get(input).map_or("", |input| &*input.name);
    for (total, is_fault) in [
        (converted.noted.warnings, false),
        (converted.noted.faults, true),
    ] {
        let notices = converted.noted.kept.iter();
        let notices = notices.filter(|notice| notice.kind.is_fault() == is_fault);
        let more = super::tell_notices(notices, total, name);
        if more > 0 {
            let what = if is_fault { "faults" } else { "warnings" };
            say(&format!(
                "gate: {more} more {what}; `gate replay` lists all of them"
            ));
        }
    }
    if converted.noted.faults > 0 {
        say("gate: what has a fault is missing in the output, or stands there as the fault says");
    }
}

fn verdict(args: &Args, converted: &Converted, inputs: &[InputSummary]) -> Exit {
    let leniency = args.input.leniency();
    match unusable_inputs(
        inputs.iter(),
        converted.noted.faults,
        converted.calls,
        leniency,
    ) {
        Some(reason) => {
            let written = count(converted.records, "record", "records");
            say(&format!("gate: {reason}; {written} written"));
            Exit::Unusable
        }
        None => Exit::Clean,
    }
}
