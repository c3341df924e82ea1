//! Thousands of literals looked for in one text, by their first letters.
//!
//! Few places of a text begin as a literal does. A set of all that three letters may be, as far as
//! classes of letters tell, rules most of the others out, and inside of words those that begin one:
//! it is small, so that it stays near the processor whatever else a call needs. Where it does not, those
//! that have the same first letters are compared. An automaton of all literals takes megabytes, and each
//! of its steps waits for memory.

use std::ops::Range;

/// Letters that literals are found by; those that are shorter, by all that they have.
const HEAD: usize = 4;

/// Places of heads, by their hash.
const PLACES: usize = 1 << 13;

/// Classes of letters.
const CLASSES: usize = 32;

/// What three letters may be, by their classes.
const TRIPLES: usize = CLASSES.pow(3);

/// Added to the class of what words are made of.
const WORD: u8 = CLASSES as u8;

/// The class of a letter: each of a to z has its own.
const CLASS: [u8; 256] = {
    let mut classes = [31; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            letter @ b'a'..=b'z' => WORD + letter - b'a',
            b'A'..=b'Z' => WORD + 31,
            b'0'..=b'9' => WORD + 26,
            b' ' | b'\t' | b'\n' => 27,
            b'_' => WORD + 28,
            b'=' => 28,
            b'-' | b'.' => 29,
            b'/' | b':' => 30,
            _ => 31,
        };
        byte += 1;
    }
    classes
};

/// The class of a byte; before and after a text there is what belongs to no word.
fn class(byte: Option<&u8>) -> u8 {
    CLASS[usize::from(byte.copied().unwrap_or(0))]
}

/// Whether a word begins or ends here.
fn is_edge(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    (class(before) ^ class(text.get(at))) & WORD != 0
}

/// The triple that follows one when the next letter has this class.
const fn triple(before: usize, class: u8) -> usize {
    (before * CLASSES + (class % WORD) as usize) % TRIPLES
}

/// A set of triples.
type Triples = [u64; TRIPLES / 64];

fn holds(triples: &Triples, triple: usize) -> bool {
    triples[triple / 64] >> (triple % 64) & 1 == 1
}

/// A literal that is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Sought<'l> {
    /// Its bytes; one without any stands nowhere.
    pub bytes: &'l [u8],
    /// What there has to be at its ends, of [`BEGINS`] and [`ENDS`].
    pub edges: u8,
}

/// A word begins or ends where a literal begins.
pub const BEGINS: u8 = 1;

/// A word begins or ends where a literal ends.
pub const ENDS: u8 = 2;

/// Literals, found by their first letters.
#[derive(Debug)]
pub struct Heads {
    /// Triples that a literal may begin with: anywhere, and where a word begins or ends.
    triples: Box<[Triples; 2]>,
    /// By triple: how long the heads of literals are that may begin so, a bit for each length.
    lengths: Box<[u8; TRIPLES]>,
    /// By place of a head: where its literals begin; they end where those of the next one begin.
    starts: Box<[u16; PLACES + 1]>,
    literals: Vec<Literal>,
    /// What literals have beyond their first eight letters, one after the other.
    rests: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Literal {
    /// Its first eight letters, zeros behind them, and which bits of them are letters.
    first: u64,
    letters: u64,
    number: u16,
    length: u8,
    edges: u8,
    /// Where its rest begins.
    rest: u32,
}

/// The first eight bytes of a text, zeros where it is shorter.
fn first_eight(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => {
            let bytes = text.iter().rev();
            bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
        }
    }
}

/// The place of a head of so many letters, which a text of these first eight begins with.
fn place(first: u64, length: u32) -> usize {
    let head = first as u32 & (u32::MAX >> (32 - 8 * length));
    let hash = (head ^ length << 28).wrapping_mul(0x9e37_79b1);
    hash as usize >> (32 - PLACES.trailing_zeros())
}

/// The triples that a head may begin: what comes after one of less than three letters may be anything.
fn triples_of(head: &[u8]) -> Range<usize> {
    let letters = head.iter().take(3);
    let known = letters.fold(0, |known, byte| triple(known, class(Some(byte))));
    let open = CLASSES.pow(3_u32.saturating_sub(head.len() as u32));
    known * open..(known + 1) * open
}

/// Places that are looked at in one go.
const BLOCK: usize = 64;

/// Goes over a text and tells where a literal may begin.
struct Sieve<'t> {
    text: &'t [u8],
    /// The classes of the byte before a place and of that at it.
    before: u8,
    here: u8,
    /// That of the byte after it.
    next: u8,
    /// The triple whose last letter is the one after a place.
    letters: usize,
}

impl<'t> Sieve<'t> {
    fn new(text: &'t [u8]) -> Sieve<'t> {
        let (here, next) = (class(text.first()), class(text.get(1)));
        Sieve {
            text,
            before: class(None),
            here,
            next,
            letters: triple(triple(0, here), next),
        }
    }

    /// The next block of places: a bit for each at which there is one of the triples.
    fn block(&mut self, triples: &[Triples; 2], start: usize) -> u64 {
        let mut found = 0;
        let places = BLOCK.min(self.text.len() - start);
        for at in 0..places {
            let last = class(self.text.get(start + at + 2));
            self.letters = triple(self.letters, last);
            let at_edge = (self.before ^ self.here) & WORD != 0;
            (self.before, self.here, self.next) = (self.here, self.next, last);
            found |= u64::from(holds(&triples[usize::from(at_edge)], self.letters)) << at;
        }
        found
    }
}

impl Heads {
    /// Takes literals, which are known by their place from then on. Absent where they are too many or
    /// too long.
    pub fn new(sought: &[Sought<'_>]) -> Option<Heads> {
        let mut triples = Box::new([[0; TRIPLES / 64]; 2]);
        let mut lengths = Box::new([0; TRIPLES]);
        let mut by_place = Vec::with_capacity(sought.len());
        let mut rests = Vec::new();
        let some = |(_, literal): &(usize, &Sought<'_>)| !literal.bytes.is_empty();
        for (number, literal) in sought.iter().enumerate().filter(some) {
            let bytes = literal.bytes;
            let head = bytes.len().min(HEAD);
            for triple in triples_of(bytes) {
                for set in &mut triples[usize::from(literal.edges & BEGINS)..] {
                    set[triple / 64] |= 1 << (triple % 64);
                }
                lengths[triple] |= 1 << head;
            }
            let entry = Literal {
                first: first_eight(bytes),
                letters: first_eight(&[u8::MAX; 8][..bytes.len().min(8)]),
                number: u16::try_from(number).ok()?,
                length: u8::try_from(bytes.len()).ok()?,
                edges: literal.edges,
                rest: u32::try_from(rests.len()).ok()?,
            };
            by_place.push((place(entry.first, head as u32), entry));
            rests.extend(bytes.iter().skip(8));
        }
        by_place.sort_by_key(|(place, _)| *place);
        let mut starts = Box::new([0; PLACES + 1]);
        for (place, _) in &by_place {
            starts[place + 1] += 1;
        }
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        Some(Heads {
            triples,
            lengths,
            starts,
            literals: by_place.into_iter().map(|(_, literal)| literal).collect(),
            rests,
        })
    }

    /// Hands over every place in a text where a literal stands with what it has to have at its ends: the
    /// literal's number, and what is at its ends.
    pub fn find(&self, text: &[u8], mut each: impl FnMut(usize, u8)) {
        let mut sieve = Sieve::new(text);
        for start in (0..text.len()).step_by(BLOCK) {
            let mut left = sieve.block(&self.triples, start);
            while left != 0 {
                let at = start + left.trailing_zeros() as usize;
                left &= left - 1;
                self.find_at(text, at, &mut each);
            }
        }
    }

    /// Hands over the literals that stand at a place.
    fn find_at(&self, text: &[u8], at: usize, each: &mut impl FnMut(usize, u8)) {
        let rest = text.get(at..).unwrap_or_default();
        let first = first_eight(rest);
        let letters = rest.iter().chain([&0; 3]).take(3);
        let letters = letters.fold(0, |letters, byte| triple(letters, class(Some(byte))));
        let begins = BEGINS * u8::from(is_edge(text, at));
        let mut lengths = self.lengths[letters];
        while lengths != 0 {
            let length = lengths.trailing_zeros();
            lengths &= lengths - 1;
            for literal in self.at(place(first, length)) {
                if (first ^ literal.first) & literal.letters == 0 && self.goes_on(literal, rest) {
                    let end = at + usize::from(literal.length);
                    let edges = begins | ENDS * u8::from(is_edge(text, end));
                    if literal.edges & !edges == 0 {
                        each(usize::from(literal.number), edges);
                    }
                }
            }
        }
    }

    /// The literals of a place.
    fn at(&self, place: usize) -> &[Literal] {
        let [start, end] = [self.starts[place], self.starts[place + 1]].map(usize::from);
        self.literals.get(start..end).unwrap_or_default()
    }

    /// Whether a text that begins like a literal, as far as eight letters tell, has all of it.
    fn goes_on(&self, literal: &Literal, text: &[u8]) -> bool {
        let length = usize::from(literal.length);
        let Some(further) = text.get(8.min(length)..length) else {
            return false;
        };
        let rest = literal.rest as usize;
        further.is_empty() || self.rests.get(rest..rest + further.len()) == Some(further)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found is what stands there, to the last letter.
    #[test]
    fn every_literal_is_found_where_it_stands() {
        let literals = [
            "a", "ab", "abc", "abcd", "b\0", "bcd", "d", "\u{e9}", "zzzz",
        ];
        let heads = [0, BEGINS, ENDS, BEGINS | ENDS].map(|edges| {
            let bytes = literals.iter().map(|literal| literal.as_bytes());
            let sought: Vec<_> = bytes.map(|bytes| Sought { bytes, edges }).collect();
            (edges, Heads::new(&sought).expect("few literals"))
        });
        for text in [
            "",
            "a",
            "ab",
            "abc",
            "abcd",
            "xabcdabc",
            "b",
            "b\0",
            "zzzzz",
            "zzz",
            "é",
            "xé",
            "dd",
            "abd",
            "cab\0",
            "eight88",
            "eight888",
            "eight88890124",
            "eight88890123",
            "eight8889012",
        ] {
            let bytes = text.as_bytes();
            let stand = |edges: u8| {
                let places =
                    (0..bytes.len()).flat_map(|at| (0..literals.len()).map(move |n| (at, n)));
                let standing =
                    places.filter(|(at, n)| bytes[*at..].starts_with(literals[*n].as_bytes()));
                let told = standing.map(|(at, n)| {
                    let [begins, ends] = [at, at + literals[n].len()].map(|at| is_edge(bytes, at));
                    (n, BEGINS * u8::from(begins) | ENDS * u8::from(ends))
                });
                let mut told: Vec<_> = told.filter(|(_, there)| edges & !there == 0).collect();
                told.sort_unstable();
                told
            };
            for (edges, heads) in &heads {
                let mut found = Vec::new();
                heads.find(bytes, |literal, there| found.push((literal, there)));
                found.sort_unstable();
                assert_eq!(found, stand(*edges), "{text:?} {edges}");
            }
        }
    }
}
