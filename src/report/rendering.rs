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

/// Readings as they were spelled for the last decision, one a barrier, with commas between: most calls
/// leave most barriers where they are. Those up to the first that differs stay as they are; all are copied
/// at once, which takes a quarter of putting them together.
#[derive(Debug)]
pub(super) struct Readings {
    digits: Digits,
    /// Each with where it ends.
    kept: Vec<(Reading, usize)>,
    spelled: Vec<u8>,
}

impl Readings {
    pub(super) fn new() -> Self {
        Readings {
            digits: Digits::new(append_exact),
            kept: Vec::new(),
            spelled: Vec::new(),
        }
    }

    /// Floats as they were spelled before.
    pub(super) fn digits(&mut self) -> &mut Digits {
        &mut self.digits
    }

    /// Appends all readings of a decision; `spell` appends that of the barrier of an index, always the same
    /// way.
    #[inline]
    pub(super) fn append(
        &mut self,
        readings: &[Reading],
        out: &mut Vec<u8>,
        mut spell: impl FnMut(usize, &Reading, &mut Digits, &mut Vec<u8>),
    ) {
        let pairs = self.kept.iter().zip(readings);
        let same = pairs.take_while(|((kept, _), reading)| kept == *reading);
        let same = same.count();
        self.kept.truncate(same);
        self.spelled
            .truncate(self.kept.last().map_or(0, |(_, end)| *end));
        for (barrier, reading) in readings.iter().enumerate().skip(same) {
            if barrier > 0 {
                self.spelled.push(b',');
            }
            spell(barrier, reading, &mut self.digits, &mut self.spelled);
            self.kept.push((*reading, self.spelled.len()));
        }
        out.extend_from_slice(&self.spelled);
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

    /// However many there are, and whichever of them differ from those before.
    #[test]
    fn readings_are_spelled_as_if_none_were_kept() {
        let spell = |barrier: usize, reading: &Reading, digits: &mut Digits, out: &mut Vec<u8>| {
            out.extend_from_slice(format!("{barrier}=").as_bytes());
            digits.append(reading.h, out);
            out.extend_from_slice(format!("{:?}", (reading.next, reading.slack)).as_bytes());
        };
        let mut random = Random::new(3);
        let mut readings = Readings::new();
        let mut now: Vec<Reading> = Vec::new();
        for _ in 0..5_000 {
            let float = |random: &mut Random| [0.0, 1.5, f64::NAN][random.below(3)];
            let reading = Reading {
                h: float(&mut random),
                next: Some(float(&mut random)).filter(|_| random.below(3) > 0),
                slack: None,
            };
            let at = random.below(now.len() + 1);
            match random.below(8) {
                0 => now.truncate(at),
                1 => {}
                2 => now.push(reading),
                _ if at < now.len() => now[at] = reading,
                _ => now.insert(at, reading),
            }
            now.truncate(9);
            let (mut out, mut plain) = (Vec::new(), Vec::new());
            readings.append(&now, &mut out, spell);
            let mut digits = Digits::new(append_exact);
            for (barrier, reading) in now.iter().enumerate() {
                if barrier > 0 {
                    plain.push(b',');
                }
                spell(barrier, reading, &mut digits, &mut plain);
            }
            assert_eq!(out, plain);
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
