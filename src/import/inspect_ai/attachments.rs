//! Long texts of a sample that stand elsewhere in it, under their hash.

use crate::import::foreign::{Out, Told};
use crate::trace::fault::FaultCode;
use crate::trace::json::{Json, Text};
use std::borrow::Cow;
use std::collections::HashMap;

/// What a reference begins with; the second is that of early logs.
const REFERENCES: [&str; 2] = ["attachment://", "tc://"];

/// Digits of a hash.
const DIGITS: usize = 32;

/// The attachments of a sample.
pub struct Attachments<'j> {
    texts: HashMap<&'j str, &'j Text<'j>>,
    /// Bytes that may still be put in place of references.
    left: usize,
    /// Whether a reference has not been resolved since this was last asked for.
    missing: bool,
}

impl<'j> Attachments<'j> {
    /// Those of `sample`. All together may add `max` bytes to it.
    pub fn of(sample: &'j Json<'j>, max: usize) -> Self {
        let early = sample.get("transcript").and_then(|t| t.get("content"));
        let kept = sample.get("attachments").or(early);
        let members = match kept {
            Some(Json::Object(members)) => &members[..],
            _ => &[],
        };
        let text = |(key, value): &'j (Text<'j>, Json<'j>)| match value {
            Json::String(text) => Some((key.text.as_ref(), text)),
            _ => None,
        };
        Attachments {
            texts: members.iter().filter_map(text).collect(),
            left: max,
            missing: false,
        }
    }

    /// The value with attachments in place of the references to them.
    pub fn resolve(
        &mut self,
        value: &'j Json<'j>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Cow<'j, Json<'j>> {
        if !refers(value) {
            return Cow::Borrowed(value);
        }
        let (left, missing) = (self.left, std::mem::take(&mut self.missing));
        let resolved = self.rebuilt(value);
        if self.missing && self.left == 0 && left > 0 {
            let message = "the attachments of a sample are too long, the rest is not put in place";
            out.fault(FaultCode::LineTooLong, message);
        } else if self.missing && self.left > 0 {
            let message = "attachments that a sample does not hold are left as references to them";
            told.assume(message, out);
        }
        self.missing |= missing;
        Cow::Owned(resolved)
    }

    /// Whether references of what was resolved since the last time of asking are left.
    pub fn take_missing(&mut self) -> bool {
        std::mem::take(&mut self.missing)
    }

    fn rebuilt(&mut self, value: &Json<'j>) -> Json<'j> {
        match value {
            Json::String(text) => Json::String(self.text(text)),
            Json::Array(items) => Json::Array(items.iter().map(|i| self.rebuilt(i)).collect()),
            Json::Object(members) => {
                let member =
                    |(key, value): &(Text<'j>, Json<'j>)| (key.clone(), self.rebuilt(value));
                Json::Object(members.iter().map(member).collect())
            }
            other => other.clone(),
        }
    }

    fn text(&mut self, text: &Text<'j>) -> Text<'j> {
        let mut rest = text.text.as_ref();
        let (mut whole, mut damage) = (String::new(), text.damage);
        while let Some((begin, hash)) = reference(rest) {
            whole.push_str(&rest[..begin.start]);
            match self
                .texts
                .get(hash)
                .filter(|kept| kept.text.len() <= self.left)
            {
                Some(kept) => {
                    self.left -= kept.text.len();
                    damage = damage.max(kept.damage);
                    whole.push_str(&kept.text);
                }
                None => {
                    if self.texts.contains_key(hash) {
                        self.left = 0;
                    }
                    self.missing = true;
                    whole.push_str(&rest[begin.clone()]);
                }
            }
            rest = &rest[begin.end..];
        }
        whole.push_str(rest);
        Text {
            text: Cow::Owned(whole),
            damage,
        }
    }
}

fn refers(value: &Json<'_>) -> bool {
    match value {
        Json::String(text) => reference(&text.text).is_some(),
        Json::Array(items) => items.iter().any(refers),
        Json::Object(members) => members.iter().any(|(_, value)| refers(value)),
        _ => false,
    }
}

/// The first reference of a text: where it stands, and its hash.
fn reference(text: &str) -> Option<(std::ops::Range<usize>, &str)> {
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find("://")) {
        let hash = from + found + 3;
        let begin = REFERENCES.iter().find(|r| text[..hash].ends_with(*r));
        let digits = text.get(hash..hash + DIGITS);
        if let (Some(begin), Some(digits)) = (begin, digits)
            && digits.bytes().all(|b| b.is_ascii_hexdigit())
        {
            return Some((hash - begin.len()..hash + DIGITS, digits));
        }
        from = hash;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Sink;
    use crate::trace::event::Event;
    use crate::trace::fault::{Notice, Place};
    use crate::trace::json::parse;

    #[derive(Default)]
    struct Codes(Vec<&'static str>);

    impl Sink for Codes {
        fn event(&mut self, _: Place, _: Event<'_>) {}
        fn notice(&mut self, n: Notice) {
            self.0.push(n.kind.code());
        }
    }

    const A: &str = "0123456789abcdef0123456789abcdef";

    /// Resolves a text within a list.
    fn resolve(text: &str, max: usize) -> (String, Vec<&'static str>, bool) {
        let sample = format!(r#"{{"attachments":{{"{A}":"long é"}},"value":["{text}",1]}}"#);
        let sample = parse(sample.as_bytes()).expect("valid");
        let mut attachments = Attachments::of(&sample, max);
        let (mut codes, mut told) = (Codes::default(), Told::default());
        let mut out = Out::new(&mut codes, Place::default());
        let value = sample.get("value").expect("a value");
        let resolved = attachments.resolve(value, &mut told, &mut out).to_compact();
        (resolved, codes.0, attachments.take_missing())
    }

    #[test]
    fn references_are_replaced_wherever_they_stand() {
        let none: Vec<&str> = Vec::new();
        let whole = resolve(&format!("attachment://{A}"), 100);
        assert_eq!(whole, (r#"["long é",1]"#.to_owned(), none.clone(), false));
        let inside = resolve(&format!("a://tc://{A}b attachment://{A}"), 100);
        assert_eq!(
            inside,
            (
                r#"["a://long éb long é",1]"#.to_owned(),
                none.clone(),
                false
            )
        );
        for other in ["attachment://0123", "x", "attachment://é"] {
            let same = format!(r#"["{other}",1]"#);
            assert_eq!(resolve(other, 100), (same, none.clone(), false));
        }
    }

    #[test]
    fn what_is_not_there_or_too_much_stays_a_reference() {
        let other = A.replace('0', "f");
        let text = format!("attachment://{other}");
        let left = format!(r#"["{text}",1]"#);
        assert_eq!(resolve(&text, 100), (left, vec!["assumed"], true));
        let text = format!("attachment://{A} attachment://{A}");
        let left = format!(r#"["long é attachment://{A}",1]"#);
        assert_eq!(resolve(&text, 10), (left, vec!["line_too_long"], true));
    }
}
