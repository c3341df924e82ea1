//! What runs inside a word: command and process substitutions, also inside parameter and
//! arithmetic expansions and here-documents. The outer word keeps them as written.

use super::Mark;
use super::parser::{Close, Parser, Stop};
use super::word::{PartKind, Word};

impl Parser<'_> {
    /// Takes what a dollar sign begins and appends it as written.
    pub(super) fn dollar(&mut self, word: &mut Word, quoted: bool) -> Result<(), Stop> {
        if self.starts("$((") && self.arithmetic_end(self.pos + 1).is_some() {
            let start = self.pos;
            self.bump();
            self.arithmetic()?;
            self.written(start, word, PartKind::Substitution);
            return Ok(());
        }
        if self.starts("$(") {
            self.bump();
            return self.substitution(1, word);
        }
        let start = self.pos;
        if self.starts("$[") && self.last_bracket > start {
            self.bump();
            self.brackets()?;
            self.written(start, word, PartKind::Substitution);
            return Ok(());
        }
        let variable = if quoted {
            PartKind::QuotedVariable
        } else {
            PartKind::Variable
        };
        if self.starts("${") {
            self.parameter(quoted)?;
            self.written(start, word, variable);
            return Ok(());
        }
        self.bump();
        let rest = self.rest();
        let kind = match rest.chars().next() {
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
                self.pos += rest.find(end).unwrap_or(rest.len());
                variable
            }
            Some('@' | '*' | '0'..='9') => {
                self.pos += 1;
                variable
            }
            Some('?' | '#' | '$' | '!' | '-') => {
                self.pos += 1;
                PartKind::Substitution
            }
            _ => PartKind::Quoted,
        };
        self.written(start, word, kind);
        Ok(())
    }

    /// Appends the text from `start` up to here as it was written.
    fn written(&self, start: usize, word: &mut Word, kind: PartKind) {
        let from = word.text.len();
        word.text.push_str(&self.src[start..self.pos]);
        word.mark(from, kind);
    }

    /// Takes the list in parentheses that begins here and appends it as written, with `before`
    /// bytes in front of it.
    pub(super) fn substitution(&mut self, before: usize, word: &mut Word) -> Result<(), Stop> {
        let start = self.pos - before;
        self.subshell()?;
        self.written(start, word, PartKind::Substitution);
        Ok(())
    }

    /// Takes the list in parentheses that begins here.
    pub(super) fn subshell(&mut self) -> Result<(), Stop> {
        self.bump();
        self.enter()?;
        self.mark(Mark::Enter);
        self.list(Close::Paren)?;
        self.mark(Mark::Leave);
        self.leave();
        Ok(())
    }

    /// Takes the arithmetic of old, `[…]`, that begins here and what runs inside it.
    fn brackets(&mut self) -> Result<(), Stop> {
        self.enter()?;
        let mut level = 0usize;
        loop {
            let c = self.peek().ok_or(Stop::Unterminated)?;
            self.inner(c)?;
            match c {
                '[' => level += 1,
                ']' if level <= 1 => break,
                ']' => level -= 1,
                _ => {}
            }
        }
        self.leave();
        Ok(())
    }

    /// Takes `${…}` and what runs inside its default values.
    fn parameter(&mut self, inside: bool) -> Result<(), Stop> {
        self.pos += 2;
        self.enter()?;
        let mut quoted = false;
        // In double quotes a single one is a plain character, but for patterns.
        let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '!' | '@' | '*');
        let operation = self.rest().trim_start_matches(named);
        let plain = inside && !operation.starts_with(['#', '%', '/', '^', ',', '[']);
        loop {
            match self.peek().ok_or(Stop::Unterminated)? {
                '}' if !quoted => {
                    self.bump();
                    break;
                }
                '\'' if !quoted && !plain => {
                    self.bump();
                    let end = self.rest().find('\'').ok_or(Stop::Unterminated)?;
                    self.pos += end + 1;
                }
                c => {
                    quoted ^= c == '"';
                    self.inner(c)?;
                }
            }
        }
        self.leave();
        Ok(())
    }

    /// Takes one character of a text in which only expansions matter, or the expansion it begins.
    fn inner(&mut self, c: char) -> Result<(), Stop> {
        match c {
            '$' => self.dollar(&mut Word::default(), false),
            '`' => self.backquote(&mut Word::default()),
            '\\' => {
                self.bump();
                self.bump();
                Ok(())
            }
            _ => {
                self.bump();
                Ok(())
            }
        }
    }

    /// Where the arithmetic that begins with `((` at `start` ends; `None` where the two
    /// parentheses are those of subshells.
    pub(super) fn arithmetic_end(&self, start: usize) -> Option<usize> {
        let bytes = self.src.as_bytes();
        let mut level = 0usize;
        let mut at = start + 2;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\'' => at += 1 + self.src.get(at + 1..)?.find('\'')?,
                b'(' => level += 1,
                b')' if level == 0 => {
                    return (bytes.get(at + 1) == Some(&b')')).then_some(at + 2);
                }
                b')' => level -= 1,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Takes the arithmetic `((…))` that begins here and what runs inside it.
    pub(super) fn arithmetic(&mut self) -> Result<(), Stop> {
        let end = self.arithmetic_end(self.pos).ok_or(Stop::Unterminated)?;
        self.enter()?;
        while self.pos < end {
            match self.peek() {
                Some(c) => self.inner(c)?,
                None => break,
            }
        }
        self.leave();
        Ok(())
    }

    /// Takes a substitution in backquotes. Its text loses one level of backslashes before it is
    /// read.
    pub(super) fn backquote(&mut self, word: &mut Word) -> Result<(), Stop> {
        let start = self.pos;
        self.bump();
        let mut script = String::new();
        loop {
            match self.bump().ok_or(Stop::Unterminated)? {
                '`' => break,
                '\\' => match self.bump().ok_or(Stop::Unterminated)? {
                    c @ ('`' | '\\' | '$') => script.push(c),
                    c => {
                        script.push('\\');
                        script.push(c);
                    }
                },
                c => script.push(c),
            }
        }
        self.written(start, word, PartKind::Substitution);
        self.enter()?;
        let mut inner = Parser::new(&script, self.depth);
        let outcome = inner.list(Close::End);
        self.adopt(inner);
        self.leave();
        outcome
    }

    /// Reads the substitutions of a here-document's body.
    pub(super) fn here_body(&mut self, body: &str) -> Result<(), Stop> {
        self.enter()?;
        let mut inner = Parser::new(body, self.depth);
        let mut outcome = Ok(());
        while let (Some(c), Ok(())) = (inner.peek(), &outcome) {
            outcome = inner.inner(c);
        }
        self.adopt(inner);
        self.leave();
        outcome
    }
}
