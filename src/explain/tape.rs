//! The records of one run, kept so that it can be replayed under another policy.

use super::course::Course;
use super::find::Found;
use crate::engine::decision::DecisionKind;
use crate::engine::{Counted, Engine, Final, Options, Output, RunReport};
use crate::import::Sink;
use crate::policy::Policy;
use crate::stages::Remembered;
use crate::stages::STAGES;
use crate::trace::event::Event;
use crate::trace::fault::{Notice, Place};
use std::cell::Cell;

/// The records of a run, and what was wrong with them.
#[derive(Debug)]
pub struct Tape {
    sought: Found,
    stem: String,
    entries: Vec<Entry>,
    /// What the semantic firewall measured of the calls, by the number of their entries.
    scores: Remembered,
}

#[derive(Debug)]
enum Entry {
    Event(Place, Event<'static>),
    Notice(Notice),
    ReachBack,
}

/// A replay of the run up to the call that is sought.
#[derive(Debug)]
pub struct Played {
    /// The call; absent where it does not come.
    pub sought: Option<Final>,
    /// The calls before it: number in the run, decision, and whether they may run.
    pub earlier: Vec<(u64, DecisionKind, bool)>,
    /// The barriers up to it.
    pub course: Course,
}

impl Tape {
    /// Nothing of the run of that call yet.
    pub fn new(sought: Found) -> Tape {
        Tape {
            sought,
            stem: String::new(),
            entries: Vec::new(),
            scores: Remembered::default(),
        }
    }

    /// The records that follow are of the input of the run; those without a run belong to `stem`.
    pub fn begin_input(&mut self, stem: &str) {
        self.stem = stem.to_owned();
    }

    /// Replays the run until the call is decided. Every rule is weighed on that call; the others tell
    /// how the barriers went.
    pub fn play(&self, policy: &Policy, options: Options) -> Played {
        self.played(policy, options, false)
    }

    /// The same without the course of the barriers, which takes less time.
    pub fn try_under(&self, policy: &Policy, options: Options) -> Played {
        self.played(policy, options, true)
    }

    fn played(&self, policy: &Policy, options: Options, alone: bool) -> Played {
        let options = Options {
            weigh: true,
            weigh_only: Some(self.sought.seq),
            weigh_alone: alone,
            wordless: false,
            ..options
        };
        let done = Cell::new(false);
        let mut player = Player {
            found: &self.sought,
            done: &done,
            played: Played {
                sought: None,
                earlier: Vec::new(),
                course: Course::of(policy),
            },
            afresh: Course::of(policy),
        };
        let engine = Engine::new(policy, STAGES, options, &mut player);
        let mut engine = engine.remembering(&self.scores);
        engine.begin_input(self.sought.input, &self.stem);
        for (at, entry) in self.entries.iter().enumerate() {
            self.scores.begin(at);
            match entry {
                Entry::Event(place, event) => engine.event(*place, event.clone()),
                Entry::Notice(notice) => engine.notice(notice.clone()),
                Entry::ReachBack => engine.reach_back(),
            }
            if done.get() {
                break;
            }
        }
        engine.end_input();
        drop(engine);
        player.played
    }

    fn is_of_run(&self, run: Option<&str>) -> bool {
        run.unwrap_or(&self.stem) == &*self.sought.run
    }
}

impl Sink for Tape {
    fn event(&mut self, place: Place, event: Event<'_>) {
        if self.is_of_run(event.run().map(|run| &**run)) {
            self.entries.push(Entry::Event(place, event.into_owned()));
        }
    }

    fn notice(&mut self, notice: Notice) {
        // One that names no run leaves every run in doubt.
        if notice.run.is_none() || self.is_of_run(notice.run.as_deref()) {
            self.entries.push(Entry::Notice(notice));
        }
    }

    fn reach_back(&mut self) {
        self.entries.push(Entry::ReachBack);
    }
}

/// Takes the decisions of a replay.
struct Player<'t> {
    found: &'t Found,
    done: &'t Cell<bool>,
    played: Played,
    /// The course of a run of which nothing came yet.
    afresh: Course,
}

impl Output for Player<'_> {
    fn decision(&mut self, decided: Final) {
        let decision = &decided.decision;
        if self.done.get() {
            return;
        }
        self.played.course.call(&decided);
        if self.found.is(decision) {
            self.played.sought = Some(decided);
            self.done.set(true);
            return;
        }
        let brief = (decision.seq, decision.kind, decision.admitted);
        self.played.earlier.push(brief);
    }

    fn notice(&mut self, _: Notice) {}

    /// A run that is over before the call begins afresh, and what came of it belongs to another run.
    fn run(&mut self, _: RunReport) {
        if !self.done.get() {
            self.played.earlier.clear();
            self.played.course = self.afresh.clone();
        }
    }

    fn count(&mut self, _: Counted) {}
}
