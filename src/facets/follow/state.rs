//! What is known of a shell at a place of its script: where it is and what its variables hold.

use crate::facets::paths;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most variables that are kept; what further ones hold is not known.
const MAX_VARIABLES: usize = 192;

/// Most values that a variable may have.
pub(super) const MAX_VALUES: usize = 256;

/// Longest value kept, in bytes.
const MAX_LENGTH: usize = 4096;

/// Longest directory kept, in bytes.
const MAX_DIR: usize = 1024;

/// Most directories that a shell may be in.
const MAX_DIRS: usize = 4;

/// Most directories on its stack.
const MAX_STACK: usize = 16;

/// A value; absent where it is not known.
pub(super) type Value = Option<Arc<[String]>>;

/// What a variable may hold, without repeats. A value has one text, or those of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub values: Vec<Value>,
    /// Whether programs inherit it.
    pub exported: bool,
    /// It may hold more than is kept.
    pub beyond: bool,
}

/// What is known of a shell. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Where it may be; an empty directory is where the call starts, or not known.
    pub dirs: Arc<[String]>,
    previous: Arc<[String]>,
    stack: Arc<Vec<Arc<[String]>>>,
    variables: Arc<BTreeMap<String, Variable>>,
    /// `$0` and the positional parameters; absent where they are not known.
    pub positional: Option<Arc<Vec<String>>>,
    /// Files that stand for `{}`.
    pub files: Arc<[String]>,
    /// Nothing runs after this place: the shell or the loop has been left.
    pub left: bool,
    /// Something was too long or too much to be kept.
    pub overflow: bool,
}

impl State {
    /// A shell that has just started in a directory; an empty one is not known.
    pub fn new(dir: &str) -> State {
        let dir = if dir.is_empty() {
            String::new()
        } else {
            paths::normalise(dir)
        };
        let dirs = Arc::from([dir]);
        State {
            previous: Arc::default(),
            stack: Arc::new(Vec::new()),
            variables: Arc::new(BTreeMap::new()),
            positional: None,
            files: Arc::default(),
            left: false,
            overflow: false,
            dirs,
        }
    }

    /// A program that this shell starts. It inherits what is exported, or everything.
    pub fn child(&self, everything: bool) -> State {
        let inherited = self
            .variables
            .iter()
            .filter(|(_, v)| everything || v.exported);
        let inherited = inherited.map(|(name, v)| (name.clone(), v.clone()));
        State {
            variables: Arc::new(inherited.collect()),
            stack: Arc::new(Vec::new()),
            positional: None,
            left: false,
            overflow: false,
            ..self.clone()
        }
    }

    /// What a variable may hold; `None` where nothing was said of it.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.get(name)
    }

    /// Gives a variable the values it may have.
    pub fn set(&mut self, name: &str, mut values: Vec<Value>, exported: bool) {
        for value in &mut values {
            if value.as_deref().is_some_and(is_long) {
                *value = None;
                self.overflow = true;
            }
        }
        let known = self.variables.get(name);
        if known.is_none() && self.variables.len() >= MAX_VARIABLES {
            self.overflow = true;
            return;
        }
        let exported = exported || known.is_some_and(|v| v.exported);
        let variable = Variable {
            values,
            exported,
            beyond: false,
        };
        Arc::make_mut(&mut self.variables).insert(name.to_owned(), variable);
    }

    /// Gives a variable more values than are kept: whatever uses it is not known.
    pub fn set_beyond(&mut self, name: &str) {
        self.set(name, vec![None], false);
        if let Some(variable) = Arc::make_mut(&mut self.variables).get_mut(name) {
            variable.beyond = true;
        }
    }

    /// Sets `$0` and the positional parameters.
    pub fn set_positional(&mut self, texts: Vec<String>) {
        let long = is_long(&texts);
        self.overflow |= long;
        self.positional = (!long).then(|| Arc::new(texts));
    }

    /// Lets programs inherit a variable.
    pub fn export(&mut self, name: &str) {
        if self.variables.get(name).is_some_and(|v| !v.exported)
            && let Some(variable) = Arc::make_mut(&mut self.variables).get_mut(name)
        {
            variable.exported = true;
        }
    }

    /// Forgets a variable.
    pub fn unset(&mut self, name: &str) {
        if self.variables.contains_key(name) {
            Arc::make_mut(&mut self.variables).remove(name);
        }
    }

    /// Goes to a directory; absent is one that is not known.
    pub fn go(&mut self, target: Option<&str>) {
        let dirs = match target {
            Some("-") if !self.previous.is_empty() => self.previous.to_vec(),
            Some(target) if target != "-" => {
                let joined = self.dirs.iter().map(|dir| place(dir, target));
                joined.collect()
            }
            _ => vec![String::new()],
        };
        self.arrive(dirs);
    }

    /// Goes to a directory and remembers this one, or goes back to the latest such.
    pub fn push(&mut self, target: Option<&str>) {
        if self.stack.len() >= MAX_STACK {
            self.overflow = true;
        } else {
            let here = Arc::clone(&self.dirs);
            Arc::make_mut(&mut self.stack).push(here);
        }
        self.go(target);
    }

    /// Goes back to the directory that was remembered last.
    pub fn pop(&mut self) {
        let dirs = Arc::make_mut(&mut self.stack).pop();
        self.arrive(dirs.map_or_else(|| vec![String::new()], |dirs| dirs.to_vec()));
    }

    fn arrive(&mut self, mut dirs: Vec<String>) {
        for dir in &mut dirs {
            if dir.len() > MAX_DIR {
                dir.clear();
                self.overflow = true;
            }
        }
        self.previous = std::mem::replace(&mut self.dirs, dirs.into());
    }

    /// The directory it is in, and the one before, if there is one answer.
    pub fn here(&self, previous: bool) -> Option<&str> {
        let dirs = if previous { &self.previous } else { &self.dirs };
        match &**dirs {
            [dir] if !dir.is_empty() => Some(dir),
            _ => None,
        }
    }

    /// What is known where the shell is in one of two states.
    pub fn either(mut self, other: &State) -> State {
        if self.left != other.left {
            return if self.left { other.clone() } else { self };
        }
        self.overflow |= other.overflow;
        if !Arc::ptr_eq(&self.dirs, &other.dirs) && self.dirs != other.dirs {
            let new = other.dirs.iter().filter(|dir| !self.dirs.contains(dir));
            let mut dirs: Vec<String> = self.dirs.iter().chain(new).cloned().collect();
            self.overflow |= dirs.len() > MAX_DIRS;
            dirs.truncate(MAX_DIRS);
            self.dirs = dirs.into();
        }
        if !Arc::ptr_eq(&self.variables, &other.variables) {
            self.merge(&other.variables);
        }
        if self.positional != other.positional {
            self.positional = None;
        }
        self
    }

    /// Whether commands may do something else here than there.
    pub fn differs(&self, other: &State) -> bool {
        let same =
            Arc::ptr_eq(&self.variables, &other.variables) || self.variables == other.variables;
        self.dirs != other.dirs || !same
    }

    fn merge(&mut self, others: &BTreeMap<String, Variable>) {
        let mut overflow = false;
        let variables = Arc::make_mut(&mut self.variables);
        for (name, variable) in variables.iter_mut() {
            match others.get(name) {
                Some(other) if other == variable => {}
                Some(other) => {
                    variable.exported |= other.exported;
                    variable.beyond |= other.beyond;
                    for value in &other.values {
                        push_value(&mut variable.values, value.clone());
                    }
                }
                None => push_value(&mut variable.values, None),
            }
            overflow |= variable.values.len() > MAX_VALUES;
            variable.values.truncate(MAX_VALUES);
        }
        for (name, other) in others {
            if variables.contains_key(name) {
                continue;
            }
            if variables.len() >= MAX_VARIABLES {
                overflow = true;
                break;
            }
            let mut other = other.clone();
            push_value(&mut other.values, None);
            variables.insert(name.clone(), other);
        }
        self.overflow |= overflow;
    }
}

fn is_long(texts: &[String]) -> bool {
    texts.iter().map(|text| text.len() + 1).sum::<usize>() > MAX_LENGTH
}

fn push_value(values: &mut Vec<Value>, value: Value) {
    if !values.contains(&value) {
        values.push(value);
    }
}

/// The directory that a target leads to from one that may be unknown.
fn place(dir: &str, target: &str) -> String {
    let place = paths::join(dir, target);
    if place == "." || place.starts_with(['$', '`']) {
        return String::new();
    }
    place
}
