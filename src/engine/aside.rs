//! Packed runs that are put aside, outside memory, because there are many of them.

use std::collections::BTreeMap;

/// Room outside memory, such as a file.
pub trait Room: Send {
    /// Writes bytes to that place, over what stands there. `false` where that fails; what stood there
    /// may be lost then, and nothing else.
    fn write(&mut self, at: u64, bytes: &[u8]) -> bool;

    /// Reads as many bytes as there is room for from that place, where they were written. `false` where
    /// that fails. Whoever gives the room tells that it did: what is read on is not to be trusted.
    fn read(&mut self, at: u64, into: &mut [u8]) -> bool;
}

/// Where something lies that was put aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// Its beginning, in units.
    unit: u32,
    /// Its bytes.
    length: u16,
}

/// What things begin at a multiple of.
const UNIT: usize = 64;

/// Bytes that are written and read at a time, where they follow one another.
const AT_ONCE: usize = 16 << 10;

/// What is put aside. Room that is free again is used for what takes as many units, so that there are
/// never more of any size than there were at a time, however often runs come and go.
pub(super) struct Aside {
    room: Box<dyn Room>,
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
        let units = bytes.len().div_ceil(UNIT);
        let free = self.free.get_mut(&units).and_then(Vec::pop);
        let unit = match free {
            Some(unit) => {
                self.overwrite(unit, bytes)?;
                unit
            }
            None => {
                let end = self.end.checked_add(units as u32)?;
                let unit = std::mem::replace(&mut self.end, end);
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

    /// Takes out what lies there; absent where it cannot be read.
    pub(super) fn take(&mut self, spot: Spot) -> Option<Box<[u8]>> {
        let (at, length) = (begin(spot.unit), usize::from(spot.length));
        let bytes = match at.checked_sub(self.written()) {
            Some(at) => part(&self.last, at, length).map(Box::from),
            None => self.read(at, length),
        };
        let units = length.div_ceil(UNIT);
        self.free.entry(units).or_default().push(spot.unit);
        bytes
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

    fn read(&mut self, at: u64, length: usize) -> Option<Box<[u8]>> {
        let (begins, read) = &mut self.read;
        let ahead = at.checked_sub(*begins);
        if let Some(found) = ahead.and_then(|ahead| part(read, ahead, length)) {
            return Some(found.into());
        }
        // Runs that are over with the input mostly lie in their order, those that speak again do not.
        let follows = ahead.is_some_and(|ahead| ahead <= read.len() as u64);
        let most = self.written_from(at);
        let (begins, read) = &mut self.read;
        let size = if follows {
            AT_ONCE.max(length).min(most)
        } else {
            length
        };
        *begins = at;
        read.clear();
        read.resize(size, 0);
        if !self.room.read(at, read) {
            read.clear();
            return None;
        }
        part(read, 0, length).map(Box::from)
    }

    /// How many bytes were written from there on.
    fn written_from(&self, at: u64) -> usize {
        usize::try_from(self.written().saturating_sub(at)).unwrap_or(usize::MAX)
    }
}

fn begin(unit: u32) -> u64 {
    u64::from(unit) * UNIT as u64
}

fn part(bytes: &[u8], at: u64, length: usize) -> Option<&[u8]> {
    bytes.get(usize::try_from(at).ok()?..)?.get(..length)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::testing::Random;

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

    /// What cannot be read is absent.
    #[test]
    fn what_is_lost_is_not_made_up() {
        struct Lost;
        impl Room for Lost {
            fn write(&mut self, _: u64, _: &[u8]) -> bool {
                true
            }
            fn read(&mut self, _: u64, _: &mut [u8]) -> bool {
                false
            }
        }
        let mut aside = Aside::new(Box::new(Lost));
        let spots: Vec<_> = (0..100).filter_map(|_| aside.put(&[1; 500])).collect();
        let found: Vec<_> = spots.into_iter().map(|s| aside.take(s).is_some()).collect();
        assert!(!found[0] && found[99]);
    }
}
