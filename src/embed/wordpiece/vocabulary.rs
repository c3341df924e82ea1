//! The tokens of a model, and the longest of them that a word begins with.

use super::LONGEST_WORD;

/// The tokens of a model. A token's id is its line.
pub struct Vocabulary {
    /// The tokens, each followed by a line end.
    lines: Vec<u8>,
    /// Where each token begins, and the end of all.
    starts: Vec<u32>,
    /// Open addressing over a power of two of places, at most half of them taken: 0, or a token's id
    /// and one in the bits of `id_bits`, above them the same bits of its hash.
    slots: Vec<u32>,
    id_bits: u32,
    /// Longest token in bytes, without its `##`.
    longest: usize,
}

impl std::fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Vocabulary({} tokens)", self.len())
    }
}

/// Where in a word a token stands.
#[derive(Clone, Copy, PartialEq)]
enum Position {
    /// At the beginning of a word.
    First,
    /// After other tokens of the word: `##` in the vocabulary.
    Further,
}

/// Hash of the empty token; [`hash`] goes on from it byte by byte.
fn seed(position: Position) -> u32 {
    match position {
        Position::First => 0x3c6e_f372,
        Position::Further => 0xa54f_f53a,
    }
}

fn hash(so_far: u32, byte: u8) -> u32 {
    (so_far.rotate_left(5) ^ u32::from(byte)).wrapping_mul(0x9e37_79b1)
}

/// The bits of a hash that places go by, spread by the finaliser of MurmurHash3.
fn spread(hash: u32) -> u32 {
    let hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash ^ (hash >> 13)
}

/// What is looked up of a vocabulary's line: the bytes without `##`, and where they stand.
fn key(token: &[u8]) -> (Position, &[u8]) {
    match token.strip_prefix(b"##") {
        // `##` itself is two signs at the beginning of a word.
        Some(rest) if !rest.is_empty() => (Position::Further, rest),
        _ => (Position::First, token),
    }
}

impl Vocabulary {
    /// The tokens of a text that has one a line. A line end after the last is no token.
    ///
    /// # Errors
    /// A line that is empty or there twice; more than a million tokens or 64 MiB.
    pub fn new(text: &str) -> Result<Vocabulary, String> {
        const MOST_TOKENS: usize = 1 << 20;
        const MOST_BYTES: usize = 64 << 20;
        let text = text.strip_suffix('\n').unwrap_or(text);
        let tokens = text.bytes().filter(|&b| b == b'\n').count() + 1;
        if tokens > MOST_TOKENS || text.len() > MOST_BYTES {
            return Err(format!(
                "{tokens} tokens in {} bytes: more than a vocabulary may have",
                text.len()
            ));
        }
        let mut vocabulary = Vocabulary {
            lines: Vec::with_capacity(text.len() + 1),
            starts: Vec::with_capacity(tokens + 1),
            slots: vec![0; (2 * tokens).next_power_of_two()],
            id_bits: usize::BITS - tokens.leading_zeros(),
            longest: 0,
        };
        vocabulary.lines.extend_from_slice(text.as_bytes());
        vocabulary.lines.push(b'\n');
        vocabulary.starts.push(0);
        let mut end = 0;
        for (id, token) in (0..).zip(text.split('\n')) {
            if token.is_empty() {
                return Err(format!("line {}: an empty token", id + 1));
            }
            end += token.len() as u32 + 1;
            vocabulary.starts.push(end);
            if !vocabulary.insert(id, token.as_bytes()) {
                let token = token.escape_default();
                return Err(format!("line {}: `{token}` is there twice", id + 1));
            }
        }
        Ok(vocabulary)
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no token; never so for one that [`Vocabulary::new`] made.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of a token, as the vocabulary writes it.
    pub fn id(&self, token: &str) -> Option<u32> {
        let (position, bytes) = key(token.as_bytes());
        let whole = bytes.iter().fold(seed(position), |h, &b| hash(h, b));
        self.find(position, bytes, whole)
    }

    /// The token of an id, as the vocabulary writes it.
    pub fn token(&self, id: u32) -> Option<&str> {
        std::str::from_utf8(self.line(id)?).ok()
    }

    fn line(&self, id: u32) -> Option<&[u8]> {
        let start = *self.starts.get(id as usize)? as usize;
        let next = *self.starts.get(id as usize + 1)? as usize;
        self.lines.get(start..next - 1)
    }

    fn insert(&mut self, id: u32, token: &[u8]) -> bool {
        let (position, bytes) = key(token);
        self.longest = self.longest.max(bytes.len());
        let whole = bytes.iter().fold(seed(position), |h, &b| hash(h, b));
        if self.find(position, bytes, whole).is_some() {
            return false;
        }
        let spread = spread(whole);
        let entry = (spread & !self.id_mask()) | (id + 1);
        let places = self.slots.len() - 1;
        let mut at = spread as usize & places;
        while let Some(slot) = self.slots.get_mut(at) {
            if *slot == 0 {
                *slot = entry;
                break;
            }
            at = (at + 1) & places;
        }
        true
    }

    fn id_mask(&self) -> u32 {
        (1 << self.id_bits) - 1
    }

    fn find(&self, position: Position, bytes: &[u8], whole: u32) -> Option<u32> {
        let spread = spread(whole);
        let ids = self.id_mask();
        let places = self.slots.len() - 1;
        let mut at = spread as usize & places;
        loop {
            let slot = *self.slots.get(at)?;
            if slot == 0 {
                return None;
            }
            if (slot ^ spread) & !ids == 0 {
                let id = (slot & ids) - 1;
                if key(self.line(id)?) == (position, bytes) {
                    return Some(id);
                }
            }
            at = (at + 1) & places;
        }
    }

    /// The tokens of one word, and how many there are; absent where none goes on somewhere.
    pub(super) fn pieces(&self, word: &[u8], ids: &mut [u32; LONGEST_WORD]) -> Option<usize> {
        let mut rest = word;
        let mut count = 0;
        let mut position = Position::First;
        // Tokens are whole characters, so that what begins and ends with bytes of one is no token.
        let mut hashes = [0; 4 * LONGEST_WORD];
        while !rest.is_empty() {
            let mut so_far = seed(position);
            let within = rest.len().min(self.longest);
            for (place, &byte) in hashes.iter_mut().zip(rest.get(..within)?) {
                so_far = hash(so_far, byte);
                *place = so_far;
            }
            let (id, length) = (1..=within).rev().find_map(|length| {
                let whole = *hashes.get(length - 1)?;
                let id = self.find(position, rest.get(..length)?, whole)?;
                Some((id, length))
            })?;
            *ids.get_mut(count)? = id;
            count += 1;
            position = Position::Further;
            rest = rest.get(length..)?;
        }
        Some(count)
    }
}
