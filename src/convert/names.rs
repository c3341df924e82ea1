//! The names that runs are written under: their own, unless another run has it already.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Names of runs, over all inputs.
#[derive(Debug, Default)]
pub struct Names {
    stem: String,
    /// The runs of the input at hand, by id, and what each is written as.
    here: HashMap<Arc<str>, Arc<str>>,
    /// Every name that is written.
    taken: HashSet<Arc<str>>,
}

/// What a run is written as.
#[derive(Debug)]
pub enum Named {
    /// Its id, or what was told before.
    Settled(Arc<str>),
    /// It is met for the first time, and another run is written under its id.
    Changed {
        /// Its id.
        given: String,
        /// What it is written as.
        name: Arc<str>,
    },
}

impl Names {
    /// Begins an input, whose runs are others than those before. A run without an id is named
    /// `stem`.
    pub fn begin_input(&mut self, stem: &str) {
        stem.clone_into(&mut self.stem);
        self.here.clear();
    }

    /// What the run of that id is written as.
    pub fn of(&mut self, run: Option<&str>) -> Named {
        let id = run.unwrap_or(&self.stem);
        if let Some(name) = self.here.get(id) {
            return Named::Settled(Arc::clone(name));
        }
        let id: Arc<str> = id.into();
        let is_taken = self.taken.contains(&id);
        let name = if is_taken {
            self.free(&id)
        } else {
            Arc::clone(&id)
        };
        self.taken.insert(Arc::clone(&name));
        self.here.insert(Arc::clone(&id), Arc::clone(&name));
        if is_taken {
            let given = id.to_string();
            Named::Changed { given, name }
        } else {
            Named::Settled(name)
        }
    }

    /// The first of `id#2`, `id#3` and so on that is no name yet.
    fn free(&self, id: &str) -> Arc<str> {
        let mut n = 2u64;
        loop {
            let name = format!("{id}#{n}");
            if !self.taken.contains(name.as_str()) {
                return name.into();
            }
            n += 1;
        }
    }
}
