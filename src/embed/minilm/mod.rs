//! `minilm`: all-MiniLM-L6-v2, a BERT encoder of six layers, from a local folder, written out.
//!
//! The folder has `config.json`, `model.safetensors` and `vocab.txt`, as sentence-transformers saves
//! them. A text is cut into word pieces, at most [`MOST_PIECES`] of them; each becomes a vector, and
//! the text's vector is their mean, scaled to length 1. Other encoders of that architecture and
//! tokenizer are read as well, whatever their sizes.
//!
//! Nothing depends on the machine: additions come in a fixed order (`matrix`), and functions that
//! systems compute differently come from `libm`.

mod config;
mod encoder;
mod matrix;
mod weights;

use super::wordpiece::Vocabulary;
use super::{Embedder, Embedding, Load};
use config::Config;
use encoder::Encoder;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Arc;
use weights::Weights;

/// Name in a policy.
pub const ID: &str = "minilm";

/// Most word pieces of a text, with the two around it; what comes after them is not seen. It is the
/// `max_seq_length` of the model.
pub const MOST_PIECES: usize = 256;

/// The file of word pieces.
const VOCABULARY: &str = "vocab.txt";

/// A BERT encoder with its vocabulary.
#[derive(Debug)]
pub struct MiniLm {
    encoder: Encoder,
    vocabulary: Vocabulary,
    /// Components of a vector.
    dimensions: usize,
    /// Most word pieces between the two around a text.
    most: usize,
    /// What a text begins with.
    first: u32,
    /// What a text ends with.
    last: u32,
    /// What stands for a word that pieces do not make up.
    unknown: u32,
    sha256: String,
}

/// Reads the model of a folder.
///
/// # Errors
/// Names the file, and the tensor or key: a file that cannot be read, an architecture that is not
/// known, a tensor that is missing or is not of the type and shape it should be, a weight that is not
/// finite, a vocabulary that does not fit.
pub fn open(load: &Load<'_>) -> Result<Arc<dyn Embedder>, String> {
    MiniLm::read(load).map(|model| Arc::new(model) as Arc<dyn Embedder>)
}

impl MiniLm {
    fn read(load: &Load<'_>) -> Result<MiniLm, String> {
        let mut hash = Sha256::new();
        let mut read = |file: &str| {
            let bytes = load(file).map_err(|why| format!("`{file}` cannot be read: {why}"))?;
            hash.update(&bytes);
            Ok::<_, String>(bytes)
        };
        let config = Config::read(&read(config::FILE)?)?;
        let vocabulary = vocabulary(&read(VOCABULARY)?, &config)?;
        let special = |token: &str| {
            let id = vocabulary.id(token);
            id.ok_or_else(|| format!("{VOCABULARY}: there is no `{token}`"))
        };
        Ok(MiniLm {
            first: special("[CLS]")?,
            last: special("[SEP]")?,
            unknown: special("[UNK]")?,
            encoder: Encoder::read(&Weights::open(&read(weights::FILE)?)?, &config)?,
            vocabulary,
            dimensions: config.hidden_size,
            most: MOST_PIECES.min(config.max_position_embeddings) - 2,
            sha256: hexadecimal(hash),
        })
    }

    /// The numbers of a text's word pieces, with the two around it.
    fn pieces(&self, text: &str) -> Vec<u32> {
        let mut pieces = vec![self.first];
        let unknown = Some(self.unknown);
        self.vocabulary.tokenize(text, unknown, |piece| {
            if pieces.len() > self.most {
                return ControlFlow::Break(());
            }
            pieces.push(piece);
            ControlFlow::Continue(())
        });
        pieces.push(self.last);
        pieces
    }
}

/// Reads the word pieces, as many as the model has rows for. Lines may end with CRLF, as where git or
/// an editor rewrote them; no word piece has such a character.
fn vocabulary(bytes: &[u8], config: &Config) -> Result<Vocabulary, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| format!("{VOCABULARY}: not UTF-8"))?;
    let text = text.replace("\r\n", "\n");
    let vocabulary = Vocabulary::new(&text).map_err(|why| format!("{VOCABULARY}: {why}"))?;
    if vocabulary.len() != config.vocab_size {
        return Err(format!(
            "{VOCABULARY}: {} word pieces; by {} there are {}",
            vocabulary.len(),
            config::FILE,
            config.vocab_size
        ));
    }
    Ok(vocabulary)
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize()
        .iter()
        .fold(String::new(), |mut text, byte| {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

impl Embedder for MiniLm {
    fn id(&self) -> &'static str {
        ID
    }

    /// Of `config.json`, `vocab.txt` and `model.safetensors`, one after another.
    fn sha256(&self) -> Option<&str> {
        Some(&self.sha256)
    }

    /// Zeros where the text has no word piece: the model's vector for nothing points somewhere.
    fn embed(&self, text: &str) -> Embedding {
        match self.pieces(text).as_slice() {
            [_, _] => Embedding::new(vec![0.0; self.dimensions]),
            pieces => Embedding::new(self.encoder.encode(pieces)),
        }
    }
}
