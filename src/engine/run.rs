//! A run that is under way.

use super::clock::{Clock, Seldom};
use super::decision::Decision;
use super::digest;
use super::flight::InFlight;
use super::marks::{Fate, Marks};
use super::repeats::Repeats;
use super::ruling::Ruling;
use crate::policy::Policy;
use crate::policy::expr::Variable;
use crate::stages::action::intent_head;
use crate::stages::{Siblings, Stage};
use crate::state::{AgentState, Embedded, Embedding, Phase, RunView};
use crate::trace::event::{GroundTruth, RawJson, RunStart, ToolCall};
use std::collections::VecDeque;
use std::sync::Arc;

/// A run and everything that is kept of it while it is open.
#[derive(Default)]
pub(super) struct Run {
    /// Its id.
    pub(super) id: Arc<str>,
    /// Index of its input.
    pub(super) input: usize,
    /// Its place among the runs of the input, by first appearance.
    pub(super) order: u64,
    pub(super) agent: Option<Arc<str>>,
    pub(super) intent: Option<Box<str>>,
    /// What it is known to be.
    pub(super) label: Option<GroundTruth>,
    pub(super) meta: Option<Box<RawJson<'static>>>,
    /// Its times; absent while no record has one.
    pub(super) clock: Option<Box<Clock>>,
    pub(super) state: AgentState,
    /// Calls so far.
    pub(super) seq: u64,
    /// Turn of the latest call.
    pub(super) turn: u64,
    /// Admitted calls that have not settled, in order of arrival.
    pub(super) in_flight: VecDeque<InFlight>,
    /// No call in flight without an outcome has a lower turn.
    pub(super) least_turn: u64,
    /// Hash of the batch that the calls in flight with an outcome name.
    pub(super) open_batch: Option<u64>,
    /// What the state would be had they settled; absent until a call asks, and after a settlement.
    pub(super) siblings: Option<Box<Siblings>>,
    /// The call that waits for a decision of somebody.
    pub(super) waiting: Option<Box<Ruling<'static>>>,
    pub(super) marks: Marks,
    /// Embeddings of refused calls, by id, for when they turn out to have run.
    pub(super) brought: Vec<(u64, Brought)>,
    /// Refused calls that came before the run's end and whose results would show that they ran.
    pub(super) late: Box<[u64]>,
    pub(super) refused_in_a_row: u64,
    /// The latest calls, as far as a rule asks whether they are one.
    pub(super) repeats: Repeats,
    /// Calls whose arguments the recording does not tell.
    pub(super) blind: Seldom,
    /// Whether replay and record have parted.
    pub(super) parted: bool,
    /// Whether a fault left it in doubt.
    pub(super) doubtful: bool,
    /// Whether that was reported already, when it ended.
    pub(super) doubt_told: bool,
    /// Count of faults without a run when it was last looked at.
    pub(super) epoch: u64,
    /// Whether it was opened again after its end.
    pub(super) resumed: bool,
    /// Whether it has calls in another input than the one it began in, so that a line alone is no place.
    pub(super) moved: bool,
    /// How it ended then, where every rule is weighed.
    pub(super) kept: Option<Box<Kept>>,
    /// What calls did to the state since that was told, in order; absent where nobody asks.
    pub(super) effects: Option<Box<Effects>>,
    pub(super) tally: Tally,
    /// Whether a record of it came since that was last looked at.
    pub(super) spoke: bool,
}

/// A call of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Caller {
    /// Its number in the run; 0 where only the line is known still.
    pub(super) seq: u64,
    /// Its line; 0 where it is not known.
    pub(super) line: u64,
}

/// What calls did to the barriers.
pub(super) struct Effects {
    /// The pipeline, of which one stage knows the barriers.
    pub(super) stages: Vec<&'static dyn Stage>,
    pub(super) list: Vec<Effect>,
}

/// What a call did to the barriers, when it was admitted or when it settled.
#[derive(Debug)]
pub(super) struct Effect {
    pub(super) by: Caller,
    pub(super) tool: Box<str>,
    /// The barriers right after.
    pub(super) values: Vec<f64>,
}

/// A run as it ended, for what stages that are not asked any more would say of calls after that.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    agent: Option<Arc<str>>,
    intent: Option<Box<str>>,
    meta: Option<Box<RawJson<'static>>>,
    pub(super) state: AgentState,
}

impl Kept {
    pub(super) fn of(run: &Run) -> Box<Kept> {
        let mut kept = run.kept.clone().unwrap_or_else(|| {
            Box::new(Kept {
                agent: run.agent.clone(),
                intent: run.intent.clone(),
                meta: run.meta.clone(),
                state: run.state.clone(),
            })
        });
        // It may have ended again, in another way.
        kept.state.phase = run.state.phase;
        kept
    }

    /// What expressions may ask of the run of that id.
    pub(super) fn view<'r>(&'r self, id: &'r str) -> RunView<'r> {
        RunView {
            id,
            agent: self.agent.as_deref(),
            intent: self.intent.as_deref(),
            meta: self.meta.as_deref(),
        }
    }
}

/// Counts for the run's report.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) refused: u64,
    pub(super) judged: u64,
    pub(super) root: u64,
    pub(super) standing: u64,
    /// Calls decided since the run was opened (again).
    pub(super) calls: u64,
}

/// The embeddings that a call brings along.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Brought {
    context: Embedding,
    action: Embedding,
    embedded: Option<Embedded>,
}

impl Brought {
    /// Those of its record, and those that were embedded here for it.
    pub(super) fn by(call: &ToolCall<'_>, embedded: Option<Embedded>) -> Brought {
        Brought {
            context: call.context_embedding.as_deref().map(Arc::from),
            action: call.action_embedding.as_deref().map(Arc::from),
            embedded,
        }
    }

    /// Whether there is one of those. Most calls bring none.
    pub(super) fn is_any(call: &ToolCall<'_>, embedded: &Option<Embedded>) -> bool {
        call.context_embedding.is_some() || call.action_embedding.is_some() || embedded.is_some()
    }

    /// The state carries them from now on.
    pub(super) fn stays_in(self, state: &mut AgentState) {
        // A call that tells what it does itself is seen by the recording's embeddings.
        let kept = state.embedded.take().filter(|_| self.action.is_none());
        state.embedded = self.embedded.or(kept);
        state.context = self.context.or(state.context.take());
        state.action = self.action.or(state.action.take());
    }
}

impl Run {
    pub(super) fn new(id: Arc<str>, input: usize, order: u64) -> Run {
        Run {
            id,
            input,
            order,
            least_turn: u64::MAX,
            ..Run::default()
        }
    }

    /// Takes what a `run_start` says; intent and meta only where something asks for them.
    pub(super) fn begin(&mut self, event: RunStart<'_>, policy: &Policy) {
        self.agent = event.agent.map(|a| a.into_owned().into());
        self.label = event.label;
        // Intents can be long, and expressions alone have them whole.
        if policy.names(Variable::RunIntent) {
            self.intent = event.intent.map(|i| i.into_owned().into());
        } else if policy.embeds_intent() {
            self.intent = event.intent.map(|i| intent_head(&i).into());
        }
        if policy.names(Variable::RunMeta) {
            self.meta = event.meta.map(|m| Box::new(m.into_owned()));
        }
    }

    /// Goes on after its end.
    pub(super) fn resume(&mut self, seq: u64, turn: u64, phase: Phase) {
        self.seq = seq;
        self.turn = turn;
        self.state.phase = phase;
        self.resumed = true;
    }

    /// Takes note of faults without a run since it was last looked at.
    pub(super) fn doubt_since(&mut self, epoch: u64) {
        self.doubtful |= epoch > self.epoch;
        self.epoch = epoch;
    }

    /// What expressions may ask of the run.
    pub(super) fn view(&self) -> RunView<'_> {
        RunView {
            id: &self.id,
            agent: self.agent.as_deref(),
            intent: self.intent.as_deref(),
            meta: self.meta.as_deref(),
        }
    }

    /// The id of the next call if it has none of its own: its number, told apart from ids that others
    /// brought along.
    pub(super) fn default_id(&self) -> String {
        let plain = format!("call-{}", self.seq + 1);
        let taken = |id: &String| self.marks.has(digest::id(id));
        let others = (2u64..).map(|n| format!("{plain}#{n}"));
        std::iter::once(plain.clone())
            .chain(others)
            .find(|id| !taken(id))
            .unwrap_or(plain)
    }

    /// Refused calls whose results would show that they ran.
    pub(super) fn refused_without_outcome(&self) -> Box<[u64]> {
        let mut ids: Vec<u64> = self.late.to_vec();
        let all = self.marks.with_ids();
        let open = all.filter(|(_, m)| m.origin.fate() == Fate::Refused && m.outcome.is_none());
        ids.extend(open.map(|(id, _)| id));
        ids.into()
    }

    /// Settles what became of a call.
    pub(super) fn set_fate(&mut self, id: u64, fate: Fate) {
        self.marks.change(id, |mark| mark.origin.set_fate(fate));
    }

    /// Takes note of what that call did to the barriers.
    pub(super) fn effect(&mut self, policy: &Policy, by: Caller, tool: &str) {
        let Some(mut effects) = self.effects.take() else {
            return;
        };
        let view = self.state.view(self.view());
        let mut all = effects.stages.iter().map(|s| s.values(policy, &view));
        let values = all.find(|values| !values.is_empty()).unwrap_or_default();
        let tool = tool.into();
        effects.list.push(Effect { by, tool, values });
        self.effects = Some(effects);
    }

    /// The embeddings of a refused call that turns out to have run.
    pub(super) fn take_brought(&mut self, id: u64) -> Brought {
        let place = self.brought.iter().position(|(call, _)| *call == id);
        place
            .map(|i| self.brought.swap_remove(i).1)
            .unwrap_or_default()
    }

    /// Counts a decision for the run's report.
    pub(super) fn count(&mut self, decision: &Decision) {
        let tally = &mut self.tally;
        tally.calls += 1;
        tally.refused += u64::from(!decision.admitted);
        tally.judged += u64::from(!decision.barriers.is_empty());
        if decision.is_violation() {
            let which = if decision.standing {
                &mut tally.standing
            } else {
                &mut tally.root
            };
            *which += 1;
        }
    }
}
