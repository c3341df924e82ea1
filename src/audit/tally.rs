//! Counting: decisions, notices and runs to the summary.

use super::coverage::Counting;
use super::summary::{
    BarrierSummary, Extreme, LabelCount, Nearest, RateSummary, RuleCount, RunRefusals, Summary,
    Violations,
};
use crate::engine::decision::{Decision, DecisionKind, Reading};
use crate::engine::{Counted, Final, RunReport};
use crate::policy::Policy;
use crate::trace::fault::{Notice, NoticeKind};
use crate::verify::clusters::Clusters;
use crate::verify::robustness::{Approach, Scales, distance};
use crate::verify::stats::{Rate, wilson};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What has been counted so far. Its size depends on the tools and runs with refusals, not on the
/// calls.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    summary: Summary,
    rules: BTreeMap<(usize, &'static str, &'static str), u64>,
    stages: Vec<&'static str>,
    /// What the values of barriers are compared by; absent where nobody said.
    scales: Option<Scales>,
    /// Place in the list of refusals of the latest run of each id, which is the only one that may go on.
    refusals: HashMap<Arc<str>, usize>,
    /// Calls that may not run.
    refused: u64,
    runs_with_root: u64,
    root: Clusters,
    standing: Clusters,
    both: Clusters,
    coverage: Option<Counting>,
}

impl Tally {
    /// Nothing counted yet, for barriers of these names and a pipeline of these stages.
    pub fn new(barriers: impl IntoIterator<Item = String>, stages: Vec<&'static str>) -> Tally {
        let named = |name| BarrierSummary {
            name,
            ..BarrierSummary::default()
        };
        Tally {
            summary: Summary {
                barriers: barriers.into_iter().map(named).collect(),
                complete: true,
                ..Summary::default()
            },
            stages,
            ..Tally::default()
        }
    }

    /// The same, which also tells of labels of these names where no call has one.
    pub fn with_labels(mut self, names: impl IntoIterator<Item = String>) -> Tally {
        let nothing = |name| (name, LabelCount::default());
        self.summary.labels.extend(names.into_iter().map(nothing));
        self
    }

    /// The same, which also counts what calls that are weighed say of the policy.
    pub fn with_coverage(mut self, policy: &Policy) -> Tally {
        self.coverage = Some(Counting::of(policy));
        self
    }

    /// The same, which also tells how near runs come to a refusal by these scales of the barriers.
    pub fn with_scales(mut self, scales: Scales) -> Tally {
        self.scales = Some(scales);
        self
    }

    /// The summary under way.
    pub fn summary(&mut self) -> &mut Summary {
        &mut self.summary
    }

    /// A decision is listed.
    pub fn listed(&mut self) {
        self.summary.counts.listed += 1;
    }

    /// Counts what is only counted.
    pub fn count(&mut self, what: Counted) {
        match what {
            Counted::Result { costed } => {
                self.summary.counts.results += 1;
                self.summary.uncosted += u64::from(!costed);
            }
            Counted::Repeat => self.summary.counts.repeats += 1,
            Counted::Doubted => self.summary.counts.inconclusive_runs += 1,
        }
    }

    /// Counts a decision.
    pub fn decision(&mut self, decided: &Final) {
        let decision = &decided.decision;
        let summary = &mut self.summary;
        summary.counts.calls += 1;
        summary.decisions.add(decision.kind);
        count(&mut summary.tools, &decision.tool, |c| c.add(decision.kind));
        if let Some(rule) = decision.rule {
            let stage = decision.stage.unwrap_or("labels");
            let place = self
                .stages
                .iter()
                .position(|s| *s == stage)
                .unwrap_or(usize::MAX);
            *self.rules.entry((place, stage, rule)).or_default() += 1;
        }
        self.refused += u64::from(decision.is_refused());
        summary.hazards += u64::from(!decision.hazard.is_empty());
        summary.drift += u64::from(decision.is_drift());
        summary.recorded += u64::from(decision.recorded.is_some());
        summary.counterfactual += u64::from(decision.counterfactual);
        summary.scored += u64::from(decision.semantic_score.is_some());
        summary.scored_without_intent += u64::from(decided.without_intent);
        summary.unscored += u64::from(decided.unscored);
        summary.scope_inert += u64::from(decided.scope_inert);
        summary.unknown_arguments += u64::from(decision.args_unknown);
        summary.concurrent += u64::from(decided.concurrent);
        if !decided.named {
            count(&mut summary.unnamed_tools, &decision.tool, |c| *c += 1);
        }
        if !decided.mediated {
            count(&mut summary.unmediated, &decision.tool, |c| *c += 1);
        }
        for label in &decision.labels {
            count(&mut summary.labels, label, |c| c.add(&decision.tool));
        }
        if let (Some(coverage), Some(weighed)) = (&mut self.coverage, &decided.weighed) {
            coverage.add(weighed, decision);
        }
        self.barriers(decision);
    }

    fn barriers(&mut self, decision: &Decision) {
        let mut lower = false;
        for (barrier, reading) in self.summary.barriers.iter_mut().zip(&decision.barriers) {
            lower |= least(&mut barrier.least_h, reading.h, decision);
            lower |= match reading.slack {
                Some(slack) => least(&mut barrier.least_slack, slack, decision),
                None => reading.next.is_some(),
            };
        }
        if lower {
            // No other call came nearer than all before.
            self.approach(decision);
        }
        let at_zero = |reading: &Reading| reading.next == Some(0.0);
        let boundary = decision.admitted && decision.barriers.iter().any(at_zero);
        self.summary.boundary += u64::from(boundary);
        let violations = &mut self.summary.violations;
        if decision.is_violation() {
            let which = if decision.standing {
                &mut violations.standing
            } else {
                &mut violations.root
            };
            *which += 1;
        }
        for &index in &decision.broken {
            let Some(barrier) = self.summary.barriers.get_mut(index) else {
                continue;
            };
            let which = if decision.standing {
                &mut barrier.standing
            } else {
                &mut barrier.root
            };
            *which += 1;
        }
        for &index in &decision.hazard {
            if let Some(barrier) = self.summary.barriers.get_mut(index) {
                barrier.hazards += 1;
            }
        }
    }

    /// Takes note of a call that may have come nearer a refusal than all before.
    #[cold]
    fn approach(&mut self, decision: &Decision) {
        let Some(scales) = &self.scales else { return };
        let distances = decision.barriers.iter();
        let distances = distances.map(|reading| distance(reading.h, reading.next, reading.slack));
        let Some(measured) = scales.least(distances) else {
            return;
        };
        let order = self.summary.counts.calls;
        let approach = Approach { measured, order };
        let known = self.summary.nearest.as_ref();
        if approach.is_nearer(known.map(|known| &known.approach)) {
            let at = met(measured.value, decision);
            self.summary.nearest = Some(Nearest { approach, at });
        }
    }

    /// Counts a fault or a warning.
    pub fn notice(&mut self, notice: &Notice) {
        let summary = &mut self.summary;
        let (count, codes) = match notice.kind {
            NoticeKind::Fault(_) => (&mut summary.counts.faults, &mut summary.fault_codes),
            NoticeKind::Warning(_) => (&mut summary.counts.warnings, &mut summary.warning_codes),
        };
        *count += 1;
        *codes.entry(notice.kind.code()).or_default() += 1;
        if *count <= Summary::LISTED as u64 {
            summary.notices.push(notice.clone());
        }
    }

    /// Counts a run that is over.
    pub fn run(&mut self, report: &RunReport) {
        let counts = &mut self.summary.counts;
        counts.inconclusive_runs += u64::from(report.inconclusive);
        if !report.continues {
            // What comes after the end of a run comes to no barrier.
            counts.runs += 1;
            self.runs_with_root += u64::from(report.root > 0);
            self.root.add(report.judged, report.root);
            self.standing.add(report.judged, report.standing);
            self.both
                .add(report.judged, report.root.saturating_add(report.standing));
        }
        if report.refused > 0 {
            self.refusals(report);
        } else if !report.continues && !self.refusals.is_empty() {
            // What is listed of an earlier run of that id is not that of this one.
            self.refusals.remove(&report.id);
        }
    }

    /// Lists the refusals of a run, or brings up to date what was listed of it.
    fn refusals(&mut self, report: &RunReport) {
        let list = &mut self.summary.refusals;
        let known = self.refusals.get(&report.id).filter(|_| report.continues);
        if let Some(listed) = known.and_then(|&place| list.get_mut(place)) {
            (listed.refused, listed.calls) = (report.refused, report.calls);
            return;
        }
        self.refusals.insert(Arc::clone(&report.id), list.len());
        list.push(RunRefusals {
            input: report.input,
            run: report.id.to_string(),
            refused: report.refused,
            calls: report.calls,
        });
    }

    /// The summary with everything that follows from the counts.
    pub fn finish(mut self) -> Summary {
        let runs = self.summary.counts.runs;
        let clustered = |clusters: &Clusters| clustered(clusters, runs);
        self.summary.violations = Violations {
            runs: per_run(self.runs_with_root, runs),
            root_rate: clustered(&self.root),
            standing_rate: clustered(&self.standing),
            rate: clustered(&self.both),
            ..self.summary.violations
        };
        let rules = std::mem::take(&mut self.rules);
        let count = |((_, stage, rule), count)| RuleCount { stage, rule, count };
        self.summary.rules = rules.into_iter().map(count).collect();
        self.summary.coverage = self.coverage.take().map(Counting::finish);
        self.summary.broken_laws = broken_laws(&self.summary, self.refused);
        self.summary
    }
}

/// Counts under a name. One that is known already takes no allocation.
fn count<T: Default>(counts: &mut BTreeMap<String, T>, name: &str, add: impl FnOnce(&mut T)) {
    match counts.get_mut(name) {
        Some(count) => add(count),
        None => add(counts.entry(name.to_owned()).or_default()),
    }
}

/// Keeps the least value and where it was met; of equals the first. Says whether it is this one.
#[inline]
fn least(extreme: &mut Option<Extreme>, value: f64, decision: &Decision) -> bool {
    match extreme {
        Some(least) if least.value <= value => false,
        _ => {
            *extreme = Some(met(value, decision));
            true
        }
    }
}

/// A value that is less than all before it: rare, so that it stays out of the way of those that are not.
#[cold]
fn met(value: f64, decision: &Decision) -> Extreme {
    Extreme {
        value,
        input: decision.input,
        line: decision.line,
        run: decision.run.to_string(),
        call: decision.call.clone(),
    }
}

fn per_run(hits: u64, of: u64) -> RateSummary {
    RateSummary {
        hits,
        of,
        rate: Rate::new(hits, of).rate,
        interval: wilson(hits, of),
        design_effect: None,
        approximate: of < FEW_RUNS,
    }
}

/// Runs under which an interval is only approximate.
const FEW_RUNS: u64 = 30;

fn clustered(clusters: &Clusters, runs: u64) -> RateSummary {
    let Some(rate) = clusters.rate() else {
        return RateSummary {
            approximate: runs < FEW_RUNS,
            ..RateSummary::default()
        };
    };
    RateSummary {
        hits: rate.hits,
        of: rate.of,
        rate: Some(rate.rate),
        interval: Some(rate.interval),
        design_effect: Some(rate.design_effect),
        approximate: rate.approximate,
    }
}

/// The laws of bookkeeping, checked by the program on itself.
fn broken_laws(summary: &Summary, refused: u64) -> Vec<String> {
    let c = &summary.counts;
    let laws = [
        (
            c.lines == c.records + c.blank + c.faulty,
            "lines = records + blank + faulty",
        ),
        (summary.decisions.total() == c.calls, "calls = decisions"),
        (
            summary.tools.values().map(|t| t.total()).sum::<u64>() == c.calls,
            "calls = calls of all tools",
        ),
        (
            (summary.labels.values()).all(|l| l.tools.values().sum::<u64>() == l.calls),
            "calls of a label = its calls of all tools",
        ),
        (
            summary.fault_codes.values().sum::<u64>() == c.faults,
            "faults = faults of all codes",
        ),
        (
            summary.rules.iter().map(|r| r.count).sum::<u64>()
                == c.calls - summary.decisions.of(DecisionKind::Allow),
            "calls that were not allowed = decisions of all rules",
        ),
        (
            (summary.refusals.iter())
                .map(|run| run.refused)
                .sum::<u64>()
                == refused,
            "calls that may not run = those of all runs",
        ),
        (
            summary.coverage.as_ref().is_none_or(|coverage| {
                let decided = coverage.rules.iter().map(|rule| rule.met.decided);
                decided.sum::<u64>() == c.calls - summary.decisions.of(DecisionKind::Allow)
            }),
            "calls that were not allowed = calls that rules of the policy decided",
        ),
    ];
    laws.iter()
        .filter(|(holds, _)| !holds)
        .map(|(_, law)| law.to_string())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// Whatever values come, some of them equal but for what rounding leaves.
    #[test]
    fn the_nearest_call_is_the_first_of_all() {
        let mut random = Random::new(9);
        let scales = Scales::new(&[0.9, 0.5, 10.0]);
        for _ in 0..2000 {
            let mut tally = Tally::new(["a", "b", "c"].map(str::to_owned), Vec::new());
            tally = tally.with_scales(scales.clone());
            let mut first: Option<Approach> = None;
            for order in 1..=1 + random.below(12) as u64 {
                let mut value = |barrier: usize| {
                    let value = scales.of(barrier) * (random.below(5) as f64 - 1.0) / 4.0;
                    match random.below(3) {
                        0 => value.next_down(),
                        _ => value,
                    }
                };
                let mut reading = |barrier: usize| {
                    let (h, next, slack) = (value(barrier), value(barrier), value(barrier));
                    let simulated = h > 0.0;
                    Reading {
                        h,
                        next: simulated.then_some(next),
                        slack: simulated.then_some(slack),
                    }
                };
                let decision = Decision {
                    line: order,
                    barriers: vec![reading(0), reading(1), reading(2)],
                    ..Decision::default()
                };
                let near = |r: &Reading| distance(r.h, r.next, r.slack);
                let measured = scales.least(decision.barriers.iter().map(near));
                let measured = measured.expect("three barriers");
                let approach = Approach { measured, order };
                if approach.is_nearer(first.as_ref()) {
                    first = Some(approach);
                }
                tally.decision(&Final {
                    decision,
                    ..Final::default()
                });
            }
            let told = tally.finish().nearest.map(|nearest| nearest.approach);
            assert_eq!(told, first);
        }
    }
}
