//! Where the events and notices of one record go.

use crate::import::Sink;
use crate::trace::event::Event;
use crate::trace::fault::{FaultCode, Notice, NoticeKind, Place, WarningCode};

/// Longest piece of the input that a message repeats, in characters.
const QUOTED: usize = 60;

/// A sink together with the place and the run that everything said about one record has in common.
pub struct Out<'s> {
    sink: &'s mut dyn Sink,
    place: Place,
    run: Option<String>,
}

impl<'s> Out<'s> {
    /// Begins a record that stands at `place`; its run is not known yet.
    pub fn new(sink: &'s mut dyn Sink, place: Place) -> Self {
        Out {
            sink,
            place,
            run: None,
        }
    }

    /// The same for a record that stood at `place` and was held back.
    pub fn at(&mut self, place: Place) -> Out<'_> {
        Out {
            sink: &mut *self.sink,
            place,
            run: self.run.clone(),
        }
    }

    /// Names the run that notices belong to from here on.
    pub fn set_run(&mut self, run: impl Into<String>) {
        self.run = Some(run.into());
    }

    /// Where the record stands.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Goes on to another record of the same run.
    pub fn move_to(&mut self, place: Place) {
        self.place = place;
    }

    /// Hands on an event.
    pub fn event(&mut self, event: Event<'_>) {
        self.event_at(self.place, event);
    }

    /// Hands on an event that stands at a place of its own: one of an earlier record, held back.
    pub fn event_at(&mut self, place: Place, event: Event<'_>) {
        self.sink.event(place, event);
    }

    /// Reports a fault of the record.
    pub fn fault(&mut self, code: FaultCode, message: impl Into<String>) {
        self.fault_at(self.place, code, message);
    }

    /// Reports a fault at a place of its own.
    pub fn fault_at(&mut self, place: Place, code: FaultCode, message: impl Into<String>) {
        self.notice(NoticeKind::Fault(code), place, message.into(), None);
    }

    /// Reports a fault of the record and what to do about it.
    pub fn fault_with_help(
        &mut self,
        code: FaultCode,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let kind = NoticeKind::Fault(code);
        self.notice(kind, self.place, message.into(), Some(help.into()));
    }

    /// Reports a warning about the record.
    pub fn warn(&mut self, code: WarningCode, message: impl Into<String>) {
        let kind = NoticeKind::Warning(code);
        self.notice(kind, self.place, message.into(), None);
    }

    /// Reports a warning about the record and what to do about it.
    pub fn warn_with_help(
        &mut self,
        code: WarningCode,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let kind = NoticeKind::Warning(code);
        self.notice(kind, self.place, message.into(), Some(help.into()));
    }

    /// Reports a warning at a place of its own.
    pub fn warn_at(&mut self, place: Place, code: WarningCode, message: impl Into<String>) {
        self.notice(NoticeKind::Warning(code), place, message.into(), None);
    }

    fn notice(&mut self, kind: NoticeKind, place: Place, message: String, help: Option<String>) {
        self.sink.notice(Notice {
            kind,
            place,
            run: self.run.clone(),
            message,
            help,
        });
    }
}

/// The input's own words in backticks, cut where they are long.
pub fn quote(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_cut_between_characters() {
        assert_eq!(quote("ab"), "`ab`");
        let long = "é".repeat(61);
        assert_eq!(quote(&long), format!("`{}…`", "é".repeat(60)));
    }
}
