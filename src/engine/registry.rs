//! The runs of an input: open ones with their state, ended ones as markers of a few bytes.

use super::digest;
use super::run::Run;
use crate::state::Phase;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The runs of the input that is being read.
#[derive(Default)]
pub(super) struct Registry {
    input: usize,
    stem: String,
    slots: HashMap<u128, Slot>,
    /// Runs opened so far in this input: the order of appearance.
    opened: u64,
    /// Faults so far whose run could not be told: they leave every open run in doubt.
    epoch: u64,
    /// Runs that had a fault before they were opened.
    doubted: HashSet<u128>,
    /// Runs of earlier inputs, and those of this one that were already reported as shared.
    earlier: HashSet<u128>,
}

enum Slot {
    Open(Box<Run>),
    Ended(Ended),
}

/// What is left of a run that has ended: what later records of it can still show.
#[derive(Clone, Debug, Default)]
pub(super) struct Ended {
    seq: u64,
    turn: u64,
    phase: Phase,
    parted: bool,
    doubtful: bool,
    /// Refused calls, by hash of their id, whose results would show that they ran.
    refused: Box<[u64]>,
}

/// A run that is known.
pub(super) enum Found<'r> {
    /// It is open.
    Open(&'r mut Run),
    /// It has ended.
    Ended(&'r mut Ended),
}

impl Ended {
    /// A result came for a call of the run.
    pub(super) fn result(&mut self, call: u64) {
        self.parted |= self.refused.contains(&call);
    }
}

impl Registry {
    pub(super) fn begin_input(&mut self, input: usize, stem: &str) {
        self.input = input;
        self.stem = stem.into();
    }

    /// The open runs in order of appearance, to be taken out one by one.
    pub(super) fn open_runs(&self) -> Vec<u128> {
        let open = self.slots.iter().filter_map(|(&key, slot)| match slot {
            Slot::Open(run) => Some((run.order, key)),
            Slot::Ended(_) => None,
        });
        let mut open: Vec<_> = open.collect();
        open.sort_unstable();
        open.into_iter().map(|(_, key)| key).collect()
    }

    /// Ends the input.
    pub(super) fn end_input(&mut self) {
        self.earlier.extend(std::mem::take(&mut self.slots).keys());
        self.doubted.clear();
    }

    /// The id of the run a record belongs to.
    pub(super) fn name<'s>(&'s self, run: Option<&'s str>) -> &'s str {
        run.unwrap_or(&self.stem)
    }

    /// The run, opened if it is new. A run that has ended is opened again as it ended.
    pub(super) fn open(&mut self, run: Option<&str>) -> &mut Run {
        let id = run.unwrap_or(&self.stem);
        let key = digest::run(id);
        let (input, epoch) = (self.input, self.epoch);
        let doubted = &mut self.doubted;
        let opened = &mut self.opened;
        let mut fresh = || {
            *opened += 1;
            let mut run = Box::new(Run::new(Arc::from(id), input, *opened));
            run.epoch = epoch;
            run.doubtful = doubted.remove(&key);
            run
        };
        let slot = self.slots.entry(key).or_insert_with(|| Slot::Open(fresh()));
        if let Slot::Ended(ended) = slot {
            let mut run = fresh();
            run.resume(ended.seq, ended.turn, ended.phase);
            run.parted = ended.parted;
            run.doubtful |= ended.doubtful;
            run.late = std::mem::take(&mut ended.refused);
            *slot = Slot::Open(run);
        }
        match slot {
            Slot::Open(run) => {
                run.doubt_since(epoch);
                run
            }
            // Replaced just above.
            Slot::Ended(_) => unreachable!("an ended run was opened again"),
        }
    }

    /// The run, if it is known.
    pub(super) fn find(&mut self, run: Option<&str>) -> Option<Found<'_>> {
        let key = digest::run(run.unwrap_or(&self.stem));
        let epoch = self.epoch;
        Some(match self.slots.get_mut(&key)? {
            Slot::Open(run) => {
                run.doubt_since(epoch);
                Found::Open(run)
            }
            Slot::Ended(ended) => Found::Ended(ended),
        })
    }

    /// By what a run is taken out.
    pub(super) fn key(&self, run: Option<&str>) -> u128 {
        digest::run(self.name(run))
    }

    /// Takes an open run out, because it is over or begins afresh. Its marker stays until then.
    pub(super) fn take(&mut self, key: u128) -> Option<Box<Run>> {
        let epoch = self.epoch;
        let slot = self.slots.get_mut(&key)?;
        let marker = Slot::Ended(Ended::default());
        match std::mem::replace(slot, marker) {
            Slot::Open(mut run) => {
                run.doubt_since(epoch);
                Some(run)
            }
            Slot::Ended(_) => None,
        }
    }

    /// Forgets a run, so that it begins afresh.
    pub(super) fn forget(&mut self, key: u128) {
        self.slots.remove(&key);
    }

    /// Reduces a run that has ended to its marker.
    pub(super) fn shrink(&mut self, id: &str) {
        let key = digest::run(id);
        if let Some(Slot::Open(run)) = self.slots.get(&key) {
            let ended = Ended {
                seq: run.seq,
                turn: run.turn,
                phase: run.state.phase,
                parted: run.parted,
                doubtful: run.doubtful,
                refused: run.refused_without_outcome(),
            };
            self.slots.insert(key, Slot::Ended(ended));
        }
    }

    /// Whether an earlier input has a run of this id; says so once.
    pub(super) fn is_shared(&mut self, run: Option<&str>) -> bool {
        !self.earlier.is_empty() && {
            let key = digest::run(run.unwrap_or(&self.stem));
            !self.slots.contains_key(&key) && self.earlier.remove(&key)
        }
    }

    /// A fault of that run, or of one that cannot be told.
    pub(super) fn fault(&mut self, run: Option<&str>) {
        let Some(id) = run else {
            self.epoch += 1;
            return;
        };
        let key = digest::run(id);
        match self.slots.get_mut(&key) {
            Some(Slot::Open(run)) => run.doubtful = true,
            Some(Slot::Ended(ended)) => ended.doubtful = true,
            None => {
                self.doubted.insert(key);
            }
        }
    }
}
