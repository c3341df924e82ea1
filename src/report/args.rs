//! Arguments of calls, where the audit was asked to show them: secrets masked, then cut.
//!
//! A secret is known by its name (`names`), by its shape (`shapes`), or by its place in a command
//! (`words`). Arguments are looked at as the values they are: strings decoded, JSON inside strings
//! read, keys and the elements of a list seen together. All of it is linear in the text.

mod assigned;
mod fold;
mod names;
mod programs;
mod quotes;
mod shapes;
mod words;

use crate::trace::json::{self, Json};
use fold::Folded;
use std::ops::Range;
use words::Words;

/// Most characters shown of a call's arguments.
pub const SHOWN: usize = 200;

/// What stands where a secret was.
pub const MASK: &str = "[masked]";

/// How deep JSON inside strings of JSON is read; what is deeper is looked at as text.
const MOST_NESTED: usize = 4;

/// Shortest word of a text that may give a secret away, in bytes.
const TELLING: usize = 4;

/// Finds secrets in arguments. Made once a report: it compiles a regex for every shape.
#[derive(Debug)]
pub struct Secrets {
    shapes: shapes::Shapes,
    assigned: assigned::Assigned,
}

impl Default for Secrets {
    fn default() -> Self {
        Secrets::new()
    }
}

impl Secrets {
    /// Compiles the shapes.
    pub fn new() -> Self {
        Secrets {
            shapes: shapes::Shapes::new(),
            assigned: assigned::Assigned::new(),
        }
    }

    /// The arguments with secrets masked, at most [`SHOWN`] characters of them, with `…` where there
    /// was more. Hidden characters stay: the format escapes them its own way.
    pub fn shown(&self, args_json: &str) -> String {
        cut(self.arguments(args_json).0)
    }

    /// The text that was made of the arguments, masked and cut like these. Absent where it still
    /// holds a word of a secret of theirs, such as the value of a key `password`: the text has no
    /// keys, and copies of the intent are gone from it.
    pub fn shown_text(&self, text: &str, args_json: &str) -> Option<String> {
        let found = self.arguments(args_json).1;
        let masked = self
            .masked(text, &mut Vec::new())
            .unwrap_or(text.to_owned());
        (!gives_away(&masked, &found)).then(|| cut(masked))
    }

    /// The arguments with secrets masked, and the secrets.
    fn arguments(&self, args_json: &str) -> (String, Vec<String>) {
        let mut walk = Walk {
            secrets: self,
            found: Vec::new(),
        };
        let masked = match json::parse(args_json.as_bytes()) {
            Ok(mut args) => {
                walk.value(&mut args, 0);
                (!walk.found.is_empty()).then(|| args.to_compact())
            }
            Err(_) => self.masked(args_json, &mut walk.found),
        };
        (masked.unwrap_or_else(|| args_json.to_owned()), walk.found)
    }

    /// The text with secrets masked; absent where it has none. Adds them to `secrets`.
    fn masked(&self, text: &str, secrets: &mut Vec<String>) -> Option<String> {
        let folded = Folded::new(text);
        let mut found = Vec::new();
        self.shapes.find(&folded.text, &mut found);
        self.assigned.find(&folded.text, &mut found);
        words::find(&folded.text, &mut found);
        let places = found.into_iter().map(|piece| folded.place(piece));
        mask(text, places.collect(), secrets)
    }
}

/// The text with these places masked; absent where there are none. Adds what stood there to
/// `secrets`.
fn mask(text: &str, mut places: Vec<Range<usize>>, secrets: &mut Vec<String>) -> Option<String> {
    places.retain(|place| !place.is_empty());
    places.sort_by_key(|place| (place.start, place.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for place in places {
        match merged.last_mut() {
            Some(last) if place.start < last.end => last.end = last.end.max(place.end),
            _ => merged.push(place),
        }
    }
    if merged.is_empty() {
        return None;
    }
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for place in merged {
        out.push_str(text.get(end..place.start)?);
        out.push_str(MASK);
        end = place.end;
        secrets.push(text.get(place)?.to_owned());
    }
    out.push_str(text.get(end..)?);
    Some(out)
}

/// Whether a masked text still holds one of the secrets or a word of it.
fn gives_away(masked: &str, secrets: &[String]) -> bool {
    let apart = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '[' | ']' | ',' | '\\');
    let words = || {
        let words = masked.split(MASK).flat_map(|part| part.split(apart));
        words.filter(|word| word.len() >= TELLING)
    };
    secrets.iter().any(|secret| {
        let whole = masked.split(MASK).any(|part| part.contains(&**secret));
        whole || words().any(|word| secret.contains(word))
    })
}

/// A walk through arguments.
struct Walk<'s> {
    secrets: &'s Secrets,
    found: Vec<String>,
}

impl Walk<'_> {
    /// Masks the secrets in a value that has no name of its own. `nested` counts the strings around
    /// it that were JSON.
    fn value(&mut self, value: &mut Json<'_>, nested: usize) {
        match value {
            Json::String(text) => {
                if let Some(masked) = self.string(&text.text, nested) {
                    text.text = masked.into();
                }
            }
            Json::Array(items) => self.array(items, nested),
            Json::Object(members) => {
                let named = members.iter().any(|(key, value)| {
                    let name = value.as_str().unwrap_or_default();
                    names::names_another(&key.text) && names::is_secret(name)
                });
                for (key, value) in members {
                    if names::is_secret(&key.text) || (named && names::is_named(&key.text)) {
                        self.hide(value);
                    } else {
                        self.value(value, nested);
                    }
                    if let Some(masked) = self.secrets.masked(&key.text, &mut self.found) {
                        key.text = masked.into();
                    }
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

    /// A list may be a command line cut into words, or a name and its value.
    fn array(&mut self, items: &mut [Json<'_>], nested: usize) {
        let pair = matches!(items, [Json::String(name), _] if names::is_secret(&name.text) && !name.text.starts_with('-'));
        let mut words = Words::default();
        for (at, item) in items.iter_mut().enumerate() {
            if pair && at == 1 {
                self.hide(item);
                continue;
            }
            let mut places = Vec::new();
            if let Json::String(text) = item {
                words.take(&text.text, 0, &mut places);
                // What was printed before stands in another element.
                places.retain(|place| text.text.get(place.clone()).is_some());
                if let Some(masked) = mask(&text.text, places, &mut self.found) {
                    text.text = masked.into();
                    continue;
                }
            }
            self.value(item, nested);
        }
    }

    /// The string with secrets masked; absent where it has none.
    fn string(&mut self, text: &str, nested: usize) -> Option<String> {
        if nested < MOST_NESTED
            && text.trim_start().starts_with(['{', '[', '"'])
            && let Ok(mut inner) = json::parse(text.as_bytes())
        {
            let before = self.found.len();
            self.value(&mut inner, nested + 1);
            return (self.found.len() > before).then(|| inner.to_compact());
        }
        self.secrets.masked(text, &mut self.found)
    }

    /// Masks whatever a value says.
    fn hide(&mut self, value: &mut Json<'_>) {
        let secret = match value {
            Json::Null | Json::Bool(_) => return,
            Json::Array(items) => return items.iter_mut().for_each(|item| self.hide(item)),
            Json::Object(members) => {
                return members.iter_mut().for_each(|(_, value)| self.hide(value));
            }
            Json::Number(number) => (*number).to_owned(),
            Json::String(text) => text.text.clone().into_owned(),
        };
        if !assigned::is_nothing(&secret) {
            self.found.push(secret);
            *value = Json::from(MASK.to_owned());
        }
    }
}

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked() {
        let secrets = Secrets::new();
        let key = "AbCdEfGhIjKlMnOpQrSt0123456789";
        for text in [
            format!(r#"{{"k":"x\nAKIA{}"}}"#, "ABCDEFGHIJKLMNOP"),
            format!(r#"{{"k":"ghp_{key}"}}"#),
            format!(r#"{{"k":"sk-proj-{key}"}}"#),
            format!(r#"{{"k":"xoxb-1234-{key}"}}"#),
            format!(r#"{{"h":"Authorization: Bearer {key}"}}"#),
            format!(r#"{{"h":"Authorization: Basic {key}=="}}"#),
            format!(r#"{{"u":"postgres://bob:{key}@db/x"}}"#),
            format!(r#"{{"password":"a\"b{key}","n":1}}"#),
            format!(r#"{{"c":"curl -d password={key}&x=1"}}"#),
            format!(r#"{{"c":"login --password {key} --now"}}"#),
            format!(r#"{{"c":"echo '{{\"api_key\": \"{key}\"}}'"}}"#),
            format!(r#"{{"AWS_SECRET_ACCESS_KEY":"{key}/x+y"}}"#),
            format!(r#"{{"secrets":["{key}","{key}"]}}"#),
            format!(r#"{{"token": "{key}"}}"#),
            format!(r"-----BEGIN RSA PRIVATE KEY-----\n{key}\n-----END RSA PRIVATE KEY-----"),
            format!(r"-----BEGIN OPENSSH PRIVATE KEY-----\n{key}"),
        ] {
            let shown = secrets.shown(&text);
            assert!(shown.contains(MASK), "{shown}");
            assert!(!shown.contains("GhIjKl"), "{shown}");
            assert!(!shown.contains("EFGHIJ"), "{shown}");
        }
    }

    #[test]
    fn ordinary_arguments_stay() {
        for text in [
            r#"{"query":"select 1","max_tokens":500}"#,
            r#"{"path":"/tmp/passwords.txt","url":"https://example.org:8080/a"}"#,
            r#"{"author":"bob","to":"a@example.org"}"#,
            "{}",
        ] {
            assert_eq!(Secrets::new().shown(text), text);
        }
    }

    #[test]
    fn a_secret_that_only_its_key_tells_is_not_shown_without_the_key() {
        let secrets = Secrets::new();
        let key = format!("ghp_{}", "a".repeat(30));
        let told = |text: &str, args: &str| secrets.shown_text(text, args);
        assert_eq!(told("login hunter2", r#"{"password":"hunter2"}"#), None);
        let shown = told(&format!("push {key}"), &format!(r#"{{"c":"push {key}"}}"#));
        assert_eq!(shown.as_deref(), Some("push [masked]"));
        assert_eq!(told("ls a", r#"{"c":"ls a"}"#).as_deref(), Some("ls a"));
    }

    #[test]
    fn masking_comes_before_cutting() {
        let text = format!("{}sk-{}", "é".repeat(190), "a".repeat(40));
        let shown = Secrets::new().shown(&text);
        assert_eq!(shown, format!("{}{MASK}", "é".repeat(190)));
        let long = Secrets::new().shown(&"é".repeat(300));
        assert_eq!(long, format!("{}…", "é".repeat(200)));
    }
}
