//! The names that a pickle may mention, and what calling one builds.

use super::machine::Machine;
use super::{Name, Object, Storage, Value, View};
use crate::neural::tensors::Dtype;

/// Most extents of a tensor.
const MAX_EXTENTS: usize = 8;

/// Longest key of a storage, in bytes: every tensor keeps a copy.
const MAX_KEY: usize = 64;

/// Every name that is known, by module and attribute.
const NAMES: &[(&str, &str, Name)] = &[
    ("collections", "OrderedDict", Name::OrderedDict),
    ("torch._utils", "_rebuild_tensor_v2", Name::Tensor),
    ("torch._utils", "_rebuild_parameter", Name::Parameter),
    ("torch", "DoubleStorage", Name::Storage(Some(Dtype::F64))),
    ("torch", "FloatStorage", Name::Storage(Some(Dtype::F32))),
    ("torch", "HalfStorage", Name::Storage(Some(Dtype::F16))),
    ("torch", "BFloat16Storage", Name::Storage(Some(Dtype::Bf16))),
    ("torch", "LongStorage", Name::Storage(None)),
    ("torch", "IntStorage", Name::Storage(None)),
    ("torch", "ShortStorage", Name::Storage(None)),
    ("torch", "CharStorage", Name::Storage(None)),
    ("torch", "ByteStorage", Name::Storage(None)),
    ("torch", "BoolStorage", Name::Storage(None)),
];

/// What a name stands for.
///
/// # Errors
/// It is not one of those that tensors need.
pub(super) fn find(module: &str, attribute: &str) -> Result<Name, String> {
    let known = NAMES
        .iter()
        .find(|(m, a, _)| (*m, *a) == (module, attribute));
    known.map(|(_, _, name)| *name).ok_or_else(|| {
        let named: String = format!("{module}.{attribute}").chars().take(80).collect();
        format!("its pickle wants `{named}`, which is code and no weights")
    })
}

impl Machine<'_> {
    /// Calls a known name.
    pub(super) fn call(&mut self, callee: Value, arguments: Value) -> Result<Value, String> {
        let Some(Object::Name(name)) = self.object(callee) else {
            return Err("its pickle calls something that is no known name".into());
        };
        let name = *name;
        let arguments = self.tuple(arguments)?.to_vec();
        match (name, arguments.as_slice()) {
            (Name::OrderedDict, []) => self.add(Object::Ordered(Vec::new())),
            (Name::Tensor, [storage, offset, shape, strides, _, _, ..]) if arguments.len() <= 7 => {
                let Some(Object::Storage(storage)) = self.object(*storage) else {
                    return Err("its pickle makes a tensor of something that is no storage".into());
                };
                let view = View {
                    storage: storage.clone(),
                    offset: count(*offset)?,
                    shape: self.counts(*shape)?,
                    strides: self.counts(*strides)?,
                };
                if view.shape.len() != view.strides.len() || view.shape.len() > MAX_EXTENTS {
                    return Err(
                        "its pickle has a tensor whose extents and strides do not fit".into(),
                    );
                }
                self.add(Object::Tensor(view))
            }
            (Name::Parameter, [tensor, _, _]) => match self.object(*tensor) {
                Some(Object::Tensor(_)) => Ok(*tensor),
                _ => Err("its pickle makes a parameter of something that is no tensor".into()),
            },
            _ => Err("its pickle calls a name in a way that tensors do not need".into()),
        }
    }

    /// The storage that a persistent id `("storage", class, key, device, length)` names.
    pub(super) fn persistent(&mut self, id: Value) -> Result<Value, String> {
        let wrong = || "its pickle refers to something that is no storage".to_owned();
        let &[kind, class, key, _, length] = self.tuple(id)? else {
            return Err(wrong());
        };
        match (self.object(kind), self.object(class), self.object(key)) {
            (
                Some(Object::Text(kind)),
                Some(Object::Name(Name::Storage(dtype))),
                Some(Object::Text(key)),
            ) if kind == "storage" && key.len() <= MAX_KEY => {
                let storage = Storage {
                    dtype: *dtype,
                    key: key.clone(),
                    length: count(length)?,
                };
                self.add(Object::Storage(storage))
            }
            _ => Err(wrong()),
        }
    }

    fn counts(&self, value: Value) -> Result<Vec<usize>, String> {
        self.tuple(value)?.iter().map(|item| count(*item)).collect()
    }
}

fn count(value: Value) -> Result<usize, String> {
    match value {
        Value::Int(n) => usize::try_from(n).map_err(|_| format!("its pickle has a size of {n}")),
        _ => Err("its pickle has a size that is no whole number".into()),
    }
}
