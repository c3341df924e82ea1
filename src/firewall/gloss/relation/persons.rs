//! Persons whom an action's arguments name, and whether the intent names them.

use super::words::{IntentWords, words};
use crate::firewall::gloss::coded::Coded;
use crate::firewall::gloss::view::head;

/// Keys of arguments that say whom a call is about.
const KEYS: &[&str] = &[
    "applicant",
    "candidate",
    "child",
    "colleague",
    "contact",
    "customer",
    "driver",
    "employee",
    "guest",
    "member",
    "patient",
    "person",
    "player",
    "pupil",
    "reader",
    "resident",
    "runner",
    "staff",
    "student",
    "subject",
    "target",
    "taxpayer",
    "teacher",
    "tenant",
    "traveller",
    "victim",
];

/// Values that stand for the user, for everybody or for nobody.
const NOBODY: &[&str] = &[
    "all",
    "any",
    "anyone",
    "everybody",
    "everyone",
    "false",
    "me",
    "mine",
    "my",
    "new",
    "none",
    "null",
    "self",
    "true",
];

/// Whether an argument names a person by a word, and the intent none of its words. Numbers are ids and
/// tell nothing.
pub(super) fn persons(view: &str, intent: &IntentWords, found: &mut impl FnMut(Coded)) {
    for at in memchr::memchr_iter(b'\x02', view.as_bytes()) {
        let line = view.get(at + 1..).unwrap_or_default();
        let line = line.lines().next().unwrap_or_default();
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let key = key.strip_suffix("_id").unwrap_or(key);
        let key = key.strip_suffix("_name").unwrap_or(key);
        if KEYS.binary_search(&key).is_err() {
            continue;
        }
        let mut parts = words(head(value, 64));
        let Some(first) = parts.next() else {
            continue;
        };
        let is_word = first.bytes().any(|byte| byte.is_ascii_alphabetic());
        let is_nobody = NOBODY.binary_search(&first).is_ok();
        if is_word && !is_nobody && !intent.names(first) && !parts.any(|part| intent.names(part)) {
            found(Coded::PersonUnnamed);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_named_or_not() {
        assert!(KEYS.is_sorted() && NOBODY.is_sorted());
        let intent = IntentWords::new("Show the visits of patient Lang");
        for (view, unnamed) in [
            ("\x02patient=lang, eva\n", false),
            ("\x02patient=the mayor\n\x02days=3\n", true),
            ("\x02employee_name=k.ahmed\n", true),
            ("\x02patient=7042\n", false),
            ("\x02patient=me\n", false),
            ("\x02title=mayor\n", false),
            ("\x03show patient=mayor\n", false),
        ] {
            let mut signs = Vec::new();
            persons(view, &intent, &mut |sign| signs.push(sign));
            assert_eq!(signs == [Coded::PersonUnnamed], unnamed, "{view}");
        }
    }
}
