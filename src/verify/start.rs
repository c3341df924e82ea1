//! What barriers are before the first call of a run.

use super::reach::counts_only;
use super::soundness::shown;
use crate::barriers;
use crate::policy::semantic::Scores;
use crate::policy::{BarrierSpec, Measure, Policy, PolicyWarning};
use crate::state::{AgentState, RunView};

/// Code of the warning about a barrier that is negative before the first call.
const CODE: &str = "unsafe_at_start";

/// The value of a barrier before the first call, by the barrier itself; absent for models, and for
/// expressions that ask for more than counts of calls, steps and cost: there it depends on the run.
pub fn value(policy: &Policy, spec: &BarrierSpec) -> Option<f64> {
    let known = match &spec.measure {
        Measure::Custom(expr) => counts_only(expr),
        Measure::Neural(_) => false,
        _ => true,
    };
    let state = AgentState::default();
    known.then(|| barriers::value(policy, spec, &state.view(RunView::default())).0)
}

/// Expressions that are negative before the first call, in policy order. Of the other barriers that is
/// told when the policy is read.
pub fn unsafe_at_start(policy: &Policy) -> Vec<PolicyWarning> {
    let warn = |spec: &BarrierSpec| {
        let custom = matches!(spec.measure, Measure::Custom(_));
        let h = value(policy, spec).filter(|h| custom && *h < 0.0)?;
        Some(PolicyWarning {
            code: CODE,
            place: spec.place,
            message: format!(
                "`{}` is {} before the first call: every call is refused",
                spec.name,
                shown(h)
            ),
        })
    };
    let barriers = policy.dcbf.barriers.iter();
    barriers
        .filter(|_| policy.runs("dcbf"))
        .filter_map(warn)
        .collect()
}

/// The same warning for whoever was given another start: it is about a fresh one. What a model comes to in
/// any state is so from every start.
pub fn of_fresh_start(policy: &Policy, warning: PolicyWarning) -> PolicyWarning {
    let mut barriers = policy.dcbf.barriers.iter();
    let anywhere = |spec: &BarrierSpec| {
        matches!(spec.measure, Measure::Neural(_)) && spec.place == warning.place
    };
    if warning.code != CODE || barriers.any(anywhere) {
        return warning;
    }
    PolicyWarning {
        message: format!("from a fresh start {}", warning.message),
        ..warning
    }
}

/// Whether the semantic stage refuses whatever comes as far: every score reaches its threshold, and every
/// call has one. Recorded scores may be missing.
pub fn every_score_blocks(policy: &Policy) -> bool {
    let semantic = policy.semantic.as_ref().map(|semantic| &semantic.scores);
    let Some(Scores::Computed(computed)) = semantic.filter(|_| policy.runs("semantic")) else {
        return false;
    };
    let blocks = |asked| computed.bands.thresholds(asked).block <= 0.0;
    blocks(true) && blocks(false)
}
