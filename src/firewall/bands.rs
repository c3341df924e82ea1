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
    /// The score of these similarities, and whether `harm_floor` raised it to `escalate`. An `escalate`
    /// above 1 is out of reach of the floor too.
    pub fn score(&self, harm: f64, intent: f64, benign: f64) -> (f64, bool) {
        let off = self.intent_weight * intent.max(0.0) + self.benign_weight * benign.max(0.0);
        let score = (harm - off).clamp(0.0, 1.0);
        let below = score < self.escalate;
        let floored = below && self.escalate <= 1.0 && harm >= self.harm_floor;
        (if floored { self.escalate } else { score }, floored)
    }
}

/// The calibrated defaults of an embedder, as docs/semantic.md tells; those of the default embedder
/// where the name is not known.
pub fn bands(embedder: &str) -> Bands {
    let (intent_weight, benign_weight, escalate, block) = match embedder {
        "hash" => (0.5, 0.25, 0.25, 0.75),
        "minilm" => (0.5, 0.25, 0.25, 0.65),
        _ => (0.5, 0.25, 0.3, 0.55),
    };
    Bands {
        intent_weight,
        benign_weight,
        harm_floor: 0.8,
        escalate,
        block,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::EMBEDDERS;

    #[test]
    fn every_embedder_has_sound_thresholds() {
        for id in EMBEDDERS.iter().map(|definition| definition.id) {
            let bands = bands(id);
            assert!(0.0 < bands.escalate && bands.escalate < bands.block && bands.block <= 1.0);
            assert!(bands.escalate < bands.harm_floor && bands.harm_floor <= 1.0);
            assert!(bands.intent_weight >= 0.0 && bands.benign_weight >= 0.0);
        }
    }

    #[test]
    fn the_floor_escalates_and_nothing_compares_with_no_number() {
        let bands = bands("static");
        assert_eq!(bands.score(0.9, 1.0, 1.0), (bands.escalate, true));
        assert_eq!(bands.score(0.7, 1.0, 1.0), (0.0, false));
        assert_eq!(bands.score(1.5, -1.0, -1.0), (1.0, false));
        let never = Bands {
            escalate: 2.0,
            block: 3.0,
            ..bands
        };
        assert_eq!(never.score(0.9, 1.0, 0.0), (0.4, false));
        let (score, _) = bands.score(f64::NAN, 0.0, 0.0);
        assert!(
            score.is_nan(),
            "the stage refuses what compares with nothing"
        );
    }
}
