//! Comments of SQL, which could speak of conditions that are not there, told from literals that look
//! like them.
//!
//! What is a comment depends on the database: whether `\'` ends a string, whether comments nest, whether
//! `/*! … */` is run, whether `--` needs a space behind it. Where a text can be read in several ways
//! all of them are given, and the text as it is written too: what one database would run is then
//! seen whatever another makes of it. The work is linear in the text.

/// How a database reads comments and strings.
#[derive(Clone, Copy)]
struct Dialect {
    /// Whether a backslash in a string takes its meaning from the quote behind it.
    escapes: bool,
    /// Whether a comment inside a comment has an end of its own.
    nests: bool,
    /// Whether what stands in `/*! … */` is run.
    runs: bool,
}

/// The plain reading.
const PLAIN: Dialect = Dialect {
    escapes: false,
    nests: false,
    runs: true,
};

/// Ways to read a text that the plain one is unsure of.
const OTHERS: [Dialect; 3] = [
    Dialect {
        escapes: true,
        ..PLAIN
    },
    Dialect {
        nests: true,
        ..PLAIN
    },
    Dialect {
        runs: false,
        ..PLAIN
    },
];

/// A text without its comments, a space in the place of each; where it cannot be told what they are,
/// every reading of it, none twice, and the text itself.
pub fn taken_out(text: &str) -> Vec<String> {
    if !text.contains("--") && !text.contains("/*") {
        return vec![text.to_owned()];
    }
    let (plain, unsure) = Reader::read(text, PLAIN);
    let mut readings = vec![plain];
    if unsure {
        let others = OTHERS.map(|dialect| Reader::read(text, dialect).0);
        for other in others.into_iter().chain([text.to_owned()]) {
            if !readings.contains(&other) {
                readings.push(other);
            }
        }
    }
    readings
}

/// Reads a text once, from its beginning to its end.
struct Reader<'t> {
    rest: &'t str,
    dialect: Dialect,
    out: String,
    /// Whether another database may read the text in another way.
    unsure: bool,
}

impl<'t> Reader<'t> {
    /// The text without comments, and whether it can be read in another way.
    fn read(text: &'t str, dialect: Dialect) -> (String, bool) {
        let mut reader = Reader {
            rest: text,
            dialect,
            out: String::with_capacity(text.len()),
            unsure: false,
        };
        // Whether a name in brackets is open, and a comment that is run.
        let (mut bracket, mut running) = (false, false);
        let is_special = |c: char| "'\"`$-/*#[]".contains(c);
        while let Some(at) = reader.rest.find(is_special) {
            reader.keep(at);
            let rest = reader.rest;
            match rest.as_bytes() {
                [quote @ (b'\'' | b'"' | b'`'), ..] => {
                    reader.unsure |= bracket || reader.out.ends_with(['q', 'Q']);
                    reader.quoted(*quote);
                }
                [b'$', ..] => reader.dollar(),
                [b'-', b'-', after @ ..] => {
                    reader.unsure |= bracket || !after.first().is_none_or(u8::is_ascii_whitespace);
                    let end = rest.find('\n').unwrap_or(rest.len());
                    reader.leave_out(end);
                }
                [b'/', b'*', b'!', ..] | [b'/', b'*', b'M', b'!', ..] => {
                    reader.unsure = true;
                    if dialect.runs {
                        let mark = rest.find('!').map_or(0, |at| at + 1);
                        let digits = rest.bytes().skip(mark).take(6);
                        let version = digits.take_while(u8::is_ascii_digit).count();
                        reader.leave_out(mark + version);
                        running = true;
                    } else {
                        reader.comment();
                    }
                }
                [b'/', b'*', ..] => {
                    reader.unsure |= bracket;
                    reader.comment();
                }
                [b'*', b'/', ..] if running => {
                    reader.leave_out(2);
                    running = false;
                }
                [first, ..] => {
                    // To some databases it begins a comment.
                    reader.unsure |= *first == b'#';
                    bracket = *first == b'[' || bracket && *first != b']';
                    reader.keep(1);
                }
                [] => break,
            }
        }
        reader.keep(reader.rest.len());
        (reader.out, reader.unsure)
    }

    /// Takes over so many bytes.
    fn keep(&mut self, bytes: usize) {
        let (kept, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.out.push_str(kept);
        self.rest = rest;
    }

    /// Leaves so many bytes out, for a space.
    fn leave_out(&mut self, bytes: usize) {
        self.out.push(' ');
        self.rest = self.rest.get(bytes..).unwrap_or("");
    }

    /// Takes over what stands in quotes; all that is left where they are not closed. Doubled quotes are
    /// two strings side by side here, which comes to the same.
    fn quoted(&mut self, quote: u8) {
        let bytes = self.rest.as_bytes();
        let mut escaped = false;
        for (at, byte) in bytes.iter().enumerate().skip(1) {
            if *byte == quote {
                self.unsure |= escaped;
                if !(escaped && self.dialect.escapes && quote != b'`') {
                    return self.keep(at + 1);
                }
            }
            escaped = *byte == b'\\' && !escaped;
        }
        self.unsure = true;
        self.keep(bytes.len());
    }

    /// Takes over what stands between two of the same `$tag$`; all that is left where the second is
    /// missing, and the sign alone where it begins none.
    fn dollar(&mut self) {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let after = self.rest.get(1..).unwrap_or("");
        let length = after.find(|c| !is_name(c)).unwrap_or(after.len());
        let is_tag = after.get(length..).is_some_and(|end| end.starts_with('$'))
            && !after.starts_with(|c: char| c.is_ascii_digit())
            && !self.out.ends_with(|c| is_name(c) || c == '$');
        if !is_tag {
            return self.keep(1 + length);
        }
        let (tag, inner) = self
            .rest
            .split_at_checked(length + 2)
            .unwrap_or((after, ""));
        let end = inner.find(tag);
        let held = inner.get(..end.unwrap_or(inner.len())).unwrap_or("");
        // Where dollars are no quotes these are.
        self.unsure |= end.is_none() || held.contains(['\'', '"', '`']);
        self.keep(tag.len() + held.len() + end.map_or(0, |_| tag.len()));
    }

    /// Leaves a comment out that begins here; all that is left where it has no end.
    fn comment(&mut self) {
        let bytes = self.rest.as_bytes();
        let (mut at, mut depth) = (2, 1_usize);
        while let Some([first, second]) = bytes.get(at..at + 2) {
            match (first, second) {
                (b'*', b'/') => {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        return self.leave_out(at);
                    }
                }
                (b'/', b'*') => {
                    self.unsure = true;
                    // `/*/` ends a comment where there is no depth.
                    at += if self.dialect.nests { 2 } else { 1 };
                    depth += usize::from(self.dialect.nests);
                }
                _ => at += 1,
            }
        }
        self.unsure = true;
        self.leave_out(bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rationale: a literal that looks like a comment must not take what follows it out.
    #[test]
    fn literals_are_no_comments() {
        for text in [
            "SELECT '--' AS x; DELETE FROM orders",
            "SELECT '/*'; DELETE FROM orders; SELECT '*/'",
            "SELECT 1 AS \"--\"; DELETE FROM orders",
            "SELECT 1 AS `/*`; DELETE FROM orders",
            "SELECT $$--$$; DELETE FROM orders",
            "SELECT $a$ $$ -- $a$; DELETE FROM orders",
            "SELECT 'it''s -- ok'; DELETE FROM orders",
        ] {
            assert_eq!(taken_out(text)[0], text);
        }
        assert_eq!(
            taken_out("a -- it's\nb /* \" */ c '--' -- d"),
            ["a  \nb   c '--'  "]
        );
    }

    /// Rationale: what one database runs is seen, whatever another takes for a comment, and a
    /// condition that one database does not see is missing from a reading.
    #[test]
    fn where_it_cannot_be_told_every_reading_is_given() {
        for (text, reading) in [
            ("/*!50000 DELETE FROM orders */", "  DELETE FROM orders  "),
            ("/*!50000DELETE*/ FROM orders", " DELETE  FROM orders"),
            ("/*M!100100DELETE*/ FROM orders", " DELETE  FROM orders"),
            ("DELETE FROM t /*!99999 where a */", "DELETE FROM t  "),
            ("DELETE FROM t /* /* */ where a */", "DELETE FROM t  "),
            ("'\\' -- '; DELETE FROM t", "'\\' -- '; DELETE FROM t"),
            ("'\\''; DELETE FROM t -- where", "'\\''; DELETE FROM t  "),
            ("SELECT ' -- ; DELETE", "SELECT ' -- ; DELETE"),
            ("SELECT 5--1; DELETE", "SELECT 5--1; DELETE"),
            ("# '\n'--'; DELETE", "# '\n'--'; DELETE"),
            ("SELECT [--]; DELETE", "SELECT [--]; DELETE"),
            ("SELECT 1 /* ; DELETE", "SELECT 1 /* ; DELETE"),
        ] {
            let readings = taken_out(text);
            assert!(readings.iter().any(|r| r == reading), "{text} {readings:?}");
        }
    }

    /// Rationale: openings without ends must not each look for theirs through all that follows.
    #[test]
    fn work_is_linear_in_the_text() {
        for part in [
            "/*", "/*/", "/**/", "'", "$a$", "$", "$a", "--", "/*!", "[--\n", "\\'",
        ] {
            let text = format!("{} --", part.repeat(1 << 18));
            let readings = taken_out(&text);
            assert!(readings.len() <= OTHERS.len() + 2, "{part}");
            assert!(readings.iter().all(|r| r.len() <= text.len()), "{part}");
        }
    }
}
