//! Hosts that a command connects to, where its words say so without an address's scheme.

use super::effects::is_remote;
use super::programs::Peer;
use super::urls;

/// The host an operand names; `None` if it names none.
pub fn of_operand(operand: &str, peer: Peer) -> Option<String> {
    if let Some((_, rest)) = operand.split_once("://") {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
        return named(strip_port(authority));
    }
    match peer {
        Peer::None => None,
        Peer::Web => urls::host_without_scheme(operand),
        Peer::Each if operand.parse::<u16>().is_ok() => None,
        Peer::First | Peer::Each => named(operand),
        Peer::Socket => of_socket(operand),
        Peer::Remote | Peer::Repository => {
            let before = match operand.split_once("]:") {
                Some((address, _)) if address.contains('[') => &operand[..=address.len()],
                _ => operand.split(':').next().unwrap_or(operand),
            };
            let tells = is_remote(operand) && (peer == Peer::Remote || before.contains('@'));
            tells.then(|| named(before)).flatten()
        }
    }
}

/// The host that bash connects to when it redirects from or to `/dev/tcp/HOST/PORT`.
pub fn of_redirect(target: &str) -> Option<String> {
    let rest = ["/dev/tcp/", "/dev/udp/"]
        .iter()
        .find_map(|prefix| target.strip_prefix(prefix))?;
    named(rest.split('/').next().unwrap_or(""))
}

/// The host in an address of socat's: `TCP4:HOST:PORT,…`.
fn of_socket(operand: &str) -> Option<String> {
    const KINDS: &[&str] = &[
        "TCP", "UDP", "SCTP", "DCCP", "SSL", "OPENSSL", "SOCKS", "PROXY",
    ];
    let (kind, rest) = operand.split_once(':')?;
    let kind = kind.to_ascii_uppercase();
    let connects = KINDS.iter().any(|name| kind.starts_with(name)) && !kind.contains("LISTEN");
    let host = match rest.split_once(']') {
        Some((address, _)) if rest.starts_with('[') => &rest[..=address.len()],
        _ => rest.split([':', ',']).next().unwrap_or(rest),
    };
    connects.then(|| named(host)).flatten()
}

fn strip_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if !host.ends_with(':') && port.bytes().all(|b| b.is_ascii_digit()) => {
            host
        }
        _ => authority,
    }
}

/// A host after an optional `user@`.
fn named(text: &str) -> Option<String> {
    let name = text.rsplit('@').next().unwrap_or(text);
    (!name.is_empty()).then(|| urls::host_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_name_hosts() {
        for (operand, peer, expected) in [
            ("bob@Build.example", Peer::First, Some("build.example")),
            ("ssh://bob@h:22/x", Peer::First, Some("h")),
            ("git@github.com:a/b.git", Peer::Remote, Some("github.com")),
            ("u@[::1]:/x", Peer::Remote, Some("[::1]")),
            ("git@h:a", Peer::Repository, Some("h")),
            ("HEAD:a", Peer::Repository, None),
            ("./a:b", Peer::Remote, None),
            ("rsync://h/m", Peer::Remote, Some("h")),
            ("example.com/x", Peer::Web, Some("example.com")),
            ("file", Peer::Web, None),
        ] {
            assert_eq!(of_operand(operand, peer).as_deref(), expected, "{operand}");
        }
        assert_eq!(
            of_redirect("/dev/tcp/10.0.0.1/80").as_deref(),
            Some("10.0.0.1")
        );
        assert_eq!(of_redirect("/dev/null"), None);
    }
}
