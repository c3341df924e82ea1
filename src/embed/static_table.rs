//! `static`: a table with one short vector for each token; a text is the sum of its tokens.
//!
//! The table is all-MiniLM-L6-v2 without its context: what the model makes of each token alone,
//! reduced to 128 dimensions and weighted by how rare the token is, after model2vec. It is part of
//! the program; `docs/embedders/distill.py` makes it anew. Sums are taken in integers, so that no
//! machine rounds them another way.
//!
//! The file, in little-endian order: `GATESEM1`; rows, dimensions and bytes of the vocabulary, a
//! `u32` each; the vocabulary, one token a line; for each row a `u16` multiplier; for each row its
//! dimensions, an `i8` each. A token's vector is its row times its multiplier.

use super::wordpiece::Vocabulary;
use super::{Embedder, Embedding};
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// Components of a vector.
pub const DIMENSIONS: usize = 128;

/// SHA-256 of the table that is part of the program, in hexadecimal.
pub const SHA256: &str = "ad16e7607fbcca5aa98f972187a5037dc634822d0450ce50856b41589b5c2a52";

static BYTES: &[u8] = include_bytes!("static/static-128.gsem");

const MAGIC: &[u8] = b"GATESEM1";

/// Tokens that are summed at once. A product is at most 255 × 65,535, so that 257 of them are less
/// than 2³².
const BATCH: usize = 256;

/// Dimensions that are summed in one go over the tokens, so that sums stay in registers.
const BLOCK: usize = 32;

/// A row as the file has it: `i8` in two's complement.
type Row = [u8; DIMENSIONS];

/// The table of token vectors that is part of the program.
#[derive(Debug)]
pub struct StaticTable<'t> {
    vocabulary: Vocabulary,
    /// One a token, as is `rows`.
    multipliers: Vec<u16>,
    rows: &'t [Row],
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
        })
    }

    /// The sum of the vectors of a text's tokens. Words that tokens do not make up are left out.
    pub fn sum(&self, text: &str) -> [i64; DIMENSIONS] {
        let mut sums = [0; DIMENSIONS];
        let mut batch = Vec::with_capacity(BATCH);
        self.vocabulary.tokenize(text, None, |id| {
            let token = id as usize;
            if let (Some(row), Some(multiplier)) =
                (self.rows.get(token), self.multipliers.get(token))
            {
                batch.push((row, u32::from(*multiplier)));
            }
            if batch.len() == BATCH {
                add(&batch, &mut sums);
                batch.clear();
            }
            ControlFlow::Continue(())
        });
        add(&batch, &mut sums);
        sums
    }
}

/// Adds rows times their multipliers. There are at most [`BATCH`] of them.
fn add(batch: &[(&Row, u32)], sums: &mut [i64; DIMENSIONS]) {
    // Rows are shifted by 128 to be without sign, which multiplies faster, and the shift is taken
    // back from the sums.
    let shift = 128 * batch.iter().map(|(_, m)| i64::from(*m)).sum::<i64>();
    let (blocks, _) = sums.as_chunks_mut::<BLOCK>();
    for (at, block) in blocks.iter_mut().enumerate() {
        let mut shifted = [0_u32; BLOCK];
        for (row, multiplier) in batch {
            let (parts, _) = row.as_chunks::<BLOCK>();
            let Some(part) = parts.get(at) else { continue };
            for (sum, byte) in shifted.iter_mut().zip(part) {
                *sum += u32::from(byte ^ 0x80) * multiplier;
            }
        }
        for (sum, shifted) in block.iter_mut().zip(shifted) {
            *sum += i64::from(shifted) - shift;
        }
    }
}

impl Embedder for StaticTable<'_> {
    fn id(&self) -> &'static str {
        "static"
    }

    fn sha256(&self) -> Option<&str> {
        Some(SHA256)
    }

    fn embed(&self, text: &str) -> Embedding {
        Embedding::new(self.sum(text).iter().map(|&sum| sum as f64).collect())
    }
}
