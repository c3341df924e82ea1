//! What a call's arguments say it does, for the expressions of a policy: the commands it runs, the
//! files it reads and writes, the addresses and hosts it names.
//!
//! Facets are read off the text alone. Inside one call `cd`, variables and pipes are followed as far
//! as the text tells them, see [`follow`]; what cannot be known stands as it is written, and a
//! script that a program downloads or assembles is not seen. Where a text cannot be split into
//! commands it counts as one command, so that a rule still meets it, and [`Facets::complete`] is
//! false.
//!
//! Lists keep the order of the document and repeat nothing.

mod collect;
pub mod command;
pub mod effects;
pub mod follow;
mod handed;
mod hosts;
pub mod names;
pub mod options;
pub mod patch;
pub mod paths;
pub mod programs;
pub mod shell;
pub mod tools;
pub mod urls;
pub mod wrappers;

use crate::trace::json::Json;
use collect::{Field, Item};
use command::{Script, Simple};
use effects::Effects;
use foldhash::HashSet;
use std::sync::Arc;
use tools::{Tool, ToolName};
use urls::Address;

/// Everything the arguments of a call say it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// Simple commands of command lines: program and words joined by single spaces, without quotes
    /// and without wrappers such as `sudo`, `env`, `timeout` or `sh -c`.
    pub commands: Vec<String>,
    /// Normalised paths that are read.
    pub reads: Vec<String>,
    /// Normalised paths that are created, changed or removed.
    pub writes: Vec<String>,
    /// Normalised paths that are removed or moved away; they are among `writes` too.
    pub deletes: Vec<String>,
    /// Normalised http, https, ftp, ftps, ws and wss addresses; one that is not valid as written.
    pub urls: Vec<String>,
    /// Hosts of those addresses, and hosts that commands connect to, in lower case.
    pub hosts: Vec<String>,
    /// Texts that commands hand to clients of databases and to interpreters, as words or to read: SQL,
    /// or code that may hold some. No expression sees them.
    pub handed: Vec<String>,
    /// Whether every command line was understood to its end. Otherwise its text is among the
    /// commands, and more may happen than the lists show.
    pub complete: bool,
    /// Whether a limit was met: a command line is too long or nests too deep, or its variables may
    /// hold too much. Then nobody knows what the lists lack, and they decide nothing.
    pub beyond: bool,
}

/// All facets of a call. Each can be had by itself, at less work, from [`Arguments`].
pub fn of_call(tool: &str, args: &Json<'_>) -> Facets {
    Arguments::new(Arc::new(ToolName::new(tool)), args).facets()
}

/// The arguments of a call, taken apart once; each list is worked out when it is asked for.
#[derive(Debug)]
pub struct Arguments {
    tool: Tool,
    items: Vec<Item>,
    /// Whether each string has its working directory, and its environment.
    placed: bool,
}

impl Arguments {
    /// Takes the arguments of a call of `tool` apart.
    pub fn new(tool: Arc<ToolName>, args: &Json<'_>) -> Self {
        let tool = Tool::new(tool, args.get("command").and_then(Json::as_str));
        let (items, placed) = collect::items(&tool, args);
        Arguments {
            tool,
            items,
            placed,
        }
    }

    /// All of them.
    pub fn facets(&self) -> Facets {
        let [reads, writes, deletes] = self.files([true; 3]);
        let (urls, hosts) = self.addresses();
        Facets {
            commands: self.commands(),
            reads,
            writes,
            deletes,
            urls,
            hosts,
            handed: self.handed(),
            complete: self.complete(),
            beyond: self.beyond(),
        }
    }

    /// See [`Facets::complete`].
    pub fn complete(&self) -> bool {
        self.placed && self.scripts().all(|script| script.complete)
    }

    /// See [`Facets::beyond`].
    pub fn beyond(&self) -> bool {
        !self.placed || self.scripts().any(|script| script.beyond)
    }

    /// See [`Facets::commands`].
    pub fn commands(&self) -> Vec<String> {
        let mut list = List::default();
        for command in self.scripts().flat_map(|script| &script.commands) {
            list.push(command.text());
            // A rule on a subcommand need not know what may stand in front of it.
            let is_git = command
                .program()
                .is_some_and(|p| p == "git" || p == "git.exe");
            let plain = is_git
                .then(|| effects::git::plain(&command.words))
                .flatten();
            list.extend(plain.map(|words| words.join(" ")));
        }
        list.items
    }

    /// See [`Facets::handed`].
    fn handed(&self) -> Vec<String> {
        let mut list = List::default();
        let commands = self.scripts().flat_map(|script| &script.commands);
        list.extend(commands.flat_map(handed::texts).map(str::to_owned));
        list.items
    }

    /// See [`Facets::reads`].
    pub fn reads(&self) -> Vec<String> {
        let [reads, _, _] = self.files([true, false, false]);
        reads
    }

    /// See [`Facets::writes`].
    pub fn writes(&self) -> Vec<String> {
        let [_, writes, _] = self.files([false, true, false]);
        writes
    }

    /// See [`Facets::deletes`].
    pub fn deletes(&self) -> Vec<String> {
        let [_, _, deletes] = self.files([false, false, true]);
        deletes
    }

    /// See [`Facets::urls`].
    pub fn urls(&self) -> Vec<String> {
        self.addresses().0
    }

    /// See [`Facets::hosts`].
    pub fn hosts(&self) -> Vec<String> {
        self.addresses().1
    }

    /// Addresses, and hosts.
    fn addresses(&self) -> (Vec<String>, Vec<String>) {
        let mut named = Named::default();
        for item in &self.items {
            match item {
                Item::Text(Field { key, text, .. }) => {
                    let found = urls::find(text);
                    let is_read = !found.is_empty() && urls::is_whole(text);
                    named.add(found);
                    let key = key.as_deref().unwrap_or("");
                    if tools::is_host(key) {
                        named.hosts.extend(named_host(text));
                    } else if tools::is_address(key) && !is_read {
                        let found = urls::of_value(text);
                        if found.is_empty() {
                            named.hosts.extend(urls::host_of_value(text));
                        }
                        named.add(found);
                    }
                }
                Item::Commands(line) => {
                    let texts = line.script.commands.iter().flat_map(texts);
                    named.add(texts.flat_map(urls::find));
                    for (command, effects) in line.effects() {
                        named.hosts.extend(command_hosts(command, effects));
                    }
                }
            }
        }
        (named.urls.items, named.hosts.items)
    }

    fn scripts(&self) -> impl Iterator<Item = &Script> {
        self.items.iter().filter_map(|item| match item {
            Item::Commands(line) => Some(&line.script),
            Item::Text(_) => None,
        })
    }

    /// Files that are read, written and deleted, as far as each is wanted.
    fn files(&self, wanted: [bool; 3]) -> [Vec<String>; 3] {
        let mut lists: [List; 3] = Default::default();
        let [reads, writes, deletes] = &mut lists;
        let [wants_reads, wants_writes, wants_deletes] = wanted;
        for item in &self.items {
            match item {
                Item::Text(Field { key, text, dir }) => {
                    if self.tool.is_patch(key.as_deref()) {
                        if wants_writes {
                            patch::files(text).for_each(|path| writes.push_path(dir, path));
                        }
                        if wants_deletes {
                            let paths = patch::deleted(text).into_iter();
                            paths.for_each(|path| deletes.push_path(dir, path));
                        }
                    }
                    let Some(key) = key else { continue };
                    let touch = self.tool.touches(key, text);
                    for (list, touched) in [
                        (&mut *reads, wants_reads && touch.reads),
                        (&mut *writes, wants_writes && touch.writes),
                        (&mut *deletes, wants_deletes && touch.deletes),
                    ] {
                        if touched {
                            list.push_path(dir, text);
                        }
                    }
                }
                Item::Commands(line) => {
                    for (command, effects) in line.effects() {
                        for (list, wanted, paths) in [
                            (&mut *reads, wants_reads, &effects.reads),
                            (&mut *writes, wants_writes, &effects.writes),
                            (&mut *deletes, wants_deletes, &effects.deletes),
                        ] {
                            if wanted {
                                list.extend_files(&command.dirs, paths);
                            }
                        }
                    }
                }
            }
        }
        lists.map(|list| list.items)
    }
}

/// The texts of a command that may hold addresses.
fn texts(command: &Simple) -> impl Iterator<Item = &str> {
    let assigned = command.assignments.iter().filter_map(|a| a.split_once('='));
    let stripped = command.stripped.iter().map(String::as_str);
    let targets = command.redirects.iter().map(|r| r.target.as_str());
    assigned
        .map(|(_, value)| value)
        .chain(stripped)
        .chain(command.words.iter().map(String::as_str))
        .chain(targets)
        .chain(std::iter::once(command.input.as_str()))
}

fn command_hosts(command: &Simple, effects: &Effects) -> Vec<String> {
    let named = effects
        .peers
        .iter()
        .filter_map(|(operand, peer)| hosts::of_operand(operand, *peer));
    let redirected = command.redirects.iter();
    // curl has braces of its own.
    let is_curl = command.program() == Some("curl");
    let words = command.words.iter().filter(|_| is_curl);
    let braced = words
        .filter(|word| word.contains('{'))
        .flat_map(|word| follow::braces::texts(word));
    let found = braced.flat_map(|text| urls::find(&text));
    named
        .chain(redirected.filter_map(|r| hosts::of_redirect(&r.target)))
        .chain(found.map(|address| address.host))
        .collect()
}

/// The host of a text under a key that names one.
fn named_host(text: &str) -> Option<String> {
    let text = text.trim();
    let named = || urls::host_of_value(text).unwrap_or_else(|| urls::host_name(text));
    (!text.is_empty()).then(named)
}

/// Addresses and hosts that are named.
#[derive(Default)]
struct Named {
    urls: List,
    hosts: List,
}

impl Named {
    fn add(&mut self, addresses: impl IntoIterator<Item = Address>) {
        for address in addresses {
            self.urls.push(address.url);
            self.hosts.push(address.host);
        }
    }
}

/// A list without repeats or empty texts.
#[derive(Default)]
struct List {
    items: Vec<String>,
    /// The same, once they are more than [`FEW`].
    seen: HashSet<String>,
}

/// As many texts are compared one by one.
const FEW: usize = 8;

impl List {
    fn push(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        if self.items.len() < FEW {
            if !self.items.contains(&text) {
                self.items.push(text);
            }
            return;
        }
        if self.seen.is_empty() {
            self.seen.extend(self.items.iter().cloned());
        }
        if self.seen.insert(text.clone()) {
            self.items.push(text);
        }
    }

    fn push_path(&mut self, dir: &str, path: &str) {
        if path.trim().is_empty() {
            return;
        }
        let path = paths::join(dir, path);
        if !paths::is_stream(&path) {
            self.push(path);
        }
    }

    /// Appends the files of a command that runs in one of these directories.
    fn extend_files(&mut self, dirs: &[String], paths: &[String]) {
        for path in paths {
            // What a shell puts in place of a substitution is a stream.
            if path.starts_with("<(") || path.starts_with(">(") {
                continue;
            }
            if dirs.is_empty() {
                self.push_path("", path);
            }
            dirs.iter().for_each(|dir| self.push_path(dir, path));
        }
    }

    fn extend(&mut self, texts: impl IntoIterator<Item = String>) {
        texts.into_iter().for_each(|text| self.push(text));
    }
}
