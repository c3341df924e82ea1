//! Where packed runs lie: in memory, and beyond what they may take of that outside it, where there is
//! room.

use super::aside::{Aside, Room, Spot};
use super::packed::Packed;
use super::run::Run;
use crate::policy::matcher::NameTable;

/// The packed runs, which are held by those who put them here.
#[derive(Default)]
pub(super) struct Shelf {
    /// Those outside memory, where there may be any.
    aside: Option<Aside>,
    /// Bytes of those in memory.
    held: usize,
}

/// Bytes of packed runs in memory from which on others are put aside: recordings that are not long
/// write no file.
const HELD: usize = if cfg!(test) { 1 } else { 256 << 10 };

/// A packed run that was put aside.
#[derive(Clone, Copy)]
pub(super) struct Away {
    order: u32,
    spot: Spot,
}

impl Away {
    /// Its place among the runs of the input.
    pub(super) fn order(self) -> u64 {
        self.order.into()
    }
}

impl Shelf {
    /// Where runs may be put aside.
    pub(super) fn with(room: Box<dyn Room>) -> Shelf {
        Shelf {
            aside: Some(Aside::new(room)),
            held: 0,
        }
    }

    /// Puts a run aside, or gives it back where it stays in memory.
    pub(super) fn put(&mut self, packed: Packed) -> Result<Away, Box<Packed>> {
        let aside = self.aside.as_mut().filter(|_| self.held >= HELD);
        let away = aside.zip(packed.alone()).and_then(|(aside, bytes)| {
            let order = u32::try_from(packed.order()).ok()?;
            let spot = aside.put(bytes)?;
            Some(Away { order, spot })
        });
        away.ok_or_else(|| {
            self.held = self.held.saturating_add(packed.size());
            Box::new(packed)
        })
    }

    /// The run as it was.
    pub(super) fn unpack(&mut self, packed: Packed, names: &NameTable) -> Box<Run> {
        self.held = self.held.saturating_sub(packed.size());
        packed.run(names)
    }

    /// The run as it was put aside; absent where it cannot be read.
    pub(super) fn fetch(&mut self, away: Away, names: &NameTable) -> Option<Box<Run>> {
        let bytes = self.aside.as_mut()?.take(away.spot)?;
        Some(Packed::from(bytes).run(names))
    }
}
