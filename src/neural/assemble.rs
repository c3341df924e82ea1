//! From tensors by name to the chain of layers that they make up.

use super::activation::Activation;
use super::metadata::Metadata;
use super::network::{Dense, Network};
use super::tensors::Tensor;
use super::{Given, Refusal};
use crate::number::rounded;

/// Most layers of a model.
const MAX_LAYERS: usize = 64;

/// Puts the layers together.
///
/// Where the file does not list its layers they are its tensors named `*.weight`, in the order of the
/// file: a state dict keeps the order in which the layers were made.
///
/// # Errors
/// Layers do not fit together, tensors are missing or left over, or the activation is not known.
pub fn network(tensors: &[Tensor], metadata: &Metadata, given: &Given) -> Result<Network, Refusal> {
    let mut parts = Parts {
        used: vec![false; tensors.len()],
        tensors,
    };
    let names = match &metadata.layers {
        Some(names) => names.clone(),
        None => {
            let names = tensors
                .iter()
                .filter_map(|t| t.name.strip_suffix(".weight"));
            names.map(str::to_owned).collect()
        }
    };
    if names.is_empty() {
        let why = "it has no layers: no tensor is named `NAME.weight`";
        let bare = tensors.iter().any(|t| t.name == "weight");
        let help = "a layer by itself has no name: put it into a module, `nn.Sequential(layer)`";
        return Err(match bare {
            true => Refusal::new(why).help(help),
            false => Refusal::new(why),
        });
    }
    if names.len() > MAX_LAYERS {
        return Err(Refusal::new(format!(
            "it has more than {MAX_LAYERS} layers"
        )));
    }
    let mut layers: Vec<Dense> = Vec::with_capacity(names.len());
    for name in &names {
        let layer = parts.dense(name)?;
        if let Some(before) = layers.last()
            && before.outputs != layer.inputs
        {
            let why = format!(
                "layer `{name}` takes {} numbers, and `{}` before it gives {}",
                layer.inputs, before.name, before.outputs
            );
            return Err(Refusal::new(why).help(
                "layers are dense and follow each other, in the order of `layers` or of the state dict",
            ));
        }
        layers.push(layer);
    }
    let inputs = layers.first().map_or(0, |layer| layer.inputs);
    if let Some(last) = layers.last().filter(|last| last.outputs != 1) {
        let why = format!(
            "layer `{}` gives {} numbers, not one h",
            last.name, last.outputs
        );
        return Err(Refusal::new(why));
    }
    let (mean, std) = parts.normalisation(&layers, inputs)?;
    parts.nothing_left()?;
    Ok(Network {
        mean,
        std,
        activation: activation(metadata, given, layers.len())?,
        layers,
    })
}

fn activation(
    metadata: &Metadata,
    given: &Given,
    layers: usize,
) -> Result<Option<Activation>, Refusal> {
    match (metadata.activation, given.activation) {
        (Some(own), Some(other)) if own != other => {
            let why = format!(
                "its own activation is `{}`, and `{}` is given beside it",
                own.as_str(),
                other.as_str()
            );
            Err(Refusal::new(why).help("leave `activation` out: the file says which it is"))
        }
        (Some(activation), _) | (None, Some(activation)) => Ok(Some(activation)),
        // Nothing stands behind the only layer.
        (None, None) if layers == 1 => Ok(None),
        (None, None) => {
            let names: Vec<&str> = Activation::ALL.iter().map(|(_, name)| *name).collect();
            let help = format!(
                "a state dict does not say it: set `activation`, one of {}",
                names.join(", ")
            );
            Err(Refusal::new("its activation is not known").help(help))
        }
    }
}

/// Tensors, and which of them found their use.
struct Parts<'t> {
    tensors: &'t [Tensor],
    used: Vec<bool>,
}

impl<'t> Parts<'t> {
    fn take(&mut self, is_it: impl Fn(&str) -> bool) -> Option<&'t Tensor> {
        let at = self.tensors.iter().position(|t| is_it(&t.name))?;
        if let Some(used) = self.used.get_mut(at) {
            *used = true;
        }
        self.tensors.get(at)
    }

    fn dense(&mut self, name: &str) -> Result<Dense, Refusal> {
        let full = format!("{name}.weight");
        let Some(weight) = self.take(|own| own == full) else {
            return Err(Refusal::new(format!("it has no tensor `{full}`")));
        };
        let &[outputs, inputs] = weight.shape.as_slice() else {
            let why = format!("`{full}` is {}, no matrix", weight.extents());
            return Err(Refusal::new(why).help("layers have to be dense: a matrix and a bias"));
        };
        if outputs == 0 || inputs == 0 {
            let why = format!("`{full}` is {}, which is nothing", weight.extents());
            return Err(Refusal::new(why));
        }
        let full = format!("{name}.bias");
        let bias = match self.take(|own| own == full) {
            Some(bias) if bias.shape == [outputs] => Some(bias.numbers.clone()),
            Some(bias) => {
                let why = format!("`{full}` is {}, not {outputs}", bias.extents());
                return Err(Refusal::new(why));
            }
            None => None,
        };
        Ok(Dense {
            name: name.to_owned(),
            inputs,
            outputs,
            weight: weight.numbers.clone(),
            bias,
        })
    }

    /// Mean and deviation of the inputs; neither means that they are taken as they are. Others of that
    /// name, within the module of a layer or further on, normalise something else and stay left over.
    fn normalisation(
        &mut self,
        layers: &[Dense],
        inputs: usize,
    ) -> Result<(Vec<f64>, Vec<f64>), Refusal> {
        // A module that holds the whole network stands before every name.
        let first = layers.first().and_then(|layer| layer.name.split_once('.'));
        let wrapping = first
            .map(|(module, _)| format!("{module}."))
            .filter(|module| layers.iter().all(|l| l.name.starts_with(module)))
            .unwrap_or_default();
        let plain = |t: &Tensor| matches!(t.name.as_str(), "mean" | "std");
        let before = match self.tensors.iter().any(plain) {
            true => "",
            false => wrapping.as_str(),
        };
        let mut find = |name: &str| self.take(|own| own.strip_prefix(before) == Some(name));
        let (mean, std) = (find("mean"), find("std"));
        let (mean, std) = match (mean, std) {
            (None, None) => return Ok((vec![0.0; inputs], vec![1.0; inputs])),
            (Some(mean), Some(std)) => (mean, std),
            (Some(_), None) => return Err(Refusal::new("it has a `mean` and no `std`")),
            (None, Some(_)) => return Err(Refusal::new("it has a `std` and no `mean`")),
        };
        for tensor in [mean, std] {
            if tensor.shape != [inputs] {
                let why = format!("`{}` is {}, not {inputs}", tensor.name, tensor.extents());
                return Err(Refusal::new(why));
            }
        }
        // Tensors are finite.
        if let Some(at) = std.numbers.iter().position(|&s| s <= 0.0) {
            let why = format!(
                "number {at} of `{}` is {}, no deviation",
                std.name,
                rounded(std.numbers[at])
            );
            return Err(Refusal::new(why).help("give a feature that never varies a deviation of 1"));
        }
        Ok((mean.numbers.clone(), std.numbers.clone()))
    }

    /// A tensor that is not computed with would be a part of the model that is left out in silence.
    fn nothing_left(&self) -> Result<(), Refusal> {
        let mut left = self
            .tensors
            .iter()
            .zip(&self.used)
            .filter(|(_, used)| !**used);
        match left.next() {
            None => Ok(()),
            Some((tensor, _)) => Err(Refusal::new(format!(
                "it has a tensor `{}` ({}) that belongs to no dense layer",
                tensor.name,
                tensor.extents()
            ))
            .help("dense layers, `mean` and `std` are all that can be computed")),
        }
    }
}
