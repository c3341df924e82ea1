//! `gate features`.

use super::inputs::Sources;
use super::options::{InputArgs, OutputArgs, one_of};
use super::outputs::{Destination, print};
use super::reading::read_all;
use super::signals::Unfinished;
use super::{policy, say};
use crate::audit::features::{FeatureTable, Made};
use crate::audit::summary::InputSummary;
use crate::audit::verdict::unusable_inputs;
use crate::engine::{Engine, Mode, Options};
use crate::exit::Exit;
use crate::number::count;
use crate::report::Header;
use crate::report::features::{self, FEATURE_FORMATS, Listed};
use crate::stages::PROBE;
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
    #[arg(long, value_name = "FORMAT", default_value = FEATURE_FORMATS[0].id, value_parser = one_of(FEATURE_FORMATS, |f| (f.id, f.doc)), help_heading = "Output")]
    format: &'static features::Format,

    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.list {
        return list(args);
    }
    let mut sources = Sources::find(&args.input.files)?;
    let mut policy = policy::load_without_models(args.policy.as_deref(), &mut sources)?;
    policy.count_default_features();
    let unfinished = Unfinished::default();
    unfinished.remove_when_interrupted();
    let (destination, writer) = Destination::open(&args.output, "table", &sources, &unfinished)?;
    let header = Header {
        inputs: sources.list.iter().map(|s| s.name.clone()).collect(),
        ..Header::default()
    };
    let mut table = FeatureTable::new((args.format.open)(header, writer));
    let options = Options {
        mode: Mode::Observe,
        labels_given: true,
        ..Options::default()
    };
    let mut engine = Engine::new(&policy, &[PROBE], options, &mut table);
    let inputs = read_all(&sources, &args.input, !args.output.quiet, &mut engine);
    engine.end();
    drop(engine);
    sources.tell_passed_over();
    let mut made = table.finish();
    if !args.output.quiet {
        tell(&made, &inputs);
    }
    let status = verdict(args, &made, &inputs);
    Ok(destination.keep(status, made.failed.take()))
}

fn list(args: &Args) -> anyhow::Result<Exit> {
    let mut policy = policy::load_without_models(args.policy.as_deref(), &mut Sources::default())?;
    policy.count_default_features();
    let listed = Listed {
        parameters_sha256: policy.parameters_sha256(),
        json: args.format.id != FEATURE_FORMATS[0].id,
    };
    Ok(print(Exit::Clean, |out| features::list(&listed, out)))
}

fn tell(made: &Made, inputs: &[InputSummary]) {
    let name = |input: usize| inputs.get(input).map_or("", |input| &*input.name);
    super::tell_faults(&made.noted.kept, made.noted.faults, super::REPLAY, name);
    if made.noted.faults > 0 {
        say("gate: rows of runs that a fault left in doubt say so in `inconclusive`");
    }
}

fn verdict(args: &Args, made: &Made, inputs: &[InputSummary]) -> Exit {
    let calls = made.rows + made.rowless;
    let rowless = (made.rowless > 0)
        .then(|| format!("{} without a row", count(made.rowless, "call", "calls")));
    let unusable = unusable_inputs(
        inputs.iter(),
        made.noted.faults,
        calls,
        args.input.leniency(),
    );
    match unusable.or(rowless) {
        Some(reason) => {
            let written = count(made.rows, "row", "rows");
            say(&format!("gate: {reason}; {written} written"));
            Exit::Unusable
        }
        None => Exit::Clean,
    }
}
