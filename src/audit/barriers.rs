//! Barriers over the transitions of states files and traces.

use crate::barriers;
use crate::engine::{Counted, Engine, Final, KnownRuns, Mode, Options, Output, RunReport};
use crate::import::drive::{ReadOptions, read};
use crate::policy::Policy;
use crate::stages::STAGES;
use crate::state::{AgentState, RunView};
use crate::trace::event::ToolCall;
use crate::trace::fault::Notice;
use crate::trace::input::Input;
use crate::verify::accumulate::Accumulator;
use crate::verify::report::{Observation, RunTally, Site};
use crate::verify::states::gaps::Chain;
use crate::verify::states::{Pairing, StatesFile};
use crate::verify::transition::Builder;
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

/// What became of one input.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Transitions it gave.
    pub transitions: u64,
    /// States it holds, where it is a states file.
    pub states: u64,
    /// How its states hang together, where it is a states file.
    pub chain: Chain,
    /// What it is: `states`, or the format of a trace; absent where it is neither.
    pub format: Option<&'static str>,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Faults and warnings, in order.
    pub notices: Vec<Notice>,
}

/// A states file to be checked.
pub struct StatesInput<'a> {
    /// Index of the input.
    pub index: usize,
    /// Its bytes, compressed or not.
    pub bytes: Box<dyn Read + Send + 'a>,
    /// Most bytes it may have, decompressed.
    pub max: u64,
    /// How states and actions come together.
    pub pairing: Pairing,
    /// Index of its first transition.
    pub first: u64,
}

/// Makes states of what files tell, calls with the labels that the policy gives them.
pub fn builder(policy: &Policy) -> Builder<'_, impl FnMut(&ToolCall<'_>, &mut Vec<String>)> {
    Builder::new(policy, |call: &ToolCall<'_>, labels: &mut Vec<String>| {
        labels.extend(crate::engine::labels(policy, call));
    })
}

/// Checks every transition of a states file.
pub fn states(policy: &Policy, into: &mut Accumulator, input: StatesInput<'_>) -> Checked {
    let mut checked = Checked {
        format: Some("states"),
        ..Checked::default()
    };
    let mut source = Input::new(input.bytes, Some(input.max));
    let mut text = Vec::new();
    let failed = source.read_to_end(&mut text).err().map(|e| e.to_string());
    let damage = source.damage().map(str::to_owned).or(failed);
    checked.sha256 = source.finish().sha256;
    if let Some(damage) = damage {
        checked.notices.push(cut_off(input.index, damage));
        return checked;
    }
    let file = match StatesFile::read(&text, input.index, input.pairing) {
        Ok(file) => file,
        Err(fault) => {
            checked.notices.push(*fault);
            return checked;
        }
    };
    checked.notices.extend(file.notices.iter().cloned());
    checked.chain = file.chain;
    checked.states = u64::from(!file.is_empty());
    let mut builder = builder(policy);
    let mut tally = RunTally::default();
    for spec in file.transitions() {
        checked.transitions += 1;
        match builder.build(&spec) {
            Ok(transition) => {
                let run = RunView::default();
                let (current, next) = (transition.current.view(run), transition.next.view(run));
                let check = barriers::check(policy, &current, Some(&next));
                let (before, after) = (Vec::from_iter(check.current()), check.next());
                let slack = check.steps.iter().filter(|_| check.simulated);
                let slack: Vec<_> = slack.map(|step| step.slack).collect();
                let observed = transition.observed.as_ref();
                let observed = observed.map(|state| barriers::values(policy, &state.view(run)));
                let id = spec.action.call.id.as_deref();
                let outside = |state: &AgentState| {
                    !barriers::negative(&barriers::values(policy, &state.view(run))).is_empty()
                };
                let observation = Observation {
                    site: Site {
                        index: input.first + spec.index,
                        input: input.index,
                        line: spec.line,
                        run: None,
                        call: id,
                        tool: &spec.action.call.tool,
                    },
                    current: &before,
                    next: after.as_deref(),
                    slack: &slack,
                    outside: &check.outside,
                    standing: transition.bare.as_ref().is_none_or(outside),
                    broken: &check.broken,
                    observed: observed.as_deref(),
                };
                into.observe(observation, &mut tally);
            }
            Err(fault) => checked.notices.push(*fault),
        }
    }
    if checked.transitions > 0 {
        into.end_file(&tally);
    }
    checked
}

fn cut_off(input: usize, message: String) -> Notice {
    Notice {
        kind: crate::trace::fault::NoticeKind::Fault(
            crate::trace::fault::FaultCode::TruncatedInput,
        ),
        place: crate::trace::fault::Place {
            input,
            ..Default::default()
        },
        run: None,
        message,
        help: None,
    }
}

/// A trace to be checked.
pub struct TraceInput<'a> {
    /// Index of the input.
    pub index: usize,
    /// As it is named.
    pub name: &'a str,
    /// Its name without directories and endings.
    pub stem: &'a str,
    /// Its bytes.
    pub bytes: Box<dyn Read + Send + 'a>,
    /// How it is read.
    pub options: &'a ReadOptions,
    /// Runs of the inputs before; those of this one are added.
    pub known: &'a mut KnownRuns,
    /// Index of its first transition.
    pub first: u64,
}

/// Checks the transition of every call of a trace: what ran is taken as it ran, no stage but the
/// barriers is asked, and a label whose rule cannot be evaluated counts as given.
pub fn trace(policy: &Policy, into: &mut Accumulator, input: TraceInput<'_>) -> Checked {
    let options = Options {
        mode: Mode::Observe,
        // As in a states file: the transition is what is tested, not whether the call may run.
        labels_given: true,
        ..Options::default()
    };
    let barriers = STAGES.iter().filter(|stage| stage.id() == "dcbf").copied();
    let barriers: Vec<_> = barriers.collect();
    let policy = Policy {
        disabled: Vec::new(),
        ..policy.clone()
    };
    let mut transitions = Transitions {
        policy: &policy,
        into,
        last: None,
        first: input.first,
        seen: 0,
        runs: HashMap::new(),
        notices: Vec::new(),
    };
    let mut engine = Engine::new(&policy, &barriers, options, &mut transitions)
        .after(std::mem::take(input.known));
    engine.begin_input(input.index, input.stem);
    let report = read(
        input.index,
        input.name,
        input.stem,
        input.bytes,
        input.options,
        &mut engine,
    );
    engine.end_input();
    *input.known = engine.into_known();
    Checked {
        transitions: transitions.seen,
        states: transitions.seen,
        chain: Chain::default(),
        format: report.format,
        sha256: report.sha256,
        notices: transitions.notices,
    }
}

/// Takes the engine's decisions as transitions.
struct Transitions<'a> {
    policy: &'a Policy,
    /// Values in the state that the run at hand ends in.
    last: Option<Vec<f64>>,
    into: &'a mut Accumulator,
    first: u64,
    seen: u64,
    runs: HashMap<Arc<str>, RunTally>,
    notices: Vec<Notice>,
}

impl Output for Transitions<'_> {
    fn decision(&mut self, decided: &mut Final) {
        let decision = &decided.decision;
        let readings = &decision.barriers;
        let current: Vec<f64> = readings.iter().map(|r| r.h).collect();
        let next: Option<Vec<f64>> = readings.iter().map(|r| r.next).collect();
        let outside = barriers::negative(&current);
        let simulated = outside.is_empty();
        let slack: Vec<Option<f64>> = readings
            .iter()
            .map(|r| r.slack)
            .filter(|_| simulated)
            .collect();
        let tally = self.runs.entry(Arc::clone(&decision.run)).or_default();
        let observation = Observation {
            site: Site {
                index: self.first + self.seen,
                input: decision.input,
                line: decision.line,
                run: Some(&decision.run),
                call: Some(&decision.call),
                tool: &decision.tool,
            },
            current: &current,
            next: next.as_deref().filter(|_| simulated),
            slack: &slack,
            broken: if simulated { &decision.broken } else { &[] },
            outside: &outside,
            standing: decision.standing,
            observed: None,
        };
        self.into.observe(observation, tally);
        self.seen += 1;
    }

    fn notice(&mut self, notice: Notice) {
        self.notices.push(notice);
    }

    fn last(&mut self, run: RunView<'_>, state: &AgentState) {
        self.last = Some(barriers::values(self.policy, &state.view(run)));
    }

    fn run(&mut self, report: RunReport) {
        let last = self.last.take();
        if let Some(tally) = self.runs.remove(&report.id) {
            self.into.end_run(tally, last.as_deref());
        }
    }

    fn count(&mut self, _: Counted) {}
}
