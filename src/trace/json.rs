//! The one strict JSON reader: a scanner that validates a value without building it, and a small
//! tree that keeps document order, number lexemes and byte offsets.
//!
//! Everything gate reads as JSON goes through here, so that the same input means the same thing in
//! a trace, in a states file and in a foreign recording: RFC 8259 grammar, at most [`MAX_DEPTH`]
//! levels, nothing after the value. The scanner works on bytes and leaves UTF-8 to [`decode`], so a
//! record whose text holds stray bytes can still be read and its damage named.

mod text;

pub use text::{Damage, Text, decode, write_string};

/// Deepest nesting accepted, counting the outermost value as level one.
pub const MAX_DEPTH: usize = 128;

/// What is wrong with a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonErrorKind {
    /// Not JSON.
    Malformed,
    /// The text ends inside a value: what a writer that was cut off leaves behind.
    Truncated,
    /// More than [`MAX_DEPTH`] levels.
    TooDeep,
}

/// An error at a byte offset of the text that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Kind of the error.
    pub kind: JsonErrorKind,
    /// Offset of the first byte that does not fit.
    pub offset: usize,
    /// Plain words, lowercase, no full stop.
    pub message: &'static str,
}

/// A value as it stands in the document: its bytes and where they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw<'a> {
    /// The bytes of the value, without surrounding white space. Valid JSON.
    pub bytes: &'a [u8],
    /// Offset of the first byte in the text that was scanned.
    pub offset: usize,
}

/// A member of an object, its key still as written.
#[derive(Clone, Copy, Debug)]
pub struct RawMember<'a> {
    /// The key with its quotes.
    pub key: Raw<'a>,
    /// The value.
    pub value: Raw<'a>,
}

/// A parsed value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it was written.
    Number(&'a str),
    /// A decoded string.
    String(Text<'a>),
    /// An array.
    Array(Vec<Json<'a>>),
    /// An object in document order, repeated keys kept.
    Object(Vec<(Text<'a>, Json<'a>)>),
}

/// Scans `text`, which must be one object, and calls `member` for each of its members in order.
///
/// Values are validated to their full depth but not decoded.
///
/// # Errors
/// The first place where the text is not one JSON object. A text that is valid JSON but no object
/// is `Ok(false)`.
pub fn scan_object<'a>(
    text: &'a [u8],
    member: impl FnMut(RawMember<'a>),
) -> Result<bool, JsonError> {
    let mut s = Scanner::new(text);
    s.space();
    if s.peek() != Some(b'{') {
        s.value(1)?;
        s.end()?;
        return Ok(false);
    }
    s.members(1, member)?;
    s.end()?;
    Ok(true)
}

/// Parses `text`, which must be one JSON value.
///
/// # Errors
/// The first place where the text is not one JSON value.
pub fn parse(text: &[u8]) -> Result<Json<'_>, JsonError> {
    let mut s = Scanner::new(text);
    let value = s.tree(1)?;
    s.end()?;
    Ok(value)
}

/// Scans the elements of a top-level array, or a sequence of top-level values, one by one.
pub struct Scanner<'a> {
    text: &'a [u8],
    pos: usize,
}

impl<'a> Scanner<'a> {
    /// Starts at the beginning of `text`.
    pub fn new(text: &'a [u8]) -> Self {
        Scanner { text, pos: 0 }
    }

    /// Offset of the next byte.
    pub fn offset(&self) -> usize {
        self.pos
    }

    /// The next byte, if any.
    pub fn peek(&self) -> Option<u8> {
        self.text.get(self.pos).copied()
    }

    /// Skips JSON white space.
    pub fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.pos += 1;
        }
    }

    /// Takes `byte` if it comes next.
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.pos += usize::from(found);
        found
    }

    /// Requires that nothing but white space follows.
    ///
    /// # Errors
    /// Something follows.
    pub fn end(&mut self) -> Result<(), JsonError> {
        self.space();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.bad("text after the value")),
        }
    }

    fn bad(&self, message: &'static str) -> JsonError {
        let (kind, message) = if self.pos >= self.text.len() {
            (
                JsonErrorKind::Truncated,
                "the text ends in the middle of a value",
            )
        } else {
            (JsonErrorKind::Malformed, message)
        };
        JsonError {
            kind,
            offset: self.pos.min(self.text.len()),
            message,
        }
    }

    fn deeper(&self, depth: usize) -> Result<usize, JsonError> {
        if depth > MAX_DEPTH {
            return Err(JsonError {
                kind: JsonErrorKind::TooDeep,
                offset: self.pos,
                message: "nested deeper than 128 levels",
            });
        }
        Ok(depth + 1)
    }

    /// Validates the next value and returns its span. `depth` is its level, the outermost being 1.
    ///
    /// # Errors
    /// The first byte that does not fit.
    pub fn value(&mut self, depth: usize) -> Result<Raw<'a>, JsonError> {
        self.space();
        let start = self.pos;
        match self.peek() {
            Some(b'"') => {
                self.string()?;
            }
            Some(b'{') => self.members(depth, |_| ())?,
            Some(b'[') => self.elements(depth, |s, d| s.value(d).map(|_| ()))?,
            _ => self.scalar()?,
        }
        Ok(self.raw(start))
    }

    fn raw(&self, start: usize) -> Raw<'a> {
        Raw {
            bytes: &self.text[start..self.pos],
            offset: start,
        }
    }

    fn members(
        &mut self,
        depth: usize,
        mut each: impl FnMut(RawMember<'a>),
    ) -> Result<(), JsonError> {
        self.object(depth, |s, key, d| {
            let value = s.value(d)?;
            each(RawMember { key, value });
            Ok(())
        })
    }

    fn object(
        &mut self,
        depth: usize,
        mut each: impl FnMut(&mut Self, Raw<'a>, usize) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        let inner = self.deeper(depth)?;
        self.pos += 1;
        self.space();
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.bad("expected a key in double quotes"));
            }
            let start = self.pos;
            self.string()?;
            let key = self.raw(start);
            self.space();
            if !self.take(b':') {
                return Err(self.bad("expected `:` after a key"));
            }
            each(self, key, inner)?;
            self.space();
            if self.take(b'}') {
                return Ok(());
            }
            if !self.take(b',') {
                return Err(self.bad("expected `,` or `}`"));
            }
        }
    }

    fn elements(
        &mut self,
        depth: usize,
        mut each: impl FnMut(&mut Self, usize) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        let inner = self.deeper(depth)?;
        self.pos += 1;
        self.space();
        if self.take(b']') {
            return Ok(());
        }
        loop {
            each(self, inner)?;
            self.space();
            if self.take(b']') {
                return Ok(());
            }
            if !self.take(b',') {
                return Err(self.bad("expected `,` or `]`"));
            }
        }
    }

    /// Takes a string, its quotes included.
    fn string(&mut self) -> Result<(), JsonError> {
        self.pos += 1;
        loop {
            let rest = &self.text[self.pos.min(self.text.len())..];
            match rest
                .iter()
                .position(|&b| b == b'"' || b == b'\\' || b < 0x20)
            {
                None => {
                    self.pos = self.text.len();
                    return Err(self.bad("unterminated string"));
                }
                Some(n) => self.pos += n,
            }
            match self.text[self.pos] {
                b'"' => {
                    self.pos += 1;
                    return Ok(());
                }
                b'\\' => self.escape()?,
                _ => return Err(self.bad("control character in a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        self.pos += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.pos += 1;
                Ok(())
            }
            Some(b'u') => {
                self.pos += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|b| b.is_ascii_hexdigit()) {
                        return Err(self.bad("expected four hexadecimal digits after `\\u`"));
                    }
                    self.pos += 1;
                }
                Ok(())
            }
            _ => Err(self.bad("unknown escape in a string")),
        }
    }

    fn scalar(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'N' | b'I') => {
                Err(self.bad("NaN and Infinity are not JSON (Python's json.dumps writes them)"))
            }
            Some(0) => Err(self.bad("NUL byte")),
            Some(0x1e) => Err(self.bad("record separator of a JSON text sequence")),
            _ => Err(self.bad("expected a value")),
        }
    }

    fn word(&mut self, word: &'static [u8]) -> Result<(), JsonError> {
        for &b in word {
            if !self.take(b) {
                return Err(self.bad("expected `true`, `false` or `null`"));
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), JsonError> {
        self.take(b'-');
        if self.take(b'I') {
            self.pos -= 1;
            return Err(self.bad("Infinity is not JSON (Python's json.dumps writes it)"));
        }
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        if self
            .peek()
            .is_some_and(|b| b.is_ascii_alphanumeric() || b == b'.')
        {
            return Err(self.bad("malformed number"));
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.pos;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.pos += 1;
        }
        if self.pos == start {
            return Err(self.bad("expected a digit"));
        }
        Ok(())
    }

    fn tree(&mut self, depth: usize) -> Result<Json<'a>, JsonError> {
        self.space();
        let start = self.pos;
        match self.peek() {
            Some(b'"') => {
                self.string()?;
                Ok(Json::String(decode(self.raw(start).bytes)))
            }
            Some(b'{') => {
                let mut members = Vec::new();
                self.object(depth, |s, key, d| {
                    let value = s.tree(d)?;
                    members.push((decode(key.bytes), value));
                    Ok(())
                })?;
                Ok(Json::Object(members))
            }
            Some(b'[') => {
                let mut items = Vec::new();
                self.elements(depth, |s, d| {
                    items.push(s.tree(d)?);
                    Ok(())
                })?;
                Ok(Json::Array(items))
            }
            first => {
                self.scalar()?;
                Ok(match first {
                    Some(b't') => Json::Bool(true),
                    Some(b'f') => Json::Bool(false),
                    Some(b'n') => Json::Null,
                    // A number was just scanned: it is ASCII.
                    _ => Json::Number(std::str::from_utf8(self.raw(start).bytes).unwrap_or("0")),
                })
            }
        }
    }
}

impl<'a> Json<'a> {
    /// The last member of that name, if this is an object that has one. Foreign formats that
    /// repeat a key mean the last one.
    pub fn get(&self, key: &str) -> Option<&Json<'a>> {
        match self {
            Json::Object(members) => members
                .iter()
                .rev()
                .find(|(k, _)| k.text == key)
                .map(|(_, v)| v),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(t) => Some(&t.text),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Json<'a>]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The worst damage of any text inside, keys included.
    pub fn damage(&self) -> Damage {
        match self {
            Json::String(t) => t.damage,
            Json::Array(items) => items.iter().map(Json::damage).max().unwrap_or_default(),
            Json::Object(members) => members
                .iter()
                .map(|(k, v)| k.damage.max(v.damage()))
                .max()
                .unwrap_or_default(),
            _ => Damage::None,
        }
    }

    /// Writes the value in compact form: no white space, fewest escapes, numbers as they were
    /// written.
    pub fn write_compact(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
            Json::Number(n) => out.push_str(n),
            Json::String(t) => write_string(&t.text, out),
            Json::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    item.write_compact(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (i, (key, value)) in members.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    write_string(&key.text, out);
                    out.push(':');
                    value.write_compact(out);
                }
                out.push('}');
            }
        }
    }

    /// The value in compact form.
    pub fn to_compact(&self) -> String {
        let mut out = String::new();
        self.write_compact(&mut out);
        out
    }
}

#[cfg(test)]
mod tests;
