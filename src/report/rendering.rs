//! Decisions to bytes, apart from where the bytes go: on any thread, and in blocks.

use super::number::{Digits, append_exact};
use crate::engine::decision::{Decision, Reading};
use std::io::{self, Write};

/// Turns decisions into what a report writes of them.
///
/// What it appends depends on the decision and the header of the report alone, so that several of
/// them, on as many threads, give the same bytes as one. What else they keep only saves work.
pub trait Renderer: Send {
    /// Appends a decision.
    fn append(&mut self, decision: &Decision, out: &mut Vec<u8>);
}

/// Bytes that are written together.
const BLOCK: usize = 1 << 16;

/// Records on their way out, written in blocks: the output is not asked for each of them.
pub(super) struct Blocks<'w> {
    out: Box<dyn Write + Send + 'w>,
    /// What is to be written: less than a block once [`Blocks::pass_on`] has been called.
    pub(super) bytes: Vec<u8>,
}

impl<'w> Blocks<'w> {
    pub(super) fn new(out: Box<dyn Write + Send + 'w>) -> Self {
        Blocks {
            out,
            bytes: Vec::new(),
        }
    }

    /// Writes what there is, if it makes up a block.
    #[inline]
    pub(super) fn pass_on(&mut self) -> io::Result<()> {
        match self.bytes.len() < BLOCK {
            true => Ok(()),
            false => self.write(),
        }
    }

    /// Writes all there is, to where it is to go.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.write()?;
        self.out.flush()
    }

    fn write(&mut self) -> io::Result<()> {
        let written = self.out.write_all(&self.bytes);
        self.bytes.clear();
        written
    }
}

/// Readings as they were spelled for the last decision, one a barrier: most calls leave most barriers
/// where they are, and copying what is said of one takes a quarter of putting it together.
#[derive(Debug)]
pub(super) struct Readings {
    digits: Digits,
    kept: Vec<(Reading, Vec<u8>)>,
}

impl Readings {
    pub(super) fn new() -> Self {
        Readings {
            digits: Digits::new(append_exact),
            kept: Vec::new(),
        }
    }

    /// Floats as they were spelled before.
    pub(super) fn digits(&mut self) -> &mut Digits {
        &mut self.digits
    }

    /// Appends the reading of the barrier of that index as `spell` does it, always the same way.
    #[inline]
    pub(super) fn append(
        &mut self,
        barrier: usize,
        reading: &Reading,
        out: &mut Vec<u8>,
        spell: impl FnOnce(&mut Digits, &mut Vec<u8>),
    ) {
        if self.kept.len() <= barrier {
            // What is no number equals nothing.
            let none = Reading {
                h: f64::NAN,
                next: None,
                slack: None,
            };
            self.kept.resize(barrier + 1, (none, Vec::new()));
        }
        let Some((kept, spelled)) = self.kept.get_mut(barrier) else {
            return;
        };
        if kept != reading {
            *kept = *reading;
            spelled.clear();
            spell(&mut self.digits, spelled);
        }
        out.extend_from_slice(spelled);
    }
}
