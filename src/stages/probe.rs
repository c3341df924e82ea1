//! A stage that judges nothing and writes down the features of a call's transition, for training.
//!
//! It is no stage of the pipeline: a table of features is made by a replay of this stage alone, in
//! which every call passes and the states are those that the recording shows.

use super::action::{self, Sight};
use super::weigh::{Configured, Weighed};
use super::{CallContext, Notes, Stage, Verdict};
use crate::barriers;
use crate::features;
use crate::policy::Policy;
use crate::state::StateView;
use std::slice;

/// The stage.
pub const PROBE: &dyn Stage = &Probe;

/// A call's transition in numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Probed {
    /// Every feature of the state that the call meets, in the order of the list.
    pub features: Vec<f64>,
    /// Every feature of the simulated next state.
    pub next: Vec<f64>,
    /// Whether the five barriers hold in the state that the call meets, margins left out.
    pub safe: bool,
    /// Whether they hold in the next state.
    pub next_safe: bool,
}

struct Probe;

impl Stage for Probe {
    fn id(&self) -> &'static str {
        "probe"
    }

    fn doc(&self) -> &'static str {
        "what are the features of the state before and after the call?"
    }

    fn rules(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn judge(&self, cx: &CallContext<'_>, notes: &mut Notes) -> Verdict {
        let policy = cx.policy;
        let sight = action::sight(cx);
        let current = action::view(cx, &sight);
        let next = barriers::simulate(&current, slice::from_ref(cx.names), cx.estimate);
        notes.probed = Some(Box::new(Probed {
            features: features::row(policy, &current),
            next: features::row(policy, &next),
            safe: hold(policy, &current),
            next_safe: hold(policy, &next),
        }));
        if let Sight::Embedded(pair) = &sight {
            notes.embedded = Some(pair.clone());
        }
        Verdict::Pass
    }

    fn weigh(&self, _: &CallContext<'_>) -> Vec<Weighed> {
        Vec::new()
    }

    fn configured(&self, _: &Policy) -> Vec<Configured> {
        Vec::new()
    }
}

/// Whether each of the five is at least zero in a state.
fn hold(policy: &Policy, view: &StateView<'_>) -> bool {
    policy.dcbf.features.five().iter().all(|measure| {
        let raw = barriers::raw(policy, measure, view);
        raw.is_ok_and(|raw| raw >= 0.0)
    })
}
