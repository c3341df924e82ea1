//! How the scanner takes what has no parts: strings, numbers and words.

use super::scan::{Scanner, Taken};
use crate::bytes::Stops;
use std::num::NonZero;

/// Whether a backslash and that byte are an escape.
const SHORT: [bool; 256] = crate::bytes::among(b"\"\\/bfnrt");

impl Scanner<'_> {
    /// Takes a string, its quotes included.
    #[inline(always)]
    pub(super) fn string(&mut self) -> Taken {
        self.pos += 1;
        // Most strings are short and plain.
        if let Some(stop) = self.stops.near(self.pos)
            && self.text.get(stop) == Some(&b'"')
        {
            self.pos = stop + 1;
            return Ok(());
        }
        self.string_rest()
    }

    /// Takes a string whose opening quote has been taken, block by block. It stands apart so that strings
    /// which are short and plain are taken without a call.
    #[inline(never)]
    fn string_rest(&mut self) -> Taken {
        // What changes with each escape stays in registers: one takes less than 20 instructions.
        let (text, mut stops, mut short) = (self.text, self.stops, 0);
        let mut start = self.pos - self.pos % Stops::BLOCK;
        // Behind what has been taken.
        let mut from = self.pos;
        let taken = 'blocks: loop {
            let Some(mut marks) = stops.of_block(text, start / Stops::BLOCK) else {
                self.pos = text.len();
                break Err(self.bad("unterminated string"));
            };
            if from > start {
                marks &= u64::MAX << (from - start);
            }
            while let Some(ahead) = NonZero::new(marks) {
                let bit = ahead.trailing_zeros();
                let stop = start + bit as usize;
                match (text.get(stop), text.get(stop + 1)) {
                    (Some(b'\\'), Some(code)) if SHORT[usize::from(*code)] => short += 1,
                    (Some(b'\\'), Some(b'u')) => {
                        self.pos = stop + 1;
                        if let Err(e) = self.unit() {
                            break 'blocks Err(e);
                        }
                    }
                    _ => {
                        self.pos = stop;
                        break 'blocks self.string_ends();
                    }
                }
                // What stands behind a backslash belongs to it, be it a stop or not.
                marks &= !0b11 << bit;
                from = stop + 2;
            }
            start += Stops::BLOCK;
        };
        self.stops = stops;
        self.seen.surplus += short;
        taken
    }

    /// Takes what a string ends with, one way or another.
    fn string_ends(&mut self) -> Taken {
        match self.peek() {
            Some(b'"') => {
                self.pos += 1;
                Ok(())
            }
            Some(b'\\') => {
                self.pos += 1;
                Err(self.bad("unknown escape in a string"))
            }
            _ => Err(self.bad("control character in a string")),
        }
    }

    /// Takes the rest of an escape that tells a UTF-16 unit.
    #[inline(never)]
    fn unit(&mut self) -> Taken {
        let begins = self.pos - 1;
        self.pos += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|b| char::from(b).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.bad("expected four hexadecimal digits after `\\u`"));
            };
            unit = unit << 4 | digit;
            self.pos += 1;
        }
        // Both halves of a pair together stand for one character.
        let paired = (0xdc00..0xe000).contains(&unit) && self.high_ends == begins;
        let high = (0xd800..0xdc00).contains(&unit);
        self.high_ends = if high { self.pos } else { 0 };
        self.seen.surplus += if paired { 6 } else { 5 };
        self.seen.suspects += 1;
        Ok(())
    }

    pub(super) fn scalar(&mut self) -> Taken {
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

    fn word(&mut self, word: &'static [u8]) -> Taken {
        for &b in word {
            if !self.take(b) {
                return Err(self.bad("expected `true`, `false` or `null`"));
            }
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn number(&mut self) -> Taken {
        if self.take(b'-') && self.peek() == Some(b'I') {
            return Err(self.bad("Infinity is not JSON (Python's json.dumps writes it)"));
        }
        if !self.take(b'0') {
            self.digits()?;
        }
        match self.peek() {
            Some(b) if b.is_ascii_alphanumeric() || b == b'.' => self.number_rest(),
            _ => Ok(()),
        }
    }

    /// Takes what follows the whole part of a number.
    fn number_rest(&mut self) -> Taken {
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

    fn digits(&mut self) -> Taken {
        let rest = self.text.get(self.pos..).unwrap_or_default();
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        self.pos += digits;
        if digits == 0 {
            return Err(self.bad("expected a digit"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{JsonErrorKind, decode};
    use super::*;
    use crate::testing::Random;

    /// Where the string ends that a text begins with, byte by byte; or where it breaks.
    fn plain(text: &[u8]) -> Result<usize, usize> {
        let mut at = 1;
        loop {
            match text.get(at..).unwrap_or_default() {
                [] | [b'\\'] => return Err(text.len()),
                [b'"', ..] => return Ok(at + 1),
                [0..0x20, ..] => return Err(at),
                [b'\\', b'u', rest @ ..] => {
                    let hex = |b: &u8| !b.is_ascii_hexdigit();
                    if let Some(odd) = rest.iter().take(4).position(hex) {
                        return Err(at + 2 + odd);
                    }
                    at = text.len().min(at + 6);
                }
                [
                    b'\\',
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't',
                    ..,
                ] => at += 2,
                [b'\\', ..] => return Err(at + 1),
                _ => at += 1,
            }
        }
    }

    /// Strings of all lengths, at all places of their blocks, with escapes everywhere: they end, break and
    /// are found to be shorter than they are written, as they are byte by byte.
    #[test]
    fn strings_are_what_they_are_byte_by_byte() {
        const PARTS: [&str; 14] = [
            "\\\\", "\\\"", "\\n", "\\u00e9", "\\ud83c", "\\udf89", "\\/", "é", "🎉", "\"", "\\",
            "\\x", "\\u12", "\u{1}",
        ];
        let mut random = Random::new(7);
        for round in 0..60_000 {
            let mut text = format!("[{}\"", "1,".repeat(random.below(40)));
            let begins = text.len() - 1;
            let (most, parts) = (random.below(200), 1 + random.below(PARTS.len()));
            while text.len() < begins + most {
                match random.below(if round % 3 == 0 { 2 } else { 30 }) {
                    0 => text.push_str(PARTS[random.below(parts)]),
                    n => text.extend(std::iter::repeat_n('a', n)),
                }
            }
            if random.below(4) > 0 {
                text.push('"');
            }
            let mut scanner = Scanner::new(text.as_bytes());
            assert!(scanner.take(b'['));
            while scanner.peek() == Some(b'1') {
                assert!(scanner.value(1).is_ok() && scanner.take(b','));
            }
            match (plain(&text.as_bytes()[begins..]), scanner.value(1)) {
                (Ok(end), Ok(raw)) => {
                    assert_eq!(raw.bytes.len(), end, "{text}");
                    let written = text[begins..begins + end].chars().count() - 2;
                    let decoded = decode(raw.bytes).text.chars().count();
                    assert_eq!(raw.seen.surplus, written - decoded, "{text}");
                    let units = raw.bytes.windows(2).filter(|pair| pair == b"\\u");
                    assert!(raw.seen.suspects <= units.count(), "{text}");
                }
                (Err(at), Err(error)) => {
                    assert_eq!(error.offset, begins + at, "{text}");
                    let cut = error.kind == JsonErrorKind::Truncated;
                    assert_eq!(cut, begins + at == text.len(), "{text}");
                }
                (expected, found) => panic!("{expected:?} {found:?} {text}"),
            }
        }
    }
}
