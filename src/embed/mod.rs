//! Embedders: text to a vector whose direction stands for its meaning, offline and the same
//! everywhere.
//!
//! [`EMBEDDERS`] is the only list. A vector is compared only with vectors of the same embedder:
//! neither lengths nor thresholds carry over from one to another.

pub mod cache;
mod fold;
pub mod hash;
pub mod minilm;
pub mod nearest;
pub mod static_table;
pub mod wordpiece;

pub use fold::fold;
pub use static_table::is_common_word;
use std::sync::Arc;

/// A vector of the meaning of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// Components; as many as the embedder has dimensions. All zeros where the text says nothing
    /// that the embedder knows.
    pub values: Arc<[f64]>,
    /// Euclidean length; 0 for a vector of zeros.
    norm: f64,
}

impl Embedding {
    /// A vector with these components, which have to be finite.
    pub fn new(values: Vec<f64>) -> Embedding {
        Embedding::of(values.into())
    }

    fn of(values: Arc<[f64]>) -> Embedding {
        let norm = dot(&values, &values).sqrt();
        Embedding { values, norm }
    }

    /// Whether the text said nothing that the embedder knows.
    pub fn is_zero(&self) -> bool {
        self.norm == 0.0
    }

    /// Cosine of the angle between two vectors of one embedder, within [-1, 1]; 0 where either is
    /// all zeros.
    pub fn cosine(&self, other: &Embedding) -> f64 {
        if self.is_zero() || other.is_zero() {
            return 0.0;
        }
        let dot = dot(&self.values, &other.values);
        (dot / (self.norm * other.norm)).clamp(-1.0, 1.0)
    }
}

/// As [`Embedding::new`], without a list in between.
impl<const N: usize> From<[f64; N]> for Embedding {
    fn from(values: [f64; N]) -> Embedding {
        Embedding::of(Arc::new(values))
    }
}

/// Sum of products. Eight sums side by side, which are added up in order: the same everywhere, and as
/// fast as additions that do not wait for each other.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (a, a_rest) = a.as_chunks::<8>();
    let (b, b_rest) = b.as_chunks::<8>();
    for (a, b) in a.iter().zip(b) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    for ((lane, a), b) in lanes.iter_mut().zip(a_rest).zip(b_rest) {
        *lane += a * b;
    }
    lanes.iter().sum()
}

/// Text to vector.
pub trait Embedder: Send + Sync + std::fmt::Debug {
    /// Its name in a policy.
    fn id(&self) -> &'static str;

    /// SHA-256 in hexadecimal of the data it goes by; absent where it goes by none.
    fn sha256(&self) -> Option<&str>;

    /// How much of what it made is worth remembering.
    fn remembers(&self) -> cache::Limits {
        cache::Limits::DEFAULT
    }

    /// The vector of a text. The same text gives the same vector, on every machine and thread.
    fn embed(&self, text: &str) -> Embedding;

    /// The same of a text that ends with these parts, a space before each. It is of use to embedders
    /// that need not look at what they know of a part from before.
    fn embed_with(&self, text: &str, _parts: &[&'static str]) -> Embedding {
        self.embed(text)
    }
}

/// Reads a file of a model's folder: the bytes, or why they cannot be read.
pub type Load<'t> = dyn Fn(&str) -> Result<Vec<u8>, String> + 't;

/// A kind of embedder.
pub struct Definition {
    /// Its name in a policy.
    pub id: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
    /// Whether it needs a model's folder.
    pub needs_model: bool,
    /// Makes it. The argument reads the files of the model's folder; it is not asked where none is
    /// needed.
    ///
    /// # Errors
    /// What is wrong with the model.
    pub open: fn(&Load<'_>) -> Result<Arc<dyn Embedder>, String>,
}

/// Every embedder, the default first.
pub const EMBEDDERS: &[Definition] = &[
    Definition {
        id: "static",
        doc: "sums of token vectors, from a table that is part of the program",
        needs_model: false,
        open: |_| static_table::built_in(),
    },
    Definition {
        id: "hash",
        doc: "hashed counts of words and of characters in a row",
        needs_model: false,
        open: |_| Ok(Arc::new(hash::HashEmbedder)),
    },
    Definition {
        id: minilm::ID,
        doc: "all-MiniLM-L6-v2, from a local folder",
        needs_model: true,
        open: minilm::open,
    },
];

/// The embedder of this name.
pub fn find(id: &str) -> Option<&'static Definition> {
    EMBEDDERS.iter().find(|definition| definition.id == id)
}
