//! `gate convert`.

use super::inputs::Sources;
use super::options::InputArgs;
use super::outputs::{ReportFile, stdout};
use super::progress::Progress;
use super::reading::read_all;
use super::say;
use super::signals::Unfinished;
use crate::audit::summary::InputSummary;
use crate::audit::verdict::{Leniency, many, unusable_inputs};
use crate::convert::{Converted, Converter};
use crate::exit::Exit;
use anyhow::Context;
use std::io;
use std::path::PathBuf;

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

    /// Write to this file instead of standard output; it is complete or absent
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Replace the file if it exists
    #[arg(long, requires = "output", help_heading = "Output")]
    force: bool,

    /// Say nothing of faults, warnings and progress; the status stays
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let sources = Sources::find(&args.input.files)?;
    let unfinished = Unfinished::default();
    unfinished.remove_when_interrupted();
    let file = args.output.as_deref().map(|path| {
        if path.as_os_str() == "-" {
            anyhow::bail!("`-` is no file: without --output the trace goes to standard output");
        }
        ReportFile::create(path, &sources, args.force, &unfinished)
    });
    let file = file.transpose()?;
    let writer = match &file {
        Some(file) => file.writer().context("the file cannot be written")?,
        None => stdout(),
    };
    let mut converter = Converter::new(writer);
    let progress = Progress::new(sources.bytes(), !args.quiet);
    let options = args.input.read_options();
    let inputs = read_all(&sources, &options, &progress, &mut converter);
    progress.done();
    let (converted, failed) = converter.finish();
    sources.tell_passed_over();
    if !args.quiet {
        tell(&converted, &inputs);
    }
    let mut status = verdict(args, &converted, &inputs);
    if let Some(error) = keep(file, failed) {
        say(&format!("gate: {error}"));
        status = Exit::Unusable;
    }
    Ok(status)
}

/// Keeps a complete file. Gives why the output is not complete, if so.
fn keep(file: Option<ReportFile>, failed: Option<io::Error>) -> Option<String> {
    let kept = match (file, failed) {
        (None, failed) => {
            return failed.map(|e| format!("standard output cannot be written: {e}"));
        }
        (Some(file), Some(error)) => Err(file.failed(error)),
        (Some(file), None) => file.keep(),
    };
    kept.err().map(|error| super::error_text(&error))
}

/// The warnings and the faults, which no report shows.
fn tell(converted: &Converted, inputs: &[InputSummary]) {
    let name = |input: usize| inputs.get(input).map_or("", |input| &*input.name);
    for (total, is_fault) in [(converted.warnings, false), (converted.faults, true)] {
        let notices = converted.notices.iter();
        let notices = notices.filter(|notice| notice.kind.is_fault() == is_fault);
        let more = super::tell_notices(notices, total, name);
        if more > 0 {
            let what = if is_fault { "faults" } else { "warnings" };
            say(&format!(
                "gate: {more} more {what}; `gate replay` lists all of them"
            ));
        }
    }
    if converted.faults > 0 {
        say("gate: what has a fault is missing in the output, or stands there as the fault says");
    }
}

fn verdict(args: &Args, converted: &Converted, inputs: &[InputSummary]) -> Exit {
    let leniency = Leniency {
        allow_faults: args.input.allow_faults,
        allow_empty: args.input.allow_empty,
        ..Leniency::default()
    };
    match unusable_inputs(inputs.iter(), converted.faults, converted.calls, leniency) {
        Some(reason) => {
            let written = many(converted.records, "record");
            say(&format!("gate: {reason}; {written} written"));
            Exit::Unusable
        }
        None => Exit::Clean,
    }
}
