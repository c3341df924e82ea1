//! `gate explain`.

use super::inputs::Sources;
use super::options::{InputArgs, LayoutArgs, ReplayArgs, one_of};
use super::outputs::print;
use super::policy::PolicyArgs;
use super::reading::read_all;
use super::say;
use crate::audit::summary::{InputSummary, PolicySummary, Replayed};
use crate::audit::verdict::{unread, unusable_inputs};
use crate::diag::nearest;
use crate::engine::{Engine, Options};
use crate::exit::Exit;
use crate::explain::find::{Finder, Found, Wanted};
use crate::explain::tape::Tape;
use crate::number::count;
use crate::policy::Policy;
use crate::report::Header;
use crate::report::explain::{self, EXPLAIN_FORMATS, Shown};
use crate::stages::STAGES;
use anyhow::Context;
use std::fmt::Write as _;
use std::io;
use tempfile::NamedTempFile;

/// Explain the decision about one call: what was looked at, what led there, what would turn it
///
/// The run is replayed again for every change that is told, from its start, under the changed policy.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gate explain trace.jsonl --first-violation
  gate explain --policy gate.toml recordings/ --run r7 --call c3
  gate explain --format json trace.jsonl --line 12 | jq .flips")]
#[command(group(clap::ArgGroup::new("which").required(true)))]
pub(super) struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// The call of this id
    #[arg(long, value_name = "ID", group = "which", help_heading = "Call")]
    call: Option<String>,

    /// The call on this line
    #[arg(long, value_name = "N", group = "which", help_heading = "Call")]
    line: Option<u64>,

    /// The first call that a barrier refused
    #[arg(long, group = "which", help_heading = "Call")]
    first_violation: bool,

    /// The first call that may not run, or whose result is withheld
    #[arg(long, group = "which", help_heading = "Call")]
    first_refusal: bool,

    /// Look in this run alone
    #[arg(long, value_name = "ID", help_heading = "Call")]
    run: Option<String>,

    #[command(flatten)]
    policy: PolicyArgs,

    #[command(flatten)]
    replay: ReplayArgs,

    /// Format of standard output
    #[arg(long, value_name = "FORMAT", default_value = EXPLAIN_FORMATS[0].id, value_parser = one_of(EXPLAIN_FORMATS, |f| (f.id, f.doc)), help_heading = "Output")]
    format: &'static explain::Format,

    /// Show the arguments of the call, cut at a length and with known secrets masked
    #[arg(long, help_heading = "Output")]
    show_args: bool,

    #[command(flatten)]
    layout: LayoutArgs,
}

impl Args {
    fn options(&self) -> Options {
        Options {
            keep_args: self.show_args,
            ..self.replay.options()
        }
    }

    fn wanted(&self) -> Wanted {
        match (&self.call, self.line, self.first_violation) {
            (Some(id), ..) => Wanted::Id(id.clone()),
            (None, Some(line), _) => Wanted::Line(line),
            (None, None, true) => Wanted::FirstViolation,
            (None, None, false) => Wanted::FirstRefusal,
        }
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut sources = Sources::find(&args.input.files)?;
    let policy = args.policy.load(&mut sources)?;
    // What cannot be read twice is kept for the second time.
    let _kept = keep(&mut sources)?;
    let mut finder = Finder::new(args.wanted(), args.run.clone());
    let inputs = find(args, &policy, &sources, &mut finder);
    let names: Vec<String> = inputs.iter().map(|input| input.name.clone()).collect();
    super::tell_faults(
        &finder.noted.kept,
        finder.noted.faults,
        super::REPLAY,
        |input| names.get(input).map_or("", String::as_str),
    );
    let [found] = finder.found.as_slice() else {
        // What cannot be read may hold the call.
        let unreadable = unread(inputs.iter().filter_map(InputSummary::unreadable));
        if let Some(why) = unreadable.filter(|_| finder.found.is_empty()) {
            say(&format!("gate: {why}"));
            if finder.calls == 0 {
                return Ok(Exit::Unusable);
            }
        }
        none_or_many(&finder, args, &names)
            .iter()
            .for_each(|line| say(line));
        return Ok(Exit::Unusable);
    };
    let tape = record(args, found.clone(), sources);
    let Some(explained) = crate::explain::explain(&tape, &policy, args.options()) else {
        let call = &found.call;
        anyhow::bail!("call `{call}` does not come when its run is replayed alone");
    };
    let specs = policy.dcbf.barriers.iter();
    let shown = Shown {
        header: Header {
            barriers: specs.map(|spec| spec.name.clone()).collect(),
            ..args.layout.header(names)
        },
        policy: PolicySummary::of(&policy),
        replayed: Replayed::by(&args.options()),
    };
    let status = status(args, &inputs, &finder);
    Ok(print(status, |out| {
        (args.format.write)(&explained, &shown, out)
    }))
}

fn find(args: &Args, policy: &Policy, sources: &Sources, finder: &mut Finder) -> Vec<InputSummary> {
    let mut engine = Engine::new(policy, STAGES, args.options(), finder);
    let inputs = read_all(sources, &args.input, true, &mut engine);
    engine.end();
    sources.tell_passed_over();
    inputs
}

/// The records of the run, from its input alone.
fn record(args: &Args, found: Found, sources: Sources) -> Tape {
    let input = found.input;
    let own = sources.list.into_iter().enumerate();
    let own = own.filter(|(index, _)| *index == input);
    let sources = Sources {
        list: own.map(|(_, source)| source).collect(),
        ..Sources::default()
    };
    let mut tape = Tape::new(found);
    read_all(&sources, &args.input, true, &mut tape);
    tape
}

/// Keeps what is no file, standard input and pipes, in temporary ones.
fn keep(sources: &mut Sources) -> anyhow::Result<Vec<NamedTempFile>> {
    let mut kept = Vec::new();
    for source in sources.list.iter_mut().filter(|source| !source.repeats) {
        if source
            .path
            .as_ref()
            .is_some_and(|path| path.is_file() || !path.exists())
        {
            continue;
        }
        let Ok(mut from) = source.open() else {
            continue;
        };
        let name = &source.name;
        let failed = || format!("`{name}` cannot be kept to be read twice");
        let mut file = NamedTempFile::new().with_context(failed)?;
        io::copy(&mut from, &mut file).with_context(failed)?;
        source.path = Some(file.path().into());
        kept.push(file);
    }
    Ok(kept)
}

/// Status 0, unless something is wrong with the inputs.
fn status(args: &Args, inputs: &[InputSummary], finder: &Finder) -> Exit {
    let leniency = args.input.leniency();
    match unusable_inputs(inputs.iter(), finder.noted.faults, finder.calls, leniency) {
        Some(reason) => {
            say(&format!("gate: {reason}"));
            Exit::Unusable
        }
        None => Exit::Clean,
    }
}

/// Why no call is explained, and what could be asked for.
fn none_or_many(finder: &Finder, args: &Args, names: &[String]) -> Vec<String> {
    let what = match args.wanted() {
        Wanted::Id(id) => format!("call `{id}`"),
        Wanted::Line(line) => format!("call on line {line}"),
        Wanted::FirstViolation => "call that a barrier refused".to_owned(),
        Wanted::FirstRefusal => "refused call".to_owned(),
    };
    if finder.found.is_empty() {
        return vec![format!("gate: {}", none(finder, args, &what))];
    }
    let mut lines = vec![format!("gate: {} calls are meant by {what}", finder.total)];
    lines.extend(finder.found.iter().map(|found| {
        let name = names.get(found.input).map_or("", String::as_str);
        let (call, run, kind) = (&found.call, &found.run, found.kind.as_str());
        format!("  {name}:{}: `{call}` of run `{run}`, {kind}", found.line)
    }));
    let mut pairs = finder.found.windows(2);
    let one_input = pairs.all(|pair| pair.first().map(|a| a.input) == pair.last().map(|b| b.input));
    let mut pairs = finder.found.windows(2);
    let one_run = pairs.all(|pair| pair.first().map(|a| &a.run) == pair.last().map(|b| &b.run));
    let help = match (one_input, args.line, &args.run) {
        (true, None, None) if one_run => "name the call with --line",
        (true, None, None) => "name the run with --run, or the call with --line",
        (true, None, Some(_)) => "name the call with --line",
        (true, Some(_), _) => "name the call with --call",
        (false, ..) => "name one of the inputs",
    };
    lines.push(format!("  help: {help}"));
    lines
}

fn none(finder: &Finder, args: &Args, what: &str) -> String {
    let of = args.run.as_ref().map(|run| format!(" in run `{run}`"));
    let of = of.unwrap_or_default();
    let counts = format!(
        "{}, {} refused",
        count(finder.calls, "call", "calls"),
        finder.refused
    );
    let mut text = format!("there is no {what}{of}: {counts}");
    let run = args.run.as_deref();
    let runs = || finder.runs.iter().map(|run| &**run);
    if let Some(run) = run.filter(|run| !runs().any(|known| known == *run)) {
        if let Some(known) = nearest(run, runs()) {
            let _ = write!(text, "; did you mean run `{known}`?");
        }
    } else if let Some(id) = &args.call
        && let Some(known) = nearest(id, finder.ids.iter().map(String::as_str))
    {
        let _ = write!(text, "; did you mean `{known}`?");
    }
    text
}
