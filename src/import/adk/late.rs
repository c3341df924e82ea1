//! Results of long-running tools.
//!
//! Such a tool returns at once, mostly that it has begun, and returns again when it has something to
//! tell, under the same call. What became of the call is what it returned last.

use crate::import::foreign::{Answer, Out, Run};
use crate::trace::event::ToolResult;
use crate::trace::fault::Place;
use std::collections::{HashMap, HashSet};

/// The long-running calls of a session, and what each has returned last.
#[derive(Debug)]
pub struct Late {
    calls: HashSet<String>,
    results: HashMap<String, (Place, ToolResult<'static>)>,
    /// Bytes of the results that are held.
    bytes: usize,
    max_hold: usize,
}

impl Late {
    /// None yet. What goes beyond `max_hold` bytes is not held.
    pub fn new(max_hold: usize) -> Self {
        Late {
            calls: HashSet::new(),
            results: HashMap::new(),
            bytes: 0,
            max_hold,
        }
    }

    /// Takes the id of a long-running call.
    pub fn expect(&mut self, id: &str) {
        self.calls.insert(id.to_owned());
    }

    /// Holds a result, in the place of an earlier one of its call. One of another call, or one too many
    /// to be held, comes back.
    pub fn hold(
        &mut self,
        id: &str,
        result: ToolResult<'static>,
        place: Place,
    ) -> Option<ToolResult<'static>> {
        if !self.calls.contains(id) {
            return Some(result);
        }
        if let Some((_, earlier)) = self.results.remove(id) {
            self.bytes = self.bytes.saturating_sub(size(&earlier));
        }
        let bytes = self.bytes.saturating_add(size(&result));
        if bytes > self.max_hold {
            self.calls.remove(id);
            return Some(result);
        }
        self.bytes = bytes;
        self.results.insert(id.to_owned(), (place, result));
        None
    }

    /// Hands on the result that is held of a call: its id is used for another one.
    pub fn end(&mut self, id: &str, run: &mut Run, out: &mut Out<'_>) {
        self.calls.remove(id);
        if let Some((place, result)) = self.results.remove(id) {
            self.bytes = self.bytes.saturating_sub(size(&result));
            run.answer(id, Answer::Result(result), &mut out.at(place));
        }
    }

    /// Hands on all that is held, in the order in which it came: nothing more follows.
    pub fn release(&mut self, run: &mut Run, out: &mut Out<'_>) {
        let mut results: Vec<_> = self.results.drain().collect();
        results.sort_by(|(a, (at, _)), (b, (other, _))| at.cmp(other).then_with(|| a.cmp(b)));
        for (id, (place, result)) in results {
            run.answer(&id, Answer::Result(result), &mut out.at(place));
        }
        self.bytes = 0;
    }
}

fn size(result: &ToolResult<'_>) -> usize {
    let content = result.outcome.result.as_ref();
    content.map_or(0, |content| content.bytes().len())
}
