//! `gate inspect`.

use super::inputs::Sources;
use super::options::{Color, InputArgs};
use super::outputs::stdout;
use super::progress::Progress;
use super::reading::read_all;
use super::{policy, say, terminal_width};
use crate::audit::verdict::Leniency;
use crate::exit::Exit;
use crate::import::IMPORTERS;
use crate::inspect::Inspector;
use crate::report::Header;
use crate::report::inspect::{self, INSPECT_FORMATS, Readable, Shown};
use clap::builder::PossibleValue;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

/// Say what is in recordings: formats, runs, calls by tool, and what is known of them
///
/// With a policy also how many calls tell what it needs to know, and which calls get its labels.
/// Nothing is judged.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gate inspect session.jsonl
  gate inspect --policy gate.toml recordings/
  gate inspect --format json t.jsonl | jq '.total.known.cost.share'
  gate inspect --formats")]
pub(super) struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// List the formats that can be read, and what each cannot tell
    #[arg(long, conflicts_with_all = ["files", "policy"], help_heading = "Input")]
    formats: bool,

    /// Hold the calls against the needs of this policy file, or preset such as `coding-agent`
    #[arg(long, value_name = "POLICY", help_heading = "Policy")]
    policy: Option<PathBuf>,

    /// Most tools and agents that are listed, those with the most calls; the others are summed. 0
    /// lists all
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Output")]
    top: usize,

    /// Format of standard output
    #[arg(long, value_name = "FORMAT", default_value = INSPECT_FORMATS[0].id, value_parser = formats(), help_heading = "Output")]
    format: String,

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

fn formats() -> clap::builder::PossibleValuesParser {
    let value = |f: &inspect::Format| PossibleValue::new(f.id).help(f.doc);
    INSPECT_FORMATS.iter().map(value).collect::<Vec<_>>().into()
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.formats {
        let formats = readable();
        let shown = shown(args, Vec::new());
        let written =
            |format: &inspect::Format, out: &mut dyn Write| (format.formats)(&formats, &shown, out);
        return Ok(emit(args, Exit::Clean, written));
    }
    let sources = Sources::find(&args.input.files)?;
    let policy = args.policy.as_deref();
    let policy = policy.map(|named| policy::load(Some(named), &sources.directories));
    let policy = policy.transpose()?;
    let mut inspector = Inspector::new(policy.as_ref());
    let progress = Progress::new(sources.bytes(), true);
    let options = args.input.read_options();
    let inputs = read_all(&sources, &options, &progress, &mut inspector);
    progress.done();
    sources.tell_passed_over();
    let leniency = Leniency {
        allow_faults: args.input.allow_faults,
        allow_empty: args.input.allow_empty,
        ..Leniency::default()
    };
    let names = inputs.iter().map(|input| input.name.clone()).collect();
    let found = inspector.finish(inputs, leniency);
    let shown = shown(args, names);
    let status = emit(args, found.exit.status, |format, out| {
        (format.write)(&found, &shown, out)
    });
    let is_table = args.format == INSPECT_FORMATS[0].id;
    if !(is_table && io::stdout().is_terminal()) {
        super::tell_faults(&found.notices, found.total.fault_count(), |input| {
            shown.header.input(input)
        });
    }
    if found.exit.status == Exit::Unusable {
        say(&format!("gate: {}", found.exit.reason));
    }
    Ok(status)
}

fn shown(args: &Args, inputs: Vec<String>) -> Shown {
    let terminal = io::stdout().is_terminal();
    Shown {
        header: Header {
            inputs,
            width: args
                .width
                .or_else(|| terminal.then(terminal_width).flatten()),
            color: args.color.wanted(terminal),
            ..Header::default()
        },
        top: args.top,
    }
}

/// Writes to standard output in the format asked for. Gives the status, which is another where that
/// fails.
fn emit(
    args: &Args,
    status: Exit,
    write: impl FnOnce(&inspect::Format, &mut dyn Write) -> io::Result<()>,
) -> Exit {
    let format = INSPECT_FORMATS.iter().find(|f| f.id == args.format);
    let format = format.unwrap_or(&INSPECT_FORMATS[0]);
    match write(format, &mut stdout()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say(&format!("gate: standard output cannot be written: {error}"));
            Exit::Unusable
        }
        _ => status,
    }
}

fn readable() -> Vec<Readable> {
    let formats = IMPORTERS.iter().map(|format| Readable {
        id: format.id,
        title: format.title,
        doc: format.doc,
        seen: format.seen,
        untold: format.mapping.unknown().collect(),
    });
    formats.collect()
}
