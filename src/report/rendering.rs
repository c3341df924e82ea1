//! What reports that write many records keep of those before, and the blocks they write them in.

use super::number::{Digits, append_exact};
use crate::engine::decision::Reading;
use std::io::{self, Write};
use std::sync::Arc;

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

/// Texts that many decisions share, as they were spelled before: names of runs, tools and agents. They are
/// known by where they lie; copying what is said of one takes a quarter of spelling it.
#[derive(Debug)]
pub(super) struct Texts {
    spell: fn(&str, &mut Vec<u8>),
    known: Box<[(Arc<str>, Vec<u8>); TEXTS]>,
}

/// Texts that are known at a time. Two of one place cost time, nothing else.
const TEXTS: usize = 64;

impl Texts {
    /// Nothing is known yet. `spell` appends a text, always the same way.
    pub(super) fn new(spell: fn(&str, &mut Vec<u8>)) -> Texts {
        // A text is kept for as long as it is known, so that no other can lie there. This one is nobody
        // else's.
        let none: Arc<str> = "none".into();
        let known = std::array::from_fn(|_| (Arc::clone(&none), Vec::new()));
        Texts {
            spell,
            known: Box::new(known),
        }
    }

    /// Appends the text as it is spelled.
    #[inline]
    pub(super) fn append(&mut self, text: &Arc<str>, out: &mut Vec<u8>) {
        let address = Arc::as_ptr(text).addr() as u64;
        let place = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize % TEXTS;
        let (known, spelled) = &mut self.known[place];
        if !Arc::ptr_eq(known, text) {
            *known = Arc::clone(text);
            spelled.clear();
            (self.spell)(text, spelled);
        }
        out.extend_from_slice(spelled);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// Many texts, at few addresses, since those that are let go make room for others.
    #[test]
    fn texts_are_spelled_as_if_none_were_known() {
        let spell =
            |text: &str, out: &mut Vec<u8>| out.extend_from_slice(format!("<{text}>").as_bytes());
        let mut random = Random::new(1);
        let mut texts = Texts::new(spell);
        let mut kept: Vec<Arc<str>> = vec!["none".into(), "".into(), Arc::default()];
        for _ in 0..20_000 {
            let at = random.below(kept.len());
            match random.below(3) {
                0 => kept.push(format!("{}", random.below(50)).into()),
                1 if kept.len() > 100 => drop(kept.swap_remove(at)),
                _ => {
                    let (mut out, mut plain) = (Vec::new(), Vec::new());
                    texts.append(&kept[at], &mut out);
                    spell(&kept[at], &mut plain);
                    assert_eq!(out, plain);
                }
            }
        }
    }

    /// What goes out is what came in, in its order, in blocks or in pieces.
    #[test]
    fn blocks_hold_nothing_back_for_good() {
        let mut out = Vec::new();
        let mut plain = Vec::new();
        let mut blocks = Blocks::new(Box::new(&mut out));
        for (piece, length) in (0u8..).zip([1, BLOCK - 1, 0, BLOCK, 7, 3 * BLOCK, BLOCK + 1, 2]) {
            let bytes = vec![piece; length];
            blocks.bytes.extend_from_slice(&bytes);
            blocks.pass_on().expect("memory");
            plain.extend(bytes);
        }
        blocks.finish().expect("memory");
        drop(blocks);
        assert_eq!(out, plain);
    }
}
