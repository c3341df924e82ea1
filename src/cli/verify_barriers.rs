//! `gate verify-barriers`.

use super::inputs::{Source, Sources};
use super::options::{FailOn, InputArgs, LayoutArgs, SENTENCES, findings, one_of, rate};
use super::outputs::{Reported, report};
use super::policy::PolicyArgs;
use crate::audit::barrier_verdict::BarrierVerdict;
use crate::diag::nearest;
use crate::engine::KnownRuns;
use crate::exit::{Exit, Finding};
use crate::number::count;
use crate::policy::Policy;
use crate::report::barriers::{self, BARRIER_FORMATS};
use crate::trace::json::{self, Scanner};
use crate::verify::accumulate::Accumulator;
use crate::verify::limits::Limits;
use crate::verify::states::{self, Pairing};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::io::Read;

/// Test the barriers on recorded states, or on the transitions of a trace
///
/// Reads `{"states": [..], "actions": [..]}`, `{"transitions": [{"state", "action", "next"?}, ..]}`,
/// an array or JSON lines of transitions, or any trace, whose calls are replayed in observe mode
/// against the barriers alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gate verify-barriers states.json
  gate verify-barriers --pairing cross --policy gate.toml states.json
  gate verify-barriers --format json trace.jsonl | jq .barriers
  gate verify-barriers --max-violation-rate 0.05 --max-violation-rate privacy=0 recordings/")]
#[command(mut_arg("width", |arg| arg.help(SENTENCES)))]
pub(super) struct Args {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    policy: PolicyArgs,

    /// How the states of a file come together with its actions
    #[arg(
        long,
        value_name = "HOW",
        default_value = "zip",
        help_heading = "Input"
    )]
    pairing: PairingArg,

    /// Findings that make the exit status 1
    #[arg(
        long,
        value_name = "FINDING,..",
        value_delimiter = ',',
        value_parser = own_findings(),
        default_value = "violation",
        help_heading = "Exit status"
    )]
    fail_on: Vec<FailOn>,

    /// Let violations pass while at most this share of the checks is one, or violates that barrier
    #[arg(long, value_name = "[BARRIER=]RATE", value_parser = max_rate, help_heading = "Exit status")]
    max_violation_rate: Vec<MaxRate>,

    /// Most violations that are listed; all are counted
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Output")]
    max_listed: usize,

    /// Format of standard output
    #[arg(long, value_name = "FORMAT", default_value = BARRIER_FORMATS[0].id, value_parser = one_of(BARRIER_FORMATS, |f| (f.id, f.doc)), help_heading = "Output")]
    format: &'static barriers::Format,

    #[command(flatten)]
    layout: LayoutArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PairingArg {
    /// The first with the first, the second with the second
    Zip,
    /// Each state with each action
    Cross,
}

/// The findings that there can be here.
fn own_findings() -> impl TypedValueParser<Value = FailOn> {
    let own = [Some(Finding::Violation), Some(Finding::Unsound), None];
    let values = own.map(|finding| FailOn(finding).to_possible_value());
    PossibleValuesParser::new(values.into_iter().flatten()).map(|word| {
        let named = Finding::ALL.iter().find(|(_, w)| *w == word);
        FailOn(named.map(|(finding, _)| *finding))
    })
}

/// A rate of violations that passes: of one barrier, or of all checks.
#[derive(Clone, Debug, PartialEq)]
struct MaxRate {
    barrier: Option<String>,
    rate: f64,
}

/// `RATE` or `BARRIER=RATE`.
fn max_rate(text: &str) -> Result<MaxRate, String> {
    let (barrier, number) = match text.rsplit_once('=') {
        Some(("", _)) => return Err("no barrier stands before `=`".into()),
        Some((barrier, number)) => (Some(barrier.to_owned()), number),
        None => (None, text),
    };
    Ok(MaxRate {
        barrier,
        rate: rate(number)?,
    })
}

/// The rates that pass, by barrier.
///
/// # Errors
/// A barrier is none of the policy's; a rate is given twice.
fn limits(asked: &[MaxRate], policy: &Policy) -> anyhow::Result<Limits> {
    let names: Vec<&str> = policy
        .dcbf
        .barriers
        .iter()
        .map(|spec| &*spec.name)
        .collect();
    let mut limits = Limits {
        all: None,
        barriers: vec![None; names.len()],
    };
    for MaxRate { barrier, rate } in asked {
        let place = match barrier {
            None => Some(&mut limits.all),
            Some(barrier) => {
                let index = names.iter().position(|name| name == barrier);
                index.and_then(|index| limits.barriers.get_mut(index))
            }
        };
        let called = barrier.as_deref().unwrap_or_default();
        let Some(place) = place else {
            let help = match nearest(called, names.iter().copied()) {
                Some(name) => format!("did you mean `{name}`?"),
                None if names.is_empty() => "it has none".into(),
                None => format!("it has {}", names.join(", ")),
            };
            anyhow::bail!("the policy has no barrier `{called}`: {help}");
        };
        if place.replace(*rate).is_some() {
            match barrier {
                Some(name) => anyhow::bail!("`--max-violation-rate` is given twice for `{name}`"),
                None => anyhow::bail!("`--max-violation-rate` is given twice for all checks"),
            }
        }
    }
    Ok(limits)
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let fail_on = findings(&args.fail_on)?;
    let mut sources = Sources::find(&args.input.files)?;
    let mut policy = args.policy.load(&mut sources)?;
    // What is tested here is the transition; a policy that leaves it out at run time has one too.
    policy.dcbf.verify = true;
    let limits = limits(&args.max_violation_rate, &policy)?;
    let names = policy.dcbf.barriers.iter().map(|spec| spec.name.clone());
    let mut work = Work {
        args,
        policy: &policy,
        accumulator: Accumulator::new(names, args.max_listed).with_limits(limits),
        verdict: BarrierVerdict::of_policy(&policy),
        seen: 0,
        known: KnownRuns::default(),
    };
    for (index, source) in sources.list.iter().enumerate() {
        work.input(index, source);
    }
    let Work {
        accumulator,
        mut verdict,
        ..
    } = work;
    let found = accumulator.finish();
    let (status, reason) = status(args, &fail_on, &verdict, &found);
    verdict.exit = crate::audit::summary::ExitSummary { status, reason };
    let names = verdict.inputs.iter().map(|input| input.name.clone());
    let header = args.layout.header(names.collect());
    let reported = Reported {
        exit: &verdict.exit,
        notices: &verdict.notices,
        faults: verdict.faults(),
        header: &header,
        table: args.format.id == BARRIER_FORMATS[0].id,
    };
    Ok(report(&reported, |out| {
        (args.format.write)(&found, &verdict, &header, out)
    }))
}

fn status(
    args: &Args,
    fail_on: &[Finding],
    verdict: &BarrierVerdict,
    report: &crate::verify::report::BarriersReport,
) -> (Exit, String) {
    if let Some(input) = verdict.unreadable() {
        return (Exit::Unusable, input);
    }
    let faults = verdict.faults();
    if faults > 0 && !args.input.allow_faults {
        return (Exit::Unusable, count(faults, "input fault", "input faults"));
    }
    if report.transitions == 0 && !args.input.allow_empty {
        return (Exit::Unusable, "no transition in any input".into());
    }
    let excused = report.rate_met == Some(true) && report.root > 0;
    let violations = if excused { 0 } else { report.root };
    let counted = [
        (Finding::Violation, violations),
        (Finding::Unsound, verdict.unsound()),
    ];
    let found: Vec<_> = counted
        .iter()
        .filter(|(finding, count)| fail_on.contains(finding) && *count > 0)
        .map(|(finding, count)| finding.counted(*count))
        .collect();
    if !found.is_empty() {
        (Exit::Findings, found.join(", "))
    } else if report.is_vacuous() {
        let reason = match report.barriers.is_empty() {
            true => "the policy has no barrier that is enabled, which shows nothing",
            false => "nothing was checked, which shows nothing",
        };
        (Exit::Clean, reason.into())
    } else if excused && fail_on.contains(&Finding::Violation) {
        let violations = Finding::Violation.counted(report.root);
        let reason = format!("{violations}, a rate that `--max-violation-rate` lets pass");
        (Exit::Clean, reason)
    } else {
        (Exit::Clean, "no finding that `--fail-on` names".into())
    }
}

/// Bytes by which a states file is told from a trace.
const SAMPLE: u64 = 1 << 20;

struct Work<'a> {
    args: &'a Args,
    policy: &'a Policy,
    accumulator: Accumulator,
    verdict: BarrierVerdict,
    /// Transitions so far: their index goes on over all inputs.
    seen: u64,
    /// Runs so far.
    known: KnownRuns,
}

impl Work<'_> {
    fn input(&mut self, index: usize, source: &Source) {
        if source.repeats {
            return self.verdict.repeated(index, &source.name);
        }
        let mut bytes = match source.open() {
            Ok(bytes) => bytes,
            Err(error) => return self.verdict.cannot_read(&source.name, &error.to_string()),
        };
        let mut head = Vec::new();
        if let Err(error) = bytes.by_ref().take(SAMPLE).read_to_end(&mut head) {
            return self.verdict.cannot_read(&source.name, &error.to_string());
        }
        let states = self.args.input.from.is_none() && looks_like_states(&head);
        let whole = Box::new(std::io::Cursor::new(head).chain(bytes));
        if states {
            self.states(index, source, whole);
        } else {
            self.trace(index, source, whole);
        }
    }

    fn states(&mut self, index: usize, source: &Source, bytes: Box<dyn Read + Send>) {
        let pairing = match self.args.pairing {
            PairingArg::Zip => Pairing::Zip,
            PairingArg::Cross => Pairing::Cross,
        };
        let input = &self.args.input;
        let max = input
            .max_bytes
            .unwrap_or(u64::MAX)
            .min(input.max_line as u64);
        let checked = crate::audit::barriers::states(
            self.policy,
            &mut self.accumulator,
            crate::audit::barriers::StatesInput {
                index,
                bytes,
                max,
                pairing,
                first: self.seen,
            },
        );
        self.seen += checked.transitions;
        self.verdict.add(&source.name, checked);
    }

    fn trace(&mut self, index: usize, source: &Source, bytes: Box<dyn Read + Send>) {
        let options = self.args.input.read_options();
        let checked = crate::audit::barriers::trace(
            self.policy,
            &mut self.accumulator,
            crate::audit::barriers::TraceInput {
                index,
                name: &source.name,
                stem: &source.stem,
                bytes,
                options: &options,
                known: &mut self.known,
                first: self.seen,
            },
        );
        self.seen += checked.transitions;
        self.verdict.add(&source.name, checked);
    }
}

/// Whether an input that begins like this is a states file rather than a trace.
fn looks_like_states(head: &[u8]) -> bool {
    let mut unpacked = Vec::new();
    let mut input = crate::trace::input::Input::new(Box::new(head), Some(SAMPLE));
    // A sample that ends in the middle of a compressed block still gives what came before.
    let _ = input.read_to_end(&mut unpacked);
    let text = unpacked.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&unpacked);
    let mut scanner = Scanner::new(text);
    scanner.space();
    if scanner.take(b'[') {
        scanner.space();
    }
    let rest = &text[scanner.offset()..];
    let first = Scanner::new(rest)
        .value(1)
        .ok()
        .and_then(|raw| json::parse(raw.bytes).ok());
    match first {
        Some(value) => states::is_states_file(&[value]),
        // Too long to be seen whole: the first key tells.
        None => {
            first_key(rest).is_some_and(|key| ["states", "actions", "transitions"].contains(&&*key))
        }
    }
}

fn first_key(text: &[u8]) -> Option<String> {
    let mut scanner = Scanner::new(text);
    scanner.space();
    if !scanner.take(b'{') {
        return None;
    }
    let key = scanner.value(1).ok()?;
    let quoted = key.bytes.first() == Some(&b'"');
    quoted.then(|| json::decode(key.bytes).text.into_owned())
}
