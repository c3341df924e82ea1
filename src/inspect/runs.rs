//! The runs of an input, and what has to be remembered of their calls: enough to tell a repeat from
//! a call and to place a result.
//!
//! However long a run is, what is kept of it is bounded: its latest [`MOST`] calls.

use super::facts::{Fact, Facts};
use crate::engine::asked::{call_key, run_key};
use crate::policy::matcher::NameSet;
use crate::trace::event::RawJson;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Calls of a run that are remembered, and results of an input that wait for their call.
pub const MOST: usize = 1 << 16;

/// A call that was counted.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    /// Hash of its content.
    pub content: u64,
    /// Hash of its latest outcome; of no meaning while none is known.
    pub outcome: u64,
    /// What is known of it.
    pub facts: Facts,
    /// Its semantic score.
    pub score: Option<f64>,
    /// Its names; absent where there is no policy.
    pub names: Option<Arc<NameSet>>,
}

/// The calls of a run by the hash of their ids, the latest ones.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    marks: HashMap<u64, Mark>,
    order: VecDeque<u64>,
}

impl Marks {
    /// The call of that id.
    pub fn get_mut(&mut self, id: u64) -> Option<&mut Mark> {
        self.marks.get_mut(&id)
    }

    /// Whether there is a call of that id.
    pub fn has(&self, id: u64) -> bool {
        self.marks.contains_key(&id)
    }

    /// Adds a call. Where there are too many the oldest is forgotten.
    pub fn add(&mut self, id: u64, mark: Mark) {
        if self.marks.len() >= MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.marks.remove(&oldest);
        }
        self.marks.insert(id, mark);
        self.order.push_back(id);
    }

    /// The calls without an outcome, if there are any.
    fn waiting(self) -> Option<Marks> {
        let mut marks = self.marks;
        marks.retain(|_, mark| !mark.facts.has(Fact::Outcome));
        marks.shrink_to_fit();
        let order = VecDeque::new();
        (!marks.is_empty()).then_some(Marks { marks, order })
    }
}

/// A run that is under way.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Its id.
    pub id: Arc<str>,
    /// Who acts, where calls do not say.
    pub agent: Option<Box<str>>,
    /// What the user asked for; where nothing asks for the text, it is empty.
    pub intent: Option<Box<str>>,
    /// What else is known of it; where nothing asks for it, it is `{}`.
    pub meta: Option<RawJson<'static>>,
    /// Calls so far.
    pub calls: u64,
    /// Turn of the latest call.
    pub turn: u64,
    /// Calls that followed each other in that turn.
    pub in_turn: u64,
    /// Time of the last call that has one, in nanoseconds since 1970.
    pub last: Option<i128>,
    /// Whether its latest context embedding has a direction.
    pub context: bool,
    /// Whether its latest action embedding has a direction.
    pub action: bool,
    /// Its calls.
    pub marks: Marks,
}

impl Run {
    /// The id of its next call, if that has none of its own.
    pub fn default_id(&self) -> String {
        let plain = format!("call-{}", self.calls + 1);
        let others = (2u64..).map(|n| format!("{plain}#{n}"));
        std::iter::once(plain.clone())
            .chain(others)
            .find(|id| !self.marks.has(call_key(id)))
            .unwrap_or(plain)
    }
}

/// A run that is known.
#[derive(Default)]
struct Slot {
    /// It is under way.
    open: Option<Box<Run>>,
    /// It has ended: the calls that results may still come for, if there are any.
    ended: Option<Box<Marks>>,
}

/// The runs of an input.
#[derive(Default)]
pub struct Runs {
    stem: String,
    slots: HashMap<u128, Slot>,
}

impl Runs {
    /// Begins an input. A run without an id is named `stem`.
    pub fn begin_input(&mut self, stem: &str) {
        stem.clone_into(&mut self.stem);
        self.slots.clear();
    }

    /// The id of the run that a record belongs to.
    pub fn id<'r>(&'r self, run: Option<&'r str>) -> &'r str {
        run.unwrap_or(&self.stem)
    }

    /// Begins a run afresh.
    pub fn begin(&mut self, run: Option<&str>) -> &mut Run {
        self.slots.remove(&run_key(self.id(run)));
        self.open(run).0
    }

    /// The run, opened if it is not, and whether it is new. One that has ended goes on with nothing
    /// known of it.
    pub fn open(&mut self, run: Option<&str>) -> (&mut Run, bool) {
        let id = run.unwrap_or(&self.stem);
        let key = run_key(id);
        let is_new = !self.slots.contains_key(&key);
        let slot = self.slots.entry(key).or_default();
        slot.ended = None;
        let fresh = || {
            Box::new(Run {
                id: id.into(),
                ..Run::default()
            })
        };
        (slot.open.get_or_insert_with(fresh), is_new)
    }

    /// The calls of a run that results can be for; `None` if the run is not known.
    pub fn marks(&mut self, run: Option<&str>) -> Option<&mut Marks> {
        let key = run_key(self.id(run));
        let slot = self.slots.get_mut(&key)?;
        match &mut slot.open {
            Some(run) => Some(&mut run.marks),
            None => slot.ended.as_deref_mut(),
        }
    }

    /// Ends a run: all that is kept are the calls without an outcome.
    pub fn end(&mut self, run: Option<&str>) {
        let key = run_key(self.id(run));
        let Some(slot) = self.slots.get_mut(&key) else {
            return;
        };
        if let Some(run) = slot.open.take() {
            slot.ended = run.marks.waiting().map(Box::new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_latest_calls_are_remembered() {
        let mut marks = Marks::default();
        for id in 0..MOST as u64 + 3 {
            marks.add(id, Mark::default());
        }
        assert!(!marks.has(2) && marks.has(3) && marks.has(MOST as u64 + 2));
    }

    #[test]
    fn a_run_goes_on_after_its_end_without_its_calls() {
        let mut runs = Runs::default();
        runs.begin_input("t");
        let (run, is_new) = runs.open(None);
        run.marks.add(1, Mark::default());
        assert!(is_new && runs.marks(Some("t")).is_some_and(|m| m.has(1)));
        runs.end(Some("t"));
        assert!(runs.marks(None).is_some_and(|m| m.has(1)));
        let (run, is_new) = runs.open(None);
        assert!(!is_new && !run.marks.has(1));
    }
}
