//! A pickle machine that can build numbers, texts, lists, dictionaries and tensors, and nothing else.
//!
//! A pickle is a program. Python's machine imports any name and calls it; this one knows the few
//! names that PyTorch writes for tensors and builds what they stand for by itself. Every other name,
//! every call of one, and every operation that tensors do not need is refused. Objects lie in one list
//! and refer to each other by number, so that neither cycles nor depth cost stack or memory that is
//! not given back.

mod machine;
mod names;

use super::tensors::Dtype;
pub use machine::read;

/// A value: by itself where it is small, else the number of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// `None`
    None,
    /// `True` or `False`; which of them matters nowhere.
    Bool,
    /// A whole number of at most 64 bits.
    Int(i64),
    /// A float; its value matters nowhere.
    Float,
    /// An object, by its number in [`Pickle::objects`].
    At(usize),
}

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// A text, or bytes that are one.
    Text(String),
    /// A tuple.
    Tuple(Vec<Value>),
    /// A list.
    List(Vec<Value>),
    /// A `dict`, in its order; a key may come several times.
    Dict(Vec<(Value, Value)>),
    /// An `OrderedDict`, likewise.
    Ordered(Vec<(Value, Value)>),
    /// A name that is known.
    Name(Name),
    /// Numbers that tensors look at.
    Storage(Storage),
    /// A tensor.
    Tensor(View),
}

/// A name that a pickle may call or mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// `collections.OrderedDict`
    OrderedDict,
    /// `torch._utils._rebuild_tensor_v2`
    Tensor,
    /// `torch._utils._rebuild_parameter`
    Parameter,
    /// A class of storages, with what it holds; absent where that is no floating-point number.
    Storage(Option<Dtype>),
}

/// Numbers that lie in a member of the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// What they are; absent where they are no floating-point numbers.
    pub dtype: Option<Dtype>,
    /// The member, below `data/`. Untrusted.
    pub key: String,
    /// How many.
    pub length: usize,
}

/// A tensor: a way to look at a storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The storage.
    pub storage: Storage,
    /// Where the first number stands.
    pub offset: usize,
    /// Extents.
    pub shape: Vec<usize>,
    /// How far apart neighbours stand, by extent; as many.
    pub strides: Vec<usize>,
}

/// What a pickle builds.
#[derive(Clone, Debug, PartialEq)]
pub struct Pickle {
    /// Every object.
    pub objects: Vec<Object>,
    /// What stands for the whole.
    pub root: Value,
}
