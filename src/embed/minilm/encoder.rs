//! The encoder of BERT (Devlin et al., 2018): numbers of word pieces to one vector a piece, and
//! their mean.

use super::config::Config;
use super::matrix::{self, Matrix, Panels};
use super::weights::Weights;

/// The encoder with its weights.
#[derive(Debug)]
pub struct Encoder {
    heads: usize,
    /// One row a word piece.
    words: Matrix,
    /// One row a place in the text, with the row of the first kind of text added: there is no
    /// other kind here.
    places: Matrix,
    norm: Norm,
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
    epsilon: f32,
}

#[derive(Debug)]
struct Layer {
    query: Panels,
    key: Panels,
    value: Panels,
    attended: Panels,
    attended_norm: Norm,
    widen: Panels,
    narrow: Panels,
    norm: Norm,
}

impl Norm {
    fn read(weights: &Weights<'_>, name: &str, config: &Config) -> Result<Norm, String> {
        Ok(Norm {
            scale: weights.vector(&format!("{name}.weight"), config.hidden_size)?,
            shift: weights.vector(&format!("{name}.bias"), config.hidden_size)?,
            epsilon: config.layer_norm_eps,
        })
    }

    fn apply(&self, x: &mut Matrix) {
        for row in x.rows_mut() {
            matrix::normalise(row, &self.scale, &self.shift, self.epsilon);
        }
    }
}

impl Layer {
    fn read(weights: &Weights<'_>, at: usize, config: &Config) -> Result<Layer, String> {
        let (hidden, wide) = (config.hidden_size, config.intermediate_size);
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        let dense = |part: &str, inputs, outputs| weights.dense(&name(part), inputs, outputs);
        let norm = |part: &str| Norm::read(weights, &name(part), config);
        Ok(Layer {
            query: dense("attention.self.query", hidden, hidden)?,
            key: dense("attention.self.key", hidden, hidden)?,
            value: dense("attention.self.value", hidden, hidden)?,
            attended: dense("attention.output.dense", hidden, hidden)?,
            attended_norm: norm("attention.output.LayerNorm")?,
            widen: dense("intermediate.dense", hidden, wide)?,
            narrow: dense("output.dense", wide, hidden)?,
            norm: norm("output.LayerNorm")?,
        })
    }

    /// What each piece takes from the others, one head after another.
    fn attend(&self, x: &Matrix, heads: usize) -> Matrix {
        let mut query = self.query.times(x.view());
        let key = self.key.times(x.view());
        let value = self.value.times(x.view());
        let width = x.width / heads;
        let scale = 1.0 / (width as f32).sqrt();
        for q in &mut query.values {
            *q *= scale;
        }
        let mut context = Matrix::zeros(x.view().height(), x.width);
        for head in 0..heads {
            let first = head * width;
            let keys = Panels::of_rows(key.columns(first, width));
            let mut shares = keys.times(query.columns(first, width));
            shares.rows_mut().for_each(matrix::softmax);
            let values = Panels::of_columns(value.columns(first, width));
            let taken = values.times(shares.view());
            for (row, taken) in context.rows_mut().zip(taken.view().rows()) {
                row[first..first + width].copy_from_slice(taken);
            }
        }
        context
    }

    fn apply(&self, x: &Matrix, heads: usize) -> Matrix {
        let mut attended = self.attended.times(self.attend(x, heads).view());
        attended.add(x);
        self.attended_norm.apply(&mut attended);
        let mut wide = self.widen.times(attended.view());
        for x in &mut wide.values {
            *x = matrix::gelu(*x);
        }
        let mut narrow = self.narrow.times(wide.view());
        narrow.add(&attended);
        self.norm.apply(&mut narrow);
        narrow
    }
}

impl Encoder {
    /// Takes the weights over.
    ///
    /// # Errors
    /// A tensor that is missing, or is not what `config` says it should be.
    pub fn read(weights: &Weights<'_>, config: &Config) -> Result<Encoder, String> {
        let matrix = |name: &str, rows| {
            let name = format!("embeddings.{name}_embeddings.weight");
            weights.matrix(&name, rows, config.hidden_size)
        };
        let mut places = matrix("position", config.max_position_embeddings)?;
        let kinds = matrix("token_type", config.type_vocab_size)?;
        for row in places.rows_mut() {
            for (x, kind) in row.iter_mut().zip(&kinds.values) {
                *x += kind;
            }
        }
        let layers = (0..config.num_hidden_layers).map(|at| Layer::read(weights, at, config));
        Ok(Encoder {
            heads: config.num_attention_heads,
            words: matrix("word", config.vocab_size)?,
            places,
            norm: Norm::read(weights, "embeddings.LayerNorm", config)?,
            layers: layers.collect::<Result<_, _>>()?,
        })
    }

    /// The mean of the vectors of word pieces, scaled to length 1. A piece that is not in the
    /// vocabulary, or further on than there are places, is left out.
    pub fn encode(&self, pieces: &[u32]) -> Vec<f64> {
        let width = self.words.width;
        let mut x = Matrix::zeros(0, width);
        for (&piece, place) in pieces.iter().zip(self.places.view().rows()) {
            let at = piece as usize * width;
            let word = self.words.values.get(at..at + width).unwrap_or_default();
            x.values.extend(word.iter().zip(place).map(|(a, b)| a + b));
        }
        let mut mean = vec![0.0; width];
        if x.values.is_empty() {
            return mean;
        }
        self.norm.apply(&mut x);
        for layer in &self.layers {
            x = layer.apply(&x, self.heads);
        }
        for row in x.view().rows() {
            for (mean, &x) in mean.iter_mut().zip(row) {
                *mean += f64::from(x);
            }
        }
        let length = mean.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            mean.iter_mut().for_each(|x| *x /= length);
        }
        mean
    }
}
