//! Where in a text the reader is: in which shells and compound commands, and what is known there.

use super::feed::Feed;
use super::state::State;
use crate::facets::shell::{Command, Keyword, Mark};

/// A list of commands in a shell or a compound command.
pub(super) struct Level {
    /// What is known where the next command begins.
    pub state: State,
    /// What is known behind the latest command, until it is clear what follows.
    after: Option<State>,
    /// What is known where the latest `&&` was not followed.
    not_and: Option<State>,
    /// What is known where the latest `||` was not followed.
    not_or: Option<State>,
    /// Whether the latest command is known to succeed.
    sure: bool,
    /// Whether the next command stands behind a pipe.
    piped: bool,
    /// What comes through that pipe.
    feed: Option<Feed>,
    /// What the commands of the list may read otherwise.
    input: Option<Feed>,
    /// What the latest command prints.
    printed: Option<Feed>,
    /// The compound command; absent for a shell of its own.
    keyword: Option<Keyword>,
    /// What is known in front of it, or behind its latest condition.
    entry: State,
    /// What is known in front of the whole of it.
    front: State,
    /// What is known where the body of a loop begins.
    head: State,
    /// What is known behind its branches so far.
    branches: Option<State>,
    /// What is known where a loop or a function is left early.
    exits: Option<State>,
    /// One of the branches runs in any case.
    exhausted: bool,
    /// It is the body of a function.
    pub body: bool,
    /// It runs where it is defined, as far as is known.
    pub runs: bool,
    /// The next compound command is one.
    pub function: bool,
    /// What is known in front of the compound command that just ended: its redirections are made
    /// there.
    closed: Option<State>,
}

impl Level {
    pub fn new(state: State, input: Option<Feed>) -> Level {
        Level {
            entry: state.clone(),
            front: state.clone(),
            head: state.clone(),
            state,
            after: None,
            not_and: None,
            not_or: None,
            sure: false,
            piped: false,
            feed: None,
            input,
            printed: None,
            keyword: None,
            branches: None,
            exits: None,
            exhausted: false,
            body: false,
            runs: true,
            function: false,
            closed: None,
        }
    }

    /// A level inside this one: a compound command, or a shell of its own.
    pub fn inner(&mut self, keyword: Option<Keyword>) -> Level {
        Level {
            keyword,
            body: std::mem::take(&mut self.function),
            ..Level::new(self.state.clone(), self.feed().cloned())
        }
    }

    /// What the next command reads.
    pub fn feed(&self) -> Option<&Feed> {
        if self.piped {
            self.feed.as_ref()
        } else {
            self.input.as_ref()
        }
    }

    /// What is known where a command begins.
    pub fn state_of(&self, command: &Command) -> State {
        let redirects = command.words.is_empty() && command.assignments.is_empty();
        let state = self.closed.as_ref().filter(|_| redirects);
        state.unwrap_or(&self.state).clone()
    }

    /// Takes what is known behind a command that begins where `state` says.
    pub fn ran(&mut self, after: State, sure: bool, printed: Option<Feed>) {
        if self.closed.is_none() {
            self.after = Some(after);
            self.sure = sure;
            self.printed = printed;
        }
    }

    /// The latest command is over, by the mark that follows it.
    pub fn settle(&mut self, mark: Mark) {
        let mut before = None;
        if let Some(after) = self.after.take() {
            let apart = self.piped || matches!(mark, Mark::Pipe | Mark::Background);
            let state = if apart {
                after.either(&self.state)
            } else {
                after
            };
            before = Some(std::mem::replace(&mut self.state, state));
        }
        self.closed = None;
        match mark {
            Mark::And => {
                self.join_or();
                if !self.sure {
                    self.not_and = Some(either(self.not_and.take(), &self.state));
                }
            }
            Mark::Or => {
                self.not_or = Some(either(self.not_or.take(), &self.state));
                if let Some(before) = before {
                    self.state = before.either(&self.state);
                }
                self.join_and();
            }
            Mark::Pipe => {}
            _ => {
                self.join_or();
                self.join_and();
            }
        }
        self.piped = mark == Mark::Pipe;
        self.feed = self.printed.take().filter(|_| self.piped);
        self.sure = false;
    }

    fn join_or(&mut self) {
        if let Some(skipped) = self.not_or.take() {
            self.state = skipped.either(&self.state);
        }
    }

    fn join_and(&mut self) {
        if let Some(skipped) = self.not_and.take() {
            self.state = skipped.either(&self.state);
        }
    }

    /// A loop begins to run; what comes before is over.
    pub fn head(&mut self) {
        self.head = self.state.clone();
    }

    /// Makes a loop ready to run once more; `false` if nothing would differ.
    pub fn repeat(&mut self) -> bool {
        self.settle(Mark::End);
        let end = either(self.exits.clone(), &self.state);
        let again = end.differs(&self.head);
        if again {
            self.state = end.either(&self.entry);
        }
        again
    }

    /// Takes what is known where `break`, `continue` or `return` leaves something. Whether it is
    /// this level; `None` if it is none around this one either.
    pub fn leaves(&mut self, returns: bool, state: &State) -> Option<bool> {
        let here = if returns {
            self.body
        } else {
            self.keyword == Some(Keyword::Loop)
        };
        if here {
            self.exits = Some(either(self.exits.take(), state));
        }
        (here || self.keyword.is_some()).then_some(here)
    }

    /// Another part of the compound command begins.
    pub fn branch(&mut self, mark: Mark) {
        self.settle(Mark::End);
        let own = match mark {
            Mark::Else(keyword) => Some(keyword),
            Mark::Then | Mark::Elif => Some(Keyword::If),
            _ => Some(Keyword::Case),
        };
        if self.keyword != own {
            return;
        }
        if mark == Mark::Then {
            self.entry = self.state.clone();
            return;
        }
        let branches = either(self.branches.take(), &self.state);
        self.state = match mark {
            Mark::Fall => self.entry.clone().either(&self.state),
            _ => self.entry.clone(),
        };
        self.branches = Some(branches);
        self.exhausted |= mark == Mark::Else(Keyword::If);
    }

    /// Whether a word closes this level.
    pub fn closes(&self, keyword: Keyword) -> bool {
        self.keyword == Some(keyword)
    }

    /// Adds what is known where it is left early.
    pub fn exit(&mut self) {
        if let Some(exits) = self.exits.take() {
            self.state = exits.either(&self.state);
        }
    }

    fn end(mut self) -> Level {
        self.settle(Mark::End);
        if self.body && !self.runs {
            self.front.overflow |= self.state.overflow;
            self.state = self.front.clone();
            return self;
        }
        if self.keyword != Some(Keyword::Brace) || self.body {
            if !self.exhausted {
                self.state = self.entry.clone().either(&self.state);
            }
            if let Some(branches) = self.branches.take() {
                self.state = branches.either(&self.state);
            }
        }
        self.exit();
        self
    }
}

fn either(state: Option<State>, other: &State) -> State {
    match state {
        Some(state) => state.either(other),
        None => other.clone(),
    }
}

/// Ends the compound command on top of others.
pub(super) fn close(levels: &mut Vec<Level>) {
    let Some(mut inner) = levels.pop() else {
        return;
    };
    let printed = inner.printed.take();
    let inner = inner.end();
    let Some(level) = levels.last_mut() else {
        return levels.push(inner);
    };
    if inner.keyword.is_some() {
        level.ran(inner.state, false, printed);
        level.closed = Some(inner.front);
    } else {
        level.state.overflow |= inner.state.overflow;
        if level.printed.is_none() {
            level.printed = printed;
        }
    }
}

/// Leaves the innermost shell, and every compound command that is open in it.
pub(super) fn leave(levels: &mut Vec<Level>) {
    while levels.len() > 1 {
        let shell = levels.last().is_some_and(|level| level.keyword.is_none());
        close(levels);
        if shell {
            return;
        }
    }
}
