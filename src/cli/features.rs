//! `gate features`.

use super::inputs::Sources;
use super::options::InputArgs;
use super::outputs::{ReportFile, stdout};
use super::progress::Progress;
use super::reading::read_all;
use super::signals::Unfinished;
use super::{policy, say};
use crate::audit::features::{FeatureTable, Made};
use crate::audit::summary::InputSummary;
use crate::audit::verdict::{Leniency, many, unusable_inputs};
use crate::engine::{Engine, Mode, Options};
use crate::exit::Exit;
use crate::report::Header;
use crate::report::features::{self, FEATURE_FORMATS, Listed};
use crate::stages::PROBE;
use anyhow::Context;
use clap::builder::PossibleValue;
use std::io;
use std::path::PathBuf;

/// Write the features of every call's state as a table, to train neural barriers on
///
/// Calls are replayed in observe mode, and nothing is judged: a row has the features of the state
/// that the call met, those of the simulated next state, and whether the five barriers hold in each.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gate features recordings/ -o features.csv
  gate features --policy gate.toml --format jsonl trace.jsonl | jq .features
  gate features --list")]
pub(super) struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// Policy file, or a preset, whose labels, windows, lists and budgets the features go by; the models
    /// that it names are not opened
    /// [default: the gate.toml found upward, else built in]
    #[arg(long, value_name = "POLICY", help_heading = "Policy")]
    policy: Option<PathBuf>,

    /// Say which features there are, as JSON with `--format jsonl`
    #[arg(long, conflicts_with_all = ["files", "output"], help_heading = "Output")]
    list: bool,

    /// Format of the table
    #[arg(long, value_name = "FORMAT", default_value = FEATURE_FORMATS[0].id, value_parser = formats(), help_heading = "Output")]
    format: String,

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

fn formats() -> clap::builder::PossibleValuesParser {
    let value = |f: &features::Format| PossibleValue::new(f.id).help(f.doc);
    FEATURE_FORMATS.iter().map(value).collect::<Vec<_>>().into()
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.list {
        return list(args);
    }
    let sources = Sources::find(&args.input.files)?;
    let mut policy = policy::load_without_models(args.policy.as_deref(), &sources.directories)?;
    policy.count_default_features();
    let unfinished = Unfinished::default();
    unfinished.remove_when_interrupted();
    let file = args.output.as_deref();
    let file = file.map(|path| ReportFile::create(path, &sources, args.force, &unfinished));
    let file = file.transpose()?;
    let writer = match &file {
        Some(file) => file.writer().context("the file cannot be written")?,
        None => stdout(),
    };
    let header = Header {
        inputs: sources.list.iter().map(|s| s.name.clone()).collect(),
        ..Header::default()
    };
    let format = FEATURE_FORMATS.iter().find(|f| f.id == args.format);
    let format = format.unwrap_or(&FEATURE_FORMATS[0]);
    let mut table = FeatureTable::new((format.open)(header, writer));
    let options = Options {
        mode: Mode::Observe,
        ..Options::default()
    };
    let progress = Progress::new(sources.bytes(), !args.quiet);
    let read = args.input.read_options();
    let mut engine = Engine::new(&policy, &[PROBE], options, &mut table);
    let inputs = read_all(&sources, &read, &progress, &mut engine);
    engine.end();
    drop(engine);
    progress.done();
    sources.tell_passed_over();
    let mut made = table.finish();
    if !args.quiet {
        tell(&made, &inputs);
    }
    let mut status = verdict(args, &made, &inputs);
    if let Some(error) = keep(file, made.failed.take()) {
        say(&format!("gate: {error}"));
        status = Exit::Unusable;
    }
    Ok(status)
}

fn list(args: &Args) -> anyhow::Result<Exit> {
    let mut policy = policy::load_without_models(args.policy.as_deref(), &[])?;
    policy.count_default_features();
    let listed = Listed {
        parameters_sha256: policy.parameters_sha256(),
        json: args.format != FEATURE_FORMATS[0].id,
    };
    let failed = features::list(&listed, &mut stdout()).err();
    Ok(match keep(None, failed) {
        Some(error) => {
            say(&format!("gate: {error}"));
            Exit::Unusable
        }
        None => Exit::Clean,
    })
}

/// Keeps a complete file. Gives why the output is not complete, if so; a reader that went away is no
/// failure.
fn keep(file: Option<ReportFile>, failed: Option<io::Error>) -> Option<String> {
    let kept = match (file, failed) {
        (None, Some(error)) if error.kind() == io::ErrorKind::BrokenPipe => return None,
        (None, failed) => {
            return failed.map(|e| format!("standard output cannot be written: {e}"));
        }
        (Some(file), Some(error)) => Err(file.failed(error)),
        (Some(file), None) => file.keep(),
    };
    kept.err().map(|error| super::error_text(&error))
}

fn tell(made: &Made, inputs: &[InputSummary]) {
    let name = |input: usize| inputs.get(input).map_or("", |input| &*input.name);
    super::tell_faults(&made.notices, made.faults, name);
    if made.faults > 0 {
        say("gate: rows of runs that a fault left in doubt say so in `inconclusive`");
    }
}

fn verdict(args: &Args, made: &Made, inputs: &[InputSummary]) -> Exit {
    let leniency = Leniency {
        allow_faults: args.input.allow_faults,
        allow_empty: args.input.allow_empty,
        ..Leniency::default()
    };
    let calls = made.rows + made.rowless;
    let rowless =
        (made.rowless > 0).then(|| format!("{} without a row", many(made.rowless, "call")));
    match unusable_inputs(inputs.iter(), made.faults, calls, leniency).or(rowless) {
        Some(reason) => {
            let written = many(made.rows, "row");
            say(&format!("gate: {reason}; {written} written"));
            Exit::Unusable
        }
        None => Exit::Clean,
    }
}
