//! What the records of an input say against each other, without a policy: calls of one id, results
//! without a call, calls without a result. It is what a replay tells that refuses nothing.

use crate::engine::{Counted, Engine, Final, Options, Output, RunReport};
use crate::import::Sink;
use crate::policy::Policy;
use crate::stages::STAGES;
use crate::trace::event::Event;
use crate::trace::fault::{Notice, Place};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::LazyLock;

/// Limits that no run reaches.
static UNLIMITED: LazyLock<Policy> = LazyLock::new(|| {
    let mut policy = Policy::built_in();
    policy.dfa.max_steps = u64::MAX;
    policy.dfa.max_loops = u64::MAX;
    policy.dfa.max_repeats = None;
    policy.dfa.max_refusals = None;
    policy
});

/// Takes events and tells what is wrong with them.
pub struct Records {
    engine: Engine<'static>,
    told: Told,
}

/// Notices that have not been taken yet.
#[derive(Clone, Default)]
struct Told(Rc<RefCell<Vec<Notice>>>);

impl Output for Told {
    fn decision(&mut self, _: Final) {}

    fn notice(&mut self, notice: Notice) {
        self.0.borrow_mut().push(notice);
    }

    fn run(&mut self, _: RunReport) {}

    fn count(&mut self, _: Counted) {}
}

impl Default for Records {
    fn default() -> Self {
        let told = Told::default();
        // The phases alone: they know when a run is over, so that it need not be kept.
        let stages = STAGES.iter().filter(|stage| stage.id() == "dfa").copied();
        let stages: Vec<_> = stages.collect();
        let options = Options::default();
        Records {
            engine: Engine::new(&UNLIMITED, &stages, options, told.clone()),
            told,
        }
    }
}

impl Records {
    /// Begins the input of that index. Records without a run belong to the run named `stem`.
    pub fn begin_input(&mut self, input: usize, stem: &str) {
        self.engine.begin_input(input, stem);
    }

    /// Takes an event.
    pub fn event(&mut self, place: Place, event: Event<'_>) {
        self.engine.event(place, event);
    }

    /// The input has been read: what shows only over whole runs is told.
    pub fn end_input(&mut self) {
        self.engine.end_input();
    }

    /// What was told since this was asked last, in order.
    pub fn told(&mut self) -> Vec<Notice> {
        std::mem::take(&mut *self.told.0.borrow_mut())
    }
}
