//! The features that neural barriers take: numbers of a run's state, each with its name, unit and
//! range. This is the list; the room `features` computes it.
//!
//! Names, order and definitions are one version. A model says by [`sha256`] which list it was trained
//! on, and one of another list is refused: a number that means something else would be judged without
//! a word.

use super::effective::sha256;
use std::fmt::Write;

/// Version of the list. Every change of a name, of the order or of a definition is another.
pub const VERSION: &str = "gate-features/1";

/// A feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is described in the list below")]
pub enum Feature {
    Steps,
    StepRatio,
    Loops,
    Calls,
    Outbound,
    PrivacyLeft,
    PairMet,
    PairHalf,
    PairAge,
    WindowTools,
    WindowOutbound,
    Cost,
    CostRatio,
    Tokens,
    Drift,
    DriftKnown,
    PhaseIdle,
    PhasePlanning,
    PhaseActing,
    PhaseObserving,
    PhaseTerminal,
}

/// What is to be known of a feature.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// Which it is.
    pub feature: Feature,
    /// Its name in tables and models.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What it can come to: least, and greatest where there is one.
    pub range: (f64, Option<f64>),
    /// What it is, and what it is where that is not known. Part of the hash.
    pub doc: &'static str,
}

const fn row(
    feature: Feature,
    name: &'static str,
    unit: &'static str,
    range: (f64, Option<f64>),
    doc: &'static str,
) -> Described {
    Described {
        feature,
        name,
        unit,
        range,
        doc,
    }
}

const COUNT: (f64, Option<f64>) = (0.0, None);
const FLAG: (f64, Option<f64>) = (0.0, Some(1.0));

/// Every feature, in the order of tables.
pub const FEATURES: &[Described] = &[
    row(Feature::Steps, "steps", "calls", COUNT, "calls admitted"),
    row(
        Feature::StepRatio,
        "step_ratio",
        "share",
        COUNT,
        "steps / step_budget; 1 where the budget is 0",
    ),
    row(
        Feature::Loops,
        "loops",
        "calls",
        COUNT,
        "self-loops since the last observation",
    ),
    row(Feature::Calls, "calls", "calls", COUNT, "calls settled"),
    row(
        Feature::Outbound,
        "outbound",
        "calls",
        COUNT,
        "settled calls that match outbound",
    ),
    row(
        Feature::PrivacyLeft,
        "privacy_left",
        "share",
        (f64::NEG_INFINITY, Some(1.0)),
        "(budget - per_call * outbound) / budget; 0 where the budget is 0",
    ),
    row(
        Feature::PairMet,
        "pair_met",
        "flag",
        FLAG,
        "1 where both sides of a dangerous pair are among the last window calls",
    ),
    row(
        Feature::PairHalf,
        "pair_half",
        "flag",
        FLAG,
        "1 where a side of a dangerous pair is among the last window calls",
    ),
    row(
        Feature::PairAge,
        "pair_age",
        "calls",
        COUNT,
        "calls since the latest side of a dangerous pair, 0 for the latest call; window where there is none",
    ),
    row(
        Feature::WindowTools,
        "window_tools",
        "tools",
        COUNT,
        "different tools among the last window calls",
    ),
    row(
        Feature::WindowOutbound,
        "window_outbound",
        "calls",
        COUNT,
        "outbound calls among the last window calls",
    ),
    row(
        Feature::Cost,
        "cost_usd",
        "USD",
        COUNT,
        "cost of the settled calls",
    ),
    row(
        Feature::CostRatio,
        "cost_ratio",
        "share",
        COUNT,
        "cost_usd / limit_usd; 1 where the limit is 0",
    ),
    row(
        Feature::Tokens,
        "tokens",
        "tokens",
        COUNT,
        "tokens observed",
    ),
    row(
        Feature::Drift,
        "drift",
        "cosine distance",
        (0.0, Some(2.0)),
        "1 less the cosine of context and action embedding; 0 where either is missing, empty or all zeros",
    ),
    row(
        Feature::DriftKnown,
        "drift_known",
        "flag",
        FLAG,
        "1 where there are both embeddings to take the cosine of",
    ),
    row(
        Feature::PhaseIdle,
        "phase_idle",
        "flag",
        FLAG,
        "1 in phase IDLE",
    ),
    row(
        Feature::PhasePlanning,
        "phase_planning",
        "flag",
        FLAG,
        "1 in phase PLANNING",
    ),
    row(
        Feature::PhaseActing,
        "phase_acting",
        "flag",
        FLAG,
        "1 in phase ACTING",
    ),
    row(
        Feature::PhaseObserving,
        "phase_observing",
        "flag",
        FLAG,
        "1 in phase OBSERVING",
    ),
    row(
        Feature::PhaseTerminal,
        "phase_terminal",
        "flag",
        FLAG,
        "1 in phase ANSWERING, REJECTED or EXHAUSTED",
    ),
];

/// The feature of that name.
pub fn named(name: &str) -> Option<Feature> {
    let found = FEATURES.iter().find(|described| described.name == name);
    found.map(|described| described.feature)
}

impl Feature {
    /// What is known of it.
    pub fn described(self) -> &'static Described {
        let found = FEATURES.iter().find(|described| described.feature == self);
        // A test walks every feature; the first stands in for none.
        found.unwrap_or(&FEATURES[0])
    }
}

/// Whether this is the list that a model was trained on, by the version and the hash that it gives,
/// where it gives them.
pub fn is_this_list(version: Option<&str>, sha256: Option<&str>) -> bool {
    version.is_none_or(|version| version == VERSION)
        && sha256.is_none_or(|hash| hash == schema_sha256())
}

/// SHA-256 of version, names, units and definitions, in hexadecimal.
pub fn schema_sha256() -> String {
    let mut text = format!("{VERSION}\n");
    for f in FEATURES {
        let _ = writeln!(text, "{}\t{}\t{}", f.name, f.unit, f.doc);
    }
    sha256(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_found_by_its_name_and_in_range_order() {
        for described in FEATURES {
            assert_eq!(named(described.name), Some(described.feature));
            assert_eq!(described.feature.described().name, described.name);
            assert!(
                described
                    .range
                    .1
                    .is_none_or(|high| high > described.range.0)
            );
        }
    }

    /// Models carry this hash: whoever changes the list has to change its version too.
    #[test]
    fn the_list_of_this_version_does_not_change() {
        assert_eq!(
            schema_sha256(),
            "0c32324b6991aca07e417965b4a18ebd6668fdbea567be32b62426c2835a0c8f"
        );
    }
}
