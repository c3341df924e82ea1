//! The fields of one record and what is wrong with them. Faults go to the sink as they are met; the
//! record is delivered only if there was none.

use super::keys::{Key, Kind, TABLE};
use crate::import::{Found, Record};
use crate::trace::fault::{FaultCode, Notice, NoticeKind, WarningCode};
use crate::trace::json::{Raw, Text, decode};
use std::borrow::Cow;

/// The members of a record that have known names.
pub struct Slots<'a> {
    /// The keys met, as a set.
    met: u64,
    /// Values that are not `null`, by key.
    values: [Option<Raw<'a>>; TABLE.len()],
    /// Keys met a second time, with the offset of that second time.
    pub repeated: Vec<(Key, usize)>,
}

impl Default for Slots<'_> {
    fn default() -> Self {
        Slots {
            met: 0,
            values: [None; TABLE.len()],
            repeated: Vec::new(),
        }
    }
}

impl<'a> Slots<'a> {
    /// Takes a member whose key is `key` and stands at `offset`.
    #[inline]
    pub fn put(&mut self, key: Key, offset: usize, value: Raw<'a>) {
        if self.met & key.bit() != 0 {
            return self.again(key, offset);
        }
        self.met |= key.bit();
        if value.bytes != b"null" {
            self.values[key as usize] = Some(value);
        }
    }

    #[cold]
    fn again(&mut self, key: Key, offset: usize) {
        if !self.repeated.iter().any(|(k, _)| *k == key) {
            self.repeated.push((key, offset));
        }
    }

    /// The value of `key`; `null` is absent.
    #[inline]
    pub fn get(&self, key: Key) -> Option<&Raw<'a>> {
        self.values[key as usize].as_ref()
    }

    /// The set of those of `keys` that were met. Most fields are absent from most records, which one test
    /// tells of many of them.
    #[inline(always)]
    pub fn of(&self, keys: &[Key]) -> u64 {
        self.met & keys.iter().fold(0, |set, key| set | key.bit())
    }

    /// How many of the members present do not belong to `kind`.
    #[inline]
    pub fn misplaced(&self, kind: Kind) -> u64 {
        match self.met & !kind.keys() {
            0 => 0,
            others => u64::from(others.count_ones()),
        }
    }
}

/// Reads the fields of one record.
pub struct Fields<'r, 'a> {
    /// The record.
    pub record: Record<'a>,
    /// Its known members.
    pub slots: &'r Slots<'a>,
    /// The run that notices are about; absent as long as it is not known.
    pub run: Option<Cow<'a, str>>,
    /// Takes the notices.
    pub sink: &'r mut Found<'a>,
    /// The record again, where all of it is UTF-8.
    pub utf8: Option<&'a str>,
    /// Whether the record cannot be used.
    pub unusable: bool,
}

/// Text from the input for a message: in backticks, cut where it is long.
pub fn quoted(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// Whether a value is a number.
pub fn is_number(raw: &Raw<'_>) -> bool {
    matches!(raw.bytes.first(), Some(b'-' | b'0'..=b'9'))
}

/// What a value is, in plain words.
pub fn found(raw: &Raw<'_>) -> &'static str {
    match raw.bytes.first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

impl<'r, 'a> Fields<'r, 'a> {
    /// The value of `key`; `null` is absent.
    #[inline]
    pub fn get(&self, key: Key) -> Option<&'r Raw<'a>> {
        self.slots.get(key)
    }

    /// The field that `read` makes of the value of `key`. Most fields are absent from most records, which
    /// is seen in place.
    #[inline(always)]
    pub fn read<T>(
        &mut self,
        key: Key,
        read: impl FnOnce(&mut Self, Key, &Raw<'a>) -> Option<T>,
    ) -> Option<T> {
        let raw = self.get(key)?;
        read(self, key, raw)
    }

    /// One of the words of an enum.
    #[inline(always)]
    pub fn one_of<T: Copy>(&mut self, key: Key, words: &[(T, &'static str)]) -> Option<T> {
        self.read(key, |fields, key, raw| fields.word(key, raw, words))
    }

    /// The text of a string that is UTF-8 and has no escape: it stands as it is written.
    #[inline]
    pub fn plain(&self, raw: &Raw<'a>) -> Option<&'a str> {
        let plain = raw.seen.surplus == 0 && raw.bytes.first() == Some(&b'"');
        let inner = raw.offset + 1..raw.offset + raw.bytes.len().max(2) - 1;
        self.utf8.filter(|_| plain)?.get(inner)
    }

    /// Decodes a string of the record.
    pub fn decoded(&self, raw: &Raw<'a>) -> Text<'a> {
        match self.plain(raw) {
            Some(text) => Text::plain(text),
            None => decode(raw.bytes),
        }
    }

    /// Tells a fault at `offset` of the record, which is then not used.
    pub fn fault(&mut self, code: FaultCode, offset: usize, message: String) {
        self.fault_with(code, offset, message, None);
    }

    /// The same with a help line.
    pub fn fault_with(
        &mut self,
        code: FaultCode,
        offset: usize,
        message: String,
        help: Option<String>,
    ) {
        self.unusable = true;
        self.tell(NoticeKind::Fault(code), offset, message, help);
    }

    /// Tells a warning at `offset` of the record.
    pub fn warn(&mut self, code: WarningCode, offset: usize, message: String) {
        self.tell(NoticeKind::Warning(code), offset, message, None);
    }

    /// Tells a notice at `offset` of the record.
    pub fn tell(&mut self, kind: NoticeKind, offset: usize, message: String, help: Option<String>) {
        self.sink.notice(Notice {
            kind,
            place: self.record.at(offset),
            run: self.run.as_deref().map(str::to_owned),
            message,
            help,
        });
    }

    /// Tells that the value `raw` of `name` is not `expected`.
    pub fn mistyped(&mut self, name: &str, raw: &Raw<'_>, expected: &str) {
        let message = format!("`{name}` is {}, expected {expected}", found(raw));
        self.fault(FaultCode::BadField, raw.offset, message);
    }

    /// The field that the first present of several spellings gives. The others must say the same.
    #[inline(always)]
    pub fn spelled<T>(
        &mut self,
        spellings: &[Key],
        read: impl Fn(&mut Self, Key, &Raw<'a>) -> Option<T>,
        same: impl Fn(&T, &T) -> bool,
    ) -> Option<T> {
        let met = self.slots.of(spellings);
        if met & met.wrapping_sub(1) != 0 {
            return self.spelled_twice(spellings, read, same);
        }
        let only = TABLE.get(met.trailing_zeros() as usize)?;
        self.read(only.key, read)
    }

    /// The same where there are several.
    #[cold]
    fn spelled_twice<T>(
        &mut self,
        spellings: &[Key],
        read: impl Fn(&mut Self, Key, &Raw<'a>) -> Option<T>,
        same: impl Fn(&T, &T) -> bool,
    ) -> Option<T> {
        let mut first: Option<(Key, T)> = None;
        for &key in spellings {
            let Some(raw) = self.get(key) else {
                continue;
            };
            let Some(value) = read(self, key, raw) else {
                continue;
            };
            match &first {
                None => first = Some((key, value)),
                Some((other, before)) if !same(before, &value) => {
                    self.conflict(*other, key, raw.offset);
                }
                Some(_) => {}
            }
        }
        first.map(|(_, value)| value)
    }

    /// Tells that two spellings of one field differ.
    pub fn conflict(&mut self, one: Key, other: Key, offset: usize) {
        let message = format!(
            "`{}` and `{}` are one field and say different things",
            one.name(),
            other.name()
        );
        self.fault(FaultCode::DuplicateKey, offset, message);
    }

    /// Requires a field that was read as `value`.
    pub fn required<T>(&mut self, key: Key, value: Option<T>) -> Option<T> {
        if value.is_none() && !self.unusable {
            let message = format!("`{}` is missing", key.name());
            self.fault(FaultCode::MissingField, 0, message);
        }
        value
    }
}
