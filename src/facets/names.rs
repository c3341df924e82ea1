//! Names of tools and argument keys in one spelling: `mcp__fs__readFile`, `fs.ReadFile` and
//! `read-file` are all `read_file`.

/// The tool's own name, without the server or name space in front, in snake case.
pub fn tool(name: &str) -> String {
    let own = match name.strip_prefix("mcp__").and_then(|n| n.split_once("__")) {
        Some((_, own)) => own,
        None => name,
    };
    let own = own.trim_end_matches(['.', '/', ':']);
    snake(own.rsplit(['.', '/', ':']).next().unwrap_or(own))
}

/// A name in snake case.
pub fn snake(name: &str) -> String {
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
    out
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
}
