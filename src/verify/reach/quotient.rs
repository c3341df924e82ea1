//! Which states are one: those from which the same calls are admitted, and lead to states that are one
//! again.
//!
//! What is left of a state is
//! - for a safety barrier, how long ago the latest call of each kind came, a kind being those calls
//!   that stand in a pair with the same classes; calls that have left the window or stand in no pair
//!   leave nothing, and an earlier call of a kind matters no more once there is a later one,
//! - for a privacy barrier, the outbound calls so far,
//! - for every question of an expression its answer, or what later answers follow from; counts that
//!   are only compared with numbers stop where all those are passed.
//!
//! A barrier that is negative refuses everything, so that counts go no further than that.

use super::classes::Class;
use super::effort::Effort;
use super::meter::Meter;
use super::scope::Scope;
use crate::policy::Measure;
use crate::policy::expr::Query;
use crate::policy::matcher::{MatcherId, NameSet};
use crate::state::AgentState;
use crate::state::history::History;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What is left of a state. Equal keys, one state.
pub(super) type Key = Box<[u64]>;

/// Reduces states to keys.
pub(super) struct Quotient {
    windows: Vec<Window>,
    outbound: Vec<MatcherId>,
    questions: Vec<Question>,
    steps: bool,
}

/// A question about the history, and where its numbers stop to matter.
struct Question {
    query: Query,
    most: u64,
    /// Where the history counts what it is about; absent where it does not.
    tally: Option<usize>,
}

/// Classes by index, a bit each.
type Bits = Vec<u64>;

/// The window of a safety barrier.
struct Window {
    /// Settled calls that are told apart: those that the next one can meet, or all that were ever in the
    /// window where none leaves it.
    calls: usize,
    /// Whether a call of a pair leaves the window while calls are left.
    slides: bool,
    /// Lists of pairs, each with the classes that stand on the other side of a pair with it.
    sides: Vec<(MatcherId, Bits)>,
    /// Kinds by the classes they stand in a pair with.
    kinds: HashMap<Bits, u64>,
    /// Kinds of the classes' own names, by where these lie: nothing is asked for as often.
    own: HashMap<*const NameSet, u64>,
}

impl Quotient {
    /// For the states of runs that begin with a history and make so many calls at most. Where the meter runs
    /// out nothing can be explored by it.
    pub(super) fn of(
        scope: &Scope,
        classes: &[Class],
        ahead: (&History, u64),
        meter: &mut Meter,
    ) -> Quotient {
        let (mut windows, mut outbound) = (Vec::new(), Vec::new());
        for spec in &scope.history.dcbf.barriers {
            match &spec.measure {
                Measure::Safety { window, pairs } => {
                    windows.push(Window::of(*window, pairs, (classes, ahead), meter));
                }
                Measure::Privacy {
                    outbound: list,
                    per_call,
                    ..
                } if *per_call != 0.0 && !outbound.contains(list) => outbound.push(*list),
                _ => {}
            }
        }
        let mut questions: Vec<Question> = Vec::new();
        let mut known: HashMap<Query, usize> = HashMap::new();
        for expr in scope.expressions() {
            for (query, compared) in expr.compared() {
                let most = compared.map_or(u64::MAX, |most| most.saturating_add(1));
                let at = *known.entry(query).or_insert(questions.len());
                match questions.get_mut(at) {
                    Some(question) => question.most = question.most.max(most),
                    None => questions.push(Question {
                        query,
                        most,
                        tally: scope.history.tallied.binary_search(&query.tools()).ok(),
                    }),
                }
            }
        }
        Quotient {
            windows,
            outbound,
            questions,
            steps: scope.asks_steps,
        }
    }

    /// Adds what making a key comes to.
    pub(super) fn weigh(&self, effort: &mut Effort) {
        for window in &self.windows {
            effort.look(window.calls, 1);
        }
        for question in &self.questions {
            effort.add(1);
            if let Query::Recent(_, n) = question.query {
                effort.look(n, 1);
            }
        }
    }

    /// The key of a safe state. Questions whose answer is none or no leave nothing: of thousands most are
    /// of that kind.
    pub(super) fn key(&self, scope: &Scope, state: &AgentState) -> Key {
        let (policy, history) = (&scope.history, &state.history);
        let mut key = Vec::new();
        for window in &self.windows {
            let mut met: Vec<u64> = Vec::new();
            for (age, names) in (1..).zip(history.last(window.calls, &[])) {
                let kind = window.kind(names);
                if kind > 0 && !met.contains(&kind) {
                    met.push(kind);
                    key.extend([if window.slides { age } else { 1 }, kind]);
                }
            }
            if !window.slides {
                // Then their order tells nothing either.
                let first = key.len() - 2 * met.len();
                met.sort_unstable();
                key.truncate(first);
                key.extend(met);
            }
            key.push(0);
        }
        for &list in &self.outbound {
            key.push(history.tally(policy, list, &[]).count);
        }
        for (question, number) in self.questions.iter().zip(1..) {
            let tally = || question.tally.map(|at| history.nth(at)).unwrap_or_default();
            let answer = match question.query {
                Query::Count(_) => tally().count.min(question.most),
                Query::Seen(_) => tally().count.min(1),
                Query::LastOk(_) => tally().latest_ok.into(),
                Query::Since(_) => match tally().latest {
                    0 => 0,
                    latest => 1 + history.len().saturating_sub(latest).min(question.most),
                },
                Query::Recent(id, n) => {
                    let places = (1..).zip(history.last(n, &[]));
                    let matching = places.filter(|(_, names)| names.is(id));
                    let from = key.len();
                    key.extend([number].into_iter().chain(matching.map(|(place, _)| place)));
                    match key.len() - from {
                        1 => key.truncate(from),
                        _ => key.push(0),
                    }
                    continue;
                }
            };
            if answer > 0 {
                key.extend([number, answer]);
            }
        }
        key.push(0);
        if self.steps {
            key.push(state.step_count);
        }
        key.into()
    }
}

impl Window {
    fn of(
        window: usize,
        pairs: &[(MatcherId, MatcherId)],
        (classes, (history, left)): (&[Class], (&History, u64)),
        meter: &mut Meter,
    ) -> Window {
        let calls = window.saturating_sub(1);
        let mut found = Window {
            calls,
            slides: true,
            sides: Vec::new(),
            kinds: HashMap::new(),
            own: HashMap::new(),
        };
        let words = classes.len().div_ceil(64);
        // Each class is held against each side, and what stands against it is joined.
        let work = pairs.len().saturating_mul(classes.len());
        if !meter.take((work as u64).saturating_mul(2 + words as u64 / 4)) {
            return found;
        }
        let mut members: HashMap<MatcherId, Bits> = HashMap::new();
        for &list in pairs.iter().flat_map(|(a, b)| [a, b]) {
            members.entry(list).or_insert_with(|| {
                let mut bits = vec![0; words];
                for (at, class) in classes.iter().enumerate() {
                    if class.never.is_none() && class.names.is(list) {
                        bits[at / 64] |= 1 << (at % 64);
                    }
                }
                bits
            });
        }
        let mut sides: BTreeMap<MatcherId, Bits> = BTreeMap::new();
        for (own, other) in pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]) {
            let all = sides.entry(own).or_insert_with(|| vec![0; words]);
            members.get(&other).inspect(|other| join(all, other));
        }
        found.sides = sides.into_iter().collect();
        let mut kinds = HashMap::new();
        let callable = classes.iter().filter(|class| class.never.is_none());
        let callable = callable.map(|class| &class.names);
        // Calls made before may be of tools that none can be called of now.
        for names in callable.chain(history.last(window, &[])) {
            let next = kinds.len() as u64 + 1;
            let enemies = found.enemies(names);
            if enemies.iter().any(|&word| word != 0) {
                kinds.entry(enemies).or_insert(next);
            }
        }
        found.kinds = kinds;
        let own = classes.iter().map(|class| {
            let kind = found.kind(&class.names);
            (Arc::as_ptr(&class.names), kind)
        });
        found.own = own.collect();
        // The last call meets those before it that are in the window with it.
        let last = history.last(window, &[]).zip(1..);
        let paired = last.filter(|(names, _)| found.kind(names) > 0);
        let oldest = paired.map(|(_, age)| age).max().unwrap_or(0u64);
        found.slides = (window as u64) < left.saturating_add(oldest);
        if !found.slides {
            // What came first counts to the end, also behind the last call.
            found.calls = window;
        }
        found
    }

    /// The classes that may not be called while those names are in the window.
    fn enemies(&self, names: &NameSet) -> Bits {
        let mut enemies = Bits::new();
        for (_, others) in self.sides.iter().filter(|(list, _)| names.is(*list)) {
            enemies.resize(others.len(), 0);
            join(&mut enemies, others);
        }
        enemies
    }

    /// The kind of a call; 0 where it stands in no pair.
    fn kind(&self, names: &Arc<NameSet>) -> u64 {
        let own = self.own.get(&Arc::as_ptr(names)).copied();
        let found = || self.kinds.get(&self.enemies(names)).copied();
        own.or_else(found).unwrap_or(0)
    }
}

fn join(all: &mut [u64], others: &[u64]) {
    for (all, other) in all.iter_mut().zip(others) {
        *all |= other;
    }
}
