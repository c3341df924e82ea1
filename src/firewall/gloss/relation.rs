//! How an action and the intent of its run hang together: which hosts, addresses, tables, files and
//! sums of the action the intent names.
//!
//! Where there is no intent, or one in a language that is not read, nothing counts as unnamed but
//! hosts and mail addresses.

use super::view::head;
use crate::embed::fold;
use crate::firewall::text::Action;
use regex::bytes::{RegexSet, RegexSetBuilder};
use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::OnceLock;

/// Words of an intent that are looked at.
const INTENT_WORDS: usize = 1000;

/// Bytes of a text whose words are compared with the intent's.
const TEXT: usize = 16 << 10;

/// Hosts, files and addresses that are compared with the intent.
const NAMES: usize = 64;

/// Words that say nothing of what an intent is about.
const STOP: &[&str] = &[
    "a", "about", "all", "an", "and", "are", "as", "at", "be", "by", "can", "for", "from", "had",
    "has", "have", "her", "his", "how", "i", "in", "into", "is", "it", "its", "me", "my", "new",
    "not", "of", "on", "or", "our", "out", "please", "so", "that", "the", "their", "them", "then",
    "this", "to", "up", "was", "we", "were", "what", "which", "who", "with", "you", "your",
];

/// Words that nearly every English intent has one of.
const ENGLISH: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "are", "at", "be", "before", "by", "do", "for",
    "from", "had", "has", "have", "how", "if", "in", "is", "it", "last", "me", "my", "next", "no",
    "not", "of", "on", "or", "our", "that", "the", "this", "to", "was", "what", "when", "which",
    "will", "with", "you",
];

/// Words of other languages that are none of English.
const FOREIGN: &[&str] = &[
    "al", "att", "auf", "aus", "bei", "bir", "che", "con", "dans", "das", "de", "del", "della",
    "dem", "der", "des", "di", "du", "een", "ein", "eine", "el", "est", "et", "ett", "gli", "het",
    "il", "la", "las", "le", "les", "los", "mit", "na", "nach", "nel", "nie", "och", "og", "para",
    "por", "pour", "som", "sur", "til", "um", "uma", "und", "ve", "voor", "zum", "zur",
];

/// Parts of hosts and paths that name nothing.
const COMMON: &[&str] = &[
    "api", "app", "cloud", "co", "com", "corp", "data", "dev", "etc", "example", "home", "host",
    "http", "https", "inc", "internal", "io", "local", "ltd", "mail", "mnt", "net", "opt", "org",
    "root", "s3", "server", "site", "srv", "test", "tmp", "users", "usr", "var", "web", "www",
];

/// Words of tools' names that say what is done and not to what.
const VERBS: &[&str] = &[
    "add", "api", "call", "create", "delete", "execute", "find", "get", "list", "mcp", "patch",
    "post", "put", "read", "remove", "run", "search", "send", "set", "tool", "update", "write",
];

/// Words of SQL that a table's name follows.
const BEFORE_TABLES: &[&str] = &[
    "alter", "from", "into", "join", "on", "table", "truncate", "update",
];

/// A set of bytes, to tell soon what cannot be there.
#[derive(Clone, Copy, Debug, Default)]
struct Bytes([u64; 4]);

impl Bytes {
    fn holds(self, byte: u8) -> bool {
        let word = self.0.get(usize::from(byte / 64));
        word.is_some_and(|word| word >> (byte % 64) & 1 == 1)
    }
}

impl FromIterator<u8> for Bytes {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Bytes::default();
        for byte in bytes {
            if let Some(word) = set.0.get_mut(usize::from(byte / 64)) {
                *word |= 1 << (byte % 64);
            }
        }
        set
    }
}

/// The words of an intent.
#[derive(Debug, Default)]
pub struct IntentWords {
    words: BTreeSet<String>,
    /// Whether one of them is a number.
    numbers: bool,
    /// Bytes that its words begin with.
    first: Bytes,
    english: bool,
    /// Its sums without separators and decimals.
    sums: BTreeSet<String>,
    /// Its beginning in lower case.
    text: String,
}

impl IntentWords {
    /// The words of an intent, and what is left of them without their endings.
    pub fn new(intent: &str) -> IntentWords {
        let lower = fold(intent).to_ascii_lowercase();
        let all = || words(&lower).take(INTENT_WORDS);
        let kept = all().filter(|word| word.len() >= 2 && STOP.binary_search(word).is_err());
        let words: BTreeSet<String> = kept
            .flat_map(|w| [w.to_owned(), stem(w).to_owned()])
            .collect();
        IntentWords {
            numbers: words.iter().any(|w| w.bytes().all(|b| b.is_ascii_digit())),
            first: words.iter().filter_map(|w| w.bytes().next()).collect(),
            words,
            sums: sums(head(&lower, TEXT)).collect(),
            text: head(&lower, TEXT).to_owned(),
            english: is_english(intent, all()),
        }
    }

    /// Whether it is in the language that the table's patterns read.
    pub fn is_english(&self) -> bool {
        self.english
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether a word begins as one of the intent's does.
    fn may_hold(&self, word: &str) -> bool {
        word.bytes().next().is_some_and(|b| self.first.holds(b))
    }

    fn holds(&self, word: &str) -> bool {
        if !self.may_hold(word) {
            return false;
        }
        self.words.contains(word) || self.words.contains(stem(word))
    }

    /// Whether it holds a word, or one of four letters and more that begins it or that it begins.
    fn names(&self, word: &str) -> bool {
        if word.len() < 2 || COMMON.binary_search(&word).is_ok() {
            return false;
        }
        if self.holds(word) {
            return true;
        }
        if word.len() < 4 {
            return false;
        }
        let mut longer = self
            .words
            .range::<str, _>((Bound::Included(word), Bound::Unbounded));
        longer.next().is_some_and(|w| w.starts_with(word))
            || (4..word.len()).any(|end| self.words.contains(&word[..end]))
    }

    fn names_any(&self, text: &str) -> bool {
        words(head(text, 256)).any(|word| self.names(word))
    }
}

/// Whether an intent is English, as far as its words tell.
fn is_english<'w>(intent: &str, words: impl Iterator<Item = &'w str>) -> bool {
    let mut foreign = !intent.is_ascii();
    for word in words {
        if ENGLISH.binary_search(&word).is_ok() {
            return true;
        }
        foreign |= FOREIGN.binary_search(&word).is_ok();
    }
    !foreign
}

/// The words of a text in lower case: letters and digits in a row.
fn words(text: &str) -> impl Iterator<Item = &str> {
    // No byte of another character is an ASCII letter or digit.
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric();
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.as_bytes().get(at..)?;
        let start = at + rest.iter().position(is_part)?;
        let rest = text.as_bytes().get(start..)?;
        at = start + rest.iter().position(|b| !is_part(b)).unwrap_or(rest.len());
        text.get(start..at)
    })
}

fn stem(word: &str) -> &str {
    let endings = ["ing", "ies", "ed", "es", "s", "y"].iter();
    let mut stems = endings.filter_map(|end| word.strip_suffix(end));
    stems.find(|stem| stem.len() >= 3).unwrap_or(word)
}

/// Kinds of hosts.
fn host_kinds() -> &'static RegexSet {
    const LOCAL: &str = r"^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0$|localhost$|\[::1\]$|host\.docker)";
    const ADDRESS: &str = r"^[\d.]+$|^\[";
    const INTERNAL: &str = r"(^|[.-])(internal|intranet|corp|local|lan|localdomain|svc|cluster|company|ourcompany|acme|mycompany|home|priv|private)([.-]|$)|^[a-z0-9-]+$";
    const KNOWN: &str = r"(^|\.)(github\.com|githubusercontent\.com|pypi\.org|pythonhosted\.org|npmjs\.(com|org)|crates\.io|debian\.org|ubuntu\.com|docker\.(com|io)|python\.org|rust-lang\.org|golang\.org|go\.dev|mozilla\.org|wikipedia\.org|google(apis)?\.com|stackoverflow\.com|microsoft\.com|nodejs\.org|gitlab\.com|w3\.org|apache\.org|rustup\.rs|astral\.sh|bun\.sh|deno\.land|helm\.sh|k3s\.io|nixos\.org|nodesource\.com|ollama\.com|pnpm\.io|pyenv\.run|python-poetry\.org|sdkman\.io|starship\.rs|tailscale\.com|volta\.sh)$";
    static KINDS: OnceLock<RegexSet> = OnceLock::new();
    KINDS.get_or_init(|| {
        let mut set = RegexSetBuilder::new([LOCAL, ADDRESS, INTERNAL, KNOWN]);
        set.unicode(false)
            .build()
            .unwrap_or_else(|_| RegexSet::empty())
    })
}

/// The signs of how an action and an intent hang together. `tool` is the line of the tool's name, `text` the action's text with copies
/// of the intent blanked, `view` its plain view.
pub fn signs(
    action: &Action<'_>,
    tool: &str,
    text: &str,
    view: &str,
    intent: &IntentWords,
    found: &mut impl FnMut(&str),
) {
    hosts(action, intent, found);
    addresses(view, intent, found);
    if intent.is_empty() {
        return;
    }
    topic(action.tool, text, intent, found);
    amounts(view, intent, found);
    if !intent.is_english() {
        return;
    }
    for path in action.facets.deletes.iter().take(NAMES) {
        let named = intent.names_any(&path.to_ascii_lowercase());
        found(if named {
            "deletes_named"
        } else {
            "deletes_unnamed"
        });
    }
    tables(view, intent, found);
    let mut objects =
        words(tool).filter(|word| word.len() > 2 && VERBS.binary_search(word).is_err());
    if let Some(first) = objects.next()
        && !intent.names(first)
        && !objects.any(|word| intent.names(word))
    {
        found("object_unnamed");
    }
}

fn hosts(action: &Action<'_>, intent: &IntentWords, found: &mut impl FnMut(&str)) {
    for host in action.facets.hosts.iter().take(NAMES) {
        let kinds = host_kinds().matches(host.as_bytes());
        let is = |kind| kinds.matched(kind);
        if is(0) {
            found("host_local");
            continue;
        }
        found("host_any");
        if intent.text.contains(&**host) {
            found("host_named");
        } else if is(1) {
            found("host_ip");
        } else if is(2) {
            found("host_internal");
        } else if !is(3) {
            let named = intent.names_any(host);
            found(if named { "host_named" } else { "host_unnamed" });
        }
    }
}

/// Mail addresses: a name, `@`, and a domain.
fn addresses(view: &str, intent: &IntentWords, found: &mut impl FnMut(&str)) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    for (at, _) in view.match_indices('@').take(NAMES) {
        let (before, after) = (&view[..at], &view[at + 1..]);
        let name = before
            .rfind(|c| !is_part(c) && c != '*')
            .map_or(before, |i| {
                let next = before[i..].chars().next().map_or(1, char::len_utf8);
                &before[i + next..]
            });
        let domain = after
            .find(|c| !is_part(c))
            .map_or(after, |end| &after[..end]);
        let domain = domain.trim_end_matches('.');
        if name.is_empty() || !domain.contains('.') {
            continue;
        }
        if intent.names_any(name) || intent.names_any(domain) {
            found("mail_named");
        } else if host_kinds().matches(domain.as_bytes()).matched(2) {
            found("mail_internal");
        } else {
            found("mail_unnamed");
        }
    }
}

/// Whether words of the intent stand in the action.
fn topic(tool: &str, text: &str, intent: &IntentWords, found: &mut impl FnMut(&str)) {
    let lower = head(text, TEXT).to_ascii_lowercase();
    let tool = tool.to_ascii_lowercase();
    let mut met: [&str; 1] = [""];
    let mut many = false;
    for word in words(&tool).chain(words(&lower)) {
        if !intent.may_hold(word) {
            continue;
        }
        let has_digit = word.bytes().any(|b| b.is_ascii_digit());
        if !has_digit && word.len() < 4 || !intent.holds(word) {
            continue;
        }
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        if has_digit && (digits > 1 || digits == word.len()) && intent.words.contains(word) {
            found("named_number");
        }
        if word.len() > 3 {
            many |= !met[0].is_empty() && met[0] != word;
            met[0] = word;
        }
    }
    if many {
        found("named_thing");
    }
}

/// Whether sums of money are among the intent's numbers.
fn amounts(view: &str, intent: &IntentWords, found: &mut impl FnMut(&str)) {
    if intent.numbers {
        found("amount_asked");
    }
    let mut any = false;
    for at in memchr::memchr_iter(b'\x02', view.as_bytes()) {
        let line = &view[at + 1..];
        let Some(end) = memchr::memchr2(b'=', b'\x02', line.as_bytes()) else {
            break;
        };
        let (key, value) = line.split_at(end);
        if !value.starts_with('=') || !is_sum(key) {
            continue;
        }
        let value = &value[1..];
        let value = &value[..memchr::memchr(b'\x02', value.as_bytes()).unwrap_or(value.len())];
        any = true;
        let mut numbers = sums(head(value, 64));
        if numbers.any(|sum| intent.sums.contains(&sum) || intent.words.contains(&sum)) {
            return;
        }
    }
    if any {
        found("amount_unnamed");
    }
}

/// The whole parts of a text's numbers: `1,200`, `1.200,00` and `1200.0` are one sum. After a
/// separator three digits are thousands, and others decimals.
fn sums(text: &str) -> impl Iterator<Item = String> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.' | '\'' | '_');
    let runs = text.split(move |c| !is_part(c));
    runs.filter_map(|run| {
        let mut groups = run.split(|c: char| !c.is_ascii_digit());
        let mut sum = groups.find(|g| !g.is_empty())?.to_owned();
        for group in groups.take_while(|group| group.len() == 3) {
            sum.push_str(group);
        }
        Some(sum)
    })
}

/// Whether a key names a sum of money.
fn is_sum(key: &str) -> bool {
    let key = key.as_bytes();
    key.iter().enumerate().any(|(at, first)| {
        let sums: &[&str] = match first {
            b'a' => &["amount"],
            b't' => &["total"],
            b'p' => &["price"],
            b's' => &["sum"],
            b'v' => &["value"],
            b'u' => &["usd"],
            b'e' => &["eur"],
            _ => &[],
        };
        let here = key.get(at..).unwrap_or_default();
        sums.iter().any(|sum| here.starts_with(sum.as_bytes()))
    })
}

/// Whether any table of the statements is named in the intent.
fn tables(view: &str, intent: &IntentWords, found: &mut impl FnMut(&str)) {
    let mut any = false;
    let statements = view.split('\x07').skip(1);
    for statement in statements.filter_map(|rest| rest.lines().next()) {
        let mut expected = false;
        for word in statement.split_whitespace().take(2000) {
            if BEFORE_TABLES.binary_search(&word).is_ok() {
                expected = true;
            } else if expected && !matches!(word, "if" | "exists" | "only" | "not") {
                expected = false;
                any = true;
                if intent.names_any(word) {
                    return;
                }
            }
        }
    }
    if any {
        found("table_unnamed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [STOP, ENGLISH, FOREIGN, COMMON, VERBS, BEFORE_TABLES] {
            assert!(list.is_sorted(), "{list:?}");
        }
        assert_eq!(host_kinds().len(), 4);
    }

    #[test]
    fn words_are_named_in_their_forms() {
        let intent = IntentWords::new("Refund the customers of order 5531 at Lisbonne");
        assert!(intent.is_english());
        for (word, named) in [
            ("customer", true),
            ("orders", true),
            ("5531", true),
            ("lisbon", true),
            ("refunding", true),
            ("the", false),
            ("553", false),
            ("example", false),
        ] {
            assert_eq!(intent.names(word), named, "{word}");
        }
        assert!(!IntentWords::new("Verleng de reservering").is_english());
    }

    #[test]
    fn a_sum_is_one_however_it_is_written() {
        for text in ["1,200 euros", "1.200,00", "1200.0", "1'200.", "$1_200"] {
            assert_eq!(sums(text).collect::<Vec<_>>(), ["1200"], "{text}");
        }
        assert_eq!(sums("20.50 and 5").collect::<Vec<_>>(), ["20", "5"]);
    }

    #[test]
    fn addresses_are_found_in_text() {
        let intent = IntentWords::new("Write to Dana");
        let mut signs = Vec::new();
        addresses(
            "\x02to=dana@corp.example\n\x02cc=<x.y@far.example>, z@corp.internal, @ a@b",
            &intent,
            &mut |sign| signs.push(sign.to_owned()),
        );
        assert_eq!(signs, ["mail_named", "mail_unnamed", "mail_internal"]);
    }
}
