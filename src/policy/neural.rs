//! Barriers that are neural networks, as a policy names them.

use super::features::Feature;
use super::{BarrierSpec, Measure, Policy};
use crate::neural::Model;
use std::sync::Arc;

/// A model and the features that it takes.
#[derive(Clone, Debug)]
pub struct Neural {
    /// The file it was read from, as written in the policy.
    pub file: String,
    /// SHA-256 of the file, in hexadecimal; part of the effective policy.
    pub sha256: String,
    /// The model.
    pub model: Arc<Model>,
    /// Its inputs, in order; as many as it takes.
    pub features: Vec<Feature>,
}

impl Policy {
    /// The barriers that are neural networks.
    pub fn neural(&self) -> impl Iterator<Item = (&BarrierSpec, &Neural)> {
        let barriers = self.dcbf.barriers.iter();
        barriers.filter_map(|spec| match &spec.measure {
            Measure::Neural(neural) => Some((spec, neural)),
            _ => None,
        })
    }
}
