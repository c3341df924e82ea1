//! What the records of an input say against each other, without a policy: calls of one id, results
//! without a call, calls without a result. It is what a replay tells that refuses nothing.

use crate::engine::{Counted, Engine, Final, Options, Output, RunReport};
use crate::import::Sink;
use crate::policy::Policy;
use crate::stages::STAGES;
use crate::trace::event::Event;
use crate::trace::fault::{Notice, Place};
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, Sender, channel};

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
    /// Notices that have not been taken yet.
    told: Receiver<Notice>,
}

/// Passes on what is told.
struct Told(Sender<Notice>);

impl Output for Told {
    fn decision(&mut self, _: &mut Final) {}

    fn notice(&mut self, notice: Notice) {
        // Whoever is to take it is there as long as the engine is.
        let _ = self.0.send(notice);
    }

    fn run(&mut self, _: RunReport) {}

    fn count(&mut self, _: Counted) {}
}

impl Default for Records {
    fn default() -> Self {
        let (teller, told) = channel();
        // The phases alone: they know when a run is over, so that it need not be kept.
        let stages = STAGES.iter().filter(|stage| stage.id() == "dfa").copied();
        let stages: Vec<_> = stages.collect();
        let options = Options::default();
        Records {
            engine: Engine::new(&UNLIMITED, &stages, options, Told(teller)),
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
        self.told.try_iter().collect()
    }
}
