//! The phase machine: calls are legal until the run is over or one of its budgets is spent.

use super::weigh::{All, Amount, At, Configured, First, Known, ON, Walk, Walked, Weighed};
use super::{CallContext, Finding, Notes, Stage, Verdict};
use crate::policy::{Dfa as Limits, Policy};
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
        let ended = ENDS.iter().find(|(phase, ..)| *phase == state.phase);
        ended.map(|(_, rule, reason)| over(rule, reason))
    }

    fn judge(&self, cx: &CallContext<'_>, _: &mut Notes) -> Verdict {
        First::of(cx.policy, |first| budgets(cx, first))
    }

    fn weigh(&self, cx: &CallContext<'_>) -> Vec<Weighed> {
        All::of(cx, |all| {
            phases(cx, all)?;
            budgets(cx, all)
        })
    }

    fn configured(&self, policy: &Policy) -> Vec<Configured> {
        let Limits {
            max_repeats,
            timeout_ns,
            ..
        } = &policy.dfa;
        let ends = ENDS.iter().map(|(_, rule, _)| end(rule));
        let rules = ends
            .chain([STEPS, LOOPS])
            .chain(max_repeats.map(|_| REPEATS))
            .chain(timeout_ns.map(|_| TIMEOUT));
        rules.map(|rule| rule.configured(policy)).collect()
    }

    fn after_refusals(&self, policy: &Policy, in_a_row: u64) -> Option<Phase> {
        let max = policy.dfa.max_refusals?;
        (in_a_row >= max).then_some(Phase::Rejected)
    }
}

/// Phases in which no call is legal, the rule that says so, and why.
const ENDS: [(Phase, &str, &str); 3] = [
    (
        Phase::Answering,
        "answering",
        "the run has given its answer",
    ),
    (Phase::Rejected, "rejected", "the run was stopped"),
    (
        Phase::Exhausted,
        "exhausted",
        "a budget of the run is spent",
    ),
];

const STEPS: Known<'static> = Known::one("max_steps", &["dfa"], "max_steps");
const LOOPS: Known<'static> = Known::one("max_loops", &["dfa"], "max_loops");
const REPEATS: Known<'static> = Known::one("max_repeats", &["dfa"], "max_repeats");
const TIMEOUT: Known<'static> = Known::one("timeout", &["dfa"], "timeout_seconds");

/// The rule about such a phase, which no policy sets.
fn end(rule: &'static str) -> Known<'static> {
    Known {
        rule,
        name: &"",
        at: At::Line(0),
        met: None,
        measured: None,
    }
}

fn over(rule: &'static str, reason: &str) -> Finding {
    Finding {
        standing: true,
        ..Finding::new(rule, reason.into())
    }
}

fn phases(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    let phase = cx.state.phase;
    for (terminal, rule, reason) in ENDS {
        let verdict = match phase == terminal {
            true => Verdict::Refuse(Box::new(over(rule, reason))),
            false => Verdict::Pass,
        };
        let seen = format_args!("phase {}", phase.as_str());
        walk.tried(end(rule), &seen, verdict)?;
    }
    ON
}

fn budgets(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    max_steps(cx, walk)?;
    max_loops(cx, walk)?;
    max_repeats(cx, walk)?;
    timeout(cx, walk)
}

/// Passes while the budget lasts, and ends the run where it does not.
fn exhaust_unless(lasts: bool, why: impl FnOnce() -> String) -> Verdict {
    match lasts {
        true => Verdict::Pass,
        false => {
            let mut finding = Finding::why(why());
            finding.exhausts = true;
            Verdict::Refuse(finding)
        }
    }
}

fn max_steps(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    let (taken, max) = (cx.state.step_count, cx.policy.dfa.max_steps);
    walk.tried(
        STEPS.on(Amount::Count(taken)),
        &format_args!("step {} of {max}", taken.saturating_add(1)),
        exhaust_unless(taken < max, || format!("{taken} of {max} steps are taken")),
    )
}

fn max_loops(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    let (loops, max) = (cx.state.loop_count, cx.policy.dfa.max_loops);
    walk.tried(
        LOOPS.on(Amount::Count(loops)),
        &format_args!("{loops} of {max} calls in a row without an observation"),
        exhaust_unless(loops <= max, || {
            format!("{loops} calls in a row without an observation, {max} are allowed")
        }),
    )
}

fn max_repeats(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    let Some(max) = cx.policy.dfa.max_repeats else {
        return ON;
    };
    let repeats = cx.repeats;
    walk.tried(
        REPEATS.on(Amount::Count(repeats)),
        &format_args!("the same call {repeats} of {max} times in a row"),
        Verdict::refuse_unless(repeats <= max, || {
            format!("the same call for the {repeats} time in a row, {max} allowed")
        }),
    )
}

fn timeout(cx: &CallContext<'_>, walk: &mut impl Walk) -> Walked {
    let (Some(max), Some(elapsed)) = (cx.policy.dfa.timeout_ns, cx.elapsed_ns) else {
        return ON;
    };
    let seconds = |ns: i128| ns as f64 / 1e9;
    let (at, most) = (seconds(elapsed), seconds(max));
    walk.tried(
        TIMEOUT.on(Amount::Span(elapsed)),
        &format_args!("{at} s after the run's start, of {most}"),
        exhaust_unless(elapsed <= max, || {
            format!("{at} s after the run's start, {most} allowed")
        }),
    )
}
