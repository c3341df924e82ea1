//! `static`: a table with one short vector for each token; a text is the sum of its tokens.
//!
//! The table is all-MiniLM-L6-v2 without its context: what the model makes of each token alone,
//! reduced to 128 dimensions and weighted by how rare the token is, after model2vec. It is part of
//! the program; `docs/embedders/distill.py` makes it anew. Sums are those of integers, so that no machine
//! rounds them another way: in an `f64` they are exact up to 2⁵³, that of a thousand million tokens.
//!
//! The file, in little-endian order: `GATESEM1`; rows, dimensions and bytes of the vocabulary, a
//! `u32` each; the vocabulary, one token a line; for each row a `u16` multiplier; for each row its
//! dimensions, an `i8` each. A token's vector is its row times its multiplier.

use super::cache::Limits;
use super::wordpiece::Vocabulary;
use super::{Embedder, Embedding};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use wide::{i8x16, i16x16, i32x8, u8x16};

/// Components of a vector.
pub const DIMENSIONS: usize = 128;

/// SHA-256 of the table that is part of the program, in hexadecimal.
pub const SHA256: &str = "ad16e7607fbcca5aa98f972187a5037dc634822d0450ce50856b41589b5c2a52";

static BYTES: &[u8] = include_bytes!("static/static-128.gsem");

const MAGIC: &[u8] = b"GATESEM1";

/// Rows that are summed at once. A product is at most 128 × 32,767, so that 512 of them are at most
/// 2³¹ - 2¹⁶.
const BATCH: usize = 512;

/// Dimensions that are summed in one go over the tokens, so that sums stay in registers.
const BLOCK: usize = 32;

/// A sum of rows times their multipliers: whole numbers.
type Sum = [f64; DIMENSIONS];

/// A row as the file has it: `i8` in two's complement.
type Row = [u8; DIMENSIONS];

/// The table of token vectors that is part of the program.
#[derive(Debug)]
pub struct StaticTable<'t> {
    vocabulary: Vocabulary,
    /// One a token, as is `rows`.
    multipliers: Vec<u16>,
    rows: &'t [Row],
    /// The sums of parts of texts that were met: they are texts of the program itself, so that there are
    /// not many.
    parts: RwLock<HashMap<&'static str, Sum, RandomState>>,
}

/// The table that is part of the program. It is read once a process.
///
/// # Errors
/// The table is damaged.
pub fn built_in() -> Result<Arc<dyn Embedder>, String> {
    static TABLE: OnceLock<Result<Arc<StaticTable<'static>>, String>> = OnceLock::new();
    let read = || StaticTable::read(BYTES).map(Arc::new);
    match TABLE.get_or_init(read) {
        Ok(table) => Ok(table.clone()),
        Err(why) => Err(format!("the token table of `static` is damaged: {why}")),
    }
}

/// Bytes of the vocabulary that hold the 20,000 commonest tokens, which come first: words of English
/// texts but for a few.
const COMMON: usize = 151_105;

/// Where the vocabulary begins in the file.
const VOCABULARY: usize = MAGIC.len() + 12;

/// Whether a word in plain letters and lower case is among the commonest of English texts.
pub fn is_common_word(word: &str) -> bool {
    if word.len() < 2 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return false;
    }
    let common = BYTES.get(VOCABULARY..VOCABULARY + COMMON);
    memchr::memmem::find(common.unwrap_or_default(), format!("\n{word}\n").as_bytes()).is_some()
}

/// The first `N` bytes and those after them.
fn split<const N: usize>(bytes: &[u8]) -> Result<(&[u8; N], &[u8]), String> {
    bytes.split_first_chunk().ok_or_else(|| cut_off(N, bytes))
}

fn cut_off(needed: usize, bytes: &[u8]) -> String {
    format!("it ends {} bytes early", needed - bytes.len())
}

impl<'t> StaticTable<'t> {
    /// Reads a file of [`DIMENSIONS`] dimensions.
    ///
    /// # Errors
    /// What is wrong with the file: another kind, cut off, too long, a vocabulary that
    /// [`Vocabulary::new`] does not take or of another length than the rows.
    fn read(bytes: &'t [u8]) -> Result<StaticTable<'t>, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("it is no GATESEM1 file")?;
        let (rows, rest) = split(rest)?;
        let (dimensions, rest) = split(rest)?;
        let (length, rest) = split(rest)?;
        let count = u32::from_le_bytes(*rows) as usize;
        let dimensions = u32::from_le_bytes(*dimensions);
        if dimensions as usize != DIMENSIONS {
            return Err(format!("it has {dimensions} dimensions, not {DIMENSIONS}"));
        }
        let length = u32::from_le_bytes(*length) as usize;
        let (tokens, rest) = rest
            .split_at_checked(length)
            .ok_or_else(|| cut_off(length, rest))?;
        let tokens = std::str::from_utf8(tokens).map_err(|_| "its vocabulary is no UTF-8")?;
        let vocabulary = Vocabulary::new(tokens).map_err(|why| format!("vocabulary: {why}"))?;
        if vocabulary.len() != count {
            let tokens = vocabulary.len();
            return Err(format!("it has {count} rows for {tokens} tokens"));
        }
        let (multipliers, rest) = rest
            .split_at_checked(2 * count)
            .ok_or_else(|| cut_off(2 * count, rest))?;
        let (rows, after) = rest.as_chunks::<DIMENSIONS>();
        if rows.len() != count || !after.is_empty() {
            let (found, needed) = (rest.len(), DIMENSIONS * count);
            return Err(format!("its rows have {found} bytes, not {needed}"));
        }
        let (multipliers, _) = multipliers.as_chunks();
        Ok(StaticTable {
            vocabulary,
            multipliers: multipliers.iter().map(|&m| u16::from_le_bytes(m)).collect(),
            rows,
            parts: RwLock::default(),
        })
    }

    /// The sum of the vectors of a text's tokens. Words that tokens do not make up are left out.
    pub fn sum(&self, text: &str) -> Sum {
        let mut sums = Sums::default();
        self.vocabulary.tokenize(text, None, |id| {
            let token = id as usize;
            if let (Some(row), Some(multiplier)) =
                (self.rows.get(token), self.multipliers.get(token))
            {
                sums.token(row, *multiplier);
            }
            ControlFlow::Continue(())
        });
        sums.done()
    }

    /// Adds the sum of a part, which is worked out when it is first met.
    fn add_part(&self, part: &'static str, sums: &mut Sum) {
        // A thread that panicked here left sums that are whole.
        let known = self.parts.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(sum) = known.get(part) {
            return add(sums, sum);
        }
        drop(known);
        let sum = self.sum(part);
        add(sums, &sum);
        let mut known = self.parts.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(part, sum);
    }
}

fn add(sums: &mut Sum, more: &Sum) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

/// Sums of rows times their multipliers.
struct Sums<'t> {
    batch: Vec<(&'t Row, i16)>,
    sums: Sum,
}

impl Default for Sums<'_> {
    fn default() -> Self {
        Sums {
            batch: Vec::with_capacity(64),
            sums: [0.0; DIMENSIONS],
        }
    }
}

impl<'t> Sums<'t> {
    /// A token more. What is more than an `i16` holds is multiplied in parts.
    fn token(&mut self, row: &'t Row, multiplier: u16) {
        let mut left = multiplier;
        while left > i16::MAX as u16 {
            self.row(row, i16::MAX);
            left -= i16::MAX as u16;
        }
        self.row(row, left as i16);
    }

    fn row(&mut self, row: &'t Row, multiplier: i16) {
        if self.batch.len() == BATCH {
            self.add();
        }
        self.batch.push((row, multiplier));
    }

    /// Adds what the batch comes to.
    fn add(&mut self) {
        // Two rows at once, and the last one with itself, as nothing.
        if let (1, Some((row, _))) = (self.batch.len() % 2, self.batch.last()) {
            self.batch.push((row, 0));
        }
        let (pairs, _) = self.batch.as_chunks();
        let (blocks, _) = self.sums.as_chunks_mut::<BLOCK>();
        for (at, block) in blocks.iter_mut().enumerate() {
            let part = |row: &Row| row.as_chunks().0.get(at).copied();
            let mut sums = [i32x8::ZERO; BLOCK / 8];
            for [(first, one), (second, other)] in pairs {
                if let (Some(first), Some(second)) = (part(first), part(second)) {
                    let multipliers = [*one, *other];
                    let multipliers = std::array::from_fn(|at| multipliers[at % 2]);
                    let products = products(first, second, i16x16::new(multipliers));
                    sums = std::array::from_fn(|at| sums[at] + products[at]);
                }
            }
            let sums = sums.map(i32x8::to_array);
            for (sum, more) in block.iter_mut().zip(sums.as_flattened()) {
                *sum += f64::from(*more);
            }
        }
        self.batch.clear();
    }

    fn done(mut self) -> Sum {
        self.add();
        self.sums
    }
}

/// The products of parts of two rows and their multipliers, which are in turn, added up.
fn products(first: [u8; BLOCK], second: [u8; BLOCK], multipliers: i16x16) -> [i32x8; BLOCK / 8] {
    let half = |bytes: [u8; BLOCK], at: usize| {
        let half = bytes.as_chunks().0.get(at);
        u8x16::new(half.copied().unwrap_or_default())
    };
    std::array::from_fn(|at| {
        let (first, second) = (half(first, at / 2), half(second, at / 2));
        let in_turn = match at % 2 {
            0 => u8x16::unpack_low(first, second),
            _ => u8x16::unpack_high(first, second),
        };
        let signed = in_turn.to_array().map(|byte| byte as i8);
        i16x16::from_i8x16(i8x16::new(signed)).dot(multipliers)
    })
}

impl Embedder for StaticTable<'_> {
    fn id(&self) -> &'static str {
        "static"
    }

    fn sha256(&self) -> Option<&str> {
        Some(SHA256)
    }

    fn remembers(&self) -> Limits {
        Limits::NEAR
    }

    fn embed(&self, text: &str) -> Embedding {
        self.embed_with(text, &[])
    }

    /// A space parts words, whatever is around it.
    fn embed_with(&self, text: &str, parts: &[&'static str]) -> Embedding {
        let length: usize = parts.iter().map(|part| " ".len() + part.len()).sum();
        let own = text
            .len()
            .checked_sub(length)
            .and_then(|own| text.get(..own));
        let mut sums = self.sum(own.unwrap_or_default());
        parts.iter().for_each(|part| self.add_part(part, &mut sums));
        sums.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// A sound file with these tokens, rows that begin with 1, 2, 3 and so on, and multipliers that
    /// are ten times that.
    fn file(tokens: &str) -> Vec<u8> {
        let rows = tokens.split('\n').count() as u8;
        let mut bytes = MAGIC.to_vec();
        for number in [u32::from(rows), 128, tokens.len() as u32] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(tokens.as_bytes());
        (1..=rows).for_each(|row| bytes.extend((10 * u16::from(row)).to_le_bytes()));
        for row in 1..=rows {
            bytes.push(row);
            bytes.push(row.wrapping_neg());
            bytes.extend([0; 126]);
        }
        bytes
    }

    fn fault(bytes: &[u8]) -> String {
        StaticTable::read(bytes).expect_err("a damaged table")
    }

    #[test]
    fn common_words_are_those_of_english() {
        for (word, common) in [
            ("restaurant", true),
            ("the", true),
            ("guise", false),
            ("verschieben", false),
            ("##ing", false),
            ("a\nb", false),
            ("", false),
        ] {
            assert_eq!(is_common_word(word), common, "{word}");
        }
        // The cut is between two tokens.
        assert_eq!(BYTES.get(VOCABULARY + COMMON), Some(&b'\n'));
    }

    #[test]
    fn the_table_is_the_one_that_was_made() {
        let digest: String = Sha256::digest(BYTES)
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        assert_eq!(digest, SHA256);
        let table = built_in().expect("a table");
        assert_eq!(table.embed("delete").values.len(), DIMENSIONS);
        assert_eq!(table.sha256(), Some(SHA256));
    }

    #[test]
    fn a_text_is_the_sum_of_its_tokens() {
        let bytes = file("a\nb\n##a");
        let table = StaticTable::read(&bytes).expect("a table");
        let sum = |text: &str| table.sum(text)[..3].to_vec();
        assert_eq!(sum("a"), [10.0, -10.0, 0.0]);
        assert_eq!(sum("A b ba"), [10.0 + 40.0 + 40.0 + 90.0, -180.0, 0.0]);
        // What has no row counts for nothing, and a word of which a part has none.
        assert_eq!(sum("c ac \u{1f642} a"), [10.0, -10.0, 0.0]);
        assert!(table.embed("c").is_zero());
    }

    /// Whatever a text before them ends with, and whether they were met before.
    #[test]
    fn sums_of_parts_are_those_of_the_text() {
        let table = built_in().expect("a table");
        let parts = [
            "delete all files",
            "\u{301}cafe\u{301}",
            "",
            "delete all files",
        ];
        for own in [
            "",
            "rm -rf /",
            "re",
            "e\u{301}",
            "\x01",
            "\u{200b}\u{65e5}",
            " ",
        ] {
            for count in 0..=parts.len() {
                let text = [&[own], &parts[..count]].concat().join(" ");
                let whole = table.embed(&text);
                assert_eq!(table.embed_with(&text, &parts[..count]), whole, "{text:?}");
            }
        }
    }

    /// Sums overflow nowhere: neither within a batch, nor from batch to batch.
    #[test]
    fn extremes_are_summed_exactly() {
        let mut bytes = file("a");
        let rows = bytes.len() - DIMENSIONS;
        bytes[rows - 2..rows].fill(0xff);
        bytes[rows..rows + 2].copy_from_slice(&[0x7f, 0x80]);
        let table = StaticTable::read(&bytes).expect("a table");
        for count in [1, BATCH - 1, BATCH, BATCH + 1, 100_000] {
            let sums = table.sum(&"a ".repeat(count));
            let [most, least] = [127, -128].map(|value| (value * 65_535 * count as i64) as f64);
            assert_eq!(sums[..3], [most, least, 0.0]);
        }
    }

    #[test]
    fn damage_is_told() {
        let sound = file("a\nb");
        assert!(StaticTable::read(&sound).is_ok());
        // Wherever it is cut off, and where something follows.
        for end in 0..sound.len() {
            fault(&sound[..end]);
        }
        let longer = [&sound[..], &[0]].concat();
        assert_eq!(fault(&longer), "its rows have 257 bytes, not 256");
        assert_eq!(fault(b"GATESEM2"), "it is no GATESEM1 file");
        assert_eq!(fault(&sound[..19]), "it ends 1 bytes early");
        let with = |at: usize, byte: u8| {
            let mut bytes = sound.clone();
            bytes[at] = byte;
            fault(&bytes)
        };
        assert_eq!(with(8, 3), "it has 3 rows for 2 tokens");
        assert_eq!(with(12, 64), "it has 64 dimensions, not 128");
        assert!(with(19, 255).ends_with(" bytes early"));
        assert_eq!(with(20, 0xff), "its vocabulary is no UTF-8");
        assert_eq!(with(20, b'b'), "vocabulary: line 2: `b` is there twice");
        assert_eq!(with(22, b'\n'), "vocabulary: line 2: an empty token");
    }
}
