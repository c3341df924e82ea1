//! Coverage: how often each rule of a policy met a call, decided, and was the only one that would
//! have refused it.
//!
//! The rules are listed from the policy, so that one that no call ever met is told of too. What a
//! call would have got without a rule, or without a stage, follows from what all the others say of
//! it: they are asked in the same pass, in the state in which the call was judged. So it is exact
//! for each call by itself; what the run would have been like after that call is not asked. How much
//! is remembered depends on the policy, not on the calls.

use crate::engine::decision::Decision;
use crate::policy::Policy;
use crate::stages::STAGES;
use crate::stages::weigh::{self, Configured, LABELS, StageWeighed, Weighed, Weight};

/// What calls made of a rule, or of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Calls that it met: with a condition that applies to them, whatever other stages say.
    pub evaluated: u64,
    /// Calls that it decided: of the rules that do not pass a call, the first one.
    pub decided: u64,
    /// Calls that it does not pass: refuses, escalates or fails on, or whose result it withholds.
    pub stops: u64,
    /// Those that every other rule, or every other stage, passes.
    pub unique: u64,
}

/// A stage over the whole audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageCoverage {
    /// The stage; `labels` for the rules that give labels.
    pub stage: &'static str,
    /// What calls made of it.
    pub met: Met,
}

/// A rule of the policy over the whole audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleCoverage {
    /// Its stage.
    pub stage: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// Which of the policy's it is; empty where a policy has but one.
    pub name: String,
    /// Line of the policy file; 0 where it is a default or a preset's.
    pub policy_line: usize,
    /// Calls that a label rule gave its label; absent for other rules.
    pub given: Option<u64>,
    /// What calls made of it.
    pub met: Met,
}

impl RuleCoverage {
    /// Whether calls met it and it never did anything: a label rule that gave no label, another one
    /// that decided nothing.
    pub fn is_idle(&self) -> bool {
        self.met.evaluated > 0 && self.given.unwrap_or(self.met.decided) == 0
    }
}

/// What an audit says of its policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The label rules, then the enabled stages in pipeline order.
    pub stages: Vec<StageCoverage>,
    /// Every rule that the policy configures, stage by stage, as they are tried.
    pub rules: Vec<RuleCoverage>,
}

/// Counts while calls come.
#[derive(Clone, Debug, Default)]
pub struct Counting {
    coverage: Coverage,
    /// By rule, the number of the latest call that it met, that it stopped and that it gave a label.
    latest: Vec<[u64; 3]>,
    calls: u64,
}

impl Counting {
    /// Nothing counted yet, for the rules of that policy.
    pub fn of(policy: &Policy) -> Counting {
        let enabled = STAGES.iter().filter(|s| !policy.disabled.contains(&s.id()));
        let stages = enabled.map(|stage| (stage.id(), stage.configured(policy)));
        let labels = (LABELS, weigh::label_rules(policy));
        let mut counting = Counting::default();
        for (stage, rules) in std::iter::once(labels).chain(stages) {
            counting.stage(stage, rules);
        }
        counting
    }

    fn stage(&mut self, stage: &'static str, rules: Vec<Configured>) {
        let met = Met::default();
        let Coverage { stages, rules: all } = &mut self.coverage;
        stages.push(StageCoverage { stage, met });
        let first = all.len();
        for Configured {
            rule,
            name,
            policy_line,
        } in rules
        {
            let rule = RuleCoverage {
                stage,
                rule,
                name,
                policy_line,
                given: (stage == LABELS).then_some(0),
                met,
            };
            // Rules of a preset that look the same cannot be told apart.
            if !all.iter().skip(first).any(|known| *known == rule) {
                all.push(rule);
                self.latest.push([0; 3]);
            }
        }
    }

    /// Counts a call that was weighed.
    pub fn add(&mut self, weighed: &[StageWeighed], decision: &Decision) {
        self.calls += 1;
        let (mut stages, mut rules) = (Only::default(), Only::default());
        let decisive = decision
            .rule
            .map(|rule| (decision.stage.unwrap_or(LABELS), rule));
        let mut at = 0;
        for (place, weighed) in weighed.iter().enumerate() {
            let mut decided = false;
            for rule in &weighed.rules {
                let Some(found) = self.find(at, weighed.stage, rule) else {
                    continue;
                };
                at = found;
                let stops = rule.outcome.stops();
                let decides = stops && !decided && decisive == Some((weighed.stage, rule.rule));
                decided |= decides;
                self.rule(found, rule.outcome, decides);
                if stops {
                    rules.add(found);
                    stages.add(place);
                }
            }
            if let Some(stage) = self.coverage.stages.get_mut(place) {
                stage.met.evaluated += u64::from(!weighed.rules.is_empty());
                stage.met.decided += u64::from(decided);
                stage.met.stops += u64::from(stages.latest == Some(place));
            }
        }
        if let Some(stage) = stages.only().and_then(|i| self.coverage.stages.get_mut(i)) {
            stage.met.unique += 1;
        }
        if let Some(rule) = rules.only().and_then(|i| self.coverage.rules.get_mut(i)) {
            rule.met.unique += 1;
        }
    }

    /// The place of a rule, looked for from there on: rules are weighed as they are listed.
    fn find(&self, from: usize, stage: &str, weighed: &Weighed) -> Option<usize> {
        let rules = &self.coverage.rules;
        let same = |at: &usize| {
            rules.get(*at).is_some_and(|rule| {
                rule.policy_line == weighed.policy_line
                    && rule.rule == weighed.rule
                    && rule.name == weighed.name
                    && rule.stage == stage
            })
        };
        (from..rules.len()).chain(0..from).find(same)
    }

    /// Counts what a rule says of the call at hand, once however many conditions it has.
    fn rule(&mut self, at: usize, outcome: Weight, decides: bool) {
        let (coverage, calls) = (&mut self.coverage, self.calls);
        let (Some(rule), Some([met, stopped, gave])) =
            (coverage.rules.get_mut(at), self.latest.get_mut(at))
        else {
            return;
        };
        let first = |latest: &mut u64| u64::from(std::mem::replace(latest, calls) != calls);
        rule.met.evaluated += first(met);
        rule.met.decided += u64::from(decides);
        if outcome.stops() {
            rule.met.stops += first(stopped);
        }
        // A label rule that fails gives its label.
        if let Some(given) = &mut rule.given
            && outcome != Weight::Passes
        {
            *given += first(gave);
        }
    }

    /// What was counted.
    pub fn finish(self) -> Coverage {
        self.coverage
    }
}

/// Whether it is always the same place.
#[derive(Default)]
struct Only {
    latest: Option<usize>,
    several: bool,
}

impl Only {
    fn add(&mut self, place: usize) {
        self.several |= self.latest.is_some_and(|latest| latest != place);
        self.latest = Some(place);
    }

    fn only(&self) -> Option<usize> {
        self.latest.filter(|_| !self.several)
    }
}
