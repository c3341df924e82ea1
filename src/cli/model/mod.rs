//! `gate model`.

mod rows;

use super::options::one_of;
use super::outputs::print;
use super::{Told, files, say};
use crate::escape::{file_name, visible};
use crate::exit::Exit;
use crate::neural::{Activation, Given, MAX_BYTES, Model, Refusal};
use crate::number::count;
use crate::policy::effective::sha256;
use crate::report::model::{self, MODEL_FORMATS, Shown};
use anyhow::Context;
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser};
use std::path::PathBuf;

/// Show what a model of a neural barrier holds, verify it, and compute h of rows
///
/// Reads a .safetensors file with its metadata, or a PyTorch state dict, whose pickle is not executed.
/// Its golden outputs are verified; rows are computed as barriers compute them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gate model ncbf.safetensors
  gate model ncbf.pt --activation tanh --inputs rows.csv
  gate model ncbf.safetensors --inputs cases.json --format json | jq .h")]
pub(super) struct Args {
    /// The model: a .safetensors file, or a PyTorch state dict
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Compute h of every row of this file: JSON lists of numbers, alone or under `x`, or CSV with a
    /// column a feature
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    inputs: Option<PathBuf>,

    /// The activation, for a state dict, which does not say it
    #[arg(long, value_name = "NAME", value_parser = activations(), help_heading = "Input")]
    activation: Option<String>,

    /// The features, for a state dict, which does not name them
    #[arg(
        long,
        value_name = "NAME,..",
        value_parser = NonEmptyStringValueParser::new(),
        value_delimiter = ',',
        help_heading = "Input"
    )]
    features: Option<Vec<String>>,

    /// Format of standard output
    #[arg(long, value_name = "FORMAT", default_value = MODEL_FORMATS[0].id, value_parser = one_of(MODEL_FORMATS, |f| (f.id, f.doc)), help_heading = "Output")]
    format: &'static model::Format,
}

fn activations() -> PossibleValuesParser {
    let names = Activation::ALL.iter().map(|(_, name)| *name);
    names.collect::<Vec<_>>().into()
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let name = file_name(&args.file);
    let bytes = files::read(&args.file, MAX_BYTES);
    let bytes = bytes.with_context(|| format!("`{name}` cannot be read"))?;
    let given = Given {
        features: args.features.clone(),
        activation: args.activation.as_deref().and_then(Activation::named),
    };
    let model = Model::read(&bytes, &given).map_err(|refusal| refused(&name, &refusal))?;
    let h = match &args.inputs {
        None => None,
        Some(path) => {
            let shown = file_name(path);
            let text = files::read(path, rows::MAX_BYTES);
            let text = text.with_context(|| format!("`{shown}` cannot be read"))?;
            let rows = rows::read(&text, &model).map_err(anyhow::Error::msg);
            let rows = rows.with_context(|| format!("`{shown}` cannot be used"))?;
            tell_holes(&rows);
            Some(rows.iter().map(|row| model.h(row)).collect::<Vec<f64>>())
        }
    };
    let shown = Shown {
        file: &name,
        sha256: &sha256(&bytes),
        model: &model,
        h: h.as_deref(),
    };
    Ok(print(Exit::Clean, |out| (args.format.write)(&shown, out)))
}

/// Says how many rows lack a number.
fn tell_holes(rows: &[Vec<f64>]) {
    let holed = rows.iter().filter(|row| row.iter().any(|x| !x.is_finite()));
    let holed = holed.count() as u64;
    if holed > 0 {
        let rows = count(holed, "row", "rows");
        say(&format!(
            "gate: {rows} with a number that is missing or not finite: h is none there, which counts as -1"
        ));
    }
}

fn refused(name: &str, refusal: &Refusal) -> anyhow::Error {
    let why = format!(
        "gate: model `{name}` cannot be used: {}",
        visible(&refusal.why)
    );
    let help = refusal
        .help
        .iter()
        .map(|help| format!("  help: {}", visible(help)));
    Told(std::iter::once(why).chain(help).collect()).into()
}
