//! Lists of commands: separators and reserved words.

use super::word::{PartKind, Word};
use super::{Assignment, Command, Keyword, Loop, MAX_NESTING, MAX_SCRIPT, Mark, Text};

/// Why reading stopped before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A quote, a substitution or a compound command is not closed.
    Unterminated,
    /// Nested deeper than [`MAX_NESTING`].
    TooDeep,
    /// Longer than [`MAX_SCRIPT`].
    TooLong,
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
pub(super) struct Pending {
    pub command: usize,
    pub delimiter: String,
    pub strip_tabs: bool,
    pub expands: bool,
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
pub(super) struct Open {
    command: Option<usize>,
    kind: Kind,
    cases: usize,
}

/// A reader at a place of a text.
pub(super) struct Parser<'a> {
    pub(super) src: &'a str,
    pub(super) pos: usize,
    pub(super) depth: usize,
    pub(super) found: Text,
    pub(super) pending: Vec<Pending>,
    pub(super) stray: bool,
    /// Bytes of here-documents that were passed over.
    pub(super) passed: usize,
    /// Where the last closing bracket of the text stands; zero where there is none.
    pub(super) last_bracket: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(src: &'a str, depth: usize) -> Self {
        Parser {
            src,
            pos: 0,
            depth,
            found: Text::default(),
            pending: Vec::new(),
            stray: false,
            passed: 0,
            last_bracket: src.rfind(']').unwrap_or(0),
        }
    }

    /// What is found, and whether the whole text was understood.
    pub(super) fn run(mut self) -> Text {
        let outcome = self.list(Close::End);
        self.found.complete = outcome.is_ok() && !self.stray;
        self.found.beyond = matches!(outcome, Err(Stop::TooDeep | Stop::TooLong));
        self.found
    }

    /// Takes over what was found in a text inside this one, which runs by itself.
    pub(super) fn adopt(&mut self, inner: Parser<'_>) {
        self.stray |= inner.stray;
        let (commands, loops) = (self.found.commands.len(), self.found.loops.len());
        let functions = self.found.functions.len();
        self.found.marks.push(Mark::Enter);
        self.found
            .marks
            .extend(inner.found.marks.iter().map(|mark| match *mark {
                Mark::Command(n) => Mark::Command(n + commands),
                Mark::Loop(n) => Mark::Loop(n + loops),
                Mark::Function(n) => Mark::Function(n + functions),
                mark => mark,
            }));
        self.found.marks.push(Mark::Leave);
        self.found.commands.extend(inner.found.commands);
        self.found.loops.extend(inner.found.loops);
        self.found.functions.extend(inner.found.functions);
    }

    pub(super) fn mark(&mut self, mark: Mark) {
        self.found.marks.push(mark);
    }

    /// Notes a reserved word in front of the command that began with it.
    fn reserved(&mut self, mark: Mark) {
        match self.found.marks.last_mut() {
            Some(last @ Mark::Command(_)) => {
                let command = std::mem::replace(last, mark);
                self.mark(command);
            }
            _ => self.mark(mark),
        }
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

    pub(super) fn blanks(&mut self) {
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
            if self.pos.saturating_sub(self.passed) > MAX_SCRIPT {
                return Err(Stop::TooLong);
            }
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
                        self.mark(Mark::End);
                        open.end();
                    }
                }
                ';' => self.semicolons(&mut open)?,
                '&' if self.starts("&>") => self.redirect(&mut open)?,
                '&' | '|' => {
                    let mark = self.operator();
                    self.mark(mark);
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
                    self.mark(Mark::End);
                    open.end();
                }
                _ => self.command_word(&mut open)?,
            }
        }
    }

    fn operator(&mut self) -> Mark {
        if self.eat("&&") {
            Mark::And
        } else if self.eat("||") {
            Mark::Or
        } else if self.eat("|&") || self.eat("|") {
            Mark::Pipe
        } else {
            self.bump();
            Mark::Background
        }
    }

    fn semicolons(&mut self, open: &mut Open) -> Result<(), Stop> {
        self.bump();
        let falls = self.eat(";&") || self.eat("&");
        let case_ends = falls || self.eat(";");
        self.mark(match case_ends && open.cases > 0 {
            true if falls => Mark::Fall,
            true => Mark::Else(Keyword::Case),
            false => Mark::End,
        });
        open.end();
        if case_ends && open.cases > 0 {
            self.pattern(open)?;
        }
        Ok(())
    }

    fn parenthesis(&mut self, open: &mut Open) -> Result<(), Stop> {
        let words = open
            .command
            .map_or(0, |n| self.found.commands[n].words.len());
        let arithmetic = words == 0 && self.starts("((");
        if arithmetic && self.arithmetic_end(self.pos).is_some() {
            let start = self.pos;
            let command = self.slot(open);
            self.arithmetic()?;
            if open.kind == Kind::Command {
                let word = Word::literal(&self.src[start..self.pos]);
                self.found.commands[command].words.push(word);
            }
            return Ok(());
        }
        let empty = self.rest()[1..].trim_start_matches([' ', '\t']);
        if words == 1 && empty.starts_with(')') {
            // A function's name; its body is read like any other commands.
            self.pos = self.src.len() - empty.len() + 1;
            let command = open.command.take();
            let command = command.map(|n| std::mem::take(&mut self.found.commands[n]));
            let name = command.and_then(|command| command.words.into_iter().next());
            let function = self.function(name.unwrap_or_default());
            self.mark(function);
            return Ok(());
        }
        if words == 0 {
            return self.subshell();
        }
        self.group_in_word(open)
    }

    fn function(&mut self, name: Word) -> Mark {
        self.found.functions.push(name.text);
        Mark::Function(self.found.functions.len() - 1)
    }

    /// Takes parentheses among a command's words: an extended pattern, or another shell's
    /// substitution. They stay in the words, and what they hold is read as commands too.
    fn group_in_word(&mut self, open: &mut Open) -> Result<(), Stop> {
        let command = self.slot(open);
        let before = self.src[..self.pos].chars().next_back();
        let mut group = Word::default();
        self.substitution(0, &mut group)?;
        let words = &mut self.found.commands[command].words;
        match words.last_mut() {
            Some(last) if before.is_some_and(|c| !c.is_whitespace()) => {
                let start = last.text.len();
                last.text.push_str(&group.text);
                last.mark(start, PartKind::Substitution);
            }
            _ => words.push(group),
        }
        Ok(())
    }

    /// The command being read, begun here if there is none: commands stand in the order in which
    /// they begin.
    pub(super) fn slot(&mut self, open: &mut Open) -> usize {
        *open.command.get_or_insert_with(|| {
            self.found.commands.push(Command::default());
            let command = self.found.commands.len() - 1;
            self.found.marks.push(Mark::Command(command));
            command
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
                match (words, self.found.loops.last_mut()) {
                    (1, _) if word.is("do") => open.end(),
                    (0, Some(head)) => head.name = word.text,
                    (2.., Some(head)) => head.words.push(word),
                    _ => {}
                }
            }
            Kind::Case => {
                if word.is("in") {
                    open.end();
                    open.cases += 1;
                    self.pattern(open)?;
                }
            }
            Kind::Command if self.found.commands[command].words.is_empty() => {
                self.first_word(word, command, open)?;
            }
            Kind::Command => self.found.commands[command].words.push(word),
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
            && !word.is_quoted()
            && !text.is_empty()
            && (text.bytes().all(|b| b.is_ascii_digit()) || named())
    }

    fn first_word(&mut self, word: Word, command: usize, open: &mut Open) -> Result<(), Stop> {
        let reserved = if !word.is_quoted() && self.found.commands[command].is_empty() {
            word.text.as_str()
        } else {
            ""
        };
        match reserved {
            "!" | "coproc" => {}
            "if" => self.reserved(Mark::Block(Keyword::If)),
            "then" => self.reserved(Mark::Then),
            "elif" => self.reserved(Mark::Elif),
            "else" => self.reserved(Mark::Else(Keyword::If)),
            "do" => self.reserved(Mark::End),
            "fi" => self.reserved(Mark::Close(Keyword::If)),
            "while" | "until" => self.reserved(Mark::Block(Keyword::Loop)),
            "done" => self.reserved(Mark::Close(Keyword::Loop)),
            "{" => self.reserved(Mark::Block(Keyword::Brace)),
            "}" => self.reserved(Mark::Close(Keyword::Brace)),
            "esac" => {
                self.reserved(Mark::Close(Keyword::Case));
                open.cases = open.cases.saturating_sub(1);
            }
            "for" | "select" => {
                self.reserved(Mark::Block(Keyword::Loop));
                self.reserved(Mark::Loop(self.found.loops.len()));
                self.found.loops.push(Loop::default());
                open.kind = Kind::Loop(0);
            }
            "case" => {
                self.reserved(Mark::Block(Keyword::Case));
                open.kind = Kind::Case;
            }
            "function" => {
                self.blanks();
                let name = self.word()?;
                self.blanks();
                if self.eat("(") {
                    self.blanks();
                    self.eat(")");
                }
                let function = self.function(name);
                self.reserved(function);
            }
            "[[" => self.test(command)?,
            _ if word.is_assignment() => {
                let mut assignment = Assignment { word, array: None };
                if self.starts("(") && assignment.word.text.ends_with('=') {
                    self.array(&mut assignment)?;
                }
                self.found.commands[command].assignments.push(assignment);
            }
            _ => self.found.commands[command].words.push(word),
        }
        Ok(())
    }

    /// Takes the values of an array assignment.
    fn array(&mut self, assignment: &mut Assignment) -> Result<(), Stop> {
        let start = self.pos;
        let mut values = Vec::new();
        self.bump();
        self.enter()?;
        loop {
            self.blanks();
            match self.peek().ok_or(Stop::Unterminated)? {
                ')' => break,
                '\n' => {
                    self.bump();
                }
                _ => values.push(self.any_word()?),
            }
        }
        self.bump();
        self.leave();
        assignment.word.text.push_str(&self.src[start..self.pos]);
        assignment.array = Some(values);
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
        self.found.commands[command].words.push(Word::literal("[["));
        loop {
            self.blanks();
            self.peek().ok_or(Stop::Unterminated)?;
            let word = self.any_word()?;
            let end = word.is("]]");
            if word.text != "\n" {
                self.found.commands[command].words.push(word);
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
                        self.mark(Mark::Close(Keyword::Case));
                        open.cases -= 1;
                        return Ok(());
                    }
                }
            }
        }
    }
}

impl Open {
    fn end(&mut self) {
        self.command = None;
        self.kind = Kind::Command;
    }
}
