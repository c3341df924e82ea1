//! Discrete control barrier functions: a call passes if the state is inside the safe set and the
//! simulated next state keeps every barrier above its floor.

use super::action::{self, Sight};
use super::weigh::{All, At, Configured, Known, ON, Walk, Weighed};
use super::{CallContext, Finding, Notes, Siblings, Stage, Verdict};
use crate::barriers::level::{self, Transition};
use crate::barriers::{self, Check};
use crate::number::{push_rounded, rounded};
use crate::policy::{BarrierSpec, Dcbf as Settings, Measure, Policy};
use crate::state::StateView;
use crate::trace::money::Nano;
use std::fmt::Display;
use std::{mem, slice};

pub(super) struct Dcbf;

impl Stage for Dcbf {
    fn id(&self) -> &'static str {
        "dcbf"
    }

    fn doc(&self) -> &'static str {
        "does the transition keep every barrier inside the safe set?"
    }

    fn rules(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("outside_safe_set", "a barrier is negative before the call"),
            (
                "forward_invariance",
                "a barrier would fall below what its class-K function allows",
            ),
        ]
    }

    fn judge(&self, cx: &CallContext<'_>, notes: &mut Notes) -> Verdict {
        let policy = cx.policy;
        let sight = action::sight(cx);
        let current = action::view(cx, &sight);
        if let Sight::Embedded(pair) = &sight {
            notes.embedded = Some(pair.clone());
        }
        let next = barriers::simulate(&current, slice::from_ref(cx.names), cx.estimate);
        let (room, after) = (
            mem::take(&mut notes.barriers),
            policy.dcbf.verify.then_some(&next),
        );
        let mut check = barriers::check_within(room, policy, &current, after);
        notes.composite = barriers::composite(policy, check.current());
        notes.scope_inert = scope_is_inert(policy, &current);
        let finding = if !check.outside.is_empty() {
            Some(outside(cx, &current, &mut check, &sight))
        } else if !check.broken.is_empty() {
            Some(leaving(policy, &next, &mut check))
        } else {
            None
        };
        notes.barriers = check.steps;
        if let Some(finding) = finding {
            return Verdict::Refuse(Box::new(finding));
        }
        if let Some(siblings) = cx.siblings {
            notes.hazard = hazard(cx, siblings, &current);
        }
        Verdict::Pass
    }

    /// Every barrier by itself: before the call, and after it where it is not negative before. A
    /// state that is outside for one barrier is not looked beyond by the verdict; here the others
    /// tell what they would say without that one.
    fn weigh(&self, cx: &CallContext<'_>) -> Vec<Weighed> {
        let policy = cx.policy;
        let sight = action::sight(cx);
        let current = action::view(cx, &sight);
        let next = barriers::simulate(&current, slice::from_ref(cx.names), cx.estimate);
        All::of(cx, |all| {
            let specs = &policy.dcbf.barriers;
            let before: Vec<f64> = specs
                .iter()
                .map(|spec| barriers::value(policy, spec, &current).0)
                .collect();
            for (spec, &h) in specs.iter().zip(&before) {
                let mut low = String::new();
                if !h.ge(&0.0) {
                    why(policy, spec, &current, &mut low);
                }
                let seen = format_args!("h {}{low}", Rounded(h));
                let verdict = Verdict::refuse_unless(h >= 0.0, String::new);
                all.tried(known("outside_safe_set", spec), &seen, verdict)?;
            }
            let inside = specs.iter().zip(&before).filter(|(_, h)| **h >= 0.0);
            for (spec, &h) in inside.filter(|_| policy.dcbf.verify) {
                let after = barriers::value(policy, spec, &next).0;
                let admitted = spec.alpha.admits(h, after);
                let floor = Rounded(spec.alpha.floor(h).unwrap_or(f64::INFINITY));
                let mut low = String::new();
                if !admitted {
                    why(policy, spec, &next, &mut low);
                }
                let (h, after) = (Rounded(h), Rounded(after));
                let seen = format_args!("h {h}, next {after}, floor {floor}{low}");
                let verdict = Verdict::refuse_unless(admitted, String::new);
                all.tried(known("forward_invariance", spec), &seen, verdict)?;
            }
            ON
        })
    }

    fn transitions(&self, cx: &CallContext<'_>) -> Vec<Transition> {
        let policy = cx.policy;
        let sight = action::sight(cx);
        let current = action::view(cx, &sight);
        let next = barriers::simulate(&current, slice::from_ref(cx.names), cx.estimate);
        let specs = policy.dcbf.barriers.iter();
        let transition = |spec| level::transition(policy, spec, &current, &next);
        specs.map(transition).collect()
    }

    fn values(&self, policy: &Policy, view: &StateView<'_>) -> Vec<f64> {
        barriers::values(policy, view)
    }

    fn configured(&self, policy: &Policy) -> Vec<Configured> {
        let Settings {
            barriers, verify, ..
        } = &policy.dcbf;
        let before = barriers.iter().map(|spec| known("outside_safe_set", spec));
        let after = barriers.iter().filter(|_| *verify);
        let after = after.map(|spec| known("forward_invariance", spec));
        let rules = before.chain(after);
        rules.map(|rule| rule.configured(policy)).collect()
    }
}

/// A number for people, where they ask.
struct Rounded(f64);

impl Display for Rounded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&rounded(self.0))
    }
}

fn known<'p>(rule: &'static str, spec: &'p BarrierSpec) -> Known<'p> {
    Known {
        rule,
        name: &spec.name,
        at: At::Line(spec.place.line),
        met: None,
        measured: None,
    }
}

fn scope_is_inert(policy: &Policy, view: &StateView<'_>) -> bool {
    let zero = |v: Option<&[f64]>| v.is_none_or(|v| v.iter().all(|&x| x == 0.0));
    let scoped = |m: &Measure| matches!(m, Measure::Scope { .. });
    policy
        .dcbf
        .barriers
        .iter()
        .any(|spec| scoped(&spec.measure))
        && !view.untold
        && (zero(view.context) || zero(view.action))
}

fn outside(
    cx: &CallContext<'_>,
    current: &StateView<'_>,
    check: &mut Check,
    sight: &Sight,
) -> Finding {
    let policy = cx.policy;
    // Without the call's embeddings the state may have been inside: then the call is the root.
    let standing = {
        let recorded = cx.call.context_embedding.is_some() || cx.call.action_embedding.is_some();
        let own = recorded || *sight != Sight::Recorded;
        !own || !barriers::negative(&barriers::values(policy, &cx.standing_view())).is_empty()
    };
    let first = check.outside[0];
    let spec = &policy.dcbf.barriers[first];
    let mut reason = beginning(&spec.name);
    reason.push_str(" is ");
    push_rounded(check.steps[first].h, &mut reason);
    reason.push_str(" before the call");
    why(policy, spec, current, &mut reason);
    Finding {
        policy_line: spec.place.line,
        broken: mem::take(&mut check.outside),
        standing,
        ..Finding::new("outside_safe_set", reason)
    }
}

fn leaving(policy: &Policy, next: &StateView<'_>, check: &mut Check) -> Finding {
    let first = check.broken[0];
    let spec = &policy.dcbf.barriers[first];
    let after = check.steps[first].next.unwrap_or(f64::NAN);
    let mut reason = beginning(&spec.name);
    reason.push_str(" would fall from ");
    push_rounded(check.steps[first].h, &mut reason);
    reason.push_str(" to ");
    push_rounded(after, &mut reason);
    why(policy, spec, next, &mut reason);
    Finding {
        policy_line: spec.place.line,
        broken: mem::take(&mut check.broken),
        ..Finding::new("forward_invariance", reason)
    }
}

/// Room for a reason, which mostly is no longer.
const REASON: usize = 96;

/// A reason so far. It is put together piece by piece: a run that is outside has one a call.
fn beginning(barrier: &str) -> String {
    let mut reason = String::with_capacity(REASON);
    reason.push_str(barrier);
    reason
}

/// Appends what makes the barrier low in that state, after a colon; nothing where there is nothing to say.
fn why(policy: &Policy, spec: &BarrierSpec, view: &StateView<'_>, out: &mut String) {
    let before = out.len();
    out.push_str(": ");
    let begins = out.len();
    match barriers::value(policy, spec, view).1 {
        Some(failure) => out.push_str(&failure),
        None => (barriers::definition(&spec.measure).cause)(policy, &spec.measure, view, out),
    }
    if out.len() == begins {
        out.truncate(before);
    }
}

/// The barriers that would refuse the call had its in-flight siblings settled first.
fn hazard(cx: &CallContext<'_>, siblings: &Siblings, current: &StateView<'_>) -> Vec<usize> {
    let before = StateView {
        history: &siblings.history,
        cost: Nano(current.cost.0.saturating_add(siblings.estimate.0)),
        ..current.clone()
    };
    let next = barriers::simulate(&before, slice::from_ref(cx.names), cx.estimate);
    let verify = cx.policy.dcbf.verify;
    let joint = barriers::check(cx.policy, &before, verify.then_some(&next));
    joint.refusing().to_vec()
}
