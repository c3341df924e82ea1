//! The state of a run, as stages and barriers see it.

pub mod bindings;
pub mod cosine;
pub mod history;

use crate::policy::Policy;
use crate::policy::matcher::NameSet;
use crate::trace::money::Nano;
use history::History;
use std::sync::Arc;

/// Phase of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Nothing has happened.
    #[default]
    Idle,
    /// The agent is choosing a call.
    Planning,
    /// A call is being made.
    Acting,
    /// The last call has come back.
    Observing,
    /// The run has answered: terminal for calls.
    Answering,
    /// The run was stopped: terminal.
    Rejected,
    /// A budget of the run is spent: terminal.
    Exhausted,
}

impl Phase {
    /// Every phase, with its name in upper case as expressions and states files spell it.
    pub const ALL: &[(Phase, &'static str)] = &[
        (Phase::Idle, "IDLE"),
        (Phase::Planning, "PLANNING"),
        (Phase::Acting, "ACTING"),
        (Phase::Observing, "OBSERVING"),
        (Phase::Answering, "ANSWERING"),
        (Phase::Rejected, "REJECTED"),
        (Phase::Exhausted, "EXHAUSTED"),
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        Phase::ALL
            .iter()
            .find(|(p, _)| *p == self)
            .map_or("", |(_, name)| name)
    }

    /// Whether no call is legal in it.
    pub fn is_terminal(self) -> bool {
        matches!(self, Phase::Answering | Phase::Rejected | Phase::Exhausted)
    }
}

/// An embedding, shared between the states that carry it.
pub type Embedding = Option<Arc<[f64]>>;

/// What an agent was asked to do and what it does, as one embedder here sees both. A recording's own
/// embeddings are never compared with these.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// What it was asked to do.
    pub context: Arc<[f64]>,
    /// What it does.
    pub action: Arc<[f64]>,
}

/// The state of a run between two events.
#[derive(Clone, Debug, Default)]
pub struct AgentState {
    /// Phase.
    pub phase: Phase,
    /// Calls admitted.
    pub step_count: u64,
    /// Self-loops since the last observation.
    pub loop_count: u64,
    /// Recorded cost of settled calls; zero where costs are not recorded.
    pub cost: Nano,
    /// Settled calls.
    pub history: History,
    /// What was observed.
    pub ledger: Ledger,
    /// What the agent was asked to do, by the recording.
    pub context: Embedding,
    /// What the agent last did, by the recording.
    pub action: Embedding,
    /// Both as they were embedded here, where the latest call went by that.
    pub embedded: Option<Embedded>,
}

/// The observation ledger, as sums: all that gates ask of its rows.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// Turn of the latest row; absent while there is none.
    pub latest_turn: Option<u64>,
    /// Tokens of all rows.
    pub tokens: u64,
    /// Tokens by entry of the policy's per-tool budgets; empty until a row counts.
    pub per_tool: Vec<u64>,
}

/// A state as barriers see it: a run's state with what a simulation changes laid over it.
#[derive(Clone, Debug)]
pub struct StateView<'a> {
    /// Settled calls.
    pub history: &'a History,
    /// Calls taken as settled after those.
    pub appended: &'a [Arc<NameSet>],
    /// Phase.
    pub phase: Phase,
    /// Calls admitted.
    pub step_count: u64,
    /// Self-loops since the last observation.
    pub loop_count: u64,
    /// Cost.
    pub cost: Nano,
    /// Tokens observed.
    pub tokens: u64,
    /// What the agent was asked to do.
    pub context: Option<&'a [f64]>,
    /// What the agent does.
    pub action: Option<&'a [f64]>,
    /// Whether these two were embedded here.
    pub embedded: bool,
    /// Whether what the agent does should be embedded, and the recording does not tell it.
    pub untold: bool,
    /// The run.
    pub run: RunView<'a>,
}

impl<'a> StateView<'a> {
    /// The state with these embeddings.
    pub fn with_embedded(self, pair: &'a Embedded) -> StateView<'a> {
        StateView {
            context: Some(&pair.context),
            action: Some(&pair.action),
            embedded: true,
            ..self
        }
    }
}

/// What is known of a run beside its state.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunView<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its agent.
    pub agent: Option<&'a str>,
    /// What the user asked for.
    pub intent: Option<&'a str>,
    /// Anything else, a JSON object.
    pub meta: Option<&'a crate::trace::event::RawJson<'static>>,
}

impl AgentState {
    /// What the arrival of a call does before it is judged: the phase is acting, and the loop count
    /// starts again, or grows where it was acting already. A terminal phase stays.
    pub fn arrive(&mut self) {
        match self.phase {
            Phase::Idle | Phase::Observing | Phase::Planning => {
                self.phase = Phase::Acting;
                self.loop_count = 0;
            }
            Phase::Acting => self.loop_count = self.loop_count.saturating_add(1),
            Phase::Answering | Phase::Rejected | Phase::Exhausted => {}
        }
    }

    /// A call has come back, and cost what a call without an estimate is charged. The phase is left to
    /// who says what comes next.
    pub fn settle_estimated(&mut self, policy: &Policy, names: &Arc<NameSet>, failed: bool) {
        self.history.push(policy, names, failed);
        self.step_count = self.step_count.saturating_add(1);
        if policy.dcbf.record_costs {
            let estimate = policy.dcbf.per_call_cost;
            self.cost = Nano(self.cost.0.saturating_add(estimate.0));
        }
    }

    /// The state as it stands.
    pub fn view<'a>(&'a self, run: RunView<'a>) -> StateView<'a> {
        let view = self.recorded_view(run);
        match &self.embedded {
            Some(pair) => view.with_embedded(pair),
            None => view,
        }
    }

    /// The state with the recording's embeddings, whatever was embedded here.
    pub fn recorded_view<'a>(&'a self, run: RunView<'a>) -> StateView<'a> {
        StateView {
            history: &self.history,
            appended: &[],
            phase: self.phase,
            step_count: self.step_count,
            loop_count: self.loop_count,
            cost: self.cost,
            tokens: self.ledger.tokens,
            context: self.context.as_deref(),
            action: self.action.as_deref(),
            embedded: false,
            untold: false,
            run,
        }
    }
}
