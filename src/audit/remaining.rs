//! How many more calls the barriers would admit at the end of a run, by what they can tell apart.
//!
//! These classes are not those of `verify::reach`, which come from a policy alone. There a class is of
//! every name there may be, and of every set of labels that the policy may give it, and all stages tell
//! classes apart: what matters is what a run can come to. Here it is of tools as they were met, with the
//! labels they had there, and of those that the policy names; only the barriers are asked, for many runs
//! from states of their own. So the two do not stand in for each other.

use crate::barriers;
use crate::policy::glob::is_name;
use crate::policy::matcher::{MatcherId, NameSet, NameTable, Scope};
use crate::policy::{Measure, Policy};
use crate::state::{AgentState, Phase, RunView};
use crate::trace::event::RawJson;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Calls that are tried before counting stops.
pub const MOST: u64 = 1_000;

/// Stands for tools that nothing is known of.
const OTHER: &str = "any other tool";

/// Sets of names met in recordings that are kept; a class beyond them is not told.
const KEPT: usize = 10_000;

/// Tools that no barrier tells apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// The tools, each with its labels in brackets where it has any, sorted. Untrusted.
    pub tools: Vec<String>,
    /// Whether any tool that stands nowhere else belongs to them.
    pub any_other: bool,
    names: Arc<NameSet>,
}

/// How many calls of a class alone are admitted, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct More {
    /// So many; [`MOST`] stands for at least as many.
    pub calls: u64,
    /// The barriers that refuse the next one; empty where counting stopped.
    pub by: Vec<usize>,
}

/// The names met so far, by what barriers ask of them.
#[derive(Debug)]
pub struct Names {
    asked: Vec<MatcherId>,
    table: NameTable,
    met: BTreeMap<String, Arc<NameSet>>,
}

impl Names {
    /// Those that the policy names.
    pub fn new(policy: &Policy) -> Names {
        let mut asked = policy.tallied.clone();
        for spec in &policy.dcbf.barriers {
            if let Measure::Safety { pairs, .. } = &spec.measure {
                asked.extend(pairs.iter().flat_map(|&(a, b)| [a, b]));
            }
        }
        asked.sort_unstable();
        asked.dedup();
        let mut names = Names {
            asked,
            table: NameTable::default(),
            met: BTreeMap::new(),
        };
        for id in names.asked.clone() {
            let matcher = policy.matchers.get(id);
            if matcher.scope == Scope::Names {
                for name in matcher.patterns.iter().filter(|name| is_name(name)) {
                    names.add(policy, name, &[]);
                }
            }
        }
        names
    }

    /// Adds a call's tool and labels.
    pub fn add(&mut self, policy: &Policy, tool: &str, labels: &[String]) {
        let known = match labels {
            [] => self.met.contains_key(tool),
            _ => false,
        };
        if known || self.met.len() >= KEPT {
            return;
        }
        let shown = match labels {
            [] => tool.to_owned(),
            labels => format!("{tool} [{}]", labels.join(", ")),
        };
        if !self.met.contains_key(&shown) {
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            let set = self.table.intern(&policy.matchers, tool, &labels);
            self.met.insert(shown, set);
        }
    }

    /// The classes, by their first tools.
    pub fn classes(mut self, policy: &Policy) -> Vec<Class> {
        let mut by_bits: BTreeMap<Vec<bool>, Class> = BTreeMap::new();
        let of = |names: Arc<NameSet>| Class {
            tools: Vec::new(),
            any_other: false,
            names,
        };
        let other = self.table.intern(&policy.matchers, OTHER, &[]);
        for (shown, names) in std::mem::take(&mut self.met) {
            let bits = self.bits(&names);
            by_bits
                .entry(bits)
                .or_insert_with(|| of(names))
                .tools
                .push(shown);
        }
        // A list that takes any name takes the unknown ones too; a tool of the name that stands for
        // them here is not to be found by any other.
        let bits = self.bits(&other);
        by_bits.entry(bits).or_insert_with(|| of(other)).any_other = true;
        let mut classes: Vec<Class> = by_bits.into_values().collect();
        classes.sort_by(|a, b| (a.tools.is_empty(), &a.tools).cmp(&(b.tools.is_empty(), &b.tools)));
        classes
    }

    fn bits(&self, names: &NameSet) -> Vec<bool> {
        self.asked.iter().map(|&id| names.is(id)).collect()
    }
}

/// The state that a run ended in, with what barriers may ask of the run.
#[derive(Clone, Debug)]
pub struct Ended {
    state: AgentState,
    id: String,
    agent: Option<String>,
    intent: Option<String>,
    meta: Option<RawJson<'static>>,
}

impl Ended {
    /// Keeps it.
    pub fn new(run: RunView<'_>, state: &AgentState) -> Ended {
        Ended {
            state: state.clone(),
            id: run.id.into(),
            agent: run.agent.map(Into::into),
            intent: run.intent.map(Into::into),
            meta: run.meta.cloned(),
        }
    }

    /// How many calls of a class the barriers admit from here. The first arrives as it would in the
    /// run: after a refusal it is a self-loop. Each is taken to settle before the next, without an error,
    /// and to cost what a call without an estimate is charged; what the agent was asked to do and does
    /// stays as it was.
    pub fn more(&self, policy: &Policy, class: &Class) -> More {
        let run = RunView {
            id: &self.id,
            agent: self.agent.as_deref(),
            intent: self.intent.as_deref(),
            meta: self.meta.as_ref(),
        };
        let mut state = self.state.clone();
        let call = [Arc::clone(&class.names)];
        let estimate = policy.dcbf.per_call_cost;
        for calls in 0..MOST {
            state.arrive();
            let current = state.view(run);
            let next = barriers::simulate(&current, &call, estimate);
            let check = barriers::check(policy, &current, policy.dcbf.verify.then_some(&next));
            let by = check.refusing().to_vec();
            if !by.is_empty() {
                return More { calls, by };
            }
            state.settle_estimated(policy, &class.names, false);
            state.phase = Phase::Observing;
        }
        More {
            calls: MOST,
            by: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the default policy leaves at the start, and after calls: the numbers of `gate check`.
    #[test]
    fn the_start_leaves_what_the_policy_permits() {
        let policy = Policy::built_in();
        let mut names = Names::new(&policy);
        names.add(&policy, "think", &[]);
        names.add(&policy, "Bash", &["http_request".into()]);
        let classes = names.classes(&policy);
        let shown: Vec<_> = classes.iter().map(|c| c.tools.join(" ")).collect();
        let more = |state: &AgentState| -> Vec<(String, u64)> {
            let ended = Ended::new(RunView::default(), state);
            let count = |c: &Class| (c.tools.join(" "), ended.more(&policy, c).calls);
            classes.iter().map(count).collect()
        };
        let of = |list: &[(String, u64)], tool: &str| {
            let found = list.iter().find(|(tools, _)| tools.contains(tool));
            found.unwrap_or_else(|| panic!("{tool}: {shown:?}")).1
        };
        let start = more(&AgentState::default());
        assert_eq!((of(&start, "send_email"), of(&start, "think")), (2, 50));
        assert_eq!(of(&start, "Bash [http_request]"), 2);
        // After a query nothing may be sent while the pair would stand in the window.
        let mut state = AgentState::default();
        let mut table = NameTable::default();
        let query = table.intern(&policy.matchers, "sql_query", &[]);
        state.history.push(&policy, &query, false);
        state.step_count = 1;
        let after = more(&state);
        assert_eq!((of(&after, "http_request"), of(&after, "think")), (0, 49));
    }
}
