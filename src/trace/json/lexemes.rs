//! How the scanner takes what has no parts: strings, numbers and words.

use super::scan::{Scanner, Taken};

/// Whether a backslash and that byte are an escape.
const SHORT: [bool; 256] = {
    let (codes, mut short) = (b"\"\\/bfnrt", [false; 256]);
    let mut i = 0;
    while i < codes.len() {
        short[codes[i] as usize] = true;
        i += 1;
    }
    short
};

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

    /// Takes the rest of a string, of which some has been taken. It stands apart so that strings which are
    /// short and plain are taken without a call.
    #[inline(never)]
    fn string_rest(&mut self) -> Taken {
        // What changes with each escape stays in registers.
        let (text, mut stops, mut at, mut short) = (self.text, self.stops, self.pos, 0);
        let taken = loop {
            let Some(stop) = stops.next(text, at) else {
                self.pos = text.len();
                break Err(self.bad("unterminated string"));
            };
            match (text.get(stop), text.get(stop + 1)) {
                (Some(b'\\'), Some(code)) if SHORT[usize::from(*code)] => {
                    at = stop + 2;
                    short += 1;
                }
                (Some(b'\\'), Some(b'u')) => {
                    self.pos = stop + 1;
                    if let Err(e) = self.unit() {
                        break Err(e);
                    }
                    at = self.pos;
                }
                _ => {
                    self.pos = stop;
                    break self.string_ends();
                }
            }
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

    fn number(&mut self) -> Taken {
        self.take(b'-');
        if self.take(b'I') {
            self.pos -= 1;
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
