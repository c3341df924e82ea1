//! From the names of a policy to classes of tools: tools are one class where no list of the policy that
//! decides anything here holds one of them and not the other.

use super::meter::Meter;
use super::scope::Scope;
use super::words;
use super::{Kind, Refusal, Tool};
use crate::policy::glob::is_name;
use crate::policy::matcher::{ListSet, NameSet};
use crate::policy::{Measure, Policy, ToolBudget};
use crate::verify::start;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Most sets of labels that one tool is taken to come with.
const VARIANTS: usize = 1024;

/// A class of tools.
pub(super) struct Class {
    /// The names that a call of it goes by, for all of them.
    pub(super) names: Arc<NameSet>,
    /// Its tools.
    pub(super) tools: Vec<Tool>,
    /// Why none of its calls is admitted in any state.
    pub(super) never: Option<Refusal>,
    /// Whether no state remembers a call of it, and no condition is for it.
    pub(super) unasked: bool,
}

/// The classes of a policy.
pub(super) struct Classes {
    pub(super) list: Vec<Class>,
    /// Absent where every name that there can be, with every set of labels, lies in one of them; else how
    /// many were looked at.
    pub(super) left_out: Option<usize>,
}

/// The lists that decide something.
struct Lists<'p> {
    policy: &'p Policy,
    /// Those that a state remembers, or that say which calls a condition is for.
    asked: ListSet,
    /// Those and the lists of what may be called at all.
    deciding: ListSet,
    /// Those and the lists of label rules, which lead to other labels.
    leading: ListSet,
    /// The globs that decide something, each once, in order.
    globs: Vec<&'p str>,
}

impl<'p> Lists<'p> {
    fn of(policy: &'p Policy, scope: &Scope) -> Lists<'p> {
        let mut asked = Vec::new();
        for spec in &scope.history.dcbf.barriers {
            match &spec.measure {
                Measure::Safety { pairs, .. } => {
                    asked.extend(pairs.iter().flat_map(|&(a, b)| [a, b]))
                }
                Measure::Privacy {
                    outbound, per_call, ..
                } if *per_call != 0.0 => asked.push(*outbound),
                _ => {}
            }
        }
        let queries = scope.expressions().flat_map(|expr| expr.queries());
        asked.extend(queries.map(|query| query.tools()));
        asked.extend(scope.contracts.iter().map(|contract| contract.tools));
        let mut deciding = asked.clone();
        if policy.runs("gates") {
            deciding.extend(policy.gates.allow);
            deciding.extend(spent(policy).map(|budget| budget.tools));
        }
        if let Some(privilege) = policy
            .privilege
            .as_ref()
            .filter(|_| policy.runs("privilege"))
        {
            let agents = privilege.agents.iter();
            deciding
                .extend(agents.flat_map(|agent| agent.tools.into_iter().chain(agent.deny_tools)));
        }
        let mut leading = deciding.clone();
        leading.extend(policy.labels.iter().filter_map(|rule| rule.tools));
        let (mut globs, mut seen) = (Vec::new(), HashSet::new());
        let mut read = HashSet::new();
        for &id in leading.iter().filter(|&&id| read.insert(id)) {
            let patterns = &policy.matchers.get(id).patterns;
            for glob in patterns.iter().filter(|pattern| !is_name(pattern)) {
                if seen.insert(glob.as_str()) {
                    globs.push(glob.as_str());
                }
            }
        }
        Lists {
            policy,
            asked: asked.into_iter().collect(),
            deciding: deciding.into_iter().collect(),
            leading: leading.into_iter().collect(),
            globs,
        }
    }

    /// Whether any list that decides something goes by the label.
    fn ask_for(&self, label: &str) -> bool {
        let names = self.policy.matchers.names(label, &[]);
        !names.among(&self.deciding).is_empty()
    }

    /// What finding the sets of labels of one tool comes to, where no rule gives it any.
    fn work(&self) -> u64 {
        let agents = self.policy.privilege.iter().flat_map(|p| &p.agents);
        let words = self.policy.matchers.iter().count() / 64;
        (8 + self.policy.labels.len() + agents.count() + words) as u64
    }
}

impl Classes {
    /// The classes of the tools that a policy names, of those given, and of any other.
    pub(super) fn of(
        policy: &Policy,
        scope: &Scope,
        given: &[String],
        meter: &mut Meter,
    ) -> Classes {
        let lists = Lists::of(policy, scope);
        let (tools, mut complete) = tools(&lists, given, meter);
        let mut asked_for: HashMap<Box<str>, bool> = HashMap::new();
        let mut list: Vec<Class> = Vec::new();
        let mut known: HashMap<(Option<Refusal>, ListSet), usize> = HashMap::new();
        let mut looked_at = 0;
        for (word, tool) in tools {
            let (variants, all) = variants(&lists, &word, meter);
            complete &= all;
            looked_at += variants.len();
            for names in variants {
                let never = never(policy, &names);
                let asked = match never {
                    Some(_) => ListSet::default(),
                    None => names.among(&lists.asked),
                };
                let labels = names.labels.iter().filter(|&label| {
                    let known = asked_for.get(label).copied();
                    known.unwrap_or_else(|| {
                        let asked = lists.ask_for(label);
                        asked_for.insert(label.clone(), asked);
                        asked
                    })
                });
                let tool = Tool {
                    labels: labels.map(|label| label.to_string()).collect(),
                    ..tool.clone()
                };
                let unasked = asked.is_empty();
                let at = *known.entry((never.clone(), asked)).or_insert(list.len());
                match list.get_mut(at) {
                    Some(class) => class.tools.push(tool),
                    None => list.push(Class {
                        names: Arc::new(names),
                        tools: vec![tool],
                        never,
                        unasked,
                    }),
                }
            }
        }
        let labels = policy.labels.iter().map(|rule| rule.label.as_str());
        let labels: HashSet<&str> = labels.collect();
        let rank = |tool: &Tool| {
            let label = |name: &String| labels.contains(name.as_str());
            match (tool.kind, tool.labels.is_empty()) {
                (Kind::Other, true) => 0,
                // That a tool is called what the policy calls a label says little of its calls.
                (Kind::Named, _) if tool.names.iter().any(label) => 5,
                (Kind::Named, true) => 1,
                (Kind::Glob, true) => 2,
                (Kind::Other, false) => 3,
                (_, false) => 4,
            }
        };
        for class in &mut list {
            // What says most stands for the class; the order among equals stays.
            class.tools.sort_by_cached_key(rank);
            class.tools.dedup();
        }
        // What the policy does not name comes last.
        list.sort_by_key(|class| class.tools.first().is_some_and(|tool| rank(tool) == 0));
        Classes {
            list,
            left_out: (!complete).then_some(looked_at),
        }
    }
}

/// A name for every tool that may differ from others, with what it is known by.
fn tools(lists: &Lists<'_>, given: &[String], meter: &mut Meter) -> (Vec<(String, Tool)>, bool) {
    let patterns = lists.policy.matchers.iter().flat_map(|list| &list.patterns);
    let mut seen: HashSet<&str> = HashSet::new();
    let literal = patterns.filter(|pattern| is_name(pattern)).chain(given);
    let literal: Vec<&String> = literal
        .filter(|name| !name.is_empty() && seen.insert(name))
        .collect();
    let tool = |kind, names| Tool {
        kind,
        names,
        labels: Vec::new(),
    };
    let mut tools: Vec<(String, Tool)> = Vec::new();
    for &name in &literal {
        tools.push((name.clone(), tool(Kind::Named, vec![name.clone()])));
    }
    let found = words::of(&lists.globs, &seen, meter);
    for word in found.words {
        let globs: Vec<String> = word.globs.iter().map(|glob| glob.to_string()).collect();
        // A glob that any name matches tells nothing of it.
        let kind = match word.globs.iter().all(|glob| glob.chars().all(|c| c == '*')) {
            true => Kind::Other,
            false => Kind::Glob,
        };
        let names = if kind == Kind::Other {
            Vec::new()
        } else {
            globs
        };
        tools.push((word.text, tool(kind, names)));
    }
    (tools, found.complete)
}

/// Every set of labels that the policy's rules may give to calls of a tool, as far as it decides
/// anything. Whether a condition holds depends on the call: its label may be there or not.
fn variants(lists: &Lists<'_>, tool: &str, meter: &mut Meter) -> (Vec<NameSet>, bool) {
    let matchers = &lists.policy.matchers;
    let work = lists.work();
    if !meter.take(work) {
        return (Vec::new(), false);
    }
    let mut complete = true;
    let mut variants = vec![matchers.names(tool, &[])];
    for rule in &lists.policy.labels {
        let means = |names: &NameSet| rule.tools.is_none_or(|tools| names.is(tools));
        if !variants.iter().any(means) {
            continue;
        }
        if !meter.take(work.saturating_mul(variants.len() as u64)) {
            return (variants, false);
        }
        let (mut next, most) = (Vec::new(), variants.len());
        for names in variants {
            let meant = means(&names);
            let may_lack = !meant || rule.when.is_some();
            let mut with = None;
            if meant && (!may_lack || most < VARIANTS) {
                let own = names.labels.iter().map(|label| &**label);
                let labels: Vec<&str> = own.chain([rule.label.as_str()]).collect();
                with = Some(matchers.names(tool, &labels));
            } else if meant {
                complete = false;
            }
            next.extend(may_lack.then_some(names));
            next.extend(with);
        }
        let mut seen = HashSet::new();
        next.retain(|names| seen.insert(names.among(&lists.leading)));
        variants = next;
    }
    (variants, complete)
}

/// Why calls by these names are refused in every state, whoever makes them.
fn never(policy: &Policy, names: &NameSet) -> Option<Refusal> {
    let refusal = |stage, rule| {
        Some(Refusal {
            stage,
            rule,
            names: Vec::new(),
        })
    };
    if policy.runs("gates") && policy.gates.allow.is_some_and(|allow| !names.is(allow)) {
        return refusal("gates", "whitelist");
    }
    if policy.runs("gates") {
        // What was observed is never less than nothing.
        if policy.gates.max_tokens == Some(0) {
            return refusal("gates", "budget");
        }
        if let Some(budget) = spent(policy).find(|budget| names.is(budget.tools)) {
            return Some(Refusal {
                stage: "gates",
                rule: "per_tool_budget",
                names: vec![budget.name.clone()],
            });
        }
    }
    let denied = policy.privilege.as_ref();
    let denied = denied.filter(|p| policy.runs("privilege") && !p.allow_unknown);
    let may = |agent: &crate::policy::Agent| {
        !agent.deny_tools.is_some_and(|denied| names.is(denied))
            && agent.tools.is_none_or(|allowed| names.is(allowed))
    };
    match denied {
        Some(privilege) if privilege.agents.is_empty() => refusal("privilege", "unknown_agent"),
        Some(privilege) if !privilege.agents.iter().any(may) => refusal("privilege", "tool"),
        _ if start::every_score_blocks(policy) => refusal("semantic", "block"),
        _ => None,
    }
}

/// Budgets of tools that are spent before the first call.
fn spent(policy: &Policy) -> impl Iterator<Item = &ToolBudget> {
    let budgets = policy.gates.per_tool.iter();
    budgets.filter(|budget| budget.max_tokens == 0)
}
