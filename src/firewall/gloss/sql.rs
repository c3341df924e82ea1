//! Texts that are SQL, told from prose that begins with the same words.
//!
//! "Drop me a note" and "select a nice restaurant" are no statements: what follows the first word has
//! to be what SQL's grammar has there.

/// Words that a text which is SQL begins with, by their first letter.
const fn first(letter: u8) -> &'static [&'static str] {
    match letter {
        b'a' => &["alter"],
        b'b' => &["begin"],
        b'c' => &["call", "commit", "copy", "create"],
        b'd' => &["declare", "delete", "desc", "describe", "do", "drop"],
        b'e' => &["exec", "execute", "explain"],
        b'g' => &["grant"],
        b'i' => &["if", "insert"],
        b'l' => &["lock"],
        b'm' => &["merge"],
        b'p' => &["pragma", "prepare"],
        b'r' => &["replace", "revoke", "rollback"],
        b's' => &["savepoint", "select", "set", "show", "start"],
        b't' => &["truncate"],
        b'u' => &["update", "use"],
        b'v' => &["vacuum"],
        b'w' => &["while", "with"],
        _ => &[],
    }
}

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
    let Some(letter) = start.bytes().next() else {
        return false;
    };
    if !letter.is_ascii_alphabetic() {
        return start.starts_with("--") || start.starts_with("/*");
    }
    let words = first(letter.to_ascii_lowercase());
    if words.is_empty() {
        return false;
    }
    let letters = start.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = start.split_at_checked(letters).unwrap_or((start, ""));
    match words.iter().find(|first| first.eq_ignore_ascii_case(word)) {
        // These begin many a sentence.
        Some(&("do" | "if" | "while")) => is_condition(rest),
        found => found.is_some(),
    }
}

/// Whether what follows `if`, `while` or `do` is that of SQL.
fn is_condition(rest: &str) -> bool {
    let rest = rest.trim_ascii_start();
    let word = |word: &str| {
        let begun = rest.get(..word.len());
        begun.is_some_and(|begun| begun.eq_ignore_ascii_case(word))
    };
    rest.starts_with(['$', '\'', '@', '(']) || word("exists") || word("not ") || word("language")
}

/// Whether a text with single spaces is a statement.
pub fn is_statement(text: &str) -> bool {
    let lower = text.trim_start_matches('(').to_ascii_lowercase();
    let mut words = lower.split(' ');
    let (Some(first), rest) = (words.next(), words.clone()) else {
        return false;
    };
    let second = rest.clone().next().unwrap_or("");
    let third = rest.clone().nth(1).unwrap_or("");
    let count = || rest.clone().count();
    let bare = second.trim_end_matches([',', '.', ':', '!', '?']);
    if PROSE.binary_search(&bare).is_ok() && first != "with" {
        return false;
    }
    let has = |part: &str| lower.contains(part);
    match first {
        "alter" | "create" | "drop" => KINDS.binary_search(&bare).is_ok(),
        "truncate" => second == "table" || count() == 1 || matches!(third, "cascade" | "restart"),
        "delete" => {
            let table = rest_of(&lower, "from ");
            (second == "from" || third == "from") && PROSE.binary_search(&table).is_err()
        }
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
        "show" | "describe" | "desc" | "exec" | "execute" => (1..=4).contains(&count()),
        _ => false,
    }
}

/// The word behind the first of these.
fn rest_of<'t>(text: &'t str, before: &str) -> &'t str {
    let rest = text.split_once(before).map_or("", |(_, rest)| rest);
    rest.split(' ').next().unwrap_or("")
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
    use super::super::statements::statements;
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
            "Delete from the list whatever is old",
            "If you can, update the plan",
            "Do select a quiet place",
            "Prepare a talk about how to drop guests off",
        ] {
            assert!(statements(text).list.is_empty(), "{text}");
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
                assert_eq!(found.list.len(), 1, "{before}{text}");
                assert!(may_be(&format!("{before}{text}")));
            }
        }
    }

    #[test]
    fn lists_are_sorted() {
        assert!(PROSE.is_sorted() && KINDS.is_sorted());
    }
}
