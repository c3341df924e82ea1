//! The plain view of a call that patterns are looked for in: one line for the tool's name, each
//! argument, each command, each file and each host, in lower case.
//!
//! Every line begins with a mark, a control character; those of the call's own text become
//! spaces, so that no text can pass for a line of another kind.

use super::globs;
use super::sql;
use super::statements::{self, Statements};
use crate::facets::names::is_snake;
use crate::firewall::plain::DOCUMENTS;
use crate::firewall::text::Action;
use crate::trace::json::Json;

/// Marks of lines by their names in the table: the tool's name in words, an argument as
/// `key=value`, a command, a file read, written or deleted, an SQL statement, the intent, a host.
pub const MARKS: &[(&str, char)] = &[
    ("@T", '\x01'),
    ("@K", '\x02'),
    ("@C", '\x03'),
    ("@R", '\x04'),
    ("@W", '\x05'),
    ("@D", '\x06'),
    ("@S", '\x07'),
    ("@I", '\x08'),
    ("@H", '\x0e'),
];

/// Bytes that are looked at, of one string at its head and at its tail each.
const PART: usize = 256 << 10;

/// Bytes of a text that are looked at for SQL. More than that is left out of the view too.
const SQL: usize = 2 * PART;

/// Bytes of a view from which on no further strings are taken in.
const VIEW: usize = 1 << 20;

/// The line of a tool's name: in words, and as it is written.
pub fn tool(name: &str) -> String {
    let mut out = String::new();
    let mut words = String::new();
    spread(name, ' ', &mut words);
    words.push(' ');
    words.push_str(name);
    line('\x01', "", &words, &mut out);
    out
}

/// The line of an intent, of what it asks for.
pub fn intent(intent: &str) -> String {
    let mut out = String::new();
    line('\x08', "", &wanted(intent), &mut out);
    out
}

/// Words from which on a clause says what is not wanted; so do those that end in `n't`.
const NEGATIONS: &[&str] = &["not", "never", "without", "dont", "neither", "nor"];

/// An intent without what it forbids: from a negation to the end of its clause. Who says that nothing
/// is to be deleted has not asked for a deletion.
fn wanted(intent: &str) -> String {
    let mut out = String::with_capacity(intent.len());
    let mut forbidden = false;
    for part in intent.split_inclusive(char::is_whitespace) {
        let word = part.trim().to_lowercase().replace('\u{2019}', "'");
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'');
        if bare == "but" {
            forbidden = false;
        }
        forbidden |= NEGATIONS.contains(&bare) || bare.ends_with("n't");
        if !forbidden {
            out.push_str(part);
        }
        if word.ends_with(['.', ',', ';', ':', '!', '?']) || part.ends_with('\n') {
            forbidden = false;
        }
    }
    out
}

/// The view of a call without its tool's name.
pub fn of(action: &Action<'_>) -> View {
    let facets = action.facets;
    let mut view = View {
        text: String::with_capacity(512),
        cut: false,
        others: false,
        keys: String::with_capacity(64),
        key: 0,
        writes: !facets.writes.is_empty(),
    };
    view.value(action.args);
    for (mark, list) in [
        ('\x03', &facets.commands),
        ('\x04', &facets.reads),
        ('\x05', &facets.writes),
        ('\x06', &facets.deletes),
        ('\x0e', &facets.hosts),
    ] {
        for text in list {
            view.line(mark, text);
        }
    }
    for path in &facets.reads {
        if let Some(secret) = globs::secret(path) {
            view.line('\x04', &secret);
        }
    }
    for text in &facets.handed {
        view.cut |= text.len() > SQL;
        view.statements(statements::handed(head(text, SQL)));
    }
    view
}

/// The lines of a call.
#[derive(Debug)]
pub struct View {
    /// The lines, one after the other.
    pub text: String,
    /// Whether some of the call's text is left out.
    pub cut: bool,
    /// Whether its SQL has something beside the statements that is not known.
    pub others: bool,
    /// The keys around the value that is looked at, in snake case, one behind the other.
    keys: String,
    /// Where the innermost of them begins.
    key: usize,
    /// Whether the call writes files.
    writes: bool,
}

impl View {
    fn value(&mut self, value: &Json<'_>) {
        match value {
            Json::Null => {}
            Json::Bool(true) => self.line('\x02', "true"),
            Json::Bool(false) => self.line('\x02', "false"),
            Json::Number(number) => self.line('\x02', number),
            Json::String(text) => {
                self.line('\x02', &text.text);
                self.sql(&text.text);
            }
            Json::Array(items) => items.iter().for_each(|item| self.value(item)),
            Json::Object(members) => {
                for (key, value) in members {
                    let outer = std::mem::replace(&mut self.key, self.keys.len());
                    spread(head(&key.text, 64), '_', &mut self.keys);
                    self.value(value);
                    self.keys.truncate(self.key);
                    self.key = outer;
                }
            }
        }
    }

    fn line(&mut self, mark: char, text: &str) {
        if self.text.len() >= VIEW {
            self.cut = true;
            return;
        }
        let key = self.keys.get(self.key..).unwrap_or("");
        let tail = text.len() - head(text, text.len().saturating_sub(PART)).len();
        if text.len() > 2 * PART {
            self.cut = true;
            line(mark, key, head(text, PART), &mut self.text);
            line(mark, key, &text[text.len() - tail..], &mut self.text);
        } else {
            line(mark, key, text, &mut self.text);
        }
    }

    /// The statements of a text that is SQL, or code that hands them to a database.
    fn sql(&mut self, text: &str) {
        let text = head(text, SQL);
        if sql::may_be(text) {
            self.statements(statements::statements(text));
        } else if statements::may_hold(text) && !(self.writes && self.is_document()) {
            self.statements(statements::in_code(text));
        }
    }

    /// Whether the value is what a file is to hold.
    fn is_document(&self) -> bool {
        let key = self.keys.get(self.key..).unwrap_or("");
        DOCUMENTS.contains(&key)
    }

    fn statements(&mut self, found: Statements) {
        self.others |= found.others;
        for statement in found.list {
            self.line('\x07', &statement);
        }
    }
}

/// Appends a line; its text in lower case, its control characters spaces.
fn line(mark: char, key: &str, text: &str, out: &mut String) {
    out.push(mark);
    if mark == '\x02' {
        out.push_str(key);
        out.push('=');
    }
    let from = out.len();
    let is_control = |b: u8| b < b' ' && b != b'\n' && b != b'\t';
    // Every byte is looked at, many at a time.
    let any_control = text.bytes().fold(false, |any, b| any | is_control(b));
    if any_control {
        let plain = |c: char| match c {
            '\n' | '\t' => c,
            c if c.is_ascii_control() => ' ',
            c => c,
        };
        out.extend(text.chars().map(plain));
    } else {
        out.push_str(text);
    }
    if let Some(text) = out.get_mut(from..) {
        text.make_ascii_lowercase();
    }
    out.push('\n');
}

/// Appends a name in lower case, its words kept apart: at changes of case and at all that is no
/// letter or digit.
fn spread(name: &str, between: char, out: &mut String) {
    if between == '_' && is_snake(name) {
        return out.push_str(name);
    }
    let mut last = ' ';
    let from = out.len();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            let begins =
                c.is_ascii_uppercase() && (last.is_ascii_lowercase() || last.is_ascii_digit());
            let parted = !last.is_ascii_alphanumeric();
            if (begins || parted) && out.len() > from {
                out.push(between);
            }
            out.push(c.to_ascii_lowercase());
        }
        last = c;
    }
}

/// The beginning of a text, at most this many bytes.
pub fn head(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forbidden_is_not_asked_for() {
        for (intent, left) in [
            (
                "Read my mail. Do not delete anything. Then reply.",
                "Read my mail. Do Then reply.",
            ),
            (
                "Summarise it, but never send a mail, and file it",
                "Summarise it, but and file it",
            ),
            ("Don\u{2019}t push\nRun the tests", "Run the tests"),
            ("List files without removing any", "List files "),
            ("Delete the log", "Delete the log"),
        ] {
            assert_eq!(wanted(intent), left);
        }
    }
    use crate::facets;
    use crate::trace::json;

    fn view_of(tool: &str, args: &str) -> String {
        let args = json::parse(args.as_bytes()).expect("valid JSON");
        let facets = facets::of_call(tool, &args);
        let (text, args) = (args.leaves(), &args);
        let action = Action {
            tool,
            args,
            text: &text,
            facets: &facets,
        };
        of(&action).text
    }

    #[test]
    fn lines_are_marked_and_cannot_be_forged() {
        let view = view_of("x", r#"{"userId":"A\u0001b","n":[1,true,null]}"#);
        assert_eq!(view, "\x02user_id=a b\n\x02n=1\n\x02n=true\n");
        assert_eq!(
            tool("mcp__mail__sendEmail2Me"),
            "\x01mcp mail send email2 me mcp__mail__sendemail2me\n"
        );
        let view = view_of("Bash", r#"{"command":"sudo RM x"}"#);
        assert!(view.contains("\x03rm x\n"), "{view:?}");
    }

    #[test]
    fn comments_are_no_part_of_a_statement() {
        let view = view_of(
            "q",
            r#"{"sql":"DELETE FROM t -- where id = 1\n; SELECT /* x */ 1"}"#,
        );
        assert!(
            view.contains("\x07delete from t\n\x07select 1\n"),
            "{view:?}"
        );
    }

    /// Rationale: of what runs to its end all has to be seen, or that some is not.
    #[test]
    fn statements_behind_long_ones_are_seen() {
        let select = |bytes| format!("SELECT '{}'; DELETE FROM t", "x".repeat(bytes));
        let view = view_of("q", &format!("{{\"sql\":\"{}\"}}", select(300 << 10)));
        assert!(view.contains("\x07delete from t\n"));
        let args = format!("{{\"command\":\"psql -c \\\"{}\\\"\"}}", select(300 << 10));
        assert!(view_of("Bash", &args).contains("\x07delete from t\n"));
    }

    #[test]
    fn of_long_texts_the_ends_are_seen() {
        let text = format!("{{\"a\":\"head{}tail\"}}", "ü".repeat(1 << 19));
        let view = view_of("x", &text);
        assert!(view.contains("=head") && view.contains("tail\n"));
        assert!(view.len() < 4 * PART);
    }
}
