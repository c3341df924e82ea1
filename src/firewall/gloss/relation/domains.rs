//! Domains: whose a host is, and which hosts an intent names.
//!
//! A host is named where the intent names it, or another of the domain that was registered with it, or
//! where one word of the intent is the whole name of that domain: `files.acme.com` by `acme.com` and by
//! "Acme", and neither `acme-files.com` nor `acme.files.com`. There is no list of all suffixes below
//! which domains are registered; those that are met most are known.

use super::words::words;
use std::collections::BTreeSet;

/// Labels that countries have domains registered below: `co` of `acme.co.uk`.
const SECOND: &[&str] = &[
    "ac", "co", "com", "edu", "gob", "gov", "ne", "net", "or", "org",
];

/// Services below whose domains everybody has hosts of their own.
const SHARED: &[&str] = &[
    "amazonaws.com",
    "appspot.com",
    "azurewebsites.net",
    "blogspot.com",
    "firebaseapp.com",
    "fly.dev",
    "github.io",
    "gitlab.io",
    "herokuapp.com",
    "myshopify.com",
    "netlify.app",
    "ngrok.app",
    "ngrok.io",
    "onrender.com",
    "pages.dev",
    "trycloudflare.com",
    "vercel.app",
    "web.app",
    "windows.net",
    "wordpress.com",
    "workers.dev",
];

/// Providers below whose domains everybody has a mail address.
const MAIL: &[&str] = &[
    "163.com",
    "aol.com",
    "free.fr",
    "gmail.com",
    "gmx.com",
    "gmx.de",
    "gmx.net",
    "googlemail.com",
    "hotmail.com",
    "icloud.com",
    "libero.it",
    "live.com",
    "mail.com",
    "mail.ru",
    "o2.pl",
    "orange.fr",
    "outlook.com",
    "proton.me",
    "protonmail.com",
    "qq.com",
    "t-online.de",
    "web.de",
    "wp.pl",
    "yahoo.com",
    "yandex.ru",
];

/// Names that a host is held against.
const MOST: usize = 64;

/// Letters that a name has at least for others to be called like it.
const ALIKE: usize = 4;

/// The domain that was registered with a host: its last two labels, or three where the last two are
/// a suffix that is known. A host of fewer labels is its own.
pub(super) fn registered(host: &str) -> &str {
    let last = |host: &str, labels: usize| {
        let mut dots = host.rmatch_indices('.').skip(labels - 1);
        dots.next().map_or(0, |(at, _)| at + 1)
    };
    let two = &host[last(host, 2)..];
    let (name, top) = two.split_once('.').unwrap_or((two, ""));
    let is_suffix =
        top.len() == 2 && SECOND.binary_search(&name).is_ok() || SHARED.binary_search(&two).is_ok();
    match is_suffix {
        true => &host[last(host, 3)..],
        false => two,
    }
}

/// The name of the domain that was registered with a host: `acme` of `files.acme.co.uk`.
pub(super) fn name(host: &str) -> &str {
    let own = registered(host);
    own.split_once('.').map_or(own, |(name, _)| name)
}

/// The hosts that an intent names.
#[derive(Debug, Default)]
pub(super) struct Domains {
    hosts: BTreeSet<String>,
    /// The domains that were registered with them.
    registered: BTreeSet<String>,
    /// The names of those.
    names: BTreeSet<String>,
    /// Mail addresses.
    addresses: BTreeSet<String>,
    /// The words of the persons' names before mail addresses' signs.
    persons: BTreeSet<String>,
}

impl Domains {
    /// Those of a text in lower case: what has letters or digits on both sides of a dot, domains of mail
    /// addresses among them.
    pub(super) fn new(text: &str) -> Domains {
        let mut all = Domains::default();
        let is_part =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '@');
        for run in text.split(|c| !is_part(c)) {
            let run = run.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            let (person, host) = run.rsplit_once('@').unwrap_or(("", run));
            if !person.is_empty() {
                all.persons.extend(words(person).map(str::to_owned));
                all.addresses.insert(run.to_owned());
            }
            if !host.contains('.') || host.contains(['_', '+']) {
                continue;
            }
            if !is_address(host) {
                all.registered.insert(registered(host).to_owned());
                all.names.insert(name(host).to_owned());
            }
            all.hosts.insert(host.to_owned());
        }
        all
    }

    /// Whether a host, or another of the domain that was registered with it, is among them.
    pub(super) fn has(&self, host: &str) -> bool {
        self.hosts.contains(host) || !is_address(host) && self.registered.contains(registered(host))
    }

    /// Whether a mail address is among them, or another of its domain where not everybody has one
    /// there.
    pub(super) fn has_address(&self, name: &str, domain: &str) -> bool {
        let is_shared = || MAIL.binary_search(&registered(domain)).is_ok();
        let is_whole = || self.addresses.contains(&format!("{name}@{domain}"));
        self.has(domain) && (!is_shared() || is_whole())
    }

    /// Whether one of them has a domain of this name.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether a mail address is theirs whose person's name has this word, or one that begins like it.
    pub(super) fn has_person(&self, word: &str) -> bool {
        let is_like = |person: &String| person.starts_with(word) || word.starts_with(&**person);
        self.persons.contains(word) || self.persons.iter().take(MOST).any(is_like)
    }

    /// Whether the name of a host's domain looks like that of one of these: but for an ending, a word
    /// before or behind it, digits for letters, or a letter more, less or other.
    pub(super) fn is_like(&self, host: &str) -> bool {
        let own = name(host);
        let names = self.names.iter().take(MOST);
        let mut names = names.filter(|name| name.len() >= ALIKE);
        names.any(|name| {
            own == name
                || own.split('-').any(|part| part == name)
                || host.split('.').any(|label| label == name)
                || plain(own).eq(plain(name))
                || name.len() > ALIKE && differ_by_one(own.as_bytes(), name.as_bytes())
        })
    }
}

/// Whether a host is an address of four numbers, or looks like one.
pub(super) fn is_address(host: &str) -> bool {
    host.bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// The letters of a name, digits that look like letters as those.
fn plain(name: &str) -> impl Iterator<Item = char> {
    let letters = name.chars().filter(|c| *c != '-');
    letters.map(|c| match c {
        '0' => 'o',
        '1' | 'i' => 'l',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        '8' => 'b',
        c => c,
    })
}

/// Whether one letter put in, left out or replaced makes one name of the other, or two that are
/// swapped.
fn differ_by_one(a: &[u8], b: &[u8]) -> bool {
    let same = |(x, y): &(&u8, &u8)| x == y;
    let head = a.iter().zip(b).take_while(same).count();
    let left = a.len().min(b.len()) - head;
    let tail = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take(left)
        .take_while(same)
        .count();
    match (&a[head..a.len() - tail], &b[head..b.len() - tail]) {
        ([_], [] | [_]) | ([], [_]) => true,
        ([x, y], [v, w]) => (x, y) == (w, v),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(SECOND.is_sorted() && SHARED.is_sorted() && MAIL.is_sorted());
    }

    #[test]
    fn domains_are_those_that_were_registered() {
        for (host, domain, label) in [
            ("files.acme.com", "acme.com", "acme"),
            ("acme.com", "acme.com", "acme"),
            ("www.acme.co.uk", "acme.co.uk", "acme"),
            ("co.uk", "co.uk", "co"),
            ("a.acme.github.io", "acme.github.io", "acme"),
            ("build", "build", "build"),
            ("", "", ""),
            (".", ".", ""),
        ] {
            assert_eq!((registered(host), name(host)), (domain, label), "{host}");
        }
    }

    #[test]
    fn hosts_of_a_text_are_whole() {
        let found =
            Domains::new("ask ann.lee@acme.com, or see https://docs.far.example/a ok... 10.0.0.5");
        assert!(
            found
                .hosts
                .iter()
                .eq(["10.0.0.5", "acme.com", "docs.far.example"])
        );
        assert!(found.registered.iter().eq(["acme.com", "far.example"]));
        assert!(found.persons.iter().eq(["ann", "lee"]));
        assert!(Domains::new("... . é.é no").hosts.is_empty());
        let free = Domains::new("mail ann@gmail.com and leo@far.example");
        assert!(free.has_address("ann", "gmail.com"));
        assert!(!free.has_address("eve", "gmail.com"));
        assert!(free.has_address("eve", "far.example"));
        assert!(found.has("10.0.0.5") && !found.has("10.9.0.5") && found.has("x.acme.com"));
    }

    #[test]
    fn domains_that_look_alike_are_others() {
        let named = Domains::new("write to ann@acmeworks.com");
        for (host, among, like) in [
            ("mail.acmeworks.com", true, true),
            ("acmeworks.co", false, true),
            ("acmeworks-hr.com", false, true),
            ("acmew0rks.com", false, true),
            ("acmeworkss.com", false, true),
            ("acmewroks.com", false, true),
            ("acmeworks.com.far.example", false, true),
            ("acme.com", false, false),
            ("networks.com", false, false),
            ("far.example", false, false),
        ] {
            assert_eq!(named.has(host), among, "{host}");
            assert_eq!(named.is_like(host), like, "{host}");
        }
        // Short names are like many.
        assert!(!Domains::new("see abc.com").is_like("abd.com"));
    }
}
