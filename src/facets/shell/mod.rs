//! Reads a shell command line statically: which simple commands it holds, with their words,
//! redirections and inputs. Nothing is expanded but quotes.
//!
//! The reader is made for text nobody vouches for: it is one pass over the text, nests at most
//! [`MAX_NESTING`] deep, keeps what it found before a place it cannot read, and says so. It follows
//! the POSIX shell grammar and the parts of bash that hide commands (`$'…'`, `<(…)`, `[[ … ]]`);
//! on what it does not know it errs towards seeing a command where there may be none.

mod expand;
mod parser;
mod word;

pub use word::is_assignment;

use std::borrow::Cow;

/// Longest text read as shell, in bytes. What lies beyond is not split into commands.
pub const MAX_SCRIPT: usize = 256 * 1024;

/// Deepest nesting of substitutions, subshells and `sh -c` scripts in each other.
pub const MAX_NESTING: usize = 32;

/// What was found in a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The simple commands in the order in which they begin.
    pub commands: Vec<Simple>,
    /// Whether the whole text was understood. Otherwise more may run than `commands` shows.
    pub complete: bool,
}

/// One simple command, quotes removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    /// Variable assignments in front, as `NAME=value`.
    pub assignments: Vec<String>,
    /// The program and its words; empty for bare assignments and redirections.
    pub words: Vec<String>,
    /// Redirections of files, in order.
    pub redirects: Vec<Redirect>,
    /// Text of here-documents and here-strings; empty where there is none.
    pub input: String,
    /// Words of wrappers that were taken off, in front of `words`.
    pub stripped: Vec<String>,
}

/// A redirection from or to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The file is read.
    pub reads: bool,
    /// The file is written.
    pub writes: bool,
    /// Name of the file, quotes removed.
    pub target: String,
}

impl Simple {
    /// A command given as a list of words.
    pub fn of_words(words: Vec<String>) -> Simple {
        Simple {
            words,
            ..Simple::default()
        }
    }

    /// Whether nothing is there at all.
    pub fn is_empty(&self) -> bool {
        self.assignments.is_empty() && self.words.is_empty() && self.redirects.is_empty()
    }

    /// Name of the program; `None` for bare assignments and redirections.
    pub fn program(&self) -> Option<&str> {
        self.words.first().map(|word| program_name(word))
    }

    /// The command as policies see it: program and words joined by single spaces, or the
    /// assignments where there is no program. Empty for a bare redirection.
    pub fn text(&self) -> String {
        let Some(program) = self.program() else {
            return self.assignments.join(" ");
        };
        let mut text = program.to_owned();
        for word in &self.words[1..] {
            text.push(' ');
            text.push_str(word);
        }
        text
    }
}

/// Directories whose programs go by their bare names, so that `/bin/rm` is `rm`.
const SYSTEM_DIRS: &[&str] = &[
    "/bin/",
    "/sbin/",
    "/usr/bin/",
    "/usr/sbin/",
    "/usr/local/bin/",
    "/usr/local/sbin/",
    "/opt/homebrew/bin/",
];

fn program_name(word: &str) -> &str {
    let bare = |dir: &&str| word.strip_prefix(*dir).filter(|name| is_bare(name));
    SYSTEM_DIRS.iter().find_map(bare).unwrap_or(word)
}

fn is_bare(name: &str) -> bool {
    !name.is_empty() && !name.contains('/')
}

/// Reads a command line. Text that is not understood to its end is kept as one more command, the
/// whole of it, so that a rule still sees it. `depth` counts the scripts around this one.
pub fn read(text: &str, depth: usize) -> Script {
    if text.trim().is_empty() {
        return Script {
            complete: true,
            ..Script::default()
        };
    }
    // A shell drops NUL bytes from what it reads.
    let clean: Cow<'_, str> = if text.contains('\0') {
        text.replace('\0', "").into()
    } else {
        text.into()
    };
    let mut end = clean.len().min(MAX_SCRIPT);
    while !clean.is_char_boundary(end) {
        end -= 1;
    }
    let (mut commands, understood) = parser::Parser::new(&clean[..end], depth).run();
    let complete = understood && end == clean.len();
    commands.retain(|command| !command.is_empty());
    if !complete || commands.iter().all(|c| c.text().is_empty()) {
        commands.push(Simple::of_words(vec![text.trim().to_owned()]));
    }
    Script { commands, complete }
}

#[cfg(test)]
mod tests;
