//! Typed reading of single fields.

use super::fields::{Fields, is_number, quoted};
use super::keys::{self, Key};
use super::text;
use crate::trace::event::{RawJson, Timestamp};
use crate::trace::fault::{FaultCode, WarningCode};
use crate::trace::json::{Damage, Raw, Scanner, Text};
use crate::trace::money::{MoneyError, Nano};
use crate::trace::numbers::{self, NumberError};
use std::borrow::Cow;

impl<'a> Fields<'_, 'a> {
    fn string(&mut self, key: Key, raw: &Raw<'a>) -> Option<Text<'a>> {
        if raw.bytes.first() != Some(&b'"') {
            self.mistyped(key.name(), raw, "a string");
            return None;
        }
        Some(self.decoded(raw))
    }

    /// A text that tells things apart: damaged it could pass for another one, so that the record
    /// is not used.
    #[inline]
    pub fn identity(&mut self, key: Key, raw: &Raw<'a>) -> Option<Cow<'a, str>> {
        match self.plain(raw) {
            Some(text) => Some(Cow::Borrowed(text)),
            None => self.odd_identity(key, raw),
        }
    }

    #[inline(never)]
    fn odd_identity(&mut self, key: Key, raw: &Raw<'a>) -> Option<Cow<'a, str>> {
        let text = self.string(key, raw)?;
        match text.damage {
            Damage::None => {}
            // The line's own fault has been told.
            Damage::InvalidUtf8 => {
                self.unusable = true;
                return None;
            }
            Damage::LoneSurrogate => {
                let message = format!("lone surrogate in `{}`", key.name());
                self.fault(FaultCode::InvalidUtf8, raw.offset, message);
                return None;
            }
        }
        if text.text.contains('\0') {
            let message = format!("`{}` holds a NUL character", key.name());
            self.warn(WarningCode::NulCharacter, raw.offset, message);
        }
        Some(text.text)
    }

    /// A text that people read.
    #[inline]
    pub fn prose(&mut self, key: Key, raw: &Raw<'a>) -> Option<Cow<'a, str>> {
        match self.plain(raw) {
            Some(text) => Some(Cow::Borrowed(text)),
            None => self.odd_prose(key, raw),
        }
    }

    #[inline(never)]
    fn odd_prose(&mut self, key: Key, raw: &Raw<'a>) -> Option<Cow<'a, str>> {
        let text = self.string(key, raw)?;
        if text.damage == Damage::LoneSurrogate {
            self.repaired(key.name(), raw.offset);
        }
        Some(text.text)
    }

    /// Tells that a lone surrogate was read as U+FFFD.
    pub fn repaired(&mut self, name: &str, offset: usize) {
        let message = format!("lone surrogate in `{name}`, read as U+FFFD");
        self.warn(WarningCode::RepairedText, offset, message);
    }

    /// One of the words of an enum.
    pub fn word<T: Copy>(
        &mut self,
        key: Key,
        raw: &Raw<'a>,
        words: &[(T, &'static str)],
    ) -> Option<T> {
        let text = self.string(key, raw)?;
        if text.damage == Damage::InvalidUtf8 {
            self.unusable = true;
            return None;
        }
        if let Some((value, _)) = words.iter().find(|(_, word)| *word == text.text) {
            return Some(*value);
        }
        let known: Vec<String> = words.iter().map(|(_, w)| format!("`{w}`")).collect();
        let message = format!(
            "`{}` is {}, expected one of {}",
            key.name(),
            quoted(&text.text),
            known.join(", ")
        );
        let near = keys::nearest(&text.text, words.iter().map(|(_, w)| *w));
        let help = near.map(|word| format!("did you mean `{word}`"));
        self.fault_with(FaultCode::BadField, raw.offset, message, help);
        None
    }

    /// The lexeme of a number.
    fn number(&mut self, name: &str, raw: &Raw<'a>) -> Option<&'a str> {
        if !is_number(raw) {
            self.mistyped(name, raw, "a number");
            return None;
        }
        let span = raw.offset..raw.offset + raw.bytes.len();
        let written = self.utf8.and_then(|text| text.get(span));
        // Numbers are ASCII.
        written.or_else(|| std::str::from_utf8(raw.bytes).ok())
    }

    fn out_of_range(&mut self, name: &str, raw: &Raw<'_>, why: NumberError) {
        let message = format!("`{name}` {}", why.words());
        self.fault(FaultCode::BadField, raw.offset, message);
    }

    /// A whole number that is not negative.
    pub fn whole(&mut self, key: Key, raw: &Raw<'a>) -> Option<u64> {
        let lexeme = self.number(key.name(), raw)?;
        numbers::whole(lexeme)
            .map_err(|why| self.out_of_range(key.name(), raw, why))
            .ok()
    }

    /// A finite number.
    pub fn float(&mut self, key: Key, raw: &Raw<'a>) -> Option<f64> {
        let (value, inexact) = self.float_in(key.name(), raw)?;
        if inexact {
            self.inexact(key, raw);
        }
        Some(value)
    }

    /// A finite number, and whether it was rounded.
    fn float_in(&mut self, name: &str, raw: &Raw<'a>) -> Option<(f64, bool)> {
        let lexeme = self.number(name, raw)?;
        numbers::float(lexeme)
            .map_err(|why| self.out_of_range(name, raw, why))
            .ok()
    }

    fn inexact(&mut self, key: Key, raw: &Raw<'_>) {
        let lexeme = quoted(&String::from_utf8_lossy(raw.bytes));
        let message = format!("`{}` holds {lexeme}, rounded to a float", key.name());
        self.warn(WarningCode::InexactNumber, raw.offset, message);
    }

    /// An amount of money.
    pub fn money(&mut self, key: Key, raw: &Raw<'a>) -> Option<Nano> {
        self.money_in(key.name(), raw)
    }

    /// The amount of money that `raw`, called `name`, is.
    pub fn money_in(&mut self, name: &str, raw: &Raw<'a>) -> Option<Nano> {
        let lexeme = self.number(name, raw)?;
        let (nano, rounded) = match Nano::parse(lexeme) {
            Ok(amount) => amount,
            Err(MoneyError::OutOfRange | MoneyError::NotANumber) => {
                self.out_of_range(name, raw, NumberError::TooLarge);
                return None;
            }
        };
        if lexeme.starts_with('-') && (nano != Nano::ZERO || rounded) {
            self.out_of_range(name, raw, NumberError::Negative);
            return None;
        }
        if rounded {
            let message = format!("`{name}` has more than nine decimals, rounded to {nano}");
            self.warn(WarningCode::RoundedCost, raw.offset, message);
        }
        Some(nano)
    }

    /// `true` or `false`.
    pub fn flag(&mut self, key: Key, raw: &Raw<'a>) -> Option<bool> {
        match raw.bytes {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => {
                self.mistyped(key.name(), raw, "`true` or `false`");
                None
            }
        }
    }

    /// A point in time, a string or a number.
    pub fn timestamp(&mut self, key: Key, raw: &Raw<'a>) -> Option<Timestamp<'a>> {
        if raw.bytes.first() == Some(&b'"') {
            self.prose(key, raw).map(Timestamp)
        } else if is_number(raw) {
            let lexeme = self.number(key.name(), raw)?;
            Some(Timestamp(Cow::Borrowed(lexeme)))
        } else {
            self.mistyped(key.name(), raw, "a string or a number");
            None
        }
    }

    /// An object, kept as it is written.
    pub fn object(&mut self, key: Key, raw: &Raw<'a>) -> Option<RawJson<'a>> {
        if raw.bytes.first() != Some(&b'{') {
            self.mistyped(key.name(), raw, "an object");
            return None;
        }
        self.json(key, raw)
    }

    /// Any value, kept as it is written.
    pub fn json(&mut self, key: Key, raw: &Raw<'a>) -> Option<RawJson<'a>> {
        if raw.seen.suspects > 0
            && let Some(at) = text::escapes(raw.bytes).lone_surrogate
        {
            self.repaired(key.name(), raw.offset + at);
        }
        Some(RawJson::from_raw(*raw, self.utf8))
    }

    /// The elements of an array; nothing if it is none.
    fn elements(&mut self, key: Key, raw: &Raw<'a>, expected: &str) -> Option<Vec<Raw<'a>>> {
        if raw.bytes.first() != Some(&b'[') {
            self.mistyped(key.name(), raw, expected);
            return None;
        }
        let mut scanner = Scanner::new(raw.bytes);
        scanner.take(b'[');
        let mut items = Vec::new();
        scanner.space();
        while !scanner.take(b']') {
            // The array has been scanned as part of its record: this cannot fail.
            let Ok(item) = scanner.value(1) else { break };
            items.push(Raw {
                offset: raw.offset + item.offset,
                ..item
            });
            scanner.space();
            scanner.take(b',');
            scanner.space();
        }
        Some(items)
    }

    /// An array of strings.
    pub fn texts(&mut self, key: Key, raw: &Raw<'a>) -> Option<Vec<Cow<'a, str>>> {
        let mut texts = Vec::new();
        let mut damaged = None;
        let items = self.elements(key, raw, "an array of strings")?;
        for raw in items {
            if raw.bytes.first() != Some(&b'"') {
                let name = format!("{}[{}]", key.name(), texts.len());
                self.mistyped(&name, &raw, "a string");
                break;
            }
            let text = self.decoded(&raw);
            if text.damage == Damage::LoneSurrogate {
                damaged = damaged.or(Some(raw.offset));
            }
            texts.push(text.text);
        }
        if let Some(offset) = damaged {
            self.repaired(key.name(), offset);
        }
        Some(texts)
    }

    /// An array of finite numbers.
    pub fn vector(&mut self, key: Key, raw: &Raw<'a>) -> Option<Vec<f64>> {
        let items = self.elements(key, raw, "an array of numbers")?;
        let mut numbers = Vec::with_capacity(items.len());
        let mut rounded = None;
        for raw in items {
            if !is_number(&raw) {
                let name = format!("{}[{}]", key.name(), numbers.len());
                self.mistyped(&name, &raw, "a number");
                return None;
            }
            let (value, inexact) = self.float_in(key.name(), &raw)?;
            if inexact {
                rounded = rounded.or(Some(raw));
            }
            numbers.push(value);
        }
        if let Some(raw) = rounded {
            self.inexact(key, &raw);
        }
        Some(numbers)
    }
}
