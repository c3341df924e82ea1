//! The statements of SQL in a text: those between its semicolons, and those in literals where the text runs
//! such literals, as code does that hands them to a database.

use super::comments;
use super::quoted;
use super::sql::is_statement;
use foldhash::HashSet;

/// Literals in literals that are looked into.
const DEPTH: usize = 3;

/// Places in one part of a text at which a statement may begin, at most.
const BEGINNINGS: usize = 8;

/// Words that stand in front of a statement in the same part of a text, and are none.
const LEADING: &[&str] = &[
    "as",
    "begin",
    "declare",
    "do",
    "else",
    "elsif",
    "end",
    "exception",
    "for",
    "go",
    "if",
    "lock",
    "loop",
    "perform",
    "pragma",
    "prepare",
    "return",
    "savepoint",
    "then",
    "use",
    "vacuum",
    "when",
    "while",
];

/// Words that a statement behind those begins with.
const VERBS: &[&str] = &[
    "alter", "call", "create", "delete", "drop", "exec", "execute", "grant", "insert", "merge",
    "replace", "revoke", "select", "truncate", "update",
];

/// Words that begin what does nothing to tables.
const IDLE: &[&str] = &[
    "abort",
    "begin",
    "commit",
    "declare",
    "end",
    "go",
    "release",
    "rollback",
    "savepoint",
    "set",
    "start",
    "use",
];

/// Words of a text which runs what stands in its literals, or keeps it to be run.
const RUNNING: &[&str] = &[
    "dblink",
    "dblink_exec",
    "do",
    "eval",
    "event",
    "exec",
    "execute",
    "function",
    "openquery",
    "prepare",
    "procedure",
    "query_to_xml",
    "schedule",
    "sp_executesql",
    "trigger",
];

/// Longest word of these lists.
const LONGEST: usize = 13;

/// What a text holds of SQL.
#[derive(Debug, Default)]
pub struct Statements {
    /// Its statements in their order, without comments, white space squeezed, none twice. Where it cannot be
    /// told what is a comment, those of every reading.
    pub list: Vec<String>,
    /// Whether there is something beside them between semicolons that is neither known as a statement nor known to
    /// do nothing.
    pub others: bool,
}

/// The statements of a text that is SQL; what is none is left out.
pub fn statements(text: &str) -> Statements {
    let mut found = Found::default();
    found.text(text, DEPTH);
    found.done()
}

/// Whether a text may be code that hands statements to a database.
pub fn may_hold(text: &str) -> bool {
    quoted::runs(text)
}

/// The statements in literals of code that hands them to a database; none of other texts.
pub fn in_code(text: &str) -> Statements {
    let mut found = Found::default();
    found.code(text);
    found.done()
}

/// Those of a text that a program is given which takes it as SQL or as code.
pub fn handed(text: &str) -> Statements {
    let mut found = Found::default();
    found.text(text, DEPTH);
    found.code(text);
    found.done()
}

/// Statements that are collected.
#[derive(Default)]
struct Found {
    out: Statements,
    seen: HashSet<String>,
    /// Literals that were looked into.
    literals: HashSet<String>,
}

impl Found {
    fn text(&mut self, text: &str, depth: usize) {
        for reading in comments::taken_out(text) {
            for part in reading.split(';') {
                self.part(part);
            }
            if depth == 0 {
                continue;
            }
            let literals = quoted::literals(&reading);
            if !literals.is_empty() && is_running(&reading) {
                self.each(literals, depth - 1);
            }
        }
    }

    fn code(&mut self, text: &str) {
        if quoted::runs(text) {
            self.each(quoted::literals(text), DEPTH - 1);
        }
    }

    fn each(&mut self, literals: Vec<String>, depth: usize) {
        for literal in literals {
            if self.literals.insert(literal.clone()) {
                self.text(&literal, depth);
            }
        }
    }

    /// Takes in what stands between two semicolons.
    fn part(&mut self, part: &str) {
        let words = || part.split_ascii_whitespace();
        let Some(lead) = words().next() else {
            return;
        };
        let whole = joined(words(), part.len());
        if is_statement(&whole) {
            return self.add(whole);
        }
        // What clients are told beside statements stands on a line of its own.
        if is(LEADING, lead) || lead.starts_with(['.', '\\']) {
            let verbs = words().enumerate().filter(|(_, word)| is(VERBS, word));
            for (at, _) in verbs.take(BEGINNINGS) {
                let rest = joined(words().skip(at), part.len());
                if is_statement(&rest) {
                    return self.add(rest);
                }
            }
        }
        let is_idle = is(IDLE, lead) && !whole.to_ascii_lowercase().contains("exec");
        self.out.others |= !is_idle;
    }

    fn done(mut self) -> Statements {
        self.out.others &= !self.out.list.is_empty();
        self.out
    }

    fn add(&mut self, statement: String) {
        if self.seen.insert(statement.clone()) {
            self.out.list.push(statement);
        }
    }
}

/// Words with single spaces between them, `length` bytes at most.
fn joined<'t>(words: impl Iterator<Item = &'t str>, length: usize) -> String {
    let mut out = String::with_capacity(length);
    for word in words {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Whether a word, a parenthesis before it or not, is in a sorted list.
fn is(list: &[&str], word: &str) -> bool {
    let word = word.trim_start_matches('(');
    word.len() <= LONGEST && list.binary_search(&&*word.to_ascii_lowercase()).is_ok()
}

/// Whether a text runs what stands in its literals.
fn is_running(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = text.split(|c| !is_part(c));
    words.any(|word| word.len() > 1 && is(RUNNING, word))
}

#[cfg(test)]
mod tests {
    use super::super::sql::may_be;
    use super::*;

    #[test]
    fn lists_are_sorted_and_their_words_short() {
        for list in [LEADING, VERBS, IDLE, RUNNING] {
            assert!(list.is_sorted(), "{list:?}");
        }
        let lists = [LEADING, VERBS, IDLE, RUNNING];
        assert!(lists.concat().iter().all(|word| word.len() <= LONGEST));
    }

    fn deletes(found: &Statements) -> bool {
        let deletes = |s: &String| s.to_ascii_lowercase().contains("delete from");
        found.list.iter().any(deletes)
    }

    /// Rationale: what is run is a statement, wherever the text has it.
    #[test]
    fn statements_that_are_put_together_are_found() {
        for text in [
            "EXECUTE 'DELETE FROM guests'",
            "EXECUTE IMMEDIATE 'DELETE FROM guests'",
            "execute immediate concat('DELETE FROM ', 'x')",
            "PREPARE s FROM 'DELETE FROM guests'; EXECUTE s",
            "PREPARE s AS DELETE FROM guests",
            "SET @q = \"DELETE FROM guests\"; PREPARE s FROM @q; EXECUTE s",
            "EXEC sp_executesql N'DELETE FROM guests'",
            "EXEC('DELETE FROM ' + @t)",
            "DECLARE @s nvarchar(99) = N'DELETE FROM guests' EXEC(@s)",
            "DO $$ BEGIN DELETE FROM guests; END $$",
            "DO $$ BEGIN EXECUTE 'DELETE FROM ' || t; END $$",
            "DO LANGUAGE plpgsql $x$ BEGIN IF true THEN DELETE FROM guests; END IF; END $x$",
            "DO 'BEGIN DELETE FROM guests; END'",
            "SELECT 1; DO $$ BEGIN FOR r IN SELECT 1 LOOP DELETE FROM guests; END LOOP; END $$",
            "CREATE FUNCTION f() RETURNS void AS $$ DELETE FROM guests $$ LANGUAGE sql; SELECT f()",
            "SELECT dblink_exec('x', 'DELETE FROM guests')",
            "SELECT cron.schedule('x', '* * * * *', $$DELETE FROM guests$$)",
            "IF EXISTS (SELECT 1) DELETE FROM guests",
        ] {
            assert!(may_be(text), "{text}");
            let found = statements(text);
            assert!(deletes(&found), "{text} {found:?}");
        }
        for text in [
            "cur.execute(\"DELETE FROM guests\")",
            "sql = 'DELETE FROM ' + name\ncur.execute(sql)",
            "await db.query(`DELETE FROM guests`)",
            "conn.executescript('''\n  SELECT 1;\n  DELETE FROM guests;\n''')",
        ] {
            let found = in_code(text);
            assert!(deletes(&found), "{text} {found:?}");
        }
        let found = handed(".mode csv\nDELETE FROM guests;");
        assert_eq!(found.list, ["DELETE FROM guests"]);
    }

    /// Rationale: what is only kept or shown is not run.
    #[test]
    fn literals_that_are_not_run_are_no_statements() {
        for text in [
            "INSERT INTO notes VALUES ('DELETE FROM guests')",
            "SELECT 'DELETE FROM guests' AS hint",
            "UPDATE help SET text = 'drop table guests' WHERE id = 3",
        ] {
            let found = statements(text);
            assert_eq!(found.list.len(), 1, "{text} {found:?}");
        }
        for text in [
            "print('DELETE FROM guests')",
            "He said \"delete from guests\" (and ran)",
            "cur.execute(query)",
            "cur.execute('Select a quiet place')",
        ] {
            assert!(in_code(text).list.is_empty(), "{text}");
        }
    }

    /// Rationale: what is not known may do anything.
    #[test]
    fn what_is_no_known_statement_is_told() {
        for (text, others) in [
            ("SELECT 1; KILL 5", true),
            ("SELECT 1; EXEC(@s)", true),
            ("BEGIN; SELECT 1; COMMIT;", false),
            ("SET x = 1; SELECT 1", false),
            ("DECLARE @d date; SELECT @d", false),
        ] {
            assert_eq!(statements(text).others, others, "{text}");
        }
    }
}
