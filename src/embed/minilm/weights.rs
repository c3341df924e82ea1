//! `model.safetensors`: named tensors of 32-bit floats.

use super::matrix::{Matrix, Panels};
use crate::escape::visible;
use safetensors::{Dtype, SafeTensors};

/// The file.
pub const FILE: &str = "model.safetensors";

/// Greatest magnitude of a weight. Those of trained models are below 100; from beyond it sums could
/// leave the range of 32-bit floats.
const GREATEST: f32 = 1000.0;

/// The tensors of a model.
pub struct Weights<'b> {
    tensors: SafeTensors<'b>,
}

impl<'b> Weights<'b> {
    /// Reads the names, types and shapes.
    ///
    /// # Errors
    /// Bytes that are no such file.
    pub fn open(bytes: &'b [u8]) -> Result<Weights<'b>, String> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| {
            let error = error.to_string();
            format!("{FILE}: not read as safetensors: {}", visible(&error))
        })?;
        Ok(Weights { tensors })
    }

    /// The numbers of a tensor of this shape.
    fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        let wrong = |why: String| format!("{FILE}: tensor `{name}` {why}");
        let tensor = match self.tensors.tensor(name) {
            Ok(tensor) => tensor,
            Err(_) => {
                return Err(wrong(
                    "is missing; names are those of sentence-transformers' BERT encoders"
                        .to_owned(),
                ));
            }
        };
        if tensor.dtype() != Dtype::F32 {
            return Err(wrong(format!(
                "has numbers of type {}, not F32; save the model in 32-bit floats, with \
                 `model.float()`",
                tensor.dtype()
            )));
        }
        if tensor.shape() != shape {
            return Err(wrong(format!(
                "has the shape {:?}; by {} it is {shape:?}",
                tensor.shape(),
                super::config::FILE
            )));
        }
        let (numbers, _) = tensor.data().as_chunks::<4>();
        let values: Vec<f32> = numbers.iter().map(|&b| f32::from_le_bytes(b)).collect();
        match values
            .iter()
            .position(|x| !(-GREATEST..=GREATEST).contains(x))
        {
            None => Ok(values),
            Some(at) => Err(wrong(format!(
                "has {} at {at}, which is not within {GREATEST} of 0",
                values[at]
            ))),
        }
    }

    /// A tensor of one dimension.
    ///
    /// # Errors
    /// It is missing, or has another type or shape, or a number that is not finite or is out of all
    /// proportion.
    pub fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, String> {
        self.values(name, &[length])
    }

    /// A tensor of two dimensions.
    ///
    /// # Errors
    /// As [`Weights::vector`].
    pub fn matrix(&self, name: &str, rows: usize, width: usize) -> Result<Matrix, String> {
        let values = self.values(name, &[rows, width])?;
        Ok(Matrix { width, values })
    }

    /// The weight and bias of a dense layer.
    ///
    /// # Errors
    /// As [`Weights::vector`].
    pub fn dense(&self, name: &str, inputs: usize, outputs: usize) -> Result<Panels, String> {
        let weight = self.matrix(&format!("{name}.weight"), outputs, inputs)?;
        let bias = self.vector(&format!("{name}.bias"), outputs)?;
        Ok(Panels::of_rows(weight.view()).plus(&bias))
    }
}
