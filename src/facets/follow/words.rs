//! Words as a shell expands them: braces, and variables whose value is known. What is not known
//! stands as it was written.

use super::braces::{self, Piece};
use super::state::{State, Value};
use crate::facets::command::{Redirect, Simple};
use crate::facets::shell::{Assignment, Command, Input, PartKind, Word};
use std::sync::Arc;

/// Most ways to run one command, by what its variables may hold.
const MAX_VERSIONS: usize = 256;

/// Bytes that expansions of one call may add.
const BUDGET: usize = 1024 * 1024;

/// What may still be expanded, and whether something was left as it is for lack of it.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: usize,
    /// A limit was met: more may run than is shown.
    pub overflow: bool,
    /// A function calls itself further than it is followed.
    pub recursion: bool,
}

impl Budget {
    pub fn new() -> Budget {
        Budget {
            bytes: BUDGET,
            overflow: false,
            recursion: false,
        }
    }

    /// Takes that many bytes; `false` if there are not as many.
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.bytes.checked_sub(bytes);
        self.overflow |= left.is_none();
        self.bytes = left.unwrap_or(self.bytes);
        left.is_some()
    }
}

/// An array that a command assigns: its name and values.
pub(super) type Array = (String, Vec<String>);

/// A command as it runs.
#[derive(Debug)]
pub(super) struct Version {
    pub command: Simple,
    pub arrays: Vec<Array>,
}

/// The ways in which a command may run, by what its variables hold.
pub(super) fn versions(raw: &Command, state: &State, budget: &mut Budget) -> Vec<Version> {
    let mut choices: Vec<(&str, &[Value])> = Vec::new();
    let mut count = 1;
    for name in words_of(raw).flat_map(variables) {
        budget.overflow |= state.variable(name).is_some_and(|v| v.beyond);
        let Some(variable) = state.variable(name).filter(|v| v.values.len() > 1) else {
            continue;
        };
        if choices.iter().any(|(known, _)| *known == name) {
            continue;
        }
        count *= variable.values.len();
        if count > MAX_VERSIONS {
            budget.overflow = true;
            choices.clear();
            break;
        }
        choices.push((name, &variable.values));
    }
    let count: usize = choices.iter().map(|(_, values)| values.len()).product();
    // A command takes memory beside its words.
    let size = || words_of(raw).map(|word| word.text.len()).sum::<usize>() + 64;
    if count > 1 && !budget.take(size() * (count - 1)) {
        choices.clear();
    }
    let count: usize = choices.iter().map(|(_, values)| values.len()).product();
    let mut found = Vec::with_capacity(count);
    for mut n in 0..count {
        let mut chosen = Vec::with_capacity(choices.len());
        for (name, values) in &choices {
            chosen.push((*name, values.get(n % values.len()).and_then(Option::as_ref)));
            n /= values.len();
        }
        let chosen = &chosen;
        found.push(
            Expander {
                state,
                chosen,
                budget,
            }
            .version(raw),
        );
    }
    found
}

/// The values that the words of a loop's head stand for; `None` if they are too many.
pub(super) fn values(words: &[Word], state: &State, budget: &mut Budget) -> Option<Vec<Value>> {
    let mut names = words.iter().flat_map(variables);
    budget.overflow |= names.any(|name| state.variable(name).is_some_and(|v| v.beyond));
    let mut expander = Expander {
        state,
        chosen: &[],
        budget,
    };
    let mut found: Vec<Value> = Vec::new();
    for word in words {
        let known = word.parts.iter().all(|part| part.kind == PartKind::Quoted);
        braces::expand(word)?;
        for field in expander.fields(word) {
            let unknown = !known && field.contains(['$', '`', '(']);
            let value: Value = (!unknown).then(|| Arc::from([field]));
            if !found.contains(&value) {
                found.push(value);
            }
            if found.len() > super::state::MAX_VALUES {
                return None;
            }
        }
    }
    Some(found)
}

fn words_of(raw: &Command) -> impl Iterator<Item = &Word> {
    let inputs = raw.inputs.iter().filter_map(|input| match input {
        Input::Word(word) => Some(word),
        Input::Text { .. } => None,
    });
    let assigned = raw.assignments.iter().flat_map(|a| {
        let values = a.array.iter().flatten();
        std::iter::once(&a.word).chain(values)
    });
    let targets = raw.redirects.iter().map(|redirect| &redirect.target);
    assigned.chain(&raw.words).chain(targets).chain(inputs)
}

fn variables(word: &Word) -> impl Iterator<Item = &str> {
    let variable = |kind| matches!(kind, Some(PartKind::Variable | PartKind::QuotedVariable));
    let pieces = word.pieces().filter(move |(kind, _)| variable(*kind));
    pieces.filter_map(|(_, text)| Reference::read(text).map(|found| found.name))
}

/// Whether a word stands for itself.
fn is_plain(word: &Word) -> bool {
    word.parts.is_empty() && !word.text.contains('{') && !word.text.starts_with('~')
}

/// A use of a variable.
struct Reference<'t> {
    name: &'t str,
    /// Index of an array: `@`, `*` or a number.
    index: Option<&'t str>,
    /// What follows the name in braces: an operator and its word.
    operation: &'t str,
}

impl<'t> Reference<'t> {
    fn read(text: &'t str) -> Option<Reference<'t>> {
        let text = text.strip_prefix('$')?;
        let Some(inner) = text.strip_prefix('{') else {
            return Some(Reference {
                name: text,
                index: None,
                operation: "",
            });
        };
        let inner = inner.strip_suffix('}')?;
        let named = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = match inner.chars().next()? {
            '@' | '*' => 1,
            _ => inner.find(|c| !named(c)).unwrap_or(inner.len()),
        };
        let (name, mut operation) = inner.split_at(end);
        let mut index = None;
        if let Some(rest) = operation.strip_prefix('[') {
            let (found, rest) = rest.split_once(']')?;
            (index, operation) = (Some(found), rest);
        }
        (!name.is_empty()).then_some(Reference {
            name,
            index,
            operation,
        })
    }

    /// The text that stands in for a variable without a value, if it is plain.
    fn default(&self) -> Option<&'t str> {
        let operation = self.operation;
        let text = operation.strip_prefix(':').unwrap_or(operation);
        let text = text.strip_prefix(['-', '='])?;
        (!text.contains(['$', '`', '\\', '"', '\''])).then_some(text)
    }

    /// Whether a value, if there is one, is used as it is.
    fn is_plain(&self) -> bool {
        let operation = self.operation;
        let operator = operation.strip_prefix(':').unwrap_or(operation);
        operation.is_empty() || operator.starts_with(['-', '=', '?'])
    }
}

struct Expander<'e> {
    state: &'e State,
    chosen: &'e [(&'e str, Option<&'e Arc<[String]>>)],
    budget: &'e mut Budget,
}

impl Expander<'_> {
    fn version(&mut self, raw: &Command) -> Version {
        let mut command = Simple {
            dirs: Arc::clone(&self.state.dirs),
            files: Arc::clone(&self.state.files),
            ..Simple::default()
        };
        let mut arrays = Vec::new();
        for assignment in &raw.assignments {
            arrays.extend(self.array(assignment));
            let text = match assignment.array {
                Some(_) => assignment.word.text.clone(),
                None => self.joined(&assignment.word, false),
            };
            command.assignments.push(text);
        }
        command.words.reserve(raw.words.len());
        for word in &raw.words {
            match is_plain(word) {
                true => command.words.push(word.text.clone()),
                false => command.words.extend(self.fields(word)),
            }
        }
        for redirect in &raw.redirects {
            command.redirects.push(Redirect {
                reads: redirect.reads,
                writes: redirect.writes,
                target: self.joined(&redirect.target, true),
            });
        }
        for input in &raw.inputs {
            match input {
                Input::Word(word) => {
                    command.input.push_str(&self.joined(word, false));
                    command.input.push('\n');
                }
                Input::Text { text, expands } => {
                    command.input.push_str(text);
                    command.input_expands |= expands;
                }
            }
        }
        Version { command, arrays }
    }

    fn array(&mut self, assignment: &Assignment) -> Option<Array> {
        let words = assignment.array.as_ref()?;
        let (name, _) = assignment.word.text.split_once('=')?;
        let values = words.iter().flat_map(|word| self.fields(word)).collect();
        Some((name.to_owned(), values))
    }

    /// The word as one text.
    fn joined(&mut self, word: &Word, braces: bool) -> String {
        if is_plain(word) || word.parts.is_empty() && !braces {
            return word.text.clone();
        }
        if braces {
            return self.fields(word).join(" ");
        }
        let pieces = word.pieces().map(|(kind, text)| Piece {
            kind: match kind {
                Some(PartKind::Variable) => Some(PartKind::QuotedVariable),
                kind => kind,
            },
            text: text.into(),
        });
        let pieces: Vec<_> = pieces.collect();
        let mut fields = Fields::default();
        self.expand(&pieces, &mut fields);
        fields.done().join(" ")
    }

    /// The words that a word stands for.
    fn fields(&mut self, word: &Word) -> Vec<String> {
        if is_plain(word) {
            return vec![word.text.clone()];
        }
        let Some(words) = braces::expand(word) else {
            self.budget.overflow = true;
            return vec![word.text.clone()];
        };
        if words.len() > 1 && !self.budget.take(word.text.len() * words.len()) {
            return vec![word.text.clone()];
        }
        let mut found = Vec::with_capacity(words.len());
        for pieces in words {
            let mut fields = Fields::default();
            self.expand(&pieces, &mut fields);
            found.extend(fields.done());
        }
        found
    }

    fn expand(&mut self, pieces: &[Piece<'_>], fields: &mut Fields) {
        for (at, piece) in pieces.iter().enumerate() {
            let text = &*piece.text;
            match piece.kind {
                None if at == 0 && text.starts_with('~') => fields.push(&self.home(text)),
                None | Some(PartKind::Quoted | PartKind::Substitution) => fields.push(text),
                Some(kind) => {
                    let split = kind == PartKind::Variable;
                    self.variable(text, split, pieces.len() > 1, fields);
                }
            }
        }
    }

    /// The home directory, where the script says which it is.
    fn home(&self, text: &str) -> String {
        let (user, rest) = text.split_at(text.find('/').unwrap_or(text.len()));
        let place = match user {
            "~" => self.text_of("HOME"),
            "~+" => self.state.here(false).map(str::to_owned),
            "~-" => self.state.here(true).map(str::to_owned),
            _ => None,
        };
        place.map_or_else(|| text.to_owned(), |place| place + rest)
    }

    fn text_of(&self, name: &str) -> Option<String> {
        self.value(name)?.first().cloned()
    }

    /// The value of a variable, or its values; `None` where they are not known.
    fn value(&self, name: &str) -> Option<Vec<String>> {
        if let Some((_, value)) = self.chosen.iter().find(|(known, _)| *known == name) {
            return value.map(|texts| texts.to_vec());
        }
        if let Some(variable) = self.state.variable(name) {
            return match variable.values.as_slice() {
                [Some(texts)] => Some(texts.to_vec()),
                _ => None,
            };
        }
        let positional = self.state.positional.as_deref();
        match name {
            "PWD" => Some(vec![self.state.here(false)?.to_owned()]),
            "OLDPWD" => Some(vec![self.state.here(true)?.to_owned()]),
            "IFS" => Some(vec![" ".into()]),
            "@" | "*" => positional.map(|all| all.iter().skip(1).cloned().collect()),
            number => {
                let n: usize = number.parse().ok()?;
                let beyond = (n > 0).then(Vec::new);
                positional?.get(n).map(|text| vec![text.clone()]).or(beyond)
            }
        }
    }

    fn variable(&mut self, text: &str, split: bool, inside: bool, fields: &mut Fields) {
        let value = self.resolve(text, inside);
        let Some(texts) = value else {
            return fields.push(text);
        };
        let size = texts.iter().map(|text| text.len() + 1).sum();
        if !self.budget.take(size) {
            return fields.push(text);
        }
        let separators = self.text_of("IFS").filter(|_| split);
        for (n, text) in texts.iter().enumerate() {
            if n > 0 {
                fields.end();
            }
            match &separators {
                Some(separators) => fields.push_split(text, separators),
                None => fields.push(text),
            }
        }
    }

    /// What stands for a variable; `None` for itself. `inside` tells of a longer word.
    fn resolve(&self, text: &str, inside: bool) -> Option<Vec<String>> {
        let used = Reference::read(text)?;
        let Some(values) = self.value(used.name) else {
            if let Some(text) = used.default() {
                return Some(vec![text.to_owned()]);
            }
            // Few scripts have parameters: `r$@m` hides a name.
            let nothing = inside && matches!(used.name, "@" | "*") && used.operation.is_empty();
            return nothing.then(Vec::new);
        };
        if !used.is_plain() {
            return None;
        }
        match used.index {
            None if matches!(used.name, "@" | "*") => Some(values),
            None => Some(vec![values.first().cloned().unwrap_or_default()]),
            Some("@" | "*") => Some(values),
            Some(index) => {
                let index: usize = index.parse().ok()?;
                Some(vec![values.get(index).cloned().unwrap_or_default()])
            }
        }
    }
}

/// Words being put together.
#[derive(Default)]
struct Fields {
    done: Vec<String>,
    open: Option<String>,
}

impl Fields {
    /// Appends text to the open word.
    fn push(&mut self, text: &str) {
        self.open.get_or_insert_default().push_str(text);
    }

    /// Appends a value that is split at separators; an empty one is no word.
    fn push_split(&mut self, text: &str, separators: &str) {
        let separator =
            |c: char| separators.contains(c) || (separators == " " && c.is_ascii_whitespace());
        for (n, part) in text.split(separator).enumerate() {
            if n > 0 {
                self.end();
            }
            if !part.is_empty() {
                self.push(part);
            }
        }
    }

    fn end(&mut self) {
        self.done.extend(self.open.take());
    }

    fn done(mut self) -> Vec<String> {
        self.end();
        self.done
    }
}
