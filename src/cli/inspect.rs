//! `gate inspect`.

use super::inputs::Sources;
use super::options::{InputArgs, LayoutArgs, one_of};
use super::outputs::{Reported, print, report};
use super::policy;
use super::reading::read_all;
use crate::exit::Exit;
use crate::import::IMPORTERS;
use crate::inspect::Inspector;
use crate::report::inspect::{self, INSPECT_FORMATS, Readable, Shown};
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
    #[arg(long, value_name = "FORMAT", default_value = INSPECT_FORMATS[0].id, value_parser = one_of(INSPECT_FORMATS, |f| (f.id, f.doc)), help_heading = "Output")]
    format: &'static inspect::Format,

    #[command(flatten)]
    layout: LayoutArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.formats {
        let formats = readable();
        let shown = shown(args, Vec::new());
        return Ok(print(Exit::Clean, |out| {
            (args.format.formats)(&formats, &shown, out)
        }));
    }
    let mut sources = Sources::find(&args.input.files)?;
    let policy = args.policy.as_deref();
    let policy = policy.map(|named| policy::load(Some(named), &mut sources));
    let policy = policy.transpose()?;
    let mut inspector = Inspector::new(policy.as_ref());
    let inputs = read_all(&sources, &args.input, true, &mut inspector);
    sources.tell_passed_over();
    let names = inputs.iter().map(|input| input.name.clone()).collect();
    let found = inspector.finish(inputs, args.input.leniency());
    let shown = shown(args, names);
    let reported = Reported {
        exit: &found.exit,
        notices: &found.notices,
        faults: found.total.fault_count(),
        header: &shown.header,
        table: args.format.id == INSPECT_FORMATS[0].id,
    };
    Ok(report(&reported, |out| {
        (args.format.write)(&found, &shown, out)
    }))
}

fn shown(args: &Args, inputs: Vec<String>) -> Shown {
    Shown {
        header: args.layout.header(inputs),
        top: args.top,
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
