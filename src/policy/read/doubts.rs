//! What is doubtful about a policy that can be used.

use super::reader::{Named, Reader};
use crate::number::rounded;
use crate::policy::lookalike::{self, composed};
use crate::policy::{BarrierSpec, Dcbf, Measure, Policy, PolicyWarning};
use std::cell::LazyCell;

/// Most edits between two names that are taken for a slip of the pen.
const SLIP: usize = 2;
/// Longest name that is compared, in characters.
const LONGEST: usize = 64;

/// Notes names that differ from another name of the policy by a letter or two, where a mistyped
/// name would silently protect nothing.
pub fn similar_names(r: &mut Reader<'_>) {
    let names = std::mem::take(&mut r.names);
    let spelled: Vec<Spelled<'_>> = names.iter().map(Spelled::of).collect();
    for (i, named) in spelled.iter().enumerate().filter(|(_, s)| s.named.checked) {
        let near = |other: &&Spelled<'_>| named.is_near(other);
        // Of two names that are both checked, the later one is the one to look at.
        let later = spelled[i + 1..].iter().filter(|s| !s.named.checked);
        let Some(other) = spelled[..i].iter().chain(later).find(near) else {
            continue;
        };
        let (mut slip, mut meant) = (named.named, other.named);
        let own = |named: &Named| named.at.filter(|&at| at < r.source.preset());
        // What the preset says is right.
        if own(slip).is_none() {
            std::mem::swap(&mut slip, &mut meant);
        }
        if let Some(at) = own(slip) {
            let message = match composed(&slip.name) == composed(&meant.name) {
                true => format!(
                    "`{}` differs from `{}`, which the policy names too, in Unicode form alone",
                    lookalike::spelled(&slip.name),
                    lookalike::spelled(&meant.name)
                ),
                false => format!(
                    "`{}` is close to `{}`, which the policy names too",
                    slip.name, meant.name
                ),
            };
            r.warn("similar_name", at, message);
        }
    }
    r.names = names;
}

/// A name with what makes comparing it quick: most names of a policy are nothing like each other.
struct Spelled<'n> {
    named: &'n Named,
    lower: String,
    length: usize,
    /// Which characters it has, by their number modulo 64.
    letters: u64,
}

impl<'n> Spelled<'n> {
    fn of(named: &'n Named) -> Spelled<'n> {
        let lower = composed(&named.name).to_lowercase();
        let bits = lower.chars().map(|c| 1u64 << (u32::from(c) % 64));
        Spelled {
            named,
            length: lower.chars().count(),
            letters: bits.fold(0, |all, bit| all | bit),
            lower,
        }
    }

    /// Whether this name may be a slip of the pen for the other.
    fn is_near(&self, other: &Spelled<'_>) -> bool {
        let slip = SLIP.min(self.length / 4);
        // An edit adds one character and takes one away at most.
        let unlike = (self.letters ^ other.letters).count_ones() as usize;
        self.length <= LONGEST
            && self.length.abs_diff(other.length) <= slip
            && unlike <= 2 * slip
            && self.named.name != other.named.name
            && (self.named.list.is_none() || self.named.list != other.named.list)
            && strsim::damerau_levenshtein(&self.lower, &other.lower) <= slip
    }
}

/// Doubts about the barriers: those that are negative before the first call, and privacy budgets
/// that admit no outbound call at all.
pub fn barriers(policy: &Policy) -> Vec<PolicyWarning> {
    if policy.disabled.contains(&"dcbf") {
        return Vec::new();
    }
    let mut warnings: Vec<PolicyWarning> = other_parameters(policy).collect();
    for spec in &policy.dcbf.barriers {
        let mut warn = |code, message| {
            warnings.push(PolicyWarning {
                code,
                place: spec.place,
                message,
            });
        };
        let name = &spec.name;
        if let Some(h) = greatest(spec).filter(|h| *h < 0.0) {
            let h = rounded(h);
            let message = format!("`{name}` is {h} at most in any state: every call is refused");
            warn("unsafe_at_start", message);
        }
        match initial(spec) {
            Some(h) if h.is_finite() && h >= 0.0 => {
                if let Some(tools) = never_admitted(policy, &policy.dcbf, spec, h) {
                    let message = format!(
                        "`{name}` admits no call of {tools}: the first would take it down by more than its class-K function allows"
                    );
                    warn("never_admissible", message);
                }
            }
            Some(h) if !h.is_finite() => {
                let message = format!(
                    "`{name}` less its margin is not a finite number, which counts as -1: every call is refused"
                );
                warn("unsafe_at_start", message);
            }
            Some(h) => {
                let h = rounded(h);
                let message =
                    format!("`{name}` is {h} before the first call: every call is refused");
                warn("unsafe_at_start", message);
            }
            None => {}
        }
    }
    warnings
}

/// Models that were trained on features counted by other settings.
fn other_parameters(policy: &Policy) -> impl Iterator<Item = PolicyWarning> {
    // Most policies have no models, and working it out reads expressions.
    let own = LazyCell::new(|| policy.parameters_sha256());
    policy.neural().filter_map(move |(spec, neural)| {
        let other = neural.model.metadata.parameters_sha256.as_deref();
        other.filter(|other| *other != *own).map(|_| PolicyWarning {
            code: "other_parameters",
            place: spec.place,
            message: format!(
                "barrier `{}`: its model was trained on features that count by other settings than those of this \
                 policy: windows, lists, budgets, labels, costs, tokenizer or embedder",
                spec.name
            ),
        })
    })
}

/// The barrier's value before the first call; unknown for expressions and models.
fn initial(spec: &BarrierSpec) -> Option<f64> {
    let raw = match &spec.measure {
        Measure::Safety { .. } => 1.0,
        Measure::Privacy { budget, .. } => *budget,
        Measure::Resource { limit } => limit.usd(),
        Measure::Scope { max_drift, .. } => *max_drift,
        Measure::Stability { step_budget } => *step_budget as f64,
        Measure::Custom(_) | Measure::Neural(_) => return None,
    };
    Some(raw - spec.margin)
}

/// The greatest value that a model can come to at all; unknown without bounds. What it is before the
/// first call depends on the run.
fn greatest(spec: &BarrierSpec) -> Option<f64> {
    match &spec.measure {
        Measure::Neural(neural) => {
            let (_, high) = neural.model.network.bounds()?;
            Some(high - spec.margin)
        }
        _ => None,
    }
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
