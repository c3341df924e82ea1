//! The life of a run: calls arrive, are judged, admitted and settled.
//!
//! The engine takes events in the order of the trace and gives decisions as they become final. It
//! knows the pipeline as a list of stages and none of them by name; it opens no file and reads no
//! clock.

mod arrival;
mod aside;
pub mod asked;
mod clock;
mod closing;
pub mod decision;
mod digest;
mod early;
mod flight;
mod forms;
mod judge;
mod marks;
mod monitor;
mod numbers;
mod outcome;
mod packed;
mod registry;
mod repeats;
mod ruling;
mod run;
mod shelf;
mod stretches;
mod time;
mod weigh;

pub use aside::Room;

use crate::import::Sink;
use crate::policy::Policy;
use crate::stages::weigh::StageWeighed;
use crate::stages::{Probed, Remembered, Stage};
use crate::state::{AgentState, RunView};
use crate::trace::event::{
    Approval, Event, GroundTruth, Prepare, RunEnd, RunStart, ToolCall, ToolResult,
};
use crate::trace::fault::{Notice, NoticeKind, Place, WarningCode};
use decision::Decision;
use forms::Kind;
use monitor::Monitor;
use registry::{Found, Registry};

/// How recorded outcomes are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A call refused here is taken as not executed.
    #[default]
    Enforce,
    /// A call that the trace shows as executed is admitted even where it is refused here.
    Observe,
}

impl Mode {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Enforce => "enforce",
            Mode::Observe => "observe",
        }
    }
}

/// When calls settle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dispatch {
    /// As the trace shows it.
    #[default]
    Recorded,
    /// As soon as they are admitted.
    Sequential,
}

impl Dispatch {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Dispatch::Recorded => "recorded",
            Dispatch::Sequential => "sequential",
        }
    }
}

/// How to replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How recorded outcomes are taken.
    pub mode: Mode,
    /// When calls settle.
    pub dispatch: Dispatch,
    /// Whether an escalated call without a recorded approval is admitted.
    pub allow_escalated: bool,
    /// Whether decisions carry the arguments.
    pub keep_args: bool,
    /// Whether a call with a label that could not be worked out is taken to have it and goes on to the
    /// stages; otherwise it is an error. For those who look at states and keep nothing from running.
    pub labels_given: bool,
    /// Whether a run goes on from one input into the next; otherwise each input has its own.
    pub merge_runs: bool,
    /// Whether every rule is weighed for every call, see [`Final::weighed`]. Decisions are the same.
    pub weigh: bool,
    /// Weigh the rules for the call of this number in its run alone; of the other calls only the
    /// transitions of the barriers are told. Absent means for every call.
    pub weigh_only: Option<u64>,
    /// Of those other calls not even that is told.
    pub weigh_alone: bool,
    /// Whether what is weighed leaves out what rules looked at, which takes less time.
    pub wordless: bool,
}

impl Options {
    /// The word for what becomes of an escalated call that nobody decided about.
    pub fn on_escalate(&self) -> &'static str {
        match self.allow_escalated {
            true => "allow",
            false => "block",
        }
    }

    /// Whether it is told what every call does to the barriers.
    fn tells_course(&self) -> bool {
        self.weigh && self.weigh_only.is_some() && !self.weigh_alone
    }

    /// Whether rules are weighed for the call of that number in its run.
    fn weighs_rules(&self, seq: u64) -> bool {
        self.weigh && self.weigh_only.is_none_or(|only| only == seq)
    }
}

/// What became of a run when it is over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// Index of the input.
    pub input: usize,
    /// Id of the run. Untrusted.
    pub id: std::sync::Arc<str>,
    /// Calls decided.
    pub calls: u64,
    /// Calls refused.
    pub refused: u64,
    /// Calls that reached the barriers.
    pub judged: u64,
    /// Calls that a barrier refused as the first step out.
    pub root: u64,
    /// Calls that a barrier refused because the run was outside already.
    pub standing: u64,
    /// Whether a fault left it in doubt, unless that was reported before.
    pub inconclusive: bool,
    /// Whether it was reported before and calls came after its end: `calls` and `refused` are those
    /// of the whole run, the other counts only what came since.
    pub continues: bool,
}

/// A decision that is final, with what only the summary asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Final {
    /// The decision.
    pub decision: Decision,
    /// The semantic stage had no score to go by.
    pub unscored: bool,
    /// The semantic stage scored it without knowing what the user wanted.
    pub without_intent: bool,
    /// The scope barrier had no embeddings to go by.
    pub scope_inert: bool,
    /// Features of the transition, where they were asked for.
    pub probed: Option<Box<Probed>>,
    /// What the run is known to be, where its start says.
    pub label: Option<GroundTruth>,
    /// Admitted calls of the run were in flight when it came.
    pub concurrent: bool,
    /// Whether any pattern of the policy names the tool or a label of the call.
    pub named: bool,
    /// Whether the tool lies inside the mediation boundary.
    pub mediated: bool,
    /// What every rule says of the call, where that was asked for: the label rules, then every stage
    /// of the pipeline, after the first that refuses too, in the state that the call meets.
    pub weighed: Option<Box<[StageWeighed]>>,
}

/// Decisions may be written by other threads than the one that decides.
const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Final>();
};

/// Takes what the engine finds, in the order in which it becomes final.
pub trait Output: Send {
    /// A decision. It may be taken, or changed for one that has been used: what stands there is written
    /// over.
    fn decision(&mut self, decided: &mut Final);

    /// A fault or a warning.
    fn notice(&mut self, notice: Notice);

    /// A call arrives, by its number in its run and its line. Told, as is [`Output::effect`], where one
    /// call is weighed and the barriers are told of the others.
    fn arrival(&mut self, _seq: u64, _line: u64) {}

    /// What a call has done to the state, when it was admitted or when it settled: the values of the
    /// barriers right after. Number 0 is a call of which only the line is known still; line 0 is no
    /// call but where the run begins.
    fn effect(&mut self, _seq: u64, _line: u64, _tool: &str, _values: &[f64]) {}

    /// The state that a run ends in, told right before its report.
    fn last(&mut self, _run: RunView<'_>, _state: &AgentState) {}

    /// A run that is over.
    fn run(&mut self, report: RunReport);

    /// A result that was read, or a call repeated with the same content.
    fn count(&mut self, what: Counted);
}

impl<O: Output + ?Sized> Output for &mut O {
    fn decision(&mut self, decided: &mut Final) {
        (**self).decision(decided);
    }

    fn notice(&mut self, notice: Notice) {
        (**self).notice(notice);
    }

    fn arrival(&mut self, seq: u64, line: u64) {
        (**self).arrival(seq, line);
    }

    fn effect(&mut self, seq: u64, line: u64, tool: &str, values: &[f64]) {
        (**self).effect(seq, line, tool, values);
    }

    fn last(&mut self, run: RunView<'_>, state: &AgentState) {
        (**self).last(run, state);
    }

    fn run(&mut self, report: RunReport) {
        (**self).run(report);
    }

    fn count(&mut self, what: Counted) {
        (**self).count(what);
    }
}

/// Something that is only counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// A `tool_result`, or an inline outcome.
    Result {
        /// Whether it says what the call cost.
        costed: bool,
    },
    /// A call repeating an id with the same content.
    Repeat,
    /// A run that was reported as sound and is left in doubt by a later fault.
    Doubted,
}

/// The labels that the policy's rules give a call that stands alone, without a run around it. A rule
/// that cannot be evaluated gives its label: a call is rather taken for too much than for too
/// little.
pub fn labels(policy: &Policy, call: &ToolCall<'_>) -> Vec<String> {
    judge::labels_alone(policy, call)
}

/// Replays events.
pub struct Engine<'a> {
    runs: Registry,
    monitor: Monitor<'a>,
}

/// Which runs there were, for an engine that takes further inputs.
#[derive(Clone, Debug, Default)]
pub struct KnownRuns(foldhash::HashSet<u128>);

impl<'a> Engine<'a> {
    /// An engine with no run under way. `stages` is the pipeline; those the policy disables are
    /// left out.
    pub fn new(
        policy: &'a Policy,
        stages: &[&'static dyn Stage],
        options: Options,
        out: impl Output + 'a,
    ) -> Self {
        Engine {
            runs: Registry::default(),
            monitor: Monitor::new(policy, stages, options, Box::new(out)),
        }
    }

    /// The same, taking scores from earlier replays of the same records and leaving its own to later ones.
    pub fn remembering(mut self, scores: &'a Remembered) -> Self {
        self.monitor.remembered = Some(scores);
        self
    }

    /// The same, knowing the runs that other engines have met, so that one of the same id is told.
    pub fn after(mut self, earlier: KnownRuns) -> Self {
        self.runs.know(earlier.0);
        self
    }

    /// The same, with room outside memory for what is kept of runs that have not spoken for long.
    pub fn putting_aside(mut self, room: impl Room + 'static) -> Self {
        self.runs.put_aside(Box::new(room));
        self
    }

    /// The runs met, those it began with included.
    pub fn into_known(self) -> KnownRuns {
        KnownRuns(self.runs.known())
    }

    /// Begins an input. Records without a run belong to the run named `stem`.
    pub fn begin_input(&mut self, input: usize, stem: &str) {
        let merge = self.monitor.options.merge_runs;
        self.runs.begin_input(input, stem, merge);
    }

    /// Ends an input: what is in flight settles and its runs are over, unless they go on in the
    /// next.
    pub fn end_input(&mut self) {
        if !self.monitor.options.merge_runs {
            self.end();
        }
    }

    /// Ends the last input: every run is over.
    pub fn end(&mut self) {
        let mut ended = 0;
        while let Some((keys, until)) = self.runs.open_runs(ended) {
            for key in keys {
                if let Some(mut run) = self.runs.take(key, &self.monitor.names) {
                    self.monitor.finish(&mut run);
                }
            }
            ended = until;
        }
        let left = self.monitor.early.all();
        self.monitor.orphans(left);
        self.runs.end_input();
    }

    fn run_start(&mut self, place: Place, event: RunStart<'_>) {
        let key = self.runs.key(event.run.as_deref());
        if let Some(mut before) = self.runs.take(key, &self.monitor.names) {
            self.monitor.finish(&mut before);
        }
        self.runs.forget(key);
        if let Some(agent) = &event.agent {
            let run = self.runs.name(event.run.as_deref());
            self.monitor.meet(Kind::Agent, place, run, agent);
        }
        let run = self.runs.open(event.run.as_deref(), &self.monitor.names);
        self.monitor.pass(run, place, event.ts.as_ref());
        run.begin(event, self.monitor.policy);
    }

    fn run_end(&mut self, event: RunEnd<'_>) {
        let run = self.runs.open(event.run.as_deref(), &self.monitor.names);
        if self.monitor.end(run, event.status) {
            let id = std::sync::Arc::clone(&run.id);
            self.runs.shrink(&id, self.monitor.options.weigh);
        }
    }

    fn tool_call(&mut self, place: Place, call: Box<ToolCall<'_>>) {
        let run = self.runs.open(call.run.as_deref(), &self.monitor.names);
        self.monitor.arrive(run, place, call);
    }

    fn tool_result(&mut self, place: Place, result: ToolResult<'_>) {
        self.monitor.read_outcome(&result.outcome);
        match self.runs.find(result.run.as_deref(), &self.monitor.names) {
            Some(Found::Open(run)) => self.monitor.result(run, place, result),
            Some(Found::Ended) => {
                let call = digest::id(&result.call);
                self.runs.late_result(result.run.as_deref(), call);
            }
            None => {
                let run = self.runs.name(result.run.as_deref());
                self.monitor.without_call(place, run, &result);
            }
        }
    }

    fn approval(&mut self, place: Place, approval: Approval<'_>) {
        match self.runs.find(approval.run.as_deref(), &self.monitor.names) {
            Some(Found::Open(run)) => self.monitor.approval(run, place, approval),
            Some(Found::Ended) => {}
            None => {
                let run = self.runs.name(approval.run.as_deref()).to_owned();
                self.monitor
                    .orphan(WarningCode::OrphanApproval, place, &run, &approval.call);
            }
        }
    }
}

impl Sink for Engine<'_> {
    fn event(&mut self, place: Place, event: Event<'_>) {
        let id = event.run().map(|run| &**run);
        if self.runs.is_shared(id) {
            let message = "an earlier input has a run of this id; they are two runs".into();
            let kind = NoticeKind::Warning(WarningCode::SharedRunId);
            self.monitor.tell(kind, place, self.runs.name(id), message);
        }
        if let Some(id) = id {
            self.monitor.meet(Kind::Run, place, id, id);
        }
        match event {
            Event::RunStart(e) => self.run_start(place, e),
            Event::ToolCall(e) => self.tool_call(place, e),
            Event::ToolResult(e) => self.tool_result(place, e),
            Event::Approval(e) => self.approval(place, e),
            Event::RunEnd(e) => self.run_end(e),
        }
    }

    fn notice(&mut self, notice: Notice) {
        if notice.kind.is_fault() && self.runs.fault(notice.run.as_deref()) {
            self.monitor.out.count(Counted::Doubted);
        }
        self.monitor.out.notice(notice);
    }

    fn reach_back(&mut self) {
        self.runs.reach_back();
    }

    fn prepare(&self) -> Option<Prepare> {
        let asked = self.monitor.asked.iter();
        let stages = asked.filter_map(|(_, stage)| stage.prepare(self.monitor.policy));
        let (mut stages, mut room) = (stages.collect::<Vec<_>>(), Vec::new());
        Some(Box::new(move |call| {
            call.prepared.hashes = Some(digest::of(call, &mut room));
            stages.iter_mut().for_each(|stage| stage(call));
        }))
    }
}
