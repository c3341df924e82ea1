//! The runs of an input: open ones with their state, ended ones as markers of a few bytes.
//!
//! Of the open ones those that spoke last are as they are, and the others packed. How many stay as they
//! are follows the recording: one more for each packed run that speaks again, one less for each new run.

use super::aside::Room;
use super::digest;
use super::packed::Packed;
use super::run::{Kept, Run};
use super::shelf::{Away, Shelf};
use crate::policy::matcher::NameTable;
use crate::state::Phase;
use foldhash::{HashMap, HashSet};
use std::collections::VecDeque;
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
    /// How many of them there were when runs that are opened now began, as far as can be told.
    born: Option<u64>,
    /// How many there were when the input began.
    before_input: u64,
    /// Runs that had a fault before they were opened.
    doubted: HashSet<u128>,
    /// Runs of earlier inputs, and those of this one that were already reported as shared.
    earlier: HashSet<u128>,
    /// The runs that are not packed, in the order in which that was last looked at. Some may be over.
    awake: VecDeque<u128>,
    /// How many there are to be at most.
    room: usize,
    shelf: Shelf,
}

/// Runs that are listed at a time, however few there are.
const TOGETHER: u64 = 16_384;

/// Runs that are not packed, however few come back.
const LEAST: usize = 256;

/// Runs that are not packed, however many come back: any more take what packing saves.
const MOST: usize = 16_384;

enum Slot {
    Open(Box<Run>),
    /// It has not spoken for a while.
    Packed(Box<Packed>),
    /// The same, where there are many.
    Aside(Away),
    Ended(Marker),
    /// The same where there is more to remember than a marker holds.
    Late(Box<Ended>),
}

/// What is left of a run that has ended, in sixteen bytes: there may be millions.
#[derive(Clone, Copy, Debug, Default)]
struct Marker {
    seq: u32,
    turn: u32,
    refused: u32,
    phase: Phase,
    parted: bool,
    doubtful: bool,
}

/// What is left of a run that has ended: what later records of it can still show.
#[derive(Clone, Debug, Default)]
pub(super) struct Ended {
    seq: u64,
    turn: u64,
    /// Calls refused.
    refusals: u64,
    phase: Phase,
    parted: bool,
    doubtful: bool,
    /// Refused calls, by hash of their id, whose results would show that they ran.
    refused: Box<[u64]>,
    /// How it ended, where every rule is weighed.
    kept: Option<Box<Kept>>,
}

impl Ended {
    fn of(run: &Run, weighs: bool) -> Ended {
        Ended {
            kept: weighs.then(|| Kept::of(run)),
            seq: run.seq,
            turn: run.turn,
            refusals: run.tally.refused,
            phase: run.state.phase,
            parted: run.parted,
            doubtful: run.doubtful,
            refused: run.refused_without_outcome(),
        }
    }

    fn is_small(&self) -> bool {
        self.refused.is_empty() && self.kept.is_none()
    }

    /// The smallest slot that holds it.
    fn slot(self) -> Slot {
        let small = |n: u64| u32::try_from(n);
        match (small(self.seq), small(self.turn), small(self.refusals)) {
            (Ok(seq), Ok(turn), Ok(refused)) if self.is_small() => Slot::Ended(Marker {
                seq,
                turn,
                refused,
                phase: self.phase,
                parted: self.parted,
                doubtful: self.doubtful,
            }),
            _ => Slot::Late(Box::new(self)),
        }
    }
}

impl Marker {
    fn ended(self) -> Ended {
        Ended {
            seq: self.seq.into(),
            turn: self.turn.into(),
            refusals: self.refused.into(),
            phase: self.phase,
            parted: self.parted,
            doubtful: self.doubtful,
            refused: Box::default(),
            kept: None,
        }
    }
}

/// A run that is known.
pub(super) enum Found<'r> {
    /// It is open.
    Open(&'r mut Run),
    /// It has ended.
    Ended,
}

impl Registry {
    /// Packed runs may be put there.
    pub(super) fn put_aside(&mut self, room: Box<dyn Room>) {
        self.shelf = Shelf::with(room);
    }

    /// Begins an input, in which runs of the ones before go on if `merge` says so.
    pub(super) fn begin_input(&mut self, input: usize, stem: &str, merge: bool) {
        if !merge {
            // Only now are the runs of the input before earlier ones.
            self.earlier.extend(std::mem::take(&mut self.slots).keys());
            self.awake.clear();
        }
        self.input = input;
        self.stem = stem.into();
        (self.born, self.before_input) = (None, self.epoch);
    }

    /// Takes these for runs of earlier inputs.
    pub(super) fn know(&mut self, earlier: HashSet<u128>) {
        self.earlier = earlier;
    }

    /// All runs so far, those of earlier inputs included.
    pub(super) fn known(mut self) -> HashSet<u128> {
        self.earlier.extend(self.slots.keys());
        self.earlier
    }

    /// Runs that are opened from here on stand anywhere in the input.
    pub(super) fn reach_back(&mut self) {
        self.born = Some(self.before_input);
    }

    /// The next open runs in order of appearance, to be taken out one by one: those after that place,
    /// and up to which place they are all. Absent where there are no more places.
    ///
    /// A quarter of them at a time, so that a list of them takes little beside themselves.
    pub(super) fn open_runs(&self, after: u64) -> Option<(Vec<u128>, u64)> {
        let until = after.saturating_add((self.opened / 4).max(TOGETHER));
        let open = self.slots.iter().filter_map(|(&key, slot)| match slot {
            Slot::Open(run) => Some((run.order, key)),
            Slot::Packed(packed) => Some((packed.order(), key)),
            Slot::Aside(away) => Some((away.order(), key)),
            Slot::Ended(_) | Slot::Late(_) => None,
        });
        let next = open.filter(|(order, _)| (after + 1..=until).contains(order));
        let mut next: Vec<_> = next.collect();
        next.sort_unstable();
        let keys = next.into_iter().map(|(_, key)| key).collect();
        (after < self.opened).then_some((keys, until))
    }

    /// Ends the input.
    pub(super) fn end_input(&mut self) {
        self.doubted.clear();
    }

    /// The id of the run a record belongs to.
    pub(super) fn name<'s>(&'s self, run: Option<&'s str>) -> &'s str {
        run.unwrap_or(&self.stem)
    }

    /// The run, opened if it is new. A run that has ended is opened again as it ended.
    pub(super) fn open(&mut self, run: Option<&str>, names: &NameTable) -> &mut Run {
        let key = digest::run(run.unwrap_or(&self.stem));
        if !matches!(self.slots.get(&key), Some(Slot::Open(_))) {
            self.wake(key, names);
        }
        let id = run.unwrap_or(&self.stem);
        let (input, epoch) = (self.input, self.epoch);
        let born = self.born.unwrap_or(epoch);
        let doubted = &mut self.doubted;
        let opened = &mut self.opened;
        let mut fresh = || {
            *opened += 1;
            let mut run = Box::new(Run::new(Arc::from(id), input, *opened));
            run.epoch = born;
            run.doubtful = doubted.remove(&key);
            run
        };
        let slot = self.slots.entry(key).or_insert_with(|| Slot::Open(fresh()));
        let ended = match slot {
            Slot::Open(_) | Slot::Packed(_) | Slot::Aside(_) => None,
            Slot::Ended(marker) => Some(marker.ended()),
            Slot::Late(ended) => Some(std::mem::take(&mut **ended)),
        };
        if let Some(ended) = ended {
            let mut run = fresh();
            run.resume(ended.seq, ended.turn, ended.phase);
            run.tally.calls = ended.seq;
            run.tally.refused = ended.refusals;
            run.parted = ended.parted;
            run.doubtful |= ended.doubtful;
            run.doubt_told = ended.doubtful;
            run.late = ended.refused;
            run.kept = ended.kept;
            *slot = Slot::Open(run);
        }
        match slot {
            Slot::Open(run) => {
                run.doubt_since(epoch);
                run.spoke = true;
                run
            }
            // Replaced just above.
            _ => unreachable!("a run that is packed or has ended was opened"),
        }
    }

    /// The run, if it is known.
    pub(super) fn find(&mut self, run: Option<&str>, names: &NameTable) -> Option<Found<'_>> {
        let key = digest::run(run.unwrap_or(&self.stem));
        if matches!(self.slots.get(&key), Some(Slot::Packed(_) | Slot::Aside(_))) {
            self.wake(key, names);
        }
        let epoch = self.epoch;
        Some(match self.slots.get_mut(&key)? {
            Slot::Open(run) => {
                run.doubt_since(epoch);
                run.spoke = true;
                Found::Open(run)
            }
            Slot::Ended(_) | Slot::Late(_) => Found::Ended,
            // Woken just above. As one that has ended it would lose the record in silence.
            Slot::Packed(_) | Slot::Aside(_) => unreachable!("a run that is packed was found"),
        })
    }

    /// By what a run is taken out.
    pub(super) fn key(&self, run: Option<&str>) -> u128 {
        digest::run(self.name(run))
    }

    /// Takes an open run out, because it is over or begins afresh. Its marker stays until then.
    pub(super) fn take(&mut self, key: u128, names: &NameTable) -> Option<Box<Run>> {
        let epoch = self.epoch;
        let slot = self.slots.get_mut(&key)?;
        let mut run = match std::mem::replace(slot, Slot::Ended(Marker::default())) {
            Slot::Open(run) => run,
            Slot::Packed(packed) => self.shelf.unpack(*packed, names),
            Slot::Aside(away) => {
                let mut run = self.shelf.fetch(away, names)?;
                run.doubtful |= self.doubted.remove(&key);
                run
            }
            Slot::Ended(_) | Slot::Late(_) => return None,
        };
        run.doubt_since(epoch);
        Some(run)
    }

    /// A run speaks that has not spoken before, or not for long: it is taken out of its pack, and others
    /// are packed for it.
    fn wake(&mut self, key: u128, names: &NameTable) {
        let is_packed = matches!(self.slots.get(&key), Some(Slot::Packed(_) | Slot::Aside(_)));
        self.room = match is_packed {
            true => {
                match self.take(key, names) {
                    Some(run) => drop(self.slots.insert(key, Slot::Open(run))),
                    // It was lost, which whoever gave the room tells. What comes of it is in doubt.
                    None => {
                        self.forget(key);
                        self.doubted.insert(key);
                    }
                }
                self.room + 1
            }
            false => self.room.saturating_sub(1),
        }
        .clamp(LEAST, MOST);
        self.awake.push_back(key);
        // Two at a time, so that there get fewer of them and none has to wait for many.
        for _ in 0..2 {
            // A run that ended and began again is there twice, so that it may be the one that speaks.
            if self.awake.len() > self.room
                && let Some(other) = self.awake.pop_front()
                && (other == key || !self.put_by(other))
            {
                self.awake.push_back(other);
            }
        }
    }

    /// Packs a run unless it spoke since this was last tried. Says whether it is none that is awake now.
    fn put_by(&mut self, key: u128) -> bool {
        let Some(slot @ Slot::Open(_)) = self.slots.get_mut(&key) else {
            return true;
        };
        let packed = match slot {
            Slot::Open(run) => match std::mem::take(&mut run.spoke) {
                true => None,
                false => Packed::of(run),
            },
            _ => None,
        };
        let Some(packed) = packed else { return false };
        *slot = shelved(&mut self.shelf, packed);
        true
    }

    /// Packs every run that can be. Says how many.
    #[cfg(test)]
    pub(super) fn pack_all(&mut self) -> u64 {
        let mut packed = 0;
        for slot in self.slots.values_mut() {
            if let Slot::Open(run) = slot
                && let Some(small) = Packed::of(run)
            {
                *slot = shelved(&mut self.shelf, small);
                packed += 1;
            }
        }
        packed
    }

    /// A result came for a call of a run that has ended.
    pub(super) fn late_result(&mut self, run: Option<&str>, call: u64) {
        let key = self.key(run);
        if let Some(Slot::Late(ended)) = self.slots.get_mut(&key) {
            ended.parted |= ended.refused.contains(&call);
        }
    }

    /// Forgets a run, so that it begins afresh.
    pub(super) fn forget(&mut self, key: u128) {
        self.slots.remove(&key);
    }

    /// Reduces a run that has ended to its marker, and how it ended where every rule is weighed.
    pub(super) fn shrink(&mut self, id: &str, weighs: bool) {
        let key = digest::run(id);
        if let Some(Slot::Open(run)) = self.slots.get(&key) {
            let slot = Ended::of(run, weighs).slot();
            self.slots.insert(key, slot);
        }
    }

    /// Whether an earlier input has a run of this id; says so once.
    pub(super) fn is_shared(&mut self, run: Option<&str>) -> bool {
        !self.earlier.is_empty() && {
            let key = digest::run(run.unwrap_or(&self.stem));
            !self.slots.contains_key(&key) && self.earlier.remove(&key)
        }
    }

    /// A fault of that run, or of one that cannot be told. Says whether it leaves a run in doubt that
    /// has ended and was taken for sound.
    pub(super) fn fault(&mut self, run: Option<&str>) -> bool {
        let Some(id) = run else {
            self.epoch += 1;
            return false;
        };
        let key = digest::run(id);
        let doubtful = match self.slots.get_mut(&key) {
            Some(Slot::Open(run)) => {
                run.doubtful = true;
                return false;
            }
            Some(Slot::Packed(packed)) => {
                packed.doubt();
                return false;
            }
            Some(Slot::Ended(marker)) => &mut marker.doubtful,
            Some(Slot::Late(ended)) => &mut ended.doubtful,
            // One that is put aside hears of it when it comes back.
            Some(Slot::Aside(_)) | None => {
                self.doubted.insert(key);
                return false;
            }
        };
        !std::mem::replace(doubtful, true)
    }
}

/// The slot of a packed run.
fn shelved(shelf: &mut Shelf, packed: Packed) -> Slot {
    match shelf.put(packed) {
        Ok(away) => Slot::Aside(away),
        Err(packed) => Slot::Packed(packed),
    }
}

#[cfg(test)]
mod tests;
