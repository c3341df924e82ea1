//! The score of an action.
//!
//! harm is the greatest cosine similarity of the action to a description of harm. It is taken over
//! the prepared text and over the words of every gloss entry of harm, each of the latter counting as
//! much as its shape is sure; so text that is padded or dressed up does not thin out what the gloss
//! has found. Then
//!
//! ```text
//! score = harm - intent_weight * max(0, intent) - benign_weight * max(0, benign), within [0, 1]
//! ```
//!
//! and where harm reaches `harm_floor` the score is at least `escalate`.
//!
//! Without an intent nothing is taken off for closeness to it, so what would be left of nearly every
//! action is asked about. The closeness of the text itself then counts [`UNASKED`] only; that of the
//! gloss counts in full.

use super::bands::Bands;
use super::exemplars::Exemplars;
use super::gloss::Intents;
use super::gloss::table::{Entry, Table};
use super::text::{Prepared, Ready};
use crate::embed::nearest::{Nearest, Sought};
use crate::embed::{Embedder, Embedding};
use std::sync::Arc;

/// What the closeness of the text to a description of harm counts where there is no intent.
pub const UNASKED: f64 = 0.6;

/// What the firewall says of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Harm, less what closeness to the intent and to harmless work takes off it; in [0, 1].
    pub score: f64,
    /// Greatest closeness to a description of harm, in [-1, 1].
    pub harm: f64,
    /// Cosine similarity to the run's intent, in [-1, 1]; 0 without one.
    pub intent: f64,
    /// Greatest cosine similarity to a description of harmless work, in [-1, 1]; 0 without any.
    pub benign: f64,
    /// Whether `harm` reached the floor and the score was raised to `escalate`.
    pub floored: bool,
    /// The nearest description of harm; empty where there is none.
    pub nearest: Arc<str>,
    /// What was embedded.
    pub embedded: Arc<Prepared>,
}

/// An embedder with descriptions and thresholds.
#[derive(Debug)]
pub struct Firewall {
    embedder: Arc<dyn Embedder>,
    harm: Vec<Arc<str>>,
    /// The vectors of those.
    harmful: Nearest,
    benign: Nearest,
    /// By number of a gloss entry: how close its words are to a description, times its strength, and
    /// the number of the description.
    entries: Vec<(f64, usize)>,
    bands: Bands,
    intents: Intents<Embedding>,
}

impl Firewall {
    /// Embeds the descriptions and the words of the gloss.
    pub fn new(embedder: Arc<dyn Embedder>, exemplars: &Exemplars, bands: Bands) -> Firewall {
        let embed = |line: &String| embedder.embed(line);
        let harm = exemplars.harm.iter().map(|line| Arc::from(&**line));
        let harmful = Nearest::new(exemplars.harm.iter().map(embed).collect());
        let benign = Nearest::new(exemplars.benign.iter().map(embed).collect());
        let close = |entry: &Entry| {
            let words = embedder.embed(entry.words);
            let sought = Sought::new(&words);
            let (cosine, nearest) = match entry.harm {
                true => harmful.to(&sought),
                false => benign.to(&sought),
            };
            (entry.strength * cosine, nearest)
        };
        Firewall {
            entries: Table::built_in().entries.iter().map(close).collect(),
            harm: harm.collect(),
            harmful,
            benign,
            embedder,
            bands,
            intents: Intents::default(),
        }
    }

    /// Its thresholds.
    pub fn bands(&self) -> &Bands {
        &self.bands
    }

    /// Judges an action that was made ready with the intent of its run, against that.
    pub fn score(&self, ready: &Ready, intent: Option<&str>) -> Score {
        let asked = intent.map(|intent| {
            let embed = || self.embedder.embed(intent);
            self.intents.get(intent, embed)
        });
        let vector = self.embedder.embed(&ready.prepared.text);
        let sought = Sought::new(&vector);
        let (mut harm, mut nearest) = self.harmful.to(&sought);
        if asked.is_none() {
            harm *= UNASKED;
        }
        let (mut benign, _) = self.benign.to(&sought);
        for entry in &ready.entries {
            let Some(&(close, at)) = self.entries.get(entry.number) else {
                continue;
            };
            if !entry.harm {
                benign = benign.max(close);
            } else if close > harm {
                (harm, nearest) = (close, at);
            }
        }
        let intent = asked.as_ref().map_or(0.0, |v| vector.cosine(v));
        let (score, floored) = self.bands.score(harm, intent, benign);
        let nearest = self.harm.get(nearest);
        Score {
            score,
            harm,
            intent,
            benign,
            floored,
            nearest: nearest.map_or_else(|| Arc::from(""), Arc::clone),
            embedded: Arc::clone(&ready.prepared),
        }
    }
}
