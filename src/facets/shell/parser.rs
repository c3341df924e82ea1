//! Lists of commands: separators, reserved words, redirections and here-documents.

use super::word::Word;
use super::{MAX_NESTING, Redirect, Simple};

/// Why reading stopped before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A quote, a substitution or a compound command is not closed.
    Unterminated,
    /// Nested deeper than [`MAX_NESTING`].
    TooDeep,
}

/// What ends a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Close {
    /// The end of the text.
    End,
    /// A closing parenthesis.
    Paren,
}

/// A here-document whose body has not been reached.
struct Pending {
    command: usize,
    delimiter: String,
    strip_tabs: bool,
    expands: bool,
}

/// What the words of the open command are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Command,
    /// The head of a `for` or `select` loop, with the number of words so far.
    Loop(usize),
    /// The head of a `case`.
    Case,
}

/// The command being read in a list.
struct Open {
    command: Option<usize>,
    kind: Kind,
    cases: usize,
}

/// A reader at a place of a text.
pub(super) struct Parser<'a> {
    pub(super) src: &'a str,
    pub(super) pos: usize,
    pub(super) depth: usize,
    commands: Vec<Simple>,
    pending: Vec<Pending>,
    stray: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(src: &'a str, depth: usize) -> Self {
        Parser {
            src,
            pos: 0,
            depth,
            commands: Vec::new(),
            pending: Vec::new(),
            stray: false,
        }
    }

    /// The commands found and whether the whole text was understood.
    pub(super) fn run(mut self) -> (Vec<Simple>, bool) {
        let whole = self.list(Close::End).is_ok() && !self.stray;
        (self.commands, whole)
    }

    /// Takes over what was found in a text inside this one.
    pub(super) fn adopt(&mut self, inner: Parser<'_>) {
        self.stray |= inner.stray;
        self.commands.extend(inner.commands);
    }

    pub(super) fn enter(&mut self) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(Stop::TooDeep);
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.src[self.pos..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek();
        self.pos += c.map_or(0, char::len_utf8);
        c
    }

    pub(super) fn starts(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.starts(text);
        self.pos += if found { text.len() } else { 0 };
        found
    }

    fn blanks(&mut self) {
        while self.eat(" ") || self.eat("\t") || self.eat("\\\n") || self.starts("\r\n") {
            if self.starts("\r\n") {
                self.pos += 1;
            }
        }
        if self.starts("#") {
            let rest = self.rest();
            self.pos += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Reads commands up to what closes the list, and takes that.
    pub(super) fn list(&mut self, close: Close) -> Result<(), Stop> {
        let mut open = Open {
            command: None,
            kind: Kind::Command,
            cases: 0,
        };
        loop {
            self.blanks();
            let Some(c) = self.peek() else {
                return match close {
                    Close::End => Ok(()),
                    Close::Paren => Err(Stop::Unterminated),
                };
            };
            match c {
                '\n' => {
                    self.bump();
                    self.here_documents()?;
                    if open.kind != Kind::Case {
                        open.end();
                    }
                }
                ';' => self.semicolons(&mut open)?,
                '&' if self.starts("&>") => self.redirect(&mut open)?,
                '&' | '|' => {
                    let _ = self.eat("&&") || self.bump().is_some();
                    open.end();
                }
                '<' | '>' if !self.starts("<(") && !self.starts(">(") => {
                    self.redirect(&mut open)?;
                }
                '(' => self.parenthesis(&mut open)?,
                ')' => {
                    self.bump();
                    if close == Close::Paren {
                        return Ok(());
                    }
                    self.stray = true;
                    open.end();
                }
                _ => self.command_word(&mut open)?,
            }
        }
    }

    fn semicolons(&mut self, open: &mut Open) -> Result<(), Stop> {
        self.bump();
        let case_ends = self.eat(";&") || self.eat(";") || self.eat("&");
        open.end();
        if case_ends && open.cases > 0 {
            self.pattern(open)?;
        }
        Ok(())
    }

    fn parenthesis(&mut self, open: &mut Open) -> Result<(), Stop> {
        let words = open.command.map_or(0, |n| self.commands[n].words.len());
        let arithmetic = words == 0 && self.starts("((");
        if arithmetic && self.arithmetic_end(self.pos).is_some() {
            let start = self.pos;
            let command = self.slot(open);
            self.arithmetic()?;
            if open.kind == Kind::Command {
                let text = self.src[start..self.pos].to_owned();
                self.commands[command].words.push(text);
            }
            return Ok(());
        }
        let empty = self.rest()[1..].trim_start_matches([' ', '\t']);
        if words == 1 && empty.starts_with(')') {
            // A function's name; its body is read like any other commands.
            self.pos = self.src.len() - empty.len() + 1;
            if let Some(n) = open.command.take() {
                self.commands[n] = Simple::default();
            }
            return Ok(());
        }
        if words == 0 {
            return self.subshell();
        }
        self.group_in_word(open)
    }

    /// Takes parentheses among a command's words: an extended pattern, or another shell's
    /// substitution. They stay in the words, and what they hold is read as commands too.
    fn group_in_word(&mut self, open: &mut Open) -> Result<(), Stop> {
        let command = self.slot(open);
        let before = self.src[..self.pos].chars().next_back();
        let mut text = String::new();
        self.substitution(0, &mut text)?;
        let words = &mut self.commands[command].words;
        match words.last_mut() {
            Some(last) if before.is_some_and(|c| !c.is_whitespace()) => last.push_str(&text),
            _ => words.push(text),
        }
        Ok(())
    }

    /// The command being read, begun here if there is none: commands stand in the order in which
    /// they begin.
    fn slot(&mut self, open: &mut Open) -> usize {
        *open.command.get_or_insert_with(|| {
            self.commands.push(Simple::default());
            self.commands.len() - 1
        })
    }

    fn command_word(&mut self, open: &mut Open) -> Result<(), Stop> {
        let command = self.slot(open);
        let word = self.word()?;
        if self.is_descriptor(&word) {
            return Ok(());
        }
        match open.kind {
            Kind::Loop(words) => {
                // `for NAME do` loops over the positional parameters.
                open.kind = Kind::Loop(words + 1);
                if words == 1 && word.is("do") {
                    open.end();
                }
            }
            Kind::Case => {
                if word.is("in") {
                    open.end();
                    open.cases += 1;
                    self.pattern(open)?;
                }
            }
            Kind::Command if self.commands[command].words.is_empty() => {
                self.first_word(word, command, open)?;
            }
            Kind::Command => self.commands[command].words.push(word.text),
        }
        Ok(())
    }

    /// Whether the word is the descriptor of a redirection that follows at once: `2>` or `{fd}>`.
    fn is_descriptor(&self, word: &Word) -> bool {
        let text = word.text.as_str();
        let named = || {
            let name = text.strip_prefix('{').and_then(|t| t.strip_suffix('}'));
            name.is_some_and(|n| n.chars().all(|c| c.is_alphanumeric() || c == '_'))
        };
        matches!(self.peek(), Some('<' | '>'))
            && word.quoted_at.is_none()
            && !text.is_empty()
            && (text.bytes().all(|b| b.is_ascii_digit()) || named())
    }

    fn first_word(&mut self, word: Word, command: usize, open: &mut Open) -> Result<(), Stop> {
        let reserved = if word.quoted_at.is_none() && self.commands[command].is_empty() {
            word.text.as_str()
        } else {
            ""
        };
        match reserved {
            "if" | "then" | "elif" | "else" | "fi" | "while" | "until" | "do" | "done" | "{"
            | "}" | "!" | "coproc" => {}
            "esac" => open.cases = open.cases.saturating_sub(1),
            "for" | "select" => open.kind = Kind::Loop(0),
            "case" => open.kind = Kind::Case,
            "function" => {
                self.blanks();
                self.word()?;
                self.blanks();
                if self.eat("(") {
                    self.blanks();
                    self.eat(")");
                }
            }
            "[[" => self.test(command)?,
            _ if word.is_assignment() => {
                let mut text = word.text;
                if self.starts("(") && text.ends_with('=') {
                    self.array(&mut text)?;
                }
                self.commands[command].assignments.push(text);
            }
            _ => self.commands[command].words.push(word.text),
        }
        Ok(())
    }

    /// Takes the values of an array assignment.
    fn array(&mut self, text: &mut String) -> Result<(), Stop> {
        let start = self.pos;
        self.bump();
        self.enter()?;
        loop {
            self.blanks();
            match self.peek().ok_or(Stop::Unterminated)? {
                ')' => break,
                _ => self.any_word().map(|_| ())?,
            }
        }
        self.bump();
        self.leave();
        text.push_str(&self.src[start..self.pos]);
        Ok(())
    }

    /// Takes a word or, where none stands here, an operator.
    fn any_word(&mut self) -> Result<Word, Stop> {
        let start = self.pos;
        let mut word = self.word()?;
        if self.pos == start {
            let _ = self.eat("&&") || self.eat("||") || self.bump().is_some();
            word.text.push_str(&self.src[start..self.pos]);
        }
        Ok(word)
    }

    /// Takes the rest of `[[ … ]]`, in which operators are plain words.
    fn test(&mut self, command: usize) -> Result<(), Stop> {
        self.commands[command].words.push("[[".into());
        loop {
            self.blanks();
            self.peek().ok_or(Stop::Unterminated)?;
            let word = self.any_word()?;
            let end = word.is("]]");
            if word.text != "\n" {
                self.commands[command].words.push(word.text);
            }
            if end {
                return Ok(());
            }
        }
    }

    /// Takes the patterns of a `case` branch and the parenthesis behind them, or the `esac`.
    fn pattern(&mut self, open: &mut Open) -> Result<(), Stop> {
        loop {
            self.blanks();
            match self.peek().ok_or(Stop::Unterminated)? {
                ')' => {
                    self.bump();
                    return Ok(());
                }
                _ => {
                    if self.any_word()?.is("esac") {
                        open.cases -= 1;
                        return Ok(());
                    }
                }
            }
        }
    }

    fn redirect(&mut self, open: &mut Open) -> Result<(), Stop> {
        const OPERATORS: &[&str] = &[
            "&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">",
        ];
        let command = self.slot(open);
        let found = OPERATORS.iter().find(|op| self.starts(op));
        let operator = found.copied().unwrap_or(">");
        self.pos += operator.len();
        self.blanks();
        let word = self.word()?;
        if word.text.is_empty() && word.quoted_at.is_none() {
            self.stray = true;
            return Ok(());
        }
        match operator {
            "<<<" => {
                let input = &mut self.commands[command].input;
                input.push_str(&word.text);
                input.push('\n');
            }
            "<<" | "<<-" => self.pending.push(Pending {
                command,
                strip_tabs: operator == "<<-",
                expands: word.quoted_at.is_none(),
                delimiter: word.text,
            }),
            // Another descriptor, not a file.
            "<&" | ">&" if word.text.bytes().all(|b| b.is_ascii_digit() || b == b'-') => {}
            _ => self.commands[command].redirects.push(Redirect {
                reads: matches!(operator, "<" | "<>" | "<&"),
                writes: !matches!(operator, "<" | "<&"),
                target: word.text,
            }),
        }
        Ok(())
    }

    /// Takes the bodies of the here-documents announced on the line that just ended. A missing
    /// delimiter ends the body with the text, as it does in a shell.
    fn here_documents(&mut self) -> Result<(), Stop> {
        for here in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            while self.pos < self.src.len() {
                let line = self.rest().split_inclusive('\n').next().unwrap_or("");
                self.pos += line.len();
                let line = if here.strip_tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                if line.trim_end_matches(['\n', '\r']) == here.delimiter {
                    break;
                }
                body.push_str(line);
            }
            if here.expands {
                self.here_body(&body)?;
            }
            self.commands[here.command].input.push_str(&body);
        }
        Ok(())
    }
}

impl Open {
    fn end(&mut self) {
        self.command = None;
        self.kind = Kind::Command;
    }
}
