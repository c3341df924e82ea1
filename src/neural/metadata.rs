//! What a model's file says of it: layers, activation, features, and outputs that it has to give.

use super::Refusal;
use super::activation::Activation;
use super::network::Network;
use crate::number::rounded;
use crate::trace::json::{self, Json};
use std::collections::BTreeMap;

/// What `format` has to be.
const FORMAT: &str = "gate-ncbf";

/// What `version` has to be.
const VERSION: &str = "1";

/// How far a golden output may be missed where the file does not say; relative above 1.
pub const GOLDEN_TOLERANCE: f64 = 1e-6;

/// Greatest tolerance that a file may ask for.
const MAX_TOLERANCE: f64 = 1e-3;

/// Most golden pairs of a file.
const MAX_GOLDEN: usize = 1024;

/// Most products that computing all golden outputs may take, an activation counted as 32 of them.
const MAX_WORK: usize = 1 << 26;

/// Longest text of `golden`, in bytes.
const LONGEST_GOLDEN: usize = 2 << 20;

/// Longest text of any other key, in bytes.
const LONGEST: usize = 1 << 16;

/// An input with the output it has to give.
#[derive(Clone, Debug, PartialEq)]
pub struct Golden {
    /// The raw inputs.
    pub x: Vec<f64>,
    /// The output.
    pub h: f64,
}

/// What the file says. Everything is absent where it does not say anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// Names of the layers, first to last.
    pub layers: Option<Vec<String>>,
    /// The activation.
    pub activation: Option<Activation>,
    /// Names of the inputs, in order.
    pub features: Option<Vec<String>>,
    /// Version of the list that the features are of.
    pub features_version: Option<String>,
    /// SHA-256 of that list, in hexadecimal.
    pub features_sha256: Option<String>,
    /// SHA-256 of the parameters that the features were computed with, in hexadecimal.
    pub parameters_sha256: Option<String>,
    /// Outputs that the model has to give.
    pub golden: Vec<Golden>,
    /// How far they may be missed; absolute up to 1, relative above.
    pub tolerance: Option<f64>,
    /// Keys of which nothing is made, in order of the alphabet. Untrusted.
    pub unused: Vec<String>,
}

/// Reads the metadata. `how` helps where there is none.
///
/// # Errors
/// It is not of the format and version, lacks what is needed, or holds what cannot be read.
pub fn parse(said: &BTreeMap<String, String>, how: &str) -> Result<Metadata, Refusal> {
    let long = said.iter().find(|(key, value)| {
        let most = if *key == "golden" {
            LONGEST_GOLDEN
        } else {
            LONGEST
        };
        key.len() > LONGEST || value.len() > most
    });
    if let Some((key, _)) = long {
        let key: String = key.chars().take(64).collect();
        return Err(Refusal::new(format!("its `{key}` is too long")));
    }
    let get = |key: &str| said.get(key).map(String::as_str);
    match get("format") {
        Some(FORMAT) => {}
        Some(other) => {
            let why = format!("its `format` is `{other}`, not `{FORMAT}`");
            return Err(Refusal::new(why).help(how));
        }
        None => return Err(Refusal::new("its metadata has no `format`").help(how)),
    }
    if get("version") != Some(VERSION) {
        let found = get("version").map_or("absent".to_owned(), |v| format!("`{v}`"));
        let why = format!("its `version` is {found}, and `{VERSION}` can be read");
        return Err(Refusal::new(why));
    }
    if let Some(other) = get("safe_set").filter(|set| set.replace(' ', "") != "h>=0") {
        let why = format!("its `safe_set` is `{other}`, and a barrier is safe where h>=0");
        return Err(Refusal::new(why));
    }
    let needed = |key: &str| {
        get(key).ok_or_else(|| Refusal::new(format!("its metadata has no `{key}`")).help(how))
    };
    let layers = needed("layers")?
        .split(',')
        .map(|name| name.trim().to_owned());
    let name = needed("activation")?;
    let Some(activation) = Activation::named(name) else {
        let names: Vec<&str> = Activation::ALL.iter().map(|(_, name)| *name).collect();
        let why = format!("its activation `{name}` is not known");
        return Err(Refusal::new(why).help(format!("there are {}", names.join(", "))));
    };
    Ok(Metadata {
        layers: Some(layers.collect()),
        activation: Some(activation),
        features: Some(names(needed("features")?)?),
        features_version: get("features_version").map(str::to_owned),
        features_sha256: get("features_sha256").map(str::to_owned),
        parameters_sha256: get("parameters_sha256").map(str::to_owned),
        golden: get("golden").map(golden).transpose()?.unwrap_or_default(),
        tolerance: get("tolerance").map(tolerance).transpose()?,
        unused: said
            .keys()
            .filter(|key| !KNOWN.contains(&key.as_str()))
            .cloned()
            .collect(),
    })
}

/// Keys that mean something.
const KNOWN: &[&str] = &[
    "format",
    "version",
    "safe_set",
    "layers",
    "activation",
    "features",
    "features_version",
    "features_sha256",
    "parameters_sha256",
    "golden",
    "tolerance",
];

fn names(text: &str) -> Result<Vec<String>, Refusal> {
    let list = json::parse(text.as_bytes()).ok();
    let list = list.as_ref().and_then(Json::as_array);
    let read = |item: &Json<'_>| item.as_str().map(str::to_owned);
    list.and_then(|items| items.iter().map(read).collect())
        .ok_or_else(|| Refusal::new("its `features` are no JSON list of strings"))
}

fn tolerance(text: &str) -> Result<f64, Refusal> {
    let number = text.trim().parse::<f64>().ok();
    number
        .filter(|t| *t > 0.0 && *t <= MAX_TOLERANCE)
        .ok_or_else(|| {
            let why =
                format!("its `tolerance` is `{text}`, no number above 0 and up to {MAX_TOLERANCE}");
            Refusal::new(why)
        })
}

/// Reads `{"x": [[..], ..], "h": [..]}`.
fn golden(text: &str) -> Result<Vec<Golden>, Refusal> {
    let wrong = || {
        Refusal::new(
            "its `golden` is no `{\"x\": [[..], ..], \"h\": [..]}` with as many rows as outputs",
        )
    };
    let json = json::parse(text.as_bytes()).map_err(|_| wrong())?;
    if let Some(key) = json.repeated() {
        return Err(Refusal::new(format!("its `golden` has `{key}` twice")));
    }
    let rows = json.get("x").and_then(Json::as_array).ok_or_else(wrong)?;
    let outputs = json.get("h").and_then(numbers).ok_or_else(wrong)?;
    if rows.len() != outputs.len() || rows.is_empty() {
        return Err(wrong());
    }
    if rows.len() > MAX_GOLDEN {
        return Err(Refusal::new(format!(
            "it has more than {MAX_GOLDEN} golden pairs"
        )));
    }
    let pairs = rows.iter().zip(outputs);
    let pair = |(row, h)| {
        Some(Golden {
            x: numbers(row)?,
            h,
        })
    };
    pairs
        .map(pair)
        .collect::<Option<Vec<_>>>()
        .ok_or_else(wrong)
}

/// The finite numbers of a JSON list.
fn numbers(json: &Json<'_>) -> Option<Vec<f64>> {
    let number = |item: &Json<'_>| match item {
        Json::Number(lexeme) => lexeme.parse::<f64>().ok().filter(|x| x.is_finite()),
        _ => None,
    };
    json.as_array()?.iter().map(number).collect()
}

/// Computes every golden output; gives the greatest difference on the scale of the tolerance, absent
/// where there is none to compute.
///
/// # Errors
/// One is missed by more than the tolerance, or there are too many for a network of this size.
pub fn verify(metadata: &Metadata, network: &Network) -> Result<Option<f64>, Refusal> {
    let layers = network.layers.iter();
    let work: usize = layers.map(|l| l.weight.len() + 32 * l.outputs).sum();
    let pairs = metadata.golden.len();
    // One pair is verified whatever the size.
    if pairs > 1 && pairs.saturating_mul(work) > MAX_WORK {
        let most = (MAX_WORK / work.max(1)).max(1);
        let why = format!("it has {pairs} golden pairs, and a model of its size may have {most}");
        return Err(Refusal::new(why).help("export the model again with fewer of them"));
    }
    let tolerance = metadata.tolerance.unwrap_or(GOLDEN_TOLERANCE);
    let mut greatest = None;
    for (row, golden) in metadata.golden.iter().enumerate() {
        if golden.x.len() != network.inputs() {
            let why = format!(
                "golden row {row} has {} numbers, and the model takes {}",
                golden.x.len(),
                network.inputs()
            );
            return Err(Refusal::new(why));
        }
        let h = network.h(&golden.x);
        let difference = (h - golden.h).abs();
        let scale = golden.h.abs().max(1.0);
        // Said so that NaN does not pass.
        let fits = difference <= tolerance * scale;
        if !fits {
            let gives = match h.is_finite() {
                true => format!("h {}", rounded(h)),
                false => "no finite h".to_owned(),
            };
            let why = format!(
                "golden row {row} gives {gives}, and its file says {}: weights, normalisation, activation \
                 or order of the layers are not those it was trained with",
                rounded(golden.h)
            );
            return Err(
                Refusal::new(why).help("export the model again, with the pairs of this very model")
            );
        }
        greatest = Some((difference / scale).max(greatest.unwrap_or(0.0)));
    }
    Ok(greatest)
}
