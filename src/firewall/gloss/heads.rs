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
    /// With what at its ends it is looked for, see [`fits`].
    pub fits: u8,
    /// What is handed over where it stands: where its uses begin, and how many there are.
    pub uses: (u16, u8),
}

/// A word begins or ends where a literal begins.
pub const BEGINS: u8 = 1;

/// A word begins or ends where a literal ends.
pub const ENDS: u8 = 2;

/// What there is at the ends of a literal.
pub fn edges(begins: bool, ends: bool) -> u8 {
    u8::from(begins) * BEGINS + u8::from(ends) * ENDS
}

/// What there may be at the ends of a literal that has to have these edges, a bit for each such.
pub fn fits(edges: u8) -> u8 {
    let there = 0..=BEGINS | ENDS;
    let enough = there.filter(|there| edges & !there == 0);
    enough.fold(0, |fits, there| fits | 1 << there)
}

/// Literals, found by their first letters.
#[derive(Debug)]
pub struct Heads {
    /// Triples that a literal may begin with: where no word begins or ends, and where one does.
    triples: Box<[Triples; 2]>,
    /// By the classes of two letters: what literals of less than three letters may stand there, a bit
    /// for each length.
    pairs: Box<[u8; CLASSES * CLASSES]>,
    /// What literals of three letters may be.
    threes: Box<Triples>,
    /// By place of a head of four letters: a bit for each tag that there is.
    tags: Box<[u8; PLACES]>,
    /// By place of a head: where its literals begin, and how many there are.
    places: Box<[(u16, u16); PLACES]>,
    literals: Vec<Literal>,
    /// What literals have beyond their first eight letters, one after the other.
    rests: Vec<u8>,
}

/// A literal in sixteen bytes, as many are gone through.
#[derive(Clone, Copy, Debug)]
struct Literal {
    /// Its first eight letters, zeros behind them.
    first: u64,
    /// Where its uses begin, and how many there are: [`Sought::uses`].
    uses: u16,
    used: u8,
    /// Where its rest begins.
    rest: u16,
    length: u8,
    /// How many bits of eight letters are beyond it.
    beyond: u8,
    /// See [`Sought::fits`].
    fits: u8,
}

impl Literal {
    /// Whether a text begins like it, as far as its first eight letters tell.
    fn may_begin(&self, first: u64) -> bool {
        (first ^ self.first) << (self.beyond % 64) == 0
    }
}

/// Eight bytes of a text from a place on, zeros where it is shorter.
fn eight(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    match (rest.first_chunk(), text.last_chunk()) {
        (Some(eight), _) => u64::from_le_bytes(*eight),
        (None, Some(last)) if !rest.is_empty() => {
            u64::from_le_bytes(*last) >> (8 * (8 - rest.len() % 8))
        }
        _ => {
            let bytes = rest.iter().rev();
            bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
        }
    }
}

/// By length of a head: which bits of four letters it has.
const HEADS: [u32; HEAD + 1] = [0, 0xff, 0xffff, 0xff_ffff, u32::MAX];

/// The place of a head of so many letters, which a text of these first eight begins with, and its tag.
fn place(first: u64, length: usize) -> (usize, u8) {
    let head = first as u32 & HEADS[length % HEADS.len()];
    let hash = (head ^ (length as u32) << 28).wrapping_mul(0x9e37_79b1);
    let place = hash >> (32 - PLACES.trailing_zeros());
    (place as usize, 1 << (hash >> 16 & 7))
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

/// The triples that a literal may begin where a word begins or ends, or where none does: what comes
/// after one of less than three letters may be anything, but for what is next to it where a word has
/// to begin or end there.
fn triples_of(literal: &Sought<'_>, at_edge: bool) -> impl Iterator<Item = usize> {
    let letters = literal.bytes.iter().take(3);
    let known = letters.fold(0, |known, byte| triple(known, class(Some(byte))));
    let open = 3_usize.saturating_sub(literal.bytes.len()) as u32;
    let is_word = |byte: &u8| class(Some(byte)) >= WORD;
    let last = literal.bytes.last().is_some_and(is_word);
    let may_end = |ends: bool| literal.fits >> edges(at_edge, ends) & 1 == 1;
    let [within, beyond] = [may_end(false), may_end(true)];
    let next = if within { KINDS[usize::from(last)] } else { 0 };
    let next = next | if beyond { KINDS[usize::from(!last)] } else { 0 };
    // The class next to the literal is the first of those that are open.
    let below = CLASSES.pow(open.saturating_sub(1));
    let fits = move |rest: &usize| match open {
        0 => within || beyond,
        _ => next >> (rest / below) & 1 == 1,
    };
    let rests = (0..CLASSES.pow(open)).filter(fits);
    rests.map(move |rest| known * CLASSES.pow(open) + rest)
}

/// The first two letters by their classes, as one number, and the first three.
fn classes(first: u64) -> (usize, usize) {
    let [one, two, three, ..] = first.to_le_bytes().map(|byte| class(Some(&byte)));
    let pair = triple(triple(0, one), two);
    (pair, triple(pair, three))
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
        let mut found = 0_u64;
        let mut step = |last: u8| {
            letters = triple(letters, last);
            let at_edge = (before ^ here) & WORD != 0;
            (before, here, next) = (here, next, last);
            let triples = triples[usize::from(at_edge)][letters / 64] >> (letters % 64);
            found = found >> 1 | triples << 63;
        };
        for last in block {
            step(CLASS[usize::from(*last)]);
        }
        (block.len()..places).for_each(|_| step(class(None)));
        (self.classes, self.letters) = ([before, here, next], letters);
        found >> ((BLOCK - places) % 64)
    }
}

impl Heads {
    /// Takes literals, which are known by their place from then on. Absent where they are too many or
    /// too long.
    pub fn new(sought: &[Sought<'_>]) -> Option<Heads> {
        let mut triples = Box::new([[0; TRIPLES / 64]; 2]);
        let (mut pairs, mut threes) = (Box::new([0; CLASSES.pow(2)]), Box::new([0; TRIPLES / 64]));
        let mut tags = Box::new([0; PLACES]);
        let mut by_place = Vec::with_capacity(sought.len());
        let mut rests = Vec::new();
        for literal in sought.iter().filter(|literal| !literal.bytes.is_empty()) {
            let bytes = literal.bytes;
            for (set, at_edge) in triples.iter_mut().zip([false, true]) {
                for triple in triples_of(literal, at_edge) {
                    set[triple / 64] |= 1 << (triple % 64);
                }
            }
            let first = eight(bytes, 0);
            let head = bytes.len().min(HEAD);
            let (place, tag) = place(first, head);
            let (pair, triple) = classes(first);
            match head {
                // What comes after a single letter may be anything.
                1 => pairs
                    .chunks_exact_mut(CLASSES)
                    .nth(pair / CLASSES)?
                    .iter_mut()
                    .for_each(|lengths| *lengths |= 1 << 1),
                2 => pairs[pair] |= 1 << 2,
                3 => threes[triple / 64] |= 1 << (triple % 64),
                _ => tags[place] |= tag,
            }
            let entry = Literal {
                first,
                uses: literal.uses.0,
                used: literal.uses.1,
                rest: u16::try_from(rests.len()).ok()?,
                length: u8::try_from(bytes.len()).ok()?,
                beyond: 8 * (8 - bytes.len().min(8)) as u8,
                fits: literal.fits,
            };
            by_place.push((place, entry));
            rests.extend(bytes.iter().skip(8));
        }
        by_place.sort_by_key(|(place, _)| *place);
        let mut places = Box::new([(0, 0); PLACES]);
        for (start, (place, _)) in by_place.iter().enumerate() {
            let (from, many) = &mut places[*place];
            if *many == 0 {
                *from = u16::try_from(start).ok()?;
            }
            *many += 1;
        }
        Some(Heads {
            triples,
            pairs,
            threes,
            tags,
            places,
            literals: by_place.into_iter().map(|(_, literal)| literal).collect(),
            rests,
        })
    }

    /// Hands over the uses of every literal that stands in a text, at each place where what is at its
    /// ends fits it: where they begin and how many there are, and what is at its ends.
    pub fn find(&self, text: &[u8], mut each: impl FnMut((u16, u8), u8)) {
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

    /// Hands over the uses of the literals that stand at a place.
    fn find_at(&self, text: &[u8], at: usize, each: &mut impl FnMut((u16, u8), u8)) {
        let first = eight(text, at);
        let mut lengths = self.lengths(first);
        while lengths != 0 {
            let (place, _) = place(first, lengths.trailing_zeros() as usize);
            lengths &= lengths - 1;
            let (from, many) = self.places[place];
            let literals = usize::from(from)..usize::from(from) + usize::from(many);
            let Some(literals) = self.literals.get(literals) else {
                continue;
            };
            for literal in literals.iter().filter(|literal| literal.may_begin(first)) {
                let end = at + usize::from(literal.length);
                if self.goes_on(literal, text, at, end) {
                    let there = edges(is_edge(text, at), is_edge(text, end));
                    if literal.fits >> there & 1 == 1 {
                        each((literal.uses, literal.used), there);
                    }
                }
            }
        }
    }

    /// How long the heads are that a text may begin with, a bit for each length.
    fn lengths(&self, first: u64) -> u8 {
        let (pair, triple) = classes(first);
        let (place, tag) = place(first, HEAD);
        let three = u8::from(holds(&self.threes, triple)) << 3;
        let four = u8::from(self.tags[place] & tag != 0) << HEAD;
        self.pairs[pair] | three | four
    }

    /// Whether a literal ends here in a text that begins like it at a place, as far as eight letters
    /// tell.
    fn goes_on(&self, literal: &Literal, text: &[u8], at: usize, end: usize) -> bool {
        if literal.length <= 8 {
            return end <= text.len();
        }
        let rest = usize::from(literal.rest);
        let further = text.get(at + 8..end);
        further.is_some_and(|text| self.rests.get(rest..rest + text.len()) == Some(text))
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
        // Every set of what there may be at the ends.
        let heads = std::array::from_fn::<_, 16, _>(|fits| {
            let fits = fits as u8;
            let bytes = literals.iter().map(|literal| literal.as_bytes());
            let sought = (0..).zip(bytes).map(|(n, bytes)| Sought {
                bytes,
                fits,
                uses: (n, 1),
            });
            let sought: Vec<_> = sought.collect();
            (fits, Heads::new(&sought).expect("few literals"))
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
            let stand = |fits: u8| {
                let places =
                    (0..bytes.len()).flat_map(|at| (0..literals.len()).map(move |n| (at, n)));
                let standing =
                    places.filter(|(at, n)| bytes[*at..].starts_with(literals[*n].as_bytes()));
                let told = standing.map(|(at, n)| {
                    let [begins, ends] = [at, at + literals[n].len()].map(|at| is_edge(bytes, at));
                    (n, edges(begins, ends))
                });
                let mut told: Vec<_> = told.filter(|(_, there)| fits >> there & 1 == 1).collect();
                told.sort_unstable();
                told
            };
            for (fits, heads) in &heads {
                let mut found = Vec::new();
                heads.find(bytes, |(n, _), there| found.push((usize::from(n), there)));
                found.sort_unstable();
                assert_eq!(found, stand(*fits), "{text:?} {fits}");
            }
        }
    }
}
