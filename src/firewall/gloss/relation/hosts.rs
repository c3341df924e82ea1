//! Hosts and mail addresses of an action: whose they are, and whether the intent names them.

use super::NAMES;
use super::words::IntentWords;
use crate::firewall::gloss::coded::Coded;
use crate::firewall::text::Action;
use regex::bytes::{RegexSet, RegexSetBuilder};
use std::sync::OnceLock;

/// Kinds of hosts.
fn host_kinds() -> &'static RegexSet {
    const LOCAL: &str = r"^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0$|localhost$|\[::1\]$|host\.docker)";
    const ADDRESS: &str = r"^[\d.]+$|^\[";
    // The last labels alone: those before them anybody may choose.
    const INTERNAL: &str = r"(^|\.)(internal|intranet|corp|local|lan|localdomain|svc|cluster|company|ourcompany|acme|mycompany|home|priv|private)(\.[a-z]+)?$|^[a-z0-9-]+$";
    const KNOWN: &str = r"(^|\.)(github\.com|githubusercontent\.com|pypi\.org|pythonhosted\.org|npmjs\.(com|org)|crates\.io|debian\.org|ubuntu\.com|docker\.(com|io)|python\.org|rust-lang\.org|golang\.org|go\.dev|mozilla\.org|wikipedia\.org|google(apis)?\.com|stackoverflow\.com|microsoft\.com|nodejs\.org|gitlab\.com|w3\.org|apache\.org|rustup\.rs|astral\.sh|bun\.sh|deno\.land|helm\.sh|k3s\.io|nixos\.org|nodesource\.com|ollama\.com|pnpm\.io|pyenv\.run|python-poetry\.org|sdkman\.io|starship\.rs|tailscale\.com|volta\.sh)$";
    static KINDS: OnceLock<RegexSet> = OnceLock::new();
    KINDS.get_or_init(|| {
        let mut set = RegexSetBuilder::new([LOCAL, ADDRESS, INTERNAL, KNOWN]);
        set.unicode(false)
            .build()
            .unwrap_or_else(|_| RegexSet::empty())
    })
}

/// The signs of an action's hosts.
pub(super) fn hosts(action: &Action<'_>, intent: &IntentWords, found: &mut impl FnMut(Coded)) {
    for host in action.facets.hosts.iter().take(NAMES) {
        let kinds = host_kinds().matches(host.as_bytes());
        let is = |kind| kinds.matched(kind);
        if is(0) {
            found(Coded::HostLocal);
            continue;
        }
        found(Coded::HostAny);
        if intent.names_host(host) {
            found(Coded::HostNamed);
        } else if is(1) {
            found(Coded::HostIp);
        } else if is(2) {
            found(Coded::HostInternal);
        } else if !is(3) {
            found(Coded::HostUnnamed);
            look_alike(host, intent, found);
        }
    }
}

/// Whether a host that is not named looks like one that is.
fn look_alike(host: &str, intent: &IntentWords, found: &mut impl FnMut(Coded)) {
    if intent.domains.is_like(host) {
        found(Coded::LooksAlike);
    }
}

/// The signs of mail addresses: a name, `@`, and a domain.
pub(super) fn addresses(view: &str, intent: &IntentWords, found: &mut impl FnMut(Coded)) {
    for (at, _) in view.match_indices('@').take(NAMES) {
        let Some((name, domain)) = address(&view[..at], &view[at + 1..]) else {
            continue;
        };
        match whose(name, domain, intent) {
            Whose::Named => found(Coded::MailNamed),
            Whose::Other => {}
            Whose::Unnamed => {
                found(Coded::MailUnnamed);
                look_alike(domain, intent, found);
            }
        }
    }
}

/// Whose a mail address is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// The intent names it.
    Named,
    /// Its domain tells that it is the user's own.
    Other,
    /// Neither.
    Unnamed,
}

/// Whose a mail address is, by its name and its domain.
pub(super) fn whose(name: &str, domain: &str, intent: &IntentWords) -> Whose {
    if intent.names_address(name, domain) {
        return Whose::Named;
    }
    let kinds = host_kinds().matches(domain.as_bytes());
    match kinds.matched(2) {
        true => Whose::Other,
        false => Whose::Unnamed,
    }
}

/// The name and the domain of a mail address, from what stands before its sign and behind it.
pub(super) fn address<'t>(before: &'t str, after: &'t str) -> Option<(&'t str, &'t str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
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
    (!name.is_empty() && domain.contains('.')).then_some((name, domain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sound() {
        assert_eq!(host_kinds().len(), 4);
    }

    #[test]
    fn hosts_are_whose_their_last_labels_tell() {
        for (host, kind) in [
            ("acme.com", Some(2)),
            ("wiki.corp.example", Some(2)),
            ("db.internal", Some(2)),
            ("nas", Some(2)),
            ("corp-xyz.net", None),
            ("my-corp.net", None),
            ("corp.files.example", None),
            ("api.github.com", Some(3)),
            ("notgithub.com", None),
        ] {
            let kinds = host_kinds().matches(host.as_bytes());
            assert_eq!(kinds.iter().next(), kind, "{host}");
        }
    }

    #[test]
    fn a_host_is_named_by_whole_labels() {
        let intent = IntentWords::new(
            "Get the list from Fernhill at files.fernhill.com, from Oakdale and Hotel Alba",
        );
        for (host, named) in [
            ("files.fernhill.com", true),
            ("www.fernhill.com", true),
            ("oakdale.example", true),
            ("www.oakdale.co.uk", true),
            ("fernhill.co", false),
            ("fernhill-files.com", false),
            ("files.com", true),
            ("oakdale-files.com", false),
            ("oakdale.far.example", false),
            ("oakdal.example", false),
            ("hill.com", false),
            ("hotel-alba.example", false),
        ] {
            assert_eq!(intent.names_host(host), named, "{host}");
        }
    }

    #[test]
    fn an_address_is_named_by_its_own_domain() {
        let intent =
            IntentWords::new("Write to ann@fernhill.com, ask bo@gmail.com, and tell Carla");
        for (name, domain, named) in [
            ("ann", "fernhill.com", true),
            ("sales", "fernhill.com", true),
            ("bo", "gmail.com", true),
            ("carla.reis", "far.example", true),
            ("ann", "fernhill-mail.com", false),
            ("anna", "far.example", false),
            ("eve", "gmail.com", false),
            ("bo", "far.example", false),
        ] {
            let is = intent.names_address(name, domain);
            assert_eq!(is, named, "{name}@{domain}");
        }
    }

    #[test]
    fn addresses_are_found_in_text() {
        let intent = IntentWords::new("Write to Dana");
        let mut signs = Vec::new();
        addresses(
            "\x02to=dana@corp.example\n\x02cc=<x.y@far.example>, z@corp.internal, @ a@b, q@dana-mail.example",
            &intent,
            &mut |sign| signs.push(sign.name()),
        );
        // To share a word with the intent makes nobody known.
        assert_eq!(signs, ["mail_named", "mail_unnamed", "mail_unnamed"]);
    }
}
