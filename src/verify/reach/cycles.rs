//! Longest paths: how many calls there can be from a state on.

use super::Step;
use super::graph::{Edge, Graph};
use super::meter::Meter;

/// The edges that lead to each node.
pub(super) struct Backward {
    first: Vec<usize>,
    from: Vec<usize>,
}

impl Backward {
    pub(super) fn of(graph: &Graph) -> Backward {
        let nodes = graph.nodes.len();
        let mut first = vec![0usize; nodes + 1];
        let edges =
            || (0..nodes).flat_map(|at| graph.edges(at).iter().map(move |edge| (at, edge.to)));
        for (_, to) in edges() {
            if let Some(count) = first.get_mut(to + 1) {
                *count += 1;
            }
        }
        for at in 0..nodes {
            first[at + 1] += first[at];
        }
        let mut free = first.clone();
        let mut from = vec![0; graph.edges_in_all()];
        for (at, to) in edges() {
            if let Some(place) = from.get_mut(free[to]) {
                *place = at;
            }
            free[to] += 1;
        }
        Backward { first, from }
    }

    /// The nodes that an edge leads from to this one.
    pub(super) fn from(&self, to: usize) -> &[usize] {
        let range = self.first.get(to).zip(self.first.get(to + 1));
        let range = range.and_then(|(&a, &b)| self.from.get(a..b));
        range.unwrap_or(&[])
    }

    /// Which of the 64 classes from `first` on are admitted in a node, or in any that it leads to: a bit
    /// each. None where the meter has run out.
    pub(super) fn alive(&self, graph: &Graph, first: usize, meter: &mut Meter) -> Option<Vec<u64>> {
        let nodes = graph.nodes.len();
        if !meter.take((nodes + graph.edges_in_all()) as u64) {
            return None;
        }
        let own = |at: usize| {
            let classes = graph.edges(at).iter().map(|edge| edge.step.class);
            let ours = classes.filter(|class| (first..first + 64).contains(class));
            ours.fold(0u64, |bits, class| bits | 1 << (class - first))
        };
        let mut alive: Vec<u64> = (0..nodes).map(own).collect();
        let mut waits: Vec<bool> = alive.iter().map(|&bits| bits != 0).collect();
        // Those far away first: what they tell goes towards the start.
        let mut pending: Vec<usize> = (0..nodes).filter(|&at| waits[at]).collect();
        while let Some(at) = pending.pop() {
            waits[at] = false;
            let before = self.from(at);
            if !meter.take(1 + before.len() as u64) {
                return None;
            }
            for &before in before {
                let all = alive[before] | alive[at];
                if all != alive[before] {
                    alive[before] = all;
                    if !waits[before] {
                        waits[before] = true;
                        pending.push(before);
                    }
                }
            }
        }
        Some(alive)
    }
}

/// The longest path from each node; absent where there is no longest one.
pub(super) fn longest(graph: &Graph, backward: &Backward) -> Vec<Option<u64>> {
    let nodes = graph.nodes.len();
    let mut open: Vec<usize> = (0..nodes).map(|at| graph.edges(at).len()).collect();
    let mut longest: Vec<Option<u64>> = vec![None; nodes];
    let mut ends: Vec<usize> = (0..nodes).filter(|&at| open[at] == 0).collect();
    while let Some(at) = ends.pop() {
        let ways = graph.edges(at).iter();
        let ways = ways.filter_map(|edge| longest[edge.to].map(|calls| calls + 1));
        longest[at] = Some(ways.max().unwrap_or(0));
        for &before in backward.from(at) {
            open[before] -= 1;
            if open[before] == 0 {
                ends.push(before);
            }
        }
    }
    longest
}

/// A path of so many calls from the start, where there is one. The meter running out, nothing is known.
pub(super) fn path_of(
    graph: &Graph,
    longest: &[Option<u64>],
    calls: u64,
    meter: &mut Meter,
) -> Option<Vec<Step>> {
    let reaches = |edge: &&Edge, left: u64| {
        let there = longest.get(edge.to).copied();
        there.is_some_and(|most| most.is_none_or(|most| most >= left))
    };
    let (mut at, mut path) = (0, Vec::new());
    for left in (0..calls).rev() {
        let edges = graph.edges(at);
        if !meter.take(1 + edges.len() as u64) {
            return None;
        }
        // Staying in one place is the easiest to read.
        let stay = edges
            .iter()
            .find(|edge| edge.to == at && reaches(edge, left));
        let edge = stay.or_else(|| edges.iter().find(|edge| reaches(edge, left)))?;
        path.push(edge.step);
        at = edge.to;
    }
    Some(path)
}

/// Most calls of a class on a path of at most `left` calls from the start; absent where counting them
/// takes too much work.
///
/// Longer and longer paths are looked at. Where one call more changes nothing, or adds one from every
/// state, so does every further one.
pub(super) fn most_of(
    graph: &Graph,
    class: usize,
    classes: usize,
    left: u64,
    meter: &mut Meter,
) -> Option<u64> {
    // Those that come after this one have as much each.
    let share = (classes - class.min(classes)).max(1);
    meter.within(share as u64, |meter| count(graph, class, left, meter))
}

fn count(graph: &Graph, class: usize, left: u64, meter: &mut Meter) -> Option<u64> {
    let nodes = graph.nodes.len();
    let work = (graph.edges_in_all() + nodes) as u64;
    let mut most = vec![0u64; nodes];
    for done in 0..left {
        if !meter.take(work) {
            return None;
        }
        let step = |at: usize| {
            let ways = graph.edges(at).iter();
            let ways = ways.map(|edge| u64::from(edge.step.class == class) + most[edge.to]);
            ways.max().unwrap_or(0)
        };
        let next: Vec<u64> = (0..nodes).map(step).collect();
        let pairs = || next.iter().zip(&most);
        if pairs().all(|(next, now)| next == now) {
            break;
        }
        if pairs().all(|(next, now)| *next == now + 1) {
            return next.first().map(|first| first + (left - done - 1));
        }
        most = next;
    }
    most.first().copied()
}
