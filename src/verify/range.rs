//! What values a barrier can attain, and by how much one call can lower it.

use crate::barriers::level::{Level, value_at};
use crate::policy::{BarrierSpec, Measure};

/// What a barrier can attain, its margin subtracted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Any value up to `high`, and any drop in one call that does not lead below `low`.
    Continuum {
        /// Greatest value.
        high: f64,
        /// Least value; negative infinity where there is none.
        low: f64,
    },
    /// The same, and -1 where it cannot be computed, which is what such a barrier counts as, whatever
    /// its margin.
    Fallible {
        /// Greatest value.
        high: f64,
        /// Least value that is computed; negative infinity where there is none.
        low: f64,
    },
    /// `top`, `top - step`, `top - 2 step` and so on, one step a call.
    Lattice {
        /// Greatest value.
        top: f64,
        /// Drop of one call, positive.
        step: f64,
    },
    /// One of two values.
    Two {
        /// The greater.
        high: f64,
        /// The lesser.
        low: f64,
    },
    /// Always the same value.
    Constant(f64),
    /// Whatever an expression, or a model without bounds, comes to, -1 among it.
    Unknown,
}

impl Range {
    /// What the barrier can attain.
    pub fn of(barrier: &BarrierSpec) -> Range {
        let margin = barrier.margin;
        match &barrier.measure {
            Measure::Safety { .. } => Range::Two {
                high: 1.0 - margin,
                low: -1.0 - margin,
            },
            Measure::Privacy {
                budget, per_call, ..
            } if *per_call > 0.0 => Range::Lattice {
                top: budget - margin,
                step: *per_call,
            },
            Measure::Privacy { budget, .. } => Range::Constant(budget - margin),
            Measure::Resource { limit } => Range::Continuum {
                high: limit.usd() - margin,
                low: f64::NEG_INFINITY,
            },
            // A cosine distance lies between 0 and 2; of embeddings of two lengths, or of arguments that
            // are not told, it is none.
            Measure::Scope { max_drift, .. } => Range::Fallible {
                high: max_drift - margin,
                low: max_drift - 2.0 - margin,
            },
            Measure::Stability { step_budget } => Range::Lattice {
                top: *step_budget as f64 - margin,
                step: 1.0,
            },
            Measure::Custom(_) => Range::Unknown,
            // What the last layer can make of activations that are bounded. How far one call can take
            // it is not known. A feature that is no number, or too large for the layers, makes h none.
            Measure::Neural(neural) => match neural.model.network.bounds() {
                Some((low, high)) => Range::Fallible {
                    high: high - margin,
                    low: low - margin,
                },
                None => Range::Unknown,
            },
        }
    }

    /// Greatest value; absent where it is not known.
    pub fn high(self) -> Option<f64> {
        match self {
            Range::Continuum { high, .. }
            | Range::Fallible { high, .. }
            | Range::Two { high, .. } => Some(high),
            Range::Lattice { top, .. } => Some(top),
            Range::Constant(value) => Some(value),
            Range::Unknown => None,
        }
    }
}

/// The value of a barrier on a lattice after so many calls that each take a step, to the last bit as the
/// barrier computes it; absent for other barriers.
fn after_steps(barrier: &BarrierSpec, steps: u64) -> Option<f64> {
    let level = match &barrier.measure {
        Measure::Privacy { .. } => Level::Outbound(steps),
        Measure::Stability { .. } => Level::Steps(steps),
        _ => return None,
    };
    Some(value_at(barrier, level))
}

/// The values of a barrier on a lattice before and after the step that leads below zero; absent for other
/// barriers, and where it starts there or no number of steps leads there. They never rise with the steps,
/// so that there is one such step at most.
pub fn last_step_out(barrier: &BarrierSpec) -> Option<(f64, f64)> {
    let value = |steps: u64| after_steps(barrier, steps);
    let inside = |steps: u64| value(steps).is_some_and(|h| h >= 0.0);
    if !inside(0) {
        return None;
    }
    let mut below = 1u64;
    while inside(below) {
        below = below.checked_mul(2)?;
    }
    let mut last = below / 2;
    while below - last > 1 {
        let middle = last + (below - last) / 2;
        match inside(middle) {
            true => last = middle,
            false => below = middle,
        }
    }
    Some((value(last)?, value(below)?))
}
