//! Names of tools and argument keys in one spelling: `mcp__fs__readFile`, `fs.ReadFile` and
//! `read-file` are all `read_file`.

use std::borrow::Cow;

/// The tool's own name, without the server or name space in front, in snake case.
pub fn tool(name: &str) -> String {
    let own = match name.strip_prefix("mcp__").and_then(|n| n.split_once("__")) {
        Some((_, own)) => own,
        None => name,
    };
    let own = own.trim_end_matches(['.', '/', ':']);
    snake(own.rsplit(['.', '/', ':']).next().unwrap_or(own)).into_owned()
}

/// A name in snake case.
pub fn snake(name: &str) -> Cow<'_, str> {
    if is_snake(name) {
        return name.into();
    }
    let mut out = String::with_capacity(name.len() + 4);
    let mut previous: Option<char> = None;
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_alphanumeric() {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
        } else {
            let after_lower = previous.is_some_and(|p| p.is_lowercase() || p.is_numeric());
            let last_of_capitals = previous.is_some_and(char::is_uppercase)
                && chars.peek().is_some_and(|n| n.is_lowercase());
            if c.is_uppercase() && (after_lower || last_of_capitals) {
                out.push('_');
            }
            out.extend(c.to_lowercase());
        }
        previous = Some(c);
    }
    out.truncate(out.trim_end_matches('_').len());
    out.into()
}

/// Whether a name is small letters and digits, with single underscores between them.
pub fn is_snake(name: &str) -> bool {
    let mut last = b'_';
    name.bytes().all(|byte| {
        let before = std::mem::replace(&mut last, byte);
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' && before != b'_'
    }) && last != b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_one_spelling() {
        for (name, expected) in [
            ("Read", "read"),
            ("LS", "ls"),
            ("MultiEdit", "multi_edit"),
            ("readFile", "read_file"),
            ("mcp__file-system__read_file", "read_file"),
            ("mcp__fs__readFile", "read_file"),
            ("mcp__a__b__c", "b_c"),
            ("functions.exec_command", "exec_command"),
            ("server/HTTPGet", "http_get"),
            ("str_replace_based_edit_tool", "str_replace_based_edit_tool"),
            ("", ""),
            ("__", ""),
        ] {
            assert_eq!(tool(name), expected, "{name}");
        }
    }

    /// What is in snake case already comes back as it is, and nothing else does.
    #[test]
    fn snake_case_is_told() {
        for name in ["a", "file_path", "x1_2y", "7"] {
            assert!(is_snake(name) && snake(name) == name, "{name}");
        }
        for name in ["", "_", "_a", "a_", "a__b", "aB", "a-b", "\u{e9}"] {
            assert!(!is_snake(name), "{name}");
        }
    }
}
