//! The arguments of a call, which have several spellings.

use super::fields::Fields;
use super::keys::Key;
use super::text;
use crate::trace::event::RawJson;
use crate::trace::fault::{FaultCode, NoticeKind, WarningCode};
use crate::trace::json::{JsonErrorKind, Raw};

impl<'a> Fields<'_, 'a> {
    /// The arguments; absent is `{}`.
    #[inline]
    pub fn arguments(&mut self) -> RawJson<'a> {
        let direct = self.spelled(
            &[Key::Args, Key::Arguments, Key::Input],
            Self::argument_value,
            same_json,
        );
        match self.slots.of(&[Key::Argv, Key::Payload]) {
            0 => direct.unwrap_or_default(),
            _ => self.argument_parts(direct),
        }
    }

    /// The arguments of a record that may give them in parts, beside those that it gives as a whole.
    fn argument_parts(&mut self, direct: Option<RawJson<'a>>) -> RawJson<'a> {
        let Some((raw, built)) = self.argument_vector() else {
            return direct.unwrap_or_default();
        };
        match direct {
            Some(direct) if same_json(&direct, &built) => direct,
            Some(_) => {
                let message = "arguments are given twice: by `argv` or `payload`, and as a whole";
                self.fault(FaultCode::DuplicateKey, raw.offset, message.to_owned());
                built
            }
            None => built,
        }
    }

    /// Whether the record says that it does not tell the arguments. Then it must not give any.
    pub fn arguments_unknown(&mut self) -> bool {
        if self.read(Key::ArgsUnknown, Self::flag) != Some(true) {
            return false;
        }
        let spellings = [
            Key::Args,
            Key::Arguments,
            Key::Input,
            Key::Argv,
            Key::Payload,
        ];
        let given = |key: &Key| Some((key.name(), self.slots.get(*key)?.offset));
        if let Some((name, offset)) = spellings.iter().find_map(given) {
            let message = format!("`args_unknown` is true, and `{name}` is given");
            self.fault(FaultCode::BadField, offset, message);
        }
        true
    }

    /// Arguments given as a whole, or as a string that holds them.
    #[inline]
    fn argument_value(&mut self, key: Key, raw: &Raw<'a>) -> Option<RawJson<'a>> {
        self.look_into(key, raw);
        let as_written = RawJson::from_raw(*raw, self.utf8);
        match raw.bytes.first() {
            Some(b'"') => self.argument_text(key, raw, as_written),
            _ => Some(as_written),
        }
    }

    /// Arguments given as a string that may hold them.
    fn argument_text(
        &mut self,
        key: Key,
        raw: &Raw<'a>,
        as_written: RawJson<'a>,
    ) -> Option<RawJson<'a>> {
        let text = self.decoded(raw).text;
        if text.trim_start().starts_with('{') {
            match RawJson::from_text(text.trim().as_bytes()) {
                Ok(json) => {
                    self.odd_inside(key, json.bytes(), |_| raw.offset);
                    return Some(json);
                }
                // The call is judged all the same: what is not read of it stays as it was written.
                Err(e) if e.kind == JsonErrorKind::TooDeep => {
                    let message = format!("`{}` is {} and stays text", key.name(), e.message);
                    let kind = NoticeKind::Fault(FaultCode::TooDeep);
                    self.tell(kind, raw.offset, message, None);
                }
                Err(_) => {
                    let message = format!(
                        "`{}` is a string that looks like an object but is none",
                        key.name()
                    );
                    self.warn(WarningCode::UnparsedArguments, raw.offset, message);
                }
            }
        }
        Some(as_written)
    }

    /// An object made of `argv` and `payload`, with the first of them.
    fn argument_vector(&mut self) -> Option<(Raw<'a>, RawJson<'a>)> {
        let mut parts: Vec<(Key, Raw<'a>)> = [Key::Argv, Key::Payload]
            .into_iter()
            .filter_map(|key| Some((key, *self.get(key)?)))
            .collect();
        parts.sort_unstable_by_key(|(_, raw)| raw.offset);
        let (_, first) = *parts.first()?;
        let mut object = Vec::new();
        for (i, (key, raw)) in parts.into_iter().enumerate() {
            self.look_into(key, &raw);
            object.push(if i == 0 { b'{' } else { b',' });
            object.extend_from_slice(format!("\"{}\":", key.name()).as_bytes());
            object.extend_from_slice(raw.bytes);
        }
        object.push(b'}');
        match RawJson::from_text(object) {
            Ok(json) => Some((first, json)),
            // Its parts are valid: only the level added around them can be too much.
            Err(e) => {
                let message = format!("arguments are {}", e.message);
                self.fault(FaultCode::TooDeep, first.offset, message);
                None
            }
        }
    }

    /// Warns of what is odd inside arguments, where the scanner has met anything that may be. Keys that
    /// are not UTF-8 may be equal once they are repaired.
    #[inline]
    fn look_into(&mut self, key: Key, raw: &Raw<'a>) {
        if raw.seen.suspects > 0 || self.utf8.is_none() {
            self.odd_inside(key, raw.bytes, |at| raw.offset + at);
        }
    }

    /// Warns of what is odd inside arguments. `place` turns offsets in `json` into those of the record.
    #[inline(never)]
    fn odd_inside(&mut self, key: Key, json: &[u8], place: impl Fn(usize) -> usize) {
        let found = text::escapes(json);
        if let Some(at) = found.lone_surrogate {
            self.repaired(key.name(), place(at));
        }
        if let Some(at) = found.nul {
            let message = format!("`{}` holds a NUL character", key.name());
            self.warn(WarningCode::NulCharacter, place(at), message);
        }
        if let Some((at, _)) = text::repeated_key(json) {
            let message = format!("a key is given more than once inside `{}`", key.name());
            self.warn(WarningCode::RepeatedArgument, place(at), message);
        }
    }
}

fn same_json(a: &RawJson<'_>, b: &RawJson<'_>) -> bool {
    a == b || a.json() == b.json()
}
