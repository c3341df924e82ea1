//! Coverage of the policy, in the summary record.

use super::parts::position;
use super::tally::Keyed;
use crate::audit::coverage::{Coverage, Met, RuleCoverage};
use serde::Serialize;

/// What the calls say of the policy.
#[derive(Debug, Serialize)]
pub struct CoverageRecord<'a> {
    stages: Keyed<'a, Counts>,
    rules: Vec<Rule<'a>>,
}

#[derive(Debug, Serialize)]
struct Counts {
    evaluated: u64,
    decided: u64,
    stops: u64,
    unique: u64,
}

#[derive(Debug, Serialize)]
struct Rule<'a> {
    stage: &'static str,
    rule: &'static str,
    name: &'a str,
    /// Null where it is a default or a preset's.
    policy_line: Option<usize>,
    /// Null but for label rules.
    given: Option<u64>,
    #[serde(flatten)]
    counts: Counts,
}

impl<'a> CoverageRecord<'a> {
    /// The record of a coverage.
    pub fn new(coverage: &'a Coverage) -> Self {
        let stages = coverage.stages.iter();
        CoverageRecord {
            stages: Keyed(stages.map(|s| (s.stage, counts(&s.met))).collect()),
            rules: coverage.rules.iter().map(rule).collect(),
        }
    }
}

fn counts(met: &Met) -> Counts {
    Counts {
        evaluated: met.evaluated,
        decided: met.decided,
        stops: met.stops,
        unique: met.unique,
    }
}

fn rule(rule: &RuleCoverage) -> Rule<'_> {
    Rule {
        stage: rule.stage,
        rule: rule.rule,
        name: &rule.name,
        policy_line: position(rule.policy_line),
        given: rule.given,
        counts: counts(&rule.met),
    }
}
