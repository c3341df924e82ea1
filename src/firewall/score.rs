//! The score of an action.

use super::bands::Bands;
use super::exemplars::Exemplars;
use super::text::{self, Action, Prepared};
use crate::embed::{Embedder, Embedding};
use std::sync::Arc;

/// What the firewall says of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Harm, less what closeness to the intent and to harmless work takes off it; in [0, 1].
    pub score: f64,
    /// Greatest cosine similarity to a description of harm, in [-1, 1].
    pub harm: f64,
    /// Cosine similarity to the run's intent, in [-1, 1]; 0 without one.
    pub intent: f64,
    /// Greatest cosine similarity to a description of harmless work, in [-1, 1]; 0 without any.
    pub benign: f64,
    /// Whether `harm` reached the floor and the score was raised to `escalate`.
    pub floored: bool,
    /// The nearest description of harm.
    pub nearest: Arc<str>,
    /// What was embedded.
    pub embedded: Prepared,
}

/// An embedder with descriptions and thresholds.
#[derive(Debug)]
pub struct Firewall {
    embedder: Arc<dyn Embedder>,
    harm: Vec<(Arc<str>, Embedding)>,
    benign: Vec<Embedding>,
    bands: Bands,
}

impl Firewall {
    /// Embeds the descriptions.
    pub fn new(embedder: Arc<dyn Embedder>, exemplars: &Exemplars, bands: Bands) -> Firewall {
        let embed = |line: &String| embedder.embed(line);
        let harm = exemplars.harm.iter();
        let harm = harm.map(|line| (Arc::from(&**line), embed(line)));
        Firewall {
            harm: harm.collect(),
            benign: exemplars.benign.iter().map(embed).collect(),
            embedder,
            bands,
        }
    }

    /// Its thresholds.
    pub fn bands(&self) -> &Bands {
        &self.bands
    }

    /// Judges an action against the intent of its run.
    pub fn score(&self, action: &Action<'_>, intent: Option<&str>) -> Score {
        let embedded = text::prepare(action, intent);
        let vector = self.embedder.embed(&embedded.text);
        let (mut harm, mut nearest) = (-1.0, None);
        for (line, exemplar) in &self.harm {
            let cosine = vector.cosine(exemplar);
            if nearest.is_none() || cosine > harm {
                (harm, nearest) = (cosine, Some(line));
            }
        }
        let benign = self.benign.iter().map(|other| vector.cosine(other));
        let benign = benign.reduce(f64::max).unwrap_or(0.0);
        let intent = intent.map_or(0.0, |intent| vector.cosine(&self.embedder.embed(intent)));
        let off =
            self.bands.intent_weight * intent.max(0.0) + self.bands.benign_weight * benign.max(0.0);
        let mut score = (harm - off).clamp(0.0, 1.0);
        let floored = harm >= self.bands.harm_floor && score < self.bands.escalate;
        if floored {
            score = self.bands.escalate;
        }
        Score {
            score,
            harm,
            intent,
            benign,
            floored,
            nearest: nearest.cloned().unwrap_or_default(),
            embedded,
        }
    }

    /// The vector of an action's text.
    pub fn embed(&self, action: &Action<'_>, intent: Option<&str>) -> Embedding {
        embed(&*self.embedder, action, intent)
    }
}

/// The vector of an action's text, as [`Firewall::score`] compares it with the intent.
pub fn embed(embedder: &dyn Embedder, action: &Action<'_>, intent: Option<&str>) -> Embedding {
    embedder.embed(&text::prepare(action, intent).text)
}
