//! The tokens of a model, and the longest of them that a word begins with.

/// The tokens of a model. A token's id is its line.
pub struct Vocabulary {
    /// A line end, and the tokens, each followed by another; the last one by eight, so that as many
    /// bytes can be read of every token.
    lines: Vec<u8>,
    /// Where in `lines` the [`key`] of each token begins.
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

/// Where in a word a token stands. As a number it is the byte before the [`key`] of such a token.
#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
enum Position {
    /// At the beginning of a word.
    First = b'\n',
    /// After other tokens of the word: `##` in the vocabulary.
    Further = b'#',
}

/// Hash of a token, eight bytes at a time. Its upper half tells the place, its lower half tells apart
/// those of one place.
fn hash(position: Position, bytes: &[u8]) -> u64 {
    let (parts, rest) = bytes.as_chunks();
    let parts = parts.iter().map(|part| u64::from_le_bytes(*part));
    step(parts.fold(seed(position), step), short(rest))
}

fn seed(position: Position) -> u64 {
    u64::from(position as u8)
}

fn step(so_far: u64, part: u64) -> u64 {
    let product = u128::from(so_far ^ part) * 0x9e37_79b9_7f4a_7c15;
    (product >> 64) as u64 ^ product as u64
}

/// Less than eight bytes as a number, the first lowest.
fn short(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    match (bytes.first_chunk(), bytes.last_chunk(), bytes) {
        // What is in both is the same in both.
        (Some(first), Some(last), _) => {
            let last = u64::from(u32::from_le_bytes(*last));
            u64::from(u32::from_le_bytes(*first)) | last << (8 * (length - 4))
        }
        (_, _, [first, .., last]) => {
            let middle = bytes.get(length / 2).map_or(0, |&byte| u64::from(byte));
            u64::from(*first)
                | middle << (8 * (length / 2))
                | u64::from(*last) << (8 * (length - 1))
        }
        (_, _, [only]) => u64::from(*only),
        _ => 0,
    }
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
            lines: Vec::with_capacity(text.len() + 9),
            starts: Vec::with_capacity(tokens),
            slots: vec![0; (2 * tokens).next_power_of_two()],
            id_bits: usize::BITS - tokens.leading_zeros(),
            longest: 0,
        };
        vocabulary.lines.push(b'\n');
        vocabulary.lines.extend_from_slice(text.as_bytes());
        vocabulary.lines.extend([b'\n'; 8]);
        let mut start = 0;
        let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
        for (id, end) in (0..).zip(ends) {
            let token = text.get(start..end).unwrap_or_default();
            if token.is_empty() {
                return Err(format!("line {}: an empty token", id + 1));
            }
            start = end + 1;
            if !vocabulary.insert(id, token.as_bytes(), start) {
                let token = token.escape_default();
                return Err(format!("line {}: `{token}` is there twice", id + 1));
            }
        }
        Ok(vocabulary)
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is no token; never so for one that [`Vocabulary::new`] made.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of a token, as the vocabulary writes it.
    pub fn id(&self, token: &str) -> Option<u32> {
        let (position, bytes) = key(token.as_bytes());
        self.piece(position, bytes)
    }

    /// The token of an id, as the vocabulary writes it.
    pub fn token(&self, id: u32) -> Option<&str> {
        let key = *self.starts.get(id as usize)? as usize;
        let (before, after) = self.lines.split_at_checked(key)?;
        let length = memchr::memchr(b'\n', after)?;
        let marks = before.len() - memchr::memrchr(b'\n', before)? - 1;
        std::str::from_utf8(self.lines.get(key - marks..key + length)?).ok()
    }

    /// Adds the token whose line ends there in `lines`, as the next, unless it is there.
    fn insert(&mut self, id: u32, token: &[u8], end: usize) -> bool {
        let (position, bytes) = key(token);
        self.longest = self.longest.max(bytes.len());
        let Err(at) = self.find(position, bytes) else {
            return false;
        };
        self.starts.push((end - bytes.len()) as u32);
        let entry = (hash(position, bytes) as u32 & !self.id_mask()) | (id + 1);
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = entry;
        }
        true
    }

    fn id_mask(&self) -> u32 {
        (1 << self.id_bits) - 1
    }

    /// The id of a token of this hash, or the free place where it would be. What stands in `lines` from
    /// the key of a token on says whether it is the one.
    #[inline]
    fn look_up(
        &self,
        position: Position,
        hash: u64,
        is_it: impl Fn(&[u8]) -> bool,
    ) -> Result<u32, usize> {
        let ids = self.id_mask();
        let places = self.slots.len() - 1;
        let mut at = (hash >> 32) as usize & places;
        loop {
            let slot = self.slots.get(at).copied().unwrap_or(0);
            if slot == 0 {
                return Err(at);
            }
            if (slot ^ hash as u32) & !ids == 0 {
                let id = (slot & ids) - 1;
                let start = self.starts.get(id as usize);
                let line = start.and_then(|start| self.lines.get(*start as usize - 1..));
                if let Some((before, after)) = line.and_then(<[u8]>::split_first)
                    && *before == position as u8
                    && is_it(after)
                {
                    return Ok(id);
                }
            }
            at = (at + 1) & places;
        }
    }

    /// The id of a token, or the free place where it would be.
    fn find(&self, position: Position, bytes: &[u8]) -> Result<u32, usize> {
        self.look_up(position, hash(position, bytes), |line| {
            line.get(bytes.len()) == Some(&b'\n') && line.starts_with(bytes)
        })
    }

    /// The id of a token of less than eight bytes, the first lowest and the others zeros, in fewer steps.
    fn find_short(&self, position: Position, bytes: u64, length: usize) -> Option<u32> {
        let line_end = u64::from(b'\n') << (8 * length);
        let others = 56 - 8 * length;
        let found = self.look_up(position, step(seed(position), bytes), |line| {
            let line = line.first_chunk().map(|line| u64::from_le_bytes(*line));
            line.is_some_and(|line| (line ^ (bytes | line_end)) << others == 0)
        });
        found.ok()
    }

    fn piece(&self, position: Position, bytes: &[u8]) -> Option<u32> {
        match bytes.len() {
            length @ 0..8 => self.find_short(position, short(bytes), length),
            _ => self.find(position, bytes).ok(),
        }
    }

    /// The token that a word is by itself.
    pub(super) fn word(&self, word: &[u8]) -> Option<u32> {
        self.piece(Position::First, word)
    }

    /// The same for a word of less than eight bytes, as [`short`] has it.
    pub(super) fn short_word(&self, word: u64, length: usize) -> Option<u32> {
        self.find_short(Position::First, word, length)
    }

    /// Puts the tokens of a word that is none itself in the place of `found`, and says whether they
    /// make it up.
    pub(super) fn pieces(&self, word: &[u8], found: &mut Vec<u32>) -> bool {
        found.clear();
        let mut rest = word;
        let mut position = Position::First;
        let mut most = word.len().saturating_sub(1);
        while !rest.is_empty() {
            let Some((id, after)) = self.longest_match(position, rest, most) else {
                return false;
            };
            found.push(id);
            position = Position::Further;
            rest = after;
            most = rest.len();
        }
        true
    }

    /// The longest token of at most that many bytes that the bytes begin with, and the bytes after it.
    /// Tokens are whole characters, so that none ends within one.
    fn longest_match<'w>(
        &self,
        position: Position,
        bytes: &'w [u8],
        most: usize,
    ) -> Option<(u32, &'w [u8])> {
        (1..=most.min(self.longest)).rev().find_map(|length| {
            let (token, after) = bytes.split_at_checked(length)?;
            Some((self.piece(position, token)?, after))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of every length, at the beginning of a word and further on, and of those that one more or less
    /// byte would make.
    #[test]
    fn every_token_is_found_and_no_other() {
        let letters = "abcdefghijklmnopqrstuvwxyz";
        let of_length = |length: usize| {
            let further = format!("##{}", &letters[letters.len() - length..]);
            [letters[..length].to_owned(), further]
        };
        let mut lines: Vec<String> = (1..=20).flat_map(of_length).collect();
        lines.extend(["##", "\u{e9}"].map(str::to_owned));
        let vocabulary = Vocabulary::new(&lines.join("\n")).expect("a vocabulary");
        assert_eq!(vocabulary.len(), lines.len());
        for (id, line) in (0..).zip(&lines) {
            assert_eq!(vocabulary.token(id), Some(&**line));
            assert_eq!(vocabulary.id(line), Some(id), "{line}");
            for other in [format!("{line}Z"), format!("##{line}"), format!("{line}\0")] {
                assert_eq!(vocabulary.id(&other), None, "{other}");
            }
        }
        assert_eq!(vocabulary.token(lines.len() as u32), None);
        assert_eq!(vocabulary.id(""), None);
    }

    #[test]
    fn short_bytes_are_their_number() {
        let bytes = [0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0];
        for length in 0..8 {
            let all = u64::from_le_bytes(bytes) & !(u64::MAX << (8 * length));
            assert_eq!(short(&bytes[..length]), all, "{length}");
        }
    }
}
