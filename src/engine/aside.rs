//! Packed runs that are put aside, outside memory, because there are many of them.

use foldhash::quality::RandomState;
use std::collections::BTreeMap;
use std::hash::BuildHasher;

/// Room outside memory, such as a file.
pub trait Room: Send {
    /// Writes bytes to that place, over what stands there. `false` where that fails; what stood there
    /// may be lost then, and nothing else.
    fn write(&mut self, at: u64, bytes: &[u8]) -> bool;

    /// Reads as many bytes as there is room for from that place, where they were written. `false` where
    /// that fails. Whoever gives the room tells that it did: what is read on is not to be trusted.
    fn read(&mut self, at: u64, into: &mut [u8]) -> bool;

    /// Hears that what was read is not what was written, which is to be told as a read that fails is.
    fn changed(&mut self);
}

/// Where something lies that was put aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// Its beginning, in units.
    unit: u32,
    /// Its bytes, without the [`Sum`] before them.
    length: u16,
}

/// What stands before the bytes of a thing: a hash of them and of their place, under keys that are drawn
/// anew by every process. Bytes that were changed meanwhile, moved or never written have another.
type Sum = [u8; 8];

/// What things begin at a multiple of.
const UNIT: usize = 64;

/// Bytes that are written and read at a time, where they follow one another.
const AT_ONCE: usize = 16 << 10;

/// What is put aside. Room that is free again is used for what takes as many units, so that there are
/// never more of any size than there were at a time, however often runs come and go.
pub(super) struct Aside {
    room: Box<dyn Room>,
    /// The keys of the sums.
    keys: RandomState,
    /// The end of what lies aside, in units.
    end: u32,
    /// The last of it, which is not written yet.
    last: Vec<u8>,
    /// Beginnings of what is free, by its number of units.
    free: BTreeMap<usize, Vec<u32>>,
    /// What was read last, and where it begins.
    read: (u64, Vec<u8>),
    /// Whether writing has failed: nothing more is put aside.
    full: bool,
}

impl Aside {
    pub(super) fn new(room: Box<dyn Room>) -> Aside {
        Aside {
            room,
            keys: RandomState::default(),
            end: 0,
            last: Vec::new(),
            free: BTreeMap::new(),
            read: (0, Vec::new()),
            full: false,
        }
    }

    /// Puts this aside; absent where there is no room for it.
    pub(super) fn put(&mut self, bytes: &[u8]) -> Option<Spot> {
        let length = u16::try_from(bytes.len()).ok().filter(|_| !self.full)?;
        let units = units(bytes.len());
        let free = self.free.get_mut(&units).and_then(Vec::pop);
        let unit = match free {
            Some(unit) => {
                let sum = self.sum(unit, bytes);
                self.overwrite(unit, &[&sum, bytes].concat())?;
                unit
            }
            None => {
                let end = self.end.checked_add(units as u32)?;
                let unit = std::mem::replace(&mut self.end, end);
                self.last.extend_from_slice(&self.sum(unit, bytes));
                self.last.extend_from_slice(bytes);
                self.last.resize(self.last.len().next_multiple_of(UNIT), 0);
                unit
            }
        };
        if self.last.len() >= AT_ONCE {
            // Where that fails they stay where they are.
            match self.room.write(self.written(), &self.last) {
                true => self.last.clear(),
                false => self.full = true,
            }
        }
        Some(Spot { unit, length })
    }

    /// Takes out what lies there; absent where it cannot be read, or is not what was put there.
    pub(super) fn take(&mut self, spot: Spot) -> Option<Box<[u8]>> {
        let (at, length) = (begin(spot.unit), usize::from(spot.length));
        let found = match at.checked_sub(self.written()) {
            Some(at) => thing(&self.last, at, length),
            None => self.read(at, length),
        };
        let free = self.free.entry(units(length)).or_default();
        free.push(spot.unit);
        let (sum, bytes) = found?;
        if sum != self.sum(spot.unit, &bytes) {
            self.room.changed();
            return None;
        }
        Some(bytes)
    }

    fn sum(&self, unit: u32, bytes: &[u8]) -> Sum {
        self.keys.hash_one((unit, bytes)).to_le_bytes()
    }

    /// Where what is not written yet begins.
    fn written(&self) -> u64 {
        begin(self.end) - self.last.len() as u64
    }

    fn overwrite(&mut self, unit: u32, bytes: &[u8]) -> Option<()> {
        let at = begin(unit);
        if let Some(at) = at.checked_sub(self.written()) {
            let place = self.last.get_mut(at as usize..)?.get_mut(..bytes.len())?;
            place.copy_from_slice(bytes);
            return Some(());
        }
        self.read.1.clear();
        self.full |= !self.room.write(at, bytes);
        (!self.full).then_some(())
    }

    fn read(&mut self, at: u64, length: usize) -> Option<(Sum, Box<[u8]>)> {
        let (begins, read) = &mut self.read;
        let ahead = at.checked_sub(*begins);
        if let Some(found) = ahead.and_then(|ahead| thing(read, ahead, length)) {
            return Some(found);
        }
        // Runs that are over with the input mostly lie in their order, those that speak again do not.
        let follows = ahead.is_some_and(|ahead| ahead <= read.len() as u64);
        let most = self.written_from(at);
        let (begins, read) = &mut self.read;
        let whole = size_of::<Sum>() + length;
        let size = if follows {
            AT_ONCE.max(whole).min(most)
        } else {
            whole
        };
        *begins = at;
        read.clear();
        read.resize(size, 0);
        if !self.room.read(at, read) {
            read.clear();
            return None;
        }
        thing(read, 0, length)
    }

    /// How many bytes were written from there on.
    fn written_from(&self, at: u64) -> usize {
        usize::try_from(self.written().saturating_sub(at)).unwrap_or(usize::MAX)
    }
}

fn begin(unit: u32) -> u64 {
    u64::from(unit) * UNIT as u64
}

/// Units that so many bytes take with their sum.
fn units(length: usize) -> usize {
    (size_of::<Sum>() + length).div_ceil(UNIT)
}

/// What lies there, as it is.
fn thing(bytes: &[u8], at: u64, length: usize) -> Option<(Sum, Box<[u8]>)> {
    let (sum, bytes) = bytes
        .get(usize::try_from(at).ok()?..)?
        .split_first_chunk()?;
    Some((*sum, bytes.get(..length)?.into()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::testing::Random;
    use std::sync::{Arc, Mutex};

    /// Room in memory that takes so many bytes.
    pub(in crate::engine) struct Memory(pub(in crate::engine) Vec<u8>, pub(in crate::engine) usize);

    impl Room for Memory {
        fn write(&mut self, at: u64, bytes: &[u8]) -> bool {
            let end = at as usize + bytes.len();
            if end > self.1 {
                return false;
            }
            self.0.resize(self.0.len().max(end), 0);
            self.0[at as usize..end].copy_from_slice(bytes);
            true
        }

        fn read(&mut self, at: u64, into: &mut [u8]) -> bool {
            let found = self.0.get(at as usize..at as usize + into.len());
            found.is_some_and(|found| {
                into.copy_from_slice(found);
                true
            })
        }

        fn changed(&mut self) {
            panic!("memory stays as it is");
        }
    }

    /// Things of all sizes are put aside and taken out in any order, one after the other too, with room
    /// for all of them and for some: each is as it was, and freed room is used again.
    #[test]
    fn what_is_put_aside_comes_back() {
        let mut random = Random::new(1);
        for most in [usize::MAX, 100_000, 0] {
            let mut aside = Aside::new(Box::new(Memory(Vec::new(), most)));
            let mut held: Vec<(Spot, Vec<u8>)> = Vec::new();
            let mut refused = 0;
            for step in 0..40_000 {
                // Many come, then many go, over and over.
                if random.below(10) < if step / 2000 % 2 == 0 { 8 } else { 2 } {
                    let most = [700, 30_000][usize::from(random.below(50) == 0)];
                    let size = random.below(most);
                    let bytes: Vec<u8> = (0..size).map(|_| random.below(256) as u8).collect();
                    match aside.put(&bytes) {
                        Some(spot) => held.push((spot, bytes)),
                        None => refused += 1,
                    }
                } else if !held.is_empty() {
                    let which = match random.below(3) {
                        0 => random.below(held.len()),
                        // In the order in which they came.
                        _ => 0,
                    };
                    let (spot, bytes) = held.remove(which);
                    assert_eq!(aside.take(spot).as_deref(), Some(&*bytes));
                }
            }
            assert_eq!(refused > 0, most < usize::MAX, "{most}");
            for (spot, bytes) in held {
                assert_eq!(aside.take(spot).as_deref(), Some(&*bytes));
            }
        }
        let mut aside = Aside::new(Box::new(Memory(Vec::new(), usize::MAX)));
        assert_eq!(aside.put(&[0; 1 << 16]), None);
        for _ in 0..5_000 {
            let spot = aside.put(&[1; 500]).expect("room");
            assert!(aside.take(spot).is_some());
        }
        assert_eq!(aside.end, 8, "the same place over and over");
    }

    /// Room out of which nothing can be read.
    pub(in crate::engine) struct Lost;

    impl Room for Lost {
        fn write(&mut self, _: u64, _: &[u8]) -> bool {
            true
        }
        fn read(&mut self, _: u64, _: &mut [u8]) -> bool {
            false
        }
        fn changed(&mut self) {}
    }

    /// What cannot be read is absent.
    #[test]
    fn what_is_lost_is_not_made_up() {
        let mut aside = Aside::new(Box::new(Lost));
        let spots: Vec<_> = (0..100).filter_map(|_| aside.put(&[1; 500])).collect();
        let found: Vec<_> = spots.into_iter().map(|s| aside.take(s).is_some()).collect();
        assert!(!found[0] && found[99]);
    }

    /// Memory that others write to.
    struct Shared(Arc<Mutex<(Memory, u32)>>);

    impl Room for Shared {
        fn write(&mut self, at: u64, bytes: &[u8]) -> bool {
            self.0.lock().expect("one at a time").0.write(at, bytes)
        }

        fn read(&mut self, at: u64, into: &mut [u8]) -> bool {
            self.0.lock().expect("one at a time").0.read(at, into)
        }

        fn changed(&mut self) {
            self.0.lock().expect("one at a time").1 += 1;
        }
    }

    /// What was changed is absent and told, and what lies beside it is there: wherever a bit is another,
    /// be it of the sum, the bytes, where nothing but zeros is left, and where something lies that was
    /// put elsewhere.
    #[test]
    fn what_was_changed_is_not_taken() {
        const THINGS: usize = 300;
        const WHICH: usize = 70;
        const LENGTH: usize = 120;
        const BEGINS: usize = WHICH * 2 * UNIT;
        type Way = Box<dyn Fn(&mut [u8])>;
        let mut ways: Vec<Way> = vec![
            Box::new(|bytes| bytes[BEGINS..][..2 * UNIT].fill(0)),
            Box::new(|bytes| bytes.copy_within(BEGINS - 2 * UNIT..BEGINS, BEGINS)),
        ];
        for bit in 0..8 * (size_of::<Sum>() + LENGTH) {
            ways.push(Box::new(move |bytes| {
                bytes[BEGINS + bit / 8] ^= 1 << (bit % 8);
            }));
        }
        for (way, change) in ways.iter().enumerate() {
            let memory = Arc::new(Mutex::new((Memory(Vec::new(), usize::MAX), 0)));
            let mut aside = Aside::new(Box::new(Shared(Arc::clone(&memory))));
            let bytes = |which: usize| [which as u8; LENGTH];
            let spots: Vec<Spot> = (0..THINGS)
                .map(|which| aside.put(&bytes(which)).expect("room"))
                .collect();
            change(&mut memory.lock().expect("one at a time").0.0);
            for (which, spot) in spots.into_iter().enumerate() {
                let there = (which != WHICH).then(|| Box::from(bytes(which)));
                assert_eq!(aside.take(spot), there, "{way}: {which}");
            }
            assert_eq!(memory.lock().expect("one at a time").1, 1, "{way}");
            // The place is as good as before.
            let again = aside.put(&bytes(1)).expect("room");
            assert!(aside.take(again).is_some());
        }
    }
}
