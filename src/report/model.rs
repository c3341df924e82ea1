//! What a model file holds and computes, for people and as `gate.model/1`.

use super::Header;
use super::json::write;
use super::number::{Number, exact};
use super::table::page::Page;
use super::table::text;
use crate::neural::{Activation, GOLDEN_TOLERANCE, Model};
use crate::number::rounded;
use crate::policy::features;
use serde::Serialize;
use std::io::{self, Write};

/// A format of these reports.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it.
    pub id: &'static str,
    /// One line about it for help and documentation.
    pub doc: &'static str,
    /// Writes a model, and flushes.
    pub write: fn(&Shown<'_>, &mut dyn Write) -> io::Result<()>,
}

/// Every format; the first is the default.
pub const MODEL_FORMATS: &[Format] = &[
    Format {
        id: "table",
        doc: "a report for people",
        write: table,
    },
    Format {
        id: "json",
        doc: "one JSON document, of the schema `gate.model/1`",
        write: json,
    },
];

/// A model, and what it came to on the rows it was given.
pub struct Shown<'a> {
    /// The file, as it was named. Untrusted.
    pub file: &'a str,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: &'a str,
    /// The model.
    pub model: &'a Model,
    /// h of every row; absent where no rows were given.
    pub h: Option<&'a [f64]>,
}

/// What the model's features are to a barrier: whether a policy could take it.
fn standing(model: &Model) -> String {
    let Some(names) = &model.features else {
        return "not named: a policy has to set `features`".to_owned();
    };
    let said = &model.metadata;
    let version = said.features_version.as_deref();
    if !features::is_this_list(version, said.features_sha256.as_deref()) {
        return format!(
            "of another list than {}: no barrier here",
            features::VERSION
        );
    }
    match names.iter().find(|name| features::named(name).is_none()) {
        Some(strange) => {
            let strange = text::name(strange);
            format!("`{strange}` is none that gate computes: no barrier here")
        }
        None => format!("all of {}", features::VERSION),
    }
}

fn table(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let header = Header::default();
    let mut page = Page::new(&header);
    let (model, network) = (shown.model, &shown.model.network);
    page.section("model");
    let row = |what: &str, says: String| vec![what.to_owned(), says];
    let bounds = match network.bounds() {
        Some((low, high)) => format!("{} to {}", rounded(low), rounded(high)),
        None => "without bounds".to_owned(),
    };
    let golden = match model.golden_difference {
        Some(difference) => format!(
            "{} given, the greatest difference {difference:.1e}, {:e} tolerated, relative above 1",
            text::count(model.metadata.golden.len() as u64, "pair", "pairs"),
            model.metadata.tolerance.unwrap_or(GOLDEN_TOLERANCE)
        ),
        None => "none: nothing shows that h is what was trained".to_owned(),
    };
    let activation = network.activation.map(Activation::as_str);
    let activation = activation.unwrap_or("none: there is one layer");
    let mut rows = vec![
        row("file", text::name(shown.file)),
        row("sha256", shown.sha256.to_owned()),
        row("stored as", model.container.as_str().to_owned()),
        row("activation", activation.to_owned()),
        row("parameters", network.parameters().to_string()),
        row("h", bounds),
        row("golden", golden),
        row("features", standing(model)),
    ];
    let said = &model.metadata;
    let hashes = [
        ("features of", &said.features_version),
        ("features sha256", &said.features_sha256),
        ("parameters sha256", &said.parameters_sha256),
    ];
    for (what, says) in hashes {
        rows.extend(says.as_ref().map(|says| row(what, text::prose(says))));
    }
    if !said.unused.is_empty() {
        rows.push(row("not used", text::prose(&said.unused.join(", "))));
    }
    page.rows(rows);
    page.section("layers");
    let mut rows = vec![["layer", "inputs", "outputs"].map(str::to_owned).to_vec()];
    let layers = network.layers.iter();
    rows.extend(layers.map(|l| {
        vec![
            text::name(&l.name),
            l.inputs.to_string(),
            l.outputs.to_string(),
        ]
    }));
    page.rows(rows);
    page.section("inputs");
    let mut rows = vec![["input", "mean", "deviation"].map(str::to_owned).to_vec()];
    for (i, (mean, std)) in network.mean.iter().zip(&network.std).enumerate() {
        let name = model.features.as_ref().and_then(|names| names.get(i));
        let name = name.map_or_else(|| format!("#{i}"), |name| text::name(name));
        rows.push(vec![name, rounded(*mean), rounded(*std)]);
    }
    page.rows(rows);
    if let Some(values) = shown.h {
        page.section("rows");
        let mut rows = vec![["row", "h"].map(str::to_owned).to_vec()];
        let value = |h: f64| {
            if h.is_finite() {
                exact(h)
            } else {
                "no number".to_owned()
            }
        };
        rows.extend(
            values
                .iter()
                .enumerate()
                .map(|(i, h)| vec![i.to_string(), value(*h)]),
        );
        page.rows(rows);
    }
    page.write(out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    sha256: &'a str,
    stored_as: &'static str,
    activation: Option<&'static str>,
    parameters: usize,
    layers: Vec<Layer<'a>>,
    features: Option<&'a [String]>,
    features_version: Option<&'a str>,
    features_sha256: Option<&'a str>,
    parameters_sha256: Option<&'a str>,
    mean: Vec<Number>,
    std: Vec<Number>,
    bounds: Option<[Number; 2]>,
    golden: Option<Golden>,
    h: Option<Vec<Option<Number>>>,
}

#[derive(Serialize)]
struct Layer<'a> {
    name: &'a str,
    inputs: usize,
    outputs: usize,
}

#[derive(Serialize)]
struct Golden {
    pairs: usize,
    greatest_difference: Number,
    tolerance: Number,
}

fn json(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (model, network) = (shown.model, &shown.model.network);
    let said = &model.metadata;
    let numbers = |list: &[f64]| list.iter().map(|n| Number(*n)).collect();
    let finite = |h: &f64| Some(Number(*h)).filter(|n| n.0.is_finite());
    let document = Document {
        schema: "gate.model/1",
        file: shown.file,
        sha256: shown.sha256,
        stored_as: model.container.as_str(),
        activation: network.activation.map(Activation::as_str),
        parameters: network.parameters(),
        layers: (network.layers.iter())
            .map(|l| Layer {
                name: &l.name,
                inputs: l.inputs,
                outputs: l.outputs,
            })
            .collect(),
        features: model.features.as_deref(),
        features_version: said.features_version.as_deref(),
        features_sha256: said.features_sha256.as_deref(),
        parameters_sha256: said.parameters_sha256.as_deref(),
        mean: numbers(&network.mean),
        std: numbers(&network.std),
        bounds: network
            .bounds()
            .map(|(low, high)| [Number(low), Number(high)]),
        golden: model.golden_difference.map(|difference| Golden {
            pairs: said.golden.len(),
            greatest_difference: Number(difference),
            tolerance: Number(said.tolerance.unwrap_or(GOLDEN_TOLERANCE)),
        }),
        h: shown.h.map(|values| values.iter().map(finite).collect()),
    };
    write::document(&document, out)
}
