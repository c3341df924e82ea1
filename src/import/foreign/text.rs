//! Names, ids and values out of a foreign record, and what has to be said about their text.

use super::out::{Out, quote};
use super::record::kind;
use crate::trace::fault::{FaultCode, WarningCode};
use crate::trace::json::{Damage, Json};
use std::collections::HashSet;

/// A field that cannot be used; the fault has been reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unusable;

/// Reads the name of a tool, an id or the name of a run. `None` means absent or null; the text may
/// be empty.
///
/// # Errors
/// The field is no string, or its text is damaged: repaired, two different names could become equal.
pub fn identifier<'j>(
    field: &str,
    value: Option<&'j Json<'_>>,
    out: &mut Out<'_>,
) -> Result<Option<&'j str>, Unusable> {
    let text = match value {
        None | Some(Json::Null) => return Ok(None),
        Some(Json::String(text)) => text,
        Some(other) => {
            let message = format!("`{field}` has to be a string, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        }
    };
    let damage = match text.damage {
        Damage::None => {
            if text.text.contains('\0') {
                let message = format!("`{field}` holds a NUL character");
                out.warn(WarningCode::NulCharacter, message);
            }
            return Ok(Some(&text.text));
        }
        Damage::LoneSurrogate => "half of a surrogate pair",
        Damage::InvalidUtf8 => "bytes that are not UTF-8",
    };
    let message = format!("`{field}` holds {damage}, the record is not used");
    out.fault(FaultCode::InvalidUtf8, message);
    Err(Unusable)
}

/// Reads the name of the tool of a call, which has to be there.
///
/// # Errors
/// It is absent, empty, no string or damaged; the fault has been reported.
pub fn tool_name<'j>(
    field: &str,
    value: Option<&'j Json<'_>>,
    out: &mut Out<'_>,
) -> Result<&'j str, Unusable> {
    match identifier(field, value, out)? {
        Some("") => out.fault(FaultCode::BadField, "a call with an empty tool name"),
        Some(name) => return Ok(name),
        None => out.fault(FaultCode::MissingField, format!("a call without `{field}`")),
    }
    Err(Unusable)
}

/// Requires that an object gives none of `fields` twice: readers differ in which one they believe.
///
/// # Errors
/// One of them is given twice.
pub fn once(object: &Json<'_>, fields: &[&str], out: &mut Out<'_>) -> Result<(), Unusable> {
    let Json::Object(members) = object else {
        return Ok(());
    };
    for field in fields {
        if members.iter().filter(|(k, _)| k.text == *field).count() > 1 {
            let message = format!("`{field}` is given twice, what holds it is not used");
            out.fault(FaultCode::DuplicateKey, message);
            return Err(Unusable);
        }
    }
    Ok(())
}

/// Warns of what the text of arguments or of a result had to suffer. `what` names the value.
pub fn check_value(what: &str, value: &Json<'_>, out: &mut Out<'_>) {
    let mut found = Found::default();
    found.look(value);
    if found.surrogate {
        let message = format!("half of a surrogate pair in {what} reads as U+FFFD");
        out.warn(WarningCode::RepairedText, message);
    }
    if found.nul {
        let message = format!("a NUL character in {what}");
        out.warn(WarningCode::NulCharacter, message);
    }
    if let Some(key) = found.repeated {
        let message = format!("the key {} is repeated in {what}", quote(&key));
        out.warn(WarningCode::RepeatedArgument, message);
    }
}

#[derive(Default)]
struct Found {
    surrogate: bool,
    nul: bool,
    repeated: Option<String>,
}

impl Found {
    fn look(&mut self, value: &Json<'_>) {
        match value {
            Json::String(text) => self.text(&text.text, text.damage),
            Json::Array(items) => items.iter().for_each(|item| self.look(item)),
            Json::Object(members) => {
                let mut keys = HashSet::new();
                for (key, value) in members {
                    if !keys.insert(&key.text) && self.repeated.is_none() {
                        self.repeated = Some(key.text.to_string());
                    }
                    self.text(&key.text, key.damage);
                    self.look(value);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str, damage: Damage) {
        self.surrogate |= damage == Damage::LoneSurrogate;
        self.nul |= text.contains('\0');
    }
}
