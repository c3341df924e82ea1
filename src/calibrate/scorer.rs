//! What scores calls: an embedder with its firewall, or the scores that a recording brings.

use crate::embed::Embedder;
use crate::firewall::{self, Bands, Exemplars, Firewall};
use crate::policy::read::semantic::RECORDED;
use crate::stages::CallContext;
use std::sync::Arc;

/// How a call scored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scored {
    /// The score, without what a harm floor makes of it; within [0, 1], but for a recorded one, which
    /// may be any number.
    pub score: f64,
    /// How it came about; absent where a recording told the score alone.
    pub parts: Option<Parts>,
}

/// How a score came about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// Greatest similarity to a description of harm, within [-1, 1].
    pub harm: f64,
    /// Similarity to what the user asked for, within [-1, 1]; 0 without a usable intent.
    pub intent: f64,
    /// Whether there was a usable intent.
    pub asked: bool,
    /// The description of harm that is nearest.
    pub nearest: Arc<str>,
}

/// A way of scoring with the thresholds that go with it.
#[derive(Debug)]
pub struct Scorer {
    /// Its name in a policy.
    pub embedder: &'static str,
    /// SHA-256 of the data that its embedder goes by, in hexadecimal; absent where it goes by none.
    pub sha256: Option<String>,
    /// Its thresholds, of calls of runs with a usable intent where scores depend on it.
    pub thresholds: Thresholds,
    /// Those of calls without one; absent where scores are recorded, which have one kind alone.
    pub without_intent: Option<Thresholds>,
    /// Descriptions of harm and of harmless work; absent where scores are those of the recording.
    pub descriptions: Option<(u64, u64)>,
    /// Whether some of them are others than those that gate has.
    pub own_descriptions: bool,
    /// Absent where scores are those of the recording.
    firewall: Option<Firewall>,
}

impl Scorer {
    /// The scores of an embedder with those descriptions and thresholds, which have to be its own.
    pub fn of(
        embedder: Arc<dyn Embedder>,
        exemplars: &Exemplars,
        bands: Bands,
        from_policy: bool,
    ) -> Scorer {
        let unraised = Bands {
            harm_floor: f64::INFINITY,
            ..bands
        };
        let of = |thresholds: firewall::Thresholds| Thresholds {
            escalate: thresholds.escalate,
            block: thresholds.block,
            harm_floor: Some(bands.harm_floor),
            weights: Some((bands.intent_weight, bands.benign_weight)),
            from_policy,
        };
        Scorer {
            embedder: embedder.id(),
            sha256: embedder.sha256().map(str::to_owned),
            descriptions: Some((exemplars.harm.len() as u64, exemplars.benign.len() as u64)),
            own_descriptions: *exemplars != Exemplars::built_in(),
            thresholds: of(bands.thresholds(true)),
            without_intent: Some(of(bands.thresholds(false))),
            firewall: Some(Firewall::new(embedder, exemplars, unraised)),
        }
    }

    /// The scores that the live system recorded, with the thresholds that a policy has for them.
    pub fn recorded(escalate: f64, block: f64, from_policy: bool) -> Scorer {
        Scorer {
            embedder: RECORDED,
            sha256: None,
            descriptions: None,
            own_descriptions: false,
            thresholds: Thresholds {
                escalate,
                block,
                harm_floor: None,
                weights: None,
                from_policy,
            },
            without_intent: None,
            firewall: None,
        }
    }

    /// Scores a call; `None` where no score was recorded, or the arguments are not told.
    pub(super) fn score(&self, cx: &CallContext<'_>) -> Option<Scored> {
        let Some(firewall) = &self.firewall else {
            let score = cx.call.semantic_score?;
            return Some(Scored { score, parts: None });
        };
        let found = firewall.score(cx.ready()?, cx.intent());
        Some(Scored {
            score: found.score,
            parts: Some(Parts {
                harm: found.harm,
                intent: found.intent,
                asked: found.asked,
                nearest: found.nearest,
            }),
        })
    }
}

/// Thresholds of one embedder, and the weights they hold for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Thresholds {
    /// Score from which a call is escalated.
    pub escalate: f64,
    /// Score from which a call is blocked.
    pub block: f64,
    /// Harm from which a call is escalated whatever its score; absent where harm is not known.
    pub harm_floor: Option<f64>,
    /// What closeness to the intent, and to harmless work, takes off a score; absent where scores are
    /// recorded.
    pub weights: Option<(f64, f64)>,
    /// Whether the policy says any of them; otherwise all are the embedder's own.
    pub from_policy: bool,
}
