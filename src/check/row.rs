//! What is said of one barrier.

use super::binds::{self, Binds};
use super::dead::Dead;
use super::limits;
use super::permits::Permits;
use super::sentences;
use super::tools::Tools;
use crate::barriers::definition;
use crate::policy::{Alpha, BarrierSpec, Measure, Policy, PolicyPlace};
use crate::trace::money::Nano;
use crate::verify::range::Range;
use crate::verify::reach::Reach;
use crate::verify::soundness::{self, Soundness};
use crate::verify::start;

/// One barrier of a policy.
#[derive(Clone, Debug)]
pub struct BarrierRow {
    /// Its name. The user's own barriers may be called anything.
    pub name: String,
    /// Unit of its values.
    pub unit: &'static str,
    /// Where it is set; line 0 where it is a default.
    pub place: PolicyPlace,
    /// Its class-K function.
    pub alpha: Alpha,
    /// Its value before the first call; absent where that depends on the run.
    pub start: Option<f64>,
    /// What it can attain, its margin subtracted.
    pub range: Range,
    /// Whether admitted calls keep it from turning negative; absent where the next state is not looked
    /// at (`verify = false`), so that any call from inside is admitted.
    pub soundness: Option<Soundness>,
    /// How many calls it admits that each lower it by what the policy charges; absent where there is
    /// no such charge, or where the policy refuses every call.
    pub calls: Option<Permits>,
    /// The part of its budget that no call can use.
    pub stranded: Option<Stranded>,
    /// What it permits in practice, a sentence each; nothing where the policy refuses every call.
    pub permits: Vec<String>,
    /// Whether it can refuse a call at all.
    pub binds: Binds,
}

/// A part of a budget that no call can use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stranded {
    /// How much, in the unit of the barrier.
    pub left: f64,
    /// Of how much.
    pub of: f64,
    /// How much of what is left could be used were alpha(h) = h.
    pub by_alpha: f64,
}

impl BarrierRow {
    /// Finds out about a barrier.
    pub(super) fn of(
        policy: &Policy,
        spec: &BarrierSpec,
        tools: &Tools,
        dead: Option<&Dead>,
    ) -> BarrierRow {
        let range = Range::of(spec);
        let used = dead.is_none() && limits::is_used(policy, spec, tools);
        let calls = limits::calls(policy, spec).filter(|_| used);
        let stranded = calls.and_then(|calls| stranded(policy, spec, calls));
        BarrierRow {
            name: spec.name.clone(),
            unit: definition(&spec.measure).unit,
            place: spec.place,
            alpha: spec.alpha,
            start: start::value(policy, spec),
            range,
            soundness: policy.dcbf.verify.then(|| soundness::of(spec)),
            permits: match dead {
                None => sentences::of(policy, spec, calls, stranded),
                Some(_) => Vec::new(),
            },
            binds: binds::of(policy, spec, tools, dead),
            calls,
            stranded,
        }
    }
}

impl BarrierRow {
    /// Takes in what an exploration knows: a way out of the safe set that it found is one. That it found none
    /// proves nothing: recordings tell of other costs than the default, and of labels of their own.
    pub(super) fn explored(&mut self, reach: &Reach) {
        let Some(found) = self.soundness else {
            return;
        };
        let by_path = reach.out.as_ref().and_then(|out| out.exit(&self.name));
        let least = reach.attained(&self.name).map(|attained| attained.least);
        self.soundness = Some(match (found, by_path) {
            (_, Some(exit)) => Soundness::Exits(exit),
            (Soundness::Possible(exit), None)
                if reach.cut.is_none() && least.is_some_and(|least| least >= 0.0) =>
            {
                Soundness::Unseen(exit)
            }
            (found, None) => found,
        });
    }
}

/// What is left of a budget when the last call has been admitted.
fn stranded(policy: &Policy, spec: &BarrierSpec, calls: Permits) -> Option<Stranded> {
    let Permits::Calls(admitted) = calls else {
        return None;
    };
    let of = limits::after(policy, spec, 0).filter(|start| *start > 0.0)?;
    let plain = BarrierSpec {
        alpha: Alpha {
            kappa: 1.0,
            power: 1.0,
        },
        ..spec.clone()
    };
    let could = match limits::calls(policy, &plain)? {
        Permits::Calls(n) => n,
        _ => admitted,
    };
    let found = match spec.measure {
        Measure::Resource { limit } => {
            let most = limit.0.saturating_sub(nano(spec.margin));
            let estimate = policy.dcbf.per_call_cost.0;
            let left = |k: u64| most.saturating_sub(estimate.saturating_mul(k.into()));
            let (left, could) = (left(admitted), left(could));
            let by_alpha = left.saturating_sub(could).max(0);
            Stranded {
                left: Nano(left).usd(),
                of: Nano(most).usd(),
                by_alpha: Nano(by_alpha).usd(),
            }
        }
        _ => {
            let noticed = |part: f64| if part > noise(spec, of) { part } else { 0.0 };
            let left = limits::after(policy, spec, admitted)?;
            let could = limits::after(policy, spec, could)?;
            Stranded {
                left: noticed(left),
                of,
                by_alpha: noticed(left - could),
            }
        }
    };
    (found.left > 0.0).then_some(found)
}

/// How far what is left of a budget may be off by rounding. Steps and money are counted in integers, and
/// rounded once, with their margin; a sum of floats is off by less than a billionth.
pub(super) fn noise(spec: &BarrierSpec, of: f64) -> f64 {
    match spec.measure {
        Measure::Resource { .. } | Measure::Stability { .. } => {
            4.0 * f64::EPSILON * (of.abs() + spec.margin.abs())
        }
        _ => of * 1e-9,
    }
}

/// The nearest amount of whole nano-dollars, which money is counted in.
fn nano(usd: f64) -> i128 {
    (usd * 1e9).round() as i128
}
