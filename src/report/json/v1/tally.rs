//! The parts of the summary that count: by kind, by rule, by tool, by barrier, by run.

use super::parts::{Bounds, bounds};
use crate::audit::summary as audit;
use crate::engine::decision::DecisionKind;
use crate::report::Header;
use crate::report::number::Number;
use serde::{Serialize, Serializer};

/// An object whose keys keep their order.
#[derive(Debug)]
pub struct Keyed<'a, T>(pub Vec<(&'a str, T)>);

impl<T: Serialize> Serialize for Keyed<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// Decisions by kind, stage, rule and tool.
#[derive(Debug, Serialize)]
pub struct Decisions<'a> {
    by_kind: Keyed<'a, u64>,
    by_stage: Keyed<'a, u64>,
    by_rule: Keyed<'a, Keyed<'a, u64>>,
    by_tool: Keyed<'a, Keyed<'a, u64>>,
}

/// Refusals by barriers.
#[derive(Debug, Serialize)]
pub struct Violations {
    root: u64,
    standing: u64,
    runs: Rate,
    root_rate: Rate,
    standing_rate: Rate,
    rate: Rate,
}

#[derive(Debug, Serialize)]
struct Rate {
    hits: u64,
    of: u64,
    rate: Option<Number>,
    interval_95: Option<Bounds>,
    design_effect: Option<Number>,
    approximate: bool,
}

/// A barrier over the whole audit.
#[derive(Debug, Serialize)]
pub struct Barrier<'a> {
    least_h: Option<Extreme<'a>>,
    least_slack: Option<Extreme<'a>>,
    root: u64,
    standing: u64,
    hazards: u64,
}

#[derive(Debug, Serialize)]
struct Extreme<'a> {
    value: Number,
    file: &'a str,
    line: u64,
    run: &'a str,
    call: &'a str,
}

/// Refused calls of a run.
#[derive(Debug, Serialize)]
pub struct Refusals<'a> {
    file: &'a str,
    run: &'a str,
    refused: u64,
    calls: u64,
}

/// Decisions by kind, stage, rule and tool.
pub fn decisions(summary: &audit::Summary) -> Decisions<'_> {
    let tools = summary.tools.iter();
    Decisions {
        by_kind: kinds(&summary.decisions),
        by_stage: by_stage(&summary.rules),
        by_rule: by_rule(&summary.rules),
        by_tool: Keyed(tools.map(|(tool, c)| (tool.as_str(), kinds(c))).collect()),
    }
}

/// What is counted of every label.
pub fn labels<'a, T>(
    summary: &'a audit::Summary,
    counted: impl Fn(&'a audit::LabelCount) -> T,
) -> Keyed<'a, T> {
    let labels = summary.labels.iter();
    Keyed(
        labels
            .map(|(name, label)| (name.as_str(), counted(label)))
            .collect(),
    )
}

/// The barriers by name.
pub fn barriers<'a>(summary: &'a audit::Summary, header: &'a Header) -> Keyed<'a, Barrier<'a>> {
    let barriers = summary.barriers.iter();
    Keyed(
        barriers
            .map(|b| (b.name.as_str(), barrier(b, header)))
            .collect(),
    )
}

/// The nearest that any run came to a refusal.
#[derive(Debug, Serialize)]
pub struct Nearest<'a> {
    barrier: &'a str,
    value: Number,
    scaled: Number,
    file: &'a str,
    line: u64,
    run: &'a str,
    call: &'a str,
}

/// The nearest that any run came to a refusal.
pub fn nearest<'a>(nearest: &'a audit::Nearest, header: &'a Header) -> Nearest<'a> {
    let (measured, at) = (&nearest.approach.measured, &nearest.at);
    Nearest {
        barrier: header.barrier(measured.barrier),
        value: Number(at.value),
        scaled: Number(measured.scaled),
        file: header.input(at.input),
        line: at.line,
        run: &at.run,
        call: &at.call,
    }
}

fn kinds(counts: &audit::KindCounts) -> Keyed<'static, u64> {
    let kinds = DecisionKind::ALL.iter();
    Keyed(kinds.map(|&k| (k.as_str(), counts.of(k))).collect())
}

fn by_stage(rules: &[audit::RuleCount]) -> Keyed<'static, u64> {
    let mut stages: Vec<(&'static str, u64)> = Vec::new();
    for rule in rules {
        match stages.iter_mut().find(|(stage, _)| *stage == rule.stage) {
            Some((_, count)) => *count += rule.count,
            None => stages.push((rule.stage, rule.count)),
        }
    }
    Keyed(stages)
}

fn by_rule(rules: &[audit::RuleCount]) -> Keyed<'static, Keyed<'static, u64>> {
    let mut stages: Vec<(&'static str, Keyed<'static, u64>)> = Vec::new();
    for rule in rules {
        match stages.iter_mut().find(|(stage, _)| *stage == rule.stage) {
            Some((_, counts)) => counts.0.push((rule.rule, rule.count)),
            None => stages.push((rule.stage, Keyed(vec![(rule.rule, rule.count)]))),
        }
    }
    Keyed(stages)
}

/// Refusals by barriers, with their rates.
pub fn violations(violations: &audit::Violations) -> Violations {
    Violations {
        root: violations.root,
        standing: violations.standing,
        runs: rate(&violations.runs),
        root_rate: rate(&violations.root_rate),
        standing_rate: rate(&violations.standing_rate),
        rate: rate(&violations.rate),
    }
}

fn rate(rate: &audit::RateSummary) -> Rate {
    Rate {
        hits: rate.hits,
        of: rate.of,
        rate: rate.rate.map(Number),
        interval_95: rate.interval.map(bounds),
        design_effect: rate.design_effect.map(Number),
        approximate: rate.approximate,
    }
}

fn barrier<'a>(barrier: &'a audit::BarrierSummary, header: &'a Header) -> Barrier<'a> {
    let extreme = |e: &'a audit::Extreme| Extreme {
        value: Number(e.value),
        file: header.input(e.input),
        line: e.line,
        run: &e.run,
        call: &e.call,
    };
    Barrier {
        least_h: barrier.least_h.as_ref().map(extreme),
        least_slack: barrier.least_slack.as_ref().map(extreme),
        root: barrier.root,
        standing: barrier.standing,
        hazards: barrier.hazards,
    }
}

/// Refused calls of a run.
pub fn refusals<'a>(run: &'a audit::RunRefusals, header: &'a Header) -> Refusals<'a> {
    Refusals {
        file: header.input(run.input),
        run: &run.run,
        refused: run.refused,
        calls: run.calls,
    }
}
