//! What is to be said of a policy before anything is replayed under it: whether its barriers keep the
//! safe set, what they permit in practice, which of its limits ends a run first, and rules that can
//! never decide anything, hide behind others or contradict each other.
//!
//! Nothing here is guessed. A rule is called dead or shadowed only where that follows from the policy
//! alone, whatever is replayed; where it does not, nothing is said.

pub mod binds;
pub mod codes;
mod dead;
pub mod limits;
mod patterns;
pub mod permits;
pub mod row;
mod rules;
mod sentences;
mod tools;

use crate::policy::Policy;
use crate::verify::reach::{self, Limits, Reach};
use crate::verify::soundness::{self, Soundness};
use crate::verify::start::{of_fresh_start, unsafe_at_start};
pub use codes::{Code, Finding};
pub use dead::Dead;
use limits::{Condition, Limit};
use row::BarrierRow;

/// What was found out about a policy.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// Why every call is refused; absent where some call may be admitted.
    pub dead: Option<Dead>,
    /// A row a barrier, in policy order.
    pub barriers: Vec<BarrierRow>,
    /// What can end a run, or keep it from spending on, that with the fewest calls first; nothing where
    /// every call is refused.
    pub limits: Vec<Limit>,
    /// What else refuses calls as a run goes on, and is not counted in them, in pipeline order; nothing
    /// where every call is refused.
    pub conditions: Vec<Condition>,
    /// Warnings of the policy, unsound class-K functions and findings about its rules, by place.
    pub findings: Vec<Finding>,
    /// What it can reach; absent where nobody asked for it.
    pub reach: Option<Reach>,
}

/// How far a deadlock is looked for where nobody asked for it.
const NEAR: Limits = Limits {
    states: 2_000,
    transitions: 40_000,
    work: 20_000_000,
};

/// Looks at a policy, and at what it was found to reach. Without that only a deadlock that is near is
/// looked for.
pub fn check(policy: &Policy, reach: Option<Reach>) -> CheckReport {
    let tools = tools::Tools::of(policy);
    let rows = policy.dcbf.barriers.iter();
    let from_state = reach.as_ref().is_some_and(|reach| reach.from_state);
    let near = reach::near(policy, NEAR);
    let mut reasons = dead::reasons(policy, &near, NEAR);
    if from_state {
        for reason in &mut reasons {
            reason.of_fresh_start();
        }
    }
    let rows = rows.map(|spec| BarrierRow::of(policy, spec, &tools, reasons.first()));
    let mut barriers: Vec<BarrierRow> = rows.collect();
    if let Some(reach) = &reach {
        for row in &mut barriers {
            row.explored(reach);
        }
    }
    let judged = barriers.iter().zip(&policy.dcbf.barriers);
    let unsound = judged.filter_map(|(row, spec)| {
        let by_alpha = soundness::of(spec);
        // A way out that is not by its function, but by a result, is told with the exploration.
        let found = row.soundness.filter(|_| by_alpha != Soundness::Sound);
        soundness::warning(policy, spec, found.unwrap_or(by_alpha))
    });
    let starts = policy
        .warnings
        .iter()
        .cloned()
        .chain(unsafe_at_start(policy));
    let starts = starts.map(|warning| match from_state {
        true => of_fresh_start(policy, warning),
        false => warning,
    });
    let mut findings: Vec<Finding> = starts.chain(unsound).map(Into::into).collect();
    let reached = match &reach {
        Some(reach) => reach.warnings(policy),
        None => near.doubts,
    };
    findings.extend(reached.into_iter().map(Into::into));
    findings.extend(rules::found(policy, &tools, &barriers, &reasons));
    findings.sort_by_key(|finding| (finding.place.line, finding.place.column));
    let (limits, conditions) = match reasons.is_empty() {
        true => (limits::of(policy, &tools), limits::conditions(policy)),
        false => (Vec::new(), Vec::new()),
    };
    CheckReport {
        dead: reasons.into_iter().next(),
        limits,
        conditions,
        reach,
        barriers,
        findings,
    }
}

impl CheckReport {
    /// What the barriers permit in a run, a sentence each, in policy order.
    pub fn permitted(&self) -> Vec<String> {
        if let Some(dead) = &self.dead {
            return vec![dead.told()];
        }
        let rows = self.barriers.iter();
        let of = |row: &BarrierRow, said: &String| format!("{}: {said}", row.name);
        let sentences = rows.flat_map(|row| row.permits.iter().map(move |said| of(row, said)));
        sentences.collect()
    }
}
