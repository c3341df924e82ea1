//! Classes that are lost for ever: from where on, and what refuses them from there on.

use super::cycles::Backward;
use super::explorer::{Explorer, Met};
use super::graph::Graph;
use super::meter::Meter;
use super::{Lost, More, Out, Refusal};
use crate::state::AgentState;
use std::collections::HashSet;

/// What refuses every call at the start: it is not safe, or no call is left.
pub(super) fn at_start(explorer: &Explorer) -> Option<Refusal> {
    if !explorer.outside.is_empty() {
        return Some(unsafe_by(&explorer.outside));
    }
    let steps = &explorer.budgets.steps;
    let first = steps.by.first().cloned();
    first.filter(|_| steps.left == More::Calls(0))
}

fn unsafe_by(barriers: &[String]) -> Refusal {
    Refusal {
        stage: "dcbf",
        rule: "outside_safe_set",
        names: barriers.to_vec(),
    }
}

/// By class, that it is lost at the start; absent for those that are never admitted in any state.
pub(super) fn of_all(explorer: &Explorer, by: &Refusal) -> Vec<Option<Lost>> {
    let lost = || Lost {
        path: Vec::new(),
        by: by.clone(),
        changes: false,
    };
    let classes = explorer.classes.iter();
    classes
        .map(|class| class.never.is_none().then(lost))
        .collect()
}

/// By class, the nearest state that no state leads on from in which a call of the class is admitted: a safe
/// one, or the way out of the safe set, as nothing is admitted behind it. None where the meter has run out.
pub(super) fn found(
    explorer: &Explorer,
    graph: &Graph,
    (backward, out): (&Backward, Option<&Out>),
    meter: &mut Meter,
) -> Option<Vec<Option<Lost>>> {
    let classes = explorer.classes.len();
    let mut found: Vec<Option<Lost>> = vec![None; classes];
    for first in (0..classes).step_by(64) {
        let alive = backward.alive(graph, first, meter)?;
        let ours = explorer.classes.iter().skip(first).take(64);
        let asked = (0..).zip(ours).filter(|(_, class)| class.never.is_none());
        let mut open = asked.fold(0u64, |open, (bit, _)| open | 1 << bit);
        for (at, node) in graph.nodes.iter().enumerate() {
            if open == 0 {
                break;
            }
            let gone = open & !alive.get(at).copied().unwrap_or(u64::MAX);
            if !node.expanded || gone == 0 {
                continue;
            }
            open &= !gone;
            let lost = (first..classes.min(first + 64)).filter(|c| gone >> (c - first) & 1 == 1);
            let lost: Vec<usize> = lost.collect();
            let path = graph.path(at);
            let by = lasting(explorer, graph, (at, &lost), meter)?;
            for (&class, (by, changes)) in lost.iter().zip(by) {
                let path = path.clone();
                found[class] = Some(Lost { path, by, changes });
            }
        }
    }
    if let Some(out) = out {
        let nearer = |lost: &Option<Lost>| {
            let path = lost.as_ref().map(|lost| lost.path.len());
            path.is_none_or(|calls| calls > out.path.len())
        };
        for (class, lost) in explorer.classes.iter().zip(&mut found) {
            if class.never.is_none() && nearer(lost) {
                *lost = Some(Lost {
                    path: out.path.clone(),
                    by: unsafe_by(&out.barriers),
                    changes: false,
                });
            }
        }
    }
    Some(found)
}

/// What refuses each of the classes in a state and in all safe ones that it leads to while calls are left;
/// where nothing does, what refuses it there, and that this changes. None where the meter has run out.
fn lasting(
    explorer: &Explorer,
    graph: &Graph,
    (at, classes): (usize, &[usize]),
    meter: &mut Meter,
) -> Option<Vec<(Refusal, bool)>> {
    let path = graph.path(at);
    let depth = path.len() as u64;
    let settling = explorer.settling(depth).saturating_mul(1 + depth);
    if !meter.take(settling.saturating_add(explorer.measuring(depth))) {
        return None;
    }
    let state = explorer.follow(&path);
    let here = explorer.here(&state);
    let mut reasons: Vec<Vec<Refusal>> = Vec::new();
    let mut first = Vec::new();
    for &class in classes {
        let effort = explorer.effort(class, depth).saturating_mul(2);
        if !meter.take(effort.saturating_add(depth)) {
            return None;
        }
        reasons.push(explorer.reasons(&here, class));
        first.push(match explorer.meet(&here, class) {
            Met::Refused(by) => by,
            Met::Admitted(_) => Refusal::default(),
        });
    }
    let left = explorer.budgets.left().saturating_sub(depth);
    let mut met: HashSet<usize> = HashSet::from([at]);
    let mut level: Vec<(usize, AgentState)> = vec![(at, state)];
    for further in 1..left {
        let there = depth + further;
        let mut next = Vec::new();
        for (at, state) in &level {
            let here = explorer.here(state);
            for edge in graph.edges(*at) {
                let to = graph.nodes.get(edge.to);
                if !to.is_some_and(|node| node.expanded) || !met.insert(edge.to) {
                    continue;
                }
                let measuring = explorer.measuring(there).saturating_mul(2);
                if !meter.take(explorer.settling(there).saturating_add(measuring)) {
                    return None;
                }
                next.push((edge.to, explorer.lead(&here, edge.step, None).0));
            }
        }
        for (_, state) in &next {
            let here = explorer.here(state);
            for (&class, reasons) in classes.iter().zip(&mut reasons) {
                if reasons.is_empty() {
                    continue;
                }
                if !meter.take(explorer.effort(class, there)) {
                    return None;
                }
                let now = explorer.reasons(&here, class);
                reasons.retain(|reason| now.contains(reason));
            }
        }
        if next.is_empty() || reasons.iter().all(Vec::is_empty) {
            break;
        }
        level = next;
    }
    let told = reasons.into_iter().zip(first);
    Some(
        told.map(|(reasons, first)| joined(reasons, first))
            .collect(),
    )
}

/// Of what refuses for ever, what a run meets first: a contract, or barriers.
fn joined(reasons: Vec<Refusal>, first: Refusal) -> (Refusal, bool) {
    let mut reasons = reasons.into_iter();
    let Some(mut by) = reasons.next() else {
        return (first, true);
    };
    if by.stage == "dcbf" {
        by.names.extend(reasons.flat_map(|more| more.names));
    }
    (by, false)
}
