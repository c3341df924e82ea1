//! `gate replay`.

use super::inputs::{Source, Sources};
use super::options::{Color, FailOn, InputArgs, findings, rate};
use super::outputs::{self, ReportFile, stdout};
use super::progress::Progress;
use super::signals::Unfinished;
use super::{policy, say};
use crate::audit::Audit;
use crate::audit::filter::Filter;
use crate::audit::summary::{InputSummary, PolicySummary, Settings, Summary};
use crate::audit::tally::Tally;
use crate::audit::verdict::{Leniency, verdict};
use crate::engine::{Dispatch, Engine, Mode, Options};
use crate::exit::{Exit, Finding};
use crate::import::Sink;
use crate::import::drive::{InputReport, ReadOptions, read};
use crate::policy::Policy;
use crate::policy::matcher::{Matcher, Scope};
use crate::report::{FORMATS, Format, Header, Report};
use crate::stages::STAGES;
use crate::trace::fault::{Notice, NoticeKind, Place, WarningCode};
use anyhow::Context;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Replay recorded tool calls through the pipeline and report every decision
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// Policy file, or a preset: `default` [default: the gate.toml found upward, else built in]
    #[arg(long, value_name = "POLICY", help_heading = "Policy")]
    policy: Option<PathBuf>,

    /// How recorded outcomes of refused calls are taken
    #[arg(
        long,
        value_name = "MODE",
        default_value = "enforce",
        help_heading = "Policy"
    )]
    mode: ModeArg,

    /// When admitted calls settle
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "recorded",
        help_heading = "Policy"
    )]
    dispatch: DispatchArg,

    /// What becomes of an escalated call that nobody decided about
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "block",
        help_heading = "Policy"
    )]
    on_escalate: OnEscalate,

    /// Findings that make the exit status 1
    #[arg(
        long,
        value_name = "FINDING,..",
        value_delimiter = ',',
        default_value = "block,error,violation",
        help_heading = "Exit status"
    )]
    fail_on: Vec<FailOn>,

    /// Let violations pass while at most this share of the judged calls has one
    #[arg(long, value_name = "RATE", value_parser = rate, help_heading = "Exit status")]
    max_violation_rate: Option<f64>,

    /// Let warnings, of the input and of the policy, make the exit status 1
    #[arg(long, help_heading = "Exit status")]
    deny_warnings: bool,

    /// Format of standard output
    #[arg(long, value_name = "FORMAT", default_value = FORMATS[0].id, value_parser = formats(), help_heading = "Output")]
    format: String,

    /// Also write the report as CSV to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    csv: Option<PathBuf>,

    /// Also write the report as one JSON document to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,

    /// Also write the report as JSON lines to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    jsonl: Option<PathBuf>,

    /// Replace report files that exist
    #[arg(long, help_heading = "Output")]
    force: bool,

    /// List only calls of this run; can be given several times. Counts and status are of all runs
    #[arg(long = "run", value_name = "ID", help_heading = "Listing")]
    runs: Vec<String>,

    /// List only calls whose tool or label matches this glob; can be given several times
    #[arg(long = "tool", value_name = "GLOB", help_heading = "Listing")]
    tools: Vec<String>,

    /// List only calls of this kind
    #[arg(long, value_name = "KIND", help_heading = "Listing")]
    only: Option<Only>,

    /// List no calls and show no progress: the report alone
    #[arg(short, long, help_heading = "Listing")]
    quiet: bool,

    /// Show the arguments of calls, cut at a length and with known secrets masked
    #[arg(long, help_heading = "Output")]
    show_args: bool,

    /// When to use colours
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output"
    )]
    color: Color,

    /// Lay the table out for this many columns [default: the terminal's; unlimited elsewhere]
    #[arg(long, value_name = "COLUMNS", help_heading = "Output")]
    width: Option<usize>,
}

const EXAMPLES: &str = "Examples:
  gate replay trace.jsonl
  gate replay --policy gate.toml --mode observe recordings/
  gate replay --fail-on violation --max-violation-rate 0.01 -q trace.jsonl.gz
  gate replay --format jsonl trace.jsonl --csv barriers.csv | jq -c 'select(.hazard != [])'";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModeArg {
    /// A call refused here is taken as not executed
    Enforce,
    /// A call that the trace shows as executed counts, even where it is refused here
    Observe,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DispatchArg {
    /// As the trace shows it
    Recorded,
    /// As soon as they are admitted
    Sequential,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OnEscalate {
    /// It does not run
    Block,
    /// It runs
    Allow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Only {
    /// Calls that may not run, or whose result is withheld
    Refused,
}

fn formats() -> clap::builder::PossibleValuesParser {
    let value = |f: &Format| PossibleValue::new(f.id).help(f.doc);
    FORMATS.iter().map(value).collect::<Vec<_>>().into()
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let fail_on = findings(&args.fail_on)?;
    let sources = Sources::find(&args.input.files)?;
    let policy = policy::load(args.policy.as_deref(), &sources.directories)?;
    let unfinished = Unfinished::default();
    unfinished.remove_when_interrupted();
    let files = report_files(args, &sources, &unfinished)?;
    let mut audit = Audit::new(
        tally(&policy),
        filter(args)?,
        reports(args, &policy, &sources, &files)?,
    );
    let inputs = replay(args, &policy, &sources, &mut audit);
    let summary = summary(args, &policy, fail_on, inputs, &mut audit);
    let failures = audit.finish(&summary);
    conclude(args, &summary, &sources, files, failures)
}

fn tally(policy: &Policy) -> Tally {
    let barriers = policy.dcbf.barriers.iter().map(|spec| spec.name.clone());
    Tally::new(barriers, STAGES.iter().map(|stage| stage.id()).collect())
}

fn filter(args: &Args) -> anyhow::Result<Filter> {
    let tools = args.tools.clone();
    let matcher = |tools| Matcher::new(tools, Scope::Names);
    let bad =
        |(i, why): (usize, String)| anyhow::anyhow!("`--tool {}` is no glob: {why}", args.tools[i]);
    Ok(Filter {
        runs: args.runs.clone(),
        tools: (!tools.is_empty())
            .then(|| matcher(tools))
            .transpose()
            .map_err(bad)?,
        only_refused: args.only == Some(Only::Refused),
        none: args.quiet,
    })
}

/// The report files asked for, by the name of their format.
fn report_files(
    args: &Args,
    sources: &Sources,
    unfinished: &Unfinished,
) -> anyhow::Result<Vec<(&'static str, ReportFile)>> {
    let asked = [
        ("csv", &args.csv),
        ("json", &args.json),
        ("jsonl", &args.jsonl),
    ];
    let asked = asked
        .into_iter()
        .filter_map(|(id, path)| Some((id, path.as_ref()?)));
    outputs::keep_apart(asked.clone().map(|(_, path)| path.as_path()))?;
    let create = |(id, path): (&'static str, &PathBuf)| {
        Ok((
            id,
            ReportFile::create(path, sources, args.force, unfinished)?,
        ))
    };
    asked.map(create).collect()
}

fn reports(
    args: &Args,
    policy: &Policy,
    sources: &Sources,
    files: &[(&'static str, ReportFile)],
) -> anyhow::Result<Vec<Box<dyn Report>>> {
    let terminal = std::io::stdout().is_terminal();
    let header = Header {
        inputs: sources
            .list
            .iter()
            .map(|source| source.name.clone())
            .collect(),
        barriers: policy
            .dcbf
            .barriers
            .iter()
            .map(|spec| spec.name.clone())
            .collect(),
        width: args
            .width
            .or_else(|| terminal.then(terminal_width).flatten()),
        color: args.color.wanted(terminal),
    };
    let format = |id: &str| {
        FORMATS
            .iter()
            .find(|f| f.id == id)
            .context("no such format")
    };
    let mut reports = vec![(format(&args.format)?.open)(header.clone(), stdout())];
    for (id, file) in files {
        let header = Header {
            width: None,
            color: false,
            ..header.clone()
        };
        let writer = file.writer().context("a report file cannot be written")?;
        reports.push((format(id)?.open)(header, writer));
    }
    Ok(reports)
}

/// Columns of the terminal, if standard output is one.
fn terminal_width() -> Option<usize> {
    comfy_table::Table::new().width().map(usize::from)
}

fn replay(
    args: &Args,
    policy: &Policy,
    sources: &Sources,
    audit: &mut Audit<'_>,
) -> Vec<InputSummary> {
    let options = Options {
        mode: match args.mode {
            ModeArg::Enforce => Mode::Enforce,
            ModeArg::Observe => Mode::Observe,
        },
        dispatch: match args.dispatch {
            DispatchArg::Recorded => Dispatch::Recorded,
            DispatchArg::Sequential => Dispatch::Sequential,
        },
        allow_escalated: args.on_escalate == OnEscalate::Allow,
        keep_args: args.show_args,
    };
    let progress = Progress::new(sources.bytes(), !args.quiet);
    let mut engine = Engine::new(policy, STAGES, options, audit);
    let read_options = args.input.read_options();
    let inputs = sources.list.iter().enumerate();
    let inputs = inputs.map(|(i, source)| input(i, source, &read_options, &progress, &mut engine));
    let inputs = inputs.collect();
    progress.done();
    inputs
}

fn input(
    index: usize,
    source: &Source,
    options: &ReadOptions,
    progress: &Progress,
    engine: &mut Engine<'_>,
) -> InputSummary {
    let blank = InputSummary {
        name: source.name.clone(),
        ..InputSummary::default()
    };
    if source.repeats {
        engine.notice(Notice {
            kind: NoticeKind::Warning(WarningCode::RepeatedInput),
            place: Place {
                input: index,
                ..Place::default()
            },
            run: None,
            message: "the same file was named before; it is audited once".into(),
            help: None,
        });
        return InputSummary {
            complete: true,
            ..blank
        };
    }
    let bytes = match source.open() {
        Ok(bytes) => progress.over(bytes),
        Err(error) => {
            return InputSummary {
                error: Some(error.to_string()),
                ..blank
            };
        }
    };
    engine.begin_input(index, &source.stem);
    let report = read(index, &source.name, &source.stem, bytes, options, engine);
    engine.end_input();
    described(blank, report)
}

fn described(blank: InputSummary, report: InputReport) -> InputSummary {
    InputSummary {
        format: report.format,
        format_reason: report.reason,
        sha256: report.sha256,
        bytes: report.raw_bytes,
        decompressed_bytes: report.bytes,
        lines: report.lines,
        records: report.records,
        blank: report.blank,
        faulty: report.faulty,
        complete: report.complete,
        ..blank
    }
}

fn summary(
    args: &Args,
    policy: &Policy,
    fail_on: Vec<Finding>,
    inputs: Vec<InputSummary>,
    audit: &mut Audit<'_>,
) -> Summary {
    let summary = audit.tally().summary();
    for input in &inputs {
        let counts = &mut summary.counts;
        counts.lines += input.lines;
        counts.records += input.records;
        counts.blank += input.blank;
        counts.faulty += input.faulty;
    }
    summary.complete = inputs.iter().all(|input| input.complete);
    summary.inputs = inputs;
    summary.policy = PolicySummary::of(policy);
    summary.settings = Settings {
        mode: match args.mode {
            ModeArg::Enforce => "enforce",
            ModeArg::Observe => "observe",
        },
        dispatch: match args.dispatch {
            DispatchArg::Recorded => "recorded",
            DispatchArg::Sequential => "sequential",
        },
        on_escalate: match args.on_escalate {
            OnEscalate::Block => "block",
            OnEscalate::Allow => "allow",
        },
        fail_on,
        max_violation_rate: args.max_violation_rate,
        allow_faults: args.input.allow_faults,
    };
    let mut summary = std::mem::take(audit.tally()).finish();
    let leniency = Leniency {
        allow_faults: args.input.allow_faults,
        deny_warnings: args.deny_warnings,
        allow_empty: args.input.allow_empty,
    };
    summary.exit = verdict(&summary, leniency);
    summary
}

/// Keeps the complete report files, says on standard error what standard output may not show, and
/// gives the status.
fn conclude(
    args: &Args,
    summary: &Summary,
    sources: &Sources,
    files: Vec<(&'static str, ReportFile)>,
    failures: Vec<Option<std::io::Error>>,
) -> anyhow::Result<Exit> {
    let mut status = summary.exit.status;
    let mut failures = failures.into_iter();
    if let Some(error) = failures.next().flatten() {
        say(&format!("gate: standard output cannot be written: {error}"));
        status = Exit::Unusable;
    }
    for ((_, file), failure) in files.into_iter().zip(failures) {
        let kept = match failure {
            Some(error) => {
                Err(anyhow::Error::new(error).context("a report file cannot be written"))
            }
            None => file.keep(),
        };
        if let Err(error) = kept {
            say(&format!("gate: {}", super::error_text(&error)));
            status = Exit::Unusable;
        }
    }
    if !args.quiet {
        tell(args, summary, sources);
    }
    if status == Exit::Unusable && summary.exit.status == Exit::Unusable {
        say(&format!("gate: {}", summary.exit.reason));
    }
    Ok(status)
}

/// What a reader of standard error has to know: files passed over, and faults where standard output
/// is no terminal that shows them.
fn tell(args: &Args, summary: &Summary, sources: &Sources) {
    if sources.passed_over > 0 {
        let n = sources.passed_over;
        say(&format!(
            "gate: passed over in directories: {n} that are no files, or not named like traces"
        ));
    }
    if args.format == FORMATS[0].id && std::io::stdout().is_terminal() {
        return;
    }
    let name = |input: usize| summary.inputs.get(input).map_or("", |input| &*input.name);
    super::tell_faults(&summary.notices, summary.counts.faults, name);
}
