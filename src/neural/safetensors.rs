//! Safetensors: a JSON header with names, shapes and metadata, and then the numbers.

use super::Refusal;
use super::tensors::{Dtype, MAX_NUMBERS, MAX_TENSORS, Tensor, count};
use crate::trace::json::{self, Json};
use safetensors::SafeTensors;
use std::collections::BTreeMap;

/// How a file with the metadata that is needed comes about.
pub const HOW: &str = "save it with `safetensors.torch.save_file(tensors, file, metadata={\"format\": \
                       \"gate-ncbf\", \"version\": \"1\", \"layers\": .., \"activation\": .., \
                       \"features\": ..})`, see docs/neural-barriers.md";

/// What a model is.
const KINDS: &str =
    "a model is a .safetensors file, or a PyTorch state dict as `torch.save` writes it";

/// Longest header, in bytes: names, shapes and metadata with the golden pairs.
const MAX_HEADER: usize = 4 << 20;

/// Most keys of the metadata.
const MAX_KEYS: usize = 64;

/// The tensors, sorted by name, and the metadata.
///
/// # Errors
/// The file is damaged, or a tensor cannot be used.
pub fn tensors(bytes: &[u8]) -> Result<(Vec<Tensor>, BTreeMap<String, String>), Refusal> {
    let damaged = |e: safetensors::SafeTensorError| {
        Refusal::new(format!("it is no safetensors file: {e}")).help(KINDS)
    };
    plain(bytes)?;
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(damaged)?;
    let file = SafeTensors::deserialize(bytes).map_err(damaged)?;
    let said = header.metadata().iter().flatten();
    let said = said.map(|(key, value)| (key.clone(), value.clone()));
    let mut views: Vec<_> = file.iter().collect();
    views.sort_unstable_by(|a, b| a.0.cmp(b.0));
    let mut tensors = Vec::with_capacity(views.len());
    let mut numbers = 0;
    for (name, view) in views {
        let dtype = match view.dtype() {
            safetensors::Dtype::F64 => Dtype::F64,
            safetensors::Dtype::F32 => Dtype::F32,
            safetensors::Dtype::F16 => Dtype::F16,
            safetensors::Dtype::BF16 => Dtype::Bf16,
            other => {
                let why = format!("`{name}` holds numbers of type {other:?}");
                return Err(Refusal::new(why).help("weights are F64, F32, F16 or BF16"));
            }
        };
        let Some(total) = count(view.shape()) else {
            return Err(too_many());
        };
        numbers += total;
        if numbers > MAX_NUMBERS {
            return Err(too_many());
        }
        let read = view.data().chunks_exact(dtype.size());
        let read: Option<Vec<f64>> = read.map(|bytes| dtype.number(bytes)).collect();
        match read.filter(|read| read.len() == total) {
            Some(read) => tensors.push(Tensor::new(name, view.shape().to_vec(), read)?),
            None => return Err(Refusal::new(format!("`{name}` is cut off"))),
        }
    }
    Ok((tensors, said.collect()))
}

/// Looks at the header before anything is built of it: nothing may be said twice, where the last would
/// count in silence, and there may not be more than a model needs. Bytes too few for a header are left
/// to be refused by whoever reads it.
fn plain(bytes: &[u8]) -> Result<(), Refusal> {
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
        return Ok(());
    };
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let Some(text) = rest.get(..length) else {
        return Ok(());
    };
    if length > MAX_HEADER {
        let why = format!("its header is longer than {MAX_HEADER} bytes");
        return Err(Refusal::new(why));
    }
    let header = json::parse(text).ok();
    let Some(header @ Json::Object(members)) = &header else {
        let why = "it is no safetensors file: its header is no JSON object";
        return Err(Refusal::new(why).help(KINDS));
    };
    let said = header.get("__metadata__");
    if members.len() > MAX_TENSORS + usize::from(said.is_some()) {
        return Err(Refusal::new(format!(
            "it has more than {MAX_TENSORS} tensors"
        )));
    }
    if let Some(Json::Object(said)) = said
        && said.len() > MAX_KEYS
    {
        return Err(Refusal::new(format!(
            "its metadata has more than {MAX_KEYS} keys"
        )));
    }
    let values = members.iter().map(|(_, value)| value);
    let twice = std::iter::once(header)
        .chain(values)
        .find_map(Json::repeated);
    match twice {
        Some(key) => Err(Refusal::new(format!("its header has `{key}` twice"))),
        None => Ok(()),
    }
}

/// There are more numbers than a model may have.
pub fn too_many() -> Refusal {
    Refusal::new(format!("it has more than {MAX_NUMBERS} numbers"))
}
