//! Texts in other languages than that of shells, which commands hand to the programs that read them:
//! clients of databases, and interpreters.

use super::command::Simple;

/// Programs that read SQL or a language in which SQL is written down, without the number of a version.
const READERS: &[&str] = &[
    "aws",
    "beeline",
    "bq",
    "bun",
    "clickhouse",
    "clickhouse-client",
    "cockroach",
    "cqlsh",
    "db",
    "deno",
    "duckdb",
    "gcloud",
    "heroku",
    "hive",
    "impala-shell",
    "isql",
    "litecli",
    "mariadb",
    "mycli",
    "mysql",
    "mysqlsh",
    "node",
    "osql",
    "perl",
    "pgcli",
    "php",
    "psql",
    "pypy",
    "python",
    "ruby",
    "snow",
    "snowsql",
    "spark-sql",
    "sqlcl",
    "sqlcmd",
    "sqlite",
    "sqlplus",
    "trino",
    "turso",
    "usql",
    "wp",
    "wrangler",
];

/// Words of a command that are looked at for the name of a program.
const WORDS: usize = 64;

/// Whether a command, or one that it runs elsewhere, is such a program, by its words.
pub(super) fn reads(command: &Simple) -> bool {
    command.words.iter().take(WORDS).any(|word| is_reader(word))
}

/// Whether a word names such a program.
pub(super) fn is_reader(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    READERS.binary_search(&name).is_ok()
}

/// What a command hands to such a program: words that hold blanks, without the option that they are
/// part of, and what it is given to read.
pub(super) fn texts(command: &Simple) -> impl Iterator<Item = &str> {
    let blank = |word: &&str| memchr::memchr3(b' ', b'\n', b'\t', word.as_bytes()).is_some();
    let words = command.words.iter().skip(1).map(String::as_str);
    let words = words.filter(blank).map(value);
    let input = Some(&*command.input).filter(|input| !input.is_empty());
    let mut all = words.chain(input).peekable();
    let reads = all.peek().is_some() && reads(command);
    all.filter(move |_| reads)
}

/// What stands behind the option in a word such as `--execute=…` or `-e…`.
fn value(word: &str) -> &str {
    let value = match word.as_bytes() {
        [b'-', b'-', ..] => word.split_once('=').map(|(_, value)| value),
        [b'-', b'a'..=b'z' | b'A'..=b'Z', ..] => word.get(2..),
        _ => None,
    };
    value.unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facets::of_call;
    use crate::trace::json;

    fn handed(line: &str) -> Vec<String> {
        let mut args = String::from("{\"command\":");
        json::write_string(line, &mut args);
        args.push('}');
        let args = json::parse(args.as_bytes()).expect("JSON");
        of_call("Bash", &args).handed
    }

    #[test]
    fn readers_are_sorted() {
        assert!(READERS.is_sorted());
    }

    /// Rationale: what a client is told is the same however it reaches it.
    #[test]
    fn what_clients_read_is_found_however_it_reaches_them() {
        for line in [
            "psql -d shop -c 'drop table t'",
            "psql '--command=drop table t'",
            "mysql -e'drop table t' shop",
            "sqlite3 shop.db \"drop table t\"",
            "/opt/pg/bin/psql16 -c 'drop table t'",
            "psql <<< 'drop table t'",
            "psql <<EOF\ndrop table t\nEOF",
            "cat <<'EOF' | psql\ndrop table t\nEOF",
            "echo 'drop table t' | psql -d shop",
            "echo drop table t | sudo -u postgres psql",
            "printf '%s\\n' 'drop table t' | mysql",
            "q='drop table t'; psql -c \"$q\"",
            "docker exec -i db psql -c 'drop table t'",
            "echo 'drop table t' | docker exec -i db psql",
            "ssh db1 \"psql -c 'drop table t'\"",
            "python3 - <<EOF\ndrop table t\nEOF",
        ] {
            let found = handed(line);
            assert!(
                found.iter().any(|text| text.trim() == "drop table t"),
                "{line}: {found:?}"
            );
        }
    }

    #[test]
    fn what_others_read_is_not() {
        for line in [
            "git commit -m 'drop table t'",
            "echo 'drop table t' | grep drop",
            "echo 'drop table t' > psql.txt",
            "psql -l",
            "cat <<EOF > a.sql\ndrop table t\nEOF",
        ] {
            assert!(handed(line).is_empty(), "{line}");
        }
    }
}
