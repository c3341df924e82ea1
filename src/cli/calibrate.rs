//! `gate calibrate`.

use super::inputs::Sources;
use super::options::{InputArgs, LayoutArgs, SENTENCES, one_of, rate};
use super::outputs::{Reported, report};
use super::reading::read_all;
use super::{files, policy};
use crate::calibrate::found::Closed;
use crate::calibrate::scorer::Scorer;
use crate::calibrate::{Asked, Calibrator};
use crate::embed::{Definition, EMBEDDERS, Embedder};
use crate::exit::Exit;
use crate::firewall::{Exemplars, bands};
use crate::policy::Policy;
use crate::policy::read::semantic::{BLOCK, ESCALATE, RECORDED};
use crate::report::calibration::{self, CALIBRATION_FORMATS};
use anyhow::bail;
use clap::builder::{PossibleValue, PossibleValuesParser};
use std::path::PathBuf;
use std::sync::Arc;

/// Say what thresholds of the semantic firewall do on a corpus, and which keep to a rate of false
/// alarms
///
/// Reads labelled cases, `{"intent", "tool", "args", "label"}` a line, or traces, whose runs may be
/// labelled. Without labels all calls are taken as ordinary traffic.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gate calibrate cases.jsonl
  gate calibrate --embedder hash --false-alarms 0.02 cases.jsonl
  gate calibrate --policy gate.toml --list 10 recordings/
  gate calibrate --all-embedders --model minilm=models/minilm cases.jsonl
  gate calibrate --format json cases.jsonl | jq -r '.embedders[].suggested.toml'")]
#[command(mut_arg("width", |arg| arg.help(SENTENCES)))]
pub(super) struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// Policy whose `[semantic]` is calibrated: a file, or a preset [default: the gate.toml found upward, else built in]
    #[arg(long, value_name = "POLICY", help_heading = "Policy")]
    policy: Option<PathBuf>,

    /// Embedder, with its own thresholds if the policy is about another [default: the policy's, else the first]
    #[arg(long, value_name = "EMBEDDER", value_parser = embedders(), conflicts_with = "all_embedders", help_heading = "Policy")]
    embedder: Option<String>,

    /// Every embedder that can be opened, one after the other
    #[arg(long, help_heading = "Policy")]
    all_embedders: bool,

    /// Folder of an embedder's model, where the policy names none
    #[arg(long, value_name = "EMBEDDER=FOLDER", value_parser = model, help_heading = "Policy")]
    model: Vec<(&'static str, PathBuf)>,

    /// Rates of false alarms to give thresholds for
    #[arg(
        long,
        value_name = "RATE,..",
        value_delimiter = ',',
        value_parser = rate,
        default_value = "0.01,0.02,0.05,0.1,0.2",
        help_heading = "Thresholds"
    )]
    false_alarms: Vec<f64>,

    /// Rate of false alarms of the suggested `escalate`
    #[arg(long, value_name = "RATE", value_parser = rate, default_value = "0.1", help_heading = "Thresholds")]
    escalate_at: f64,

    /// Rate of false alarms of the suggested `block`
    #[arg(long, value_name = "RATE", value_parser = rate, default_value = "0.01", help_heading = "Thresholds")]
    block_at: f64,

    /// List so many of the ordinary calls that score highest, and of the attacks that score lowest
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Output")]
    list: usize,

    /// Show the arguments of listed calls, cut at a length and with known secrets masked
    #[arg(long, help_heading = "Output")]
    show_args: bool,

    /// Format of standard output
    #[arg(long, value_name = "FORMAT", default_value = CALIBRATION_FORMATS[0].id, value_parser = one_of(CALIBRATION_FORMATS, |f| (f.id, f.doc)), help_heading = "Output")]
    format: &'static calibration::Format,

    #[command(flatten)]
    layout: LayoutArgs,
}

fn embedders() -> PossibleValuesParser {
    let value = |e: &Definition| PossibleValue::new(e.id).help(e.doc);
    let mut values: Vec<_> = EMBEDDERS.iter().map(value).collect();
    values.push(PossibleValue::new(RECORDED).help("the scores that the recording brings"));
    values.into()
}

/// An embedder that goes by a model, and the model's folder.
fn model(text: &str) -> Result<(&'static str, PathBuf), String> {
    let with_model = EMBEDDERS.iter().filter(|embedder| embedder.needs_model);
    let ids: Vec<&str> = with_model.map(|embedder| embedder.id).collect();
    let known = |id: &str| ids.iter().find(|known| **known == id).copied();
    let named = text.split_once('=');
    match named.and_then(|(id, folder)| Some((known(id)?, folder))) {
        Some((id, folder)) if !folder.is_empty() => Ok((id, folder.into())),
        _ if ids.is_empty() => Err("no embedder goes by a model".into()),
        _ => Err(format!(
            "expected EMBEDDER=FOLDER, the embedder being {}",
            ids.join(" or ")
        )),
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.block_at > args.escalate_at {
        bail!(
            "`--block-at {}` is more than `--escalate-at {}`: what is blocked would have been escalated",
            args.block_at,
            args.escalate_at
        );
    }
    let mut sources = Sources::find(&args.input.files)?;
    let policy = policy::load(args.policy.as_deref(), &mut sources)?;
    let (scorers, closed) = scorers(args, &policy)?;
    let asked = Asked {
        rates: args.false_alarms.clone(),
        escalate_at: args.escalate_at,
        block_at: args.block_at,
        list: args.list,
        keep_args: args.show_args,
    };
    let mut calibrator = Calibrator::new(&policy, scorers, asked);
    let inputs = read_all(&sources, &args.input, true, &mut calibrator);
    sources.tell_passed_over();
    let names = inputs.iter().map(|input| input.name.clone()).collect();
    let header = args.layout.header(names);
    let found = calibrator.finish(inputs, closed, args.input.leniency());
    let reported = Reported {
        exit: &found.exit,
        notices: &found.noted.kept,
        faults: found.noted.faults,
        header: &header,
        table: args.format.id == CALIBRATION_FORMATS[0].id,
    };
    Ok(report(&reported, |out| {
        (args.format.write)(&found, &header, out)
    }))
}

/// What is to score, and the embedders that cannot.
///
/// # Errors
/// An embedder that was asked for by itself cannot be opened.
fn scorers(args: &Args, policy: &Policy) -> anyhow::Result<(Vec<Scorer>, Vec<Closed>)> {
    let (mut scorers, mut closed) = (Vec::new(), Vec::new());
    if args.all_embedders {
        for definition in EMBEDDERS {
            match computed(definition, args, policy) {
                Ok(scorer) => scorers.push(scorer),
                Err(why) => closed.push(Closed {
                    embedder: definition.id,
                    why,
                }),
            }
        }
        return Ok((scorers, closed));
    }
    let of_policy = policy.semantic.as_ref().map(|semantic| {
        let computed = semantic.computed();
        computed.map_or(RECORDED, |computed| computed.embedder.id())
    });
    let wanted = args.embedder.as_deref().or(of_policy);
    let definition = match wanted {
        None => EMBEDDERS.first(),
        Some(id) => EMBEDDERS.iter().find(|definition| definition.id == id),
    };
    let Some(definition) = definition else {
        return Ok((vec![recorded(policy)], closed));
    };
    match computed(definition, args, policy) {
        Ok(scorer) => scorers.push(scorer),
        Err(why) => bail!("the embedder `{}` cannot be used: {why}", definition.id),
    }
    Ok((scorers, closed))
}

fn recorded(policy: &Policy) -> Scorer {
    let semantic = policy.semantic.as_ref();
    match semantic.filter(|semantic| semantic.computed().is_none()) {
        Some(semantic) => Scorer::recorded(semantic.escalate, semantic.block, true),
        None => Scorer::recorded(ESCALATE, BLOCK, false),
    }
}

/// An embedder with the policy's thresholds if these are its own, and with the policy's descriptions.
fn computed(definition: &Definition, args: &Args, policy: &Policy) -> Result<Scorer, String> {
    let semantic = policy.semantic.as_ref();
    let of_policy = semantic.and_then(|semantic| semantic.computed());
    let own = of_policy.filter(|computed| computed.embedder.id() == definition.id);
    if let Some(own) = own {
        let embedder = Arc::clone(&own.embedder);
        return Ok(Scorer::of(embedder, &own.exemplars, own.bands, true));
    }
    let embedder = open(definition, args)?;
    let built_in = Exemplars::built_in();
    let exemplars = of_policy.map_or(&built_in, |computed| &computed.exemplars);
    Ok(Scorer::of(embedder, exemplars, bands(definition.id), false))
}

fn open(definition: &Definition, args: &Args) -> Result<Arc<dyn Embedder>, String> {
    let id = definition.id;
    let folder = args.model.iter().find(|(of, _)| *of == id);
    match folder {
        None if definition.needs_model => Err(format!(
            "it needs the folder of its model: give `--model {id}=FOLDER`"
        )),
        None => (definition.open)(&|_| Err("it goes by no file".into())),
        Some((_, folder)) => (definition.open)(&files::of_directory(folder)),
    }
}
