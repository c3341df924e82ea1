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
use super::scope::Scope;
use crate::policy::Measure;
use crate::policy::expr::Query;
use crate::policy::matcher::{MatcherId, NameSet};
use crate::state::AgentState;
use std::collections::HashMap;
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
}

/// The window of a safety barrier.
struct Window {
    /// Settled calls that the next one can meet.
    calls: usize,
    /// Whether some of them leave the window while calls are left.
    slides: bool,
    pairs: Vec<(MatcherId, MatcherId)>,
    /// Kinds by the classes they stand in a pair with.
    kinds: HashMap<Vec<bool>, u64>,
    /// Kinds of the classes' own names, by where these lie: nothing is asked for as often.
    own: HashMap<*const NameSet, u64>,
}

impl Quotient {
    /// For states that at most `left` calls lead from.
    pub(super) fn of(scope: &Scope, classes: &[Class], left: u64) -> Quotient {
        let (mut windows, mut outbound) = (Vec::new(), Vec::new());
        for spec in &scope.history.dcbf.barriers {
            match &spec.measure {
                Measure::Safety { window, pairs } => {
                    windows.push(Window::of(*window, pairs, classes, left));
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
        for expr in scope.expressions() {
            for (query, compared) in expr.compared() {
                let most = compared.map_or(u64::MAX, |most| most.saturating_add(1));
                match questions
                    .iter_mut()
                    .find(|question| question.query == query)
                {
                    Some(question) => question.most = question.most.max(most),
                    None => questions.push(Question { query, most }),
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

    /// The key of a safe state.
    pub(super) fn key(&self, scope: &Scope, classes: &[Class], state: &AgentState) -> Key {
        let (policy, history) = (&scope.history, &state.history);
        let mut key = Vec::new();
        for window in &self.windows {
            let mut met: Vec<u64> = Vec::new();
            for (age, names) in (1..).zip(history.last(window.calls, &[])) {
                let kind = window.kind(names, classes);
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
        for question in &self.questions {
            let most = question.most;
            match question.query {
                Query::Count(id) => key.push(history.tally(policy, id, &[]).count.min(most)),
                Query::Seen(id) => key.push(history.tally(policy, id, &[]).count.min(1)),
                Query::LastOk(id) => key.push(history.tally(policy, id, &[]).latest_ok.into()),
                Query::Since(id) => key.push(match history.tally(policy, id, &[]).latest {
                    0 => 0,
                    latest => 1 + history.len().saturating_sub(latest).min(most),
                }),
                Query::Recent(id, n) => {
                    let places = (1..).zip(history.last(n, &[]));
                    let matching = places.filter(|(_, names)| names.is(id));
                    key.extend(matching.map(|(place, _)| place));
                    key.push(0);
                }
            }
        }
        if self.steps {
            key.push(state.step_count);
        }
        key.into()
    }
}

impl Window {
    fn of(window: usize, pairs: &[(MatcherId, MatcherId)], classes: &[Class], left: u64) -> Window {
        let calls = window.saturating_sub(1);
        let mut kinds = HashMap::new();
        let mut found = Window {
            calls,
            slides: (calls as u64) < left,
            pairs: pairs.to_vec(),
            kinds: HashMap::new(),
            own: HashMap::new(),
        };
        for class in classes.iter().filter(|class| class.never.is_none()) {
            let next = kinds.len() as u64 + 1;
            let enemies = found.enemies(&class.names, classes);
            if enemies.contains(&true) {
                kinds.entry(enemies).or_insert(next);
            }
        }
        found.kinds = kinds;
        let own = classes.iter().map(|class| {
            let kind = found.kind(&class.names, classes);
            (Arc::as_ptr(&class.names), kind)
        });
        found.own = own.collect();
        found
    }

    /// The classes that may not be called while those names are in the window.
    fn enemies(&self, names: &NameSet, classes: &[Class]) -> Vec<bool> {
        let meets = |class: &Class| {
            let other = &class.names;
            let mut pairs = self.pairs.iter();
            class.never.is_none()
                && pairs.any(|&(a, b)| (names.is(a) && other.is(b)) || (names.is(b) && other.is(a)))
        };
        classes.iter().map(meets).collect()
    }

    /// The kind of a call; 0 where it stands in no pair.
    fn kind(&self, names: &Arc<NameSet>, classes: &[Class]) -> u64 {
        let own = self.own.get(&Arc::as_ptr(names)).copied();
        let found = || self.kinds.get(&self.enemies(names, classes)).copied();
        own.or_else(found).unwrap_or(0)
    }
}
