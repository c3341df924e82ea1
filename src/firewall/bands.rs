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
