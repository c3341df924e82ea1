//! What is to be said of a policy before anything is replayed under it: whether its barriers keep the
//! safe set, what they permit in practice, which of its limits ends a run first, and rules that can
//! never decide anything, hide behind others or contradict each other.
//!
//! Nothing here is guessed. A rule is called dead or shadowed only where that follows from the policy
//! alone, whatever is replayed; where it does not, nothing is said.

pub mod binds;
pub mod codes;
pub mod limits;
mod patterns;
pub mod permits;
pub mod row;
mod rules;
mod sentences;
mod tools;

use crate::policy::Policy;
use crate::verify::soundness::unsound_alpha;
pub use codes::{Code, Finding};
use limits::Limit;
use row::BarrierRow;

/// What was found out about a policy.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// A row a barrier, in policy order.
    pub barriers: Vec<BarrierRow>,
    /// What can end a run, or keep it from spending on, that with the fewest calls first.
    pub limits: Vec<Limit>,
    /// Warnings of the policy, unsound class-K functions and findings about its rules, by place.
    pub findings: Vec<Finding>,
}

/// Looks at a policy.
pub fn check(policy: &Policy) -> CheckReport {
    let tools = tools::Tools::of(policy);
    let rows = policy.dcbf.barriers.iter();
    let barriers: Vec<BarrierRow> = rows
        .map(|spec| BarrierRow::of(policy, spec, &tools))
        .collect();
    let mut findings: Vec<Finding> = policy.warnings.iter().cloned().map(Into::into).collect();
    findings.extend(unsound_alpha(policy).into_iter().map(Into::into));
    findings.extend(rules::found(policy, &tools, &barriers));
    findings.sort_by_key(|finding| (finding.place.line, finding.place.column));
    CheckReport {
        limits: limits::of(policy),
        barriers,
        findings,
    }
}

/// What the policy's barriers permit in a run, a sentence each, in policy order.
pub fn permitted(policy: &Policy) -> Vec<String> {
    let rows = check(policy).barriers.into_iter();
    let sentences = rows.flat_map(|row| {
        let name = row.name;
        let of = move |sentence| format!("{name}: {sentence}");
        row.permits.into_iter().map(of)
    });
    sentences.collect()
}
