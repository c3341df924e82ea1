//! The semantic firewall of a policy, and the embedders it names.

use crate::embed::Embedder;
use crate::firewall::{Bands, Exemplars, Firewall, Thresholds};
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
    /// The thresholds that the policy gives.
    pub given: Given,
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

/// The thresholds that a policy gives, for what those come to that it does not give.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// In `[semantic]`.
    pub own: Pair,
    /// In `[semantic.without_intent]`.
    pub without_intent: Pair,
}

/// Two thresholds, each absent where it is not given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pair {
    /// From which score a call is escalated.
    pub escalate: Option<f64>,
    /// From which score it is blocked.
    pub block: Option<f64>,
}

impl Given {
    /// What holds for calls with a usable intent, and what for those without one.
    pub fn thresholds(&self, defaults: &Bands) -> (Thresholds, Thresholds) {
        let own = self.own.over(defaults.thresholds(true));
        let others = self.own.carried(defaults.without_intent);
        (own, self.without_intent.over(others))
    }
}

impl Pair {
    /// These, and the defaults where they are not given.
    pub fn over(&self, defaults: Thresholds) -> Thresholds {
        Thresholds {
            escalate: self.escalate.unwrap_or(defaults.escalate),
            block: self.block.unwrap_or(defaults.block),
        }
    }

    /// What holds by them for calls without a usable intent. A threshold that is given in `[semantic]`
    /// holds for all calls, unless there is another one for those: who writes `block = 2` wants none
    /// blocked.
    pub fn carried(&self, others: Thresholds) -> Thresholds {
        match (self.escalate, self.block) {
            (None, None) => others,
            (Some(escalate), Some(block)) => Thresholds { escalate, block },
            // What is not given gives way to what is.
            (Some(escalate), None) => Thresholds {
                escalate,
                block: others.block.max(escalate),
            },
            (None, Some(block)) => Thresholds {
                escalate: others.escalate.min(block),
                block,
            },
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
    /// The descriptions.
    pub exemplars: Exemplars,
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
