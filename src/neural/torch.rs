//! PyTorch files: a zip archive with a pickle that says how tensors lie in the members beside it.
//!
//! The pickle is read by [`pickle`](super::pickle), which builds tensors, dictionaries and numbers and
//! nothing else. Before PyTorch 1.6 files were bare pickles; those are refused.

use super::Refusal;
use super::pickle::{self, Object, Pickle, Storage, Value, View};
use super::safetensors::too_many;
use super::tensors::{MAX_NUMBERS, MAX_TENSORS, Tensor, count};
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Most members of an archive.
const MAX_MEMBERS: usize = 2000;

/// Longest pickle, in bytes: names and shapes take little.
const MAX_PICKLE: u64 = 4 << 20;

/// Under these keys a checkpoint keeps its state dict.
const STATE_KEYS: [&str; 5] = ["state_dict", "model_state_dict", "model", "net", "weights"];

/// What to do with a file that holds more than weights.
pub const HOW: &str = "save the weights alone, `torch.save(model.state_dict(), \"ncbf.pt\")`, or as \
                       safetensors: nothing that a pickle wants executed is executed";

/// Whether it begins as pickles and tar archives do that PyTorch wrote before 1.6, and other pickles.
pub fn is_legacy(bytes: &[u8]) -> bool {
    let tar = bytes.get(257..262) == Some(b"ustar");
    // The length of a header stands where these begin, and is never so great.
    let header = bytes.get(2..8) == Some(&[0; 6]);
    tar || !header && (matches!(bytes, [0x80, 0..=5, ..]) || is_early(bytes))
}

/// Whether it looks like a pickle of the protocols 0 and 1, which do not say what they are: a container
/// or a class at the beginning and a full stop at the end.
fn is_early(bytes: &[u8]) -> bool {
    let begins = match bytes {
        // A container of the text protocol, or an empty one that is put into the memo.
        [b'(', b'd' | b'l' | b't' | b'c' | b'i', ..]
        | [b'}' | b']' | b')', b'q' | b'(' | b'.', ..] => true,
        // The module of a class, in a line of its own.
        [b'c', rest @ ..] => {
            let line = rest.split(|b| *b == b'\n').next().unwrap_or_default();
            let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.');
            !line.is_empty() && line.len() < rest.len() && line.iter().all(word)
        }
        _ => false,
    };
    begins && bytes.trim_ascii_end().ends_with(b".")
}

/// Such a file is refused.
pub fn legacy() -> Refusal {
    Refusal::new("it is a bare pickle, not an archive of weights").help(HOW)
}

type Archive<'b> = ZipArchive<Cursor<&'b [u8]>>;

/// The tensors of the state dict, in its order.
///
/// # Errors
/// The archive is damaged, its pickle needs more than tensors need, or holds no state dict.
pub fn tensors(bytes: &[u8]) -> Result<Vec<Tensor>, Refusal> {
    let damaged = |e: zip::result::ZipError| Refusal::new(format!("its archive is damaged: {e}"));
    // Entries are counted before anything is made of them. Numbers that look like one are rare.
    if entries(bytes) > 2 * MAX_MEMBERS {
        return Err(too_many_members());
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    if archive.len() > MAX_MEMBERS {
        return Err(too_many_members());
    }
    if archive.has_duplicate_names() {
        let why = "its archive has two members of the same name";
        return Err(Refusal::new(why).help(HOW));
    }
    let names: Result<Vec<_>, _> = archive.file_names().collect();
    let names = names.map_err(damaged)?;
    let pickles = names.iter().filter(|name| is_pickle(name));
    let pickles: Vec<String> = pickles.map(|name| name.to_string()).collect();
    let [name] = pickles.as_slice() else {
        let why = format!(
            "its archive has {} members `data.pkl`, not one",
            pickles.len()
        );
        return Err(Refusal::new(why).help(HOW));
    };
    let root = name.strip_suffix("data.pkl").unwrap_or_default().to_owned();
    if let Some(order) = member(&mut archive, &format!("{root}byteorder"), 16)?
        && order != b"little"
    {
        return Err(Refusal::new("its numbers are not little-endian"));
    }
    let Some(text) = member(&mut archive, name, MAX_PICKLE)? else {
        return Err(Refusal::new("its pickle cannot be found"));
    };
    let pickle = pickle::read(&text).map_err(|why| Refusal::new(why).help(HOW))?;
    let entries = state_dict(&pickle)?;
    let mut reader = Reader {
        archive,
        root,
        storages: BTreeMap::new(),
        numbers: 0,
    };
    let read = entries
        .into_iter()
        .map(|(name, view)| reader.tensor(name, view));
    read.collect()
}

/// How often the signature of an entry of the directory stands in the bytes.
fn entries(bytes: &[u8]) -> usize {
    let signature = b"PK\x01\x02";
    bytes.windows(4).filter(|four| four == signature).count()
}

fn too_many_members() -> Refusal {
    Refusal::new(format!("its archive has more than {MAX_MEMBERS} members"))
}

fn is_pickle(name: &str) -> bool {
    name == "data.pkl" || name.ends_with("/data.pkl") && name.matches('/').count() == 1
}

/// The bytes of a member; absent where there is none of that name.
fn member(archive: &mut Archive<'_>, name: &str, most: u64) -> Result<Option<Vec<u8>>, Refusal> {
    let Some(index) = archive.index_for_name(name) else {
        return Ok(None);
    };
    let failed =
        |e: String| Refusal::new(format!("member `{name}` of its archive is damaged: {e}"));
    let file = archive.by_index(index).map_err(|e| failed(e.to_string()))?;
    let mut bytes = Vec::new();
    let mut file = file.take(most.saturating_add(1));
    file.read_to_end(&mut bytes)
        .map_err(|e| failed(e.to_string()))?;
    if bytes.len() as u64 > most {
        return Err(failed(format!("it is longer than {most} bytes")));
    }
    Ok(Some(bytes))
}

/// The dictionary that is the state dict: the root of the pickle, or what one of the usual keys holds
/// in it. Of several nobody says which one is meant.
fn state_root(pickle: &Pickle) -> Result<Value, Refusal> {
    let root = pickle.root;
    if has_tensors(pickle, root) {
        return Ok(root);
    }
    let entries = pickle.dict(root).unwrap_or_default();
    let mut keys: Vec<&str> = entries
        .iter()
        .filter_map(|(k, _)| pickle.text(*k))
        .collect();
    keys.sort_unstable();
    if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Refusal::new(format!(
            "its checkpoint has `{}` twice",
            pair[0]
        )));
    }
    let held = |key: &&str| pickle.entry(root, key).filter(|v| has_tensors(pickle, *v));
    let found: Vec<&str> = STATE_KEYS
        .iter()
        .copied()
        .filter(|k| held(k).is_some())
        .collect();
    let quoted = |keys: &[&str]| {
        let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
        keys.join(", ")
    };
    match found.as_slice() {
        [key] => held(key).ok_or_else(|| Refusal::new("its state dict cannot be found")),
        [] => {
            let why = "it holds no state dict: no dictionary of tensors by name";
            let keys = quoted(&STATE_KEYS);
            Err(Refusal::new(why).help(format!("looked for at its root and under {keys}. {HOW}")))
        }
        several => {
            let why = format!(
                "its checkpoint has several state dicts, under {}: which one is meant is not known",
                quoted(several)
            );
            Err(Refusal::new(why).help(HOW))
        }
    }
}

/// The entries of the state dict.
fn state_dict(pickle: &Pickle) -> Result<Vec<(&str, &View)>, Refusal> {
    let root = state_root(pickle)?;
    let mut entries: Vec<(&str, &View)> = Vec::new();
    for (key, value) in pickle.dict(root).unwrap_or_default() {
        let (Some(name), Some(view)) = (pickle.text(*key), pickle.tensor(*value)) else {
            let why = "its state dict holds something that is no tensor with a name";
            return Err(Refusal::new(why).help(HOW));
        };
        if entries.len() == MAX_TENSORS {
            return Err(Refusal::new(format!(
                "its state dict has more than {MAX_TENSORS} tensors"
            )));
        }
        if entries.iter().any(|(other, _)| *other == name) {
            return Err(Refusal::new(format!("its state dict has `{name}` twice")));
        }
        entries.push((name, view));
    }
    Ok(entries)
}

fn has_tensors(pickle: &Pickle, value: Value) -> bool {
    let entries = pickle.dict(value).unwrap_or_default();
    entries
        .iter()
        .any(|(_, value)| pickle.tensor(*value).is_some())
}

/// Reads tensors out of the members of an archive.
struct Reader<'b> {
    archive: Archive<'b>,
    /// What the names of all members begin with.
    root: String,
    /// Numbers of the storages so far.
    storages: BTreeMap<String, Vec<f64>>,
    /// How many there are.
    numbers: usize,
}

impl Reader<'_> {
    fn tensor(&mut self, name: &str, view: &View) -> Result<Tensor, Refusal> {
        self.load(name, &view.storage)?;
        let storage = self.storages.get(&view.storage.key);
        let storage = storage.map_or(&[][..], Vec::as_slice);
        let Some(total) = count(&view.shape) else {
            return Err(too_many());
        };
        self.numbers += total;
        if self.numbers > MAX_NUMBERS {
            return Err(too_many());
        }
        let mut numbers = Vec::with_capacity(total);
        let mut at = vec![0usize; view.shape.len()];
        for _ in 0..total {
            let mut steps = at.iter().zip(&view.strides);
            let place = steps.try_fold(view.offset, |sum, (i, stride)| {
                sum.checked_add(i.checked_mul(*stride)?)
            });
            match place.and_then(|place| storage.get(place)) {
                Some(number) => numbers.push(*number),
                None => return Err(Refusal::new(format!("`{name}` reaches beyond its storage"))),
            }
            // The last extent runs fastest.
            for (i, extent) in at.iter_mut().zip(&view.shape).rev() {
                *i += 1;
                if *i < *extent {
                    break;
                }
                *i = 0;
            }
        }
        Tensor::new(name, view.shape.clone(), numbers)
    }

    /// Reads a storage, unless it is there already.
    fn load(&mut self, name: &str, storage: &Storage) -> Result<(), Refusal> {
        if self.storages.contains_key(&storage.key) {
            return Ok(());
        }
        let Some(dtype) = storage.dtype else {
            let why = format!("`{name}` holds no floating-point numbers");
            return Err(Refusal::new(why).help("weights are float64, float32, float16 or bfloat16"));
        };
        let held: usize = self.storages.values().map(Vec::len).sum();
        if storage.length.saturating_add(held) > MAX_NUMBERS {
            return Err(too_many());
        }
        let bytes = storage.length * dtype.size();
        let path = format!("{}data/{}", self.root, storage.key);
        let Some(found) = member(&mut self.archive, &path, bytes as u64)? else {
            return Err(Refusal::new(format!("its archive has no member `{path}`")));
        };
        let numbers = found
            .chunks_exact(dtype.size())
            .map(|bytes| dtype.number(bytes));
        let numbers: Option<Vec<f64>> = numbers.collect();
        match numbers.filter(|numbers| numbers.len() == storage.length && found.len() == bytes) {
            Some(numbers) => {
                self.storages.insert(storage.key.clone(), numbers);
                Ok(())
            }
            None => Err(Refusal::new(format!(
                "member `{path}` of its archive is cut off"
            ))),
        }
    }
}

impl Pickle {
    fn object(&self, value: Value) -> Option<&Object> {
        match value {
            Value::At(at) => self.objects.get(at),
            _ => None,
        }
    }

    fn text(&self, value: Value) -> Option<&str> {
        match self.object(value)? {
            Object::Text(text) => Some(text),
            _ => None,
        }
    }

    fn dict(&self, value: Value) -> Option<&[(Value, Value)]> {
        match self.object(value)? {
            Object::Dict(entries) | Object::Ordered(entries) => Some(entries),
            _ => None,
        }
    }

    fn tensor(&self, value: Value) -> Option<&View> {
        match self.object(value)? {
            Object::Tensor(view) => Some(view),
            _ => None,
        }
    }

    /// The value under a key.
    fn entry(&self, value: Value, key: &str) -> Option<Value> {
        let mut entries = self.dict(value)?.iter();
        let found = entries.find(|(own, _)| self.text(*own) == Some(key));
        found.map(|(_, value)| *value)
    }
}
