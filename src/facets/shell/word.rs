//! Words: quotes, escapes and where a word ends.

use super::parser::{Parser, Stop};

/// A word with its quotes removed.
#[derive(Debug, Default)]
pub(super) struct Word {
    /// The text; substitutions stand in it as they were written.
    pub text: String,
    /// Length of the text in front of the first quoted character; absent means nothing is quoted.
    pub quoted_at: Option<usize>,
}

impl Word {
    /// Whether it reads exactly so without quotes, as reserved words must.
    pub fn is(&self, text: &str) -> bool {
        self.quoted_at.is_none() && self.text == text
    }

    /// Whether it has the form `NAME=…`, `NAME+=…` or `NAME[…]=…`.
    pub fn is_assignment(&self) -> bool {
        let bare = &self.text[..self.quoted_at.unwrap_or(self.text.len())];
        is_assignment(bare)
    }

    fn quote(&mut self) {
        self.quoted_at.get_or_insert(self.text.len());
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
                    self.substitution(1, &mut word.text)?;
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
                '$' => self.dollar(&mut word.text)?,
                '`' => self.backquote(&mut word.text)?,
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
            Some(c) => {
                word.quote();
                word.text.push(c);
            }
            None => word.text.push('\\'),
        }
    }

    fn single(&mut self, word: &mut Word) -> Result<(), Stop> {
        self.bump();
        word.quote();
        let rest = self.rest();
        let end = rest.find('\'').ok_or(Stop::Unterminated)?;
        word.text.push_str(&rest[..end]);
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
                '$' => self.dollar(&mut word.text)?,
                '`' => self.backquote(&mut word.text)?,
                '\\' => {
                    self.bump();
                    match self.bump().ok_or(Stop::Unterminated)? {
                        '\n' => {}
                        c => {
                            if !matches!(c, '$' | '`' | '"' | '\\') {
                                word.text.push('\\');
                            }
                            word.text.push(c);
                        }
                    }
                }
                c => {
                    self.bump();
                    word.text.push(c);
                }
            }
        }
    }

    /// Takes `$'…'`, whose escapes can spell any character.
    fn ansi_c(&mut self, word: &mut Word) -> Result<(), Stop> {
        self.pos += 2;
        word.quote();
        loop {
            match self.bump().ok_or(Stop::Unterminated)? {
                '\'' => return Ok(()),
                '\\' => {
                    let c = self.ansi_escape()?;
                    word.text.extend(c);
                }
                c => word.text.push(c),
            }
        }
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
