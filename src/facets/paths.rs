//! Paths as text: no file system is asked, so links are not followed.

/// Path with `.`, `..` and doubled slashes resolved as far as the text allows. `~` and `~user` in
/// front stay, `$HOME` reads as `~`, a `file:` address as its path. What leads out of a relative
/// path stays in front as `..`; an empty path is `.`.
pub fn normalise(path: &str) -> String {
    let path = path.trim();
    let path = path
        .strip_prefix("file://localhost/")
        .map(|rest| &path[path.len() - rest.len() - 1..])
        .or_else(|| path.strip_prefix("file://"))
        .unwrap_or(path);
    let home = ["$HOME", "${HOME}"].iter().find_map(|name| {
        path.strip_prefix(name)
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    let (root, rest) = match home {
        Some(rest) => ("~", rest),
        None if path.starts_with('~') => path.split_at(path.find('/').unwrap_or(path.len())),
        None if path.starts_with('/') => ("/", path),
        None => ("", path),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if root == "/" => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (root, joined.is_empty()) {
        ("", true) => ".".into(),
        ("" | "/", _) => format!("{root}{joined}"),
        (_, true) => root.into(),
        (_, false) => format!("{root}/{joined}"),
    }
}

/// Whether a path names a stream or a bottomless device rather than a place where something is
/// kept: `/dev/null` and its kin.
pub fn is_stream(path: &str) -> bool {
    const STREAMS: &[&str] = &[
        "/dev/null",
        "/dev/stdin",
        "/dev/stdout",
        "/dev/stderr",
        "/dev/tty",
        "/dev/zero",
        "/dev/full",
        "/dev/random",
        "/dev/urandom",
    ];
    STREAMS.contains(&path)
        || path.starts_with("/dev/fd/")
        || path.starts_with("<(")
        || path.starts_with(">(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_normalise() {
        for (path, expected) in [
            ("docs/../secrets", "secrets"),
            ("./a//b/./c/", "a/b/c"),
            ("/a/../../etc/passwd", "/etc/passwd"),
            ("//etc", "/etc"),
            ("../../x", "../../x"),
            ("a/../../x", "../x"),
            ("~/.ssh/../.aws", "~/.aws"),
            ("~/../bob", "~/../bob"),
            ("~bob/./x", "~bob/x"),
            ("~", "~"),
            ("$HOME/.ssh", "~/.ssh"),
            ("${HOME}", "~"),
            ("$HOMER/x", "$HOMER/x"),
            ("file:///etc/hosts", "/etc/hosts"),
            ("file://localhost/etc/hosts", "/etc/hosts"),
            ("", "."),
            (".", "."),
            ("/", "/"),
            ("a b/ü", "a b/ü"),
        ] {
            assert_eq!(normalise(path), expected, "{path}");
        }
    }

    #[test]
    fn streams_are_no_files() {
        assert!(is_stream("/dev/null") && is_stream("/dev/fd/3"));
        assert!(!is_stream("/dev/sda") && !is_stream("dev/null"));
    }
}
