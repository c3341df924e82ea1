//! Foreign bytes to events, one file a format.

use crate::trace::event::Event;
use crate::trace::fault::{Notice, Place};

/// Takes what an importer reads, in the order in which it stands in the input.
pub trait Sink {
    /// A record of the trace, and where it stands.
    fn event(&mut self, place: Place, event: Event<'_>);

    /// Something wrong with the input.
    fn notice(&mut self, notice: Notice);
}
