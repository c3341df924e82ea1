//! Lists of patterns: entries that others cover, and entries that no call can match.

use super::MOST;
use crate::check::codes::{Code, Findings, line};
use crate::check::patterns::{List, Pattern};
use crate::check::tools::Tools;
use crate::policy::matcher::MatcherId;
use crate::policy::{Measure, Policy, PolicyPlace};
use std::collections::HashMap;

const ONE_OF_THEM: &str = "leave it out";

/// Said of a pattern that no call can match.
pub(super) const BUT_LABELS: &str =
    "only calls whose record brings such a label itself can match it";

pub(super) fn look(policy: &Policy, tools: &Tools, findings: &mut Findings) {
    for (path, id) in lists(policy) {
        let place = |n: usize| element(policy, &path, n);
        covered(policy, id, &place, findings);
    }
    for contract in &policy.contracts {
        covered(policy, contract.tools, &|_| contract.place, findings);
    }
    for rule in &policy.labels {
        if let Some(id) = rule.tools {
            covered(policy, id, &|_| rule.place, findings);
        }
    }
    refused_twice(policy, findings);
    if tools.are_open() {
        return;
    }
    for spec in &policy.dcbf.barriers {
        let barrier = ["dcbf", "barriers", spec.name.as_str()];
        match &spec.measure {
            Measure::Privacy { outbound, .. } => {
                let path = [&barrier[..], &["outbound"]].concat();
                let place = |n: usize| element(policy, &path, n);
                unmatched(policy, *outbound, tools, &place, findings);
            }
            Measure::Safety { pairs, .. } => {
                for (n, &(a, b)) in pairs.iter().enumerate() {
                    let n = n.to_string();
                    let path = [&barrier[..], &["pairs", n.as_str()]].concat();
                    for (side, id) in [(0, a), (1, b)] {
                        let place = |_: usize| element(policy, &path, side);
                        unmatched(policy, id, tools, &place, findings);
                    }
                }
            }
            Measure::Custom(expr) => {
                let ids = expr.queries().map(|query| query.tools());
                ids.for_each(|id| unmatched(policy, id, tools, &|_| spec.place, findings));
            }
            _ => {}
        }
    }
    for budget in &policy.gates.per_tool {
        let place = policy
            .lines
            .place(["gates", "per_tool", budget.name.as_str()]);
        unmatched(policy, budget.tools, tools, &|_| place, findings);
    }
    for rule in &policy.resources {
        let patterns = &policy.matchers.get(rule.tools).patterns;
        for pattern in patterns {
            let place = policy.lines.place(["resources", pattern.as_str()]);
            unmatched(policy, rule.tools, tools, &|_| place, findings);
        }
    }
}

/// The lists that stand under a key of their own.
fn lists(policy: &Policy) -> Vec<(Vec<&str>, MatcherId)> {
    let mut lists = Vec::new();
    lists.extend(policy.gates.allow.map(|id| (vec!["gates", "allow"], id)));
    for agent in policy.privilege.iter().flat_map(|all| &all.agents) {
        for (key, id) in [("tools", agent.tools), ("deny_tools", agent.deny_tools)] {
            let path = vec!["privilege", "agents", agent.name.as_str(), key];
            lists.extend(id.map(|id| (path, id)));
        }
    }
    for spec in &policy.dcbf.barriers {
        if let Measure::Privacy { outbound, .. } = spec.measure {
            let path = vec!["dcbf", "barriers", spec.name.as_str(), "outbound"];
            lists.push((path, outbound));
        }
    }
    lists.extend(policy.boundary.map(|id| (vec!["boundary", "tools"], id)));
    lists
}

/// The place of an element of a list.
pub(super) fn element(policy: &Policy, path: &[&str], n: usize) -> PolicyPlace {
    let n = n.to_string();
    let path = path.iter().copied().chain([n.as_str()]);
    policy.lines.place(path)
}

/// Notes the entries of a list that another entry covers.
fn covered(
    policy: &Policy,
    id: MatcherId,
    place: &dyn Fn(usize) -> PolicyPlace,
    findings: &mut Findings,
) {
    let list = List::of(policy, id).patterns;
    for (entry, by) in shadowed(&list) {
        let (entry_text, by_text) = (&list[entry].text, &list[by].text);
        let message = match entry_text == by_text {
            true => format!("`{entry_text}` stands in the list twice"),
            false => format!("`{entry_text}` is covered by `{by_text}` of the same list"),
        };
        findings.add(
            Code::ShadowedPattern,
            place(entry),
            message,
            Some(ONE_OF_THEM),
        );
    }
}

/// Each entry that another one covers, with that one. Of equal ones the first counts.
fn shadowed(list: &[Pattern]) -> Vec<(usize, usize)> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (n, pattern) in list.iter().enumerate() {
        first.entry(&pattern.text).or_insert(n);
    }
    let globs = list.iter().enumerate().filter(|(_, p)| !p.is_name());
    let globs: Vec<(usize, &Pattern)> = globs.take(MOST).collect();
    let mut found = Vec::new();
    for (n, pattern) in list.iter().enumerate() {
        let twin = first.get(pattern.text.as_str()).copied();
        if let Some(twin) = twin.filter(|&twin| twin < n) {
            found.push((n, twin));
            continue;
        }
        let hides = |entry: &&(usize, &Pattern)| {
            let (at, glob) = **entry;
            at != n && glob.covers(pattern) && (at < n || !pattern.covers(glob))
        };
        found.extend(globs.iter().find(hides).map(|&(at, _)| (n, at)));
    }
    found
}

/// Notes the regexes of `gates.refuse` that stand there twice.
fn refused_twice(policy: &Policy, findings: &mut Findings) {
    let mut first: HashMap<&str, PolicyPlace> = HashMap::new();
    for pattern in policy.gates.refuse.iter() {
        let text = pattern.regex.as_str();
        match first.get(text) {
            Some(&other) => {
                let message = format!("the same regex stands {} already", line(other));
                findings.add(
                    Code::ShadowedPattern,
                    pattern.place,
                    message,
                    Some(ONE_OF_THEM),
                );
            }
            None => {
                first.insert(text, pattern.place);
            }
        }
    }
}

/// Notes the entries of a list that no call can match.
pub(super) fn unmatched(
    policy: &Policy,
    id: MatcherId,
    tools: &Tools,
    place: &dyn Fn(usize) -> PolicyPlace,
    findings: &mut Findings,
) {
    for (n, pattern) in List::of(policy, id).patterns.iter().enumerate() {
        if !tools.may_be_called(pattern) {
            let message = format!(
                "no call matches `{}`: `gates.allow` lets no such tool through, and no label rule gives such a label to one that it does",
                pattern.text
            );
            findings.add(Code::MatchesNothing, place(n), message, Some(BUT_LABELS));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_hidden_by_another_only() {
        let of = |list: &[&str]| {
            let list: Vec<Pattern> = list.iter().map(|p| Pattern::new(p)).collect();
            shadowed(&list)
        };
        assert_eq!(of(&["a", "b", "a*"]), [(0, 2)]);
        assert_eq!(of(&["a", "a"]), [(1, 0)]);
        assert_eq!(of(&["*", "**"]), [(1, 0)]);
        assert_eq!(of(&["a*", "b*", "c"]), []);
    }
}
