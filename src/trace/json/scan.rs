//! The scanner: validates values without building them, and builds them where asked.

use super::text::decode;
use super::{Json, JsonError, JsonErrorKind, MAX_DEPTH, Raw, RawMember};
use crate::bytes;

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

/// Parses `text` as [`parse`] does, but reads NaN, Infinity and -Infinity, which Python writes, as
/// null. The second part tells where the first of them stands.
///
/// # Errors
/// The first place where the text is not one JSON value, those words apart.
pub fn parse_tolerant(text: &[u8]) -> Result<(Json<'_>, Option<usize>), JsonError> {
    let mut s = Scanner::tolerant(text);
    let value = s.tree(1)?;
    s.end()?;
    Ok((value, s.not_finite))
}

/// Scans the elements of a top-level array, or a sequence of top-level values, one by one.
pub struct Scanner<'a> {
    text: &'a [u8],
    pos: usize,
    /// Whether numbers that are not finite may stand for null.
    tolerant: bool,
    /// Where the first of them stands.
    not_finite: Option<usize>,
}

impl<'a> Scanner<'a> {
    /// Starts at the beginning of `text`.
    pub fn new(text: &'a [u8]) -> Self {
        Scanner {
            text,
            pos: 0,
            tolerant: false,
            not_finite: None,
        }
    }

    /// As [`Scanner::new`], but lets NaN, Infinity and -Infinity pass as null.
    pub fn tolerant(text: &'a [u8]) -> Self {
        Scanner {
            tolerant: true,
            ..Scanner::new(text)
        }
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
            match bytes::string_stop(rest) {
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
        if self.tolerant && self.take_not_finite() {
            return Ok(());
        }
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

    fn take_not_finite(&mut self) -> bool {
        let rest = self.text.get(self.pos..).unwrap_or_default();
        let words = [&b"NaN"[..], b"Infinity", b"-Infinity"];
        let Some(word) = words.iter().find(|word| rest.starts_with(word)) else {
            return false;
        };
        self.not_finite.get_or_insert(self.pos);
        self.pos += word.len();
        true
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
                    Some(b'n' | b'N' | b'I') => Json::Null,
                    Some(b'-') if self.raw(start).bytes.ends_with(b"y") => Json::Null,
                    // A number was just scanned: it is ASCII.
                    _ => Json::Number(std::str::from_utf8(self.raw(start).bytes).unwrap_or("0")),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_strict() {
        for good in [
            "{}",
            " [1,2.5e-3,-0,true,null] ",
            r#"{"a":{"b":[]}}"#,
            "0",
            "\"\"",
        ] {
            assert!(parse(good.as_bytes()).is_ok(), "{good}");
        }
        for bad in [
            "{,}",
            "[1,]",
            "01",
            "+1",
            "1.",
            ".5",
            "1e",
            "NaN",
            "-Infinity",
            "{'a':1}",
            "{\"a\" 1}",
            "{}{}",
            "tru",
            "\"\\x\"",
            "\"\\u12g4\"",
            "// c\n{}",
            "undefined",
            "\u{1e}{}",
        ] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(parse(b"\"a\x01\"").is_err());
    }

    #[test]
    fn numbers_that_are_not_finite_are_null_where_they_may_be() {
        let (json, first) = parse_tolerant(b"[1,NaN,-Infinity,Infinity,-2]").expect("tolerated");
        assert_eq!(json.to_compact(), "[1,null,null,null,-2]");
        assert_eq!(first, Some(3));
        assert_eq!(parse_tolerant(b"[null]").expect("valid").1, None);
        assert!(parse_tolerant(b"[NaN1]").is_err());
        assert!(parse_tolerant(b"[nan]").is_err());
    }

    #[test]
    fn a_cut_text_is_told_from_a_broken_one() {
        for cut in [
            "{", "{\"a\"", "{\"a\":", "[1,", "\"ab", "tr", "-", "1e", "\"\\", "\"\\u00",
        ] {
            let e = parse(cut.as_bytes()).expect_err(cut);
            assert_eq!(e.kind, JsonErrorKind::Truncated, "{cut}");
        }
        assert_eq!(parse(b"{]").expect_err("").kind, JsonErrorKind::Malformed);
    }

    #[test]
    fn depth_is_bounded_at_128() {
        let nest = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(parse(nest(128).as_bytes()).is_ok());
        let deep = nest(129);
        assert_eq!(
            parse(deep.as_bytes()).expect_err("").kind,
            JsonErrorKind::TooDeep
        );
        let deep = nest(1_000_000);
        assert_eq!(
            parse(deep.as_bytes()).expect_err("").kind,
            JsonErrorKind::TooDeep
        );
    }

    #[test]
    fn members_come_in_order_with_their_offsets() {
        let mut seen = Vec::new();
        let object = scan_object(br#" {"b":1, "a":[2]} "#, |m| {
            seen.push((decode(m.key.bytes).text.into_owned(), m.value.offset));
        });
        assert_eq!(object, Ok(true));
        assert_eq!(seen, [("b".into(), 6), ("a".into(), 13)]);
        assert_eq!(scan_object(b"[1]", |_| ()), Ok(false));
    }
}
