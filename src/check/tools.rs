//! Which tools a policy lets through, and which labels their calls can get from it.

use super::patterns::{List, Pattern};
use crate::policy::matcher::{MatcherId, Scope};
use crate::policy::{Agent, Policy};
use std::sync::Arc;

/// The tools that can be called, as far as lists that allow say so.
#[derive(Clone, Debug)]
pub(super) struct Tools {
    /// A tool has to be matched by each of these; without any, every tool can be called.
    allowed: Vec<Arc<List>>,
    /// Labels that label rules can give to a call of such a tool.
    labels: Vec<String>,
    /// The label rules: a label and the calls it is for; absent means any.
    rules: Arc<[(String, Option<List>)]>,
}

impl Tools {
    /// Those that `gates.allow` lets through.
    pub(super) fn of(policy: &Policy) -> Tools {
        let allow = policy.gates.allow.filter(|_| policy.runs("gates"));
        let allowed = allow.map(|id| Arc::new(List::of(policy, id)));
        let rules = policy.labels.iter().map(|rule| {
            let list = rule.tools.map(|id| List::of(policy, id));
            (rule.label.clone(), list)
        });
        Tools::within(rules.collect(), allowed.into_iter().collect())
    }

    /// Those that an agent may call of them by its `tools`.
    pub(super) fn of_agent(&self, policy: &Policy, agent: &Agent) -> Tools {
        let own = agent.tools.map(|id| Arc::new(List::of(policy, id)));
        let lists = self.allowed.iter().cloned().chain(own);
        Tools::within(Arc::clone(&self.rules), lists.collect())
    }

    fn within(rules: Arc<[(String, Option<List>)]>, allowed: Vec<Arc<List>>) -> Tools {
        let mut tools = Tools {
            allowed,
            labels: Vec::new(),
            rules: Arc::clone(&rules),
        };
        if tools.are_open() {
            tools.labels = rules.iter().map(|(label, _)| label.clone()).collect();
            return tools;
        }
        // A label rule may go by the label of another one.
        loop {
            let known = tools.labels.len();
            for (label, list) in rules.iter() {
                let given = || list.as_ref().is_none_or(|list| tools.meet(list));
                if !tools.labels.contains(label) && given() {
                    tools.labels.push(label.clone());
                }
            }
            if tools.labels.len() == known {
                return tools;
            }
        }
    }

    /// Whether every tool can be called.
    pub(super) fn are_open(&self) -> bool {
        self.allowed.is_empty()
    }

    /// Whether a label rule can give a label that the pattern matches.
    pub(super) fn may_be_label(&self, pattern: &Pattern) -> bool {
        self.labels.iter().any(|label| pattern.matches(label))
    }

    /// Whether a tool that can be called may have a name that the pattern matches.
    pub(super) fn may_be_tool(&self, pattern: &Pattern) -> bool {
        let meets = |list: &Arc<List>| list.patterns.iter().any(|own| !own.is_apart(pattern));
        let written = |list: &&Arc<List>| list.patterns.iter().all(Pattern::is_name);
        let possible = |name: &Pattern| {
            pattern.matches(&name.text) && self.allowed.iter().all(|list| list.covers(name))
        };
        match self.allowed.iter().find(written) {
            Some(list) => list.patterns.iter().any(possible),
            None => self.allowed.iter().all(meets),
        }
    }

    /// Whether a call that can be made may match the pattern where labels count too.
    pub(super) fn may_be_called(&self, pattern: &Pattern) -> bool {
        self.may_be_tool(pattern) || self.may_be_label(pattern)
    }

    /// Whether a call that can be made may match the list.
    pub(super) fn may_match(&self, policy: &Policy, id: MatcherId) -> bool {
        self.meet(&List::of(policy, id))
    }

    fn meet(&self, list: &List) -> bool {
        let mut patterns = list.patterns.iter();
        match list.scope {
            Scope::Tool => patterns.any(|pattern| self.may_be_tool(pattern)),
            Scope::Names => patterns.any(|pattern| self.may_be_called(pattern)),
        }
    }
}
