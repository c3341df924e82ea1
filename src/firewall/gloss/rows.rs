//! What the statements of a call do together: whether they only read, and whether one of them deletes or
//! changes every row of a table.

use super::coded::Coded;

/// Words that a statement which only reads begins with.
const READS: &[&str] = &[
    "desc", "describe", "explain", "select", "show", "values", "with",
];

/// Whether a statement that begins so does more than read by this word.
fn is_write(word: &str) -> bool {
    matches!(
        word,
        "alter"
            | "create"
            | "delete"
            | "drop"
            | "exec"
            | "execute"
            | "grant"
            | "insert"
            | "into"
            | "merge"
            | "revoke"
            | "truncate"
            | "update"
    )
}

/// Whether a word before `update` or `delete` makes that part of something else.
fn is_part(word: &str) -> bool {
    matches!(
        word,
        "after" | "as" | "before" | "do" | "for" | "key" | "of" | "on" | "or"
    )
}

/// Functions that change something or run what they are given, packages of such, and beginnings of both.
const FUNCTIONS: &[&str] = &[
    "dblink",
    "dbms_job",
    "dbms_pipe",
    "dbms_scheduler",
    "dbms_sql",
    "lo_",
    "load_extension",
    "pg_cancel_",
    "pg_create_",
    "pg_drop_",
    "pg_file_",
    "pg_notify",
    "pg_promote",
    "pg_reload_",
    "pg_replication_",
    "pg_rotate_",
    "pg_stat_reset",
    "pg_switch_",
    "pg_terminate_",
    "query_to_xml",
    "schedule",
    "set_config",
    "setval",
    "sys_eval",
    "sys_exec",
    "unschedule",
    "utl_",
    "writefile",
    "xp_",
];

/// Whether a setting with this word does not end with the session.
fn is_lasting(word: &str) -> bool {
    matches!(
        word,
        "authorization" | "global" | "persist" | "persist_only" | "role"
    )
}

/// Openings without ends that are kept in mind.
const OPEN: usize = 64;

/// The signs of the statements of a view. `alone` says whether the call runs nothing else.
pub(super) fn signs(view: &str, alone: bool, found: &mut impl FnMut(Coded)) {
    let mut only_reads = alone;
    let mut any = false;
    for statement in statements(view) {
        let kind = Kind::of(statement);
        any |= kind.reads;
        only_reads &= kind.reads || kind.idle;
        if kind.deletes {
            found(Coded::SqlDeletesAll);
        }
        if kind.updates {
            found(Coded::SqlUpdatesAll);
        }
    }
    if any && only_reads {
        found(Coded::SqlReads);
    }
}

/// The statements of a view.
pub(super) fn statements(view: &str) -> impl Iterator<Item = &str> {
    memchr::memchr_iter(b'\x07', view.as_bytes())
        .filter_map(|at| view.get(at + 1..)?.lines().next())
}

/// What a statement does.
#[derive(Debug, Default, PartialEq, Eq)]
struct Kind {
    /// It reads and does nothing else.
    reads: bool,
    /// It does nothing that lasts.
    idle: bool,
    /// It deletes every row of a table.
    deletes: bool,
    /// It changes every row of one.
    updates: bool,
}

/// A deletion or a change whose condition has not come yet.
#[derive(Clone, Copy)]
struct Open {
    depth: usize,
    deletes: bool,
}

impl Kind {
    fn of(statement: &str) -> Kind {
        let first = Words::new(statement).next();
        let first = first.map_or("", |word| word.text);
        let mut kind = Kind {
            reads: READS.binary_search(&first).is_ok(),
            idle: first == "set",
            ..Kind::default()
        };
        if matches!(first, "show" | "desc" | "describe" | "grant" | "revoke") {
            return kind;
        }
        // One that only tells how a statement would run does not run it.
        let tells = first == "explain";
        let mut runs = !tells;
        let mut open: Vec<Open> = Vec::new();
        let mut setting: Option<usize> = None;
        let mut before = ["", ""];
        for word in Words::new(statement) {
            let text = word.text;
            runs |= tells && matches!(text, "analyze" | "analyse");
            kind.reads = kind.reads && !word.writes(before[1]);
            kind.idle = kind.idle && !is_lasting(text);
            // What lies deeper is over, and so is what another statement follows.
            while let Some(last) = open.last().copied()
                && (word.depth < last.depth
                    || word.depth == last.depth && matches!(text, "select" | "insert" | "delete"))
            {
                kind.close(last);
                open.pop();
            }
            match text {
                "from" if before.contains(&"delete") => {
                    kind.open(word.depth, true, &mut open);
                }
                "update" if !is_part(before[1]) || word.after == b'(' => {
                    setting = Some(word.depth);
                }
                "set" if setting == Some(word.depth) => {
                    setting = None;
                    kind.open(word.depth, false, &mut open);
                }
                "where" | "limit" if open.last().is_some_and(|last| last.depth == word.depth) => {
                    open.pop();
                }
                _ => {}
            }
            before = [before[1], text];
        }
        open.into_iter().for_each(|last| kind.close(last));
        if !runs {
            return Kind {
                reads: true,
                ..Kind::default()
            };
        }
        kind
    }

    /// A deletion or a change begins; one too many counts as one without a condition.
    fn open(&mut self, depth: usize, deletes: bool, open: &mut Vec<Open>) {
        let begun = Open { depth, deletes };
        match open.len() < OPEN {
            true => open.push(begun),
            false => self.close(begun),
        }
    }

    /// A deletion or a change ends without a condition.
    fn close(&mut self, open: Open) {
        match open.deletes {
            true => self.deletes = true,
            false => self.updates = true,
        }
    }
}

/// A word of a statement, outside of literals.
#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    /// Parentheses that are open around it.
    depth: usize,
    /// What stands before it that is no blank; 0 at the beginning.
    after: u8,
    /// What follows right behind it, and what follows that is no blank and no quote; 0 at the end.
    next: [u8; 2],
}

impl Word<'_> {
    /// Whether a statement that begins as one which reads does more by this word.
    fn writes(&self, before: &str) -> bool {
        if matches!(self.next[1], b'(' | b'.') {
            let begins = |name: &&str| self.text.starts_with(name);
            if FUNCTIONS.iter().any(begins) {
                return true;
            }
        }
        // Some databases have functions of the same names.
        if self.next[0] == b'(' && !matches!(self.text, "exec" | "execute") {
            return false;
        }
        let is_name = || self.after == b'.' || self.after != b'(' && is_part(before);
        is_write(self.text) && !is_name()
    }
}

/// Goes along the words of a statement.
struct Words<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    after: u8,
    /// Whether literals are told from what is run: not where a backslash may end them in two ways, or
    /// where one has no end.
    literals: bool,
}

impl<'t> Words<'t> {
    fn new(text: &'t str) -> Words<'t> {
        let quotes = memchr::memchr_iter(b'\'', text.as_bytes()).count();
        Words {
            text,
            at: 0,
            depth: 0,
            after: 0,
            literals: quotes.is_multiple_of(2) && !text.contains('\\'),
        }
    }
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    fn next(&mut self) -> Option<Word<'t>> {
        let bytes = self.text.as_bytes();
        let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'#');
        while let Some(byte) = bytes.get(self.at) {
            if in_word(byte) {
                let rest = bytes.get(self.at..).unwrap_or_default();
                let length = rest.iter().take_while(|byte| in_word(byte)).count();
                let mut behind = rest.iter().skip(length);
                let is_sign = |byte: &&u8| !matches!(**byte, b' ' | b'"' | b'`' | b']');
                let follows = behind.clone().find(is_sign);
                let word = Word {
                    text: self.text.get(self.at..self.at + length).unwrap_or(""),
                    depth: self.depth,
                    after: self.after,
                    next: [behind.next(), follows].map(|byte| byte.copied().unwrap_or(0)),
                };
                self.at += length;
                self.after = b'a';
                return Some(word);
            }
            self.at += 1;
            match byte {
                b'(' => self.depth += 1,
                b')' => self.depth = self.depth.saturating_sub(1),
                b'\'' if self.literals => {
                    let rest = bytes.get(self.at..).unwrap_or_default();
                    self.at += memchr::memchr(b'\'', rest).map_or(rest.len(), |end| end + 1);
                }
                _ => {}
            }
            if *byte != b' ' {
                self.after = *byte;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [READS, FUNCTIONS] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }

    fn found(statements: &[&str], alone: bool) -> Vec<&'static str> {
        let view: String = statements.iter().map(|s| format!("\x07{s}\n")).collect();
        let mut found = Vec::new();
        signs(&view, alone, &mut |sign| found.push(sign.name()));
        found
    }

    /// Rationale: a selection in front of a deletion must not speak for it.
    #[test]
    fn all_statements_have_to_read() {
        for (statements, reads) in [
            (&["select 1"][..], true),
            (&["select 1", "show tables"], true),
            (&["set timeout = 5", "select 1"], true),
            (&["set role admin", "select 1"], false),
            (&["set global x = 5", "select 1"], false),
            (&["set x = 5"], false),
            (&[], false),
            (&["select 1", "delete from a where b = 1"], false),
            (&["delete from a where b = 1", "select 1"], false),
            (&["select 1 delete from a where b = 1"], false),
            (
                &["with a as (delete from b where c = 1 returning *) select * from a"],
                false,
            ),
            (
                &["with a as (select 1) update b set c = 1 where d = 2"],
                false,
            ),
            (
                &["with a as (select 1) insert into b select * from a"],
                false,
            ),
            (&["with a as (select 1) select * from a"], true),
            (&["explain analyze delete from a where b = 1"], false),
            (
                &["explain (analyze, buffers) update a set b = 1 where c = 2"],
                false,
            ),
            (&["explain delete from a"], true),
            (&["explain analyze select 1"], true),
            (&["select * into b from a"], false),
            (&["select a from b into outfile '/tmp/x'"], false),
            (&["select pg_terminate_backend(1)"], false),
            (&["select pg_catalog.set_config('a', 'b', false)"], false),
            (&["select lo_export(1, '/tmp/x')"], false),
            (&["select \"pg_terminate_backend\" (1)"], false),
            (&["select dbms_scheduler.run_job('x')"], false),
            (&["select lo_orderkey from lineorder"], true),
            (&["select a from b for update"], true),
            (&["select a from b for no key update"], true),
            (
                &["select t.update, last_update, truncate(x, 2) from t"],
                true,
            ),
            (
                &["select * from jobs where kind = 'delete' and note = 'it''s to drop'"],
                true,
            ),
            (
                &["select * from jobs where kind like '%\\' or x = ' delete from jobs --'"],
                false,
            ),
            (&["select 'a delete from b"], false),
            (&["show create table a"], true),
        ] {
            assert_eq!(
                found(statements, true).contains(&"sql_reads"),
                reads,
                "{statements:?}"
            );
            assert!(!found(statements, false).contains(&"sql_reads"));
        }
    }

    /// Rationale: a condition speaks for the statement that it is part of.
    #[test]
    fn a_condition_is_that_of_its_statement() {
        for (statement, sign) in [
            ("delete from a", "sql_delete_all"),
            ("delete from a returning *", "sql_delete_all"),
            ("delete from only a as b", "sql_delete_all"),
            ("delete b from a b", "sql_delete_all"),
            ("select 1 delete from a", "sql_delete_all"),
            ("delete from a select 1 where 1=1", "sql_delete_all"),
            (
                "with x as (delete from a returning *) select * from x where y = 1",
                "sql_delete_all",
            ),
            ("update a set b = 1", "sql_updates_all"),
            (
                "update a set b = (select c from d where e = 1)",
                "sql_updates_all",
            ),
            (
                "with x as (select 1 where true) update a set b = 1",
                "sql_updates_all",
            ),
        ] {
            assert_eq!(found(&[statement], true), [sign], "{statement}");
        }
        for statement in [
            "delete from a where b = 1",
            "delete from a using c where a.b = c.b",
            "delete from a order by b limit 5",
            "delete from a where b in (select b from c)",
            "update a set b = 1 where c = 2",
            "update a set b = (select 1) where c = 2",
            "insert into a values (1) on conflict (b) do update set c = 1",
            "insert into a values (1) on duplicate key update c = 1",
            "explain delete from a",
            "create trigger t before update on a for each row set new.b = 1",
            "grant update on a to b",
            "select a from b for update",
        ] {
            let found = found(&[statement], true);
            assert!(
                !found.iter().any(|sign| sign.ends_with("_all")),
                "{statement} {found:?}"
            );
        }
    }

    /// Rationale: openings without ends must not each look for theirs through all that follows.
    #[test]
    fn work_is_linear_in_the_text() {
        for part in [
            "(",
            ")",
            "'",
            "(delete from ",
            "update set ",
            "a",
            "where ",
            "\\' ",
        ] {
            let text = format!("select {}", part.repeat((1 << 20) / part.len()));
            Kind::of(&text);
        }
    }
}
