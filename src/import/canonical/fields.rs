//! The fields of one record and what is wrong with them. Faults go to the sink as they are met; the
//! record is delivered only if there was none.

use super::keys::{Key, Kind, TABLE};
use crate::import::{Found, Record};
use crate::trace::fault::{FaultCode, Notice, NoticeKind, WarningCode};
use crate::trace::json::{Raw, RawMember};
use std::borrow::Cow;

/// The members of a record that have known names.
pub struct Slots<'a> {
    values: [Option<Raw<'a>>; TABLE.len()],
    /// Keys met a second time, with the offset of that second time.
    pub repeated: Vec<(Key, usize)>,
}

impl Default for Slots<'_> {
    fn default() -> Self {
        Slots {
            values: [None; TABLE.len()],
            repeated: Vec::new(),
        }
    }
}

impl<'a> Slots<'a> {
    /// Takes a member whose key is `key`.
    pub fn put(&mut self, key: Key, member: RawMember<'a>) {
        let slot = &mut self.values[key as usize];
        if slot.is_none() {
            *slot = Some(member.value);
        } else if !self.repeated.iter().any(|(k, _)| *k == key) {
            self.repeated.push((key, member.key.offset));
        }
    }

    /// The value of `key`; `null` is absent.
    pub fn get(&self, key: Key) -> Option<Raw<'a>> {
        self.values[key as usize].filter(|raw| raw.bytes != b"null")
    }

    /// How many of the members present do not belong to `kind`.
    pub fn misplaced(&self, kind: Kind) -> u64 {
        let foreign =
            |(i, slot): &(usize, &Option<Raw<'_>>)| slot.is_some() && !TABLE[*i].key.is_of(kind);
        self.values.iter().enumerate().filter(foreign).count() as u64
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
    /// Whether the line may hold `\u` escapes at all.
    pub escaped: bool,
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

/// What a value is, in plain words.
pub fn found(raw: Raw<'_>) -> &'static str {
    match raw.bytes.first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

impl<'a> Fields<'_, 'a> {
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
    pub fn mistyped(&mut self, name: &str, raw: Raw<'_>, expected: &str) {
        let message = format!("`{name}` is {}, expected {expected}", found(raw));
        self.fault(FaultCode::BadField, raw.offset, message);
    }

    /// The field that the first present of several spellings gives. The others must say the same.
    pub fn spelled<T>(
        &mut self,
        spellings: &[Key],
        read: impl Fn(&mut Self, Key) -> Option<T>,
        same: impl Fn(&T, &T) -> bool,
    ) -> Option<T> {
        let mut first: Option<(Key, T)> = None;
        for &key in spellings {
            let Some(raw) = self.slots.get(key) else {
                continue;
            };
            let Some(value) = read(self, key) else {
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
