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

use super::bands::Bands;
use super::exemplars::Exemplars;
use super::gloss::table::{Entry, Table};
use super::gloss::{Gloss, Intents};
use super::text::{self, Action, IntentText, Prepared};
use crate::embed::{Embedder, Embedding};
use std::sync::{Arc, OnceLock};

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
    /// The nearest description of harm; empty where there is none.
    pub nearest: Arc<str>,
    /// What was embedded.
    pub embedded: Prepared,
}

/// An intent taken apart and embedded.
#[derive(Debug)]
struct Intent {
    text: IntentText,
    vector: Option<Embedding>,
}

/// An embedder with descriptions and thresholds.
#[derive(Debug)]
pub struct Firewall {
    embedder: Arc<dyn Embedder>,
    harm: Vec<(Arc<str>, Embedding)>,
    benign: Vec<Embedding>,
    /// By number of a gloss entry: how close its words are to a description, times its strength, and
    /// the number of the description.
    entries: Vec<(f64, usize)>,
    bands: Bands,
    gloss: Gloss,
    intents: Intents<Intent>,
    unknown: Intent,
}

impl Firewall {
    /// Embeds the descriptions and the words of the gloss.
    pub fn new(embedder: Arc<dyn Embedder>, exemplars: &Exemplars, bands: Bands) -> Firewall {
        let embed = |line: &String| embedder.embed(line);
        let harm = exemplars.harm.iter();
        let harm: Vec<_> = harm.map(|line| (Arc::from(&**line), embed(line))).collect();
        let benign: Vec<Embedding> = exemplars.benign.iter().map(embed).collect();
        let close = |entry: &Entry| {
            let words = embedder.embed(entry.words);
            let (cosine, nearest) = match entry.harm {
                true => greatest(&words, harm.iter().map(|(_, other)| other)),
                false => greatest(&words, benign.iter()),
            };
            (entry.strength * cosine, nearest)
        };
        let gloss = Gloss::default();
        Firewall {
            entries: Table::built_in().entries.iter().map(close).collect(),
            unknown: Intent {
                text: IntentText::new(&gloss, None),
                vector: None,
            },
            harm,
            benign,
            embedder,
            bands,
            gloss,
            intents: Intents::default(),
        }
    }

    /// Its thresholds.
    pub fn bands(&self) -> &Bands {
        &self.bands
    }

    /// Judges an action against the intent of its run.
    pub fn score(&self, action: &Action<'_>, intent: Option<&str>) -> Score {
        let known = intent.map(|intent| self.intent(intent));
        let asked = known.as_deref().unwrap_or(&self.unknown);
        let (embedded, found) = text::prepare(&self.gloss, action, &asked.text);
        let vector = self.embedder.embed(&embedded.text);
        let (mut harm, mut nearest) = greatest(&vector, self.harm.iter().map(|(_, other)| other));
        let (mut benign, _) = greatest(&vector, self.benign.iter());
        for entry in &found {
            let Some(&(close, at)) = self.entries.get(entry.number) else {
                continue;
            };
            if !entry.harm {
                benign = benign.max(close);
            } else if close > harm {
                (harm, nearest) = (close, at);
            }
        }
        let intent = asked.vector.as_ref().map_or(0.0, |v| vector.cosine(v));
        let (score, floored) = self.bands.score(harm, intent, benign);
        let nearest = self.harm.get(nearest);
        Score {
            score,
            harm,
            intent,
            benign,
            floored,
            nearest: nearest.map_or_else(|| Arc::from(""), |(line, _)| Arc::clone(line)),
            embedded,
        }
    }

    /// The vector of an action's text, as [`Firewall::score`] compares it with the intent.
    pub fn embed(&self, action: &Action<'_>, intent: Option<&str>) -> Embedding {
        let known = intent.map(|intent| self.intent(intent));
        let asked = known.as_deref().unwrap_or(&self.unknown);
        let (embedded, _) = text::prepare(&self.gloss, action, &asked.text);
        self.embedder.embed(&embedded.text)
    }

    fn intent(&self, intent: &str) -> Arc<Intent> {
        self.intents.get(intent, || Intent {
            text: IntentText::new(&self.gloss, Some(intent)),
            vector: Some(self.embedder.embed(intent)),
        })
    }
}

/// The greatest cosine and where it was met first; 0 where there is nothing to compare with.
fn greatest<'e>(vector: &Embedding, others: impl Iterator<Item = &'e Embedding>) -> (f64, usize) {
    let cosines = others.map(|other| vector.cosine(other)).enumerate();
    let first = cosines.reduce(|best, next| if next.1 > best.1 { next } else { best });
    first.map_or((0.0, 0), |(at, cosine)| (cosine, at))
}

/// The vector of an action's text, as [`Firewall::score`] compares it with the intent.
pub fn embed(embedder: &dyn Embedder, action: &Action<'_>, intent: Option<&str>) -> Embedding {
    static GLOSS: OnceLock<(Gloss, Intents<IntentText>)> = OnceLock::new();
    let (gloss, intents) = GLOSS.get_or_init(Default::default);
    let asked = match intent {
        Some(text) => intents.get(text, || IntentText::new(gloss, intent)),
        None => Arc::new(IntentText::new(gloss, None)),
    };
    embedder.embed(&text::prepare(gloss, action, &asked).0.text)
}
