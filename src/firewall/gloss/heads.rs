//! Thousands of literals looked for in one text, by their first letters.
//!
//! Few places of a text begin as a literal does. A set of all that three letters may be, as far as
//! classes of letters tell, rules most of the others out, and inside of words those that begin one:
//! it is small, so that it stays near the processor whatever else a call needs. Where it does not, those
//! that have the same first letters are compared. An automaton of all literals takes megabytes, and each
//! of its steps waits for memory.

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

/// What there is at the ends of a literal.
pub fn edges(begins: bool, ends: bool) -> u8 {
    u8::from(begins) * BEGINS + u8::from(ends) * ENDS
}

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

/// By length of a head: which bits of four letters it has.
const HEADS: [u32; HEAD + 1] = [0, 0xff, 0xffff, 0xff_ffff, u32::MAX];

/// The place of a head of so many letters, which a text of these first eight begins with.
fn place(first: u64, length: u32) -> usize {
    let head = first as u32 & HEADS[length as usize % HEADS.len()];
    let hash = (head ^ (length << 28)).wrapping_mul(0x9e37_79b1);
    hash as usize >> (32 - PLACES.trailing_zeros())
}

/// Classes whose letters may be part of a word, and such as may not: those of two kinds are both.
const KINDS: [u32; 2] = {
    let (mut kinds, mut byte) = ([0; 2], 0);
    while byte < 256 {
        let class = CLASS[byte];
        kinds[(class / WORD) as usize] |= 1 << (class % WORD);
        byte += 1;
    }
    kinds
};

/// The triples that a literal may begin: what comes after one of less than three letters may be
/// anything, but for what is next to it where a word has to begin or end there.
fn triples_of(literal: &Sought<'_>) -> impl Iterator<Item = usize> {
    let letters = literal.bytes.iter().take(3);
    let known = letters.fold(0, |known, byte| triple(known, class(Some(byte))));
    let open = 3_usize.saturating_sub(literal.bytes.len()) as u32;
    let next = match literal.bytes.last() {
        Some(last) if literal.edges & ENDS != 0 => KINDS[usize::from(class(Some(last)) < WORD)],
        _ => u32::MAX,
    };
    // The class next to the literal is the first of those that are open.
    let below = CLASSES.pow(open.saturating_sub(1));
    let fits = move |rest: &usize| open == 0 || next >> (rest / below) & 1 == 1;
    let rests = (0..CLASSES.pow(open)).filter(fits);
    rests.map(move |rest| known * CLASSES.pow(open) + rest)
}

/// Places that are looked at in one go.
const BLOCK: usize = 64;

/// Goes over a text and tells where a literal may begin.
struct Sieve<'t> {
    /// What comes behind the next place and the one after it.
    ahead: &'t [u8],
    /// The classes of the byte before the next place, of that at it, and of the one behind it.
    classes: [u8; 3],
    /// The triple whose last letter is the one behind the next place.
    letters: usize,
}

impl<'t> Sieve<'t> {
    fn new(text: &'t [u8]) -> Sieve<'t> {
        let (here, next) = (class(text.first()), class(text.get(1)));
        Sieve {
            ahead: text.get(2..).unwrap_or_default(),
            classes: [class(None), here, next],
            letters: triple(triple(0, here), next),
        }
    }

    /// A bit for each of the next places, at most [`BLOCK`], at which there is one of the triples.
    // By itself, so that all it goes by stays in registers: two thirds of the instructions.
    #[inline(never)]
    fn block(&mut self, triples: &[Triples; 2], places: usize) -> u64 {
        let (block, ahead) = self.ahead.split_at(places.min(self.ahead.len()));
        self.ahead = ahead;
        let ([mut before, mut here, mut next], mut letters) = (self.classes, self.letters);
        let mut found = 0;
        let mut step = |at: usize, last: u8| {
            letters = triple(letters, last);
            let at_edge = (before ^ here) & WORD != 0;
            (before, here, next) = (here, next, last);
            found |= u64::from(holds(&triples[usize::from(at_edge)], letters)) << at;
        };
        for (at, last) in block.iter().enumerate() {
            step(at, CLASS[usize::from(*last)]);
        }
        (block.len()..places).for_each(|at| step(at, class(None)));
        (self.classes, self.letters) = ([before, here, next], letters);
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
            for triple in triples_of(literal) {
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
            let mut left = sieve.block(&self.triples, BLOCK.min(text.len() - start));
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
        let begins = is_edge(text, at);
        let mut lengths = self.lengths[letters];
        while lengths != 0 {
            let length = lengths.trailing_zeros();
            lengths &= lengths - 1;
            for literal in self.at(place(first, length)) {
                if (first ^ literal.first) & literal.letters == 0 && self.goes_on(literal, rest) {
                    let end = at + usize::from(literal.length);
                    let there = edges(begins, is_edge(text, end));
                    if literal.edges & !there == 0 {
                        each(usize::from(literal.number), there);
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
            let stand = |needed: u8| {
                let places =
                    (0..bytes.len()).flat_map(|at| (0..literals.len()).map(move |n| (at, n)));
                let standing =
                    places.filter(|(at, n)| bytes[*at..].starts_with(literals[*n].as_bytes()));
                let told = standing.map(|(at, n)| {
                    let [begins, ends] = [at, at + literals[n].len()].map(|at| is_edge(bytes, at));
                    (n, edges(begins, ends))
                });
                let mut told: Vec<_> = told.filter(|(_, there)| needed & !there == 0).collect();
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
