//! What a run remembers of each of its calls until it ends: enough to tell a repeat from a second
//! call, and to place a result that comes late.
//!
//! This is all that grows with the calls of an open run, so it is kept small: the latest calls as they
//! are, those before in some 6 bytes each, and 4 more where their results came.

use super::numbers::{self, Reader, Writer};
use super::stretches::Stretches;
use std::num::NonZeroU32;

/// A call that has been decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Hash of its content.
    pub content: NonZeroU32,
    /// Its turn.
    pub turn: u64,
    /// Number of its names.
    pub names: u32,
    /// Hash of the outcome read last; absent while none was.
    pub outcome: Option<NonZeroU32>,
    /// Where it stands, and what became of it.
    pub origin: Origin,
}

/// The line of a call, whether the record says that it did not run, and its fate, in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin(u32);

impl Origin {
    /// A call on that line, stopped by the live system or not, which waits for its fate.
    pub fn on(line: u64, stopped: bool) -> Self {
        let line = u32::try_from(line).unwrap_or(0);
        Origin(line.checked_mul(8).unwrap_or(0) | u32::from(stopped) << 2)
    }

    /// The record turns out to say that it did not run.
    pub fn stop(&mut self) {
        self.0 |= 4;
    }

    /// Its line; absent where that is a number beyond half a billion.
    pub fn line(self) -> Option<u32> {
        Some(self.0 >> 3).filter(|&line| line > 0)
    }

    /// Whether the live system blocked it or somebody denied it, so that no result of it is to be
    /// expected.
    pub fn stopped(self) -> bool {
        self.0 & 4 != 0
    }

    /// Its fate.
    pub fn fate(self) -> Fate {
        match self.0 & 3 {
            0 => Fate::Waiting,
            1 => Fate::Admitted,
            2 => Fate::Refused,
            _ => Fate::NotRun,
        }
    }

    /// Settles its fate.
    pub fn set_fate(&mut self, fate: Fate) {
        let bits = match fate {
            Fate::Waiting => 0,
            Fate::Admitted => 1,
            Fate::Refused => 2,
            Fate::NotRun => 3,
        };
        self.0 = self.0 & !3 | bits;
    }
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is escalated and waits for a decision.
    Waiting,
    /// Admitted, or observed to have run all the same: in flight or settled.
    Admitted,
    /// Refused here, and the record does not say that it was blocked: a result shows that it ran.
    Refused,
    /// Did not run, by the record: a result changes nothing.
    NotRun,
}

/// The marks of a run.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    ids: Stretches,
    /// Calls that came before those of `block`, in blocks of [`BLOCK`].
    full: Vec<Box<[u8]>>,
    /// Those before the latest, of which there are `in_block`.
    block: Vec<u8>,
    in_block: u8,
    /// What the next of them is told from.
    course: Course,
    /// The latest calls, as they are: results mostly belong to them.
    latest: Vec<Mark>,
    /// How many times that many of them there are to be: as many as results have asked for so far, as
    /// most runs have one call after the other, and there may be many runs.
    doubled: u8,
}

/// Calls of a block. One that has to be looked up in it is found by going along it.
const BLOCK: usize = 64;

/// Calls that are kept as they are, at first, and how many times that number is doubled.
const LATEST: usize = 2;
const DOUBLED: u8 = 2;

/// Full blocks that are written with the rest, up to 256 calls.
const FEW: usize = 4;

/// The call before, from which most of what is to be said of a call follows.
#[derive(Clone, Copy, Debug)]
struct Course {
    before: Mark,
    /// How many lines it stood behind the one before it.
    step: u32,
}

impl Default for Course {
    fn default() -> Self {
        let before = Mark {
            content: NonZeroU32::MIN,
            turn: 0,
            names: 0,
            outcome: None,
            origin: Origin(0),
        };
        Course { before, step: 0 }
    }
}

/// Bits of the byte that a call begins with, above those of its origin.
const HAS_OUTCOME: u8 = 8;
const OTHER_STEP: u8 = 16;
const OTHER_TURN: u8 = 32;

impl Course {
    /// Writes the next call.
    fn write(&mut self, out: &mut Vec<u8>, mark: &Mark) {
        let step = (mark.origin.0 >> 3).wrapping_sub(self.before.origin.0 >> 3);
        let turns = mark.turn.wrapping_sub(self.before.turn);
        let mut head = (mark.origin.0 & 7) as u8;
        head |= HAS_OUTCOME * u8::from(mark.outcome.is_some());
        head |= OTHER_STEP * u8::from(step != self.step);
        head |= OTHER_TURN * u8::from(turns != 1);
        out.push(head);
        if step != self.step {
            numbers::write(out, step.into());
        }
        if turns != 1 {
            numbers::write(out, turns);
        }
        numbers::write(out, mark.names.into());
        out.extend_from_slice(&mark.content.get().to_le_bytes());
        if let Some(outcome) = mark.outcome {
            out.extend_from_slice(&outcome.get().to_le_bytes());
        }
        (self.before, self.step) = (*mark, step);
    }

    /// Reads the next call.
    fn read(&mut self, from: &mut Reader<'_>) -> Mark {
        let head = from.number() as u8;
        if head & OTHER_STEP != 0 {
            self.step = from.number() as u32;
        }
        let turns = if head & OTHER_TURN != 0 {
            from.number()
        } else {
            1
        };
        let line = (self.before.origin.0 >> 3).wrapping_add(self.step);
        self.before = Mark {
            names: from.number() as u32,
            content: NonZeroU32::new(from.short()).unwrap_or(NonZeroU32::MIN),
            outcome: match head & HAS_OUTCOME {
                0 => None,
                _ => NonZeroU32::new(from.short()),
            },
            turn: self.before.turn.wrapping_add(turns),
            origin: Origin(line << 3 | u32::from(head & 7)),
        };
        self.before
    }
}

/// The calls of a block.
fn read(block: &[u8]) -> impl Iterator<Item = Mark> {
    let (mut course, mut rest) = (Course::default(), Reader(block));
    std::iter::from_fn(move || (!rest.0.is_empty()).then(|| course.read(&mut rest)))
}

impl Marks {
    /// The mark of a call.
    pub fn get(&self, id: u64) -> Option<Mark> {
        let place = self.ids.find(id)?;
        let block = place / BLOCK;
        match place.checked_sub(self.before_latest()) {
            Some(latest) => self.latest.get(latest).copied(),
            None => {
                let block = self.full.get(block).map_or(&self.block[..], |full| full);
                read(block).nth(place % BLOCK)
            }
        }
    }

    /// Whether it has the mark of that call.
    pub fn has(&self, id: u64) -> bool {
        self.ids.find(id).is_some()
    }

    /// Changes the mark of a call, if it has one.
    pub fn change(&mut self, id: u64, change: impl FnOnce(&mut Mark)) {
        let Some(place) = self.ids.find(id) else {
            return;
        };
        if let Some(latest) = place.checked_sub(self.before_latest()) {
            self.latest.get_mut(latest).map(change);
            return;
        }
        // A call that is long gone by: its block is written anew.
        self.doubled = (self.doubled + 1).min(DOUBLED);
        let full = self.full.get_mut(place / BLOCK);
        let mut marks: Vec<Mark> =
            read(full.as_deref().map_or(&self.block[..], |full| full)).collect();
        marks.get_mut(place % BLOCK).map(change);
        let (mut course, mut anew) = (Course::default(), Vec::new());
        marks.iter().for_each(|mark| course.write(&mut anew, mark));
        match full {
            Some(full) => *full = anew.into(),
            None => (self.block, self.course) = (anew, course),
        }
    }

    /// How many calls came before the latest.
    fn before_latest(&self) -> usize {
        self.full.len() * BLOCK + usize::from(self.in_block)
    }

    /// Remembers a call that is not remembered yet.
    pub fn insert(&mut self, id: u64, mark: Mark) {
        self.ids.push(id, self.before_latest() + self.latest.len());
        if self.latest.len() >= LATEST << self.doubled {
            let oldest = self.latest.remove(0);
            self.put_by(&oldest);
        }
        if self.latest.len() == self.latest.capacity() {
            // Many runs stay short.
            self.latest.reserve_exact(LATEST);
        }
        self.latest.push(mark);
    }

    /// A call is none of the latest any more.
    fn put_by(&mut self, mark: &Mark) {
        if usize::from(self.in_block) == BLOCK {
            self.full.push(std::mem::take(&mut self.block).into());
            (self.in_block, self.course) = (0, Course::default());
        }
        if self.block.capacity() - self.block.len() < 12 {
            // As doubling would not, this leaves little of it empty.
            self.block.reserve_exact(48);
        }
        self.course.write(&mut self.block, mark);
        self.in_block += 1;
    }

    /// All of them, in order of arrival.
    pub fn iter(&self) -> impl Iterator<Item = Mark> {
        let full = self.full.iter().flat_map(|block| read(block));
        let rest = read(&self.block).chain(self.latest.iter().copied());
        full.chain(rest)
    }

    /// The same, with the hashes of their ids.
    pub fn with_ids(&self) -> impl Iterator<Item = (u64, Mark)> {
        self.ids.iter().zip(self.iter())
    }

    /// Whether writing them takes little, however long the run is.
    pub(super) fn are_few(&self) -> bool {
        self.full.len() <= FEW && self.ids.are_few()
    }

    /// Writes them where they are few.
    pub(super) fn write(&self, out: &mut Writer) {
        self.ids.write(out);
        out.number(self.full.len() as u64);
        self.full.iter().for_each(|block| out.bytes(block));
        out.number(self.in_block.into());
        out.bytes(&self.block);
        // The call that comes next is told from these.
        let mut course = Course::default();
        course.write(&mut out.bytes, &self.course.before);
        out.number(self.course.step.into());
        out.number(self.latest.len() as u64);
        let mut course = self.course;
        for mark in &self.latest {
            course.write(&mut out.bytes, mark);
        }
        out.number(self.doubled.into());
    }

    /// Reads them again.
    pub(super) fn read(from: &mut Reader<'_>) -> Marks {
        let ids = Stretches::read(from);
        let full = from.size().min(FEW);
        let full = (0..full).map(|_| from.bytes().into()).collect();
        let (in_block, block) = (from.number() as u8, from.bytes().to_vec());
        let course = Course {
            before: Course::default().read(from),
            step: from.number() as u32,
        };
        let count = from.size().min(LATEST << DOUBLED);
        // As much room as in `insert`.
        let mut latest = Vec::with_capacity(count.next_multiple_of(LATEST));
        let mut next = course;
        latest.extend((0..count).map(|_| next.read(from)));
        Marks {
            ids,
            full,
            block,
            in_block,
            course,
            latest,
            doubled: from.number().min(DOUBLED.into()) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// Whatever calls come and whatever becomes of them, they are as in a list of them all.
    #[test]
    fn marks_are_as_in_a_list() {
        let mut random = Random::new(1);
        for odd in [1, 4, 50] {
            let (mut marks, mut plain) = (Marks::default(), Vec::<(u64, Mark)>::new());
            let (mut id, mut line, mut turn) = (0u64, 0u64, 0u64);
            for _ in 0..1500 {
                let mut oddly = || odd > 1 && random.below(odd) == 0;
                id = if oddly() {
                    id.wrapping_mul(77) ^ 5
                } else {
                    id + 1
                };
                line = if oddly() {
                    line.wrapping_mul(7)
                } else {
                    line + 3
                };
                turn = if oddly() {
                    turn.wrapping_mul(77)
                } else {
                    turn + 1
                };
                let mut short = || NonZeroU32::new(random.below(u32::MAX));
                let mark = Mark {
                    content: short().unwrap_or(NonZeroU32::MIN),
                    outcome: short().filter(|hash| hash.get() % 3 == 0),
                    turn,
                    names: random.below(300),
                    origin: Origin::on(line, random.below(2) == 0),
                };
                let known = plain.iter().find(|(other, _)| *other == id);
                assert_eq!(marks.get(id), known.map(|(_, mark)| *mark));
                assert_eq!(marks.has(id), known.is_some());
                if known.is_none() {
                    marks.insert(id, mark);
                    plain.push((id, mark));
                }
                for back in [random.below(3), random.below(20), random.below(1500)] {
                    let Some(place) = plain.len().checked_sub(1 + back) else {
                        continue;
                    };
                    let change = |mark: &mut Mark| {
                        mark.outcome = NonZeroU32::new(back as u32);
                        mark.origin.set_fate(Fate::Admitted);
                    };
                    let (id, mark) = &mut plain[place];
                    assert_eq!(marks.get(*id), Some(*mark));
                    change(mark);
                    marks.change(*id, change);
                    assert_eq!(marks.get(*id), Some(*mark));
                }
                if random.below(9) == 0 && marks.are_few() {
                    let mut out = Writer::default();
                    marks.write(&mut out);
                    marks = Marks::read(&mut Reader(&out.bytes));
                }
            }
            assert!(marks.with_ids().eq(plain));
        }
    }

    /// A call as most are takes six bytes, and no more of them the longer the run.
    #[test]
    fn a_call_takes_few_bytes() {
        let mut marks = Marks::default();
        for call in 1..=10_000u64 {
            let mark = Mark {
                content: NonZeroU32::MAX,
                turn: call,
                names: (call % 9) as u32,
                outcome: None,
                origin: Origin::on(call * 7, false),
            };
            marks.insert(1 << 40 | call, mark);
        }
        let bytes = marks.full.iter().map(|block| block.len()).sum::<usize>();
        assert!(bytes / BLOCK / marks.full.len() == 6, "{bytes}");
        assert!(matches!(&marks.ids, Stretches::Few(list) if list.len() == 1));
        assert!(std::mem::size_of::<Mark>() <= 24);
    }

    #[test]
    fn a_line_and_a_fate_fit_together() {
        for (line, stopped) in [(1, false), (7, true), ((1 << 29) - 1, true)] {
            let mut origin = Origin::on(line, stopped);
            assert_eq!(origin.fate(), Fate::Waiting);
            for fate in [Fate::Admitted, Fate::NotRun, Fate::Refused, Fate::Waiting] {
                origin.set_fate(fate);
                assert_eq!(
                    (origin.fate(), origin.line().map(u64::from)),
                    (fate, Some(line))
                );
                assert_eq!(origin.stopped(), stopped);
            }
        }
        for line in [0, 1 << 29, u64::MAX] {
            assert_eq!(Origin::on(line, true).line(), None);
        }
    }
}
