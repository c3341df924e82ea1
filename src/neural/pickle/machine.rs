//! The machine: a stack, a memo, and the operations that tensors need.
//!
//! The operations are those of Python's `pickletools`, protocols 2 to 5. Each takes at least a byte
//! and adds at most one object and one value, so that the length of the pickle bounds everything.

use super::names;
use super::{Object, Pickle, Value};
use std::collections::BTreeMap;

/// What is read so far.
pub(super) struct Machine<'b> {
    rest: &'b [u8],
    stack: Vec<Value>,
    /// Heights of the stack at which marks stand.
    marks: Vec<usize>,
    memo: BTreeMap<u64, Value>,
    objects: Vec<Object>,
}

/// Runs a pickle.
///
/// # Errors
/// It is damaged, or wants something that tensors do not need; in plain words.
pub fn read(text: &[u8]) -> Result<Pickle, String> {
    let mut machine = Machine {
        rest: text,
        stack: Vec::new(),
        marks: Vec::new(),
        memo: BTreeMap::new(),
        objects: Vec::new(),
    };
    while machine.step()? {}
    let root = machine.pop()?;
    if !machine.rest.is_empty() {
        return Err("its pickle goes on after its end".into());
    }
    Ok(Pickle {
        objects: machine.objects,
        root,
    })
}

fn damaged() -> String {
    "its pickle is damaged".to_owned()
}

impl<'b> Machine<'b> {
    /// One operation; false after the last.
    fn step(&mut self) -> Result<bool, String> {
        let [operation] = self.array()?;
        match operation {
            0x80 => match self.array()? {
                [2..=5] => {}
                [other] => return Err(format!("its pickle is of protocol {other}")),
            },
            // The length of a frame: it only helps those who read from a file.
            0x95 => {
                self.take(8)?;
            }
            b'.' => return Ok(false),
            b'(' => self.marks.push(self.stack.len()),
            b'N' => self.stack.push(Value::None),
            0x88 | 0x89 => self.stack.push(Value::Bool),
            b'K' => {
                let [n] = self.array()?;
                self.stack.push(Value::Int(i64::from(n)));
            }
            b'M' => {
                let n = u16::from_le_bytes(self.array()?);
                self.stack.push(Value::Int(i64::from(n)));
            }
            b'J' => {
                let n = i32::from_le_bytes(self.array()?);
                self.stack.push(Value::Int(i64::from(n)));
            }
            0x8a => self.long()?,
            b'G' => {
                self.take(8)?;
                self.stack.push(Value::Float);
            }
            0x8c | b'U' | b'C' => self.text(1)?,
            b'X' | b'B' => self.text(4)?,
            0x8d | 0x8e => self.text(8)?,
            b')' => self.push(Object::Tuple(Vec::new()))?,
            0x85..=0x87 => {
                let items = self.top(usize::from(operation - 0x84))?;
                self.push(Object::Tuple(items))?;
            }
            b't' => {
                let items = self.take_to_mark()?;
                self.push(Object::Tuple(items))?;
            }
            b']' => self.push(Object::List(Vec::new()))?,
            b'a' => {
                let items = self.top(1)?;
                self.append(items)?;
            }
            b'e' => {
                let items = self.take_to_mark()?;
                self.append(items)?;
            }
            b'}' => self.push(Object::Dict(Vec::new()))?,
            b's' => {
                let items = self.top(2)?;
                self.set(items)?;
            }
            b'u' => {
                let items = self.take_to_mark()?;
                self.set(items)?;
            }
            b'q' => {
                let [at] = self.array()?;
                self.remember(u64::from(at))?;
            }
            b'r' => {
                let at = u32::from_le_bytes(self.array()?);
                self.remember(u64::from(at))?;
            }
            0x94 => self.remember(self.memo.len() as u64)?,
            b'h' => {
                let [at] = self.array()?;
                self.recall(u64::from(at))?;
            }
            b'j' => {
                let at = u32::from_le_bytes(self.array()?);
                self.recall(u64::from(at))?;
            }
            b'c' => {
                let (module, attribute) = (self.line()?, self.line()?);
                let name = names::find(module, attribute)?;
                self.push(Object::Name(name))?;
            }
            0x93 => self.stacked_name()?,
            b'R' => {
                let arguments = self.pop()?;
                let callee = self.pop()?;
                let built = self.call(callee, arguments)?;
                self.stack.push(built);
            }
            b'Q' => {
                let id = self.pop()?;
                let storage = self.persistent(id)?;
                self.stack.push(storage);
            }
            b'b' => self.build()?,
            other => return Err(unneeded(other)),
        }
        Ok(true)
    }

    /// A module sets attributes of the dictionary of its weights; they say nothing of those. Setting
    /// those of anything else runs code.
    fn build(&mut self) -> Result<(), String> {
        let state = self.pop()?;
        let target = self.stack.last().copied().ok_or_else(damaged)?;
        match (self.object(target), self.object(state)) {
            (Some(Object::Ordered(_)), Some(Object::Dict(_))) => Ok(()),
            _ => Err("its pickle sets up an object, which is code and no weights".into()),
        }
    }

    fn stacked_name(&mut self) -> Result<(), String> {
        let attribute = self.pop()?;
        let module = self.pop()?;
        let (Some(Object::Text(module)), Some(Object::Text(attribute))) =
            (self.object(module), self.object(attribute))
        else {
            return Err(damaged());
        };
        let name = names::find(module, attribute)?;
        self.push(Object::Name(name))
    }

    /// A whole number of up to 8 bytes.
    fn long(&mut self) -> Result<(), String> {
        let [length] = self.array()?;
        let bytes = self.take(usize::from(length))?;
        let negative = bytes.last().is_some_and(|last| last >> 7 == 1);
        let mut wide = [if negative { 0xff } else { 0 }; 8];
        match wide.get_mut(..bytes.len()) {
            Some(low) => low.copy_from_slice(bytes),
            None => return Err("its pickle has a number of more than 64 bits".into()),
        }
        self.stack.push(Value::Int(i64::from_le_bytes(wide)));
        Ok(())
    }

    /// A text behind its length of so many bytes. Bytes that are no UTF-8 are read as if they were:
    /// names of tensors are compared, never executed.
    fn text(&mut self, width: usize) -> Result<(), String> {
        let mut length = [0; 8];
        let given = self.take(width)?;
        if let Some(low) = length.get_mut(..width) {
            low.copy_from_slice(given);
        }
        let length = usize::try_from(u64::from_le_bytes(length)).map_err(|_| damaged())?;
        let text = String::from_utf8_lossy(self.take(length)?).into_owned();
        self.push(Object::Text(text))
    }

    fn append(&mut self, items: Vec<Value>) -> Result<(), String> {
        match self.target()? {
            Object::List(list) => list.extend(items),
            _ => return Err(damaged()),
        }
        Ok(())
    }

    fn set(&mut self, items: Vec<Value>) -> Result<(), String> {
        if !items.len().is_multiple_of(2) {
            return Err(damaged());
        }
        match self.target()? {
            Object::Dict(entries) | Object::Ordered(entries) => {
                entries.extend(items.chunks_exact(2).map(|pair| (pair[0], pair[1])));
            }
            _ => return Err("its pickle sets an item of something that is no dictionary".into()),
        }
        Ok(())
    }

    /// The object on top of the stack, to be changed.
    fn target(&mut self) -> Result<&mut Object, String> {
        match self.stack.last() {
            Some(Value::At(at)) => self.objects.get_mut(*at).ok_or_else(damaged),
            _ => Err(damaged()),
        }
    }

    fn remember(&mut self, at: u64) -> Result<(), String> {
        let top = self.stack.last().copied().ok_or_else(damaged)?;
        self.memo.insert(at, top);
        Ok(())
    }

    fn recall(&mut self, at: u64) -> Result<(), String> {
        let value = self.memo.get(&at).copied().ok_or_else(damaged)?;
        self.stack.push(value);
        Ok(())
    }

    /// Adds an object.
    pub(super) fn add(&mut self, object: Object) -> Result<Value, String> {
        self.objects.push(object);
        Ok(Value::At(self.objects.len() - 1))
    }

    fn push(&mut self, object: Object) -> Result<(), String> {
        let value = self.add(object)?;
        self.stack.push(value);
        Ok(())
    }

    /// The object of a value; absent where the value is none.
    pub(super) fn object(&self, value: Value) -> Option<&Object> {
        match value {
            Value::At(at) => self.objects.get(at),
            _ => None,
        }
    }

    /// The items of a tuple.
    pub(super) fn tuple(&self, value: Value) -> Result<&[Value], String> {
        match self.object(value) {
            Some(Object::Tuple(items)) => Ok(items),
            _ => Err(damaged()),
        }
    }

    /// Takes the last value. One below a mark belongs to what the mark began.
    fn pop(&mut self) -> Result<Value, String> {
        let floor = self.marks.last().copied().unwrap_or(0);
        if self.stack.len() <= floor {
            return Err(damaged());
        }
        self.stack.pop().ok_or_else(damaged)
    }

    fn top(&mut self, count: usize) -> Result<Vec<Value>, String> {
        let floor = self.marks.last().copied().unwrap_or(0);
        let at = self.stack.len().checked_sub(count);
        let at = at.filter(|at| *at >= floor).ok_or_else(damaged)?;
        Ok(self.stack.split_off(at))
    }

    fn take_to_mark(&mut self) -> Result<Vec<Value>, String> {
        let at = self.marks.pop().ok_or_else(damaged)?;
        if at > self.stack.len() {
            return Err(damaged());
        }
        Ok(self.stack.split_off(at))
    }

    fn take(&mut self, count: usize) -> Result<&'b [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(damaged)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.take(N)?.try_into().map_err(|_| damaged())
    }

    fn line(&mut self) -> Result<&'b str, String> {
        let end = self.rest.iter().position(|&byte| byte == b'\n');
        let line = self.take(end.ok_or_else(damaged)?)?;
        self.take(1)?;
        std::str::from_utf8(line).map_err(|_| damaged())
    }
}

/// Why an operation is refused. Those that make objects have the name of what they do.
fn unneeded(operation: u8) -> String {
    let what = match operation {
        0x81 | 0x92 | b'o' | b'i' => "makes an object, which is code and no weights".to_owned(),
        0x82..=0x84 => "asks for a registered extension, which is code and no weights".to_owned(),
        b'P' => "refers to something that is no storage".to_owned(),
        other => format!("has the operation 0x{other:02x}, which tensors do not need"),
    };
    format!("its pickle {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(pickle: &[u8]) -> String {
        read(pickle).expect_err("refused")
    }

    #[test]
    fn what_python_would_execute_is_refused() {
        for (pickle, why) in [
            (
                &b"\x80\x02cos\nsystem\nX\x02\0\0\0id\x85R."[..],
                "`os.system`",
            ),
            (b"\x80\x04\x8c\x02os\x8c\x06system\x93.", "`os.system`"),
            (b"\x80\x02cbuiltins\neval\n)R.", "`builtins.eval`"),
            (
                b"\x80\x02ccollections\nOrderedDict\n)\x81.",
                "makes an object",
            ),
            (b"\x80\x02(cos\nsystem\no.", "`os.system`"),
            (b"\x80\x02}}b.", "sets up an object"),
            (b"\x80\x02\x82\x01.", "registered extension"),
            (b"\x80\x02}(X\x01\0\0\0aK\x01uR.", "damaged"),
            (b"\x80\x02K\x01)R.", "no known name"),
            (
                b"\x80\x02ccollections\nOrderedDict\nK\x01\x85R.",
                "do not need",
            ),
            (
                b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n)R.",
                "do not need",
            ),
        ] {
            let said = refused(pickle);
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn what_is_cut_off_or_out_of_order_is_refused() {
        for pickle in [
            &b""[..],
            b"\x80",
            b"\x80\x02",
            b".",
            b"\x80\x02h\x00.",
            b"\x80\x02u.",
            b"\x80\x02t.",
            b"\x80\x02(.",
            b"\x80\x02K\x01(\x85.",
            b"\x80\x02X\xff\xff\xff\xffa.",
            b"\x80\x02\x8d\xff\xff\xff\xff\xff\xff\xff\xff.",
            b"\x80\x02\x8a\xff.",
            b"\x80\x09N.",
            b"\x80\x02N.N",
            b"\x80\x02ccollections\nOrderedDict",
        ] {
            assert!(read(pickle).is_err(), "{pickle:?}");
        }
    }

    /// A recursive reader or destructor would overflow its stack here.
    #[test]
    fn depth_and_cycles_cost_nothing() {
        let mut deep = b"\x80\x02)".to_vec();
        deep.extend(std::iter::repeat_n(0x85, 1_000_000));
        deep.push(b'.');
        assert!(read(&deep).is_ok());
        assert!(read(b"\x80\x02]q\0h\0a.").is_ok(), "a list in itself");
        let marks = [&b"\x80\x02"[..], &vec![b'('; 1_000_000]].concat();
        assert!(read(&marks).is_err());
    }

    /// Every single change of a sound pickle is read or refused, without a panic.
    #[test]
    fn no_change_of_a_byte_makes_it_panic() {
        let sound = b"\x80\x02}q\0X\x01\0\0\0wq\x01ctorch._utils\n_rebuild_tensor_v2\nq\x02((X\x07\0\0\0storageq\x03\
            ctorch\nFloatStorage\nq\x04X\x01\0\0\x000q\x05X\x03\0\0\0cpuq\x06K\x02tq\x07QK\0K\x02\x85q\x08K\x01\x85q\t\
            \x89ccollections\nOrderedDict\nq\n)Rq\x0btq\x0cRq\rs.";
        assert!(read(sound).is_ok(), "{:?}", read(sound));
        for at in 0..sound.len() {
            for byte in 0..=255 {
                let mut changed = sound.to_vec();
                changed[at] = byte;
                let _ = read(&changed);
            }
            let _ = read(&sound[..at]);
        }
    }
}
