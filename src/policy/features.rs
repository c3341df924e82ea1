//! The features that neural barriers take: numbers of a run's state, each with its name, unit and
//! range. This is the list; the room `features` computes it.
//!
//! Names, order and definitions are one version. A model says by [`sha256`] which list it was trained
//! on, and one of another list is refused: a number that means something else would be judged without
//! a word.

use super::effective::sha256;
use super::matcher::{MatcherId, Scope};
use super::{Measure, Policy};
use crate::embed::Embedder;
use crate::trace::money::Nano;
use std::fmt::Write;
use std::sync::Arc;

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

/// What the features count by: the settings of the barriers of the default table, also where those are
/// switched off, or replaced by a model.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// Calls looked back at, at least 1.
    pub window: usize,
    /// Dangerous pairs; absent until [`Policy::count_features`] where `safety` is measured otherwise.
    pub pairs: Option<Vec<(MatcherId, MatcherId)>>,
    /// Outbound calls; absent likewise where `privacy` is measured otherwise.
    pub outbound: Option<MatcherId>,
    /// Budget of outbound calls.
    pub budget: f64,
    /// What one of them takes of it.
    pub per_call: f64,
    /// Dollars of a run.
    pub limit: Nano,
    /// Greatest drift. No feature goes by it, only whether the five barriers hold.
    pub max_drift: f64,
    /// What embeds intents and calls whose record does not; absent means nothing does.
    pub embed: Option<Arc<dyn Embedder>>,
    /// Steps of a run.
    pub step_budget: u64,
}

impl Parameters {
    /// Takes over what a barrier of the default table measures by.
    pub fn take(&mut self, measure: &Measure) {
        match measure {
            Measure::Safety { window, pairs } => {
                self.window = *window;
                self.pairs = Some(pairs.clone());
            }
            Measure::Privacy {
                budget,
                per_call,
                outbound,
            } => {
                (self.budget, self.per_call) = (*budget, *per_call);
                self.outbound = Some(*outbound);
            }
            Measure::Resource { limit } => self.limit = *limit,
            Measure::Scope { max_drift, embed } => {
                self.max_drift = *max_drift;
                self.embed = embed.clone();
            }
            Measure::Stability { step_budget } => self.step_budget = *step_budget,
            Measure::Custom(_) | Measure::Neural(_) => {}
        }
    }

    /// The five measures that they are the settings of, in the order of the default table.
    pub fn five(&self) -> [Measure; 5] {
        [
            Measure::Safety {
                window: self.window,
                pairs: self.pairs.clone().unwrap_or_default(),
            },
            Measure::Privacy {
                budget: self.budget,
                per_call: if self.outbound.is_some() {
                    self.per_call
                } else {
                    0.0
                },
                outbound: self.outbound.unwrap_or(MatcherId(u16::MAX)),
            },
            Measure::Resource { limit: self.limit },
            Measure::Scope {
                max_drift: self.max_drift,
                embed: self.embed.clone(),
            },
            Measure::Stability {
                step_budget: self.step_budget,
            },
        ]
    }
}

impl Policy {
    /// Has runs remember what the features count. `pairs` and `outbound` are those of the defaults,
    /// where barriers that are measured otherwise do not say.
    pub fn count_features(&mut self, pairs: &[(&str, &str)], outbound: &[&str]) {
        let matchers = &mut self.matchers;
        let mut list = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            matchers.add(names, Scope::Names).ok()
        };
        let parameters = &mut self.dcbf.features;
        if parameters.pairs.is_none() {
            let both = pairs
                .iter()
                .filter_map(|(a, b)| Some((list(&[a])?, list(&[b])?)));
            parameters.pairs = Some(both.collect());
        }
        if parameters.outbound.is_none() {
            parameters.outbound = list(outbound);
        }
        let outbound = parameters.outbound;
        self.recent = self.recent.max(parameters.window);
        self.tallied
            .extend(outbound.filter(|id| !self.tallied.contains(id)));
        self.features_counted = true;
    }

    /// Whether a list that features count by names this label.
    fn counts_label(&self, label: &str) -> bool {
        let p = &self.dcbf.features;
        let pairs = p.pairs.iter().flatten().flat_map(|&(a, b)| [a, b]);
        let mut lists = pairs.chain(p.outbound).map(|id| self.matchers.get(id));
        lists.any(|list| list.matches("", &[label]))
    }

    /// SHA-256 of what the features count by, in hexadecimal: the same features under other settings
    /// are other numbers.
    pub fn parameters_sha256(&self) -> String {
        let p = &self.dcbf.features;
        let patterns = |id: &MatcherId| self.matchers.get(*id).patterns.join("\t");
        let mut text = format!(
            "window {}\nbudget {:?}\nper_call {:?}\nlimit_usd {}\nstep_budget {}\n",
            p.window, p.budget, p.per_call, p.limit, p.step_budget
        );
        let (tokenizer, costs) = (self.gates.tokenizer.name(), self.dcbf.record_costs);
        let _ = writeln!(text, "tokenizer {tokenizer}\nrecord_costs {costs}");
        for (a, b) in p.pairs.iter().flatten() {
            let _ = writeln!(text, "pair {}\t{}", patterns(a), patterns(b));
        }
        let outbound = p.outbound.as_ref().map(patterns);
        let _ = writeln!(text, "outbound {}", outbound.unwrap_or_default());
        if let Some(embedder) = &p.embed {
            let data = embedder.sha256().unwrap_or_default();
            let _ = writeln!(text, "embed {} {data}", embedder.id());
        }
        for rule in &self.labels {
            let when = rule.when.as_ref().map_or("", |expr| expr.source());
            let tools = rule.tools.as_ref().map(patterns).unwrap_or_default();
            if self.counts_label(&rule.label) {
                let _ = writeln!(text, "label {}\t{tools}\t{when}", rule.label);
            }
        }
        sha256(text.as_bytes())
    }
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
