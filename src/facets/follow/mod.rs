//! Follows a command line from command to command: where `cd` leads, what variables hold, and
//! which commands run inside others.
//!
//! Nothing is run and no file is looked at. A `cd` is taken to succeed; where it is not known
//! whether a command runs, both outcomes are kept. Loops are followed twice, and functions where
//! they are defined and where they are called. What cannot be known stays as it is written.

pub mod braces;
mod change;
mod feed;
mod level;
mod state;
mod walk;
mod words;

use super::command::{Script, Simple};
use super::shell::{self, MAX_NESTING, is_assignment};
use super::wrappers::{self, Inner, Inside};
use feed::Feed;
use state::State;
use std::sync::Arc;
use walk::Walk;
use words::Budget;

/// Most wrappers taken off one command.
const MAX_WRAPPERS: usize = 64;

/// Whether a wrapper runs a command in the shell itself.
fn is_in_place(program: &str) -> bool {
    matches!(
        program,
        "builtin" | "command" | "time" | "noglob" | "nocorrect"
    )
}

/// Bytes of command lines that one call may hold inside others.
const INNER_TEXT: usize = 2 << 20;

/// Marks that are stepped over in the bodies of functions that are called.
const STEPS: usize = 50_000;

/// Bytes that the directories of commands may come to, for each path in them.
const PATH_BUDGET: usize = 4 << 20;

/// Where a call starts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'s> {
    /// Its working directory; empty where it is not told.
    pub dir: &'s str,
    /// Variables of its environment, as far as they are told.
    pub environment: &'s [(String, String)],
}

/// Reads a command line: its commands with their wrappers taken off.
pub fn line(text: &str, start: Start<'_>) -> Script {
    let mut follow = Follow::new();
    let mut state = start.state();
    follow.line(text, 0, &mut state);
    follow.done(&state, text)
}

/// Reads a command line of a shell that takes backslashes for plain characters, as those of
/// Windows do. The whole text is among the commands too, since the rest of their syntax differs.
pub fn guess(text: &str, start: Start<'_>) -> Script {
    let mut follow = Follow::new();
    let mut state = start.state();
    follow.guess(text, 0, &mut state);
    follow.done(&state, text)
}

/// Takes the wrappers off a command that is given as its words.
pub fn words(words: Vec<String>, start: Start<'_>) -> Script {
    let mut follow = Follow::new();
    let mut state = start.state();
    let text = words.join(" ");
    let command = Simple {
        dirs: Arc::clone(&state.dirs),
        ..Simple::of_words(words)
    };
    for command in feed::given(command, None, &mut follow.budget) {
        follow.run(command, 0, &mut state);
    }
    follow.done(&state, &text)
}

impl Start<'_> {
    fn state(&self) -> State {
        let mut state = State::new(self.dir);
        for (name, value) in self.environment {
            state.set(name, vec![Some(Arc::from([value.clone()]))], true);
        }
        state
    }
}

/// The commands found so far.
struct Follow {
    out: Script,
    budget: Budget,
    paths: usize,
    text: usize,
    steps: usize,
}

impl Follow {
    fn new() -> Follow {
        Follow {
            out: Script {
                commands: Vec::new(),
                complete: true,
                beyond: false,
            },
            budget: Budget::new(),
            paths: PATH_BUDGET,
            text: INNER_TEXT,
            steps: STEPS,
        }
    }

    fn done(mut self, state: &State, text: &str) -> Script {
        self.out.beyond |= self.budget.overflow || state.overflow;
        if self.out.beyond || self.budget.recursion {
            self.out.complete = false;
            let text = text.trim().to_owned();
            self.out.commands.push(Simple::of_words(vec![text]));
        }
        self.out
    }

    /// Follows a text; the state is the one it ends in.
    fn line(&mut self, text: &str, depth: usize, state: &mut State) {
        let size = if depth > 0 { text.len() } else { 0 };
        let Some(left) = self.text.checked_sub(size) else {
            self.budget.overflow = true;
            return;
        };
        self.text = left;
        let found = shell::read(text, depth);
        self.out.complete &= found.complete;
        self.out.beyond |= found.beyond;
        *state = Walk::new(&found, depth, state.clone()).all(self);
        self.budget.overflow |= state.overflow;
    }

    fn guess(&mut self, text: &str, depth: usize, state: &mut State) {
        self.line(&text.replace('\\', "\\\\"), depth, state);
        let whole = Simple::of_words(vec![text.trim().to_owned()]);
        let same = |command: &Simple| command.text() == whole.text();
        if !text.trim().is_empty() && !self.out.commands.last().is_some_and(same) {
            self.out.commands.push(whole);
        }
        self.out.complete &= text.trim().is_empty();
    }

    /// Forgets where a command runs if there have been too many long directories.
    fn place(&mut self, command: &mut Simple) {
        let paths = command.words.len() + command.redirects.len();
        let size: usize = command.dirs.iter().map(String::len).sum();
        match self.paths.checked_sub(size * paths) {
            Some(left) => self.paths = left,
            None => {
                command.dirs = Arc::default();
                self.budget.overflow = true;
            }
        }
    }

    /// Runs a command on what another prints.
    fn pass(&mut self, command: Simple, feed: Option<&Feed>, depth: usize, state: &mut State) {
        let own = (!command.input.is_empty()).then(|| Feed::Text(command.input.as_str().into()));
        let feed = own.as_ref().or(feed);
        if let (Some("read"), Some(Feed::Text(text))) = (command.program(), feed) {
            let values = feed::lines(text);
            for name in command.words.iter().skip(1).filter(|w| !w.starts_with('-')) {
                match &values {
                    Some(values) => state.set(name, values.clone(), false),
                    None => state.set_beyond(name),
                }
            }
            self.out.commands.push(command);
        } else {
            for command in feed::given(command, feed, &mut self.budget) {
                self.run(command, depth, state);
            }
        }
    }

    /// Takes the wrappers off a command and lists it, with the commands that it runs. The state is
    /// the one behind it.
    fn run(&mut self, mut command: Simple, depth: usize, state: &mut State) {
        let mut stripped = 0;
        let mut here = true;
        while let Some(inner) = wrappers::inner(&command) {
            let full = match inner {
                Inner::Words { .. } => stripped == MAX_WRAPPERS,
                Inner::Eval(_) | Inner::Line(..) => depth >= MAX_NESTING,
            };
            if full {
                self.budget.overflow = true;
                break;
            }
            match inner {
                Inner::Words { at, dir } => {
                    stripped += 1;
                    here &= command.program().is_some_and(is_in_place);
                    if let Some(dir) = dir {
                        let mut inside = state.child(false);
                        inside.go(Some(&dir));
                        command.dirs = inside.dirs;
                    }
                    command.stripped.extend(command.words.drain(..at));
                }
                Inner::Eval(text) => {
                    strip_all(&mut command, &text);
                    self.out.commands.push(command);
                    let mut inside = state.clone();
                    self.line(&text, depth + 1, &mut inside);
                    if here {
                        *state = inside;
                    }
                    return;
                }
                Inner::Line(text, positional) => {
                    let mut inside = started(&command, state, false);
                    if let Some(positional) = positional {
                        inside.set_positional(positional);
                        self.budget.overflow |= inside.overflow;
                    }
                    strip_all(&mut command, &text);
                    self.out.commands.push(command);
                    return self.line(&text, depth + 1, &mut inside);
                }
            }
        }
        let inside = wrappers::inside(&command).or_else(|| {
            let script = feed::substituted(&command, &mut self.budget)?;
            Some(Inside::Input(script))
        });
        let mut within = inside
            .is_some()
            .then(|| started(&command, state, command.input_expands));
        if here {
            change::apply(&command, state);
        }
        self.out.commands.push(command);
        if let (Some(inside), Some(within)) = (inside, &mut within) {
            if depth >= MAX_NESTING {
                self.budget.overflow = true;
                return;
            }
            self.inside(inside, depth + 1, within);
        }
    }

    /// Follows what a command runs while it stays in sight.
    fn inside(&mut self, inside: Inside, depth: usize, state: &mut State) {
        match inside {
            Inside::Input(text) | Inside::Later(text) => self.line(&text, depth, state),
            Inside::Line(text, dir) => self.line(&text, depth, &mut State::new(&dir)),
            Inside::Words(words, dir) => self.words(words, depth, &mut State::new(&dir)),
            Inside::Guess(text) => self.guess(&text, depth, state),
            Inside::Files { commands, apart } => {
                let find = self.out.commands.last();
                let files = find.map(feed::found);
                state.files = feed::files(files.unwrap_or_default(), &mut self.budget);
                if apart {
                    state.go(None);
                }
                for words in commands {
                    self.words(words, depth, state);
                }
            }
        }
    }

    fn words(&mut self, words: Vec<String>, depth: usize, state: &mut State) {
        let mut command = Simple {
            dirs: Arc::clone(&state.dirs),
            files: Arc::clone(&state.files),
            ..Simple::of_words(words)
        };
        self.place(&mut command);
        self.run(command, depth, state);
        self.budget.overflow |= state.overflow;
    }
}

/// The state of a program that a command starts.
fn started(command: &Simple, state: &State, everything: bool) -> State {
    let mut inside = state.child(everything);
    inside.dirs = Arc::clone(&command.dirs);
    inside.files = Arc::clone(&command.files);
    let stripped = command.stripped.iter().filter(|word| is_assignment(word));
    for text in stripped.chain(&command.assignments) {
        if let Some((name, value)) = text.split_once('=') {
            inside.set(name, vec![Some(Arc::from([value.to_owned()]))], true);
        }
    }
    inside
}

/// Leaves of a command that runs a line only what is not in the line: its redirections, and other
/// words for the sake of the addresses in them.
fn strip_all(command: &mut Simple, line: &str) {
    if command.program() == Some("eval") {
        command.words.clear();
    }
    command.words.retain(|word| word != line);
    command.stripped.append(&mut command.words);
    command.stripped.append(&mut command.assignments);
}
