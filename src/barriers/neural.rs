//! A barrier that was learned: h is the output of a neural network over features of the state.
//!
//! Nothing makes a trained network a barrier. Whether its safe set is the one that was meant, and
//! whether calls keep to it, is known of the states that were looked at and of no others.

use super::Definition;
use crate::features;
use crate::number::rounded;
use crate::policy::neural::Neural;
use crate::policy::{Measure, Policy};
use crate::state::StateView;

pub(super) const DEFINITION: Definition = Definition {
    id: "neural",
    doc: "the output of a neural network over features of the state",
    unit: "its own",
    cause,
};

pub(super) fn raw(policy: &Policy, neural: &Neural, view: &StateView<'_>) -> f64 {
    neural
        .model
        .h(&features::of(&neural.features, policy, view))
}

/// How many features are named as the cause.
const NAMED: usize = 2;

/// Deviations from the mean below which a feature is nothing to speak of.
const NOTABLE: f64 = 1.0;

fn cause(policy: &Policy, measure: &Measure, view: &StateView<'_>, out: &mut String) {
    if let Measure::Neural(neural) = measure {
        let values = features::of(&neural.features, policy, view);
        out.push_str(&unusual(neural, &values));
    }
}

/// The features that lie farthest from what the model was trained on, in deviations from the mean.
fn unusual(neural: &Neural, values: &[f64]) -> String {
    let network = &neural.model.network;
    if !network.is_normalised() {
        // The model does not say what is usual.
        return String::new();
    }
    let far = neural.features.iter().zip(values).enumerate();
    let far = far.map(|(i, (feature, value))| (feature, value, network.normalised(i, *value)));
    let mut far: Vec<_> = far.filter(|(_, _, d)| d.abs() >= NOTABLE).collect();
    // The sort is stable: features that lie equally far stay in order.
    far.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    let named = far.iter().take(NAMED).map(|(feature, value, deviations)| {
        let side = if *deviations < 0.0 { "below" } else { "above" };
        let name = feature.described().name;
        format!(
            "{name} {} lies {} deviations {side} the mean of its model",
            shown(**value),
            distance(deviations.abs())
        )
    });
    named.collect::<Vec<_>>().join(", ")
}

/// At most four digits behind the point, and no zeros at the end.
fn shown(value: f64) -> String {
    let short = (value * 1e4).round() / 1e4;
    rounded(if short.is_finite() { short } else { value })
}

/// One digit behind the point, as long as that is worth anything.
fn distance(deviations: f64) -> String {
    if deviations < 1e6 {
        format!("{deviations:.1}")
    } else {
        format!("{deviations:.1e}")
    }
}
