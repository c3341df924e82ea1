//! Walks a call's arguments in document order and tells command lines from other text.

use super::command::Script;
use super::follow::{self, Start};
use super::names;
use super::tools::{self, Tool};
use crate::trace::json::Json;

/// One string of the arguments, or one command line.
#[derive(Debug)]
pub(super) enum Item<'a> {
    /// A text with the key it stands under, in snake case; lists pass their key on. The key is
    /// absent where the arguments are a plain string.
    Text(Option<String>, &'a str),
    /// The commands of a command line, wrappers taken off.
    Commands(Script),
}

/// Lists the strings of `args` in document order.
pub(super) fn items<'a>(tool: &Tool, args: &'a Json<'_>) -> Vec<Item<'a>> {
    let mut walk = Walk {
        tool,
        items: Vec::new(),
    };
    match args {
        Json::String(text) if tool.is_shell() => walk.line(&text.text),
        Json::Array(words) if tool.is_shell() => walk.list(words, "argv"),
        args => walk.value(args, None),
    }
    walk.items
}

struct Walk<'t, 'a> {
    tool: &'t Tool,
    items: Vec<Item<'a>>,
}

impl<'a> Walk<'_, 'a> {
    fn value(&mut self, value: &'a Json<'_>, key: Option<&str>) {
        let is_line = key.is_some_and(|key| self.tool.is_command_line(key));
        match value {
            Json::String(text) if is_line => self.line(&text.text),
            Json::String(text) => {
                let key = key.map(str::to_owned);
                self.items.push(Item::Text(key, &text.text));
            }
            Json::Array(list) => match key {
                Some(key) if is_line => self.list(list, key),
                key => list.iter().for_each(|item| self.value(item, key)),
            },
            Json::Object(_) => self.object(value),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

    fn object(&mut self, object: &'a Json<'_>) {
        let Json::Object(members) = object else {
            return;
        };
        let keyed = || members.iter().map(|(k, v)| (names::snake(&k.text), v));
        let words = keyed().find_map(|(key, v)| tools::is_word_list(&key).then(|| texts(v))?);
        for (key, value) in keyed() {
            match (&words, value.as_str()) {
                (Some(words), Some(program)) if self.tool.is_program(&key) => {
                    self.program(program, words);
                }
                _ => self.value(value, Some(&key)),
            }
        }
    }

    /// A command line in one string.
    fn line(&mut self, text: &str) {
        let script = if self.tool.is_other_shell() {
            follow::guess(text, self.start())
        } else {
            follow::line(text, self.start())
        };
        self.items.push(Item::Commands(script));
    }

    fn start(&self) -> Start<'_> {
        Start::default()
    }

    /// A command as a list: its words, unless the first item holds blanks or the key says that
    /// each item is a command line of its own.
    fn list(&mut self, list: &'a [Json<'_>], key: &str) {
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
        for word in words {
            text.push_str(" '");
            text.push_str(&word.replace('\'', "'\\''"));
            text.push('\'');
        }
        self.line(&text);
    }

    fn words(&mut self, words: Vec<String>) {
        if words.iter().all(|word| word.trim().is_empty()) {
            return;
        }
        let script = follow::words(words, self.start());
        self.items.push(Item::Commands(script));
    }
}

/// The strings of a list that holds nothing else and is not empty.
fn texts<'a>(value: &'a Json<'_>) -> Option<Vec<&'a str>> {
    let list = value.as_array().filter(|list| !list.is_empty())?;
    list.iter().map(Json::as_str).collect()
}
