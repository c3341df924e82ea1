//! What the features of a state count by: windows, lists, budgets, and the labels that lists name.
//!
//! A model carries the hash of the settings it was trained under: the same features under others are
//! other numbers.

use super::effective::sha256;
use super::expr::{Expr, Variable};
use super::matcher::{MatcherId, Scope};
use super::{LabelRule, Measure, Policy, ResourceRule};
use crate::embed::Embedder;
use crate::trace::money::Nano;
use std::fmt::Write;
use std::sync::Arc;

/// What the features count by: the settings of the barriers of the default table, also where those are
/// switched off, or replaced by a model.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// Calls looked back at, at least 1.
    pub window: usize,
    /// Dangerous pairs; absent until [`Policy::count_features`] where `safety` is measured otherwise.
    pub pairs: Option<Vec<(MatcherId, MatcherId)>>,
    /// Outbound calls; absent likewise where `privacy` is measured otherwise.
    pub outbound: Option<MatcherId>,
    /// Budget of outbound calls.
    pub budget: f64,
    /// What one of them takes of it.
    pub per_call: f64,
    /// Dollars of a run.
    pub limit: Nano,
    /// Greatest drift. No feature goes by it, only whether the five barriers hold.
    pub max_drift: f64,
    /// What embeds intents and calls whose record does not; absent means nothing does.
    pub embed: Option<Arc<dyn Embedder>>,
    /// Steps of a run.
    pub step_budget: u64,
}

impl Parameters {
    /// Takes over what a barrier of the default table measures by.
    pub fn take(&mut self, measure: &Measure) {
        match measure {
            Measure::Safety { window, pairs } => {
                self.window = *window;
                self.pairs = Some(pairs.clone());
            }
            Measure::Privacy {
                budget,
                per_call,
                outbound,
            } => {
                (self.budget, self.per_call) = (*budget, *per_call);
                self.outbound = Some(*outbound);
            }
            Measure::Resource { limit } => self.limit = *limit,
            Measure::Scope { max_drift, embed } => {
                self.max_drift = *max_drift;
                self.embed = embed.clone();
            }
            Measure::Stability { step_budget } => self.step_budget = *step_budget,
            Measure::Custom(_) | Measure::Neural(_) => {}
        }
    }

    /// The five measures that they are the settings of, in the order of the default table.
    pub fn five(&self) -> [Measure; 5] {
        [
            Measure::Safety {
                window: self.window,
                pairs: self.pairs.clone().unwrap_or_default(),
            },
            Measure::Privacy {
                budget: self.budget,
                per_call: if self.outbound.is_some() {
                    self.per_call
                } else {
                    0.0
                },
                outbound: self.outbound.unwrap_or(MatcherId(u16::MAX)),
            },
            Measure::Resource { limit: self.limit },
            Measure::Scope {
                max_drift: self.max_drift,
                embed: self.embed.clone(),
            },
            Measure::Stability {
                step_budget: self.step_budget,
            },
        ]
    }
}

impl Policy {
    /// Has runs remember what the features count. `pairs` and `outbound` are those of the defaults,
    /// where barriers that are measured otherwise do not say.
    pub fn count_features(&mut self, pairs: &[(&str, &str)], outbound: &[&str]) {
        let matchers = &mut self.matchers;
        let mut list = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            matchers.add(names, Scope::Names).ok()
        };
        let parameters = &mut self.dcbf.features;
        if parameters.pairs.is_none() {
            let both = pairs
                .iter()
                .filter_map(|(a, b)| Some((list(&[a])?, list(&[b])?)));
            parameters.pairs = Some(both.collect());
        }
        if parameters.outbound.is_none() {
            parameters.outbound = list(outbound);
        }
        let outbound = parameters.outbound;
        self.recent = self.recent.max(parameters.window);
        self.tallied
            .extend(outbound.filter(|id| !self.tallied.contains(id)));
        self.tallied.sort_unstable();
        self.features_counted = true;
    }

    /// Which label rules decide what the features count: those whose label a list names, and those
    /// whose label such a rule goes by in turn. A rule sees the labels of the rules before it.
    fn counting_rules(&self) -> Vec<(&LabelRule, bool)> {
        let rules = self.labels.iter();
        let mut rules: Vec<_> = rules.map(|r| (r, self.counts_label(&r.label))).collect();
        for at in (0..rules.len()).rev() {
            let (before, from) = rules.split_at_mut(at);
            let Some((rule, true)) = from.first() else {
                continue;
            };
            for (other, counts) in before {
                *counts |= self.goes_by(rule, &other.label);
            }
        }
        rules
    }

    /// Whether a rule asks for a label: by its tools, by its condition, or by the tools whose resources
    /// its condition asks for.
    fn goes_by(&self, rule: &LabelRule, label: &str) -> bool {
        let named = |id: MatcherId| self.matchers.get(id).matches("", &[label]);
        let mut resources = self.resources.iter();
        rule.reads(Variable::CallLabels)
            || rule.tools.is_some_and(named)
            || rule.reads(Variable::CallResources) && resources.any(|r| named(r.tools))
    }

    /// Whether a list that features count by names this label.
    fn counts_label(&self, label: &str) -> bool {
        let p = &self.dcbf.features;
        let pairs = p.pairs.iter().flatten().flat_map(|&(a, b)| [a, b]);
        let mut lists = pairs.chain(p.outbound).map(|id| self.matchers.get(id));
        lists.any(|list| list.matches("", &[label]))
    }

    /// SHA-256 of what the features count by, in hexadecimal: the same features under other settings
    /// are other numbers. What order means nothing is sorted, and what stands twice is taken once.
    pub fn parameters_sha256(&self) -> String {
        sha256(self.counted_by().as_bytes())
    }

    /// What the features count by, a setting a line.
    fn counted_by(&self) -> String {
        let p = &self.dcbf.features;
        let patterns = |id: MatcherId| sorted(self.matchers.get(id).patterns.clone()).join("\t");
        let mut text = format!(
            "window {}\nbudget {:?}\nper_call {:?}\nlimit_usd {}\nstep_budget {}\n",
            p.window, p.budget, p.per_call, p.limit, p.step_budget
        );
        let (tokenizer, costs) = (self.gates.tokenizer.name(), self.dcbf.record_costs);
        let estimate = self.dcbf.per_call_cost;
        let _ = writeln!(text, "tokenizer {tokenizer}\nrecord_costs {costs}");
        let _ = writeln!(text, "per_call_cost_usd {estimate}");
        let pair = |&(a, b): &(MatcherId, MatcherId)| {
            let sides = [patterns(a), patterns(b)];
            format!("pair {}", sorted(sides.to_vec()).join("\t\t"))
        };
        let mut lines = sorted(p.pairs.iter().flatten().map(pair).collect());
        lines.push(format!(
            "outbound {}",
            p.outbound.map(patterns).unwrap_or_default()
        ));
        if let Some(embedder) = &p.embed {
            let data = embedder.sha256().unwrap_or_default();
            lines.push(format!("embed {} {data}", embedder.id()));
        }
        lines.extend(self.label_lines(patterns));
        let _ = writeln!(text, "{}", lines.join("\n"));
        text
    }

    /// The label rules that count, and where a call's resources are found if one asks for them.
    fn label_lines(&self, patterns: impl Fn(MatcherId) -> String) -> Vec<String> {
        let rules = self.counting_rules();
        let rules: Vec<&LabelRule> = (rules.into_iter().filter(|(_, counts)| *counts))
            .map(|(rule, _)| rule)
            .collect();
        let line = |rule: &&LabelRule| {
            let when = rule.when.as_ref().map_or("", |expr| expr.source());
            // Any tool is another thing than a tool without a name.
            let tools = rule
                .tools
                .map_or("any".to_owned(), |id| format!("of {}", patterns(id)));
            format!("label {}\t{tools}\t{when}", rule.label)
        };
        let mut lines: Vec<String> = rules.iter().map(line).collect();
        // Rules that go by the labels of others mean something else in another order.
        let chained = rules
            .iter()
            .any(|r| rules.iter().any(|o| self.goes_by(r, &o.label)));
        if !chained {
            lines = sorted(lines);
        }
        if rules.iter().any(|rule| rule.reads(Variable::CallResources)) {
            let found = |rule: &ResourceRule| {
                format!(
                    "resource {}\t{}",
                    patterns(rule.tools),
                    rule.path.join("\t")
                )
            };
            lines.extend(self.resources.iter().map(found));
        }
        lines
    }
}

impl LabelRule {
    /// Whether its condition names that variable.
    fn reads(&self, variable: Variable) -> bool {
        let when = self.when.iter();
        when.flat_map(Expr::variables)
            .any(|named| named == variable)
    }
}

/// Without what stands twice.
fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort_unstable();
    lines.dedup();
    lines
}
