//! Texts that are SQL, told from prose that begins with the same words.
//!
//! "Drop me a note" and "select a nice restaurant" are no statements: what follows the first word has
//! to be what SQL's grammar has there.

use super::comments;
use std::collections::HashSet;

/// Words that a text which is SQL begins with.
const FIRST: &[&str] = &[
    "alter", "begin", "call", "commit", "copy", "create", "delete", "desc", "describe", "drop",
    "exec", "execute", "explain", "grant", "insert", "merge", "replace", "revoke", "rollback",
    "select", "set", "show", "start", "truncate", "update", "use", "with",
];

/// Words of prose that no statement has second.
const PROSE: &[&str] = &[
    "a", "an", "and", "any", "anything", "every", "for", "her", "him", "his", "how", "in", "it",
    "its", "me", "more", "my", "of", "our", "some", "that", "the", "their", "them", "these",
    "this", "those", "us", "what", "when", "where", "whether", "which", "who", "why", "with",
    "you", "your",
];

/// Kinds of things that are created, changed and dropped.
const KINDS: &[&str] = &[
    "aggregate",
    "collection",
    "column",
    "constraint",
    "database",
    "default",
    "domain",
    "event",
    "extension",
    "external",
    "foreign",
    "function",
    "global",
    "group",
    "if",
    "index",
    "keyspace",
    "login",
    "materialized",
    "operator",
    "or",
    "owned",
    "policy",
    "procedure",
    "publication",
    "role",
    "rule",
    "schema",
    "sequence",
    "server",
    "subscription",
    "system",
    "table",
    "tablespace",
    "temp",
    "temporary",
    "trigger",
    "type",
    "unique",
    "unlogged",
    "user",
    "view",
];

/// Whether a text begins as SQL does, a comment before it or not.
pub fn may_be(text: &str) -> bool {
    let start = text.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '(' || c == ';');
    if start.starts_with("--") || start.starts_with("/*") {
        return true;
    }
    let letters = start.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = start.get(..letters).unwrap_or("");
    FIRST.iter().any(|first| first.eq_ignore_ascii_case(word))
}

/// The statements of a text, without comments, white space squeezed; what is none is left out. Where it
/// cannot be told what is a comment, those of every reading, none twice.
pub fn statements(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for reading in comments::taken_out(text) {
        for part in reading.split(';') {
            let words: Vec<&str> = part.split_ascii_whitespace().collect();
            let statement = words.join(" ");
            if is_statement(&statement) && seen.insert(statement.clone()) {
                found.push(statement);
            }
        }
    }
    found
}

/// Whether a text with single spaces is a statement.
fn is_statement(text: &str) -> bool {
    let lower = text.trim_start_matches('(').to_ascii_lowercase();
    let mut words = lower.split(' ');
    let (Some(first), rest) = (words.next(), words.clone()) else {
        return false;
    };
    let second = rest.clone().next().unwrap_or("");
    let third = rest.clone().nth(1).unwrap_or("");
    let count = rest.count();
    let bare = second.trim_end_matches([',', '.', ':', '!', '?']);
    if PROSE.binary_search(&bare).is_ok() && first != "with" {
        return false;
    }
    let has = |part: &str| lower.contains(part);
    match first {
        "alter" | "create" | "drop" => KINDS.binary_search(&bare).is_ok(),
        "truncate" => second == "table" || count == 1 || matches!(third, "cascade" | "restart"),
        "delete" => second == "from" || third == "from",
        "insert" => has(" into ") || second == "overwrite",
        "merge" | "replace" => second == "into",
        "update" => has(" set ") && has("="),
        "grant" => has(" to "),
        "revoke" => has(" from "),
        "select" => is_selection(lower.get("select".len()..).unwrap_or("")),
        "with" => has(" as ") && has("("),
        "set" => has("=") || has(" to ") || has(" role "),
        "copy" => has(" to ") || has(" from "),
        "call" => has("("),
        "explain" => {
            let rest = lower.split_once(' ').map_or("", |(_, rest)| rest);
            rest.split(' ')
                .any(|word| matches!(word, "select" | "insert" | "update" | "delete" | "with"))
        }
        "show" | "describe" | "desc" | "exec" | "execute" => (1..=4).contains(&count),
        _ => false,
    }
}

/// Whether what follows `select` is a list of columns: words with nothing between them but commas,
/// two and an `as` at most, or what no prose holds.
fn is_selection(rest: &str) -> bool {
    let (columns, from) = match rest.split_once(" from ") {
        Some((columns, _)) => (columns, true),
        None => (rest, false),
    };
    let is_code = |c: char| {
        matches!(
            c,
            '*' | '(' | '@' | '=' | '"' | '`' | '\'' | '.' | '_' | '0'..='9'
        )
    };
    let is_column = |column: &str| {
        column
            .split_ascii_whitespace()
            .filter(|word| !matches!(*word, "as" | "distinct" | "all"))
            .count()
            <= 2
    };
    columns.contains(is_code)
        || from && columns.split(',').all(is_column)
        || columns.split_ascii_whitespace().count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rationale: what an agent is told in prose must not be read as a command to a database.
    #[test]
    fn prose_is_no_statement() {
        for text in [
            "Drop me a line when you are home",
            "Truncate the headline to ten words",
            "Alter the recipe so that it has no nuts",
            "Select a quiet place from the list",
            "Explain how the index is rebuilt",
            "Update the plan and set a date",
            "Delete the old photos from the phone",
            "Create something nice for her",
            "Show me where it is",
            "Grant me a wish to keep",
            "Call Ann back",
            "Merge both lists",
        ] {
            assert!(statements(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn statements_are_found_behind_comments_and_others() {
        for text in [
            "DROP TABLE guests",
            "drop database if exists shop",
            "TRUNCATE guests",
            "alter role ann superuser",
            "SELECT name, phone AS p FROM guests",
            "select * from guests",
            "SELECT version()",
            "WITH g AS (SELECT 1) SELECT * FROM g",
            "explain (analyze) select 1",
            "UPDATE guests SET name = 'x'",
            "delete from guests",
            "grant all on *.* to 'x'@'%'",
            "copy guests from '/tmp/x'",
            "show tables",
        ] {
            for before in ["", "BEGIN;\n", "-- tidy\n", "/* x */ ("] {
                let found = statements(&format!("{before}{text}"));
                assert_eq!(found.len(), 1, "{before}{text}");
                assert!(may_be(&format!("{before}{text}")));
            }
        }
    }
}
