//! Steps through a text from mark to mark: lists, compound commands, loops and functions.

use super::feed::{self, Feed};
use super::level::{self, Level};
use super::state::State;
use super::words::{self, Version};
use super::{Follow, change};
use crate::facets::command::Simple;
use crate::facets::shell::{Command, Keyword, MAX_NESTING, Mark, Text};
use std::collections::BTreeMap;

/// A place in a text.
pub(super) struct Walk<'t> {
    found: &'t Text,
    depth: usize,
    levels: Vec<Level>,
    /// The marks of the bodies of functions.
    functions: BTreeMap<&'t str, (usize, usize)>,
    /// Whether functions may be called by what is not followed here.
    hidden_calls: bool,
    /// Functions whose bodies are open: name, first mark, number of levels.
    bodies: Vec<(&'t str, usize, usize)>,
    /// First marks of the bodies of the functions that are being called.
    calls: Vec<usize>,
    /// The function whose body comes next.
    defined: Option<&'t str>,
    /// The outermost loop that is open: its first mark, the number of levels, and whether it runs
    /// for the second time.
    looping: Option<(usize, usize, bool)>,
}

impl<'t> Walk<'t> {
    pub fn new(found: &'t Text, depth: usize, state: State) -> Walk<'t> {
        Walk {
            found,
            depth,
            levels: vec![Level::new(state, None)],
            functions: BTreeMap::new(),
            hidden_calls: found.commands.iter().any(|command| {
                let first = command.words.first();
                first.is_some_and(|word| {
                    matches!(word.text.as_str(), "eval" | "trap" | "builtin" | "command")
                })
            }),
            bodies: Vec::new(),
            calls: Vec::new(),
            defined: None,
            looping: None,
        }
    }

    /// Follows the whole text; what is known behind it.
    pub fn all(mut self, follow: &mut Follow) -> State {
        let before = self.levels.first().map(|level| level.state.clone());
        self.range(0, self.found.marks.len(), follow);
        let state = end(std::mem::take(&mut self.levels)).or(before);
        state.unwrap_or_else(|| State::new(""))
    }

    fn range(&mut self, start: usize, end: usize, follow: &mut Follow) {
        let mut at = start;
        while let Some(mark) = self.found.marks.get(at).filter(|_| at < end) {
            let again = self.step(*mark, at, follow);
            let levels = self.levels.len();
            while let Some((name, first, height)) = self.bodies.last().copied()
                && levels < height
            {
                self.bodies.pop();
                self.functions.insert(name, (first, at + 1));
            }
            if self.looping.is_some_and(|(_, height, _)| levels < height) {
                self.looping = None;
            }
            at = again.unwrap_or(at) + 1;
        }
    }

    /// Takes one step. The index of a mark behind which to go on, if not behind this one.
    fn step(&mut self, mark: Mark, at: usize, follow: &mut Follow) -> Option<usize> {
        let level = self.levels.last_mut()?;
        match mark {
            Mark::Command(n) => {
                if let Some(command) = self.found.commands.get(n).filter(|c| !c.is_empty()) {
                    self.command(command, follow);
                }
            }
            Mark::And | Mark::Or | Mark::Pipe | Mark::Background | Mark::End => level.settle(mark),
            Mark::Enter => self.open(None, at),
            Mark::Block(keyword) => {
                self.open(Some(keyword), at);
                if keyword == Keyword::Loop && self.looping.is_none() {
                    self.looping = Some((at, self.levels.len(), false));
                }
            }
            Mark::Leave => level::leave(&mut self.levels),
            Mark::Then | Mark::Elif | Mark::Else(_) | Mark::Fall => level.branch(mark),
            Mark::Close(keyword) if level.closes(keyword) => {
                let height = self.levels.len();
                if let Some((first, outermost, second)) = &mut self.looping
                    && *outermost == height
                    && !*second
                    && self.levels.last_mut().is_some_and(Level::repeat)
                {
                    *second = true;
                    return Some(*first);
                }
                level::close(&mut self.levels);
            }
            Mark::Close(_) => {}
            Mark::Loop(n) => {
                if let Some(head) = self.found.loops.get(n) {
                    let values = if head.words.is_empty() {
                        Some(vec![None])
                    } else {
                        words::values(&head.words, &level.state, &mut follow.budget)
                    };
                    match values {
                        Some(values) => level.state.set(&head.name, values, false),
                        None => level.state.set_beyond(&head.name),
                    }
                    level.head();
                }
            }
            Mark::Function(n) => {
                level.function = true;
                self.defined = self.found.functions.get(n).map(String::as_str);
            }
        }
        None
    }

    fn open(&mut self, keyword: Option<Keyword>, at: usize) {
        if let Some(level) = self.levels.last_mut() {
            let mut inner = level.inner(keyword);
            inner.runs = self.hidden_calls;
            self.levels.push(inner);
        }
        if let Some(name) = self.defined.take() {
            self.bodies.push((name, at, self.levels.len()));
        }
    }

    fn command(&mut self, raw: &Command, follow: &mut Follow) {
        let Some(level) = self.levels.last() else {
            return;
        };
        let state = level.state_of(raw);
        let feed = level.feed().cloned();
        let mut after: Option<State> = None;
        let mut sure = true;
        let mut printed = None;
        let versions = words::versions(raw, &state, &mut follow.budget);
        for Version {
            mut command,
            arrays,
        } in versions
        {
            follow.place(&mut command);
            if let (Some(Feed::Text(text)), true) = (&feed, command.input.is_empty())
                && feed::takes_input(&command)
                && follow.budget.take(text.len())
            {
                command.input = text.to_string();
            }
            let mut next = state.clone();
            let first = follow.out.commands.len();
            sure &= change::is_sure(&command);
            let called = self.called(&command);
            self.leave(&command, &state);
            follow.pass(command, feed.as_ref(), self.depth, &mut next);
            let found = follow.out.commands.get(first..).unwrap_or_default();
            let speaks = found.iter().find(|command| !command.words.is_empty());
            printed = speaks.and_then(|c| feed::printed(c, feed.as_ref(), &mut follow.budget));
            for (name, values) in arrays {
                next.set(&name, vec![Some(values.into())], false);
            }
            if let Some((body, words)) = called {
                next = self.call(body, words, next, feed.clone(), follow);
            }
            after = Some(match after {
                Some(other) => other.either(&next),
                None => next,
            });
        }
        if let Some(level) = self.levels.last_mut() {
            level.ran(after.unwrap_or(state), sure, printed);
        }
    }

    /// Notes what is known where a command leaves a loop or a function.
    fn leave(&mut self, command: &Simple, state: &State) {
        let returns = match command.program() {
            Some("break" | "continue") => false,
            Some("return") => true,
            _ => return,
        };
        let all = command.words.len() > 1 && !returns;
        for level in self.levels.iter_mut().rev() {
            match level.leaves(returns, state) {
                Some(true) if !all => return,
                Some(_) => {}
                None => return,
            }
        }
    }

    /// The body of the function that a command calls, with its words.
    fn called(&self, command: &Simple) -> Option<((usize, usize), Vec<String>)> {
        let body = self.functions.get(command.words.first()?.as_str())?;
        Some((*body, command.words.clone()))
    }

    /// Follows the body of a function; what is known behind it.
    fn call(
        &mut self,
        (start, last): (usize, usize),
        words: Vec<String>,
        mut state: State,
        feed: Option<Feed>,
        follow: &mut Follow,
    ) -> State {
        let steps = follow.steps.checked_sub(last - start);
        let Some(left) = steps.filter(|_| self.depth < MAX_NESTING) else {
            // One that calls itself has been followed as far as it differs from time to time.
            match self.calls.contains(&start) {
                true => follow.budget.recursion = true,
                false => follow.budget.overflow = true,
            }
            return state;
        };
        follow.steps = left;
        let positional = state.positional.clone();
        let before = state.clone();
        state.set_positional(words);
        let mut level = Level::new(state, feed);
        level.body = true;
        let levels = vec![level];
        let outer = std::mem::replace(&mut self.levels, levels);
        let bodies = std::mem::take(&mut self.bodies);
        let looping = self.looping.take();
        self.depth += 1;
        self.calls.push(start);
        self.range(start, last, follow);
        self.calls.pop();
        self.depth -= 1;
        self.looping = looping;
        self.bodies = bodies;
        let inner = std::mem::replace(&mut self.levels, outer);
        let mut state = end(inner).unwrap_or(before);
        state.positional = positional;
        // Whatever left it left the function alone.
        state.left = false;
        state
    }
}

/// What is known where the commands of these levels end.
fn end(mut levels: Vec<Level>) -> Option<State> {
    while levels.len() > 1 {
        level::close(&mut levels);
    }
    let mut level = levels.pop()?;
    level.settle(Mark::End);
    level.exit();
    Some(level.state)
}
