//! Secrets by their place in a command: `--password x`, `curl -u user:x`, `echo x | sudo -S`.

use super::names;
use super::programs::{Part, Program};
use super::quotes::Quote;
use std::ops::Range;

/// Reads the words of a command line one after another, wherever they come from.
#[derive(Debug, Default)]
pub struct Words {
    program: Option<&'static Program>,
    /// Whether the program was told to log in.
    login: bool,
    /// What of the next word is secret.
    awaits: Option<Part>,
    /// Whether the command reads a secret from standard input.
    reads: bool,
    /// Words that this command prints, and that the one before the pipe printed.
    prints: bool,
    printed: Vec<Range<usize>>,
    piped: Vec<Range<usize>>,
    /// Whether a word of this command came.
    begun: bool,
    /// Whether the latest word named a program that is known.
    known: bool,
}

impl Words {
    /// Takes the next word, which stands at `at` of its text, and adds what of it, or of words before
    /// it, is secret.
    pub fn take(&mut self, word: &str, at: usize, found: &mut Vec<Range<usize>>) {
        let place = |from: usize| at + from..at + word.len();
        let option = word.starts_with('-') && word.len() > 1;
        let awaited = self.awaits.take().filter(|_| !option);
        if word.starts_with(['<', '>', '|']) {
            self.here(word, at, found);
            return;
        }
        if let Some(part) = awaited {
            found.extend(part.of(word).map(place));
            return;
        }
        let first = !std::mem::replace(&mut self.begun, true);
        self.known = false;
        if self.prints && !option {
            self.printed.push(place(0));
        }
        if first || !option {
            self.name(word);
        }
        if option {
            self.option(word, at, found);
        } else if let Some(program) = self.program {
            let from = program.glued(word, self.login);
            found.extend(from.map(place));
        }
        if self.reads {
            found.append(&mut self.piped);
        }
    }

    /// The command ends; `pipe` tells whether another one reads what it prints.
    pub fn end(&mut self, pipe: bool) {
        let piped = if pipe {
            std::mem::take(&mut self.printed)
        } else {
            Vec::new()
        };
        *self = Words {
            piped,
            ..Words::default()
        };
    }

    fn name(&mut self, word: &str) {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        if let Some(program) = Program::named(name) {
            self.program = Some(program);
            self.login = false;
            self.reads |= program.reads;
            self.known = true;
        }
        if !self.prints && matches!(name, "echo" | "printf") {
            self.prints = true;
            self.known = true;
        }
        self.login |= name == "login";
    }

    fn option(&mut self, word: &str, at: usize, found: &mut Vec<Range<usize>>) {
        self.reads |= matches!(
            word,
            "--password-stdin" | "--with-token" | "--passphrase-fd"
        );
        if let Some(program) = self.program {
            if program.name == "sudo" && !word.starts_with("--") && word.contains('S') {
                self.reads = true;
            }
            self.awaits = program.awaits(word, self.login);
            let from = program.glued(word, self.login);
            found.extend(from.map(|from| at + from..at + word.len()));
        }
        let long = word.starts_with("--") || word.len() > 3;
        if self.awaits.is_none()
            && long
            && !word.starts_with("--no-")
            && !word.contains(['=', ':'])
            && names::is_secret(word)
        {
            self.awaits = Some(Part::Whole);
        }
    }

    /// `<<< x`: what the command reads.
    fn here(&mut self, word: &str, at: usize, found: &mut Vec<Range<usize>>) {
        let Some(rest) = word.strip_prefix("<<<").filter(|_| self.reads) else {
            return;
        };
        if rest.is_empty() {
            self.awaits = Some(Part::Whole);
        } else {
            found.push(at + 3..at + word.len());
        }
    }

    fn is_waiting(&self) -> bool {
        self.awaits.is_some()
    }
}

/// Adds where in a text secrets stand by their place. The text need not be a command line; what it
/// quotes is read as one too.
pub fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut words = Words::default();
    // The end of the quoted piece that is being read, and of the one that the command began in.
    let (mut piece_end, mut command_in) = (0, 0);
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        let inside = if at < piece_end { piece_end } else { 0 };
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        if b.is_ascii_whitespace() {
            if b == b'\n' && inside == command_in {
                words.end(false);
            }
            at += 1;
        } else if separates(b, next) {
            if inside == command_in || !words.begun {
                words.end(b == b'|' && next != b'|');
                command_in = inside;
            }
            at += if b == next { 2 } else { 1 };
        } else if let Some(quote) = Quote::at(text, at) {
            if words.is_waiting() {
                let (piece, end) = quote.piece(text);
                let word = text.get(piece.clone()).unwrap_or("");
                words.take(word, piece.start, found);
                at = end;
            } else {
                if inside == 0 {
                    piece_end = quote.piece(text).1;
                }
                at = quote.begins();
            }
        } else {
            if !words.begun {
                command_in = inside;
            }
            let end = word_end(text, at);
            words.take(text.get(at..end).unwrap_or(""), at, found);
            if words.known {
                // `bash -c "curl … | sh"`: this command ends inside the quotes.
                command_in = inside;
            }
            at = end.max(at + 1);
        }
    }
}

fn separates(b: u8, next: u8) -> bool {
    match b {
        b'|' | b';' | b'(' | b')' => true,
        b'&' => next == b'&' || next.is_ascii_whitespace(),
        _ => false,
    }
}

/// Where a word ends. An option goes on through a quoted piece: `-p"a b"`.
fn word_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let option = bytes.get(at) == Some(&b'-');
    let mut end = at;
    while let Some(&b) = bytes.get(end) {
        let next = bytes.get(end + 1).copied().unwrap_or(b' ');
        if b.is_ascii_whitespace() || (separates(b, next) && b != b'(') {
            break;
        }
        if b == b'\\' && Quote::at(text, end).is_none() {
            end += bytes[end..].iter().take_while(|&&b| b == b'\\').count();
            continue;
        }
        if let Some(quote) = Quote::at(text, end) {
            let closes = matches!(
                bytes.get(quote.begins()),
                None | Some(b' ' | b'\n' | b'\t' | b')' | b'|' | b';' | b'&' | b',' | b']' | b'}')
            );
            if !option || closes {
                break;
            }
            end = quote.piece(text).1;
            continue;
        }
        end += 1;
    }
    end
}
