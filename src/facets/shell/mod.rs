//! Reads a shell command line statically: which simple commands it holds, with their words,
//! redirections and inputs, and how they hang together. Nothing is expanded but quotes.
//!
//! The reader is made for text nobody vouches for: it is one pass over the text, nests at most
//! [`MAX_NESTING`] deep, keeps what it found before a place it cannot read, and says so. It follows
//! the POSIX shell grammar and the parts of bash that hide commands (`$'…'`, `<(…)`, `[[ … ]]`);
//! on what it does not know it errs towards seeing a command where there may be none.

mod expand;
mod parser;
mod redirect;
mod word;

pub use word::{Part, PartKind, Word, is_assignment};

use std::borrow::Cow;

/// Longest text read as shell, in bytes, without the bodies of here-documents in which nothing is
/// replaced. What lies beyond is not split into commands.
pub const MAX_SCRIPT: usize = 1024 * 1024;

/// Longest text read as shell with those bodies, in bytes.
pub const MAX_TEXT: usize = 8 * 1024 * 1024;

/// Deepest nesting of substitutions, subshells and `sh -c` scripts in each other.
pub const MAX_NESTING: usize = 32;

/// What a text holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The simple commands in the order in which they begin; some may be empty.
    pub commands: Vec<Command>,
    /// The heads of `for` and `select` loops.
    pub loops: Vec<Loop>,
    /// Names of the functions that are defined.
    pub functions: Vec<String>,
    /// Where commands begin and what stands between them, in the order of the text.
    pub marks: Vec<Mark>,
    /// Whether the whole text was understood.
    pub complete: bool,
    /// Whether it is longer or nests deeper than what is read.
    pub beyond: bool,
}

/// A place between the words of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The command of that index begins.
    Command(usize),
    /// What follows up to the matching `Leave` runs in a shell of its own.
    Enter,
    /// The end of it.
    Leave,
    /// The next command runs if this one succeeds.
    And,
    /// The next command runs if this one fails.
    Or,
    /// The next command reads what this one prints.
    Pipe,
    /// The command runs beside what follows.
    Background,
    /// The command ends.
    End,
    /// A compound command begins.
    Block(Keyword),
    /// Its condition, which has run, is over.
    Then,
    /// Another condition of it begins, which runs if none before held.
    Elif,
    /// Another branch of it begins.
    Else(Keyword),
    /// Another branch of it begins, into which the one before may run.
    Fall,
    /// It ends.
    Close(Keyword),
    /// The loop that just began has the head of that index.
    Loop(usize),
    /// The next compound command is the body of the function of that index.
    Function(usize),
}

/// A kind of compound command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    /// `if`.
    If,
    /// `for`, `select`, `while` or `until`.
    Loop,
    /// `case`.
    Case,
    /// `{ … }`.
    Brace,
}

/// The head of a `for` or `select` loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loop {
    /// Name of the variable.
    pub name: String,
    /// What it loops over; empty where that is not written out.
    pub words: Vec<Word>,
}

/// One simple command as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Variable assignments in front.
    pub assignments: Vec<Assignment>,
    /// The program and its words; empty for bare assignments and redirections.
    pub words: Vec<Word>,
    /// Redirections of files, in order.
    pub redirects: Vec<Redirection>,
    /// Here-documents and here-strings.
    pub inputs: Vec<Input>,
}

/// An assignment of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The whole of it, as one word.
    pub word: Word,
    /// The values of an array; absent for any other value.
    pub array: Option<Vec<Word>>,
}

/// A redirection from or to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    /// The file is read.
    pub reads: bool,
    /// The file is written.
    pub writes: bool,
    /// Name of the file.
    pub target: Word,
}

/// Text that a command gets as its input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A here-string.
    Word(Word),
    /// A here-document.
    Text {
        /// Its body.
        text: String,
        /// Whether variables in it are replaced.
        expands: bool,
    },
}

impl Command {
    /// Whether nothing is there at all.
    pub fn is_empty(&self) -> bool {
        self.assignments.is_empty() && self.words.is_empty() && self.redirects.is_empty()
    }

    /// A command that is one word, taken as it is.
    fn literal(text: &str) -> Command {
        Command {
            words: vec![Word::literal(text)],
            ..Command::default()
        }
    }
}

/// Reads a command line. Text that is not understood to its end is kept as one more command, the
/// whole of it, so that a rule still sees it. `depth` counts the scripts around this one.
pub fn read(text: &str, depth: usize) -> Text {
    if text.trim().is_empty() {
        return Text {
            complete: true,
            ..Text::default()
        };
    }
    // A shell drops NUL bytes from what it reads.
    let clean: Cow<'_, str> = if text.contains('\0') {
        text.replace('\0', "").into()
    } else {
        text.into()
    };
    let mut end = clean.len().min(MAX_TEXT);
    while !clean.is_char_boundary(end) {
        end -= 1;
    }
    let mut found = parser::Parser::new(&clean[..end], depth).run();
    found.beyond |= end < clean.len();
    found.complete &= !found.beyond;
    let nameless = |c: &Command| c.words.is_empty() && c.assignments.is_empty();
    if !found.complete || found.commands.iter().all(nameless) {
        let command = Mark::Command(found.commands.len());
        found.marks.extend([Mark::End, command]);
        found.commands.push(Command::literal(text.trim()));
    }
    found
}

#[cfg(test)]
mod tests;
