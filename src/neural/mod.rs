//! Neural networks as functions of numbers: reading trained weights, and computing h with them.
//!
//! A model is a normalisation, dense layers with one activation between them, and one output h, at
//! least zero where it holds a state to be safe. It is read from a `.safetensors` file that says in
//! its metadata what it is, or from a PyTorch state dict, whose pickle is read by a machine that
//! builds tensors and executes nothing. What the inputs mean is no business of this room.

mod activation;
mod assemble;
mod metadata;
mod network;
mod pickle;
mod safetensors;
mod tensors;
mod torch;

pub use activation::Activation;
pub use metadata::{GOLDEN_TOLERANCE, Golden, Metadata};
pub use network::{Dense, Network};

/// Longest model file, in bytes.
pub const MAX_BYTES: usize = 64 << 20;

/// Why a file is no model that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Plain words. Holds text of the file, which is untrusted.
    pub why: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
}

impl Refusal {
    fn new(why: impl Into<String>) -> Refusal {
        Refusal {
            why: why.into(),
            help: None,
        }
    }

    fn help(self, help: impl Into<String>) -> Refusal {
        Refusal {
            help: Some(help.into()),
            ..self
        }
    }
}

/// What a model was stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// Safetensors, which describes itself.
    Safetensors,
    /// A PyTorch archive with a state dict, which has weights alone.
    Torch,
}

impl Container {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Container::Safetensors => "safetensors",
            Container::Torch => "pytorch state dict",
        }
    }
}

/// What is said of a model beside its file. A file that says the same itself must agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Names of the inputs, in order.
    pub features: Option<Vec<String>>,
    /// The activation between layers.
    pub activation: Option<Activation>,
}

/// A model that can be computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// What it was stored as.
    pub container: Container,
    /// The function.
    pub network: Network,
    /// Names of the inputs, in order; absent where neither the file nor anybody else says.
    pub features: Option<Vec<String>>,
    /// What its file says of it; nothing for a state dict.
    pub metadata: Metadata,
    /// Greatest difference between the golden outputs and those computed here, on the scale of the
    /// tolerance: relative above 1. Absent where there are none. At most the tolerance: other models
    /// are refused.
    pub golden_difference: Option<f64>,
}

impl Model {
    /// Reads a model. What it is stored as is told by its bytes, not by a name.
    ///
    /// # Errors
    /// It is neither kind of file, is damaged, holds code, is no chain of dense layers with one output,
    /// has weights that are not finite or a deviation that is not positive, contradicts what is given,
    /// or does not give its golden outputs.
    pub fn read(bytes: &[u8], given: &Given) -> Result<Model, Refusal> {
        if bytes.len() > MAX_BYTES {
            let why = format!("it is longer than {MAX_BYTES} bytes");
            return Err(Refusal::new(why));
        }
        let (container, tensors, metadata) = if bytes.starts_with(b"PK") {
            let tensors = torch::tensors(bytes)?;
            (Container::Torch, tensors, Metadata::default())
        } else if torch::is_legacy(bytes) {
            return Err(torch::legacy());
        } else {
            let (tensors, said) = safetensors::tensors(bytes)?;
            (
                Container::Safetensors,
                tensors,
                metadata::parse(&said, safetensors::HOW)?,
            )
        };
        let network = assemble::network(&tensors, &metadata, given)?;
        let features = features(&metadata, given, network.inputs())?;
        let golden_difference = metadata::verify(&metadata, &network)?;
        Ok(Model {
            container,
            network,
            features,
            metadata,
            golden_difference,
        })
    }

    /// h of one row of raw inputs, in the order of the features; NaN where an input is not finite,
    /// where there are too few or too many, or where any number on the way leaves the range of a float.
    pub fn h(&self, inputs: &[f64]) -> f64 {
        self.network.h(inputs)
    }
}

fn features(
    metadata: &Metadata,
    given: &Given,
    inputs: usize,
) -> Result<Option<Vec<String>>, Refusal> {
    if let (Some(own), Some(other)) = (&metadata.features, &given.features)
        && own != other
    {
        let why = "its own list of features is another than the one given beside it";
        return Err(Refusal::new(why).help("leave `features` out: the file says what it takes"));
    }
    let features = metadata.features.as_ref().or(given.features.as_ref());
    if let Some(list) = features {
        if list.len() != inputs {
            let why = format!(
                "it takes {inputs} inputs, and {} features are named",
                list.len()
            );
            return Err(Refusal::new(why));
        }
        let mut sorted: Vec<&String> = list.iter().collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Refusal::new(format!(
                "the feature `{}` is named twice",
                pair[0]
            )));
        }
    }
    Ok(features.cloned())
}
