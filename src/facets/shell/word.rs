//! Words: quotes, escapes and where a word ends.

use super::parser::{Parser, Stop};

/// A word with its quotes removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The text; variables and substitutions stand in it as they were written.
    pub text: String,
    /// What of the text is not plain, in order and without overlaps.
    pub parts: Vec<Part>,
    /// Length of the text in front of the first quoted character; absent means nothing is quoted.
    quoted_at: Option<usize>,
}

/// A part of a word's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What it is.
    pub kind: PartKind,
}

/// What a part of a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Text that was quoted: it stands for itself.
    Quoted,
    /// A variable, `$A` or `${A…}`.
    Variable,
    /// A variable in double quotes: its value is not split into words.
    QuotedVariable,
    /// A substitution or arithmetic, as it was written.
    Substitution,
}

impl Word {
    /// A word that stands for itself.
    pub fn literal(text: &str) -> Word {
        let mut word = Word::default();
        word.push_quoted(text);
        word
    }

    /// A word of plain text.
    pub fn plain(text: &str) -> Word {
        Word {
            text: text.to_owned(),
            ..Word::default()
        }
    }

    /// Whether it reads exactly so without quotes, as reserved words must.
    pub fn is(&self, text: &str) -> bool {
        self.quoted_at.is_none() && self.text == text
    }

    /// Whether anything of it was quoted.
    pub fn is_quoted(&self) -> bool {
        self.quoted_at.is_some()
    }

    /// Whether it has the form `NAME=…`, `NAME+=…` or `NAME[…]=…`.
    pub fn is_assignment(&self) -> bool {
        let bare = &self.text[..self.quoted_at.unwrap_or(self.text.len())];
        is_assignment(bare)
    }

    /// The parts of the text, plain ones too, with what they are; those have no kind.
    pub fn pieces(&self) -> impl Iterator<Item = (Option<PartKind>, &str)> {
        let mut at = 0;
        let mut parts = self.parts.iter().peekable();
        std::iter::from_fn(move || {
            let (end, kind) = match parts.peek() {
                Some(part) if part.start == at => (part.end, Some(part.kind)),
                Some(part) => (part.start, None),
                None => (self.text.len(), None),
            };
            if kind.is_some() {
                parts.next();
            } else if end == at {
                return None;
            }
            let piece = self.text.get(at..end).unwrap_or("");
            at = end;
            Some((kind, piece))
        })
    }

    fn quote(&mut self) {
        self.quoted_at.get_or_insert(self.text.len());
        self.mark(self.text.len(), PartKind::Quoted);
    }

    fn push_quoted(&mut self, text: &str) {
        self.quote();
        let start = self.text.len();
        self.text.push_str(text);
        self.mark(start, PartKind::Quoted);
    }

    /// Notes what the text from `start` on is.
    pub(super) fn mark(&mut self, start: usize, kind: PartKind) {
        let end = self.text.len();
        match self.parts.last_mut() {
            Some(last) if last.kind == kind && kind == PartKind::Quoted && last.end == start => {
                last.end = end;
            }
            _ => self.parts.push(Part { start, end, kind }),
        }
    }
}

/// Whether the text begins with a variable's name and `=`.
pub fn is_assignment(text: &str) -> bool {
    let Some((name, _)) = text.split_once('=') else {
        return false;
    };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = match name.split_once('[') {
        Some((name, index)) if index.ends_with(']') => name,
        Some(_) => return false,
        None => name,
    };
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl Parser<'_> {
    /// Takes a word; empty and unquoted where none stands here.
    pub(super) fn word(&mut self) -> Result<Word, Stop> {
        let mut word = Word::default();
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' => break,
                '\r' if self.starts("\r\n") => break,
                '<' | '>' if self.starts("<(") || self.starts(">(") => {
                    self.bump();
                    self.substitution(1, &mut word)?;
                }
                '<' | '>' => break,
                '\\' => self.backslash(&mut word),
                '\'' => self.single(&mut word)?,
                '"' => self.double(&mut word)?,
                '$' if self.starts("$'") => self.ansi_c(&mut word)?,
                // A translated string: the dollar sign is dropped.
                '$' if self.starts("$\"") => {
                    self.bump();
                }
                '$' => self.dollar(&mut word, false)?,
                '`' => self.backquote(&mut word)?,
                c => {
                    self.bump();
                    word.text.push(c);
                }
            }
        }
        Ok(word)
    }

    fn backslash(&mut self, word: &mut Word) {
        self.bump();
        match self.bump() {
            Some('\n') => {}
            Some(c) => word.push_quoted(c.encode_utf8(&mut [0; 4])),
            None => word.text.push('\\'),
        }
    }

    fn single(&mut self, word: &mut Word) -> Result<(), Stop> {
        self.bump();
        let rest = self.rest();
        let end = rest.find('\'').ok_or(Stop::Unterminated)?;
        word.push_quoted(&rest[..end]);
        self.pos += end + 1;
        Ok(())
    }

    fn double(&mut self, word: &mut Word) -> Result<(), Stop> {
        self.bump();
        word.quote();
        loop {
            match self.peek().ok_or(Stop::Unterminated)? {
                '"' => {
                    self.bump();
                    return Ok(());
                }
                '$' => self.dollar(word, true)?,
                '`' => self.backquote(word)?,
                '\\' => {
                    self.bump();
                    match self.bump().ok_or(Stop::Unterminated)? {
                        '\n' => {}
                        c => {
                            let start = word.text.len();
                            if !matches!(c, '$' | '`' | '"' | '\\') {
                                word.text.push('\\');
                            }
                            word.text.push(c);
                            word.mark(start, PartKind::Quoted);
                        }
                    }
                }
                _ => {
                    let rest = self.rest();
                    let plain = |c: char| !matches!(c, '"' | '$' | '`' | '\\');
                    let end = rest.find(|c| !plain(c)).unwrap_or(rest.len());
                    word.push_quoted(&rest[..end]);
                    self.pos += end;
                }
            }
        }
    }

    /// Takes `$'…'`, whose escapes can spell any character.
    fn ansi_c(&mut self, word: &mut Word) -> Result<(), Stop> {
        self.pos += 2;
        word.quote();
        let start = word.text.len();
        loop {
            match self.bump().ok_or(Stop::Unterminated)? {
                '\'' => break,
                '\\' => {
                    let c = self.ansi_escape()?;
                    word.text.extend(c);
                }
                c => word.text.push(c),
            }
        }
        word.mark(start, PartKind::Quoted);
        Ok(())
    }

    fn ansi_escape(&mut self) -> Result<Option<char>, Stop> {
        Ok(match self.bump().ok_or(Stop::Unterminated)? {
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            'e' | 'E' => Some('\u{1b}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\u{b}'),
            'x' => self.code(16, 2),
            'u' => self.code(16, 4),
            'U' => self.code(16, 8),
            'c' => self.bump().map(|c| char::from(c as u8 & 0x1f)),
            '0'..='7' => {
                self.pos -= 1;
                self.code(8, 3)
            }
            c => Some(c),
        })
    }

    /// Takes a character's number; `None` for NUL and for what is no character.
    fn code(&mut self, radix: u32, digits: usize) -> Option<char> {
        let mut n = 0u32;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            n = n.wrapping_mul(radix).wrapping_add(digit);
            self.bump();
        }
        char::from_u32(n).filter(|&c| c != '\0')
    }
}
