//! Takes spans as they come, and holds what matters of them up to a limit.

use super::hold::{Node, Trace, size};
use super::{Details, Kind, Span, feed};
use crate::import::foreign::{Out, Told, quote};
use crate::import::{Opening, Sink};
use crate::trace::fault::{FaultCode, Place, WarningCode};
use jiff::Timestamp;
use std::collections::HashMap;

/// The spans of an input.
#[derive(Debug)]
pub struct Spans {
    stem: String,
    traces: Vec<Trace>,
    by_id: HashMap<Option<String>, usize>,
    held: usize,
    limit: usize,
    is_full: bool,
    /// Where it was last said that nothing more is held.
    refused: Option<Place>,
    told: Told,
}

impl Spans {
    /// None yet.
    pub fn new(opening: Opening<'_>) -> Self {
        Spans {
            stem: opening.stem.to_owned(),
            traces: Vec::new(),
            by_id: HashMap::new(),
            held: 0,
            limit: opening.max_hold,
            is_full: false,
            refused: None,
            told: Told::default(),
        }
    }

    /// Whether what a model was given to read in a span of that trace that began then could still say
    /// anything new. Reading it is most of the work, since every answer repeats all before it.
    pub fn wants_input(&self, trace: Option<&str>, start: Option<Timestamp>) -> bool {
        let known = self.by_id.get(&trace.map(str::to_owned));
        let trace = known.and_then(|&at| self.traces.get(at));
        trace.is_none_or(|trace| trace.wants_input(start))
    }

    /// Takes what is known of a trace apart from its spans: `details` may tell conversation, prompt
    /// and meta.
    pub fn about(
        &mut self,
        trace: Option<&str>,
        at: Option<Timestamp>,
        details: Details,
        out: &mut Out<'_>,
    ) {
        if self.is_full {
            return self.tell_full(out);
        }
        let mut span = Span {
            start: at,
            details,
            ..Span::default()
        };
        self.held += size_of::<Trace>() + self.trace(trace).note(&mut span);
    }

    /// Takes a span of a trace, `None` being the one of spans that name none. The same id again adds
    /// to the span; if it is another call the later one is a fault.
    pub fn add(&mut self, trace: Option<&str>, mut span: Span, out: &mut Out<'_>) {
        if self.is_full {
            return self.tell_full(out);
        }
        if span.kind == Some(Kind::Other) {
            (span.details.name, span.details.agent, span.details.call) = (None, None, None);
        }
        span.details.call = span.details.call.filter(|id| !id.is_empty());
        let noted = self.trace(trace).note(&mut span);
        self.held = self.held.saturating_add(noted + size(&span));
        if self.held > self.limit {
            self.is_full = true;
            return self.tell_full(out);
        }
        let trace = self.trace(trace);
        let node = Node {
            place: out.place(),
            parent: span.parent.map(Into::into),
            kind: span.kind,
            start: span.start,
            end: span.end,
            details: (span.details != Details::default()).then(|| Box::new(span.details)),
        };
        let Some(id) = span.id else {
            return trace.nodes.push(node);
        };
        let known = trace.ids.get(&*id).and_then(|&at| trace.nodes.get_mut(at));
        match known {
            None => {
                trace.ids.insert(id.into(), trace.nodes.len());
                trace.nodes.push(node);
            }
            Some(known) => {
                let ended = known.end.is_some() && node.end.is_some();
                if !known.merge(node) {
                    let message = format!(
                        "span {} is given twice with other content, this one is not used",
                        quote(&id)
                    );
                    out.fault(FaultCode::DuplicateCallId, message);
                } else if ended && self.told.first("repeat") {
                    let message = "spans that are written again are counted once";
                    out.warn(WarningCode::RepeatedCall, message);
                }
            }
        }
    }

    fn trace(&mut self, id: Option<&str>) -> &mut Trace {
        let key = id.map(str::to_owned);
        let at = *self.by_id.entry(key).or_insert_with(|| {
            self.traces.push(Trace::new(id));
            self.traces.len() - 1
        });
        // Every index in the map is one of the list.
        &mut self.traces[at]
    }

    fn tell_full(&mut self, out: &mut Out<'_>) {
        if self.refused == Some(out.place()) {
            return;
        }
        self.refused = Some(out.place());
        let message = format!(
            "spans have to be held to be put in order, and there are more than {} bytes of them; \
             from here on they are not used",
            self.limit
        );
        out.fault_with_help(FaultCode::LineTooLong, message, "raise `--max-hold`");
    }

    /// Makes runs of everything held.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        sink.reach_back();
        let traces = std::mem::take(&mut self.traces);
        self.by_id.clear();
        let nodes = traces.iter().flat_map(|trace| &trace.nodes);
        let unknown = nodes.filter(|node| node.kind.is_none());
        if let Some(first) = unknown.map(|node| node.place).min() {
            let message = "updates of spans that the recording does not begin are not used";
            Out::new(sink, first).warn(WarningCode::Assumed, message);
        }
        let is_run = |trace: &Trace| {
            let of_agents = |node: &Node| node.kind.is_some_and(|kind| kind != Kind::Other);
            trace.nodes.iter().any(of_agents)
        };
        let traces = traces.into_iter().filter(is_run).collect();
        feed::runs(traces, &self.stem, sink);
    }
}
