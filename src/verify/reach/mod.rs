//! What a policy can reach: every state that runs can come to, as far as barriers and stages can tell
//! states apart.
//!
//! The state of a run is endless, but what the rules ask of it is not: whether a pair of calls stands
//! close together, how many calls were outbound, how many steps are left. States that agree in all of
//! that are one here, and the finitely many that remain are all looked at, shortest paths first. Every
//! step is decided by the barriers themselves, on a run's state that stands for the others like it, so
//! that what is found here is what the monitor does.
//!
//! Calls come one after the other, each costs what a call without an estimate is charged, and results
//! have errors only where a condition asks for them.

#[cfg(test)]
mod claims;
mod classes;
mod cycles;
mod effort;
mod explorer;
mod facts;
mod graph;
#[cfg(test)]
mod laws;
mod losses;
mod meter;
mod quotient;
mod scope;
mod steps;
#[cfg(test)]
mod stress;
#[cfg(test)]
mod tests;
mod told;
mod words;

use crate::policy::{Policy, PolicyWarning};
use crate::state::AgentState;
use crate::verify::soundness::Exit;
use explorer::Explorer;
use meter::Meter;
pub(crate) use scope::counts_only;
pub use told::{DEADLOCK, EXIT, UNKNOWN};

/// How far an exploration goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most states.
    pub states: usize,
    /// Most admitted steps between states.
    pub transitions: usize,
    /// Most work: positions of names that are looked for, names compared with lists, barriers and
    /// conditions evaluated, states made and counted along. One is some nanoseconds. Half of it at most goes
    /// into names.
    pub work: u64,
}

impl Default for Limits {
    /// 200,000 states, 4,000,000 steps between them and 500,000,000 of work: some seconds at worst.
    fn default() -> Limits {
        Limits {
            states: 200_000,
            transitions: 4_000_000,
            work: 500_000_000,
        }
    }
}

/// Where an exploration starts, and with which tools.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The state; the initial one where there is nothing in it.
    pub state: AgentState,
    /// Tools that are there beside those the policy names.
    pub tools: Vec<String>,
    /// Whether the state was given, so that it need not be that of a fresh run.
    pub from_state: bool,
}

/// A number of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum More {
    /// So many, and in no way more.
    Calls(u64),
    /// So many at least: counting stopped there.
    AtLeast(u64),
}

/// One call of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Index of its class.
    pub class: usize,
    /// Whether its result has an error, where a condition asks for that.
    pub failed: bool,
}

/// Why calls of a class are refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Refusal {
    /// The stage.
    pub stage: &'static str,
    /// Its rule.
    pub rule: &'static str,
    /// What of the policy: barriers, or the id of a contract; empty where it has no name.
    pub names: Vec<String>,
}

/// What a tool of a class is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Any tool that the policy does not name.
    Other,
    /// Its name.
    Named,
    /// Globs of the policy that it matches.
    Glob,
}

/// A tool, or all those that go by one description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// What it is known by.
    pub kind: Kind,
    /// Its name or, where it is known by globs, these; empty for any other tool.
    pub names: Vec<String>,
    /// The labels it goes by, as far as the rules ask for them.
    pub labels: Vec<String>,
}

/// Tools that no rule tells apart.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassRow {
    /// The tools, at least one; the first stands for the class.
    pub tools: Vec<Tool>,
    /// Why no call of it is admitted in any state; absent where the state decides.
    pub never: Option<Refusal>,
    /// Most calls of it in one run from the start; absent where they were not counted.
    pub more: Option<More>,
    /// When it is lost for ever; absent where it never is while calls are left, or that is not known.
    pub lost: Option<Lost>,
}

/// A state from which no call of a class is ever admitted again. One outside of the safe set is such a state
/// for every class.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// The shortest path there; empty where the class is lost at the start.
    pub path: Vec<Step>,
    /// What refuses it there, and in every safe state from there on while calls are left.
    pub by: Refusal,
    /// Whether nothing does that: then `by` refuses it there alone, and others do later on.
    pub changes: bool,
}

/// A path out of the safe set.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// The shortest one; empty where the start lies outside.
    pub path: Vec<Step>,
    /// The barriers that are negative at its end.
    pub barriers: Vec<String>,
    /// What its last call does to each of these, in the same order; none where there is no call.
    pub exits: Vec<Exit>,
}

impl Out {
    /// What its last call does to a barrier, where that is what turns it negative.
    pub fn exit(&self, barrier: &str) -> Option<Exit> {
        let mut exits = self.barriers.iter().zip(&self.exits);
        exits
            .find(|(name, _)| *name == barrier)
            .map(|(_, exit)| *exit)
    }
}

/// A safe state in which no call is admitted although steps are left.
#[derive(Clone, Debug, PartialEq)]
pub struct Deadlock {
    /// The shortest path to one.
    pub path: Vec<Step>,
    /// What refuses each class there, by index.
    pub refusals: Vec<Refusal>,
}

/// How many calls the budgets leave, whatever the calls are.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    /// So many.
    pub left: More,
    /// What refuses the next one; empty where counting stopped.
    pub by: Vec<Refusal>,
}

/// Something of the policy that is not part of the exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncovered {
    /// What it is, in the words of the policy.
    pub what: String,
    /// Why, and what that means.
    pub why: &'static str,
}

/// The values that a barrier has in the states that are reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Attained {
    /// Its name.
    pub barrier: String,
    /// The least, in the barrier's unit, less its margin. That of a state outside of the safe set counts, and
    /// is -1 where the barrier cannot be computed.
    pub least: f64,
    /// The greatest.
    pub most: f64,
}

/// Which limit ended an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// There are more states.
    States(usize),
    /// There are more steps between states.
    Transitions(usize),
    /// It takes more work.
    Work(u64),
    /// So many calls were followed, and a later one may take steps or money below zero, or lead to new states.
    Calls(u64),
    /// There are more names, and sets of labels, than these that were looked at: what calls of the others
    /// do is not known.
    Names(usize),
}

/// What a policy can reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// Whether it started from a state that was given.
    pub from_state: bool,
    /// Tools, by what the rules can tell apart.
    pub classes: Vec<ClassRow>,
    /// Budgets that every call takes from.
    pub steps: Steps,
    /// Safe states that are reached and told apart, the start included. Steps and cost are kept apart.
    pub states: usize,
    /// Admitted calls between them.
    pub transitions: usize,
    /// Admitted calls that lead from them out of the safe set, those aside that do so by steps or money alone.
    pub exits: usize,
    /// What barriers attain, in policy order: those that go by the calls so far. Budgets of steps and money are
    /// not among them, nor is what is not explored; and none is where not even the start was looked at.
    pub attained: Vec<Attained>,
    /// The limit that ended the exploration; absent where it is complete. What is found then is there
    /// all the same, what is absent may be there too.
    pub cut: Option<Cut>,
    /// The shortest path out of the safe set.
    pub out: Option<Out>,
    /// The nearest deadlock.
    pub deadlock: Option<Deadlock>,
    /// How many of the states are deadlocks; so many at least where the exploration was cut off.
    pub deadlocks: usize,
    /// A class that is admitted in every safe state while calls are left, so that there is no deadlock.
    /// That follows from the rules, and holds where the exploration was cut off. Absent where the start is not
    /// safe.
    pub free: Option<usize>,
    /// Most calls in one run from the start; absent where it was not found out.
    pub more: Option<More>,
    /// What was not explored. It may refuse more than is shown here.
    pub uncovered: Vec<Uncovered>,
}

impl Reach {
    /// Whether every reachable state keeps every barrier that was explored: of runs whose calls cost what is
    /// charged by default and have the labels that the policy gives. Other costs and labels that a record
    /// brings may lead elsewhere.
    pub fn is_safe(&self) -> bool {
        self.out.is_none() && self.cut.is_none()
    }

    /// Whether the start lies outside of the safe set, so that every call is refused.
    pub fn starts_outside(&self) -> bool {
        self.out.as_ref().is_some_and(|out| out.path.is_empty())
    }

    /// The least and the greatest value of a barrier in the states that were reached: all there are where
    /// nothing was cut off. None where it was not explored, or is a budget of steps or money.
    ///
    /// For an `expr` barrier that is what its condition comes to in a run under this policy, as far as calls
    /// are explored ([`Reach::uncovered`]), with default costs and labels by the policy: other costs, and
    /// labels that records bring, may lead to other values.
    pub fn attained(&self, barrier: &str) -> Option<&Attained> {
        self.attained.iter().find(|own| own.barrier == barrier)
    }
}

/// Explores a policy from the initial state.
pub fn explore(policy: &Policy, limits: Limits) -> Reach {
    explore_from(policy, &Start::default(), limits)
}

/// Explores a policy from a state.
pub fn explore_from(policy: &Policy, start: &Start, limits: Limits) -> Reach {
    let mut meter = Meter::new(limits.work);
    let explorer = Explorer::new(policy, start, &mut meter);
    let graph = graph::build(&explorer, limits, &mut meter);
    facts::found(&explorer, &graph, &mut meter, true)
}

/// What a look for a deadlock near the initial state came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Near {
    /// Doubts about the policy. That the limits of states and of calls between them end the search is no
    /// doubt; that it takes too much work to get there is one.
    pub doubts: Vec<PolicyWarning>,
    /// What refuses each class of tools at the start; nothing where some call is admitted there, or where
    /// that was not found out.
    pub refused: Vec<Refusal>,
}

/// Looks for a deadlock from the initial state and for nothing else.
pub fn near(policy: &Policy, limits: Limits) -> Near {
    let mut meter = Meter::new(limits.work);
    let explorer = Explorer::new(policy, &Start::default(), &mut meter);
    if explorer.free().is_some() {
        return Near::default();
    }
    let graph = graph::build(&explorer, limits, &mut meter);
    let found = facts::found(&explorer, &graph, &mut meter, false);
    let cut = found.cut.filter(|cut| cut.is_work());
    let deadlock = found.deadlock_warning(policy);
    let none = deadlock.is_none();
    let cut = cut.filter(|_| none).map(Cut::warning_near);
    let at_start = found.deadlock.filter(|deadlock| deadlock.path.is_empty());
    Near {
        doubts: deadlock.into_iter().chain(cut).collect(),
        refused: at_start.map_or(Vec::new(), |deadlock| deadlock.refusals),
    }
}

/// The doubts about a policy that a look near the initial state raises.
#[cfg(test)]
fn doubts_near(policy: &Policy, limits: Limits) -> Vec<PolicyWarning> {
    near(policy, limits).doubts
}
