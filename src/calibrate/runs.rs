//! The runs of an input that are under way.

use super::worst::Example;
use crate::engine::asked::{call_key, run_key};
use crate::trace::event::{GroundTruth, RunStart};
use std::collections::{HashMap, HashSet};

/// A run that is under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// Its id. Untrusted.
    pub(super) id: String,
    /// What it is known to have been.
    pub(super) truth: Option<GroundTruth>,
    /// What the user asked for.
    pub(super) intent: Option<Box<str>>,
    /// Index of its category.
    pub(super) category: Option<u32>,
    /// The group whose members are not independent of each other.
    pub(super) group: u32,
    /// Calls so far.
    pub(super) calls: u64,
    /// Hash of the content of each call, by the hash of its id.
    pub(super) marks: HashMap<u64, u64>,
    /// The greatest scores of an attack so far, by embedder.
    pub(super) best: Vec<Option<Best>>,
}

/// The greatest scores of a run's calls with one embedder.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Best {
    /// Greatest harm; -1 where it is not known.
    pub(super) harm: f64,
    /// The first call with the greatest score.
    pub(super) example: Option<Example>,
}

impl Default for Best {
    fn default() -> Self {
        Best {
            harm: -1.0,
            example: None,
        }
    }
}

impl Run {
    /// The id of its next call, if that has none of its own.
    pub(super) fn default_id(&self) -> String {
        let plain = format!("call-{}", self.calls + 1);
        let others = (2u64..).map(|n| format!("{plain}#{n}"));
        let free = |id: &String| !self.marks.contains_key(&call_key(id));
        let mut names = std::iter::once(plain.clone()).chain(others);
        names.find(free).unwrap_or(plain)
    }
}

/// The runs of the inputs, one input after the other.
#[derive(Default)]
pub(super) struct Runs {
    stem: String,
    open: HashMap<u128, Run>,
    /// Runs that have ended.
    ended: HashSet<u128>,
    /// The groups of this input that have a name.
    named: HashMap<Box<str>, u32>,
    groups: u32,
}

impl Runs {
    pub(super) fn begin_input(&mut self, stem: &str) {
        self.stem = stem.to_owned();
    }

    /// The runs that are still under way, in the order in which their groups were met. They and their
    /// names are forgotten.
    pub(super) fn end_input(&mut self) -> Vec<Run> {
        self.ended.clear();
        self.named.clear();
        let mut open: Vec<Run> = self.open.drain().map(|(_, run)| run).collect();
        // The order is that of the input and not that of a hash.
        open.sort_by(|a, b| (a.group, &a.id).cmp(&(b.group, &b.id)));
        open
    }

    /// How many groups there are in all inputs.
    pub(super) fn groups(&self) -> u32 {
        self.groups
    }

    /// Begins a run. Gives the run of that id that is over by it.
    pub(super) fn begin(
        &mut self,
        start: &RunStart<'_>,
        category: Option<u32>,
        group: Option<&str>,
    ) -> Option<Run> {
        let id = self.name(start.run.as_deref()).to_owned();
        let key = run_key(&id);
        self.ended.remove(&key);
        let run = Run {
            id,
            truth: start.label,
            intent: start.intent.as_deref().map(Box::from),
            category,
            group: self.group(group),
            ..Run::default()
        };
        self.open.insert(key, run)
    }

    /// The run of that id, and whether it is new; `None` where it has ended.
    pub(super) fn open(&mut self, id: Option<&str>) -> Option<(&mut Run, bool)> {
        let name = self.name(id);
        let key = run_key(name);
        if self.ended.contains(&key) {
            return None;
        }
        let is_new = !self.open.contains_key(&key);
        if is_new {
            let run = Run {
                id: name.to_owned(),
                group: self.group(None),
                ..Run::default()
            };
            self.open.insert(key, run);
        }
        self.open.get_mut(&key).map(|run| (run, is_new))
    }

    /// Ends a run.
    pub(super) fn end(&mut self, id: Option<&str>) -> Option<Run> {
        let key = run_key(self.name(id));
        self.ended.insert(key);
        self.open.remove(&key)
    }

    fn name<'n>(&'n self, id: Option<&'n str>) -> &'n str {
        id.unwrap_or(&self.stem)
    }

    /// The group of that name, or one of its own.
    fn group(&mut self, name: Option<&str>) -> u32 {
        let known = name.and_then(|name| self.named.get(name));
        if let Some(known) = known {
            return *known;
        }
        let group = self.groups;
        self.groups = group.saturating_add(1);
        if let Some(name) = name {
            self.named.insert(name.into(), group);
        }
        group
    }
}
