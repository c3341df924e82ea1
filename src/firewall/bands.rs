//! Weights and thresholds, which belong to one embedder and are never carried over to another.

/// Scores from which something is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// From this score on somebody has to decide.
    pub escalate: f64,
    /// From this score on the action is refused; at least `escalate`.
    pub block: f64,
}

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
    /// The same for actions without a usable intent: nothing is taken off their score for closeness
    /// to one, so that it lies higher.
    pub without_intent: Thresholds,
}

impl Bands {
    /// The thresholds that hold for an action, by whether it is held against an intent.
    pub fn thresholds(&self, asked: bool) -> Thresholds {
        match asked {
            true => Thresholds {
                escalate: self.escalate,
                block: self.block,
            },
            false => self.without_intent,
        }
    }

    /// The score of these similarities, and whether `harm_floor` raised it to `escalate`; `intent` is
    /// absent where there is none. An `escalate` above 1 is out of reach of the floor too.
    pub fn score(&self, harm: f64, intent: Option<f64>, benign: f64) -> (f64, bool) {
        let escalate = self.thresholds(intent.is_some()).escalate;
        let near = intent.unwrap_or(0.0);
        let off = self.intent_weight * near.max(0.0) + self.benign_weight * benign.max(0.0);
        let score = (harm - off).clamp(0.0, 1.0);
        let below = score < escalate;
        let floored = below && escalate <= 1.0 && harm >= self.harm_floor;
        (if floored { escalate } else { score }, floored)
    }
}

/// The calibrated defaults of an embedder, as docs/semantic.md tells; those of the default embedder
/// where the name is not known.
pub fn bands(embedder: &str) -> Bands {
    let (asked, unasked) = match embedder {
        "hash" => ((0.25, 0.75), (0.3, 0.85)),
        "minilm" => ((0.25, 0.65), (0.38, 0.86)),
        _ => ((0.3, 0.55), (0.54, 0.79)),
    };
    let (escalate, block) = unasked;
    Bands {
        intent_weight: 0.5,
        benign_weight: 0.25,
        harm_floor: 0.8,
        escalate: asked.0,
        block: asked.1,
        without_intent: Thresholds { escalate, block },
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
            for of in [true, false].map(|asked| bands.thresholds(asked)) {
                assert!(0.0 < of.escalate && of.escalate < of.block && of.block <= 1.0);
                assert!(of.escalate < bands.harm_floor && bands.harm_floor <= 1.0);
            }
            // Nothing is taken off for an intent, so that scores lie higher.
            assert!(bands.escalate < bands.without_intent.escalate);
            assert!(bands.intent_weight >= 0.0 && bands.benign_weight >= 0.0);
        }
    }

    #[test]
    fn the_floor_escalates_and_nothing_compares_with_no_number() {
        let bands = bands("static");
        assert_eq!(bands.score(0.9, Some(1.0), 1.0), (bands.escalate, true));
        let high = Bands {
            without_intent: Thresholds {
                escalate: 0.6,
                block: 0.9,
            },
            ..bands
        };
        assert_eq!(high.score(0.8, None, 1.0), (0.6, true));
        assert_eq!(bands.score(0.7, Some(1.0), 1.0), (0.0, false));
        assert_eq!(bands.score(1.5, Some(-1.0), -1.0), (1.0, false));
        let never = Bands {
            escalate: 2.0,
            block: 3.0,
            ..bands
        };
        assert_eq!(never.score(0.9, Some(1.0), 0.0), (0.4, false));
        let (score, _) = bands.score(f64::NAN, None, 0.0);
        assert!(
            score.is_nan(),
            "the stage refuses what compares with nothing"
        );
    }
}
