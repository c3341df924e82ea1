//! Embedders: text to a vector whose direction stands for its meaning, offline and the same
//! everywhere.
//!
//! [`EMBEDDERS`] is the only list. A vector is compared only with vectors of the same embedder:
//! neither lengths nor thresholds carry over from one to another.

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
        let norm = values.iter().map(|x| x * x).sum::<f64>().sqrt();
        Embedding {
            values: values.into(),
            norm,
        }
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
        let pairs = self.values.iter().zip(other.values.iter());
        let dot: f64 = pairs.map(|(a, b)| a * b).sum();
        (dot / (self.norm * other.norm)).clamp(-1.0, 1.0)
    }
}

/// Text to vector.
pub trait Embedder: Send + Sync + std::fmt::Debug {
    /// Its name in a policy.
    fn id(&self) -> &'static str;

    /// SHA-256 in hexadecimal of the data it goes by; absent where it goes by none.
    fn sha256(&self) -> Option<&str>;

    /// The vector of a text. The same text gives the same vector, on every machine and thread.
    fn embed(&self, text: &str) -> Embedding;
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
pub const EMBEDDERS: &[Definition] = &[];
