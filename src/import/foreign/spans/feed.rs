//! From the spans of a run to its events, in the order in which they happened.

use super::call::{completed, told_arguments, usable};
use super::hold::{Node, Trace};
use super::tree::Tree;
use super::{Details, Kind};
use crate::import::Sink;
use crate::import::foreign::{Answer, Out, Run};
use crate::trace::event::{self, Outcome, RunStart, ToolCall, ToolResult};
use crate::trace::fault::{Place, WarningCode};
use crate::trace::json::Json;
use jiff::Timestamp;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A call with its times.
struct Timed {
    place: Place,
    start: Timestamp,
    call: ToolCall<'static>,
    outcome: Option<(Timestamp, Outcome<'static>)>,
    /// Whether no answer of a model in its trace could begin its turn.
    stands_alone: bool,
}

/// What happened in a run, not yet in order.
#[derive(Default)]
struct Timeline {
    place: Place,
    calls: Vec<Timed>,
    /// When each answer of a model began.
    answers: Vec<Timestamp>,
    /// When each answer ended, and what it cost.
    costs: Vec<(Timestamp, String)>,
    /// Accounts of calls that were counted once, and where the first stands.
    repeats: Option<(Place, u64)>,
}

/// Makes runs of traces, in the order in which they first appear.
pub fn runs(traces: Vec<Trace>, stem: &str, sink: &mut dyn Sink) {
    let mut names: HashMap<Option<String>, usize> = HashMap::new();
    let mut runs: Vec<(Option<String>, Vec<Trace>)> = Vec::new();
    for trace in traces {
        let session = trace.session.as_ref().map(|(_, session)| session);
        let name = session.or(trace.id.as_ref()).cloned();
        let at = *names.entry(name.clone()).or_insert_with(|| {
            runs.push((name, Vec::new()));
            runs.len() - 1
        });
        if let Some((_, traces)) = runs.get_mut(at) {
            traces.push(trace);
        }
    }
    for (name, traces) in runs {
        run(name, traces, stem, sink);
    }
}

fn run(name: Option<String>, mut traces: Vec<Trace>, stem: &str, sink: &mut dyn Sink) {
    traces.sort_by_key(|trace| trace.start().unwrap_or(Timestamp::MAX));
    let Some(first) = traces.first() else { return };
    let places = traces.iter().flat_map(|t| t.nodes.first()).map(|n| n.place);
    let place = places.min().unwrap_or_default();
    let id = first.id.as_deref().filter(|id| name.as_deref() != Some(id));
    let start = RunStart {
        agent: only_agent(&traces).map(|agent| Cow::Owned(agent.to_owned())),
        intent: traces
            .iter()
            .find_map(|trace| trace.prompt.as_ref())
            .map(|(_, prompt)| Cow::Owned(prompt.clone())),
        ts: first.start().map(written),
        meta: first.meta(id.map(|id| ("trace", id))),
        ..RunStart::default()
    };
    let mut out = Out::new(sink, place);
    out.set_run(name.as_deref().unwrap_or(stem));
    if traces.iter().any(|trace| trace.has_sessions) {
        let message = "a trace names several conversations, it is taken as part of the first";
        out.warn(WarningCode::Assumed, message);
    }
    let mut run = Run::new(name);
    run.begin(start, &mut out);
    let mut line = Timeline {
        place,
        ..Timeline::default()
    };
    for trace in traces {
        line.take(trace, &mut out);
    }
    line.play(run, &mut out);
}

/// The agent of the runs, if only one is named in them.
fn only_agent(traces: &[Trace]) -> Option<&str> {
    let nodes = traces.iter().flat_map(|trace| &trace.nodes);
    let mut names = nodes
        .filter(|node| node.is(Kind::Agent))
        .filter_map(|node| node.says()?.name.as_deref());
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

fn written(at: Timestamp) -> event::Timestamp<'static> {
    event::Timestamp(Cow::Owned(at.to_string()))
}

impl Timeline {
    fn take(&mut self, mut trace: Trace, out: &mut Out<'_>) {
        let tree = Tree::of(&mut trace);
        let agents: Vec<Option<String>> = (0..trace.nodes.len())
            .map(|at| {
                let agent = tree.above.get(at).and_then(|above| above.agent);
                let named = agent.and_then(|agent| trace.nodes.get(agent)?.says()?.name.clone());
                named.or_else(|| trace.nodes.get(at)?.says()?.agent.clone())
            })
            .collect();
        let nodes = std::mem::take(&mut trace.nodes);
        let stands_alone = !nodes.iter().any(|node| node.is(Kind::Answer));
        for ((node, agent), repeats) in nodes.into_iter().zip(agents).zip(tree.repeats) {
            match node.kind {
                Some(Kind::Tool) if repeats => {
                    self.repeats.get_or_insert((node.place, 0)).1 += 1;
                }
                Some(Kind::Tool) => {
                    let node = completed(node, &trace, out);
                    self.tool(node, agent, stands_alone);
                }
                Some(Kind::Answer) => {
                    self.answer(node, (agent, repeats), &trace, out);
                }
                _ => {}
            }
        }
    }

    fn tool(&mut self, node: Node, agent: Option<String>, stands_alone: bool) {
        let details = node.details.map(|details| *details).unwrap_or_default();
        let start = node.start.or(node.end).unwrap_or(Timestamp::MAX);
        let is_over = node.end.is_some() || details.result.is_some() || details.error == Some(true);
        let outcome = is_over.then(|| {
            let outcome = Outcome {
                result: details.result,
                error: details.error,
                ..Outcome::default()
            };
            (node.end.unwrap_or(start).max(start), outcome)
        });
        self.calls.push(Timed {
            place: node.place,
            start,
            call: ToolCall {
                tool: Cow::Owned(details.name.unwrap_or_default()),
                id: details.call.map(Cow::Owned),
                agent: agent.map(Cow::Owned),
                ts: node.start.map(written),
                ..told_arguments(details.args)
            },
            outcome,
            stands_alone,
        });
    }

    fn answer(
        &mut self,
        node: Node,
        (agent, repeats): (Option<String>, bool),
        trace: &Trace,
        out: &mut Out<'_>,
    ) {
        let start = node.start.or(node.end).unwrap_or(Timestamp::MAX);
        let end = node.end.unwrap_or(start);
        self.answers.push(start);
        let details = node.details.map(|details| *details).unwrap_or_default();
        if repeats {
            return;
        }
        let Details { requests, cost, .. } = details;
        self.costs.extend(cost.map(|cost| (end, cost)));
        for request in requests {
            let Some(args) = usable(&request, node.place, out) else {
                continue;
            };
            let told = request.id.as_ref().and_then(|id| trace.answers.get(id));
            let outcome = told.map(|(at, answer)| {
                let outcome = Outcome {
                    result: answer.result.clone(),
                    error: answer.error,
                    ..Outcome::default()
                };
                ((*at).max(end), outcome)
            });
            self.calls.push(Timed {
                place: node.place,
                start: end,
                call: ToolCall {
                    tool: Cow::Owned(request.tool),
                    id: request.id.map(Cow::Owned),
                    agent: agent.clone().map(Cow::Owned),
                    ts: node.end.map(written),
                    ..told_arguments(args)
                },
                outcome,
                stands_alone: false,
            });
        }
    }

    /// Hands everything on in order.
    fn play(mut self, mut run: Run, out: &mut Out<'_>) {
        self.tell_repeats(out);
        // Both sorts keep the order of the file where times are the same.
        self.calls.sort_by_key(|call| call.start);
        self.answers.sort();
        self.costs.sort_by_key(|(at, _)| *at);
        let mut answers = self.answers.into_iter().peekable();
        let mut open = Open {
            costs: self.costs.into_iter().peekable(),
            ends: BinaryHeap::new(),
            outcomes: HashMap::new(),
        };
        let mut is_new = true;
        for (number, timed) in self.calls.into_iter().enumerate() {
            open.close_until(timed.start, &mut run, out);
            while answers.next_if(|at| *at <= timed.start).is_some() {
                is_new = true;
            }
            if open.ends.is_empty() && (is_new || timed.stands_alone) {
                run.turn(None);
                is_new = false;
            }
            out.move_to(timed.place);
            let id = run.call(timed.call, out);
            // What became of it is known already, so nothing has to wait.
            run.release(out);
            if let (Some(id), Some((end, outcome))) = (id, timed.outcome) {
                open.ends.push(Reverse((end, number)));
                open.outcomes.insert(number, (timed.place, id, outcome));
            }
        }
        open.close_until(Timestamp::MAX, &mut run, out);
        out.move_to(self.place);
        run.finish(None, out);
    }

    fn tell_repeats(&self, out: &mut Out<'_>) {
        if let Some((place, count)) = self.repeats {
            let plural = if count == 1 { "span" } else { "spans" };
            let message =
                format!("{count} {plural} below another of the same call, counted with that one");
            out.warn_at(place, WarningCode::Assumed, message);
        }
    }
}

/// The calls that are open, by when they end.
struct Open<C: Iterator<Item = (Timestamp, String)>> {
    costs: std::iter::Peekable<C>,
    ends: BinaryHeap<Reverse<(Timestamp, usize)>>,
    outcomes: HashMap<usize, (Place, String, Outcome<'static>)>,
}

impl<C: Iterator<Item = (Timestamp, String)>> Open<C> {
    /// Hands on the results of calls that had ended by then.
    fn close_until(&mut self, until: Timestamp, run: &mut Run, out: &mut Out<'_>) {
        while let Some(Reverse((end, number))) = self.ends.peek().copied() {
            if end > until {
                return;
            }
            self.ends.pop();
            let Some((place, id, outcome)) = self.outcomes.remove(&number) else {
                continue;
            };
            out.move_to(place);
            while let Some((_, cost)) = self.costs.next_if(|(at, _)| *at <= end) {
                run.spend(Some(&Json::Number(&cost)), out);
            }
            let result = ToolResult {
                outcome,
                ts: Some(end).filter(|end| *end < Timestamp::MAX).map(written),
                ..ToolResult::default()
            };
            run.settle(id, Answer::Result(result), out);
        }
    }
}
