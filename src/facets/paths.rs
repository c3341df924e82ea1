//! Paths as text: no file system is asked, so links are not followed, but for those of `/proc` that
//! always lead to the same place.

use std::borrow::Cow;

/// Path with `.`, `..`, doubled and closing slashes resolved as far as the text allows.
///
/// `~` and `~user` in front stay, `$HOME` reads as `~` and `$PWD` as the working directory. A
/// `file:` address is its path, percent signs decoded. Backslashes are slashes, and `c:\` is `C:/`.
/// What leads out of a relative path stays in front as `..`; an empty path is `.`.
pub fn normalise(path: &str) -> String {
    let path = plain(path.trim());
    let (mut root, rest) = split_root(&path);
    let mut parts: Vec<&str> = Vec::new();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            // Nothing lies above a root.
            ".." if root.ends_with('/') => {}
            part => parts.push(part),
        }
        if root == "/"
            && let [process, link] = process_link(&parts)
            && !process.is_empty()
        {
            root = if link == "root" { "/" } else { "" }.into();
            parts.clear();
        }
    }
    let mut out = String::with_capacity(path.len() + 1);
    out.push_str(&root);
    for part in parts {
        if !out.is_empty() && !out.ends_with('/') {
            out.push('/');
        }
        out.push_str(part);
    }
    if out.is_empty() {
        out.push('.');
    }
    out
}

/// A path as it is found from a working directory, which has to be normalised; an empty one is not
/// known, and the path stays relative to it. So does one that begins with a variable.
pub fn join(dir: &str, path: &str) -> String {
    let path = normalise(path);
    let stays = dir.is_empty() || dir == "." || is_rooted(&path) || path.starts_with(['$', '`']);
    if stays {
        return path;
    }
    match path.as_str() {
        "." => dir.to_owned(),
        up if up.starts_with("..") => normalise(&format!("{dir}/{path}")),
        _ if dir.ends_with('/') => format!("{dir}{path}"),
        _ => format!("{dir}/{path}"),
    }
}

/// Whether a normalised path does not depend on the working directory.
pub fn is_rooted(path: &str) -> bool {
    path.starts_with(['/', '~']) || drive(path).is_some()
}

/// Whether a normalised path names a stream or a bottomless device rather than a place where
/// something is kept: `/dev/null` and its kin.
pub fn is_stream(path: &str) -> bool {
    path.strip_prefix("/dev/").is_some_and(|name| {
        name.starts_with("fd/")
            || matches!(
                name,
                "null"
                    | "stdin"
                    | "stdout"
                    | "stderr"
                    | "tty"
                    | "zero"
                    | "full"
                    | "random"
                    | "urandom"
            )
    })
}

/// The path without the forms that only other programs than a shell read: addresses, backslashes,
/// names of the home and the working directory.
fn plain(path: &str) -> Cow<'_, str> {
    let mut path = match file_address(path) {
        Some(decoded) => Cow::Owned(decoded),
        None => Cow::Borrowed(path),
    };
    // Substitutions are kept as they are written.
    if path.contains('\\') && !path.contains("$(") && !path.contains('`') {
        let verbatim = path
            .strip_prefix(r"\\?\")
            .or_else(|| path.strip_prefix(r"\\.\"));
        path = verbatim.unwrap_or(&path).replace('\\', "/").into();
    }
    if !path.starts_with(['$', '%', '`', '~']) {
        return path;
    }
    let named = |names: &[&str]| {
        names.iter().find_map(|name| {
            let rest = path.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| rest.to_owned())
        })
    };
    if let Some(rest) = named(&["$HOME", "${HOME}", "%USERPROFILE%", "$env:USERPROFILE"]) {
        return format!("~{rest}").into();
    }
    if let Some(rest) = named(&["$PWD", "${PWD}", "$(pwd)", "`pwd`", "~+"]) {
        return format!(".{rest}").into();
    }
    path
}

/// Whether a text is an address of a file.
pub fn is_file_address(text: &str) -> bool {
    file_address(text.trim()).is_some()
}

/// The path of a `file:` address; `None` for anything else. Its host is dropped, as many programs
/// do that read such addresses.
fn file_address(text: &str) -> Option<String> {
    let scheme = text.get(..5)?;
    let rest = text.get(5..)?;
    if !scheme.eq_ignore_ascii_case("file:") || !rest.starts_with(['/', '\\']) {
        return None;
    }
    let rest = rest
        .split(['?', '#'])
        .next()
        .unwrap_or("")
        .replace('\\', "/");
    let path = match rest.strip_prefix("//") {
        None => &*rest,
        Some(behind) => {
            let (host, _) = behind.split_once('/').unwrap_or((behind, ""));
            let is_path = matches!(host, "." | ".." | "~") || drive(behind).is_some();
            if is_path {
                behind
            } else {
                &behind[host.len()..]
            }
        }
    };
    let path = decoded(path);
    Some(match path.strip_prefix('/') {
        Some(below) if drive(below).is_some() => below.to_owned(),
        _ if path.is_empty() => "/".into(),
        _ => path,
    })
}

/// Text with `%41` read as `A`; what is no UTF-8 then is marked as such.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|b| char::from(*b).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The drive in front of a path, as in `c:/`.
fn drive(path: &str) -> Option<char> {
    let mut chars = path.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    (chars.next() == Some(':') && matches!(chars.next(), Some('/' | '\\'))).then_some(letter)
}

/// What a path begins at, and the rest of it.
fn split_root(path: &str) -> (Cow<'_, str>, &str) {
    if path.starts_with('~') {
        let (root, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
        return (root.into(), rest);
    }
    if path.starts_with('/') {
        return ("/".into(), path);
    }
    match drive(path) {
        Some(letter) => (
            format!("{}:/", letter.to_ascii_uppercase()).into(),
            &path[2..],
        ),
        None => ("".into(), path),
    }
}

/// The process and the name of a link of `/proc` that leads to the root or to the working
/// directory; empty for other paths.
fn process_link<'p>(parts: &[&'p str]) -> [&'p str; 2] {
    match *parts {
        ["proc", process, link @ ("root" | "cwd")]
            if matches!(process, "self" | "thread-self" | "$$")
                || process.bytes().all(|b| b.is_ascii_digit()) =>
        {
            [process, link]
        }
        _ => ["", ""],
    }
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
            ("$PWD/a", "a"),
            ("$(pwd)/../a", "../a"),
            ("", "."),
            (".", "."),
            ("/", "/"),
            ("a b/ü", "a b/ü"),
            (r"docs\..\secrets", "secrets"),
            (r"c:\Users\..\Windows\", "C:/Windows"),
            (r"\\?\C:\x", "C:/x"),
            ("C:/../x", "C:/x"),
            ("c:x", "c:x"),
            (r"$(printf a\\b)/x", r"$(printf a\\b)/x"),
            ("/proc/self/root/etc/passwd", "/etc/passwd"),
            ("/proc/1/root/../etc", "/etc"),
            ("/proc/self/cwd/../x", "../x"),
            ("/proc/cpuinfo", "/proc/cpuinfo"),
        ] {
            assert_eq!(normalise(path), expected, "{path}");
        }
    }

    #[test]
    fn file_addresses_are_paths() {
        for (address, expected) in [
            ("file:///etc/hosts", "/etc/hosts"),
            ("file://localhost/etc/hosts", "/etc/hosts"),
            ("FILE:/etc/hosts", "/etc/hosts"),
            ("file://x/etc/hosts#y", "/etc/hosts"),
            ("file:///srv/%2e%2E/etc%2fhosts", "/etc/hosts"),
            ("file:///c%3a/x", "C:/x"),
            (r"file:\\\C:\x", "C:/x"),
            ("file://../x", "../x"),
            ("file://", "/"),
            ("file.txt", "file.txt"),
            ("/srv/%2e%2e/x", "/srv/%2e%2e/x"),
        ] {
            assert_eq!(normalise(address), expected, "{address}");
        }
    }

    #[test]
    fn paths_are_found_from_a_directory() {
        for (dir, path, expected) in [
            ("/etc", "passwd", "/etc/passwd"),
            ("/etc", "../x", "/x"),
            ("/etc", "/x", "/x"),
            ("/etc", "~/x", "~/x"),
            ("/etc", r"C:\x", "C:/x"),
            ("/etc", "$D/x", "$D/x"),
            ("a", "../../x", "../x"),
            ("", "x", "x"),
            ("..", "x", "../x"),
            ("/", "x", "/x"),
            ("C:/", "x", "C:/x"),
            ("C:/a", "..", "C:/"),
            ("/etc", ".", "/etc"),
        ] {
            assert_eq!(join(dir, path), expected, "{dir} {path}");
        }
    }

    #[test]
    fn streams_are_no_files() {
        assert!(is_stream("/dev/null") && is_stream("/dev/fd/3"));
        assert!(!is_stream("/dev/sda") && !is_stream("dev/null"));
    }
}
