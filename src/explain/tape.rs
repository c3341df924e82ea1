//! The records of one run, kept so that it can be replayed under another policy.

use super::course::Course;
use super::find::Found;
use crate::engine::decision::DecisionKind;
use crate::engine::{Counted, Engine, Final, Options, Output, RunReport};
use crate::import::Sink;
use crate::policy::Policy;
use crate::stages::Remembered;
use crate::stages::STAGES;
use crate::stages::weigh::Weight;
use crate::trace::event::{ApprovalOutcome, Event};
use crate::trace::fault::{Notice, Place};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

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
        self.played(policy, options, false, true)
    }

    /// The same without the course of the barriers, which takes less time. Where the call is escalated
    /// and let through the rule that `asks` stops it all the same.
    pub fn try_under(&self, policy: &Policy, options: Options, asks: bool) -> Played {
        self.played(policy, options, true, asks)
    }

    /// What somebody decided about the call, were it escalated: on its record, or on the next one.
    pub fn approval(&self) -> Option<ApprovalOutcome> {
        let mut entries = self.entries.iter();
        let line = self.sought.line;
        let call = entries.find_map(|entry| match entry {
            Entry::Event(place, Event::ToolCall(call)) if place.line == line => Some(call),
            _ => None,
        })?;
        let events = entries.filter_map(|entry| match entry {
            Entry::Event(_, event) => Some(event),
            _ => None,
        });
        call.approval.or_else(|| match events.take(1).next()? {
            Event::Approval(approval) if *approval.call == *self.sought.call => {
                Some(approval.decision)
            }
            _ => None,
        })
    }

    fn played(&self, policy: &Policy, options: Options, alone: bool, asks: bool) -> Played {
        let options = Options {
            weigh: true,
            weigh_only: Some(self.sought.seq),
            weigh_alone: alone,
            wordless: false,
            ..options
        };
        let (done, afresh) = (AtomicBool::new(false), AtomicBool::new(false));
        let mut player = Player {
            found: &self.sought,
            done: &done,
            begins: &afresh,
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
                Entry::Event(place, event) => {
                    afresh.store(matches!(event, Event::RunStart(_)), Relaxed);
                    engine.event(*place, event.clone());
                }
                Entry::Notice(notice) => engine.notice(notice.clone()),
                Entry::ReachBack => engine.reach_back(),
            }
            if done.load(Relaxed) {
                break;
            }
        }
        engine.end_input();
        drop(engine);
        let mut played = player.played;
        if let Some(decided) = &mut played.sought {
            self.let_through(decided, options, asks);
        }
        played
    }

    /// Marks the escalations that let the call of a replay through; not the one that decided it where
    /// that `asks`.
    pub fn let_through(&self, decided: &mut Final, options: Options, asks: bool) {
        let escalated = decided.decision.kind == DecisionKind::Escalate;
        let through = match escalated {
            true => decided.decision.admitted && !asks,
            false => match self.approval() {
                Some(approval) => approval == ApprovalOutcome::Approved,
                None => options.allow_escalated,
            },
        };
        let weighed = decided.weighed.as_deref_mut().unwrap_or_default();
        for rule in weighed.iter_mut().flat_map(|stage| &mut stage.rules) {
            rule.let_through = through && rule.outcome == Weight::Escalates;
        }
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
    done: &'t AtomicBool,
    /// Whether the record at hand begins a run.
    begins: &'t AtomicBool,
    played: Played,
    /// The course of a run of which nothing came yet.
    afresh: Course,
}

impl Output for Player<'_> {
    fn decision(&mut self, decided: &mut Final) {
        let decision = &decided.decision;
        if self.done.load(Relaxed) {
            return;
        }
        let sought = self.found.is(decision);
        self.played.course.call(decided, sought);
        if sought {
            self.played.sought = Some(std::mem::take(decided));
            self.done.store(true, Relaxed);
            return;
        }
        let brief = (decision.seq, decision.kind, decision.admitted);
        self.played.earlier.push(brief);
    }

    fn arrival(&mut self, seq: u64, line: u64) {
        let sought = (seq, line) == (self.found.seq, self.found.line);
        self.played.course.arrival(seq, line, sought);
    }

    fn effect(&mut self, seq: u64, line: u64, tool: &str, values: &[f64]) {
        self.played.course.effect(seq, line, tool, values);
    }

    fn notice(&mut self, _: Notice) {}

    /// A run that is over as it begins afresh is another run than that of the call.
    fn run(&mut self, _: RunReport) {
        if !self.done.load(Relaxed) && self.begins.load(Relaxed) {
            self.played.earlier.clear();
            self.played.course = self.afresh.clone();
        }
    }

    fn count(&mut self, _: Counted) {}
}
