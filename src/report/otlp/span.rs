//! Spans: what is held of one that is under way, and how it is written.

use super::attributes::Attributes;
use crate::report::json::write::{self, Item};

/// Nanoseconds that stand for a call. There is no clock: a time is the number of a call.
const CALL: u64 = 1_000_000;

/// Appends a time, in nanoseconds, as JSON.
fn time(name: &str, number: u64, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":\"");
    number.saturating_mul(CALL).append(out);
    out.push(b'"');
}

/// Events of a span that is not written yet.
#[derive(Clone, Debug, Default)]
pub struct Held {
    /// Those held, as JSON with commas between them.
    pub events: Vec<u8>,
    /// Number of the first and of the last call they are of.
    first: u64,
    last: u64,
    /// Parts of the span that were written before it.
    pub parts: u64,
}

impl Held {
    /// Appends an event of the call of that number. Says how many bytes it takes.
    pub fn event(
        &mut self,
        number: u64,
        name: &str,
        fill: impl FnOnce(&mut Attributes<'_>),
    ) -> usize {
        let before = self.events.len();
        match before {
            0 => (self.first, self.last) = (number, number),
            _ => self.events.push(b','),
        }
        self.first = self.first.min(number);
        self.last = self.last.max(number);
        self.events.push(b'{');
        time("timeUnixNano", number, &mut self.events);
        self.events.extend_from_slice(b",\"name\":");
        write::text(name, &mut self.events);
        self.events.push(b',');
        let mut attributes = Attributes::new(&mut self.events);
        fill(&mut attributes);
        attributes.end();
        self.events.push(b'}');
        self.events.len() - before
    }
}

/// How a span ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing to say.
    Unset,
    /// All is as it should be.
    Good,
    /// It is not, and why.
    Bad(String),
}

/// A span to be written.
pub struct Span<'s> {
    pub trace: &'s str,
    pub id: &'s str,
    /// The span it is a part of.
    pub parent: Option<&'s str>,
    /// Trace and id of the span that it belongs to in another trace.
    pub link: Option<(&'s str, &'s str)>,
    pub name: &'s str,
    /// Number of its last call, where it begins before the first; absent for one that goes by its events.
    pub until: Option<u64>,
    pub status: Status,
}

impl Span<'_> {
    /// Appends it with the events that were held, which are held no longer.
    pub fn append(
        &self,
        held: &mut Held,
        out: &mut Vec<u8>,
        fill: impl FnOnce(&mut Attributes<'_>),
    ) {
        let mut member = |name: &str, value: &str| {
            out.extend_from_slice(name.as_bytes());
            write::text(value, out);
        };
        member("{\"traceId\":", self.trace);
        member(",\"spanId\":", self.id);
        if let Some(parent) = self.parent {
            member(",\"parentSpanId\":", parent);
        }
        member(",\"name\":", self.name);
        let (first, last) = match self.until {
            Some(last) => (0, last.max(held.last)),
            None => (held.first, held.last),
        };
        // Of what happens within the process, which is what kind 1 says.
        out.extend_from_slice(b",\"kind\":1,");
        time("startTimeUnixNano", first, out);
        out.push(b',');
        time("endTimeUnixNano", last.saturating_add(1), out);
        out.push(b',');
        let mut attributes = Attributes::new(out);
        fill(&mut attributes);
        attributes.end();
        out.extend_from_slice(b",\"events\":[");
        out.append(&mut held.events);
        out.push(b']');
        if let Some((trace, id)) = self.link {
            out.extend_from_slice(b",\"links\":[{\"traceId\":");
            write::text(trace, out);
            out.extend_from_slice(b",\"spanId\":");
            write::text(id, out);
            out.extend_from_slice(b"}]");
        }
        match &self.status {
            Status::Unset => {}
            Status::Good => out.extend_from_slice(b",\"status\":{\"code\":1}"),
            Status::Bad(why) => {
                out.extend_from_slice(b",\"status\":{\"code\":2,\"message\":");
                write::text(why, out);
                out.push(b'}');
            }
        }
        out.push(b'}');
        held.events = Vec::new();
    }
}
