//! Arguments of `gate replay`.

use super::command::Given;
use super::files::FileArgs;
use crate::audit::filter::Filter;
use crate::audit::summary::{Replayed, Settings};
use crate::cli::options::{FailOn, InputArgs, LayoutArgs, ReplayArgs, one_of, rate};
use crate::cli::policy::PolicyArgs;
use crate::engine::Options;
use crate::exit::Finding;
use crate::policy::matcher::{Matcher, Scope};
use crate::report::{FORMATS, Format};

use clap::ValueEnum;
use std::path::PathBuf;

/// Replay recorded tool calls through the pipeline and report every decision
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, mut_arg("width", |arg| arg.help(WIDTH)))]
pub(in crate::cli) struct Args {
    // The first, as each of the others takes what was given of it out of what there is.
    #[command(flatten)]
    pub(super) given: Given,

    #[command(flatten)]
    pub(super) input: InputArgs,

    #[command(flatten)]
    pub(super) policy: PolicyArgs,

    #[command(flatten)]
    replay: ReplayArgs,

    /// Let a run go on from one input into the next, where both have one of that id
    #[arg(long, help_heading = "Policy")]
    pub(super) merge_runs: bool,

    /// Findings that make the exit status 1
    #[arg(
        long,
        value_name = "FINDING,..",
        value_delimiter = ',',
        default_value = "block,error,violation",
        help_heading = "Exit status"
    )]
    pub(super) fail_on: Vec<FailOn>,

    /// Let violations pass while at most this share of the judged calls has one
    #[arg(long, value_name = "RATE", value_parser = rate, help_heading = "Exit status")]
    pub(super) max_violation_rate: Option<f64>,

    /// Let warnings, of the input and of the policy, make the exit status 1
    #[arg(long, help_heading = "Exit status")]
    pub(super) deny_warnings: bool,

    /// Format of standard output
    #[arg(long, value_name = "FORMAT", default_value = FORMATS[0].id, value_parser = one_of(FORMATS, |f| (f.id, f.doc)), help_heading = "Output")]
    pub(super) format: &'static Format,

    #[command(flatten)]
    pub(super) files: FileArgs,

    /// Replace report files that exist
    #[arg(long, help_heading = "Report files")]
    pub(super) force: bool,

    /// Hold the SARIF report against this earlier one of gate: every result is new, unchanged or absent
    #[arg(long, value_name = "FILE", help_heading = "Report files")]
    pub(super) baseline: Option<PathBuf>,

    /// Write no annotations and no step summary where GitHub Actions runs gate
    #[arg(long, help_heading = "Report files")]
    pub(super) no_github: bool,

    /// List only calls of this run; can be given several times. Counts and status are of all runs
    #[arg(long = "run", value_name = "ID", help_heading = "Listing")]
    pub(super) runs: Vec<String>,

    /// List only calls whose tool or label matches this glob; can be given several times
    #[arg(long = "tool", value_name = "GLOB", help_heading = "Listing")]
    pub(super) tools: Vec<String>,

    /// List only calls of this kind
    #[arg(long, value_name = "KIND", help_heading = "Listing")]
    pub(super) only: Option<Only>,

    /// List no calls on standard output and show no progress: the report alone
    #[arg(short, long, help_heading = "Listing")]
    pub(super) quiet: bool,

    /// Report how often each rule of the policy met a call, decided, and alone would have refused it
    #[arg(long, help_heading = "Output")]
    pub(super) coverage: bool,

    /// Show the arguments of calls, cut at a length and with known secrets masked
    #[arg(long, help_heading = "Output")]
    pub(super) show_args: bool,

    /// Show the labels of calls in the table; the machine formats always have them
    #[arg(long, help_heading = "Output")]
    pub(super) show_labels: bool,

    #[command(flatten)]
    pub(super) layout: LayoutArgs,
}

const WIDTH: &str = "Lay the table out for this many columns; the report under it needs 80 [default: the \
                     terminal's; unlimited elsewhere]";

const EXAMPLES: &str = "Examples:
  gate replay trace.jsonl
  gate replay --policy gate.toml --mode observe recordings/
  gate replay --fail-on violation --max-violation-rate 0.01 -q trace.jsonl.gz
  gate replay --format jsonl trace.jsonl --csv barriers.csv | jq -c 'select(.standing == false)'";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Only {
    /// Calls that may not run, or whose result is withheld
    Refused,
}

impl Args {
    /// How the engine is to replay.
    pub(super) fn engine_options(&self) -> Options {
        Options {
            keep_args: self.show_args,
            merge_runs: self.merge_runs,
            weigh: self.coverage,
            weigh_only: None,
            weigh_alone: false,
            wordless: true,
            ..self.replay.options()
        }
    }

    /// The same in words, for the summary.
    pub(super) fn settings(&self, fail_on: Vec<Finding>) -> Settings {
        Settings {
            replayed: Replayed::by(&self.replay.options()),
            fail_on,
            max_violation_rate: self.max_violation_rate,
            merge_runs: self.merge_runs,
            allow_faults: self.input.allow_faults,
        }
    }

    /// Which decisions are listed.
    ///
    /// # Errors
    /// A tool is no glob.
    pub(super) fn filter(&self) -> anyhow::Result<Filter> {
        let tools = self.tools.clone();
        let matcher = |tools| Matcher::new(tools, Scope::Names);
        let bad = |(i, why): (usize, String)| {
            anyhow::anyhow!("`--tool {}` is no glob: {why}", self.tools[i])
        };
        let some = !tools.is_empty();
        Ok(Filter {
            runs: self.runs.clone(),
            tools: some.then(|| matcher(tools)).transpose().map_err(bad)?,
            only_refused: self.only == Some(Only::Refused),
        })
    }
}
