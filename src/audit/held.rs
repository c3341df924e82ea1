//! Decisions held back, so that another thread puts them into bytes.

use crate::engine::decision::Decision;
use crate::import::Held;
use crate::report::Report;
use crate::report::rendering::Renderer;
use crate::trace::fault::Notice;
use std::any::Any;
use std::io;
use std::mem;

/// What a thread puts into bytes in one go. Its memory is used again.
pub struct Block {
    /// By report: what puts decisions into its bytes, and the bytes. Absent where the report has to see
    /// the decisions itself.
    renderers: Vec<Option<Box<dyn Renderer>>>,
    parts: Vec<Part>,
    /// How many of the parts are used.
    used: usize,
}

/// Used decisions that are kept, at most; lines that are read together are fewer.
const USED: usize = 512;

/// Decisions without a notice among them, and the notice that ends them.
#[derive(Default)]
struct Part {
    /// Used ones behind those that are held, so that they can be filled in again.
    decisions: Vec<Decision>,
    /// How many are held.
    held: usize,
    /// By report: the decisions as bytes.
    bytes: Vec<Vec<u8>>,
    notice: Option<Notice>,
}

impl Part {
    fn held(&self) -> impl Iterator<Item = &Decision> {
        self.decisions.iter().take(self.held)
    }

    /// Holds none any more.
    fn let_go(&mut self) {
        self.decisions.truncate(USED);
        let held = std::mem::take(&mut self.held);
        self.decisions
            .iter_mut()
            .take(held)
            .for_each(Decision::let_go);
    }
}

impl Block {
    /// A block for reports that have these renderers.
    pub fn new(renderers: Vec<Option<Box<dyn Renderer>>>) -> Block {
        Block {
            renderers,
            parts: Vec::new(),
            used: 0,
        }
    }

    /// Holds back a decision, and gives one for it that has been used.
    pub fn decision(&mut self, decision: &mut Decision) {
        let part = self.open();
        match part.decisions.get_mut(part.held) {
            Some(used) => std::mem::swap(used, decision),
            None => part.decisions.push(std::mem::take(decision)),
        }
        part.held += 1;
    }

    /// Holds back a fault or a warning.
    pub fn notice(&mut self, notice: Notice) {
        self.open().notice = Some(notice);
    }

    /// The part that is not ended by a notice.
    fn open(&mut self) -> &mut Part {
        let last = self.used.checked_sub(1).and_then(|at| self.parts.get(at));
        if last.is_none_or(|part| part.notice.is_some()) {
            self.used += 1;
            if self.parts.len() < self.used {
                self.parts.push(Part::default());
            }
        }
        let at = self.used - 1;
        &mut self.parts[at]
    }

    /// Writes it to the report of that number.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write(&self, number: usize, report: &mut dyn Report) -> io::Result<()> {
        let renders = self.renderers.get(number).is_some_and(Option::is_some);
        for part in self.parts.iter().take(self.used) {
            match part.bytes.get(number).filter(|_| renders) {
                Some(bytes) => report.rendered(bytes)?,
                None => part.held().try_for_each(|d| report.decision(d))?,
            }
            if let Some(notice) = &part.notice {
                report.notice(notice)?;
            }
        }
        Ok(())
    }

    /// Forgets what it held.
    pub fn clear(&mut self) {
        for part in self.parts.iter_mut().take(mem::take(&mut self.used)) {
            part.let_go();
            part.notice = None;
            part.bytes.iter_mut().for_each(Vec::clear);
        }
        // Many notices are rare, and so is the need for many parts.
        self.parts.truncate(1);
    }
}

impl Held for Block {
    fn render(&mut self) {
        let seen_by_none = self.renderers.iter().all(Option::is_some);
        for part in self.parts.iter_mut().take(self.used) {
            part.bytes.resize_with(self.renderers.len(), Vec::new);
            for (renderer, bytes) in self.renderers.iter_mut().zip(&mut part.bytes) {
                let Some(renderer) = renderer else { continue };
                for decision in part.decisions.iter().take(part.held) {
                    renderer.append(decision, bytes);
                }
            }
            if seen_by_none {
                part.let_go();
            }
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any + Send> {
        self
    }
}
