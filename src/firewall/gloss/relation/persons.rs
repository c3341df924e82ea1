//! Persons whom an action's arguments name, and whether the intent names them.

use super::words::{IntentWords, words};
use crate::firewall::gloss::view::head;

/// Whether an argument under this key says whom a call is about.
fn is_key(key: &str) -> bool {
    matches!(
        key,
        "applicant"
            | "candidate"
            | "child"
            | "colleague"
            | "contact"
            | "customer"
            | "driver"
            | "employee"
            | "guest"
            | "member"
            | "patient"
            | "person"
            | "player"
            | "pupil"
            | "reader"
            | "resident"
            | "runner"
            | "staff"
            | "student"
            | "subject"
            | "target"
            | "taxpayer"
            | "teacher"
            | "tenant"
            | "traveller"
            | "victim"
    )
}

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

/// Whether a word stands for the user, for everybody or for nobody.
pub(super) fn is_nobody(word: &str) -> bool {
    NOBODY.binary_search(&word).is_ok()
}

/// Whether an argument names a person by a word, and the intent none of its words. Numbers are ids and
/// tell nothing.
pub(super) fn is_unnamed(key: &str, value: &str, intent: &IntentWords) -> bool {
    let key = key.strip_suffix("_id").unwrap_or(key);
    let key = key.strip_suffix("_name").unwrap_or(key);
    if !is_key(key) {
        return false;
    }
    let line = value.lines().next().unwrap_or_default();
    let mut parts = words(head(line, 64));
    let Some(first) = parts.next() else {
        return false;
    };
    let is_word = first.bytes().any(|byte| byte.is_ascii_alphabetic());
    is_word && !is_nobody(first) && !intent.names(first) && !parts.any(|part| intent.names(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_named_or_not() {
        assert!(NOBODY.is_sorted());
        let intent = IntentWords::new("Show the visits of patient Lang");
        for (key, value, unnamed) in [
            ("patient", "lang, eva\n", false),
            ("patient", "the mayor\nof lang\n", true),
            ("employee_name", "k.ahmed\n", true),
            ("patient", "7042\n", false),
            ("patient", "me\n", false),
            ("title", "mayor\n", false),
        ] {
            assert_eq!(is_unnamed(key, value, &intent), unnamed, "{value}");
        }
    }
}
