//! Patterns of file names that stand for well-known secrets: `~/.ss*/id_*`, `/e?c/shadow`.
//!
//! A shell reads the files that a pattern matches. One that all but spells a secret out is looked at
//! as that secret; one with few letters of its own, such as `/etc/*`, stands for too much to tell.

/// Files of secrets, without what stands before the folder they are always in.
const SECRETS: &[&[&str]] = &[
    &[".aws", "credentials"],
    &[".config", "gcloud", "application_default_credentials.json"],
    &[".docker", "config.json"],
    &[".git-credentials"],
    &[".gnupg", "secring.gpg"],
    &[".kube", "config"],
    &[".netrc"],
    &[".npmrc"],
    &[".pgpass"],
    &[".pypirc"],
    &[".ssh", "id_ecdsa"],
    &[".ssh", "id_ed25519"],
    &[".ssh", "id_rsa"],
    &["etc", "gshadow"],
    &["etc", "shadow"],
    &["etc", "sudoers"],
];

/// Bytes of a path that is looked at, at most.
const LONGEST: usize = 256;

/// Letters of its own that a pattern has at least in the names that a secret's stand for.
const LEAST: usize = 4;

/// The secret that a path with wildcards may stand for, the first of the list.
pub(super) fn secret(path: &str) -> Option<String> {
    if !path.contains(['*', '?', '[']) || path.len() > LONGEST {
        return None;
    }
    let path = path.to_ascii_lowercase();
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    let stands_for = |secret: &&&[&str]| {
        let from = names.len().checked_sub(secret.len());
        let Some(last) = from.and_then(|from| names.get(from..)) else {
            return false;
        };
        // A file of a home is nowhere else, nor is one of the system.
        let is_placed = !secret.starts_with(&["etc"]) || names.len() == secret.len();
        let own = last.iter().flat_map(|name| name.bytes());
        is_placed
            && own.filter(u8::is_ascii_alphanumeric).count() >= LEAST
            && last
                .iter()
                .zip(**secret)
                .all(|(glob, name)| matches(glob.as_bytes(), name.as_bytes()))
    };
    let secret = SECRETS.iter().find(stands_for)?;
    let home = if secret.starts_with(&["etc"]) {
        "/"
    } else {
        "~/"
    };
    Some(format!("{home}{}", secret.join("/")))
}

/// Whether a name is what a pattern of `*`, `?` and `[…]` stands for.
fn matches(glob: &[u8], name: &[u8]) -> bool {
    let (mut at, mut of) = (0, 0);
    // Where the last `*` stands behind, and what of the name it has taken.
    let mut star: Option<(usize, usize)> = None;
    loop {
        let step = match (glob.get(at), name.get(of)) {
            (None, None) => return true,
            (Some(b'*'), _) => {
                star = Some((at + 1, of));
                Some((at + 1, of))
            }
            (Some(b'?'), Some(_)) => Some((at + 1, of + 1)),
            (Some(b'['), Some(letter)) => class(glob.get(at + 1..).unwrap_or_default(), *letter)
                .map(|length| (at + 1 + length, of + 1)),
            (Some(own), Some(letter)) if own == letter => Some((at + 1, of + 1)),
            _ => None,
        };
        (at, of) = match (step, star) {
            (Some(next), _) => next,
            (None, Some((after, taken))) if taken < name.len() => {
                star = Some((after, taken + 1));
                (after, taken + 1)
            }
            _ => return false,
        };
    }
}

/// How long a class of letters is, with the bracket that ends it, where a letter is in it.
fn class(glob: &[u8], letter: u8) -> Option<usize> {
    let end = 1 + glob.iter().skip(1).position(|byte| *byte == b']')?;
    let inner = glob.get(..end)?;
    let (inner, is_other) = match inner {
        [b'!' | b'^', rest @ ..] => (rest, true),
        _ => (inner, false),
    };
    let is_one = inner.contains(&letter);
    let is_between = inner
        .windows(3)
        .any(|w| matches!(w, [from, b'-', to] if (*from..=*to).contains(&letter)));
    ((is_one || is_between) != is_other).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_secrets_or_for_too_much() {
        for (path, stands_for) in [
            ("~/.ss*/id_*", Some("~/.ssh/id_ecdsa")),
            ("/e?c/shadow", Some("/etc/shadow")),
            ("/etc/sh[a-b]d?w", Some("/etc/shadow")),
            ("/[!x]tc/*shadow", Some("/etc/gshadow")),
            ("/home/ann/.aws/cred*", Some("~/.aws/credentials")),
            ("$HOME/.net*c", Some("~/.netrc")),
            ("/etc/*", None),
            ("/etc/sh*", Some("/etc/shadow")),
            ("~/.*", None),
            ("~/.*/*", None),
            ("*", None),
            ("src/*.rs", None),
            ("/srv/etc/shad*", None),
            ("~/.ssh/id_rsa", None),
            ("/etc/[shadow", None),
            ("/etc/ho*", None),
            ("docs/conf*.json", None),
        ] {
            assert_eq!(secret(path).as_deref(), stands_for, "{path}");
        }
        let long = format!("/etc/{}", "*a".repeat(100));
        assert_eq!(secret(&long), None);
    }
}
