//! Weights and thresholds, which belong to one embedder and are never carried over to another.

/// Weights and thresholds of one embedder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bands {
    /// What closeness to the intent takes off the score, at least 0.
    pub intent_weight: f64,
    /// What closeness to harmless work takes off the score, at least 0.
    pub benign_weight: f64,
    /// From this harm on a score is at least `escalate`, whatever is taken off it.
    pub harm_floor: f64,
    /// From this score on somebody has to decide.
    pub escalate: f64,
    /// From this score on the action is refused.
    pub block: f64,
}

impl Bands {
    /// The score of these similarities, and whether `harm_floor` raised it to `escalate`.
    pub fn score(&self, harm: f64, intent: f64, benign: f64) -> (f64, bool) {
        let off = self.intent_weight * intent.max(0.0) + self.benign_weight * benign.max(0.0);
        let score = (harm - off).clamp(0.0, 1.0);
        // Harm that compares with nothing is not below the floor.
        let floored = !(harm < self.harm_floor) && score < self.escalate;
        (if floored { self.escalate } else { score }, floored)
    }
}

/// The calibrated defaults of an embedder; those of the strictest where the name is not known.
pub fn bands(_embedder: &str) -> Bands {
    Bands {
        intent_weight: 1.0,
        benign_weight: 0.5,
        harm_floor: 0.8,
        escalate: 0.3,
        block: 0.9,
    }
}
