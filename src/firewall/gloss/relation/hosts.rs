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
    const INTERNAL: &str = r"(^|\.)(internal|intranet|corp|local|lan|localdomain|svc|cluster|company|ourcompany|acme|mycompany|home|priv|private)(\.|$)|(^|[.-])(internal|intranet|corp|local|lan|localdomain|svc|cluster|company|ourcompany|acme|mycompany|home|priv|private)(-[a-z0-9-]+)?(\.[a-z]+)?$|^[a-z0-9-]+$";
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
        if intent.text.contains(&**host) {
            found(Coded::HostNamed);
        } else if is(1) {
            found(Coded::HostIp);
        } else if is(2) {
            found(Coded::HostInternal);
        } else if !is(3) {
            let named = intent.names_any(host);
            found(if named {
                Coded::HostNamed
            } else {
                Coded::HostUnnamed
            });
        }
    }
}

/// The signs of mail addresses: a name, `@`, and a domain.
pub(super) fn addresses(view: &str, intent: &IntentWords, found: &mut impl FnMut(Coded)) {
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
            found(Coded::MailNamed);
        } else if host_kinds().matches(domain.as_bytes()).matched(2) {
            found(Coded::MailInternal);
        } else {
            found(Coded::MailUnnamed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sound() {
        assert_eq!(host_kinds().len(), 4);
    }

    #[test]
    fn addresses_are_found_in_text() {
        let intent = IntentWords::new("Write to Dana");
        let mut signs = Vec::new();
        addresses(
            "\x02to=dana@corp.example\n\x02cc=<x.y@far.example>, z@corp.internal, @ a@b",
            &intent,
            &mut |sign| signs.push(sign.name()),
        );
        assert_eq!(signs, ["mail_named", "mail_unnamed", "mail_internal"]);
    }
}
