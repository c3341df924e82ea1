//! OpenTelemetry traces in OTLP/JSON: a span a run with an event a decision, and a span of the audit as a
//! whole. A line is a request, which collectors read from files and take as a body.
//!
//! A span holds its events, so that they are held until its run has ended. Where they become many they
//! are written as parts: spans below that of the run, which is written behind them.
//!
//! There is no clock here, and decisions have no time: a time is the number of a call, in milliseconds
//! after the beginning of 1970. Ids are digests of the audit, the input and the run.

mod attributes;
mod event;
mod span;

use super::args::Secrets;
use super::rendering::Blocks;
use super::runs::{Run, Runs};
use super::{Format, Header, Report};
use crate::audit::summary::Summary;
use crate::engine::RunReport;
use crate::engine::decision::{Decision, DecisionKind};
use crate::exit::Exit;
use crate::number::count;
use crate::trace::fault::Notice;
use attributes::{Attributes, id};
use span::{Held, Span, Status};
use std::io::{self, Write};
use std::sync::Arc;

/// The format.
pub const FORMAT: Format = Format {
    id: "otlp",
    doc: "OpenTelemetry traces in OTLP/JSON, a request a line: a span a run with an event a decision, last the span of the audit",
    lists: true,
    open,
};

fn open<'w>(header: Header, out: Box<dyn Write + Send + 'w>) -> Box<dyn Report + 'w> {
    Box::new(Traces::new(header, out, Limits::default()))
}

/// How much is held before it is written, in bytes.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Events of a run: well below the 1 MiB of a line that a collector reads.
    run: usize,
    /// Events of all runs.
    all: usize,
    /// Spans that make a request.
    request: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            run: 256 << 10,
            all: 16 << 20,
            request: 64 << 10,
        }
    }
}

/// A report under way.
struct Traces<'w> {
    header: Header,
    out: Blocks<'w>,
    limits: Limits,
    /// What comes before the spans of a request.
    head: Vec<u8>,
    /// Spans of the next request.
    spans: Vec<u8>,
    runs: Runs<Kept>,
    /// What belongs to no run.
    audit: Held,
    /// Trace and span of the audit.
    ids: (String, String),
    /// Bytes of events that are held.
    held: usize,
    /// Made when the first arguments are to be shown.
    secrets: Option<Secrets>,
}

/// What is kept of a run.
#[derive(Clone, Debug, Default)]
struct Kept {
    held: Held,
    calls: u64,
    refused: u64,
    /// Calls that were neither allowed nor refused.
    others: u64,
    doubtful: bool,
    /// Its agent, as far as its first call knows.
    agent: Option<Arc<str>>,
    /// Stage and rule of the first refusal.
    refusal: Option<(&'static str, &'static str)>,
    /// Whether its own span has been written.
    is_told: bool,
}

impl<'w> Traces<'w> {
    fn new(header: Header, out: Box<dyn Write + Send + 'w>, limits: Limits) -> Self {
        let mut parts = vec!["gate audit", &header.policy_sha256, &header.command];
        parts.extend(header.inputs.iter().map(String::as_str));
        let trace = id(16, &parts);
        let root = id(8, &[&trace, "root"]);
        Traces {
            head: head(&header),
            runs: Runs::new(header.merged),
            audit: Held::default(),
            spans: Vec::new(),
            out: Blocks::new(out),
            held: 0,
            secrets: None,
            header,
            limits,
            ids: (trace, root),
        }
    }

    /// Writes a request of the spans there are.
    fn request(&mut self) -> io::Result<()> {
        if !self.spans.is_empty() {
            self.out.bytes.extend_from_slice(&self.head);
            self.out.bytes.append(&mut self.spans);
            self.out.bytes.extend_from_slice(b"]}]}]}\n");
        }
        self.out.pass_on()
    }

    /// Writes what has become many: the events of the run at that place, then those of all runs.
    fn pass_on(&mut self, place: usize) -> io::Result<()> {
        let run = self.runs.list.get(place);
        if run.is_some_and(|run| run.kept.held.events.len() >= self.limits.run) {
            self.part(place)?;
        }
        if self.held >= self.limits.all {
            for place in 0..self.runs.list.len() {
                self.part(place)?;
            }
            self.part_of_the_audit()?;
        }
        Ok(())
    }

    /// Writes what is held of a run as a part of its span.
    fn part(&mut self, place: usize) -> io::Result<()> {
        let Some(run) = self.runs.list.get_mut(place) else {
            return Ok(());
        };
        if run.kept.held.events.is_empty() {
            return Ok(());
        }
        let (trace, root) = ids_of(run, &self.header);
        let mut held = std::mem::take(&mut run.kept.held);
        let number = held.parts;
        held.parts += 1;
        self.held = self.held.saturating_sub(held.events.len());
        let own = id(8, &[&trace, &number.to_string()]);
        let status = match run.kept.is_told {
            true => status_of(&run.kept),
            false => Status::Unset,
        };
        let span = Span {
            trace: &trace,
            id: &own,
            parent: Some(&root),
            link: None,
            name: "gate run part",
            until: None,
            status,
        };
        begin(&mut self.spans);
        span.append(&mut held, &mut self.spans, |to| {
            to.text("gen_ai.conversation.id", &run.id);
            to.maybe("gen_ai.agent.name", run.kept.agent.as_deref());
            to.count("gate.part", number);
        });
        run.kept.held = held;
        self.passed()
    }

    fn part_of_the_audit(&mut self) -> io::Result<()> {
        if self.audit.events.is_empty() {
            return Ok(());
        }
        let (trace, root) = &self.ids;
        let number = self.audit.parts;
        self.audit.parts += 1;
        self.held = self.held.saturating_sub(self.audit.events.len());
        let own = id(8, &[trace, &number.to_string()]);
        let span = Span {
            trace,
            id: &own,
            parent: Some(root),
            link: None,
            name: "gate replay part",
            until: None,
            status: Status::Unset,
        };
        begin(&mut self.spans);
        span.append(&mut self.audit, &mut self.spans, |to| {
            to.count("gate.part", number);
        });
        self.passed()
    }

    /// Writes the span of a run.
    fn root(&mut self, place: usize) -> io::Result<()> {
        let Some(run) = self.runs.list.get_mut(place) else {
            return Ok(());
        };
        run.kept.is_told = true;
        let (trace, root) = ids_of(run, &self.header);
        self.held = self.held.saturating_sub(run.kept.held.events.len());
        let span = Span {
            trace: &trace,
            id: &root,
            parent: None,
            link: Some((&self.ids.0, &self.ids.1)),
            name: "gate run",
            until: Some(run.latest),
            status: status_of(&run.kept),
        };
        let mut held = std::mem::take(&mut run.kept.held);
        let kept = &run.kept;
        let file = self.header.input(run.input);
        begin(&mut self.spans);
        let parts = held.parts;
        span.append(&mut held, &mut self.spans, |to| {
            to.text("gen_ai.conversation.id", &run.id);
            to.maybe("gen_ai.agent.name", kept.agent.as_deref());
            if let Some((stage, rule)) = kept.refusal {
                to.text("error.type", &format!("{stage}/{rule}"));
            }
            to.text("gate.file", file);
            to.count("gate.calls", kept.calls);
            to.count("gate.refused", kept.refused);
            to.flag("gate.inconclusive", kept.doubtful);
            to.count("gate.parts", parts);
        });
        run.kept.held = held;
        self.passed()
    }

    fn passed(&mut self) -> io::Result<()> {
        match self.spans.len() < self.limits.request {
            true => Ok(()),
            false => self.request(),
        }
    }

    /// What is shown of the arguments, where they were kept.
    fn shown(&mut self, decision: &Decision) -> Option<String> {
        let args = decision.args.as_ref()?;
        Some(self.secrets.get_or_insert_with(Secrets::new).shown(args))
    }
}

/// Appends the comma between two spans.
fn begin(spans: &mut Vec<u8>) {
    if !spans.is_empty() {
        spans.push(b',');
    }
}

/// Ids of the trace and of the span of a run.
fn ids_of(run: &Run<Kept>, header: &Header) -> (String, String) {
    let number = run.number.to_string();
    let input = header.input(run.input);
    let (policy, command) = (&*header.policy_sha256, &*header.command);
    let parts = ["gate run", policy, command, input, &run.id, &number];
    let trace = id(16, &parts);
    let root = id(8, &[&trace, "root"]);
    (trace, root)
}

fn status_of(kept: &Kept) -> Status {
    let doubt = "a fault leaves the state of the run in doubt";
    let refused = || {
        let calls = count(kept.calls, "call", "calls");
        format!("{} of {calls} refused", kept.refused)
    };
    match (kept.doubtful, kept.refused) {
        (true, 0) => Status::Bad(doubt.to_owned()),
        (true, _) => Status::Bad(format!("{doubt}; {}", refused())),
        (false, 1..) => Status::Bad(refused()),
        (false, 0) if kept.others == 0 && kept.calls > 0 => Status::Good,
        (false, 0) => Status::Unset,
    }
}

/// What comes before the spans of every request.
fn head(header: &Header) -> Vec<u8> {
    let mut head = b"{\"resourceSpans\":[{\"resource\":{".to_vec();
    let mut resource = Attributes::new(&mut head);
    resource.text("service.name", "gate");
    resource.text("service.version", env!("CARGO_PKG_VERSION"));
    resource.text("gate.policy.source", &header.policy);
    resource.text("gate.policy.sha256", &header.policy_sha256);
    resource.text("gate.command", &header.command);
    resource.end();
    let scope = concat!(
        "},\"scopeSpans\":[{\"scope\":{\"name\":\"gate\",\"version\":\"",
        env!("CARGO_PKG_VERSION"),
        "\"},\"spans\":["
    );
    head.extend_from_slice(scope.as_bytes());
    head
}

impl Report for Traces<'_> {
    fn decision(&mut self, decision: &Decision, listed: bool) -> io::Result<()> {
        let args = if listed { self.shown(decision) } else { None };
        let place = self.runs.decision(decision);
        let Some(run) = self.runs.list.get_mut(place) else {
            return Ok(());
        };
        let (began, kept) = (run.input, &mut run.kept);
        if kept.calls == 0 {
            kept.agent = decision.agent.clone();
        }
        kept.calls += 1;
        kept.refused += u64::from(decision.is_refused());
        kept.others += u64::from(!decision.is_refused() && decision.kind != DecisionKind::Allow);
        if decision.is_refused() && kept.refusal.is_none() {
            let stage = decision.stage.unwrap_or("labels");
            kept.refusal = decision.rule.map(|rule| (stage, rule));
        }
        if !listed {
            return Ok(());
        }
        self.held += kept.held.event(decision.seq, "gate.decision", |to| {
            event::decision(decision, began, args.as_deref(), &self.header, to);
        });
        self.pass_on(place)
    }

    fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        let name = match notice.kind.is_fault() {
            true => "gate.fault",
            false => "gate.warning",
        };
        let place = notice.run.as_deref();
        let place = place.and_then(|run| self.runs.find(notice.place.input, run));
        let run = place.and_then(|place| self.runs.list.get_mut(place));
        let (number, held) = match run {
            Some(run) => {
                run.kept.doubtful |= notice.kind.is_fault();
                (run.latest, &mut run.kept.held)
            }
            None => (0, &mut self.audit),
        };
        self.held += held.event(number, name, |to| event::notice(notice, &self.header, to));
        if self.audit.events.len() >= self.limits.run {
            self.part_of_the_audit()?;
        }
        match place {
            Some(place) => self.pass_on(place),
            None => Ok(()),
        }
    }

    fn run(&mut self, report: &RunReport) -> io::Result<()> {
        let place = self.runs.end(report);
        let run = self.runs.list.get_mut(place);
        let is_told = run.is_some_and(|run| {
            run.kept.doubtful |= report.inconclusive;
            run.kept.is_told
        });
        match is_told {
            // Calls after its end.
            true => self.part(place),
            false => self.root(place),
        }
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        for place in 0..self.runs.list.len() {
            let run = self.runs.list.get(place);
            match run.is_some_and(|run| run.kept.is_told) {
                true => self.part(place)?,
                false => self.root(place)?,
            }
        }
        for input in &summary.inputs {
            self.audit
                .event(0, "gate.input", |to| event::input(input, to));
        }
        let source = &summary.policy.source;
        for doubt in &summary.policy.warnings {
            self.audit.event(0, "gate.warning", |to| {
                to.text("gate.code", doubt.code);
                to.text("gate.message", &doubt.message);
                to.text("gate.file", source);
                for (key, position) in [
                    ("gate.line", doubt.place.known_line()),
                    ("gate.column", doubt.place.known_column()),
                ] {
                    if let Some(position) = position {
                        to.count(key, position as u64);
                    }
                }
            });
        }
        let status = match summary.exit.status {
            Exit::Clean => Status::Good,
            _ => Status::Bad(summary.exit.reason.clone()),
        };
        let longest = self.runs.list.iter().map(|run| run.latest).max();
        let parts = self.audit.parts;
        let span = Span {
            trace: &self.ids.0,
            id: &self.ids.1,
            parent: None,
            link: None,
            name: "gate replay",
            until: Some(longest.unwrap_or(0)),
            status,
        };
        begin(&mut self.spans);
        span.append(&mut self.audit, &mut self.spans, |to| {
            event::summary(summary, to);
            to.count("gate.parts", parts);
        });
        self.request()?;
        self.out.finish()
    }
}
