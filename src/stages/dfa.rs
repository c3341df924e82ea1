//! The phase machine: calls are legal until the run is over or one of its budgets is spent.

use super::{CallContext, Finding, Notes, Stage, Verdict};
use crate::policy::Policy;
use crate::state::{AgentState, Phase};

pub(super) struct Dfa;

impl Stage for Dfa {
    fn id(&self) -> &'static str {
        "dfa"
    }

    fn doc(&self) -> &'static str {
        "is a call legal in this phase, and are the step, loop and time budgets intact?"
    }

    fn rules(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("answering", "the run has given its answer"),
            ("rejected", "the run was stopped"),
            ("exhausted", "a budget of the run is spent"),
            ("max_steps", "the run has taken `dfa.max_steps` steps"),
            (
                "max_loops",
                "more than `dfa.max_loops` calls in a row brought no observation",
            ),
            (
                "max_repeats",
                "the same call came more than `dfa.max_repeats` times in a row",
            ),
            (
                "timeout",
                "the call came later than `dfa.timeout_seconds` after the run's start",
            ),
        ]
    }

    fn precheck(&self, state: &AgentState) -> Option<Finding> {
        let (rule, reason) = match state.phase {
            Phase::Answering => ("answering", "the run has given its answer"),
            Phase::Rejected => ("rejected", "the run was stopped"),
            Phase::Exhausted => ("exhausted", "a budget of the run is spent"),
            _ => return None,
        };
        Some(Finding {
            standing: true,
            ..Finding::new(rule, reason.into())
        })
    }

    fn judge(&self, cx: &CallContext<'_>, _: &mut Notes) -> Verdict {
        let checks = [max_steps, max_loops, max_repeats, timeout];
        let denied = checks.iter().find_map(|check| check(cx));
        denied.map_or(Verdict::Pass, Verdict::Refuse)
    }

    fn after_refusals(&self, policy: &Policy, in_a_row: u64) -> Option<Phase> {
        let max = policy.dfa.max_refusals?;
        (in_a_row >= max).then_some(Phase::Rejected)
    }
}

fn exhausting(rule: &'static str, reason: String) -> Finding {
    Finding {
        exhausts: true,
        ..Finding::new(rule, reason)
    }
}

fn max_steps(cx: &CallContext<'_>) -> Option<Finding> {
    let (taken, max) = (cx.state.step_count, cx.policy.dfa.max_steps);
    (taken >= max).then(|| exhausting("max_steps", format!("{taken} of {max} steps are taken")))
}

fn max_loops(cx: &CallContext<'_>) -> Option<Finding> {
    let (loops, max) = (cx.state.loop_count, cx.policy.dfa.max_loops);
    let reason = || format!("{loops} calls in a row without an observation, {max} are allowed");
    (loops > max).then(|| exhausting("max_loops", reason()))
}

fn max_repeats(cx: &CallContext<'_>) -> Option<Finding> {
    let max = cx.policy.dfa.max_repeats?;
    let reason = || {
        format!(
            "the same call for the {} time in a row, {max} allowed",
            cx.repeats
        )
    };
    (cx.repeats > max).then(|| Finding::new("max_repeats", reason()))
}

fn timeout(cx: &CallContext<'_>) -> Option<Finding> {
    let (max, elapsed) = (cx.policy.dfa.timeout_ns?, cx.elapsed_ns?);
    let seconds = |ns: i128| ns as f64 / 1e9;
    let reason = || {
        format!(
            "{} s after the run's start, {} allowed",
            seconds(elapsed),
            seconds(max)
        )
    };
    (elapsed > max).then(|| exhausting("timeout", reason()))
}
