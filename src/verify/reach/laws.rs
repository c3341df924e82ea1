//! The law that makes a state stand for others: on random policies, from the initial state or another,
//! every sequence of calls is admitted or refused by the states exactly as by the monitor's own barriers
//! on the whole policy.

use super::explorer::Explorer;
use super::graph::{self, Graph};
use super::*;
use crate::barriers;
use crate::policy::matcher::NameTable;
use crate::policy::{PolicySource, parse};
use crate::state::RunView;
use crate::state::bindings::StateBindings;
use crate::testing::Random;
use std::sync::Arc;

const TOOLS: [&str; 4] = ["a", "b", "c", "d"];
const CONDITIONS: [&str; 8] = [
    "count(\"a\") < 2 || seen(\"b\") ? 1 : -1",
    "2 - count(\"c\")",
    "since(\"a\") < 0 || since(\"a\") > 1 ? 0.5 : -0.5",
    "2 - recent(\"d\", 3)",
    "!seen(\"b\") || last_ok(\"b\") ? 1 : -1",
    "3.5 - state.step_count",
    "0.25 - state.cost_usd + count(\"a\") * 0.1",
    "count(\"a\") - count(\"b\") + 1",
];
const REQUIRED: [&str; 4] = [
    "seen(\"a\")",
    "since(\"b\") != 0",
    "recent(\"c\", 2) == 0",
    "count(\"d\") <= 1",
];

fn random(r: &mut Random) -> String {
    let mut text = format!(
        "[gates]\nallow = [{}]\n[dfa]\nmax_steps = {}\n",
        r.pick(&[
            r#""a", "b""#,
            r#""b", "c""#,
            r#""a", "b", "c""#,
            r#""a", "b", "c", "d""#
        ]),
        3 + r.below(4)
    );
    if r.below(2) == 0 {
        let (tool, condition) = (r.pick(&TOOLS), r.pick(&REQUIRED));
        text += &format!("[[contracts]]\ntools = [\"{tool}\"]\nrequire = ['{condition}']\n");
    }
    let verify = r.below(8) > 0;
    let recorded = r.pick(&["recorded", "recorded", "none"]);
    text += &format!("[dcbf]\nverify = {verify}\ncost_accounting = \"{recorded}\"\n");
    let kappa = |r: &mut Random| *r.pick(&["1", "1", "0.5", "2.5"]);
    let pairs: Vec<String> = (0..1 + r.below(6))
        .map(|_| format!("[\"{}\", \"{}\"]", r.pick(&TOOLS), r.pick(&TOOLS)))
        .collect();
    text += &format!(
        "[dcbf.barriers.safety]\nwindow = {}\nkappa = {}\npairs = [{}]\n",
        1 + r.below(9),
        kappa(r),
        pairs.join(", ")
    );
    text += &format!(
        "[dcbf.barriers.privacy]\noutbound = [\"{}\", \"{}\"]\nper_call = {}\nkappa = {}\npower = {}\n",
        r.pick(&TOOLS),
        r.pick(&TOOLS),
        r.pick(&["0.2", "0.1", "0"]),
        kappa(r),
        r.pick(&["1", "2", "0.5"]),
    );
    text += &format!(
        "[dcbf.barriers.resource]\nlimit_usd = {}\nper_call_cost_usd = 0.1\nkappa = {}\n",
        r.pick(&["10", "0.3", "0.45"]),
        kappa(r)
    );
    text += &format!(
        "[dcbf.barriers.stability]\nstep_budget = {}\n",
        2 + r.below(6)
    );
    if r.below(3) > 0 {
        let condition = r.pick(&CONDITIONS);
        text += &format!(
            "[dcbf.barriers.own]\nkappa = {}\nexpr = '''{condition}'''\n",
            kappa(r)
        );
    }
    text
}

/// The initial state, or one with calls in it that nobody judged.
fn started(r: &mut Random, policy: &Policy) -> Start {
    let mut state = AgentState::default();
    let mut table = NameTable::default();
    if r.below(2) == 0 {
        for _ in 0..r.below(7) {
            let tool = r.pick(&["a", "b", "c", "d", "e"]);
            let names = table.intern(&policy.matchers, tool, &[]);
            state = settled(policy, &state, &names, r.below(3) == 0);
        }
        state.step_count = r.below(3);
    }
    Start {
        state,
        ..Start::default()
    }
}

/// What the whole policy says of a call in a state.
fn admits(
    policy: &Policy,
    state: &AgentState,
    names: &Arc<crate::policy::matcher::NameSet>,
) -> bool {
    let current = state.view(RunView::default());
    let bindings = StateBindings {
        policy,
        view: &current,
    };
    let contracts = policy.contracts.iter().filter(|c| names.is(c.tools));
    let appended = [Arc::clone(names)];
    let next = barriers::simulate(&current, &appended, policy.dcbf.per_call_cost);
    let check = barriers::check(policy, &current, policy.dcbf.verify.then_some(&next));
    state.step_count < policy.dfa.max_steps
        && contracts
            .flat_map(|c| &c.require)
            .all(|c| c.test(&bindings) == Ok(true))
        && check.refusing().is_empty()
}

/// Everything that sequences say, gathered one by one.
#[derive(Default)]
struct Seen {
    sequences: u64,
    /// Length of the shortest way out.
    out: Option<u64>,
    deadlock: Option<u64>,
    longest: u64,
    most: Vec<u64>,
}

struct Walk<'w> {
    policy: &'w Policy,
    explorer: &'w Explorer,
    graph: &'w Graph,
    text: &'w str,
    /// Steps of the state it starts in.
    base: u64,
    seen: Seen,
}

impl Walk<'_> {
    /// `at` is the state that stands for `state`; absent outside of the safe set.
    fn on(&mut self, state: &AgentState, at: Option<usize>, counts: &mut Vec<u64>) {
        let depth = state.step_count - self.base;
        self.seen.longest = self.seen.longest.max(depth);
        for (most, count) in self.seen.most.iter_mut().zip(&*counts) {
            *most = (*most).max(*count);
        }
        let values = barriers::values(self.policy, &state.view(RunView::default()));
        let least = |all: Option<u64>| Some(all.map_or(depth, |before| before.min(depth)));
        if !barriers::negative(&values).is_empty() {
            self.seen.out = least(self.seen.out);
        }
        let mut admitted = 0;
        for index in 0..self.explorer.classes.len() {
            self.seen.sequences += 1;
            let class = &self.explorer.classes[index];
            let admits = class.never.is_none() && admits(self.policy, state, &class.names);
            let edges = at.map_or(&[][..], |at| self.graph.edges(at));
            let in_budget = depth < self.explorer.budgets.left();
            let edge = edges
                .iter()
                .find(|edge| edge.step.class == index && in_budget);
            assert_eq!(
                admits,
                edge.is_some(),
                "{} after {depth} of\n{}",
                index,
                self.text
            );
            if !admits {
                continue;
            }
            admitted += 1;
            for step in self.explorer.ways(index) {
                let next = settled(self.policy, state, &class.names, step.failed);
                let edge = edges.iter().find(|edge| edge.step == step);
                let to = edge
                    .map(|edge| edge.to)
                    .filter(|&to| self.graph.nodes[to].safe);
                counts[index] += 1;
                self.on(&next, to, counts);
                counts[index] -= 1;
            }
        }
        let inside = barriers::negative(&values).is_empty();
        if admitted == 0 && inside && depth < self.explorer.budgets.left() {
            self.seen.deadlock = least(self.seen.deadlock);
        }
    }
}

fn settled(
    policy: &Policy,
    state: &AgentState,
    names: &Arc<crate::policy::matcher::NameSet>,
    failed: bool,
) -> AgentState {
    let mut next = state.clone();
    next.history.push(policy, names, failed);
    next.step_count += 1;
    if policy.dcbf.record_costs {
        next.cost.0 += policy.dcbf.per_call_cost.0;
    }
    next
}

/// Whether any call of the class is admitted in any way on from a state.
fn alive(policy: &Policy, explorer: &Explorer, state: &AgentState, class: usize) -> bool {
    explorer.classes.iter().enumerate().any(|(index, other)| {
        other.never.is_none()
            && admits(policy, state, &other.names)
            && (index == class
                || explorer.ways(index).any(|step| {
                    let next = settled(policy, state, &other.names, step.failed);
                    alive(policy, explorer, &next, class)
                }))
    })
}

/// Whether a barrier refuses a class in a state, and in every safe one it leads to while calls are left.
fn refuses(
    policy: &Policy,
    explorer: &Explorer,
    (state, class): (&AgentState, usize),
    barrier: &str,
) -> bool {
    let current = state.view(RunView::default());
    let appended = [Arc::clone(&explorer.classes[class].names)];
    let next = barriers::simulate(&current, &appended, policy.dcbf.per_call_cost);
    let check = barriers::check(policy, &current, policy.dcbf.verify.then_some(&next));
    let over = state.step_count >= explorer.start().step_count + explorer.budgets.left();
    let by = |&i: &usize| policy.dcbf.barriers[i].name == barrier;
    let other = |&i: &usize| !by(&i);
    let refused = check.refusing().iter().any(by) || check.outside.iter().any(other);
    over || refused
        && explorer.classes.iter().all(|other| {
            other.never.is_some() || !admits(policy, state, &other.names) || {
                let next = settled(policy, state, &other.names, false);
                refuses(policy, explorer, (&next, class), barrier)
            }
        })
}

#[test]
fn states_that_stand_for_others_say_the_same_of_every_sequence() {
    let (mut r, nothing) = (Random::new(11), |_: &str| {
        Err("there are no files".to_owned())
    });
    let (mut sequences, mut outs, mut deadlocks) = (0, 0, 0);
    let (mut lost, mut named) = (0, 0);
    for _ in 0..200 {
        let text = random(&mut r);
        let policy = parse(&text, "law", PolicySource::BuiltIn, &nothing).expect(&text);
        let start = started(&mut r, &policy);
        let mut meter = Meter::new(Limits::default().work);
        let explorer = Explorer::new(&policy, &start, &mut meter);
        let graph = graph::build(&explorer, Limits::default(), &mut meter);
        let found = facts::found(&explorer, &graph, &mut meter, true);
        let classes = explorer.classes.len();
        let mut walk = Walk {
            policy: &policy,
            explorer: &explorer,
            graph: &graph,
            text: &text,
            base: start.state.step_count,
            seen: Seen {
                most: vec![0; classes],
                ..Seen::default()
            },
        };
        let first = graph.nodes[0].safe.then_some(0);
        walk.on(&start.state, first, &mut vec![0; classes]);
        let seen = walk.seen;
        let length = |path: Option<&Vec<Step>>| path.map(|path| path.len() as u64);
        assert_eq!(
            length(found.out.as_ref().map(|o| &o.path)),
            seen.out,
            "out\n{text}"
        );
        let deadlock = found.deadlock.as_ref().map(|d| &d.path);
        assert_eq!(length(deadlock), seen.deadlock, "deadlock\n{text}");
        assert!(found.free.is_none() || found.deadlocks == 0, "free\n{text}");
        assert_eq!(
            found.more,
            Some(More::Calls(seen.longest)),
            "longest\n{text}"
        );
        for (row, most) in found.classes.iter().zip(&seen.most) {
            assert_eq!(
                row.more,
                Some(More::Calls(*most)),
                "{:?}\n{text}",
                row.tools
            );
        }
        for (index, row) in found.classes.iter().enumerate() {
            if let Some(out) = found.out.as_ref().filter(|_| row.never.is_none()) {
                let way = row.lost.as_ref().expect("nothing is admitted outside");
                assert!(way.path.len() <= out.path.len(), "{text}");
            }
            if let Some(way) = &row.lost {
                let state = explorer.follow(&way.path);
                assert!(
                    !alive(&policy, &explorer, &state, index),
                    "{:?}\n{text}",
                    row.tools
                );
                // What is said to refuse it for ever does so wherever that leads to.
                let barriers = way.by.stage == "dcbf" && !way.changes;
                for name in way.by.names.iter().filter(|_| barriers) {
                    let refused = refuses(&policy, &explorer, (&state, index), name);
                    assert!(refused, "{name} {:?}\n{text}", row.tools);
                    named += 1;
                }
                lost += 1;
            }
        }
        sequences += seen.sequences;
        outs += u32::from(seen.out.is_some());
        deadlocks += u32::from(seen.deadlock.is_some());
    }
    // The policies are such that there was something to find.
    assert!(
        sequences > 15_000 && outs > 20 && deadlocks > 5 && lost > 100 && named > 50,
        "{sequences} {outs} {deadlocks} {lost} {named}"
    );
}
