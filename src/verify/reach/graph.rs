//! All states that are reached, nearest first, and the admitted calls between them.

use super::explorer::{Explorer, Met};
use super::meter::Meter;
use super::quotient::Key;
use super::{Cut, Limits, More, Step};
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
    pub(super) limits: Limits,
    /// The barriers that are negative in the first state outside of the safe set.
    pub(super) outside: Vec<String>,
    /// By barrier, budgets aside, the least and the greatest value of all states that were reached, safe or
    /// not; empty where none was.
    pub(super) attained: Vec<(f64, f64)>,
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

    /// How many calls lead out of the safe set.
    pub(super) fn edges_out(&self) -> usize {
        let exit = self.exit();
        let out = self.edges.iter().filter(|edge| Some(edge.to) == exit);
        out.count()
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

/// Most tallies and names that states may hold while they wait to be looked at. A state that would be over
/// that is made anew from the path to it.
const KEPT: usize = 4 << 20;

/// Explores. What is farther away than the budgets last is not looked at.
pub(super) fn build(explorer: &Explorer, limits: Limits, meter: &mut Meter) -> Graph {
    build_keeping(explorer, limits, meter, KEPT)
}

/// Explores, with waiting states that hold so much at most.
pub(super) fn build_keeping(
    explorer: &Explorer,
    limits: Limits,
    meter: &mut Meter,
    most: usize,
) -> Graph {
    let mut search = Search {
        graph: Graph {
            nodes: Vec::new(),
            edges: Vec::new(),
            cut: None,
            limits,
            outside: Vec::new(),
            attained: Vec::new(),
        },
        known: HashMap::new(),
        pending: VecDeque::new(),
        kept: 0,
        most,
        exit: None,
        limits,
    };
    if !explorer.begun {
        search.graph.cut = Some(Cut::Work(limits.work));
        return search.graph;
    }
    let start = explorer.start().clone();
    let values = explorer.values(&start);
    search.reach(explorer, (start, values), None, 0);
    let left = explorer.budgets.left();
    while let Some((at, state)) = search.pending.pop_front() {
        let depth = search.graph.nodes.get(at).map_or(left, |node| node.depth);
        if search.graph.cut.is_some() {
            break;
        }
        if depth >= left {
            // No budget ends here, counting did: what comes behind is not known.
            let counting = matches!(explorer.budgets.steps.left, More::AtLeast(_));
            search.graph.cut = (counting && !meter.is_out()).then_some(Cut::Calls(left));
            break;
        }
        let state = match state {
            Some(state) => {
                search.kept -= weight(explorer, depth);
                state
            }
            None if meter.take(explorer.settling(depth).saturating_mul(depth)) => {
                explorer.follow(&search.graph.path(at))
            }
            None => {
                search.graph.cut = Some(Cut::Work(limits.work));
                break;
            }
        };
        search.expand(explorer, at, (&state, depth), meter);
    }
    search.graph
}

/// What a state holds that is so many calls from the start.
fn weight(explorer: &Explorer, depth: u64) -> usize {
    usize::try_from(explorer.settling(depth)).unwrap_or(usize::MAX)
}

struct Search {
    graph: Graph,
    known: HashMap<Key, usize>,
    /// States whose calls are still to be looked at; absent where it would be too many to keep.
    pending: VecDeque<(usize, Option<AgentState>)>,
    /// What the states there hold, and how much they may.
    kept: usize,
    most: usize,
    exit: Option<usize>,
    limits: Limits,
}

impl Search {
    fn expand(
        &mut self,
        explorer: &Explorer,
        at: usize,
        (state, depth): (&AgentState, u64),
        meter: &mut Meter,
    ) {
        let first = self.graph.edges.len();
        if !meter.take(explorer.measuring(depth)) {
            self.graph.cut = Some(Cut::Work(self.limits.work));
            return;
        }
        let here = explorer.here(state);
        for (index, class) in explorer.classes.iter().enumerate() {
            let work = match class.never {
                Some(_) => 1,
                None => explorer.effort(index, depth),
            };
            if !meter.take(work) {
                self.graph.cut = Some(Cut::Work(self.limits.work));
                return;
            }
            let Met::Admitted(simulated) = explorer.meet(&here, index) else {
                continue;
            };
            for step in explorer.ways(index) {
                let mut work = explorer.settling(depth + 1);
                if !explorer.simulates(step) {
                    work = work.saturating_add(explorer.measuring(depth + 1));
                }
                if !meter.take(work) {
                    self.graph.cut = Some(Cut::Work(self.limits.work));
                    return;
                }
                let next = explorer.lead(&here, step, simulated.clone());
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

    /// The node of a state, with what barriers come to in it; a new one where none is like it.
    /// None where there would be too many.
    fn reach(
        &mut self,
        explorer: &Explorer,
        (state, values): (AgentState, Vec<f64>),
        from: Option<(usize, Step)>,
        depth: u64,
    ) -> Option<usize> {
        // Budgets are the same on every way, and looked at where it starts.
        let safe = match from {
            Some(_) => values.iter().all(|h| h.ge(&0.0)),
            None => explorer.outside.is_empty(),
        };
        let next = self.graph.nodes.len();
        let key = safe.then(|| explorer.key(&state));
        let known = match &key {
            Some(key) => self.known.get(key).copied(),
            None => self.exit,
        };
        if known.is_some() {
            self.attain(&values);
            return known;
        }
        if next >= self.limits.states {
            self.graph.cut = Some(Cut::States(self.limits.states));
            return None;
        }
        self.attain(&values);
        match key {
            Some(key) => {
                self.known.insert(key, next);
                let weight = weight(explorer, depth);
                let fits = self.kept.saturating_add(weight) <= self.most;
                self.kept += if fits { weight } else { 0 };
                self.pending.push_back((next, fits.then_some(state)));
            }
            None => {
                self.exit = Some(next);
                self.graph.outside = match from {
                    Some(_) => explorer.negative(&values),
                    None => explorer.outside.clone(),
                };
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

    /// Notes the values of a state that is reached.
    fn attain(&mut self, values: &[f64]) {
        let attained = &mut self.graph.attained;
        if attained.is_empty() {
            *attained = values.iter().map(|&h| (h, h)).collect();
        }
        for ((least, most), &h) in attained.iter_mut().zip(values) {
            *least = least.min(h);
            *most = most.max(h);
        }
    }
}
