//! The tokens of a model, and the longest of them that a word begins with.

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
        self.look_up(position, bytes, whole).ok()
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

    /// Adds a token, unless it is there.
    fn insert(&mut self, id: u32, token: &[u8]) -> bool {
        let (position, bytes) = key(token);
        self.longest = self.longest.max(bytes.len());
        let whole = bytes.iter().fold(seed(position), |h, &b| hash(h, b));
        let Err(at) = self.look_up(position, bytes, whole) else {
            return false;
        };
        let entry = (spread(whole) & !self.id_mask()) | (id + 1);
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = entry;
        }
        true
    }

    fn id_mask(&self) -> u32 {
        (1 << self.id_bits) - 1
    }

    /// The id of a token of this hash, or the free place where it would be.
    fn look_up(&self, position: Position, bytes: &[u8], whole: u32) -> Result<u32, usize> {
        let spread = spread(whole);
        let ids = self.id_mask();
        let places = self.slots.len() - 1;
        let mut at = spread as usize & places;
        loop {
            let slot = self.slots.get(at).copied().unwrap_or(0);
            if slot == 0 {
                return Err(at);
            }
            if (slot ^ spread) & !ids == 0 {
                let id = (slot & ids) - 1;
                if self.line(id).map(key) == Some((position, bytes)) {
                    return Ok(id);
                }
            }
            at = (at + 1) & places;
        }
    }

    /// Puts the tokens of a word in the place of `found`, and says whether they make it up.
    pub(super) fn pieces(&self, word: &[u8], found: &mut Found) -> bool {
        found.ids.clear();
        let mut rest = word;
        let mut position = Position::First;
        while !rest.is_empty() {
            let Some((id, after)) = self.longest_match(position, rest, &mut found.hashes) else {
                return false;
            };
            found.ids.push(id);
            position = Position::Further;
            rest = after;
        }
        true
    }

    /// The longest token that the bytes begin with, and the bytes after it. Tokens are whole
    /// characters, so that none ends within one.
    fn longest_match<'w>(
        &self,
        position: Position,
        bytes: &'w [u8],
        hashes: &mut Vec<u32>,
    ) -> Option<(u32, &'w [u8])> {
        // Most words are tokens themselves.
        if bytes.len() <= self.longest {
            let whole = bytes.iter().fold(seed(position), |h, &b| hash(h, b));
            if let Ok(id) = self.look_up(position, bytes, whole) {
                return Some((id, &[]));
            }
        }
        let mut so_far = seed(position);
        hashes.clear();
        hashes.extend(bytes.iter().take(self.longest).map(|&byte| {
            so_far = hash(so_far, byte);
            so_far
        }));
        let mut by_length = hashes.iter().enumerate().rev();
        by_length.find_map(|(before, &whole)| {
            let (token, after) = bytes.split_at_checked(before + 1)?;
            Some((self.look_up(position, token, whole).ok()?, after))
        })
    }
}

/// What is found of a word, in memory that is used again for the next.
#[derive(Default)]
pub(super) struct Found {
    /// The tokens.
    pub(super) ids: Vec<u32>,
    /// Hashes of the first byte, the first two, and so on, of what is looked up.
    hashes: Vec<u32>,
}
