//! What a run remembers of each of its calls until it ends: enough to tell a repeat from a second
//! call, and to place a result that comes late.

use crate::policy::matcher::NameSet;
use crate::state::Embedding;
use crate::trace::money::Nano;
use std::collections::HashMap;
use std::sync::Arc;

/// A call that has been decided.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Hash of its content.
    pub content: u64,
    /// Its turn.
    pub turn: u64,
    /// Its names.
    pub names: Arc<NameSet>,
    /// What became of it.
    pub fate: Fate,
    /// Hash of the outcome read last; absent while none was.
    pub outcome: Option<u64>,
}

/// What became of a call.
#[derive(Clone, Debug)]
pub enum Fate {
    /// It is escalated and waits for a decision.
    Waiting,
    /// Admitted, or observed to have run all the same: in flight or settled.
    Admitted,
    /// Refused here, and the record does not say that it was blocked: a result shows that it ran.
    Refused(Box<Refused>),
    /// Did not run, by the record: a result changes nothing.
    NotRun,
}

/// What a refused call brings to the state once it turns out to have run.
#[derive(Clone, Debug, Default)]
pub struct Refused {
    /// Its own embeddings.
    pub context: Embedding,
    /// As above.
    pub action: Embedding,
    /// What it was expected to cost.
    pub estimate: Nano,
}

/// The marks of a run, by hash of the call's id.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    by_id: HashMap<u64, Mark>,
}

impl Marks {
    /// The mark of a call.
    pub fn get(&self, id: u64) -> Option<&Mark> {
        self.by_id.get(&id)
    }

    /// The mark of a call, to be changed.
    pub fn get_mut(&mut self, id: u64) -> Option<&mut Mark> {
        self.by_id.get_mut(&id)
    }

    /// Remembers a call.
    pub fn insert(&mut self, id: u64, mark: Mark) {
        self.by_id.insert(id, mark);
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &Mark)> {
        self.by_id.iter().map(|(&id, mark)| (id, mark))
    }
}
