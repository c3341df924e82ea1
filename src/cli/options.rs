//! Arguments that several commands take.

use crate::audit::verdict::Leniency;
use crate::engine::{Dispatch, Mode, Options};
use crate::exit::Finding;
use crate::import::drive::ReadOptions;
use crate::import::{self, IMPORTERS};
use crate::report::Header;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

/// How inputs are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub(super) struct InputArgs {
    /// Files or directories; `-` is standard input. In a directory every file that ends in .jsonl,
    /// .ndjson, .json, .eval or .traj is read, also with .gz or .zst behind
    #[arg(value_name = "FILE", help_heading = None::<&str>)]
    pub(super) files: Vec<PathBuf>,

    /// Read the inputs as this format instead of detecting it
    #[arg(long, value_name = "FORMAT", value_parser = one_of(IMPORTERS, |f| (f.id, f.doc)))]
    pub(super) from: Option<&'static import::Format>,

    /// Longest line in bytes; longer ones are faults
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    pub(super) max_line: usize,

    /// Most bytes held of an input that has to be put in order, or is an archive
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 20)]
    pub(super) max_hold: usize,

    /// Most bytes read of one input after decompression
    #[arg(long, value_name = "BYTES")]
    pub(super) max_bytes: Option<u64>,

    /// Threads that read an input, at most 256; what comes out does not depend on it [default: one a
    /// core, at most 8]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) threads: Option<u16>,

    /// Let faulty input leave the exit status alone
    #[arg(long)]
    pub(super) allow_faults: bool,

    /// Take a last line that is cut off as a warning
    #[arg(long)]
    pub(super) allow_torn_tail: bool,

    /// Let an audit without any call pass
    #[arg(long)]
    pub(super) allow_empty: bool,
}

impl InputArgs {
    pub(super) fn read_options(&self) -> ReadOptions {
        ReadOptions {
            max_line: self.max_line,
            max_hold: self.max_hold,
            max_bytes: self.max_bytes,
            from: self.from.map(|format| format.id),
            allow_torn_tail: self.allow_torn_tail,
            threads: self.threads(),
        }
    }

    fn threads(&self) -> NonZeroUsize {
        let asked = self.threads.map(usize::from);
        asked.and_then(NonZeroUsize::new).unwrap_or_else(cores)
    }

    /// What may be wrong with inputs and leaves the exit status alone.
    pub(super) fn leniency(&self) -> Leniency {
        Leniency {
            allow_faults: self.allow_faults,
            allow_empty: self.allow_empty,
            ..Leniency::default()
        }
    }
}

/// Threads where nobody says how many: what is done in turn leaves no work for more.
fn cores() -> NonZeroUsize {
    const MOST: NonZeroUsize = NonZeroUsize::MIN.saturating_add(7);
    thread::available_parallelism().map_or(NonZeroUsize::MIN, |cores| cores.min(MOST))
}

/// What a command makes, where that is no report about its inputs.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// Write to this file instead of standard output; it is complete or absent
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,

    /// Replace the file if it exists
    #[arg(long, requires = "output", help_heading = "Output")]
    pub(super) force: bool,

    /// Say nothing of faults, warnings and progress; the status stays
    #[arg(short, long, help_heading = "Output")]
    pub(super) quiet: bool,
}

/// How text for people looks on standard output.
#[derive(Debug, Args)]
pub(super) struct LayoutArgs {
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

impl LayoutArgs {
    /// The header of a report on standard output about inputs of those names.
    pub(super) fn header(&self, inputs: Vec<String>) -> Header {
        let terminal = io::stdout().is_terminal();
        let own = || terminal.then(super::terminal_width).flatten();
        Header {
            inputs,
            width: self.width.or_else(own),
            color: self.color.wanted(terminal),
            ..Header::default()
        }
    }
}

/// Help of `--width` where tables hold no text that could be wrapped.
pub(super) const SENTENCES: &str =
    "Lay sentences out for this many columns [default: the terminal's; unlimited elsewhere]";

/// The entries of a list, each by its name. `told` gives that and one line of help.
pub(super) fn one_of<T: Sync>(
    list: &'static [T],
    told: fn(&T) -> (&'static str, &'static str),
) -> impl TypedValueParser<Value = &'static T> {
    let values = list.iter().map(move |entry| {
        let (name, doc) = told(entry);
        PossibleValue::new(name).help(doc)
    });
    PossibleValuesParser::new(values).try_map(move |name| {
        let found = list.iter().find(|entry| told(entry).0 == name);
        found.ok_or("there is none of that name")
    })
}

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Whether standard output is coloured.
    fn wanted(self, terminal: bool) -> bool {
        let refused = || std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !refused(),
        }
    }
}

/// How calls are replayed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Policy")]
pub(super) struct ReplayArgs {
    /// How recorded outcomes of refused calls are taken
    #[arg(long, value_name = "MODE", default_value = "enforce")]
    mode: ModeArg,

    /// When admitted calls settle
    #[arg(long, value_name = "WHEN", default_value = "recorded")]
    dispatch: DispatchArg,

    /// What becomes of an escalated call that nobody decided about
    #[arg(long, value_name = "WHAT", default_value = "block")]
    on_escalate: OnEscalate,
}

impl ReplayArgs {
    /// The same to the engine. What else it can be asked for is off.
    pub(super) fn options(&self) -> Options {
        Options {
            mode: match self.mode {
                ModeArg::Enforce => Mode::Enforce,
                ModeArg::Observe => Mode::Observe,
            },
            dispatch: match self.dispatch {
                DispatchArg::Recorded => Dispatch::Recorded,
                DispatchArg::Sequential => Dispatch::Sequential,
            },
            allow_escalated: self.on_escalate == OnEscalate::Allow,
            ..Options::default()
        }
    }
}

/// How recorded outcomes of refused calls are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModeArg {
    /// A call refused here is taken as not executed
    Enforce,
    /// A call that the trace shows as executed counts, even where it is refused here
    Observe,
}

/// When calls settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DispatchArg {
    /// As the trace shows it
    Recorded,
    /// As soon as they are admitted
    Sequential,
}

/// What becomes of an escalated call that nobody decided about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OnEscalate {
    /// It does not run
    Block,
    /// It runs
    Allow,
}

/// A kind of finding, or none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FailOn(pub(super) Option<Finding>);

impl ValueEnum for FailOn {
    fn value_variants<'a>() -> &'a [Self] {
        const VALUES: [FailOn; 9] = [
            FailOn(Some(Finding::Block)),
            FailOn(Some(Finding::Escalate)),
            FailOn(Some(Finding::Withhold)),
            FailOn(Some(Finding::Error)),
            FailOn(Some(Finding::Violation)),
            FailOn(Some(Finding::Hazard)),
            FailOn(Some(Finding::Drift)),
            FailOn(Some(Finding::Unsound)),
            FailOn(None),
        ];
        &VALUES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (word, doc) = match self.0 {
            Some(finding) => (finding.as_str(), finding.doc()),
            None => ("none", "Nothing does; cannot be given with others"),
        };
        Some(PossibleValue::new(word).help(doc))
    }
}

/// The findings a list names.
///
/// # Errors
/// `none` stands beside others.
pub(super) fn findings(list: &[FailOn]) -> anyhow::Result<Vec<Finding>> {
    let named: Vec<Finding> = list.iter().filter_map(|f| f.0).collect();
    if named.len() < list.len() && !named.is_empty() {
        anyhow::bail!("`--fail-on none` cannot be given with other findings");
    }
    Ok(named)
}

/// A share between 0 and 1.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if (0.0..=1.0).contains(&rate) => Ok(rate),
        _ => Err("expected a number from 0 to 1".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_can_be_named() {
        let named: Vec<_> = FailOn::value_variants()
            .iter()
            .filter_map(|f| f.0)
            .collect();
        let all: Vec<_> = Finding::ALL.iter().map(|(f, _)| *f).collect();
        assert_eq!(named, all);
    }
}
