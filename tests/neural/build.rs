//! Model files made by hand, so that each of their parts can be wrong.

use serde_json::{Value, json};
use std::io::{Cursor, Write};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

/// The trained model of the fixtures.
pub const TRAINED: &[u8] = include_bytes!("../../fixtures/neural/ncbf.safetensors");

/// A tensor: its name, its extents, its numbers.
pub type Named = (&'static str, Vec<usize>, Vec<f32>);

/// Two inputs, two hidden numbers, one output.
pub fn tensors() -> Vec<Named> {
    vec![
        ("mean", vec![2], vec![1.0, 2.0]),
        ("std", vec![2], vec![2.0, 0.5]),
        ("net.0.weight", vec![2, 2], vec![1.0, -1.0, 0.5, 0.25]),
        ("net.0.bias", vec![2], vec![0.125, -0.25]),
        ("net.2.weight", vec![1, 2], vec![2.0, -3.0]),
        ("net.2.bias", vec![1], vec![0.5]),
    ]
}

/// The metadata that goes with them.
pub fn metadata() -> Vec<(&'static str, String)> {
    let pairs = [
        ("format", "gate-ncbf"),
        ("version", "1"),
        ("layers", "net.0,net.2"),
        ("activation", "tanh"),
        ("features", "[\"steps\",\"cost_usd\"]"),
        ("safe_set", "h>=0"),
    ];
    pairs.map(|(key, value)| (key, value.to_owned())).to_vec()
}

/// The metadata with one value changed, or without it.
pub fn with(key: &'static str, value: Option<&str>) -> Vec<(&'static str, String)> {
    let mut all = metadata();
    all.retain(|(own, _)| *own != key);
    all.extend(value.map(|value| (key, value.to_owned())));
    all
}

/// A safetensors file.
pub fn safetensors(tensors: &[Named], metadata: &[(&str, String)]) -> Vec<u8> {
    let said: serde_json::Map<String, Value> = metadata
        .iter()
        .map(|(key, value)| ((*key).to_owned(), json!(value)))
        .collect();
    let mut header = serde_json::Map::new();
    header.insert("__metadata__".into(), Value::Object(said));
    let mut data: Vec<u8> = Vec::new();
    for (name, shape, numbers) in tensors {
        let begin = data.len();
        data.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        let entry = json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, data.len()]});
        header.insert((*name).to_owned(), entry);
    }
    let mut header = Value::Object(header).to_string().into_bytes();
    while !header.len().is_multiple_of(8) {
        header.push(b' ');
    }
    let length = (header.len() as u64).to_le_bytes();
    [&length[..], &header, &data].concat()
}

/// The tensors and metadata above in a file.
pub fn sound() -> Vec<u8> {
    safetensors(&tensors(), &metadata())
}

/// A tensor in a pickle: its name, a storage, and how to look at it.
#[derive(Clone)]
pub struct View {
    pub name: &'static str,
    pub class: &'static str,
    pub key: &'static str,
    pub length: i32,
    pub offset: i32,
    pub shape: Vec<i32>,
    pub strides: Vec<i32>,
}

/// A view of a whole float storage in row-major order.
pub fn whole(name: &'static str, key: &'static str, shape: &[i32]) -> View {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i];
    }
    View {
        name,
        class: "FloatStorage",
        key,
        length: shape.iter().product(),
        offset: 0,
        shape: shape.to_vec(),
        strides,
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.push(b'X');
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

fn int(out: &mut Vec<u8>, n: i32) {
    out.push(b'J');
    out.extend(n.to_le_bytes());
}

fn ints(out: &mut Vec<u8>, list: &[i32]) {
    out.push(b'(');
    list.iter().for_each(|n| int(out, *n));
    out.push(b't');
}

/// The operations that leave an ordered dictionary of these tensors on the stack.
pub fn state_dict(views: &[View]) -> Vec<u8> {
    let mut out = b"ccollections\nOrderedDict\n)R(".to_vec();
    for view in views {
        text(&mut out, view.name);
        out.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((");
        text(&mut out, "storage");
        out.extend(format!("ctorch\n{}\n", view.class).into_bytes());
        text(&mut out, view.key);
        text(&mut out, "cpu");
        int(&mut out, view.length);
        out.extend(b"tQ");
        int(&mut out, view.offset);
        ints(&mut out, &view.shape);
        ints(&mut out, &view.strides);
        out.extend(b"\x89ccollections\nOrderedDict\n)RtR");
    }
    out.push(b'u');
    out
}

/// A pickle of these operations.
pub fn pickle(operations: &[u8]) -> Vec<u8> {
    [b"\x80\x02", operations, b"."].concat()
}

/// An archive of members.
pub fn archive(members: &[(&str, Vec<u8>)], packed: bool) -> Vec<u8> {
    let method = if packed {
        CompressionMethod::Deflated
    } else {
        CompressionMethod::Stored
    };
    let options = SimpleFileOptions::default().compression_method(method);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, options).expect("a member");
        writer.write_all(bytes).expect("memory");
    }
    writer.finish().expect("an archive").into_inner()
}

/// The bytes of floats.
pub fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// The members of the tensors above, the pickle first.
pub fn members() -> Vec<(&'static str, Vec<u8>)> {
    const KEYS: [(&str, &str); 6] = [
        ("0", "m/data/0"),
        ("1", "m/data/1"),
        ("2", "m/data/2"),
        ("3", "m/data/3"),
        ("4", "m/data/4"),
        ("5", "m/data/5"),
    ];
    let tensors = tensors();
    let views: Vec<View> = tensors
        .iter()
        .zip(KEYS)
        .map(|((name, shape, _), (key, _))| {
            let shape: Vec<i32> = shape.iter().map(|&d| d as i32).collect();
            whole(name, key, &shape)
        })
        .collect();
    let mut members = vec![
        ("m/data.pkl", pickle(&state_dict(&views))),
        ("m/byteorder", b"little".to_vec()),
    ];
    let data = tensors.iter().zip(KEYS);
    members.extend(data.map(|((_, _, numbers), (_, path))| (path, floats(numbers))));
    members
}
