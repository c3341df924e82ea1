//! What is found in a command line, once it is known what a shell would make of it.

use std::sync::Arc;

/// What was found in a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The simple commands in the order in which they begin.
    pub commands: Vec<Simple>,
    /// Whether the whole text was understood. Otherwise more may run than `commands` shows.
    pub complete: bool,
    /// Whether it goes beyond what is read: it is too long or nests too deep, or its variables may
    /// hold too much. Then nobody knows what `commands` lacks.
    pub beyond: bool,
}

/// One simple command, quotes removed and known variables replaced by their values.
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
    /// Whether variables in `input` are replaced before the program sees it.
    pub input_expands: bool,
    /// Words of wrappers that were taken off, in front of `words`.
    pub stripped: Vec<String>,
    /// The directories it may run in; an empty one, or none at all, is the one the call starts in
    /// or one that is not known.
    pub dirs: Arc<[String]>,
    /// Files whose names another program puts in place of `{}` among the words.
    pub files: Arc<[String]>,
    /// Whether it puts them behind the words.
    pub files_follow: bool,
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
        let length = self.words.iter().map(|word| word.len() + 1).sum();
        let mut text = String::with_capacity(length);
        text.push_str(program);
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
