//! The semantic firewall of a policy, and the embedders it names.

use crate::embed::Embedder;
use crate::firewall::{Bands, Firewall};
use std::sync::Arc;

/// The semantic firewall.
#[derive(Clone, Debug)]
pub struct Semantic {
    /// Where scores come from.
    pub scores: Scores,
    /// Score from which a call is escalated, >= 0.
    pub escalate: f64,
    /// Score from which a call is blocked, at least `escalate`.
    pub block: f64,
}

impl Semantic {
    /// What works the scores out; absent where they are recorded.
    pub fn computed(&self) -> Option<&Computed> {
        match &self.scores {
            Scores::Recorded => None,
            Scores::Computed(computed) => Some(computed),
        }
    }
}

/// Where semantic scores come from.
#[derive(Clone, Debug)]
pub enum Scores {
    /// The score that the live system recorded on the call.
    Recorded,
    /// Worked out here. Shared, since it holds every description as a vector.
    Computed(Arc<Computed>),
}

/// What works scores out.
#[derive(Debug)]
pub struct Computed {
    /// The embedder.
    pub embedder: Arc<dyn Embedder>,
    /// Its descriptions as vectors.
    pub firewall: Firewall,
    /// Weights and thresholds.
    pub bands: Bands,
    /// Descriptions of harm.
    pub harm: Descriptions,
    /// Descriptions of ordinary work.
    pub benign: Descriptions,
}

/// Where descriptions come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptions {
    /// How many there are.
    pub count: usize,
    /// SHA-256 of the built-in ones, in hexadecimal; absent where a file takes their place.
    pub built_in: Option<String>,
    /// Files of the policy, in the order in which they are read.
    pub files: Vec<DescriptionFile>,
}

/// A file of descriptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptionFile {
    /// Key that names it.
    pub key: &'static str,
    /// The file as written in the policy.
    pub file: String,
    /// SHA-256 of its bytes, in hexadecimal; part of the effective policy.
    pub sha256: String,
}

/// A model that an embedder in use goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The embedder.
    pub embedder: &'static str,
    /// Its folder as written in the policy.
    pub folder: String,
}
