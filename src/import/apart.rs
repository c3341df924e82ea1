//! Records that are read apart from each other, by several threads, and taken in their order.
//!
//! Reading a record is most of the work, and in a format where a record means the same whatever came
//! before it, no reader has to wait for another. What depends on the order stays with the importer, which
//! takes what was read record by record.

use super::canonical::{Key, Kind};
use super::{Importer, Record, Sink};
use crate::trace::chunks::Chunk;
use crate::trace::event::{Event, Prepare, ToolCall};
use crate::trace::fault::{Notice, Place};
use crate::trace::lines::{Content, Line, Lines, Reached};
use std::borrow::Cow;

/// Reads records without knowing of others.
pub trait Apart: Send + Sync {
    /// Reads a record.
    fn record<'a>(&self, record: Record<'a>, found: &mut Found<'a>);
}

/// Something that a record came to.
#[derive(Debug)]
pub enum Item<'a> {
    /// An event, and where it stands.
    Event(Place, Event<'a>),
    /// Something wrong with the record.
    Notice(Box<Notice>),
    /// A field of this name is not known.
    Name {
        /// The name.
        name: Cow<'a, str>,
        /// The kind of the record; absent where it is none that can be used.
        kind: Option<Kind>,
        /// Where the name stands.
        place: Place,
        /// The run that the record is of, as far as it is known.
        run: Option<Cow<'a, str>>,
    },
    /// A field that is known does not belong where it stands.
    Misplaced {
        /// The field.
        key: Key,
        /// Where its value stands.
        place: Place,
        /// The run that the record is of, as far as it is known.
        run: Option<Cow<'a, str>>,
    },
    /// So many fields are ignored.
    Unknown(u64),
}

impl Item<'_> {
    /// The same that many lines further on.
    fn moved(mut self, lines: u64) -> Self {
        match &mut self {
            Item::Event(place, _) | Item::Name { place, .. } | Item::Misplaced { place, .. } => {
                place.line += lines;
            }
            Item::Notice(notice) => notice.place.line += lines,
            Item::Unknown(_) => {}
        }
        self
    }
}

/// What records came to, in their order.
#[derive(Debug, Default)]
pub struct Found<'a> {
    items: Vec<Item<'a>>,
}

impl<'a> Found<'a> {
    /// Adds an event.
    pub fn event(&mut self, place: Place, event: Event<'a>) {
        self.items.push(Item::Event(place, event));
    }

    /// Adds something wrong.
    pub fn notice(&mut self, notice: Notice) {
        self.items.push(Item::Notice(Box::new(notice)));
    }

    /// Adds something else.
    pub fn push(&mut self, item: Item<'a>) {
        self.items.push(item);
    }

    /// The calls from that item on.
    fn calls(&mut self, from: usize) -> impl Iterator<Item = &mut ToolCall<'a>> {
        let items = self.items.iter_mut().skip(from);
        items.filter_map(|item| match item {
            Item::Event(_, Event::ToolCall(call)) => Some(&mut **call),
            _ => None,
        })
    }

    /// Gives it all to the importer.
    pub fn give(self, importer: &mut dyn Importer, sink: &mut dyn Sink) {
        for item in self.items {
            importer.take(item, sink);
        }
    }
}

/// Most lines that room is made for before they are there.
const MOST_AWAITED: usize = 1024;

/// The lines of a piece, those that can be read apart read.
pub struct Batch<'a> {
    lines: Vec<(Line<'a>, Option<usize>)>,
    found: Found<'a>,
    reached: Reached,
}

impl<'a> Batch<'a> {
    /// Reads the lines of a piece of the `input`th input, and prepares its calls; those that are no records,
    /// or may be torn, are left as they are.
    pub fn read(
        chunk: &'a Chunk,
        max_line: usize,
        input: usize,
        apart: &dyn Apart,
        prepare: &mut Option<Prepare>,
    ) -> Batch<'a> {
        let mut found = Found::default();
        let mut read = Vec::new();
        let mut lines = Lines::new(chunk, max_line);
        while let Some(line) = lines.next() {
            if read.is_empty() {
                // Growing step by step would copy what was read several times.
                let awaited = lines.expected().min(MOST_AWAITED);
                read.reserve(1 + awaited);
                found.items.reserve(1 + awaited);
            }
            let record = record(&line, input).filter(|r| !r.last && !r.has_nul_bytes());
            let items = record.map(|record| {
                let before = found.items.len();
                apart.record(record, &mut found);
                if let Some(prepare) = prepare {
                    found.calls(before).for_each(prepare);
                }
                found.items.len() - before
            });
            read.push((line, items));
        }
        Batch {
            lines: read,
            found,
            reached: lines.reached(),
        }
    }

    /// Gives its lines, in order and as they stand after `before`, to `take`, with what those came to
    /// that were read. Tells how far they go.
    pub fn give(
        self,
        before: Reached,
        mut take: impl FnMut(Line<'a>, Option<&mut dyn Iterator<Item = Item<'a>>>),
    ) -> Reached {
        let mut items = self.found.items.into_iter();
        for (line, found) in self.lines {
            let line = line.moved(before);
            match found {
                Some(found) => {
                    let of_line = items.by_ref().take(found);
                    take(
                        line,
                        Some(&mut of_line.map(|item| item.moved(before.lines))),
                    );
                }
                None => take(line, None),
            }
        }
        self.reached
    }
}

/// The record that a line of the `input`th input holds, if it holds text.
pub fn record<'a>(line: &Line<'a>, input: usize) -> Option<Record<'a>> {
    let Content::Text(text) = line.content else {
        return None;
    };
    Some(Record {
        place: Place {
            input,
            line: line.number,
            column: line.stripped as u64 + 1,
        },
        text,
        last: !line.terminated,
    })
}
