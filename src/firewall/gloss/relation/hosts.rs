//! Hosts and mail addresses of an action: whose they are, and whether the intent names them.

use super::NAMES;
use super::domains::is_address;
use super::words::IntentWords;
use crate::firewall::gloss::coded::Coded;
use crate::firewall::text::Action;

/// What the names of this machine and the addresses of its network begin with, but for `172.16.` to
/// `172.31.`.
const LOCAL: &[&str] = &["10.", "127.", "169.254.", "192.168.", "host.docker"];

/// Labels by which a host is the user's own: the last one, or the one before it.
const OWN: &[&str] = &[
    "acme",
    "cluster",
    "company",
    "corp",
    "home",
    "internal",
    "intranet",
    "lan",
    "local",
    "localdomain",
    "mycompany",
    "ourcompany",
    "priv",
    "private",
    "svc",
];

/// Domains of services that are well known.
const KNOWN: &[&str] = &[
    "apache.org",
    "astral.sh",
    "bun.sh",
    "crates.io",
    "debian.org",
    "deno.land",
    "docker.com",
    "docker.io",
    "github.com",
    "githubusercontent.com",
    "gitlab.com",
    "go.dev",
    "golang.org",
    "google.com",
    "googleapis.com",
    "helm.sh",
    "k3s.io",
    "microsoft.com",
    "mozilla.org",
    "nixos.org",
    "nodejs.org",
    "nodesource.com",
    "npmjs.com",
    "npmjs.org",
    "ollama.com",
    "pnpm.io",
    "pyenv.run",
    "pypi.org",
    "python-poetry.org",
    "python.org",
    "pythonhosted.org",
    "rust-lang.org",
    "rustup.rs",
    "sdkman.io",
    "stackoverflow.com",
    "starship.rs",
    "tailscale.com",
    "ubuntu.com",
    "volta.sh",
    "w3.org",
    "wikipedia.org",
];

/// Whether a host is this machine or in its network.
fn is_local(host: &str) -> bool {
    let is_private = |rest: &str| {
        matches!(
            rest.as_bytes(),
            [b'1', b'6'..=b'9', b'.', ..]
                | [b'2', b'0'..=b'9', b'.', ..]
                | [b'3', b'0' | b'1', b'.', ..]
        )
    };
    matches!(host, "0.0.0.0" | "localhost" | "[::1]")
        || LOCAL.iter().any(|begins| host.starts_with(begins))
        || host.strip_prefix("172.").is_some_and(is_private)
}

/// Whether a host's last labels tell that it is the user's own. Those before them anybody may choose.
fn is_own(host: &str) -> bool {
    let mut labels = host.rsplit('.');
    let (last, before) = (labels.next().unwrap_or(""), labels.next());
    let listed = |label: &str| OWN.binary_search(&label).is_ok();
    let is_top = !last.is_empty() && last.bytes().all(|b| b.is_ascii_lowercase());
    let is_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    match before {
        None => !host.is_empty() && host.bytes().all(is_name),
        Some(before) => listed(last) || is_top && listed(before),
    }
}

/// Whether a host is of a service that is well known.
fn is_known(host: &str) -> bool {
    let before = host.rmatch_indices('.').nth(1);
    let domain = before.map_or(host, |(at, _)| &host[at + 1..]);
    KNOWN.binary_search(&domain).is_ok()
}

/// The signs of an action's hosts.
pub(super) fn hosts(action: &Action<'_>, intent: &IntentWords, found: &mut impl FnMut(Coded)) {
    for host in action.facets.hosts.iter().take(NAMES) {
        if is_local(host) {
            found(Coded::HostLocal);
            continue;
        }
        found(Coded::HostAny);
        if intent.names_host(host) {
            found(Coded::HostNamed);
        } else if host.starts_with('[') || is_address(host) {
            found(Coded::HostIp);
        } else if is_own(host) {
            found(Coded::HostInternal);
        } else if !is_known(host) {
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
    for at in memchr::memchr_iter(b'@', view.as_bytes()).take(NAMES) {
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
    match is_own(domain) {
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
    fn lists_are_sorted() {
        for list in [OWN, KNOWN] {
            assert!(list.is_sorted(), "{list:?}");
        }
        // A domain is looked for by two labels.
        assert!(KNOWN.iter().all(|domain| domain.split('.').count() == 2));
    }

    #[test]
    fn hosts_are_whose_their_last_labels_tell() {
        for (host, kind) in [
            ("localhost", "local"),
            ("127.0.0.1", "local"),
            ("172.16.0.1", "local"),
            ("172.31.9.9", "local"),
            ("172.32.0.1", ""),
            ("172.1.0.1", ""),
            ("acme.com", "own"),
            ("wiki.corp.example", "own"),
            ("db.internal", "own"),
            ("nas", "own"),
            ("corp-xyz.net", ""),
            ("my-corp.net", ""),
            ("corp.files.example", ""),
            ("corp.8", ""),
            ("acme.", ""),
            ("", ""),
            ("api.github.com", "known"),
            ("github.com", "known"),
            ("notgithub.com", ""),
        ] {
            let told = match host {
                _ if is_local(host) => "local",
                _ if is_own(host) => "own",
                _ if is_known(host) => "known",
                _ => "",
            };
            assert_eq!(told, kind, "{host}");
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
