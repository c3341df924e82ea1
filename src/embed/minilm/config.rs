//! `config.json` of a model: its architecture and its sizes.

use crate::escape::visible;
use serde::Deserialize;

/// The file.
pub const FILE: &str = "config.json";

/// Greatest width of a vector of a piece. With those below and the greatest weight it keeps every
/// sum of the encoder below the greatest 32-bit float.
const MOST_HIDDEN: usize = 1024;
/// Greatest width between the two halves of a layer.
const MOST_INTERMEDIATE: usize = 4096;
const MOST_LAYERS: usize = 48;
const MOST_PLACES: usize = 1 << 16;
const MOST_WORDS: usize = 1 << 20;

/// Sizes of an encoder. The names are those of the file, whose other keys say nothing that the
/// vectors of a text depend on.
#[derive(Debug, Deserialize)]
pub struct Config {
    model_type: String,
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    /// Components of a vector.
    pub hidden_size: usize,
    /// Components between the two halves of a layer.
    pub intermediate_size: usize,
    /// Layers.
    pub num_hidden_layers: usize,
    /// Heads of a layer, which share the components evenly.
    pub num_attention_heads: usize,
    /// Places that a text can have.
    pub max_position_embeddings: usize,
    /// Kinds of text; the first is used.
    pub type_vocab_size: usize,
    /// Word pieces.
    pub vocab_size: usize,
    /// What is added to a variance before it divides; above 0.
    pub layer_norm_eps: f32,
}

fn absolute() -> String {
    "absolute".to_owned()
}

impl Config {
    /// Reads the file.
    ///
    /// # Errors
    /// No JSON, a key that is missing or of another type, or an architecture or a size that the
    /// encoder is not for.
    pub fn read(bytes: &[u8]) -> Result<Config, String> {
        let config: Config = serde_json::from_slice(bytes)
            .map_err(|error| format!("{FILE}: {}", visible(&error.to_string())))?;
        config.check().map_err(|why| format!("{FILE}: {why}"))?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        for (key, value, known) in [
            ("model_type", &self.model_type, "bert"),
            ("hidden_act", &self.hidden_act, "gelu"),
            (
                "position_embedding_type",
                &self.position_embedding_type,
                "absolute",
            ),
        ] {
            if value != known {
                let value = visible(value);
                return Err(format!("`{key}` is `{value}`; only `{known}` is known"));
            }
        }
        for (key, value, most) in [
            ("hidden_size", self.hidden_size, MOST_HIDDEN),
            (
                "intermediate_size",
                self.intermediate_size,
                MOST_INTERMEDIATE,
            ),
            ("num_hidden_layers", self.num_hidden_layers, MOST_LAYERS),
            ("num_attention_heads", self.num_attention_heads, MOST_HIDDEN),
            (
                "max_position_embeddings",
                self.max_position_embeddings,
                MOST_PLACES,
            ),
            ("type_vocab_size", self.type_vocab_size, MOST_PLACES),
            ("vocab_size", self.vocab_size, MOST_WORDS),
        ] {
            let least = if key == "max_position_embeddings" {
                3
            } else {
                1
            };
            if !(least..=most).contains(&value) {
                return Err(format!("`{key}` is {value}, not within {least} to {most}"));
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            return Err(format!(
                "`hidden_size` {} is no multiple of `num_attention_heads` {}",
                self.hidden_size, self.num_attention_heads
            ));
        }
        let epsilon = self.layer_norm_eps;
        if !(f32::MIN_POSITIVE..=1.0).contains(&epsilon) {
            return Err("`layer_norm_eps` is not above 0 and at most 1".to_owned());
        }
        Ok(())
    }
}
