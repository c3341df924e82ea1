//! What a barrier permits in practice, in sentences.

use super::limits;
use super::permits::{Permits, Rule};
use super::row::{Stranded, noise};
use crate::barriers::level::{Level, value_at};
use crate::number::rounded;
use crate::policy::matcher::MatcherId;
use crate::policy::{BarrierSpec, Measure, Policy};
use crate::trace::money::Nano;

/// What the barrier permits.
pub(super) fn of(
    policy: &Policy,
    spec: &BarrierSpec,
    calls: Option<Permits>,
    stranded: Option<Stranded>,
) -> Vec<String> {
    let mut said = match &spec.measure {
        Measure::Safety { window, pairs } => safety(policy, spec, *window, pairs),
        Measure::Privacy { .. } => calls.map(|n| in_all(n, "outbound ")).into_iter().collect(),
        Measure::Resource { limit } => resource(policy, spec, *limit, calls),
        Measure::Stability { .. } => calls.map(|n| in_all(n, "")).into_iter().collect(),
        Measure::Scope { max_drift, .. } => scope(spec, *max_drift),
        Measure::Custom(_) | Measure::Neural(_) => Vec::new(),
    };
    said.extend(calls.and_then(|calls| leaves(policy, spec, calls)));
    said.extend(
        stranded
            .zip(calls)
            .map(|(part, calls)| left(policy, spec, calls, part)),
    );
    said
}

/// Said where the last call that is admitted turns the barrier negative.
fn leaves(policy: &Policy, spec: &BarrierSpec, calls: Permits) -> Option<String> {
    let Permits::Calls(last) = calls else {
        return None;
    };
    let h = limits::after(policy, spec, last)?;
    (last > 0 && h < 0.0)
        .then(|| "the last of them leaves the safe set: then every call is refused".to_owned())
}

/// How many calls of a kind a run may have.
fn in_all(calls: Permits, kind: &str) -> String {
    match calls {
        Permits::Calls(0) => format!("no {kind}call at all"),
        Permits::Unlimited => calls.of(kind),
        n => format!("{}, then none for the rest of the run", n.of(kind)),
    }
}

fn resource(
    policy: &Policy,
    spec: &BarrierSpec,
    limit: Nano,
    calls: Option<Permits>,
) -> Vec<String> {
    let estimate = policy.dcbf.per_call_cost;
    let mut said = Vec::new();
    if policy.dcbf.record_costs {
        let sum = match calls {
            Some(Permits::Calls(n)) => {
                let sum = Nano(estimate.0.saturating_mul(n.into()));
                match spec.margin < 0.0 {
                    // More than the limit may be spent.
                    true => format!(
                        ", {sum} of {} USD, the limit of {limit} less a margin of {}",
                        rounded(limit.usd() - spec.margin),
                        rounded(spec.margin)
                    ),
                    false => format!(", {sum} of {limit} USD"),
                }
            }
            _ => String::new(),
        };
        let number = calls.map_or("no calls".into(), |calls| calls.of(""));
        said.push(format!(
            "{number} at the default estimate of {estimate} USD{sum}"
        ));
    } else if calls == Some(Permits::Calls(0)) {
        said.push(format!(
            "no call at the default estimate of {estimate} USD, recorded costs are not added up"
        ));
    } else {
        said.push("any number of calls: recorded costs are not added up".into());
    }
    if let Some(most) = most_at_first(policy, spec) {
        said.push(format!(
            "the first call may be estimated at {most} USD at most"
        ));
    }
    said
}

/// The greatest estimate that the barrier admits of a first call, where its function leaves less than
/// the barrier starts with. The next value never rises with the estimate, so that those which are
/// admitted lie below those which are not.
fn most_at_first(policy: &Policy, spec: &BarrierSpec) -> Option<Nano> {
    let Rule::Next(alpha) = limits::rule(policy, spec) else {
        return None;
    };
    let after = |spent: i128| value_at(spec, Level::Spent(Nano(spent)));
    let start = after(0);
    let admitted = |spent: i128| alpha.admits(start, after(spent));
    if !(start > 0.0 && alpha.at(start) < start && admitted(0)) {
        return None;
    }
    let mut above = 1i128;
    while admitted(above) {
        above = above.checked_mul(2)?;
    }
    let mut most = above / 2;
    while above - most > 1 {
        let middle = most + (above - most) / 2;
        match admitted(middle) {
            true => most = middle,
            false => above = middle,
        }
    }
    Some(Nano(most))
}

fn safety(
    policy: &Policy,
    spec: &BarrierSpec,
    window: usize,
    pairs: &[(MatcherId, MatcherId)],
) -> Vec<String> {
    let start = 1.0 - spec.margin;
    let broken = -1.0 - spec.margin;
    let rule = limits::rule(policy, spec);
    let named = |id: MatcherId| {
        let patterns = policy.matchers.get(id).patterns.iter();
        let quoted: Vec<String> = patterns.map(|p| format!("`{p}`")).collect();
        quoted.join(" or ")
    };
    let told = |&(a, b): &(MatcherId, MatcherId)| {
        let (one, other) = (named(a), named(b));
        match window {
            1 => format!("no call that is both {one} and {other}"),
            2 => format!("after {one} no {other} as the next call, nor the other way round"),
            n => {
                let next = n - 1;
                format!("after {one} no {other} in the next {next} calls, nor the other way round")
            }
        }
    };
    if broken >= 0.0 {
        return Vec::new();
    }
    let mut said: Vec<String> = pairs.iter().map(told).collect();
    if rule.admits(start, broken) && !pairs.is_empty() {
        said.push(
            "the call that completes a pair is let through: then every call is refused".into(),
        );
    }
    said
}

fn scope(spec: &BarrierSpec, max_drift: f64) -> Vec<String> {
    let most = rounded(max_drift - spec.margin);
    let of = match &spec.measure {
        Measure::Scope {
            embed: Some(embedder),
            ..
        } => format!(", as `{}` embeds both", embedder.id()),
        _ => String::new(),
    };
    vec![format!(
        "calls no farther than {most} from what was asked{of}"
    )]
}

/// What is left that no call can use.
fn left(policy: &Policy, spec: &BarrierSpec, calls: Permits, part: Stranded) -> String {
    let (left, of) = (rounded(part.left), rounded(part.of));
    let unit = match &spec.measure {
        Measure::Resource { .. } => " USD",
        Measure::Stability { .. } => " steps",
        _ => "",
    };
    let (kappa, power) = (rounded(spec.alpha.kappa), rounded(spec.alpha.power));
    let function = match spec.alpha.power == 1.0 {
        true => format!("kappa {kappa}"),
        false => format!("kappa {kappa} and power {power}"),
    };
    let mut said = format!("{left} of {of}{unit} can never be used");
    if part.by_alpha > 0.0 {
        let share = match part.by_alpha == part.left {
            true => String::new(),
            false => format!("{} of it ", rounded(part.by_alpha)),
        };
        said += &format!(", {share}because of {function}");
    }
    let Permits::Calls(last) = calls else {
        return said;
    };
    let next = limits::after(policy, spec, last.saturating_add(1));
    if next.is_some_and(|next| next < 0.0 && next > -noise(spec, part.of)) {
        said += ": the next call would take it below zero, by rounding alone";
    }
    said
}
