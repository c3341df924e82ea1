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
//! Without a usable intent nothing is taken off for closeness to it, so that scores lie higher: such
//! actions have thresholds of their own. An intent is usable where it tells something
//! ([`intent::told`]) that the embedder knows, in English.

use super::bands::Bands;
use super::exemplars::Exemplars;
use super::gloss::Intents;
use super::gloss::relation::is_english;
use super::gloss::table::{Entry, Table};
use super::intent;
use super::text::{Prepared, Ready};
use crate::embed::nearest::{Nearest, Sought};
use crate::embed::{Embedder, Embedding};
use std::sync::{Arc, OnceLock};

/// What the firewall says of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Harm, less what closeness to the intent and to harmless work takes off it; in [0, 1].
    pub score: f64,
    /// Greatest closeness to a description of harm, in [-1, 1].
    pub harm: f64,
    /// Cosine similarity to the run's intent, in [-1, 1]; 0 without a usable one.
    pub intent: f64,
    /// Whether there was a usable intent; it says which thresholds hold.
    pub asked: bool,
    /// Greatest cosine similarity to a description of harmless work, in [-1, 1]; 0 without any.
    pub benign: f64,
    /// Whether `harm` reached the floor and the score was raised to `escalate`.
    pub floored: bool,
    /// The nearest description of harm; empty where there is none.
    pub nearest: Arc<str>,
    /// What was embedded.
    pub embedded: Arc<Prepared>,
}

/// How close the words of a gloss entry are to a description, times the strength of the entry, and the
/// number of the description.
type Close = (f64, usize);

/// An embedder with descriptions and thresholds.
#[derive(Debug)]
pub struct Firewall {
    embedder: Arc<dyn Embedder>,
    harm: Vec<Arc<str>>,
    /// The vectors of those.
    harmful: Nearest,
    benign: Nearest,
    /// By number of a gloss entry: what its words come to, worked out when it is first met, as few of
    /// them are.
    entries: Vec<OnceLock<Close>>,
    bands: Bands,
    /// Vectors of intents; absent for those that are not usable.
    intents: Intents<Option<Embedding>>,
}

impl Firewall {
    /// Embeds the descriptions.
    pub fn new(embedder: Arc<dyn Embedder>, exemplars: &Exemplars, bands: Bands) -> Firewall {
        let embed = |line: &String| embedder.embed(line);
        let harm = exemplars.harm.iter().map(|line| Arc::from(&**line));
        let harmful = Nearest::new(exemplars.harm.iter().map(embed).collect());
        let benign = Nearest::new(exemplars.benign.iter().map(embed).collect());
        Firewall {
            entries: Table::built_in()
                .entries
                .iter()
                .map(|_| OnceLock::new())
                .collect(),
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

    /// The vector of an intent; absent where it tells nothing, or too little that the embedder knows,
    /// and where it is not English, as embedders and descriptions are: nothing would be close to it.
    fn usable(&self, intent: &str) -> Option<Embedding> {
        if !is_english(intent) {
            return None;
        }
        let knows = |word: &str| !self.embedder.embed(word).is_zero();
        let vector = self.embedder.embed(intent::told_to(intent, knows)?);
        (!vector.is_zero()).then_some(vector)
    }

    /// What the words of a gloss entry come to.
    fn close(&self, entry: &Entry) -> Close {
        let words = self.embedder.embed(entry.words);
        let sought = Sought::new(&words);
        let (cosine, nearest) = match entry.harm {
            true => self.harmful.to(&sought),
            false => self.benign.to(&sought),
        };
        (entry.strength * cosine, nearest)
    }

    /// What this firewall's thresholds make of a score, measured by one that differs in them alone.
    pub fn again(&self, known: &Score) -> Score {
        let intent = known.asked.then_some(known.intent);
        let (score, floored) = self.bands.score(known.harm, intent, known.benign);
        Score {
            score,
            floored,
            ..known.clone()
        }
    }

    /// Judges an action that was made ready with the intent of its run, against that.
    pub fn score(&self, ready: &Ready, intent: Option<&str>) -> Score {
        let wanted = intent.map(|intent| self.intents.get(intent, || self.usable(intent)));
        let wanted = wanted.as_deref().and_then(Option::as_ref);
        let text = &ready.prepared.text;
        let vector = self.embedder.embed_with(text, &ready.words);
        let sought = Sought::new(&vector);
        let (mut harm, mut nearest) = self.harmful.to(&sought);
        let (mut benign, _) = self.benign.to(&sought);
        for entry in &ready.entries {
            let Some(known) = self.entries.get(entry.number) else {
                continue;
            };
            let &(close, at) = known.get_or_init(|| self.close(entry));
            if !entry.harm {
                benign = benign.max(close);
            } else if close > harm {
                (harm, nearest) = (close, at);
            }
        }
        let intent = wanted.map(|wanted| vector.cosine(wanted));
        let (score, floored) = self.bands.score(harm, intent, benign);
        let nearest = self.harm.get(nearest);
        Score {
            score,
            harm,
            intent: intent.unwrap_or(0.0),
            asked: intent.is_some(),
            benign,
            floored,
            nearest: nearest.map_or_else(|| Arc::from(""), Arc::clone),
            embedded: Arc::clone(&ready.prepared),
        }
    }
}
