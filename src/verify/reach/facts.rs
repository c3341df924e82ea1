//! What the states say: paths out, deadlocks, classes that are lost, and how many calls there can be.

use super::cycles::{self, Backward};
use super::explorer::{Explorer, Met};
use super::graph::Graph;
use super::losses;
use super::meter::Meter;
use super::{Attained, ClassRow, Cut, Deadlock, More, Out, Reach, Refusal, Step, Uncovered};
use crate::barriers::UNKNOWN;
use crate::number::count;
use crate::state::AgentState;
use crate::verify::soundness::Exit;

/// Everything there is to say; what there is to say of each class only where `counting`.
pub(super) fn found(
    explorer: &Explorer,
    graph: &Graph,
    meter: &mut Meter,
    counting: bool,
) -> Reach {
    // What goes once along the graph was paid for, as often, when the graph was made.
    let backward = Backward::of(graph);
    let longest = cycles::longest(graph, &backward);
    let left = explorer.budgets.left();
    // A name that was left out may be admitted where all others are refused.
    let dead = match explorer.left_out {
        None => dead_ends(graph),
        Some(_) => Vec::new(),
    };
    let deadlock = dead.first().map(|&node| {
        let path = graph.path(node);
        let state = explorer.follow(&path);
        Deadlock {
            path,
            refusals: refusals(explorer, &state),
        }
    });
    let mut cut = match explorer.left_out {
        Some(looked_at) => Some(Cut::Names(looked_at)),
        None => graph.cut,
    };
    let whole = cut.is_none();
    let none_left = losses::at_start(explorer);
    // Where everything was explored, what was found says more than that conditions are for other calls.
    let free = explorer.free().filter(|_| !whole || !explorer.asks());
    let out = out(explorer, graph, &longest, meter);
    let mut lost = vec![None; explorer.classes.len()];
    if let Some(all) = &none_left {
        lost = losses::of_all(explorer, all);
    } else if whole && counting {
        lost = losses::found(explorer, graph, (&backward, out.as_ref()), meter).unwrap_or(lost);
    }
    // What does not even tell what is lost leaves nothing to count by.
    let whole = whole && !meter.is_out();
    let (mut rows, mut uncounted) = (Vec::new(), 0u64);
    for (index, (class, lost)) in explorer.classes.iter().zip(lost).enumerate() {
        let counted = match class.never {
            Some(_) => Some(0),
            None if none_left.is_some() => Some(0),
            None if free == Some(index) => Some(left),
            None if !whole || !counting => None,
            None => {
                let most = cycles::most_of(graph, index, explorer.classes.len(), left, meter);
                uncounted += u64::from(most.is_none());
                most
            }
        };
        rows.push(ClassRow {
            tools: class.tools.clone(),
            never: class.never.clone(),
            more: counted.map(|most| match class.never {
                Some(_) => More::Calls(0),
                None => counted_by(explorer, most),
            }),
            lost,
        });
    }
    if meter.is_out() {
        cut = cut.or(Some(Cut::Work(graph.limits.work)));
    }
    cut = cut.or(explorer.budgets.open.map(Cut::Calls));
    let mut uncovered = explorer.scope.uncovered.clone();
    if uncounted > 0 {
        uncovered.push(Uncovered {
            what: format!(
                "how many calls there can be of {}",
                count(uncounted, "class", "classes")
            ),
            why: "counting them takes more work than there may be",
        });
    }
    let exits = graph.edges_out();
    let most = longest.first().copied().flatten();
    let most = most.map_or(left, |most| most.min(left));
    Reach {
        from_state: explorer.from_state,
        classes: rows,
        steps: explorer.budgets.steps.clone(),
        states: graph.nodes.iter().filter(|node| node.safe).count(),
        transitions: graph.edges_in_all() - exits,
        exits,
        attained: attained(explorer, graph),
        cut,
        out,
        deadlock,
        deadlocks: dead.len(),
        more: match free {
            _ if none_left.is_some() => Some(More::Calls(0)),
            Some(_) => Some(counted_by(explorer, left)),
            None => whole.then(|| counted_by(explorer, most)),
        },
        free,
        uncovered,
    }
}

/// What barriers attain.
fn attained(explorer: &Explorer, graph: &Graph) -> Vec<Attained> {
    let barriers = explorer.scope.history.dcbf.barriers.iter();
    let attained = barriers.zip(&graph.attained);
    let attained = attained.map(|(spec, &(least, most))| Attained {
        barrier: spec.name.clone(),
        least,
        most,
    });
    attained.collect()
}

/// A count of calls that budgets may have ended before they were all counted.
fn counted_by(explorer: &Explorer, most: u64) -> More {
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
    let here = explorer.here(state);
    let classes = 0..explorer.classes.len();
    let met = classes.filter_map(|class| match explorer.meet(&here, class) {
        Met::Refused(refusal) => Some(refusal),
        Met::Admitted(_) => None,
    });
    met.collect()
}

/// The shortest path out of the safe set: by the calls made, or by budgets that every call takes from.
fn out(
    explorer: &Explorer,
    graph: &Graph,
    longest: &[Option<u64>],
    meter: &mut Meter,
) -> Option<Out> {
    let budgets = &explorer.budgets;
    if !explorer.outside.is_empty() {
        return Some(Out {
            path: Vec::new(),
            barriers: explorer.outside.clone(),
            exits: Vec::new(),
        });
    }
    let by_calls = graph.exit().map(|node| {
        let (path, barriers) = (graph.path(node), graph.outside.clone());
        let exits = exits(explorer, &path, &barriers);
        Out {
            path,
            barriers,
            exits,
        }
    });
    let by_budget = budgets.out.as_ref().and_then(|(calls, barriers)| {
        let path = cycles::path_of(graph, longest, calls + 1, meter)?;
        let exits = exits(explorer, &path, barriers);
        Some(Out {
            path,
            barriers: barriers.clone(),
            exits,
        })
    });
    match (by_calls, by_budget) {
        (Some(a), Some(b)) if b.path.len() < a.path.len() => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}

/// What the last call of a path does to barriers that are negative at its end.
fn exits(explorer: &Explorer, path: &[Step], barriers: &[String]) -> Vec<Exit> {
    let Some((&last, before)) = path.split_last() else {
        return Vec::new();
    };
    let before = explorer.follow(before);
    let after = explorer.settle(&before, last);
    let exit = |name: &String| {
        let value = |state| explorer.value(state, name).unwrap_or(UNKNOWN);
        Exit {
            h: value(&before),
            next: value(&after),
        }
    };
    barriers.iter().map(exit).collect()
}
