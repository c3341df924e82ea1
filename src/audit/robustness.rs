//! Runs by how near they come to what their barriers refuse.

use super::remaining::{Class, Ended, More, Names};
use super::summary::{ExitSummary, InputSummary, PolicySummary, Replayed};
use super::verdict::{Leniency, exit_of_reading};
use crate::barriers;
use crate::engine::decision::{Decision, Reading};
use crate::engine::{Counted, Final, Output, RunReport};
use crate::policy::Policy;
use crate::state::{AgentState, RunView};
use crate::trace::fault::{Noted, Notice};
use crate::verify::robustness::{Approach, Measured, Scales, compare, distance};
use std::collections::HashMap;
use std::sync::Arc;

/// Runs that are held in full beyond those asked for, before they are sorted out.
const SPARE: usize = 256;

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Runs that are told in full, nearest first.
    pub top: usize,
    /// Whether the others are told too, without what remains and without their calls.
    pub all: bool,
    /// Whether the calls of the runs that are told in full are told one by one.
    pub calls: bool,
}

/// Where a value was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At {
    /// Number of the call in its run, from 1.
    pub seq: u64,
    /// Its line in the input of the run.
    pub line: u64,
    /// Its id. Untrusted.
    pub call: String,
    /// Its tool. Untrusted.
    pub tool: String,
}

/// A value of a barrier and where it was met.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The value.
    pub measured: Measured,
    /// The call.
    pub at: At,
}

/// One barrier in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct OfBarrier {
    /// Least value in the states that calls met: the robustness of `always(h >= 0)`.
    pub least_h: Point,
    /// Nearest approach: the least of value and slack.
    pub nearest: Point,
    /// Value in the state that the run ends in.
    pub end: f64,
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRow {
    /// The call.
    pub at: At,
    /// Whether it may run.
    pub admitted: bool,
    /// How near it comes to each barrier, in policy order.
    pub distances: Vec<f64>,
    /// The barrier that it comes nearest to.
    pub nearest: Measured,
}

/// One run.
#[derive(Clone, Debug)]
pub struct RunRow {
    /// Index of the input.
    pub input: usize,
    /// Id. Untrusted.
    pub id: Arc<str>,
    /// Calls decided.
    pub calls: u64,
    /// Those that reached the barriers.
    pub measured: u64,
    /// Calls refused, by whatever stage.
    pub refused: u64,
    /// Whether a fault left it in doubt.
    pub inconclusive: bool,
    /// Its nearest approach.
    pub nearest: Point,
    /// Which of all calls that one was, in the order in which they were decided.
    met: u64,
    /// Least scaled value in the states that calls met.
    pub robustness: Measured,
    /// The barriers, in policy order.
    pub barriers: Vec<OfBarrier>,
    /// More calls of each class that the barriers would admit at its end; empty unless it is told in
    /// full.
    pub more: Vec<More>,
    /// Its calls, where they were asked for.
    pub rows: Vec<CallRow>,
    /// Its place among the runs that ended.
    order: u64,
    ended: Option<Box<Ended>>,
}

impl RunRow {
    /// By what it is ranked.
    fn approach(&self) -> Approach {
        Approach {
            measured: self.nearest.measured,
            order: self.met,
        }
    }
}

/// Everything that was found.
#[derive(Clone, Debug)]
pub struct Robustness {
    /// How calls were replayed.
    pub replayed: Replayed,
    /// The policy.
    pub policy: PolicySummary,
    /// The inputs, in the order in which they were read.
    pub inputs: Vec<InputSummary>,
    /// Names of the barriers with their units and scales, in policy order.
    pub barriers: Vec<(String, &'static str, f64)>,
    /// Runs.
    pub runs: u64,
    /// Runs of which no call reached the barriers; they are not ranked.
    pub unmeasured: u64,
    /// Runs whose nearest approach is below zero: a barrier refused.
    pub beyond: u64,
    /// Runs, nearest first; of equals as [`Approach::rank`] has it.
    pub listed: Vec<RunRow>,
    /// How many of them are told in full.
    pub full: usize,
    /// Tools that no barrier tells apart.
    pub classes: Vec<Class>,
    /// Calls decided.
    pub calls: u64,
    /// Faults and warnings met.
    pub noted: Noted,
    /// The exit status and why.
    pub exit: ExitSummary,
}

/// What the values of a policy's barriers are compared by: those in the initial state of a run about
/// which nothing is known.
pub fn scales(policy: &Policy) -> Scales {
    let state = AgentState::default();
    Scales::new(&barriers::values(policy, &state.view(RunView::default())))
}

/// Takes a replay and measures its runs.
pub struct Measurer<'p> {
    policy: &'p Policy,
    wanted: Wanted,
    scales: Scales,
    names: Names,
    under_way: HashMap<Arc<str>, UnderWay>,
    last: Option<(Vec<f64>, Box<Ended>)>,
    rows: Vec<RunRow>,
    /// Of runs that have ended the `order` of the latest row of that input and name; absent where no
    /// call of it reached the barriers.
    latest: HashMap<(usize, Arc<str>), Option<u64>>,
    /// What is to be brought up to date of rows, by their `order`: their runs had calls after their
    /// end. None of these reached the barriers, or the run would not have ended for good.
    late: HashMap<u64, Late>,
    /// Rows since they were last sorted out, held in full.
    unsorted: usize,
    runs: u64,
    ranked: u64,
    unmeasured: u64,
    beyond: u64,
    calls: u64,
    noted: Noted,
}

/// Counts of a run with the calls after its end.
struct Late {
    calls: u64,
    refused: u64,
    inconclusive: bool,
}

/// A run that is under way.
#[derive(Default)]
struct UnderWay {
    measured: u64,
    /// Its nearest call so far.
    nearest: Option<(Approach, At)>,
    barriers: Vec<(Point, Point)>,
    rows: Vec<CallRow>,
}

impl<'p> Measurer<'p> {
    /// Nothing has been replayed yet.
    pub fn new(policy: &'p Policy, wanted: Wanted) -> Self {
        Measurer {
            policy,
            wanted,
            scales: scales(policy),
            names: Names::new(policy),
            under_way: HashMap::new(),
            last: None,
            rows: Vec::new(),
            latest: HashMap::new(),
            late: HashMap::new(),
            unsorted: 0,
            runs: 0,
            ranked: 0,
            unmeasured: 0,
            beyond: 0,
            calls: 0,
            noted: Noted::default(),
        }
    }

    fn measure(&mut self, decision: &Decision) {
        let run = self.under_way.entry(Arc::clone(&decision.run)).or_default();
        let near = |r: &Reading| distance(r.h, r.next, r.slack);
        let distances: Vec<f64> = decision.barriers.iter().map(near).collect();
        let Some(nearest) = self.scales.least(distances.iter().copied()) else {
            return;
        };
        let at = || At {
            seq: decision.seq,
            line: decision.line,
            call: decision.call.clone(),
            tool: decision.tool.to_string(),
        };
        let point = |barrier: usize, value: f64| Point {
            measured: self.scales.measure(barrier, value),
            at: at(),
        };
        run.measured += 1;
        let order = self.calls;
        let approach = Approach {
            measured: nearest,
            order,
        };
        if approach.is_nearer(run.nearest.as_ref().map(|(known, _)| known)) {
            run.nearest = Some((approach, at()));
        }
        for (i, (reading, &near)) in decision.barriers.iter().zip(&distances).enumerate() {
            let Some((least_h, nearest)) = run.barriers.get_mut(i) else {
                run.barriers.push((point(i, reading.h), point(i, near)));
                continue;
            };
            for (least, value) in [(least_h, reading.h), (nearest, near)] {
                if compare(value, least.measured.value).is_lt() {
                    *least = point(i, value);
                }
            }
        }
        if self.wanted.calls {
            run.rows.push(CallRow {
                at: at(),
                admitted: decision.admitted,
                distances,
                nearest,
            });
        }
    }

    fn end(&mut self, report: RunReport) {
        // What comes after the end of a run is no run of its own.
        self.runs += u64::from(!report.continues);
        let under_way = self.under_way.remove(&report.id).unwrap_or_default();
        let (end, ended) = match self.last.take() {
            Some((end, ended)) => (end, Some(ended)),
            None => (Vec::new(), None),
        };
        let least = under_way.barriers.iter().map(|(least, _)| least.measured);
        let robustness = least.reduce(|a, b| match compare(b.scaled, a.scaled).is_lt() {
            true => b,
            false => a,
        });
        let key = (report.input, Arc::clone(&report.id));
        let (Some((nearest, at)), Some(robustness)) = (under_way.nearest, robustness) else {
            if report.continues {
                self.continued(&key, &report);
            } else {
                self.unmeasured += 1;
                self.latest.insert(key, None);
            }
            return;
        };
        self.ranked += 1;
        self.latest.insert(key, Some(self.ranked));
        self.beyond += u64::from(nearest.measured.value < 0.0);
        let barriers = under_way.barriers.into_iter().enumerate();
        self.rows.push(RunRow {
            input: report.input,
            id: report.id,
            calls: report.calls,
            measured: under_way.measured,
            refused: report.refused,
            inconclusive: report.inconclusive,
            nearest: Point {
                measured: nearest.measured,
                at,
            },
            met: nearest.order,
            robustness,
            barriers: barriers
                .map(|(i, (least_h, nearest))| OfBarrier {
                    least_h,
                    nearest,
                    end: end.get(i).copied().unwrap_or(barriers::UNKNOWN),
                })
                .collect(),
            more: Vec::new(),
            rows: under_way.rows,
            order: self.ranked,
            ended,
        });
        self.unsorted += 1;
        if self.unsorted >= self.wanted.top.saturating_add(SPARE) {
            self.sort_out();
        }
    }

    /// Takes note of calls after the end of a run.
    fn continued(&mut self, key: &(usize, Arc<str>), report: &RunReport) {
        let Some(&Some(order)) = self.latest.get(key) else {
            return;
        };
        let doubted = self.late.get(&order).is_some_and(|late| late.inconclusive);
        let late = Late {
            calls: report.calls,
            refused: report.refused,
            inconclusive: report.inconclusive || doubted,
        };
        self.late.insert(order, late);
    }

    /// Brings the nearest to the front, and lets go of what will not be told.
    fn sort_out(&mut self) {
        self.unsorted = 0;
        self.rows.sort_by(|a, b| a.approach().rank(&b.approach()));
        if !self.wanted.all {
            self.rows.truncate(self.wanted.top);
        }
        for row in self.rows.iter_mut().skip(self.wanted.top) {
            row.ended = None;
            row.rows = Vec::new();
        }
    }

    /// All that was found, with what became of the inputs.
    pub fn finish(
        mut self,
        inputs: Vec<InputSummary>,
        replayed: Replayed,
        leniency: Leniency,
    ) -> Robustness {
        self.sort_out();
        for row in &mut self.rows {
            if let Some(late) = self.late.get(&row.order) {
                (row.calls, row.refused) = (late.calls, late.refused);
                row.inconclusive |= late.inconclusive;
            }
        }
        let policy = self.policy;
        let classes = self.names.classes(policy);
        for row in self.rows.iter_mut().take(self.wanted.top) {
            if let Some(ended) = row.ended.take() {
                row.more = classes.iter().map(|c| ended.more(policy, c)).collect();
            }
        }
        let specs = policy.dcbf.barriers.iter().enumerate();
        let described = specs.map(|(i, spec)| {
            let unit = barriers::definition(&spec.measure).unit;
            (spec.name.to_string(), unit, self.scales.of(i))
        });
        Robustness {
            replayed,
            policy: PolicySummary::of(policy),
            exit: exit_of_reading(inputs.iter(), self.noted.faults, self.calls, leniency),
            inputs,
            barriers: described.collect(),
            runs: self.runs,
            unmeasured: self.unmeasured,
            beyond: self.beyond,
            full: self.rows.len().min(self.wanted.top),
            listed: self.rows,
            classes,
            calls: self.calls,
            noted: self.noted,
        }
    }
}

impl Output for Measurer<'_> {
    fn decision(&mut self, decided: &mut Final) {
        let decision = &decided.decision;
        self.calls += 1;
        self.names
            .add(self.policy, &decision.tool, &decision.labels);
        self.measure(decision);
    }

    fn notice(&mut self, notice: Notice) {
        self.noted.add(notice);
    }

    fn last(&mut self, run: RunView<'_>, state: &AgentState) {
        let end = barriers::values(self.policy, &state.view(run));
        self.last = Some((end, Box::new(Ended::new(run, state))));
    }

    fn run(&mut self, report: RunReport) {
        self.end(report);
    }

    fn count(&mut self, _: Counted) {}
}
