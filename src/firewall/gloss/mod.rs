//! Plain words for well-known shapes of commands, tools and arguments.
//!
//! The list is [`table`], a file of patterns (signs) and of entries, each with a condition over
//! signs and the words that it adds. Signs are looked for in a plain view of the call ([`view`]),
//! in the intent, and in how the two hang together ([`relation`]).

pub mod coded;
mod commands;
mod comments;
mod globs;
mod heads;
mod listed;
mod literals;
pub mod patterns;
mod quoted;
pub mod relation;
mod rows;
mod sql;
mod statements;
pub mod table;
pub mod view;

use super::text::Action;
use coded::Coded;
use foldhash::{HashMap, HashMapExt};
use relation::{IntentWords, ToolWords};
use std::sync::{Arc, Mutex, PoisonError};
use table::{Entry, Signs, Table};

/// Tools and intents whose signs are remembered, at most.
const REMEMBERED: usize = 1024;

/// What an intent says, worked out once.
#[derive(Debug, Default)]
pub struct IntentSigns {
    /// Its words, for what is named in it and what is not.
    pub words: IntentWords,
    /// What it asks for.
    signs: Signs,
}

/// Finds shapes; remembers the signs of tools it has met.
#[derive(Debug, Default)]
pub struct Gloss {
    tools: Mutex<HashMap<String, Arc<ToolSigns>>>,
}

/// What a tool's name says, worked out once.
#[derive(Debug)]
struct ToolSigns {
    signs: Signs,
    words: ToolWords,
}

impl Gloss {
    /// What an intent asks for. One in a language that is not read counts as asking for all that a
    /// sign stands for, so that nothing is called unasked on its account.
    pub fn intent(&self, intent: Option<&str>) -> IntentSigns {
        let table = Table::built_in();
        let Some(intent) = intent else {
            return IntentSigns {
                words: IntentWords::default(),
                signs: table.asked,
            };
        };
        let words = IntentWords::new(intent);
        let mut signs = Signs::default();
        let line = view::intent(intent);
        table.intent.find(line.as_bytes(), &mut signs);
        if !words.is_english() {
            signs.add(&table.asked);
        } else if signs.has(table.sign("asked_loosely")) {
            // Who names a goal and no act leaves it to others what is changed.
            signs.insert(table.sign("asked_edit"));
        }
        IntentSigns { words, signs }
    }

    /// The shapes that an action has, in the order of the table. `text` is the action's text with
    /// copies of the intent blanked; `cut` says whether of the tool's name the ends alone are there.
    pub fn of(
        &self,
        action: &Action<'_>,
        text: &str,
        intent: &IntentSigns,
        cut: bool,
    ) -> Vec<&'static Entry> {
        let table = Table::built_in();
        let tool = self.tool(action.tool);
        let mut signs = tool.signs;
        let view = view::of(action);
        table.call.find(view.text.as_bytes(), &mut signs);
        signs.add(&intent.signs);
        let mut found = |sign: Coded| signs.insert(sign.sign());
        if cut || view.cut || action.facets.beyond {
            found(Coded::Cut);
        }
        commands::signs(action, &mut found);
        let (words, asked) = (&tool.words, &intent.words);
        relation::signs(action, words, text, &view.text, asked, &mut found);
        let alone = action.facets.commands.is_empty() && !view.others;
        rows::signs(&view.text, alone, &mut found);
        let entries = table.held(&signs);
        // Words for harmless work are not added to what has the sure shape of harm.
        match entries.iter().any(|entry| entry.harm && entry.is_sure()) {
            true => entries.into_iter().filter(|entry| entry.beside).collect(),
            false => entries,
        }
    }

    fn tool(&self, tool: &str) -> Arc<ToolSigns> {
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(signs) = tools.get(tool) {
            return Arc::clone(signs);
        }
        let table = Table::built_in();
        let mut signs = Signs::default();
        let line = view::tool(tool);
        table.tool.find(line.as_bytes(), &mut signs);
        table.call.find(line.as_bytes(), &mut signs);
        let has = |name| signs.has(table.sign(name));
        // A tool that deletes messages, or keeps them in order, does not send them; nor is a meeting bought.
        let (keeps, meets) = (has("t_delete") || has("t_upkeep"), has("t_calendar"));
        for (holds, name) in [(keeps, "t_send"), (meets, "t_buy")] {
            if holds {
                signs.remove(table.sign(name));
            }
        }
        // To hand a conversation over is no payment and changes nothing.
        if signs.has(table.sign("t_handoff")) {
            for name in ["t_alter", "t_money", "t_pay", "t_share", "t_vendor"] {
                signs.remove(table.sign(name));
            }
        }
        // A tool that reads, or sends whatever it is told to, is no messenger by its name alone.
        if signs.has(table.sign("t_looks")) || signs.has(table.sign("t_http")) {
            for name in ["t_send", "t_social", "t_buy", "t_pay", "t_money"] {
                signs.remove(table.sign(name));
            }
        }
        if tools.len() >= REMEMBERED {
            tools.clear();
        }
        let parts = tool.rsplit_once(['.', '/', ':']).or(tool.rsplit_once("__"));
        let act = parts.map_or_else(String::new, |(_, last)| view::tool(last));
        let words = ToolWords::new(tool, &line, &act);
        let made = Arc::new(ToolSigns { signs, words });
        tools.insert(tool.to_owned(), Arc::clone(&made));
        made
    }
}

/// The page about the gloss: every entry with its words and how sure its shape is.
pub fn document() -> String {
    let mut page = String::from(
        "# Gloss\n\nThe words that the semantic stage adds to well-known shapes of calls, \
         as [semantic.md](semantic.md) tells. Made from `src/firewall/gloss.txt`.\n",
    );
    for (harm, title) in [(true, "Harm"), (false, "Harmless work")] {
        page.push_str(&format!(
            "\n## {title}\n\n| id | sure | words |\n|---|---|---|\n"
        ));
        let entries = Table::built_in().entries.iter();
        for entry in entries.filter(|entry| entry.harm == harm) {
            let row = format!(
                "| `{}` | {} | {} |\n",
                entry.id, entry.strength, entry.words
            );
            page.push_str(&row);
        }
    }
    page
}

/// Intents with what they say, remembered up to a bound.
#[derive(Debug)]
pub struct Intents<T>(Mutex<Remembered<T>>);

#[derive(Debug)]
struct Remembered<T> {
    /// The one that was asked for last: the calls of a run follow one another.
    last: Option<(String, Arc<T>)>,
    all: HashMap<String, Arc<T>>,
}

impl<T> Default for Intents<T> {
    fn default() -> Self {
        Intents(Mutex::new(Remembered {
            last: None,
            all: HashMap::new(),
        }))
    }
}

impl<T> Intents<T> {
    /// What was worked out for an intent, or what `make` works out now.
    pub fn get(&self, intent: &str, make: impl FnOnce() -> T) -> Arc<T> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let remembered = {
            let known = lock();
            match &known.last {
                Some((text, last)) if text == intent => return Arc::clone(last),
                _ => known.all.get(intent).map(Arc::clone),
            }
        };
        let is_new = remembered.is_none();
        let made = remembered.unwrap_or_else(|| Arc::new(make()));
        let mut known = lock();
        if is_new {
            if known.all.len() >= REMEMBERED {
                known.all.clear();
            }
            known.all.insert(intent.to_owned(), Arc::clone(&made));
        }
        known.last = Some((intent.to_owned(), Arc::clone(&made)));
        made
    }
}
