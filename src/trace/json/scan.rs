//! The scanner: validates values without building them, and builds them where asked.

use super::text::{decode, decode_inner};
use super::{Json, JsonError, JsonErrorKind, MAX_DEPTH, Raw, RawMember, Seen, Text};
use crate::bytes::Stops;
use simdutf8::basic::from_utf8;

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
    s.members(1, member).map_err(|e| *e)?;
    s.end()?;
    Ok(true)
}

/// Parses `text`, which must be one JSON value.
///
/// # Errors
/// The first place where the text is not one JSON value.
pub fn parse(text: &[u8]) -> Result<Json<'_>, JsonError> {
    let mut s = Scanner::new(text);
    s.utf8 = from_utf8(text).ok();
    let value = s.tree(1).map_err(|e| *e)?;
    s.end()?;
    Ok(value)
}

/// Checks that `text` is one JSON value, and tells what was met in it.
///
/// # Errors
/// The first place where the text is not one JSON value.
pub fn check(text: &[u8]) -> Result<Seen, JsonError> {
    let mut s = Scanner::new(text);
    let value = s.value(1)?;
    s.end()?;
    Ok(value.seen)
}

/// Parses `text` as [`parse`] does, but reads NaN, Infinity and -Infinity, which Python writes, as
/// null. The second part tells where the first of them stands.
///
/// # Errors
/// The first place where the text is not one JSON value, those words apart.
pub fn parse_tolerant(text: &[u8]) -> Result<(Json<'_>, Option<usize>), JsonError> {
    let mut s = Scanner::tolerant(text);
    s.utf8 = from_utf8(text).ok();
    let value = s.tree(1).map_err(|e| *e)?;
    s.end()?;
    Ok((value, s.not_finite))
}

/// What taking something comes to. The error is boxed so that good news fits a register.
pub(super) type Taken = Result<(), Box<JsonError>>;

/// Scans the elements of a top-level array, or a sequence of top-level values, one by one.
pub struct Scanner<'a> {
    pub(super) text: &'a [u8],
    /// The text again, where it is known to be UTF-8: texts are then cut out of it unchecked.
    utf8: Option<&'a str>,
    pub(super) pos: usize,
    pub(super) stops: Stops,
    /// What was met so far.
    pub(super) seen: Seen,
    /// Where an escaped high surrogate ends, which waits for its partner; 0 where there is none.
    pub(super) high_ends: usize,
    /// Whether numbers that are not finite may stand for null.
    pub(super) tolerant: bool,
    /// Where the first of them stands.
    pub(super) not_finite: Option<usize>,
}

impl<'a> Scanner<'a> {
    /// Starts at the beginning of `text`.
    pub fn new(text: &'a [u8]) -> Self {
        Scanner {
            text,
            utf8: None,
            pos: 0,
            stops: Stops::default(),
            seen: Seen::default(),
            high_ends: 0,
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
    #[inline]
    pub fn space(&mut self) {
        if self.peek().is_some_and(|b| b <= b' ') {
            // Where there is any, it mostly is one space.
            self.take(b' ');
            if self.peek().is_some_and(|b| b <= b' ') {
                self.more_space();
            }
        }
    }

    fn more_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.pos += 1;
        }
    }

    /// Takes `byte` if it comes next.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        if self.peek() != Some(byte) {
            return false;
        }
        self.pos += 1;
        true
    }

    /// Requires that nothing but white space follows.
    ///
    /// # Errors
    /// Something follows.
    pub fn end(&mut self) -> Result<(), JsonError> {
        self.space();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(*self.bad("text after the value")),
        }
    }

    #[cold]
    pub(super) fn bad(&self, message: &'static str) -> Box<JsonError> {
        let (kind, message) = if self.pos >= self.text.len() {
            (
                JsonErrorKind::Truncated,
                "the text ends in the middle of a value",
            )
        } else {
            (JsonErrorKind::Malformed, message)
        };
        Box::new(JsonError {
            kind,
            offset: self.pos.min(self.text.len()),
            message,
        })
    }

    fn deeper(&self, depth: usize) -> Result<usize, Box<JsonError>> {
        if depth > MAX_DEPTH {
            return Err(Box::new(JsonError {
                kind: JsonErrorKind::TooDeep,
                offset: self.pos,
                message: "nested deeper than 128 levels",
            }));
        }
        Ok(depth + 1)
    }

    /// Validates the next value and returns its span. `depth` is its level, the outermost being 1.
    ///
    /// # Errors
    /// The first byte that does not fit.
    pub fn value(&mut self, depth: usize) -> Result<Raw<'a>, JsonError> {
        self.space();
        let (start, before) = (self.pos, self.seen);
        self.skip(depth).map_err(|e| *e)?;
        Ok(self.raw(start, before))
    }

    /// Validates the value that begins here. Strings, which most values are, are taken in place.
    #[inline(always)]
    fn skip(&mut self, depth: usize) -> Taken {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'0'..=b'9') => self.number(),
            _ => self.skip_other(depth),
        }
    }

    fn skip_other(&mut self, depth: usize) -> Taken {
        match self.peek() {
            Some(b'{') => {
                let mut met = Met::default();
                self.object(depth, |s, key, d| {
                    s.seen.suspects += usize::from(met.before(key));
                    s.space();
                    s.skip(d)
                })
            }
            Some(b'[') => self.elements(depth, |s, d| {
                s.space();
                s.skip(d)
            }),
            _ => self.scalar(),
        }
    }

    /// What was taken since `start`, where `before` had been met.
    #[inline]
    fn raw(&self, start: usize, before: Seen) -> Raw<'a> {
        Raw {
            bytes: &self.text[start..self.pos],
            offset: start,
            seen: self.seen.since(before),
        }
    }

    /// Takes a string and returns its span, quotes included.
    #[inline(always)]
    pub(super) fn quoted(&mut self) -> Result<Raw<'a>, Box<JsonError>> {
        let (start, before) = (self.pos, self.seen);
        self.string()?;
        Ok(self.raw(start, before))
    }

    /// Decodes a string that has been scanned.
    pub(super) fn decoded(&self, quoted: Raw<'a>) -> Text<'a> {
        let inner = quoted.offset + 1..quoted.offset + quoted.bytes.len().max(2) - 1;
        match self.utf8.and_then(|text| text.get(inner)) {
            Some(inner) if quoted.seen.surplus == 0 => Text::plain(inner),
            Some(inner) => decode_inner(inner),
            None => decode(quoted.bytes),
        }
    }

    fn members(&mut self, depth: usize, mut each: impl FnMut(RawMember<'a>)) -> Taken {
        self.object(depth, |s, key, d| {
            s.space();
            let (start, before) = (s.pos, s.seen);
            s.skip(d)?;
            let value = s.raw(start, before);
            each(RawMember { key, value });
            Ok(())
        })
    }

    pub(super) fn object(
        &mut self,
        depth: usize,
        mut each: impl FnMut(&mut Self, Raw<'a>, usize) -> Taken,
    ) -> Taken {
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
            let key = self.quoted()?;
            self.space();
            if !self.take(b':') {
                return Err(self.bad("expected `:` after a key"));
            }
            each(self, key, inner)?;
            self.space();
            if self.take(b',') {
                continue;
            }
            if self.take(b'}') {
                return Ok(());
            }
            return Err(self.bad("expected `,` or `}`"));
        }
    }

    pub(super) fn elements(
        &mut self,
        depth: usize,
        mut each: impl FnMut(&mut Self, usize) -> Taken,
    ) -> Taken {
        let inner = self.deeper(depth)?;
        self.pos += 1;
        self.space();
        if self.take(b']') {
            return Ok(());
        }
        loop {
            each(self, inner)?;
            self.space();
            if self.take(b',') {
                continue;
            }
            if self.take(b']') {
                return Ok(());
            }
            return Err(self.bad("expected `,` or `]`"));
        }
    }

    fn tree(&mut self, depth: usize) -> Result<Json<'a>, Box<JsonError>> {
        self.space();
        let start = self.pos;
        match self.peek() {
            Some(b'"') => {
                let quoted = self.quoted()?;
                Ok(Json::String(self.decoded(quoted)))
            }
            Some(b'{') => {
                let mut members = Vec::new();
                self.object(depth, |s, key, d| {
                    let value = s.tree(d)?;
                    members.push((s.decoded(key), value));
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
                let written = &self.text[start..self.pos];
                Ok(match first {
                    Some(b't') => Json::Bool(true),
                    Some(b'f') => Json::Bool(false),
                    Some(b'n' | b'N' | b'I') => Json::Null,
                    Some(b'-') if written.ends_with(b"y") => Json::Null,
                    // A number was just scanned: it is ASCII.
                    _ => Json::Number(from_utf8(written).unwrap_or("0")),
                })
            }
        }
    }
}

/// The keys that an object has had, as a sieve of 64 holes: one a key, so that equal keys fall into
/// one. Nothing is kept of the keys, and telling small objects to have none twice takes next to
/// no time.
#[derive(Default)]
struct Met(u64);

impl Met {
    /// Whether the object may have had this key before. An escaped key may be any.
    fn before(&mut self, key: Raw<'_>) -> bool {
        let (bytes, length) = (key.bytes, key.bytes.len());
        let byte = |at: usize| bytes.get(at).map_or(0, |b| u64::from(*b));
        // Keys mostly differ in their length, at one of their ends or in the middle.
        let told = byte(1) | byte(length / 2) << 8 | byte(length.saturating_sub(2)) << 16;
        let mixed = (told | (length as u64) << 24).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hole = 1 << (mixed >> 58);
        let met = self.0 & hole != 0 || key.seen.surplus > 0;
        self.0 |= hole;
        met
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
