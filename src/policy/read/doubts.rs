//! What is doubtful about a policy that can be used.

use super::reader::{Named, Reader};
use crate::policy::{BarrierSpec, Dcbf, Measure, Policy, PolicyWarning};

/// Most edits between two names that are taken for a slip of the pen.
const SLIP: usize = 2;

/// Notes names that differ from another name of the policy by a letter or two, where a mistyped
/// name would silently protect nothing.
pub fn similar_names(r: &mut Reader<'_>) {
    let names = std::mem::take(&mut r.names);
    for (i, named) in names.iter().enumerate() {
        let Some(at) = named.at.filter(|_| named.checked) else {
            continue;
        };
        if let Some(other) = lookalike(named, &names[..i]).or_else(|| {
            // Of two names that are both checked, the later one is the one to look at.
            let later: Vec<_> = names[i + 1..]
                .iter()
                .filter(|n| !n.checked)
                .cloned()
                .collect();
            lookalike(named, &later)
        }) {
            let message = format!(
                "`{}` is close to `{other}`, which the policy names too",
                named.name
            );
            r.warn("similar_name", at, message);
        }
    }
    r.names = names;
}

fn lookalike(named: &Named, others: &[Named]) -> Option<String> {
    let name = named.name.to_lowercase();
    let length = name.chars().count();
    if length > 64 {
        return None;
    }
    others
        .iter()
        .filter(|other| other.name != named.name && other.name.chars().count() <= 64)
        .find(|other| {
            let other = other.name.to_lowercase();
            strsim::damerau_levenshtein(&name, &other) <= SLIP.min(length / 4)
        })
        .map(|other| other.name.clone())
}

/// Doubts about the barriers: those that are negative before the first call, and privacy budgets
/// that admit no outbound call at all.
pub fn barriers(policy: &Policy) -> Vec<PolicyWarning> {
    if policy.disabled.contains(&"dcbf") {
        return Vec::new();
    }
    let mut warnings = Vec::new();
    for spec in &policy.dcbf.barriers {
        let mut warn = |code, message| {
            warnings.push(PolicyWarning {
                code,
                place: spec.place,
                message,
            });
        };
        let name = &spec.name;
        match initial(spec) {
            Some(h) if h >= 0.0 => {
                if let Some(tools) = never_admitted(policy, &policy.dcbf, spec, h) {
                    let message = format!(
                        "`{name}` admits no call of {tools}: the first would take it down by more than its class-K function allows"
                    );
                    warn("never_admissible", message);
                }
            }
            Some(h) => {
                let message =
                    format!("`{name}` is {h} before the first call: every call is refused");
                warn("unsafe_at_start", message);
            }
            None => {}
        }
    }
    warnings
}

/// The barrier's value before the first call; unknown for expressions.
fn initial(spec: &BarrierSpec) -> Option<f64> {
    let raw = match &spec.measure {
        Measure::Safety { .. } => 1.0,
        Measure::Privacy { budget, .. } => *budget,
        Measure::Resource { limit } => limit.usd(),
        Measure::Scope { max_drift } => *max_drift,
        Measure::Stability { step_budget } => *step_budget as f64,
        Measure::Custom(_) => return None,
    };
    Some(raw - spec.margin)
}

/// The outbound tools, where not even the first call of them is admitted from `h`.
fn never_admitted(policy: &Policy, dcbf: &Dcbf, spec: &BarrierSpec, h: f64) -> Option<String> {
    let Measure::Privacy {
        budget,
        per_call,
        outbound,
    } = &spec.measure
    else {
        return None;
    };
    let next = budget - per_call - spec.margin;
    let alpha = spec.alpha.kappa * h.powf(spec.alpha.power);
    let patterns = &policy.matchers.get(*outbound).patterns;
    if !dcbf.verify || patterns.is_empty() || next >= h - alpha {
        return None;
    }
    let quoted: Vec<String> = patterns.iter().map(|p| format!("`{p}`")).collect();
    Some(quoted.join(", "))
}
