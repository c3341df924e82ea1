//! What the states say: paths out, deadlocks, classes that are lost, and how many calls there can be.

use super::cycles::{self, Backward};
use super::explorer::{Explorer, Met};
use super::graph::Graph;
use super::{ClassRow, Deadlock, Lost, More, Out, Reach, Refusal};
use crate::state::AgentState;

/// Everything there is to say.
pub(super) fn found(explorer: &Explorer, graph: &Graph) -> Reach {
    let backward = Backward::of(graph);
    let longest = cycles::longest(graph, &backward);
    let left = explorer.budgets.left();
    let dead = dead_ends(graph);
    let deadlock = dead.first().map(|&node| {
        let path = graph.path(node);
        let state = explorer.follow(&path);
        Deadlock {
            path,
            refusals: refusals(explorer, &state),
        }
    });
    let whole = graph.cut.is_none();
    let free = explorer.free();
    let rows = explorer
        .classes
        .iter()
        .enumerate()
        .map(|(index, class)| ClassRow {
            tools: class.tools.clone(),
            never: class.never.clone(),
            more: match class.never {
                Some(_) => Some(More::Calls(0)),
                None if free == Some(index) => Some(counted(explorer, left)),
                None if !whole => None,
                None => cycles::most_of(graph, index, explorer.classes.len(), left)
                    .map(|most| counted(explorer, most)),
            },
            lost: match class.never {
                None if whole => lost(explorer, graph, &backward, index),
                _ => None,
            },
        });
    let most = longest
        .first()
        .copied()
        .flatten()
        .map_or(left, |most| most.min(left));
    Reach {
        classes: rows.collect(),
        steps: explorer.budgets.steps.clone(),
        states: graph.nodes.iter().filter(|node| node.safe).count(),
        transitions: graph.edges_in_all(),
        cut: graph.cut,
        out: out(explorer, graph, &longest),
        deadlock,
        deadlocks: dead.len(),
        more: match free {
            Some(_) => Some(counted(explorer, left)),
            None => whole.then(|| counted(explorer, most)),
        },
        free,
        uncovered: explorer.scope.uncovered.clone(),
    }
}

/// A count of calls that budgets may have ended before they were all counted.
fn counted(explorer: &Explorer, most: u64) -> More {
    match explorer.budgets.steps.left {
        More::AtLeast(counted) if most >= counted => More::AtLeast(most),
        _ => More::Calls(most),
    }
}

/// Safe states in which steps are left and nothing is admitted, nearest first.
fn dead_ends(graph: &Graph) -> Vec<usize> {
    let nodes = graph.nodes.iter().enumerate();
    let dead = nodes.filter(|(at, node)| node.expanded && graph.edges(*at).is_empty());
    dead.map(|(at, _)| at).collect()
}

/// What refuses each class in a state where none is admitted.
fn refusals(explorer: &Explorer, state: &AgentState) -> Vec<Refusal> {
    let met = explorer
        .classes
        .iter()
        .filter_map(|class| match explorer.meet(state, class) {
            Met::Refused(refusal) => Some(refusal),
            Met::Admitted(_) => None,
        });
    met.collect()
}

/// The shortest path out of the safe set: by the calls made, or by budgets that every call takes from.
fn out(explorer: &Explorer, graph: &Graph, longest: &[Option<u64>]) -> Option<Out> {
    let budgets = &explorer.budgets;
    if !budgets.outside.is_empty() {
        return Some(Out {
            path: Vec::new(),
            barriers: budgets.outside.clone(),
        });
    }
    let by_calls = graph.exit().map(|node| Out {
        path: graph.path(node),
        barriers: graph.outside.clone(),
    });
    let by_budget = budgets.out.as_ref().and_then(|(calls, barriers)| {
        let path = cycles::path_of(graph, longest, calls + 1)?;
        Some(Out {
            path,
            barriers: barriers.clone(),
        })
    });
    match (by_calls, by_budget) {
        (Some(a), Some(b)) if b.path.len() < a.path.len() => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}

/// The nearest safe state that no state leads on from in which a call of the class is admitted.
fn lost(explorer: &Explorer, graph: &Graph, backward: &Backward, class: usize) -> Option<Lost> {
    let mut alive = vec![false; graph.nodes.len()];
    let admits = |&at: &usize| graph.edges(at).iter().any(|edge| edge.step.class == class);
    let mut pending: Vec<usize> = (0..graph.nodes.len()).filter(admits).collect();
    while let Some(at) = pending.pop() {
        if let Some(alive) = alive.get_mut(at).filter(|alive| !**alive) {
            *alive = true;
            pending.extend(backward.from(at));
        }
    }
    let mut nodes = graph.nodes.iter().zip(&alive);
    let node = nodes.position(|(node, alive)| node.expanded && !alive)?;
    let path = graph.path(node);
    let state = explorer.follow(&path);
    match explorer.meet(&state, explorer.classes.get(class)?) {
        Met::Refused(by) => Some(Lost { path, by }),
        Met::Admitted(_) => None,
    }
}
