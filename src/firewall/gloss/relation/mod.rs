//! How an action and the intent of its run hang together: which hosts, addresses, tables, files and
//! sums of the action the intent names.
//!
//! Where there is no intent, or one in a language that is not read, nothing counts as unnamed but
//! hosts and mail addresses.

mod amounts;
mod domains;
mod hosts;
mod language;
mod networks;
mod persons;
mod recipients;
mod tables;
mod words;

use super::coded::Coded;
use super::view::head;
use crate::firewall::text::Action;
use amounts::Amounts;
pub use language::is_english;
use recipients::Recipients;
pub use words::{IntentWords, STOP};
use words::{TEXT, words};

/// Hosts, files and addresses that are compared with the intent.
const NAMES: usize = 64;

/// Words that are held against the beginnings of the intent's.
const ALIKE: usize = 100;

/// Words of tools' names that say what is done and not to what.
const VERBS: &[&str] = &[
    "add", "api", "call", "create", "delete", "execute", "find", "get", "list", "mcp", "patch",
    "post", "put", "read", "remove", "run", "search", "send", "set", "tool", "update", "write",
];

/// What a tool's name says of what a call is about.
#[derive(Debug)]
pub struct ToolWords {
    /// The name in lower case.
    name: String,
    /// The words of it that say to what something is done.
    objects: Vec<String>,
    /// Those of its last part, where it has several: of `shop.create_coupon` those of `create_coupon`.
    act: Vec<String>,
    /// Whether that part is one word.
    is_bare: bool,
    /// Whether it tells of the rules of a firewall.
    lets_in: bool,
}

impl ToolWords {
    /// What a name says, by its line in the view and that of its last part; the latter is empty where
    /// it has but one.
    pub fn new(name: &str, line: &str, act: &str) -> ToolWords {
        let tells = |word: &&str| word.len() > 2 && VERBS.binary_search(word).is_err();
        let objects = |line| words(line).filter(tells).map(str::to_owned).collect();
        let mut parts = words(act);
        let first = parts.next();
        ToolWords {
            name: name.to_ascii_lowercase(),
            objects: objects(line),
            act: objects(act),
            is_bare: first.is_some_and(|first| parts.all(|part| part == first)),
            lets_in: line.contains("security group ingress"),
        }
    }
}

/// The signs of how an action and an intent hang together. `tool` is what the tool's name says, `text`
/// the action's text with copies of the intent blanked, `view` its plain view.
pub fn signs(
    action: &Action<'_>,
    tool: &ToolWords,
    text: &str,
    view: &str,
    intent: &IntentWords,
    found: &mut impl FnMut(Coded),
) {
    hosts::hosts(action, intent, found);
    hosts::addresses(view, intent, found);
    networks::networks(action, tool.lets_in, intent, found);
    if intent.is_empty() {
        return;
    }
    // What was blanked was the intent's.
    if text != action.text {
        found(Coded::WordShared);
    }
    topic(&tool.name, text, intent, found);
    arguments(view, intent, found);
    if !intent.is_english() {
        return;
    }
    for path in action.facets.deletes.iter().take(NAMES) {
        let named = intent.names_any(&path.to_ascii_lowercase());
        found(if named {
            Coded::DeletesNamed
        } else {
            Coded::DeletesUnnamed
        });
    }
    tables::tables(view, intent, found);
    for (objects, sign) in [
        (&tool.objects, Coded::ObjectUnnamed),
        (&tool.act, Coded::ActUnnamed),
    ] {
        if !objects.is_empty() && !objects.iter().any(|word| intent.names(word)) {
            found(sign);
        }
    }
    if tool.is_bare {
        found(Coded::ActBare);
    }
}

/// The signs of arguments: sums of money, recipients and persons.
fn arguments(view: &str, intent: &IntentWords, found: &mut impl FnMut(Coded)) {
    if intent.numbers {
        found(Coded::AmountAsked);
    }
    let (mut sums, mut recipients) = (Amounts::default(), Recipients::default());
    let mut unnamed = false;
    let mut rest = view;
    while let Some(at) = memchr::memchr(b'\x02', rest.as_bytes()) {
        rest = &rest[at + 1..];
        let Some(end) = memchr::memchr2(b'=', b'\x02', rest.as_bytes()) else {
            break;
        };
        let (key, value) = rest.split_at(end);
        let Some(value) = value.strip_prefix('=') else {
            continue;
        };
        let end = memchr::memchr(b'\x02', value.as_bytes()).unwrap_or(value.len());
        let value = &value[..end];
        sums.see(key, value, intent);
        recipients.see(key, value, intent);
        unnamed = unnamed || intent.is_english() && persons::is_unnamed(key, value, intent);
    }
    sums.tell(intent, found);
    recipients.tell(found);
    if unnamed {
        found(Coded::PersonUnnamed);
    }
}

/// Whether words of the intent stand in the action; `tool` is the tool's name in lower case.
fn topic(tool: &str, text: &str, intent: &IntentWords, found: &mut impl FnMut(Coded)) {
    let lower = head(text, TEXT).to_ascii_lowercase();
    let mut met = "";
    let (mut many, mut any, mut alike) = (false, false, false);
    for (at, word) in words(tool).chain(words(&lower)).enumerate() {
        if !intent.may_hold(word) {
            continue;
        }
        let has_digit = word.bytes().any(|b| b.is_ascii_digit());
        if !has_digit && word.len() < 4 || !intent.holds(word) {
            // Only where no word is the same do those count that begin alike.
            alike = alike || !any && at < ALIKE && word.len() > 3 && intent.names(word);
            continue;
        }
        any = true;
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        if has_digit && (digits > 1 || digits == word.len()) && intent.words.contains(word) {
            found(Coded::NamedNumber);
        }
        if word.len() > 3 {
            many |= !met.is_empty() && met != word;
            met = word;
        }
    }
    if many {
        found(Coded::NamedThing);
    }
    if any || alike {
        found(Coded::WordShared);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_sorted() {
        assert!(VERBS.is_sorted());
    }
}
