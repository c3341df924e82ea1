//! Walks a call's arguments in document order and tells command lines from other text.

use super::command::{Script, Simple};
use super::effects::{self, Effects};
use super::follow::{self, Start};
use super::names;
use super::paths;
use super::tools::{self, Tool};
use super::wrappers::is_shell;
use crate::trace::json::Json;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// Bytes that the working directories of all strings may come to.
const DIR_BUDGET: usize = 4 << 20;

/// Most variables that are taken from an environment.
const MAX_ENVIRONMENT: usize = 64;

/// One string of the arguments, or one command line.
#[derive(Debug)]
pub(super) enum Item {
    Text(Field),
    /// The commands of a command line, wrappers taken off.
    Commands(Line),
}

/// A command line.
#[derive(Debug)]
pub(super) struct Line {
    pub script: Script,
    /// What its commands do, worked out when it is first asked for.
    effects: OnceLock<Vec<Effects>>,
}

impl Line {
    fn new(script: Script) -> Line {
        Line {
            script,
            effects: OnceLock::new(),
        }
    }

    /// Its commands, each with what it does.
    pub fn effects(&self) -> impl Iterator<Item = (&Simple, &Effects)> {
        let commands = &self.script.commands;
        let effects = self
            .effects
            .get_or_init(|| commands.iter().map(effects::of_command).collect());
        commands.iter().zip(effects)
    }
}

/// One string of the arguments.
#[derive(Debug)]
pub(super) struct Field {
    /// The key it stands under, in snake case; lists pass their key on. Absent where the arguments
    /// are a plain string.
    pub key: Option<String>,
    /// The string.
    pub text: String,
    /// The directory that the call works in; empty where it is not told.
    pub dir: Arc<str>,
}

/// Lists the strings of `args` in document order, and tells whether each has its
/// directory and every command line its environment.
pub(super) fn items(tool: &Tool, args: &Json<'_>) -> (Vec<Item>, bool) {
    let mut walk = Walk {
        tool,
        dir: Arc::default(),
        environment: Vec::new(),
        budget: DIR_BUDGET,
        cut: false,
        items: Vec::new(),
    };
    match args {
        Json::String(text) if tool.is_shell() => walk.line(&text.text),
        Json::Array(words) if tool.is_shell() => walk.list(words, "argv"),
        args => walk.value(args, None),
    }
    (walk.items, !walk.cut)
}

struct Walk<'t> {
    tool: &'t Tool,
    /// The working directory and the environment of the object that is walked.
    dir: Arc<str>,
    environment: Vec<(String, String)>,
    /// Bytes that the working directories of further strings may come to.
    budget: usize,
    /// Some strings are without theirs, or some variables left out.
    cut: bool,
    items: Vec<Item>,
}

impl Walk<'_> {
    fn value(&mut self, value: &Json<'_>, key: Option<&str>) {
        let is_line = key.is_some_and(|key| self.tool.is_command_line(key));
        match value {
            Json::String(text) if is_line && !self.tool.is_other_command(&text.text) => {
                self.line(&text.text);
            }
            Json::String(text) => {
                let left = self.budget.checked_sub(self.dir.len());
                self.cut |= left.is_none();
                self.budget = left.unwrap_or(self.budget);
                self.items.push(Item::Text(Field {
                    key: key.map(str::to_owned),
                    text: text.text.to_string(),
                    dir: left.map_or_else(Arc::default, |_| Arc::clone(&self.dir)),
                }));
            }
            Json::Array(list) => match key {
                Some(key) if is_line => self.list(list, key),
                key => list.iter().for_each(|item| self.value(item, key)),
            },
            Json::Object(_) => self.object(value),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

    fn object(&mut self, object: &Json<'_>) {
        let Json::Object(members) = object else {
            return;
        };
        let keyed = members.iter().map(|(k, v)| (names::snake(&k.text), v));
        let keyed: Vec<(Cow<'_, str>, &Json<'_>)> = keyed.collect();
        let lists = keyed.iter().filter(|(key, _)| tools::is_word_list(key));
        let words = lists.filter_map(|(_, value)| texts(value)).next();
        let outer = (Arc::clone(&self.dir), self.environment.len());
        for (key, value) in &keyed {
            match value {
                Json::String(text) if self.tool.is_workdir(key) => {
                    self.dir = Arc::from(paths::normalise(&text.text));
                }
                Json::Object(variables) if tools::is_environment(key) => {
                    let set = variables.iter().filter_map(|(name, value)| {
                        Some((name.text.to_string(), value.as_str()?.to_owned()))
                    });
                    self.cut |= variables.len() > MAX_ENVIRONMENT;
                    self.environment.extend(set.take(MAX_ENVIRONMENT));
                }
                _ => {}
            }
        }
        for (key, value) in &keyed {
            match (&words, value.as_str()) {
                (Some(words), Some(program)) if self.tool.is_program(key) => {
                    self.program(program, words);
                }
                _ => self.value(value, Some(key)),
            }
        }
        self.own(&keyed);
        self.dir = outer.0;
        self.environment.truncate(outer.1);
    }

    /// A command line in one string.
    fn line(&mut self, text: &str) {
        let script = if self.tool.is_other_shell() {
            follow::guess(text, self.start())
        } else {
            follow::line(text, self.start())
        };
        self.items.push(Item::Commands(Line::new(script)));
    }

    fn start(&self) -> Start<'_> {
        Start {
            dir: &self.dir,
            environment: &self.environment,
        }
    }

    /// A command as a list: its words, unless the first item holds blanks or the key says that
    /// each item is a command line of its own.
    fn list(&mut self, list: &[Json<'_>], key: &str) {
        let words: Option<Vec<&str>> = list.iter().map(Json::as_str).collect();
        let Some(words) = words else {
            return list.iter().for_each(|item| self.value(item, Some(key)));
        };
        let Some(first) = words.first() else {
            return;
        };
        if key == "commands" || first.trim().contains(char::is_whitespace) {
            words.iter().for_each(|line| self.line(line));
        } else {
            self.words(words.iter().map(|w| (*w).to_owned()).collect());
        }
    }

    /// A program, or a command line, with further words from a list beside it.
    fn program(&mut self, program: &str, words: &[&str]) {
        let words = words.iter().map(|w| (*w).to_owned());
        if !program.trim().contains(char::is_whitespace) {
            return self.words(std::iter::once(program.to_owned()).chain(words).collect());
        }
        let mut text = program.to_owned();
        words.for_each(|word| quote(&word, &mut text));
        self.line(&text);
    }

    /// What the program does that the tool has the name of: its words in a list, in a command line, or in
    /// both, the line first.
    fn own(&mut self, members: &[(Cow<'_, str>, &Json<'_>)]) {
        let Some(program) = self.tool.program() else {
            return;
        };
        let own = || members.iter().filter(|(key, _)| tools::is_own_words(key));
        let mut text = String::new();
        let lines = own().filter_map(|(_, value)| value.as_str());
        for line in lines.filter(|line| !line.trim_start().starts_with(['{', '['])) {
            text.push_str(line.trim());
            text.push(' ');
        }
        let words = own().filter_map(|(_, value)| texts(value)).flatten();
        words.for_each(|word| quote(word, &mut text));
        let text = text.trim();
        let first = text.split_whitespace().next().unwrap_or("");
        let first = first.trim_matches('\'');
        // What a shell is given beside options is a script of its own.
        let is_shell = is_shell(program);
        match first {
            "" => {}
            first if first == program => self.line(text),
            first if is_shell && !first.starts_with('-') => {}
            _ => self.line(&format!("{program} {text}")),
        }
    }

    fn words(&mut self, words: Vec<String>) {
        if words.iter().all(|word| word.trim().is_empty()) {
            return;
        }
        let script = follow::words(words, self.start());
        self.items.push(Item::Commands(Line::new(script)));
    }
}

/// Appends a word to a command line, as it is.
fn quote(word: &str, line: &mut String) {
    line.push_str(" '");
    line.push_str(&word.replace('\'', "'\\''"));
    line.push('\'');
}

/// The strings of a list that holds nothing else and is not empty.
fn texts<'a>(value: &'a Json<'_>) -> Option<Vec<&'a str>> {
    let list = value.as_array().filter(|list| !list.is_empty())?;
    list.iter().map(Json::as_str).collect()
}
