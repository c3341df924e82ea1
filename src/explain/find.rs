//! Which call is meant.

use crate::engine::decision::{Decision, DecisionKind};
use crate::engine::{Counted, Final, Output, RunReport};
use crate::trace::fault::{Noted, Notice};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How a call is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// By its id.
    Id(String),
    /// By its line in the input, from 1.
    Line(u64),
    /// The first that a barrier refused.
    FirstViolation,
    /// The first that may not run.
    FirstRefusal,
}

/// Where a call is.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Index of the input.
    pub input: usize,
    /// Line in it.
    pub line: u64,
    /// Its run. Untrusted.
    pub run: Arc<str>,
    /// Its number in the run.
    pub seq: u64,
    /// Its id. Untrusted.
    pub call: String,
    /// Its tool. Untrusted.
    pub tool: String,
    /// What was decided.
    pub kind: DecisionKind,
}

impl Found {
    /// Where the call of a decision is.
    pub fn of(decision: &Decision) -> Found {
        Found {
            input: decision.input,
            line: decision.line,
            run: Arc::clone(&decision.run),
            seq: decision.seq,
            call: decision.call.clone(),
            tool: decision.tool.to_string(),
            kind: decision.kind,
        }
    }

    /// Whether it is the decision of that call.
    pub fn is(&self, decision: &Decision) -> bool {
        let same = (decision.line, decision.seq) == (self.line, self.seq);
        same && decision.call == self.call
    }
}

/// Most calls of one name that are kept.
const KEPT: usize = 20;

/// Most ids that are kept to say what there is.
const IDS: usize = 1000;

/// Looks for calls in a replay.
#[derive(Debug)]
pub struct Finder {
    wanted: Wanted,
    run: Option<String>,
    /// The first calls that are meant.
    pub found: Vec<Found>,
    /// How many there are.
    pub total: u64,
    /// Calls of the run that was named, or of all.
    pub calls: u64,
    /// Those that may not run.
    pub refused: u64,
    /// The first ids of calls; untrusted.
    pub ids: Vec<String>,
    /// The first ids of runs; untrusted.
    pub runs: BTreeSet<Arc<str>>,
    /// Faults and warnings met.
    pub noted: Noted,
}

impl Finder {
    /// Looks for that call, in that run where one is named.
    pub fn new(wanted: Wanted, run: Option<String>) -> Finder {
        Finder {
            wanted,
            run,
            found: Vec::new(),
            total: 0,
            calls: 0,
            refused: 0,
            ids: Vec::new(),
            runs: BTreeSet::new(),
            noted: Noted::default(),
        }
    }

    fn means(&self, decision: &Decision) -> bool {
        match &self.wanted {
            Wanted::Id(id) => decision.call == *id,
            Wanted::Line(line) => decision.line == *line,
            Wanted::FirstViolation => decision.is_violation() && self.total == 0,
            Wanted::FirstRefusal => {
                (decision.is_refused() || decision.is_withheld()) && self.total == 0
            }
        }
    }
}

impl Output for Finder {
    fn decision(&mut self, decided: &mut Final) {
        let decision = &decided.decision;
        if self.runs.len() < IDS && !self.runs.contains(&decision.run) {
            self.runs.insert(Arc::clone(&decision.run));
        }
        if self.run.as_ref().is_some_and(|run| **run != *decision.run) {
            return;
        }
        self.calls += 1;
        self.refused += u64::from(decision.is_refused());
        if self.ids.len() < IDS {
            self.ids.push(decision.call.clone());
        }
        if self.means(decision) {
            self.total += 1;
            if self.found.len() < KEPT {
                self.found.push(Found::of(decision));
            }
        }
    }

    fn notice(&mut self, notice: Notice) {
        self.noted.add(notice);
    }

    fn run(&mut self, _: RunReport) {}

    fn count(&mut self, _: Counted) {}
}
