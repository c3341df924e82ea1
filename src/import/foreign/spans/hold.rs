//! What is held of a trace until the input ends.

use super::bare::Names;
use super::{Answered, Details, Kind, Span};
use crate::import::foreign::meta;
use crate::trace::event::RawJson;
use crate::trace::fault::Place;
use crate::trace::json::Json;
use jiff::Timestamp;
use std::collections::HashMap;

/// A span as it is held.
#[derive(Debug)]
pub struct Node {
    /// Where it stands.
    pub place: Place,
    /// Id of its parent.
    pub parent: Option<Box<str>>,
    /// What it stands for; `None` if nothing has said so yet.
    pub kind: Option<Kind>,
    /// When it began.
    pub start: Option<Timestamp>,
    /// When it ended.
    pub end: Option<Timestamp>,
    /// What it says, where it says anything.
    pub details: Option<Box<Details>>,
}

/// A trace.
#[derive(Debug, Default)]
pub struct Trace {
    /// Its id; `None` is the trace of spans that name none.
    pub id: Option<String>,
    /// Its spans in file order.
    pub nodes: Vec<Node>,
    /// Where the span of an id is in `nodes`.
    pub ids: HashMap<Box<str>, usize>,
    /// Whether a tool span is among them, so that requests of the model are no calls.
    pub has_tools: bool,
    /// The conversation it belongs to, and when the span began that says so.
    pub session: Option<(Timestamp, String)>,
    /// Whether its spans name several conversations.
    pub has_sessions: bool,
    /// What the user asked for first, and when.
    pub prompt: Option<(Timestamp, String)>,
    /// Results that the model was given to read, by call, and when that was first.
    pub answers: HashMap<String, (Timestamp, Answered)>,
    /// What the model calls arguments of which only the value is recorded.
    pub names: Names,
    /// What else is known.
    pub meta: Vec<(&'static str, Timestamp, String)>,
}

impl Node {
    /// What it says.
    pub fn says(&self) -> Option<&Details> {
        self.details.as_deref()
    }

    /// Whether it stands for that.
    pub fn is(&self, kind: Kind) -> bool {
        self.kind == Some(kind)
    }

    /// Takes what another part of the same span says; what both say is the later one's. False if
    /// they are two different calls.
    pub fn merge(&mut self, later: Node) -> bool {
        let (before, after) = (self.details.take(), later.details);
        let details = match (before, after) {
            (Some(before), Some(after)) if clash(&before, &after) => {
                self.details = Some(before);
                return false;
            }
            (Some(before), Some(after)) => Some(Box::new(merge(*before, *after))),
            (before, after) => after.or(before),
        };
        self.details = details;
        self.parent = later.parent.or(self.parent.take());
        self.kind = match (self.kind, later.kind) {
            (Some(kind), Some(Kind::Other) | None) => Some(kind),
            (_, kind) => kind,
        };
        self.start = later.start.or(self.start);
        self.end = later.end.or(self.end);
        true
    }
}

fn clash(a: &Details, b: &Details) -> bool {
    fn differ<T: PartialEq>(a: &Option<T>, b: &Option<T>) -> bool {
        matches!((a, b), (Some(a), Some(b)) if a != b)
    }
    differ(&a.name, &b.name) || differ(&a.call, &b.call) || differ(&a.args, &b.args)
}

/// What two accounts of one span say together; where both speak, the later one counts.
pub fn merge(before: Details, after: Details) -> Details {
    fn longer<T>(a: Vec<T>, b: Vec<T>) -> Vec<T> {
        if b.is_empty() { a } else { b }
    }
    Details {
        is_bare: if after.args.is_some() {
            after.is_bare
        } else {
            before.is_bare
        },
        name: after.name.or(before.name),
        call: after.call.or(before.call),
        args: after.args.or(before.args),
        result: after.result.or(before.result),
        error: after.error.or(before.error),
        is_served: before.is_served && after.is_served,
        agent: after.agent.or(before.agent),
        session: after.session.or(before.session),
        prompt: after.prompt.or(before.prompt),
        requests: longer(before.requests, after.requests),
        answers: longer(before.answers, after.answers),
        cost: after.cost.or(before.cost),
        meta: longer(before.meta, after.meta),
    }
}

impl Trace {
    /// The trace of that id, without spans.
    pub fn new(id: Option<&str>) -> Self {
        Trace {
            id: id.map(str::to_owned),
            ..Trace::default()
        }
    }

    /// Whether what a model was given to read in a span that began then could still say anything new.
    pub fn wants_input(&self, start: Option<Timestamp>) -> bool {
        let first = |(at, _): &(Timestamp, String)| *at <= start.unwrap_or(Timestamp::MAX);
        !self.has_tools || !self.prompt.as_ref().is_some_and(first)
    }

    /// Takes out of a span what belongs to the trace as a whole. Returns how many bytes of it are held.
    pub fn note(&mut self, span: &mut Span) -> usize {
        let at = span.start.unwrap_or(Timestamp::MAX);
        let other = |(_, known): &(Timestamp, String)| {
            let named = span.details.session.as_ref();
            named.is_some_and(|named| named != known)
        };
        self.has_sessions |= self.session.as_ref().is_some_and(other);
        let mut size = earliest(&mut self.session, at, span.details.session.take());
        size += earliest(&mut self.prompt, at, span.details.prompt.take());
        for (name, text) in span.details.meta.drain(..) {
            match self.meta.iter_mut().find(|(known, _, _)| *known == name) {
                Some((_, known, held)) if at < *known => (*known, *held) = (at, text),
                Some(_) => {}
                None => {
                    size += text.len();
                    self.meta.push((name, at, text));
                }
            }
        }
        for request in &span.details.requests {
            size += self.names.learn(request);
        }
        if span.kind == Some(Kind::Tool) && !self.has_tools {
            self.has_tools = true;
            self.answers = HashMap::new();
            for details in self.nodes.iter_mut().filter_map(|n| n.details.as_mut()) {
                details.requests = Vec::new();
            }
        }
        let answers = std::mem::take(&mut span.details.answers);
        if self.has_tools {
            span.details.requests = Vec::new();
            return size;
        }
        for answer in answers {
            match self.answers.get_mut(&answer.call) {
                Some((known, _)) => *known = at.min(*known),
                None => {
                    let result = answer.result.as_ref().map_or(0, |raw| raw.bytes().len());
                    size += size_of::<Answered>() + 2 * answer.call.len() + result;
                    self.answers.insert(answer.call.clone(), (at, answer));
                }
            }
        }
        size
    }

    /// When its first span began.
    pub fn start(&self) -> Option<Timestamp> {
        self.nodes.iter().filter_map(|node| node.start).min()
    }

    /// What else is known of it, as an object.
    pub fn meta(&self, more: Option<(&'static str, &str)>) -> Option<RawJson<'static>> {
        let of = |(name, _, text): &(&'static str, Timestamp, String)| (*name, text.clone());
        let known = self.meta.iter().map(of);
        let more = more.map(|(name, text)| (name, text.to_owned()));
        let mut all: Vec<_> = known
            .chain(more)
            .map(|(name, text)| (name, Json::from(text)))
            .collect();
        all.sort_by_key(|(name, _)| *name);
        meta(all.iter().map(|(name, value)| (*name, Some(value))))
    }
}

fn earliest(held: &mut Option<(Timestamp, String)>, at: Timestamp, text: Option<String>) -> usize {
    let Some(text) = text else { return 0 };
    if held.as_ref().is_some_and(|(known, _)| at >= *known) {
        return 0;
    }
    let size = text.len();
    *held = Some((at, text));
    size
}

/// Bytes that a span takes while it is held, near enough, once its trace has taken its own out of it.
pub fn size(span: &Span) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let raw = |raw: &Option<RawJson<'_>>| raw.as_ref().map_or(0, |raw| raw.bytes().len());
    let d = &span.details;
    let requests = d.requests.iter();
    let requests: usize = requests
        .map(|r| size_of::<super::Request>() + r.tool.len() + text(&r.id) + raw(&r.args))
        .sum();
    let texts = [&span.id, &span.parent, &d.name, &d.call, &d.agent, &d.cost];
    let texts: usize = texts.into_iter().map(text).sum();
    let details = if *d == Details::default() {
        0
    } else {
        size_of::<Details>()
    };
    size_of::<Node>() + 64 + texts + details + raw(&d.args) + raw(&d.result) + requests
}
