//! All states that are reached, nearest first, and the admitted calls between them.

use super::explorer::{Explorer, Met};
use super::quotient::Key;
use super::{Cut, Limits, Step};
use crate::state::AgentState;
use std::collections::{HashMap, VecDeque};

/// An admitted call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) step: Step,
    /// The state it leads to.
    pub(super) to: usize,
}

/// A state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Calls on the shortest path to it.
    pub(super) depth: u64,
    /// Where the shortest path comes from, and its last call; absent at the start.
    pub(super) from: Option<(usize, Step)>,
    /// Whether it is safe. All those that are not are one, from which nothing is admitted.
    pub(super) safe: bool,
    /// Whether its calls were looked at: not where the budgets end, and not where the search was cut
    /// off.
    pub(super) expanded: bool,
    /// Where its calls begin among the edges, and where they end.
    edges: (usize, usize),
}

/// The states. The start is the first; those behind are farther and farther away.
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    edges: Vec<Edge>,
    pub(super) cut: Option<Cut>,
    /// The barriers that are negative in the first state outside of the safe set.
    pub(super) outside: Vec<String>,
}

impl Graph {
    /// The calls that are admitted in a state.
    pub(super) fn edges(&self, node: usize) -> &[Edge] {
        let range = self.nodes.get(node).map_or((0, 0), |node| node.edges);
        self.edges.get(range.0..range.1).unwrap_or(&[])
    }

    pub(super) fn edges_in_all(&self) -> usize {
        self.edges.len()
    }

    /// The shortest path to a state.
    pub(super) fn path(&self, mut node: usize) -> Vec<Step> {
        let mut path = Vec::new();
        while let Some((before, step)) = self.nodes.get(node).and_then(|node| node.from) {
            path.push(step);
            node = before;
        }
        path.reverse();
        path
    }

    /// The state outside of the safe set, if one is reached.
    pub(super) fn exit(&self) -> Option<usize> {
        self.nodes.iter().position(|node| !node.safe)
    }
}

/// Explores. What is farther away than the budgets last is not looked at.
pub(super) fn build(explorer: &Explorer, limits: Limits) -> Graph {
    let mut search = Search {
        graph: Graph {
            nodes: Vec::new(),
            edges: Vec::new(),
            cut: None,
            outside: Vec::new(),
        },
        known: HashMap::new(),
        pending: VecDeque::new(),
        exit: None,
        limits,
    };
    let start = explorer.start().clone();
    let outside = explorer.outside(&start);
    search.reach(explorer, (start, outside), None, 0);
    let left = explorer.budgets.left();
    while let Some((at, state)) = search.pending.pop_front() {
        let depth = search.graph.nodes.get(at).map_or(left, |node| node.depth);
        if depth >= left || search.graph.cut.is_some() {
            break;
        }
        search.expand(explorer, at, &state, depth);
    }
    search.graph
}

struct Search {
    graph: Graph,
    known: HashMap<Key, usize>,
    /// States whose calls are still to be looked at.
    pending: VecDeque<(usize, AgentState)>,
    exit: Option<usize>,
    limits: Limits,
}

impl Search {
    fn expand(&mut self, explorer: &Explorer, at: usize, state: &AgentState, depth: u64) {
        let first = self.graph.edges.len();
        for (index, class) in explorer.classes.iter().enumerate() {
            let Met::Admitted(simulated) = explorer.meet(state, class) else {
                continue;
            };
            for step in explorer.ways(index) {
                let next = explorer.lead(state, step, simulated.as_deref());
                let Some(to) = self.reach(explorer, next, Some((at, step)), depth + 1) else {
                    return;
                };
                if self.graph.edges.len() >= self.limits.transitions {
                    self.graph.cut = Some(Cut::Transitions(self.limits.transitions));
                    return;
                }
                self.graph.edges.push(Edge { step, to });
            }
        }
        let end = self.graph.edges.len();
        if let Some(node) = self.graph.nodes.get_mut(at) {
            node.edges = (first, end);
            node.expanded = true;
        }
    }

    /// The node of a state, with the barriers that are negative in it; a new one where none is like it.
    /// None where there would be too many.
    fn reach(
        &mut self,
        explorer: &Explorer,
        (state, outside): (AgentState, Vec<String>),
        from: Option<(usize, Step)>,
        depth: u64,
    ) -> Option<usize> {
        let safe = outside.is_empty();
        let next = self.graph.nodes.len();
        let key = safe.then(|| explorer.key(&state));
        let known = match &key {
            Some(key) => self.known.get(key).copied(),
            None => self.exit,
        };
        if known.is_some() {
            return known;
        }
        if next >= self.limits.states {
            self.graph.cut = Some(Cut::States(self.limits.states));
            return None;
        }
        match key {
            Some(key) => {
                self.known.insert(key, next);
                self.pending.push_back((next, state));
            }
            None => {
                self.exit = Some(next);
                self.graph.outside = outside;
            }
        }
        self.graph.nodes.push(Node {
            depth,
            from,
            safe,
            expanded: false,
            edges: (0, 0),
        });
        Some(next)
    }
}
