//! Thousands of literals looked for in one text, by their first letters.
//!
//! Few places of a text begin as a literal does. A set of all that three letters may be, as far as
//! classes of letters tell, rules most of the others out: it is small, so that it stays near the
//! processor whatever else a call needs. Where it does not, tables of heads name the literals that are
//! compared. An automaton of all literals takes megabytes, and each of its steps waits for memory.

use std::ops::Range;

/// Letters that literals are found by; those that are shorter, by all that they have.
const HEAD: usize = 4;

/// Places of a table, by hash of a head.
const PLACES: usize = 1 << 16;

/// Classes of letters.
const CLASSES: usize = 32;

/// What three letters may be, by their classes.
const TRIPLES: usize = CLASSES * CLASSES * CLASSES;

/// The class of a letter: each of a to z has its own.
const CLASS: [u8; 256] = {
    let mut classes = [31; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            letter @ b'a'..=b'z' => letter - b'a',
            b'0'..=b'9' => 26,
            b' ' | b'\t' | b'\n' => 27,
            b'_' | b'=' => 28,
            b'-' | b'.' => 29,
            b'/' | b':' => 30,
            _ => 31,
        };
        byte += 1;
    }
    classes
};

fn class(byte: Option<&u8>) -> usize {
    usize::from(CLASS[usize::from(byte.copied().unwrap_or(0))])
}

/// The triple that follows one when the next letter has this class.
const fn triple(before: usize, class: usize) -> usize {
    (before * CLASSES + class) % TRIPLES
}

/// Literals, found by their first letters.
#[derive(Debug)]
pub struct Heads {
    /// A bit for each triple that a literal may begin with.
    triples: Vec<u64>,
    /// A table for each length of head that there is.
    tables: Vec<Table>,
}

/// Literals whose heads have one length.
#[derive(Debug)]
struct Table {
    /// Which of the bits of four letters are the head.
    head: u32,
    /// A bit for each place that has literals.
    taken: Vec<u64>,
    /// By place: the number of its bucket.
    buckets: Vec<u16>,
    literals: Vec<Vec<Literal>>,
}

#[derive(Debug)]
struct Literal {
    number: usize,
    /// Its first eight letters, zeros behind them, and which bits of them are letters.
    first: u64,
    letters: u64,
    length: usize,
    /// What comes after those eight.
    rest: Box<[u8]>,
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

impl Literal {
    fn new(number: usize, literal: &[u8]) -> Literal {
        let letters = [u8::MAX; 8];
        Literal {
            number,
            first: first_eight(literal),
            letters: first_eight(&letters[..literal.len().min(8)]),
            length: literal.len(),
            rest: literal.get(8..).unwrap_or_default().into(),
        }
    }

    /// Whether a text of these first eight bytes begins with it.
    fn begins(&self, text: &[u8], first: u64) -> bool {
        (first ^ self.first) & self.letters == 0
            && self.length <= text.len()
            && (self.rest.is_empty() || text.get(8..).is_some_and(|t| t.starts_with(&self.rest)))
    }
}

impl Table {
    /// Of heads of so many letters.
    fn new(letters: usize) -> Table {
        Table {
            head: first_eight(&[u8::MAX; HEAD][..letters]) as u32,
            taken: vec![0; PLACES / 64],
            buckets: vec![0; PLACES],
            literals: Vec::new(),
        }
    }

    /// The place of what begins with these letters.
    fn place(&self, first: u64) -> usize {
        ((first as u32 & self.head).wrapping_mul(0x9e37_79b1) >> 16) as usize
    }

    fn is_taken(&self, place: usize) -> bool {
        let bits = self.taken.get(place / 64);
        bits.is_some_and(|bits| bits >> (place % 64) & 1 == 1)
    }

    fn add(&mut self, literal: Literal) {
        let place = self.place(literal.first);
        let is_taken = self.is_taken(place);
        let (Some(bits), Some(bucket)) =
            (self.taken.get_mut(place / 64), self.buckets.get_mut(place))
        else {
            return;
        };
        if !is_taken {
            *bits |= 1 << (place % 64);
            // There are no more buckets than places.
            *bucket = self.literals.len() as u16;
            self.literals.push(Vec::new());
        }
        if let Some(literals) = self.literals.get_mut(usize::from(*bucket)) {
            literals.push(literal);
        }
    }

    fn at(&self, place: usize) -> &[Literal] {
        let bucket = self.buckets.get(place).copied().unwrap_or(0);
        self.literals.get(usize::from(bucket)).map_or(&[], |l| l)
    }
}

impl Heads {
    /// Takes literals, which are known by their place from then on; one that is empty stands nowhere.
    pub fn new<'l>(literals: impl Iterator<Item = &'l [u8]>) -> Heads {
        let mut tables: Vec<_> = (1..=HEAD).map(Table::new).collect();
        let mut triples = vec![0; TRIPLES / 64];
        for (number, literal) in literals.enumerate() {
            // What comes after a literal of less than three letters may be anything.
            let first = literal.iter().take(3);
            let known = first.fold(0, |triple, b| triple * CLASSES + class(Some(b)));
            let open = CLASSES.pow(3 - literal.len().min(3) as u32);
            for triple in (known * open..(known + 1) * open).filter(|_| !literal.is_empty()) {
                if let Some(bits) = triples.get_mut(triple / 64) {
                    *bits |= 1_u64 << (triple % 64);
                }
            }
            let table = literal.len().min(HEAD).checked_sub(1);
            if let Some(table) = table.and_then(|at| tables.get_mut(at)) {
                table.add(Literal::new(number, literal));
            }
        }
        tables.retain(|table| !table.literals.is_empty());
        Heads { triples, tables }
    }

    /// Hands over every place in a text where a literal stands, with the literal's number.
    pub fn find(&self, text: &[u8], mut each: impl FnMut(usize, Range<usize>)) {
        let mut letters = triple(class(text.first()), class(text.get(1)));
        for at in 0..text.len() {
            letters = triple(letters, class(text.get(at + 2)));
            let bits = self.triples.get(letters / 64);
            if bits.is_none_or(|bits| bits >> (letters % 64) & 1 == 0) {
                continue;
            }
            let rest = text.get(at..).unwrap_or_default();
            let first = first_eight(rest);
            for table in &self.tables {
                let place = table.place(first);
                if !table.is_taken(place) {
                    continue;
                }
                for literal in table.at(place) {
                    if literal.begins(rest, first) {
                        each(literal.number, at..at + literal.length);
                    }
                }
            }
        }
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
        let heads = Heads::new(literals.iter().map(|l| l.as_bytes()));
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
            let mut found = Vec::new();
            heads.find(text.as_bytes(), |literal, place| {
                found.push((place.start, literal))
            });
            found.sort_unstable();
            let bytes = text.as_bytes();
            let expected = (0..bytes.len()).flat_map(|at| {
                let stands = move |l: &&str| bytes[at..].starts_with(l.as_bytes());
                let numbered = literals.iter().enumerate();
                numbered
                    .filter(move |(_, l)| stands(l))
                    .map(move |(n, _)| (at, n))
            });
            assert_eq!(found, expected.collect::<Vec<_>>(), "{text:?}");
        }
    }
}
