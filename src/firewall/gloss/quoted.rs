//! Literals that hold SQL, in code and in SQL itself.
//!
//! Nothing is said of the language: every quote may open a literal, and one that holds nothing which begins
//! as SQL is stepped over. What is joined to a literal by an operator belongs to it. The work is linear
//! in the text.

use super::sql;

/// Functions that run the statement they are given, in the spelling of [`runs`].
const RUNNING: &[&str] = &[
    "all",
    "do",
    "each",
    "exec",
    "execute",
    "executemany",
    "executequery",
    "executeraw",
    "executerawunsafe",
    "executescript",
    "executesql",
    "executeupdate",
    "fetch",
    "fetchall",
    "fetchrow",
    "fetchval",
    "get",
    "multiquery",
    "nativequery",
    "pgquery",
    "prepare",
    "query",
    "querymultiple",
    "queryraw",
    "queryrawunsafe",
    "queryrow",
    "raw",
    "readsql",
    "readsqlquery",
    "run",
    "selectall",
    "sql",
    "unsafe",
];

/// Longest of those, with what stands between their words.
const LONGEST: usize = 24;

/// Whether code calls a function that runs statements: its name stands before a parenthesis or a
/// template.
pub(super) fn runs(code: &str) -> bool {
    let bytes = code.as_bytes();
    memchr::memchr2_iter(b'(', b'`', bytes).any(|at| {
        let before = bytes.get(at.saturating_sub(LONGEST)..at).unwrap_or(b"");
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = before.iter().rev().take_while(is_part).count();
        let name = before.get(before.len() - length..).unwrap_or(b"");
        let mut plain = [0; LONGEST];
        let letters = name.iter().filter(|byte| **byte != b'_');
        for (to, from) in plain.iter_mut().zip(letters) {
            *to = from.to_ascii_lowercase();
        }
        let end = plain.iter().position(|byte| *byte == 0).unwrap_or(LONGEST);
        let plain = plain.get(..end).unwrap_or(b"");
        let known = RUNNING.binary_search_by(|known| known.as_bytes().cmp(plain));
        length > 1 && known.is_ok()
    })
}

/// What stands in the literals of a text that begin as SQL does.
pub(super) fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(literal) = text.get(at..).and_then(opened) {
        let start = at + literal.start;
        let inner = text.get(start..).unwrap_or("");
        at = start;
        if sql::may_be(inner) {
            let mut joined = String::new();
            at += literal.take(inner, &mut joined);
            found.push(joined);
        }
    }
    found
}

/// A literal that is open.
struct Literal<'t> {
    /// Where what it holds begins.
    start: usize,
    /// What closes it.
    close: &'t str,
}

/// The next literal that opens in a text: at a quote, three of them, or a tag between dollars.
fn opened(text: &str) -> Option<Literal<'_>> {
    let bytes = text.as_bytes();
    let mut places = bytes.iter().enumerate();
    places.find_map(|(at, byte)| {
        let close = match byte {
            b'$' => tag(text.get(at..)?)?,
            b'\'' | b'"' if bytes.get(at..at + 3) == Some(&[*byte; 3]) => text.get(at..at + 3)?,
            b'\'' | b'"' | b'`' => text.get(at..=at)?,
            _ => return None,
        };
        let start = at + close.len();
        Some(Literal { start, close })
    })
}

/// The tag that a text begins with: a name between two dollars, or none between them.
fn tag(text: &str) -> Option<&str> {
    let name = text.get(1..)?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = name.bytes().take(64).take_while(is_name).count();
    let tag = text.get(..length + 2)?;
    tag.ends_with('$').then_some(tag)
}

impl Literal<'_> {
    /// Takes over what stands in it and what is joined to it; where the text goes on.
    fn take(&self, inner: &str, out: &mut String) -> usize {
        let mut at = self.one(inner, out);
        loop {
            let rest = inner.get(at..).unwrap_or("");
            let bare =
                rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || "+|.&\\".contains(c));
            let skipped = rest.len() - bare.len();
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '.');
            let joins = rest
                .get(..skipped)
                .is_some_and(|s| s.contains(['+', '|', '.', '&']));
            let name = bare.find(|c| !is_name(c)).unwrap_or(bare.len());
            match bare.as_bytes().first() {
                Some(b'\'' | b'"') => {
                    let close = bare.get(..1).unwrap_or("");
                    let next = Literal { start: 1, close };
                    let held = bare.get(1..).unwrap_or("");
                    at += skipped + 1 + next.one(held, out);
                }
                Some(_) if joins && name > 0 => {
                    out.push_str(bare.get(..name).unwrap_or(""));
                    at += skipped + name;
                }
                _ => return at,
            }
        }
    }

    /// Takes over what stands in it: as it is, but for quotes and line ends that are written out. All that
    /// is left where nothing closes it.
    fn one(&self, inner: &str, out: &mut String) -> usize {
        let bytes = inner.as_bytes();
        let quote = self.close.as_bytes().first().copied().unwrap_or(0);
        let mut kept = 0;
        let mut at = 0;
        while let Some(found) = bytes
            .get(at..)
            .and_then(|rest| memchr::memchr2(quote, b'\\', rest))
        {
            let here = at + found;
            let next = bytes.get(here + 1);
            let closes = inner
                .get(here..)
                .is_some_and(|rest| rest.starts_with(self.close));
            if bytes.get(here) == Some(&b'\\') {
                let plain = match next {
                    Some(b'n' | b'r' | b't') => " ",
                    Some(b'"') => "\"",
                    Some(b'\'') => "'",
                    _ => "\\",
                };
                out.push_str(inner.get(kept..here).unwrap_or(""));
                out.push_str(plain);
                at = here + if plain == "\\" { 1 } else { 2 };
                kept = at;
            } else if closes && self.close.len() == 1 && next == Some(&quote) {
                out.push_str(inner.get(kept..=here).unwrap_or(""));
                at = here + 2;
                kept = at;
            } else if closes {
                out.push_str(inner.get(kept..here).unwrap_or(""));
                return here + self.close.len();
            } else {
                at = here + 1;
            }
        }
        out.push_str(inner.get(kept..).unwrap_or(""));
        inner.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_sorted_and_short() {
        assert!(RUNNING.is_sorted());
        assert!(RUNNING.iter().all(|name| name.len() < LONGEST));
    }

    #[test]
    fn literals_that_hold_sql_are_found() {
        for (text, expected) in [
            ("cur.execute('DELETE FROM a')", "DELETE FROM a"),
            ("db.query(`delete from a`)", "delete from a"),
            ("q(\"\"\"\n  delete from a\n\"\"\")", "\n  delete from a\n"),
            ("x(\"delete \\\"a\\\"\\nfrom b\")", "delete \"a\" from b"),
            (
                "EXECUTE 'delete from a where b = ''c'''",
                "delete from a where b = 'c'",
            ),
            ("DO $$begin x; end$$", "begin x; end"),
            ("DO $a$ begin $$ $a$ x", " begin $$ "),
            ("it's 'drop table a'", "drop table a"),
            ("'delete from ' || 'a' || b, 'c'", "delete from ab"),
            (
                "\"delete from \" + t + \" where 1=1\"",
                "delete from t where 1=1",
            ),
            ("(\"delete \"\n   \"from a\")", "delete from a"),
            ("'drop table a", "drop table a"),
        ] {
            assert_eq!(literals(text), [expected], "{text}");
        }
        assert!(literals("'a' \"b\" `c` $d$ $$").is_empty());
    }

    #[test]
    fn code_that_runs_statements_is_told() {
        for (code, expected) in [
            ("cur.execute(x)", true),
            ("await prisma.$executeRawUnsafe(x)", true),
            ("pd.read_sql(x)", true),
            ("sql`delete`", true),
            ("print(x)", false),
            ("see (execute)", false),
            ("execute", false),
        ] {
            assert_eq!(runs(code), expected, "{code}");
        }
    }

    /// Rationale: openings without ends must not each look for theirs through all that follows.
    #[test]
    fn work_is_linear_in_the_text() {
        for part in [
            "'",
            "\"",
            "`",
            "$",
            "$$",
            "$a$",
            "'drop",
            "$a$drop",
            "'drop'+",
            "'drop'x'",
            "\\",
            "'\\",
            "(",
            "do(",
            "'drop $$ ",
            "\"\"\"drop",
            "'   ",
            "do $$ ' ",
        ] {
            let text = part.repeat((1 << 20) / part.len());
            let found: usize = literals(&text).iter().map(String::len).sum();
            assert!(found <= 2 * text.len(), "{part}");
            runs(&text);
        }
    }
}
